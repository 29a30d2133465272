/** What is baked into the executable, read from one that is built around the runtime of the tests. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { isEmbedded, NEEDED } from "../../.ci/package_files.ts";
import { isManualFile, isManualPage } from "../../routes/manual_page.ts";
import { readExecutable } from "./executable.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "./server_process.ts";
import { run } from "../child_process.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** Files below a folder, relative to the root, with slashes. */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(ROOT + folder)) {
    if (entry.isDirectory) yield* filesBelow(`${folder}/${entry.name}`);
    else yield `${folder}/${entry.name}`;
  }
}

const SOURCES = [
  ".ci",
  "deno.json",
  "deno.lock",
  ...[...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) => name.endsWith(".ts")),
  "readers",
  "routes",
  "schemas",
  "session",
  "cli",
  "static",
  // A member of the workspace.
  "tests/page/deno.json",
  "docs",
  "examples",
  ...["CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"],
];

/** What the server serves as its manual. */
const MANUAL = [
  ...["CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"],
  ...[...filesBelow("docs"), ...filesBelow("examples")].filter((path) =>
    isManualPage(path) || isManualFile(path)
  ),
];

/** A copy of the sources, since the script writes beside them; ends with its folder. */
function copySources(folder: string): string {
  const copy = join(folder, "sources");
  for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  return copy;
}

/** The npm package of an embedded file, or `null`. */
function packageOf(path: string): string | null {
  return path.match(/^\.deno_compile_node_modules\/localhost\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? null;
}

/** Runs the compile task's script in a copy of the sources. */
async function compile(sources: string, args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await run(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", join(sources, ".ci", "compile.ts"), ...args],
    env,
  });
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, error: error! };
}

Deno.test("metadata of the executable", async (t) => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const output = join(folder, Deno.build.os === "windows" ? "acq-server.exe" : "acq-server");
  const env = { DENORT_BIN: Deno.execPath() };
  const built = await compile(copySources(folder), ["--output", folder + "/"], env);
  assert.equal(built.code, 0, built.error);
  assert.match(built.out, /^(.+) for \S+, \d+ MB$/m);
  assert.equal(built.out.split(" for ")[0], output);
  const { metadata, files, sizes, read } = readExecutable(output);

  await t.step("has the permissions of deno.json and no others, without prompts", () => {
    const { read, net, run, env, import: imports, ...others } = manifest.permissions.default;
    assert.deepEqual(others, {});
    assert.equal(read, true);
    const { prompt, allow_read, allow_net, allow_run, allow_env, allow_import, ...rest } =
      metadata.permissions;
    assert.equal(prompt, false);
    // An empty list means everything.
    assert.deepEqual(allow_read, []);
    assert.deepEqual({ allow_net, allow_run, allow_env, allow_import }, {
      allow_net: net,
      allow_run: run,
      allow_env: env,
      allow_import: imports,
    });
    assert.deepEqual(Object.entries(rest).filter(([, value]) => value !== null), []);
    for (const name of ["allow_write", "allow_sys", "allow_ffi"]) assert.equal(rest[name], null, name);
  });

  await t.step("has no built-in arguments, and gives no warning about missing dialog programs", () => {
    assert.deepEqual(metadata.argv, []);
    assert.equal(metadata.log_level, "ERROR");
    assert.equal(metadata.entrypoint_key, "main.ts");
  });

  await t.step(
    "caches no code in the temporary folder, which every account may write",
    () => {
      assert.equal(metadata.code_cache_key, null);
    },
  );

  await t.step("embeds pages, worker, readers, dialog scripts and commit", () => {
    const readers = [...filesBelow("readers")].filter((path) =>
      /^readers\/\w+\/(?:format|mod)\.ts$/.test(path)
    );
    assert(readers.length >= 24, readers.join(" "));
    const wanted = [
      "main.ts",
      "cli/commands.ts",
      "deno.json",
      "dist/commit.txt",
      "session/worker/acquisition_worker.ts",
      "session/dialog/macos.js",
      "session/dialog/windows.ps1",
      "cli/info.ts",
      "cli/plane.ts",
      ...MANUAL,
      ...readers,
      ...filesBelow("static/client"),
      ...filesBelow("static/measure"),
    ];
    assert.deepEqual(wanted.filter((name) => !files.includes(name)), []);
  });

  await t.step("embeds the files of pages as a server from source serves them, byte by byte", async () => {
    await using server = await ServerProcess.start(FROM_SOURCE);
    const page = await (await fetch(`${server.baseUrl}/demo/v2/`)).text();
    const [, folder] = /src="(\/static\/[0-9a-f]{16})\//.exec(page) ?? assert.fail(page.slice(0, 800));
    const embedded = files.filter((file) => file.startsWith("dist/static/"))
      .map((file) => file.slice("dist/static/".length));
    const types = "client/v2/acq-client.d.ts";
    const own = [...filesBelow("static")].map((file) => file.slice("static/".length));
    assert.deepEqual(embedded.toSorted(), [...own.filter((file) => file !== "deno.json"), types].toSorted());
    for (const file of embedded.filter((file) => file !== types)) {
      const served = await fetch(`${server.baseUrl}${folder}/${file}`);
      assert.equal(served.status, 200, file);
      assert.deepEqual(
        new Uint8Array(await served.arrayBuffer()),
        new Uint8Array(read(`dist/static/${file}`)),
        file,
      );
    }
    assert.match(
      new TextDecoder().decode(read(`dist/static/${types}`)),
      /^export declare class Acquisition /m,
    );
  });

  const packages = new Set(files.map(packageOf).filter((name) => name !== null));

  await t.step("embeds at most 16 MB, and only the used files of packages", () => {
    const bytes = new Map<string, number>();
    files.forEach((path, i) => {
      const part = packageOf(path) ?? path.split("/")[0]!;
      bytes.set(part, (bytes.get(part) ?? 0) + sizes[i]!);
    });
    const list = [...bytes].sort(([, a], [, b]) => b - a).map(([part, size]) => `${part} ${size}`).join(
      "\n",
    );
    assert(sizes.reduce((sum, size) => sum + size, 0) <= 16e6, list);
    const unused = /\.(map|d\.[cm]?ts)$|\/(cjs|enc|src\/v4|v3|__tests__)\//;
    const large = files.filter((path, i) => packageOf(path) !== null && sizes[i]! >= 1024);
    assert.deepEqual(large.filter((path) => unused.test(path)), []);
    assert.deepEqual([...packages].sort(), Object.keys(NEEDED).filter(isEmbedded));
  });

  await t.step("embeds no tests and no packages that only tests use", () => {
    for (const name of ["playwright-core", "fast-check", "ajv", "@seriousme/openapi-schema-validator"]) {
      assert(!packages.has(name), name);
    }
    assert(packages.has("hono"));
    const foreign = files.filter((name) =>
      /^((tests|bench|docs|examples|\.ci)\/|[^/]+\.(md|cff)$|LICENSE$)/.test(name)
    );
    assert.deepEqual(foreign.toSorted(), MANUAL.toSorted());
    assert.deepEqual(files.filter((name) => name.endsWith("_test.ts")), []);
  });
});

Deno.test("the compile script reports an error in one line", async (t) => {
  const folder = Deno.makeTempDirSync({ prefix: "compile_" });
  const sources = copySources(folder);
  const rows: [string, string[], Record<string, string>, number, RegExp][] = [
    ["unknown target", ["--target", "sparc"], {}, 2, /^Unknown target "sparc"; known are x86_64-/],
    ["unknown option", ["--fast"], {}, 2, /^Unknown option "--fast"/],
    ["missing value", ["--", "--output"], {}, 2, /^--output needs a value$/],
    [
      "a runtime that is not there",
      ["--output", "dist/never"],
      { DENORT_BIN: "/nonexistent/denort" },
      1,
      /^Cannot compile for \S+: .*\/nonexistent\/denort.*DENORT_BIN names it$/,
    ],
  ];
  for (const [name, args, env, code, message] of rows) {
    await t.step(name, async () => {
      const built = await compile(sources, args, env);
      assert.equal(built.code, code, built.error);
      assert.match(built.error.trimEnd(), message);
      assert.equal(built.error.trimEnd().split("\n").length, 1, built.error);
    });
  }
  Deno.removeSync(folder, { recursive: true });
});
