// Runs in osascript: shows an open panel for the question in the first argument, and returns {"path": ...} as JSON.
ObjC.import("AppKit");

// deno-lint-ignore no-unused-vars
function run(argv) {
  const question = JSON.parse(argv[0]);
  const app = $.NSApplication.sharedApplication;
  app.setActivationPolicy($.NSApplicationActivationPolicyAccessory);
  const panel = $.NSOpenPanel.openPanel;
  panel.title = question.title;
  // Since macOS 11 a panel shows only its message, not its title.
  panel.message = question.title;
  panel.canChooseFiles = !question.folders;
  panel.canChooseDirectories = question.folders;
  panel.allowsMultipleSelection = false;
  panel.treatsFilePackagesAsDirectories = true;
  // kCGModalPanelWindowLevel, above the windows of all other programs.
  panel.level = 8;
  // canJoinAllSpaces and fullScreenAuxiliary: shows the panel even if the browser fills the screen.
  panel.collectionBehavior = 1 | 256;
  if (question.folder !== null) panel.directoryURL = $.NSURL.fileURLWithPath(question.folder);
  let filter = null;
  if (!question.folders && question.endings.length + question.names.length > 0) {
    try {
      filter = offerFilter(panel, question);
    } catch {
      // A panel without its filter shows all files, which is better than no panel. The user then selects a store by a
      // file in it, which may be hidden.
      panel.showsHiddenFiles = question.names.length > 0;
    }
  }
  // Since macOS 14 the older call does nothing unless the frontmost program yields.
  if (app.respondsToSelector("activate")) app.activate;
  else app.activateIgnoringOtherApps(true);
  const chosen = Number(panel.runModal) === 1;
  // The panel holds its delegate weakly; this use keeps the delegate alive until here.
  if (filter !== null) panel.delegate = $();
  return JSON.stringify({ path: chosen ? ObjC.unwrap(panel.URL.path) : null });
}

/** Lets the user show acquisitions or all files. The only folders that can be chosen are stores. */
function offerFilter(panel, question) {
  let all = false;
  const nameOf = (url) => ObjC.unwrap(url.lastPathComponent).toLowerCase();
  const endsLike = (url, endings) => endings.some((ending) => nameOf(url).endsWith(ending));
  const isNamed = (url) => question.names.some((name) => name.toLowerCase() === nameOf(url));
  const isStore = (url) =>
    endsLike(url, question.stores) ||
    question.names.some((name) =>
      Boolean($.NSFileManager.defaultManager.fileExistsAtPath(`${ObjC.unwrap(url.path)}/${name}`))
    );
  ObjC.registerSubclass({
    name: "AcquisitionFilter",
    methods: {
      "panel:shouldEnableURL:": {
        types: ["bool", ["id", "id"]],
        implementation: (_panel, url) =>
          all || Boolean(url.hasDirectoryPath) || isNamed(url) ||
          endsLike(url, question.endings),
      },
      // Called when the user presses the button; opens folders that are not stores.
      "panel:validateURL:error:": {
        types: ["bool", ["id", "id", "pointer"]],
        implementation: (_panel, url) => {
          if (!url.hasDirectoryPath || isStore(url)) return true;
          panel.directoryURL = url;
          return false;
        },
      },
      "filterChosen:": {
        types: ["void", ["id"]],
        implementation: (popup) => {
          all = Number(popup.indexOfSelectedItem) === 1;
          panel.validateVisibleColumns;
        },
      },
    },
  });
  const filter = $.AcquisitionFilter.alloc.init;
  panel.delegate = filter;
  panel.canChooseDirectories = question.names.length > 0;
  const popup = $.NSPopUpButton.alloc.initWithFramePullsDown($.NSMakeRect(0, 0, 240, 26), false);
  popup.addItemWithTitle(question.filterName);
  popup.addItemWithTitle(question.allName);
  popup.target = filter;
  popup.action = "filterChosen:";
  panel.accessoryView = popup;
  panel.accessoryViewDisclosed = true;
  return filter;
}
