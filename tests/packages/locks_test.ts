/** Two locks: `deno.lock` has what is needed to serve, `tests/deno.lock` that and what only tests and benchmarks use. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What the tests read of a lock. */
interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, unknown>>;
}

const [serving, testing] = ["deno.lock", "tests/deno.lock"].map((path): Lock =>
  JSON.parse(Deno.readTextFileSync(ROOT + path))
) as [Lock, Lock];

/** Names with versions, as in a lock, of the packages that a module needs. */
async function packagesOf(entry: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { npmPackage?: string }[];
    npmPackages: Record<string, { dependencies: string[] }>;
  };
  const reached = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of reached) for (const next of npmPackages[id]!.dependencies) reached.add(next);
  return [...reached];
}

Deno.test("the lock of the program has the packages that serving and the demo need, and no other", async () => {
  const entries = ["main.ts", "commands.ts", "readers/decode_worker.ts", "examples/walk_through.ts"];
  const needed = new Set((await Promise.all(entries.map(packagesOf))).flat());
  assert.deepEqual(Object.keys(serving.npm).sort(), [...needed].sort());
});

Deno.test("deno.json names no package that only tests use: deno task would install it", () => {
  const named = Object.values(manifest.imports).filter((to) => to.startsWith("npm:"));
  assert.deepEqual(named.sort(), Object.keys(serving.specifiers).sort());
});

Deno.test("tests run with the same packages, byte by byte", () => {
  for (const [name, locked] of Object.entries(serving.npm)) assert.deepEqual(testing.npm[name], locked, name);
});
