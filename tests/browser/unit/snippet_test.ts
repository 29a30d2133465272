import assert from "node:assert/strict";
import { snippet } from "../../../static/demo/v2/snippet.js";

const channel = { name: "GCaMP\n6f", dataUrl: "/plane" };

Deno.test("the JavaScript snippet reads the plane it names", async () => {
  const bytes = new DataView(new ArrayBuffer(24));
  [0.5, 1, 2, 3, 4, 5].forEach((value, i) => bytes.setFloat32(4 * i, value, true));
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      new URL(request.url).pathname === "/plane"
        ? new Response(bytes.buffer)
        : new Response(null, { status: 404 }),
  );
  try {
    const program = snippet("javascript", `http://127.0.0.1:${server.addr.port}`, channel, [2, 3]);
    const body = program.replace("console.log(sample(0, 0));", "return [sample(0, 0), sample(1, 2)];");
    // deno-lint-ignore no-explicit-any
    const AsyncFunction = (async () => {}).constructor as any;
    assert.deepEqual(await new AsyncFunction(body)(), [0.5, 5]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("the Python snippet reads little-endian floats in the plane's shape", () => {
  const program = snippet("python", "http://127.0.0.1:8767", channel, [2, 3]);
  assert.match(program, /urlopen\("http:\/\/127\.0\.0\.1:8767\/plane"\)/);
  assert.match(program, /dtype="<f4"\)\.reshape\(2, 3\)/);
  assert.match(program, /^# GCaMP 6f: 2 x 3/);
});
