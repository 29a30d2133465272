import assert from "node:assert/strict";
import fc from "fast-check";
import { writeSnippet } from "../../static/demo/v2/panels/snippet.ts";
import { output, type Program, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const LANGUAGES = ["python", "javascript", "matlab", "curl"] as const;
const ORIGIN = "http://127.0.0.1:8767";
const wanted = { origin: ORIGIN, path: "/data/cell 1.oir", channels: [0, 2], position: { t: 3, z: 0 } };

/** Runs the program with another `fetch` and `console`; answers `result` evaluated after it. */
function evaluate(program: string, fetch: unknown, console: unknown, result: string): Promise<unknown> {
  // deno-lint-ignore no-explicit-any
  const AsyncFunction = (async () => {}).constructor as any;
  return new AsyncFunction("fetch", "console", `${program}\nreturn ${result};`)(fetch, console);
}

const OPENED = {
  ok: true,
  sessionId: "abc",
  plane: { shape: [2, 3] },
  channels: [0, 1, 2].map((index) => ({ index, name: `CH${index + 1}`, dataUrl: `/plane/${index}` })),
  reference: { plane: { shape: [1, 1] }, channels: [{ index: 0, name: "Ref", dataUrl: "/reference/0" }] },
};

/** A server that answers opens and planes and records its requests. */
function fakeServer() {
  const asked: string[] = [];
  const answer = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    asked.push(`${method} ${pathname}${search} ${await request.text()}`.trim());
    if (pathname.startsWith("/api/")) return Response.json(OPENED);
    const bytes = new DataView(new ArrayBuffer(pathname.startsWith("/plane") ? 24 : 4));
    for (let i = 0; i < bytes.byteLength; i += 4) bytes.setFloat32(i, Number(pathname.at(-1)) + i / 4, true);
    return new Response(bytes.buffer);
  };
  return { asked, fetch: (url: string, init?: RequestInit) => answer(new Request(url, init)), answer };
}

Deno.test("the JavaScript program opens by path, reads the shown planes and closes", async () => {
  const { asked, fetch } = fakeServer();
  const logged: unknown[] = [];
  const program = writeSnippet("javascript", wanted);
  const log = (...args: unknown[]) => logged.push(args);
  const samples = await evaluate(program, fetch, { log }, "[sample(0, 0, 0), sample(2, 1, 2), planes.size]");
  assert.deepEqual(samples, [0, 7, 2]);
  assert.deepEqual(logged, [["CH1", 0], ["CH3", 2]]);
  assert.deepEqual(asked, [
    'POST /api/v2/open {"path":"/data/cell 1.oir"}',
    "GET /plane/0?t=3",
    "GET /plane/2?t=3",
    "DELETE /api/v2/sessions/abc",
  ]);
});

Deno.test("programs request scene, reference and dialog", async () => {
  const { asked, fetch } = fakeServer();
  const reference = { ...wanted, scene: 2, isReference: true, channels: [0], position: {} };
  await evaluate(writeSnippet("javascript", reference), fetch, { log: () => {} }, "0");
  assert.deepEqual(asked.slice(0, 2), [
    'POST /api/v2/open {"path":"/data/cell 1.oir","scene":2}',
    "GET /reference/0",
  ]);
  asked.length = 0;
  await evaluate(writeSnippet("javascript", { ...wanted, path: null }), fetch, { log: () => {} }, "0");
  assert.equal(asked[0], "POST /api/v2/pick-and-open {}");
});

/** Runs a program of the machine against the fake server. */
function snippetTest(
  language: "curl" | "python",
  programs: readonly Program[],
  check: (said: string, folder: string) => void,
) {
  programTest(programs, {
    name: `the ${language} program reads the shown planes`,
    modules: ["numpy"],
    async fn([command]) {
      const { asked, answer } = fakeServer();
      using folder = temporaryFolder();
      await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
      const path = '/data/it\'s "quoted" \\ $HOME `x`.oir';
      const program = writeSnippet(language, {
        ...wanted,
        origin: `http://127.0.0.1:${server.addr.port}`,
        path,
      });
      const said = await output(command!, ["-c", program], { cwd: folder.path });
      assert.deepEqual(asked.map((line) => line.split(" ").slice(0, 2).join(" ")), [
        "POST /api/v2/open",
        "GET /plane/0?t=3",
        "GET /plane/2?t=3",
        "DELETE /api/v2/sessions/abc",
      ]);
      assert.deepEqual(JSON.parse(asked[0]!.slice("POST /api/v2/open ".length)), { path });
      check(said, folder.path);
    },
  });
}
snippetTest("curl", ["sh", "curl", "jq"], (_, folder) => {
  assert.equal(Deno.statSync(`${folder}/channel-2.f32`).size, 24);
});
snippetTest("python", ["python3"], (said) => {
  assert.match(said, /^CH1 \(2, 3\) 0.0 5.0\nCH3 \(2, 3\) 2.0 7.0\n$/);
});

Deno.test("the MATLAB program sends the same requests", () => {
  const program = writeSnippet("matlab", { ...wanted, path: 'C:\\data\\a "b" \u2028%{.oir', scene: 1 });
  assert.match(program, /struct\("path", "C:\\data\\a ""b"" {2}%\{\.oir", "scene", 1\)/);
  assert.match(program, /ismember\(channel\.index, \[0, 2\]\)/);
  assert.match(program, /channel\.dataUrl \+ "\?t=3";/);
});

/** Text that would end a comment or a literal, or that Python takes for an encoding. */
const HOSTILE = ["\u2028", "\u2029", "\u0085", "\n", "\r", "\v", "\f", "\0", '"', "'", "\\", "*/", "${", "`"]
  .concat("\u202e", "\ud800", "# coding: utf-7", "+AAo-", "globalThis.stolen = 1;", "import os", "...", "%{");

Deno.test("paths cannot leave their string literal, in any language", async () => {
  const path = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })), {
    maxLength: 6,
  })
    .map((parts) => parts.join(""));
  const plain = new Map(
    LANGUAGES.map((value) => [value, writeSnippet(value, { ...wanted, path: "x" }).split("\n")]),
  );
  await fc.assert(
    fc.asyncProperty(path, async (path) => {
      const { asked, fetch } = fakeServer();
      await evaluate(writeSnippet("javascript", { ...wanted, path }), fetch, { log: () => {} }, "0");
      // A lone surrogate is sent as U+FFFD, as all text is.
      assert.deepEqual(JSON.parse(asked[0]!.slice("POST /api/v2/open ".length)).path, path);
      assert(!("stolen" in globalThis));
      for (const [language, expected] of plain) {
        const lines = writeSnippet(language, { ...wanted, path }).split("\n");
        assert.equal(lines.length, expected.length);
        const changed = lines.filter((line, i) => line !== expected[i]);
        assert(changed.length <= 1);
        for (const line of changed) {
          assert(!/[\p{C}\p{Zl}\p{Zp}]/u.test(line), line);
          // The text before the literal is unchanged, and its content does not end it.
          const literal = language === "matlab"
            ? /^opened = [^"]*"[^"]*", struct\("path", "([^"]|"")*"\), asJson\);$/
            : language === "curl"
            ? /^body='([^']|'\\'')*'$/
            : /^[^"]*"path"?: "([^"\\]|\\.)*"[^"]*$/;
          assert.match(line.replace("path: ", '"path": '), literal);
        }
      }
    }),
    { numRuns: 200, seed: 6 },
  );
});
