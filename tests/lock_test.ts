/**
 * One lock has the npm packages of the program, the tests and the benchmarks. What serves fetches those that it imports when it
 * imports them (`--unstable-npm-lazy-caching`), and `deno task` fetches none: it would fetch all that a lock or the imports of
 * deno.json name.
 */
import assert from "node:assert/strict";
import { NEEDED } from "../.ci/package_files.ts";
import manifest from "../deno.json" with { type: "json" };
import importMap from "../import_map.json" with { type: "json" };
import { LOCKED, ROOT } from "./binary/server_process.ts";
import { run } from "./child_process.ts";

/** Names of the packages that modules of the program need. */
async function packagesOf(entry: string): Promise<string[]> {
  const args = ["info", "--json", ...LOCKED, entry];
  const { success, stdout, stderr } = await run(Deno.execPath(), { args, cwd: ROOT });
  assert(success, new TextDecoder().decode(stderr));
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { npmPackage?: string }[];
    npmPackages: Record<string, { name: string; dependencies: string[] }>;
  };
  const reached = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of reached) for (const next of npmPackages[id]!.dependencies) reached.add(next);
  return [...reached].map((id) => npmPackages[id]!.name);
}

/** Modules that the program imports by a value, or in a worker, are entries of their own. */
const ENTRIES = [
  "main.ts",
  "cli/commands.ts",
  "readers/acquisition_worker.ts",
  "routes/swagger_files.ts",
  "session/named_acquisitions.ts",
  "examples/walk_through.ts",
];

Deno.test("the executable has the packages that the program needs, and no other", async () => {
  const needed = new Set((await Promise.all(ENTRIES.map(packagesOf))).flat());
  assert.deepEqual(Object.keys(NEEDED).sort(), [...needed].sort());
});

Deno.test("deno task fetches no package", () => {
  assert.equal(manifest.lock, false);
  assert(!("imports" in manifest));
});

Deno.test("imports each package in its locked version", () => {
  const lock: { specifiers: object } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.lock`));
  for (const [name, target] of Object.entries(importMap.imports)) {
    const specifier = target.match(/^npm:\/?((?:@[^/]+\/)?[^/]+@\d[^/]*)/)![1]!;
    assert(`npm:${specifier}` in lock.specifiers, name);
  }
});

Deno.test("every task that runs a program or tests reads the lock", () => {
  for (const [name, { command }] of Object.entries(manifest.tasks)) {
    for (const part of command.split("&&").filter((part) => /deno (run|test|check) /.test(part))) {
      assert.match(part, /--lock=deno\.lock --frozen|deno run -q -A \.ci\/|--config \.ci\/static/, name);
    }
  }
});
