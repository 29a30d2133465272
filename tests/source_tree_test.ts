/**
 * Imports run one way: no file, and no folder, can be reached from what it imports itself, by a static,
 * dynamic or type-only import.
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { run } from "./child_process.ts";

const ROOT = new URL("../", import.meta.url).href;

/** The one file of its folder that reaches into folders which build on the others of it. */
const REACHING_IN = new Map([
  ["readers/tiff/mod.ts", /^readers\/tiff\/dialects\/(?:\w+\/)?\w+\.ts$/],
]);

interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
  }[];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files of this project that can be reached from an entry, with what each of them imports. */
async function importsFrom(entry: string): Promise<Graph> {
  const { success, stdout, stderr } = await run(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: new URL(ROOT),
  });
  assert(success, new TextDecoder().decode(stderr));
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: ModuleInfo[] };
  const own = (specifiers: (string | undefined)[]) =>
    specifiers.flatMap((specifier) => specifier?.startsWith(ROOT) ? [specifier.slice(ROOT.length)] : []);
  return new Map(modules.flatMap(({ specifier, dependencies = [] }) => {
    const targets = own(dependencies.flatMap(({ code, type }) => [code?.specifier, type?.specifier]));
    return own([specifier]).map((file) => [file, new Set(targets)]);
  }));
}

/** A way from a node back to itself, or `null`. */
function circleIn(graph: Graph): readonly string[] | null {
  const done = new Set<string>();
  function search(node: string, way: readonly string[]): readonly string[] | null {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const circle = search(next, [...way, node]);
      if (circle) return circle;
    }
    done.add(node);
    return null;
  }
  for (const node of graph.keys()) {
    const circle = search(node, []);
    if (circle) return circle;
  }
  return null;
}

/** The same among folders; a file directly at the top, in `readers/`, `session/` or `static/measure/` stands for itself, as both lie above and below folders. */
function foldersOf(files: Graph): Graph {
  const folderOf = (file: string) =>
    /^((readers|session|static\/measure)\/)?[^/]+$/.test(file) ? file : dirname(file);
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    const from = folderOf(file);
    const to = folders.get(from) ?? new Set();
    folders.set(from, to);
    for (const target of targets) {
      if (folderOf(target) !== from && !REACHING_IN.get(file)?.test(target)) to.add(folderOf(target));
    }
  }
  return folders;
}

/** What each folder at the top may import; `static/measure` computes and knows no page. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  "main.ts": ["cli", "routes", "session"],
  cli: ["session", "readers", "schemas", "static/measure", "deno.json"],
  routes: ["session", "readers", "schemas", "static"],
  session: ["readers", "schemas", "static/measure"],
  readers: ["schemas"],
  schemas: ["static/measure"],
  "static/measure": [],
};

const topOf = (file: string) => /^static\/measure(?=\/)|^[^/]+/.exec(file)![0];

Deno.test("imports run one way", async (t) => {
  const graph = new Map([
    ...await importsFrom("main.ts"),
    ...await importsFrom("cli/commands.ts"),
    ...await importsFrom("session/worker/acquisition_worker.ts"),
  ]);
  assert(graph.has("session/dialog/commands.ts"));
  assert(graph.has("readers/tiff/dialects/ome/mod.ts"), "the readers are part of the graph");
  await t.step("has no import cycle of files", () => assert.equal(circleIn(graph)?.join(" -> "), undefined));
  await t.step("has no import cycle of folders", () => {
    assert.equal(circleIn(foldersOf(graph))?.join(" -> "), undefined);
  });
  await t.step("each permitted import into a folder exists", () => {
    for (const [file, into] of REACHING_IN) {
      assert([...graph.get(file) ?? []].some((target) => into.test(target)), file);
    }
  });
  await t.step("no top-level folder imports one above it", () => {
    const upward = [...graph].flatMap(([file, targets]) =>
      [...targets].filter((target) =>
        topOf(target) !== topOf(file) && !BELOW[topOf(file)]?.includes(topOf(target))
      ).map((target) => `${file} -> ${target}`)
    );
    assert.deepEqual(upward, []);
  });
});

Deno.test("the modules of the page import each other one way, and those of measuring only each other", async (t) => {
  const pages = new Map([
    ...await importsFrom("static/demo/v2/main.ts"),
    ...await importsFrom("static/demo/v2/picture/pyramid_worker.ts"),
    ...await importsFrom("static/demo/v2/measuring/measurement_worker.ts"),
  ]);
  const measuring = [...pages].filter(([file]) => file.startsWith("static/measure/"));
  assert(measuring.length > 5);
  await t.step("files", () => assert.equal(circleIn(pages)?.join(" -> "), undefined));
  await t.step("folders", () => assert.equal(circleIn(foldersOf(pages))?.join(" -> "), undefined));
  await t.step("measuring", () => {
    const outside = measuring.flatMap(([, targets]) => [...targets]).filter((target) =>
      !/^static\/measure\//.test(target)
    );
    assert.deepEqual(outside, []);
  });
});

Deno.test("two paths to one node are not a cycle", () => {
  const graph = (...edges: [string, string[]][]) => new Map(edges.map(([from, to]) => [from, new Set(to)]));
  assert.equal(circleIn(graph(["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]])), null);
  assert.deepEqual(circleIn(graph(["a", ["b"]], ["b", ["c"]], ["c", ["d", "b"]])), ["b", "c", "b"]);
  const files = graph(["main.ts", ["x/a.ts"]], ["x/a.ts", ["y/b.ts"]], ["y/c.ts", ["x/d.ts"]]);
  assert.equal(circleIn(files), null);
  assert.deepEqual(circleIn(foldersOf(files)), ["x", "y", "x"]);
});
