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
  filterName: "Acquisitions",
  allName: "All files",
};

/** Runs the script; `answer` sees the open panel and the methods of its delegate, and gives the chosen path. */
function show(
  question: typeof FOLDERS,
  answer: (panel: FakePanel, methods: Methods) => string | null,
  canSubclass = true,
): { path: string | null } {
  let methods: Methods = {};
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
  const bridge = Object.assign(() => null, {
    NSApplication: { sharedApplication: { setActivationPolicy() {}, activateIgnoringOtherApps() {} } },
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
  return JSON.parse(run([JSON.stringify(question)]));
}

const enables = (methods: Methods, name: string, hasDirectoryPath = false) =>
  methods["panel:shouldEnableURL:"]!.implementation(null, { lastPathComponent: name, hasDirectoryPath });

Deno.test("a panel for files: types and all files, above other windows, from the last folder", () => {
  const path = '/Users/a/"x" ä 🔬.tif';
  const outcome = show({ ...QUESTION, folder: "/Users/a" }, (panel, methods) => {
    assert.deepEqual(
      [panel.message, panel.canChooseFiles, panel.canChooseDirectories, panel.allowsMultipleSelection],
      ["Open", true, false, false],
    );
    assert.deepEqual([panel.directoryURL, panel.level, panel.showsHiddenFiles], ["file:/Users/a", 8, true]);
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
  assert.deepEqual(outcome, { path });
});

Deno.test("a panel for folders has no filter", () => {
  const outcome = show(FOLDERS, (panel) => {
    assert.deepEqual([panel.canChooseFiles, panel.canChooseDirectories, panel.showsHiddenFiles], [
      false,
      true,
      false,
    ]);
    assert.deepEqual([panel.delegate, panel.accessoryView, panel.directoryURL], [
      undefined,
      undefined,
      undefined,
    ]);
    return "/s/x.ome.zarr";
  });
  assert.deepEqual(outcome, { path: "/s/x.ome.zarr" });
});

Deno.test("hidden files are shown only where a store is chosen by a file inside it", () => {
  show({ ...QUESTION, names: [] } as typeof QUESTION, (panel) => {
    assert.equal(panel.showsHiddenFiles, false);
    return null;
  });
});

Deno.test("cancel", () => assert.deepEqual(show(QUESTION, () => null), { path: null }));

Deno.test("where the filter cannot be made, the panel shows without it", () => {
  assert.deepEqual(show(QUESTION, () => "/a.tif", false), { path: "/a.tif" });
});
