/**
 * Three locks: `deno.lock` has what is fetched before the first start from a checkout, `routes/deno.lock` that and what the
 * documentation page needs, `tests/deno.lock` that and what only tests and benchmarks use.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { run } from "../child_process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What the tests read of a lock. */
interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, unknown>>;
}

const [ahead, serving, testing] = ["deno.lock", "routes/deno.lock", "tests/deno.lock"].map((path): Lock =>
  JSON.parse(Deno.readTextFileSync(ROOT + path))
) as [Lock, Lock, Lock];

/** Names with versions, as in a lock, of the packages that a module needs. */
async function packagesOf(entry: string): Promise<string[]> {
  const { success, stdout, stderr } = await run(Deno.execPath(), {
    args: ["info", "--json", "--lock", "routes/deno.lock", entry],
    cwd: ROOT,
  });
  assert(success, new TextDecoder().decode(stderr));
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { npmPackage?: string }[];
    npmPackages: Record<string, { dependencies: string[] }>;
  };
  const reached = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of reached) for (const next of npmPackages[id]!.dependencies) reached.add(next);
  return [...reached];
}

/** Modules that the program imports by a value, or in a worker, are entries of their own. */
const ENTRIES = ["main.ts", "commands.ts", "readers/decode_worker.ts", "examples/walk_through.ts"];

Deno.test("the locks have the packages that serving, the demo and the documentation need, and no other", async () => {
  const needed = new Set((await Promise.all(ENTRIES.map(packagesOf))).flat());
  assert.deepEqual(Object.keys(ahead.npm).sort(), [...needed].sort());
  const documentation = await packagesOf("routes/swagger_files.ts");
  assert.deepEqual(Object.keys(serving.npm).sort(), [...needed, ...documentation].sort());
});

Deno.test("deno.json names no package that only tests use: deno task would install it", () => {
  const named = Object.values(manifest.imports).filter((to) => to.startsWith("npm:"));
  assert.deepEqual(named.sort(), Object.keys(ahead.specifiers).sort());
});

Deno.test("each lock has the packages of the one before it, byte by byte", () => {
  for (const [less, more] of [[ahead, serving], [serving, testing]] as const) {
    for (const [name, locked] of Object.entries(less.npm)) assert.deepEqual(more.npm[name], locked, name);
  }
});
