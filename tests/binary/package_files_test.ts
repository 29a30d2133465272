/** The executable has all packages that the program needs; the server never reads the files that `.ci/package_files.ts` leaves out. */
import assert from "node:assert/strict";
import { copyFileSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { lockedPackages, NEEDED, unneededFiles } from "../../.ci/package_files.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "./server_process.ts";
import { run } from "../child_process.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** Names of the packages that modules of the program need. */
async function packagesOf(entry: string): Promise<string[]> {
  const { success, stdout, stderr } = await run(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  });
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
  "session/worker/acquisition_worker.ts",
  "routes/swagger_files.ts",
  "session/named_acquisitions.ts",
  "examples/walk_through.ts",
];

Deno.test("the executable has the packages that the program needs, and no other", async () => {
  const needed = new Set((await Promise.all(ENTRIES.map(packagesOf))).flat());
  assert.deepEqual(Object.keys(NEEDED).sort(), [...needed].sort());
});

/** Folders with fixtures that need a codec of a package. */
const FIXTURES = ["tiff", "czi", "ome_zarr"];
const CODEC = /codec_|jpeg|lerc_|webp_|blosc|zstd|lz4/;

/** Copies what the executable has of the cached packages into `target`; of `missing` packages nothing. */
async function copyNeeded(target: string, missing: readonly string[]): Promise<void> {
  const { stdout } = await run(Deno.execPath(), { args: ["info", "--json"], cwd: ROOT });
  const cache: string = JSON.parse(new TextDecoder().decode(stdout)).npmCache;
  const locked = Object.keys(lockedPackages());
  const unneeded = new Set(unneededFiles(cache, locked));
  for (const registry of Deno.readDirSync(cache)) {
    for (const key of locked) {
      const [, name, version] = key.match(/^(.+?)@([^_]+)/)! as unknown as [string, string, string];
      if (missing.includes(name)) continue;
      const from = join(cache, registry.name, name);
      const to = join(target, registry.name, name);
      mkdirSync(join(to, version), { recursive: true });
      // A cache that was filled by the lock alone has none.
      if (existsSync(join(from, "registry.json"))) {
        copyFileSync(join(from, "registry.json"), join(to, "registry.json"));
      }
      cpSync(join(from, version), join(to, version), {
        recursive: true,
        filter: (path) => !unneeded.has(path),
      });
    }
  }
}

/** Fixtures that other implementations judged, as absolute paths. */
function fixtures(): string[] {
  return FIXTURES.flatMap((folder) => {
    const at = join(ROOT, "tests", "fixtures", folder);
    const entries: { file: string }[] = JSON.parse(Deno.readTextFileSync(join(at, "expected.json")));
    return entries.filter(({ file }) => CODEC.test(file)).map(({ file }) => join(at, file));
  });
}

/** Runs a server without a network, on the files of packages that the executable has, except `missing` ones. */
async function serveOffline(
  missing: readonly string[],
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  using temporary = temporaryFolder();
  const cache = temporary.path;
  await copyNeeded(join(cache, "npm"), missing);
  const launch = { ...FROM_SOURCE, args: ["run", "--cached-only", ...FROM_SOURCE.args.slice(1)] };
  await using server = await ServerProcess.start(launch, [], { DENO_DIR: cache });
  await use(server);
}

Deno.test("the server runs on the package files that the executable has", () =>
  serveOffline([], async (server) => {
    for (const path of fixtures()) {
      const { status, body } = await server.post("/api/v2/open", { path });
      assert.equal(status, 200, `${basename(path)}: ${JSON.stringify(body)}`);
    }
    const docs = await (await fetch(`${server.baseUrl}/docs`)).text();
    const named = [...docs.matchAll(/"(\/static\/\w+\/docs\/swagger-ui[^"]*)"/g)].map(([, path]) => path!);
    assert.equal(named.length, 2);
    for (const page of named) {
      const answer = await fetch(server.baseUrl + page);
      assert.equal(answer.status, 200, page);
      await answer.body?.cancel();
    }
  }));

Deno.test("a page explains the missing documentation package and links to the contract", () =>
  serveOffline(["swagger-ui-dist", "@scarf/scarf"], async (server) => {
    for (const page of ["/docs", "/docs"]) {
      const answer = await fetch(server.baseUrl + page);
      assert.equal(answer.status, 503, page);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      const text = await answer.text();
      assert.match(text, /could not be fetched: \S.*swagger-ui-dist/);
      assert.match(text, /href="\/openapi\.json"/);
      // Nothing of the machine: no stack, no place of a file.
      assert.doesNotMatch(text, /file:\/\/|\.ts\b/);
    }
    const contract = await server.json("/openapi.json");
    assert.equal(contract.status, 200);
    assert.equal((await server.json("/api/v2/health")).status, 200);
  }));
