// Runs in osascript: shows an open panel for the question in the first argument, returns {"path": ...} as JSON.
ObjC.import("AppKit");

// deno-lint-ignore no-unused-vars
function run(argv) {
  const question = JSON.parse(argv[0]);
  const app = $.NSApplication.sharedApplication;
  app.setActivationPolicy($.NSApplicationActivationPolicyAccessory);
  const panel = $.NSOpenPanel.openPanel;
  panel.title = question.title;
  // Since macOS 11 a panel shows its message only.
  panel.message = question.title;
  panel.canChooseFiles = !question.folders;
  panel.canChooseDirectories = question.folders;
  panel.allowsMultipleSelection = false;
  panel.treatsFilePackagesAsDirectories = true;
  // .zgroup and .zattrs are hidden files.
  panel.showsHiddenFiles = !question.folders && question.names.length > 0;
  // kCGModalPanelWindowLevel, above the windows of all other programs.
  panel.level = 8;
  // canJoinAllSpaces and fullScreenAuxiliary: also where the browser fills the screen.
  panel.collectionBehavior = 1 | 256;
  if (question.folder !== null) panel.directoryURL = $.NSURL.fileURLWithPath(question.folder);
  let filter = null;
  if (!question.folders && question.endings.length + question.names.length > 0) {
    try {
      filter = offerFilter(panel, question);
    } catch {
      // A panel without its filter shows all files, which is better than no panel.
    }
  }
  app.activateIgnoringOtherApps(true);
  const chosen = Number(panel.runModal) === 1;
  // The panel holds its delegate weakly; this use keeps it until here.
  if (filter !== null) panel.delegate = $();
  return JSON.stringify({ path: chosen ? ObjC.unwrap(panel.URL.path) : null });
}

function offerFilter(panel, question) {
  let all = false;
  ObjC.registerSubclass({
    name: "AcquisitionFilter",
    methods: {
      "panel:shouldEnableURL:": {
        types: ["bool", ["id", "id"]],
        implementation: (_panel, url) => {
          const name = ObjC.unwrap(url.lastPathComponent).toLowerCase();
          return all || Boolean(url.hasDirectoryPath) || question.names.includes(name) ||
            question.endings.some((ending) => name.endsWith(ending));
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
  const popup = $.NSPopUpButton.alloc.initWithFramePullsDown($.NSMakeRect(0, 0, 240, 26), false);
  popup.addItemWithTitle(question.filterName);
  popup.addItemWithTitle(question.allName);
  popup.target = filter;
  popup.action = "filterChosen:";
  panel.accessoryView = popup;
  panel.accessoryViewDisclosed = true;
  return filter;
}
