import assert from "node:assert/strict";
import fc from "fast-check";
import { snippet } from "../../../static/demo/v2/snippet.js";

const channels = [{ name: "GCaMP\n6f", dataUrl: "/plane" }, { name: "Rhod-2", dataUrl: "/other" }];

/** Runs the program with another `fetch` and `console`; answers `result` evaluated after it. */
function run(program: string, fetch: unknown, console: unknown, result: string): Promise<unknown> {
  // deno-lint-ignore no-explicit-any
  const AsyncFunction = (async () => {}).constructor as any;
  return new AsyncFunction("fetch", "console", `${program}\nreturn ${result};`)(fetch, console);
}

Deno.test("the JavaScript snippet reads the planes it names", async () => {
  const bytes = new DataView(new ArrayBuffer(24));
  [0.5, 1, 2, 3, 4, 5].forEach((value, i) => bytes.setFloat32(4 * i, value, true));
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      ["/plane", "/other"].includes(new URL(request.url).pathname)
        ? new Response(bytes.buffer)
        : new Response(null, { status: 404 }),
  );
  try {
    const logged: unknown[] = [];
    const program = snippet("javascript", `http://127.0.0.1:${server.addr.port}`, channels, [2, 3]);
    const log = (...args: unknown[]) => logged.push(args);
    const samples = await run(program, fetch, { log }, "[sample(0, 0, 0), sample(1, 1, 2), planes.length]");
    assert.deepEqual(samples, [0.5, 5, 2]);
    assert.deepEqual(logged, [["GCaMP 6f", 0.5], ["Rhod-2", 0.5]]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("the Python snippet reads little-endian floats in the plane's shape", () => {
  const program = snippet("python", "http://127.0.0.1:8767", channels, [2, 3]);
  assert.match(program, /^server = "http:\/\/127\.0\.0\.1:8767"$/m);
  assert.match(program, /^ {4}\("GCaMP 6f", "\/plane"\),\n {4}\("Rhod-2", "\/other"\),$/m);
  assert.match(program, /dtype="<f4"\)\.reshape\(2, 3\)/);
});

/** What would end a comment or a literal, and what Python takes for the encoding of a file. */
const HOSTILE = ["\u2028", "\u2029", "\u0085", "\n", "\r", "\v", "\f", "\0", '"', "'", "\\", "*/", "${", "`"]
  .concat(["\u202e", "\ud800", "# coding: utf-7", "+AAo-", "globalThis.stolen = 1;", "import os"]);

Deno.test("no name leaves its string literal, in either language", async () => {
  const name = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })), {
    maxLength: 6,
  })
    .map((parts) => parts.join(""));
  const plain = snippet("python", "http://127.0.0.1:1", [{ name: "x", dataUrl: "/p" }], [1, 1]).split("\n");
  await fc.assert(
    fc.asyncProperty(name, async (name) => {
      const channel = [{ name, dataUrl: "/p" }];
      const logged: unknown[] = [];
      const answer = { ok: true, arrayBuffer: () => new ArrayBuffer(4) };
      const program = snippet("javascript", "http://127.0.0.1:1", channel, [1, 1]);
      await run(program, () => answer, { log: (name: string) => logged.push(name) }, "null");
      // What is neither control, format, surrogate, unassigned nor separator stays as it is.
      assert.deepEqual(logged, [[...name].map((c) => /[\p{C}\p{Z}]/u.test(c) ? " " : c).join("")]);
      assert(!("stolen" in globalThis));
      const lines = snippet("python", "http://127.0.0.1:1", channel, [1, 1]).split("\n");
      const changed = lines.filter((line, i) => line !== plain[i]);
      assert.equal(lines.length, plain.length);
      assert(
        changed.every((line) => /^ {4}\("([^"\\\p{C}\p{Zl}\p{Zp}]|\\["\\])*", "\/p"\),$/u.test(line)),
        changed.join(),
      );
      assert(!lines.some((line) => /^\s*#/.test(line)));
    }),
    { numRuns: 1000, seed: 6 },
  );
});
