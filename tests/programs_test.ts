/** Tests of the tests: what they do where programs are missing, and what `deno task test` prints. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FileLines } from "./by_file.ts";
import { ROOT } from "./binary/server_process.ts";
import { run } from "./child_process.ts";
import { PROGRAMS } from "./programs.ts";

/** Files below a folder of the repository, by the end of their names. */
function* filesBelow(folder: string, end: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* filesBelow(path, end);
    else if (name.endsWith(end)) yield path;
  }
}

const FILES = [".ci", "cli", "readers", "routes", "schemas", "session", "tests"]
  .flatMap((folder) => [...filesBelow(folder, ".ts")])
  .map((path) => ({ path, text: Deno.readTextFileSync(join(ROOT, path)) }));

Deno.test("without any program, each test that needs one is skipped with a line", async () => {
  const files = FILES.filter(({ path, text }) =>
    /_test\.ts$/.test(path) && /^import .*\bprogramTest\b/m.test(text)
  );
  const { code, stdout, stderr } = await run(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check"],
      ...["--filter", "(needs ", ...files.map(({ path }) => path)],
    ],
    cwd: ROOT,
    env: { PATH: "", NO_COLOR: "1", REQUIRE_PROGRAMS: "" },
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  assert.equal(code, 0, out + err);
  assert.match(out, /^ok \| 0 passed \| 0 failed \| [3-9]\d ignored/m, out);
  const lines = [...out.matchAll(/^Skipped: .*, without (.*) in PATH$/gm)];
  const missing = new Set(
    lines.flatMap(([, names]) => names!.split(", ").map((name) => name.split(" ")[0]!)),
  );
  const inBrowsers = ["openssl"];
  assert.deepEqual([...missing].sort(), PROGRAMS.filter((name) => !inBrowsers.includes(name)).sort());
});

Deno.test("tests start no other program by its name", () => {
  const starts = /\b(?:run|spawn|output|Deno\.Command)\(\s*"(\w[^"/]*)"/g;
  const outside =
    /^(tests\/binary\/permission_probe\.ts|tests\/dialogs\/display\.ts|\.ci\/(?!.*_test\.ts).*)$/;
  const found = FILES.filter(({ path }) => /^tests\/|_test\.ts$/.test(path) && !outside.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(starts)].map(([, name]) => `${path}: ${name}`));
  assert.deepEqual(found, [], "take the path that programTest() of tests/programs.ts gives");
});

Deno.test("deno task test prints a line a file, and what failed", () => {
  const printed: string[] = [];
  const lines = new FileLines((line) => printed.push(line));
  const said = `------- pre-test output -------
Skipped: sets the page, without groff in PATH
a line of a module
----- pre-test output end -----
./a_test.ts => reads ... ok (1ms)
------- output -------
what a failing test says
----- output end -----
./b_test.ts => counts ... first step ... FAILED (2ms)
./a_test.ts => sets the page (needs groff) ... ignored (0ms)
./a_test.ts => warns ... ok (1m2s)
------- post-test output -------
The tests are over in a_test.ts
----- post-test output end -----
The tests are over in b_test.ts
./c_test.ts (uncaught error) FAILED
The tests are over in d_test.ts

 ERRORS 

counts ... first step => ./b_test.ts:3:6
error: Error: 1

FAILED | 2 passed | 1 failed (1s)`;
  for (const line of said.split("\n")) lines.take(line);
  assert.deepEqual(printed, [
    "Skipped: sets the page, without groff in PATH",
    "./b_test.ts => counts ... first step ... FAILED (2ms)",
    "what a failing test says",
    "ok     a_test.ts: 2 passed, 1 skipped",
    "FAILED b_test.ts: 0 passed, 1 failed",
    "./c_test.ts (uncaught error) FAILED",
    "ok     d_test.ts: 0 passed",
    ...said.slice(said.indexOf(" ERRORS ")).split("\n"),
  ]);
});
