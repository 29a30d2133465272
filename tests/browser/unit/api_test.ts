import assert from "node:assert/strict";
import { ApiError, fetchPlane, readSession } from "../../../static/demo/v2/api.js";

/** Runs `work` with a server that answers `answer` to everything. */
async function answered(answer: () => Response, work: () => Promise<unknown>): Promise<unknown> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  // A page asks its own host; here the paths need one.
  const original = globalThis.fetch;
  globalThis.fetch = (path, init) =>
    original(new URL(String(path), `http://127.0.0.1:${server.addr.port}`), init);
  try {
    return await work();
  } finally {
    globalThis.fetch = original;
    await server.shutdown();
  }
}

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert(error instanceof ApiError);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

const bytes = (count: number) => () => new Response(Uint8Array.from({ length: count }, (_, i) => i));

Deno.test("a plane is exactly its bytes, counted as they come", async () => {
  let counted = 0;
  const buffer = await answered(
    bytes(8),
    () => fetchPlane("/p", 8, undefined, (count: number) => counted += count),
  );
  assert.deepEqual([...new Uint8Array(buffer as ArrayBuffer)], [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(counted, 8);
});

Deno.test("too few or too many bytes are refused", async () => {
  await assert.rejects(
    answered(bytes(7), () => fetchPlane("/p", 8)),
    failsWith("bad_answer", /7 bytes instead of 8/),
  );
  await assert.rejects(
    answered(bytes(9), () => fetchPlane("/p", 8)),
    failsWith("bad_answer", /more than its 8/),
  );
});

Deno.test("the server's code and message come through", async () => {
  const gone = () =>
    Response.json(
      { ok: false, error: "session_not_found", message: "There is no session x", details: null },
      {
        status: 404,
      },
    );
  await assert.rejects(
    answered(gone, () => readSession("x")),
    failsWith("session_not_found", /^There is no session x$/),
  );
  await assert.rejects(
    answered(gone, () => fetchPlane("/p", 8)),
    failsWith("session_not_found", /no session x/),
  );
});

Deno.test("ok = false under HTTP 200 is a failure too", async () => {
  const cancelled = () => Response.json({ ok: false, error: "cancelled", message: "No file was chosen" });
  await assert.rejects(answered(cancelled, () => readSession("x")), failsWith("cancelled", /No file/));
});

Deno.test("what is no answer of this contract is said so", async () => {
  const page = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
  await assert.rejects(answered(page, () => readSession("x")), failsWith("bad_answer", /not JSON/));
  const proxy = () => new Response("<html>", { status: 502 });
  await assert.rejects(answered(proxy, () => readSession("x")), failsWith("bad_answer", /HTTP 502/));
});

Deno.test("no answer at all is server_gone, an abort is cancelled", async () => {
  const original = globalThis.fetch;
  try {
    globalThis.fetch = () => Promise.reject(new TypeError("refused"));
    await assert.rejects(readSession("x"), failsWith("server_gone", /does not answer/));
  } finally {
    globalThis.fetch = original;
  }
  const signal = AbortSignal.abort();
  await assert.rejects(answered(bytes(8), () => fetchPlane("/p", 8, signal)), failsWith("cancelled", /./));
});
