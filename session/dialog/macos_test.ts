/** The macOS script against stand-ins for AppKit; what the real panel does with its settings is not seen here. */
import assert from "node:assert/strict";
import SCRIPT from "./macos.js" with { type: "text" };

type Methods = Record<string, { implementation: (...values: unknown[]) => unknown }>;

/** A panel that the test answers. */
interface FakePanel {
  [property: string]: unknown;
  delegate: unknown;
  accessoryView: FakePopup | undefined;
}

interface FakePopup {
  titles: string[];
  index: number;
  target: unknown;
  action: string;
}

const FOLDERS = { title: "Open", folder: null as string | null, folders: true };
const QUESTION = {
  ...FOLDERS,
  folders: false,
  endings: [".tif", ".ome.tif"],
  names: ["zarr.json", ".zgroup"],
  stores: [".zarr"],
  filterName: "Acquisitions",
  allName: "All files",
};

/** Runs the script; `answer` sees the open panel and the methods of its delegate, and gives the chosen path. */
function show(
  question: typeof FOLDERS,
  answer: (panel: FakePanel, methods: Methods) => string | null,
  { canSubclass = true, hasActivate = true } = {},
): { path: string | null; activated: string[] } {
  let methods: Methods = {};
  const activated: string[] = [];
  let chosen: string | null = null;
  const panel = { delegate: undefined, accessoryView: undefined } as FakePanel;
  Object.defineProperties(panel, {
    // JavaScript for Automation calls a method without arguments when its name is read.
    runModal: {
      get() {
        chosen = answer(panel, methods);
        return chosen === null ? 0 : 1;
      },
    },
    URL: { get: () => ({ path: chosen }) },
    validateVisibleColumns: { get: () => undefined },
  });
  const app = {
    setActivationPolicy() {},
    respondsToSelector: (name: string) => name === "activate" && hasActivate,
    activateIgnoringOtherApps: () => void activated.push("activateIgnoringOtherApps"),
  };
  Object.defineProperty(app, "activate", { get: () => void activated.push("activate") });
  const bridge = Object.assign(() => null, {
    NSApplication: { sharedApplication: app },
    // One folder holds a marker of a store.
    NSFileManager: { defaultManager: { fileExistsAtPath: (path: string) => path === "/a/plain/.zgroup" } },
    NSOpenPanel: { openPanel: panel },
    NSURL: { fileURLWithPath: (path: string) => `file:${path}` },
    NSMakeRect: () => ({}),
    NSPopUpButton: {
      alloc: {
        initWithFramePullsDown: () => {
          const popup = { titles: [] as string[], index: 0, target: undefined as unknown, action: "" };
          return Object.assign(popup, { addItemWithTitle: (title: string) => void popup.titles.push(title) });
        },
      },
    },
    AcquisitionFilter: { alloc: { init: "the delegate" } },
  });
  const objc = {
    import() {},
    unwrap: (value: unknown) => value,
    registerSubclass(subclass: { methods: Methods }) {
      if (!canSubclass) throw new Error("no bridge");
      methods = subclass.methods;
    },
  };
  const run = new Function("ObjC", "$", `${SCRIPT}; return run;`)(objc, bridge);
  return { ...JSON.parse(run([JSON.stringify(question)])), activated };
}

/** Whether the button takes what is selected. */
const takes = (methods: Methods, path: string, hasDirectoryPath: boolean) =>
  methods["panel:validateURL:error:"]!.implementation(null, {
    path,
    lastPathComponent: path.split("/").at(-1),
    hasDirectoryPath,
  }, null);

const enables = (methods: Methods, name: string, hasDirectoryPath = false) =>
  methods["panel:shouldEnableURL:"]!.implementation(null, { lastPathComponent: name, hasDirectoryPath });

Deno.test("a panel for files offers types and all files, stays on top, and starts in the last folder", () => {
  const path = '/Users/a/"x" ä 🔬.tif';
  const outcome = show({ ...QUESTION, folder: "/Users/a" }, (panel, methods) => {
    assert.deepEqual(
      [panel.message, panel.canChooseFiles, panel.canChooseDirectories, panel.allowsMultipleSelection],
      ["Open", true, true, false],
    );
    assert.deepEqual([panel.directoryURL, panel.level, panel.showsHiddenFiles], [
      "file:/Users/a",
      8,
      undefined,
    ]);
    // NSWindowCollectionBehaviorCanJoinAllSpaces = 1 << 0, ...FullScreenAuxiliary = 1 << 8
    assert.equal(panel.collectionBehavior, 257);
    assert.equal(panel.delegate, "the delegate");
    const popup = panel.accessoryView!;
    assert.deepEqual([popup.titles, popup.target, popup.action], [
      ["Acquisitions", "All files"],
      "the delegate",
      "filterChosen:",
    ]);
    const seen = () =>
      ["A.TIF", "b.Ome.Tif", "zarr.json", "my.zarr.json", "notes.txt"].map((n) => enables(methods, n));
    assert.deepEqual(seen(), [true, true, true, false, false]);
    assert.equal(enables(methods, "folder", true), true);
    methods["filterChosen:"]!.implementation({ indexOfSelectedItem: 1 });
    assert.deepEqual(seen(), [true, true, true, true, true]);
    methods["filterChosen:"]!.implementation({ indexOfSelectedItem: 0 });
    assert.equal(enables(methods, "notes.txt"), false);
    return path;
  });
  assert.deepEqual(outcome, { path, activated: ["activate"] });
});

Deno.test("a panel for folders has no filter", () => {
  const outcome = show(FOLDERS, (panel) => {
    assert.deepEqual([panel.canChooseFiles, panel.canChooseDirectories, panel.showsHiddenFiles], [
      false,
      true,
      undefined,
    ]);
    assert.deepEqual([panel.delegate, panel.accessoryView, panel.directoryURL], [
      undefined,
      undefined,
      undefined,
    ]);
    return "/s/x.ome.zarr";
  });
  assert.equal(outcome.path, "/s/x.ome.zarr");
});

Deno.test("a panel for files accepts stores, and its button enters any other folder", () => {
  show(QUESTION, (panel, methods) => {
    for (const store of ["/a/x.OME.Zarr", "/a/x.zarr", "/a/plain"]) {
      assert.equal(takes(methods, store, true), true, store);
    }
    assert.equal(takes(methods, "/a/b.tif", false), true);
    assert.equal(panel.directoryURL, undefined);
    assert.equal(takes(methods, "/a/folder", true), false);
    assert.deepEqual(panel.directoryURL, {
      path: "/a/folder",
      lastPathComponent: "folder",
      hasDirectoryPath: true,
    });
    return null;
  });
});

Deno.test("a folder can be chosen only if stores are accepted", () => {
  show({ ...QUESTION, names: [], stores: [] } as typeof QUESTION, (panel, methods) => {
    assert.equal(panel.canChooseDirectories, false);
    assert.equal(takes(methods, "/a/x.zarr", true), false);
    return null;
  });
});

Deno.test("activates the application by the older call before macOS 14", () => {
  assert.deepEqual(show(QUESTION, () => null, { hasActivate: false }).activated, [
    "activateIgnoringOtherApps",
  ]);
});

Deno.test("cancel", () => assert.equal(show(QUESTION, () => null).path, null));

Deno.test("shows the panel without a filter, and takes a file in a store as the store", () => {
  const answer = (panel: FakePanel) => {
    assert.deepEqual([panel.canChooseDirectories, panel.showsHiddenFiles], [false, true]);
    return "/a.tif";
  };
  assert.equal(show(QUESTION, answer, { canSubclass: false }).path, "/a.tif");
});
