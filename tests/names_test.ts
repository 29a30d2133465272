/** A name of a type or function at the top of a file means one thing in the whole program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "./binary/server_process.ts";

/** Names that several files declare, each with a reason. A new one needs a better name, or a reason here. */
const CLIENT = "public name of the client for programs, which mirrors the server's";
const SHARED: Readonly<Record<string, string>> = {
  Acquisition: CLIENT,
  Axis: `${CLIENT}; the page measures with one of its own, of which titles are known`,
  ExportState: CLIENT,
  FolderListing: CLIENT,
  MetadataDocument: CLIENT,
  Position: CLIENT,
  Reference: CLIENT,
  SampleType: CLIENT,
  decode: "each codec exports it",
  scenes: "each reader exports it",
};

const ROOMS = ["readers", "session", "routes", "cli", "schemas", "static"];

function* sourcesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourcesBelow(path);
    else if (/(?<!_test|\.d)\.ts$/.test(name)) yield path;
  }
}

/** Declarations at the top of a file: types, classes, functions and constants that are arrow functions. */
const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;
const FUNCTION =
  /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?(?:<[^>]*>)?(?:\([^]*?\)|\w+)(?:: [^=]+?)? =>)/gm;

/** Files by the names that they declare. */
function declarations(pattern: RegExp): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of ROOMS.flatMap((room) => [...sourcesBelow(room)])) {
    for (const [, ...names] of Deno.readTextFileSync(join(ROOT, path)).matchAll(pattern)) {
      const name = names.find((one) => one !== undefined)!;
      const files = found.getOrInsertComputed(name, () => []);
      if (!files.includes(path)) files.push(path);
    }
  }
  return found;
}

for (const [noun, pattern] of [["type", TYPE], ["function", FUNCTION]] as const) {
  Deno.test(`no ${noun} shares its name with another one, except for a reason`, () => {
    const found = declarations(pattern);
    assert(found.size > 500, `${found.size}`);
    const shared = [...found].filter(([name, files]) => files.length > 1 && !Object.hasOwn(SHARED, name));
    assert.deepEqual(shared.map(([name, files]) => `${name}: ${files.join(" ")}`), []);
  });
}

Deno.test("each name with a reason is still shared", () => {
  const found = [declarations(TYPE), declarations(FUNCTION)];
  const unshared = Object.keys(SHARED).filter((name) =>
    !found.some((all) => (all.get(name)?.length ?? 0) > 1)
  );
  assert.deepEqual(unshared, []);
});
