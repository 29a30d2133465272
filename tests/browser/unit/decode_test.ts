import assert from "node:assert/strict";
import { checkPlane, decodeFloat32 } from "../../../static/demo/v2/decode.js";

const plane = {
  shape: [2, 3],
  axes: [{ step: 1 }, { step: 0.5 }],
  servedDtype: "float32",
  encoding: "raw-f32-le",
  layout: "row-major",
};

// IEEE 754: 1 is 0x3f800000, -2.5 is 0xc0200000; the lowest byte comes first.
const BYTES = [0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x20, 0xc0];

Deno.test("samples are little-endian floats", () => {
  assert.deepEqual([...decodeFloat32(new Uint8Array(BYTES).buffer)], [1, -2.5]);
});

Deno.test("a big-endian machine sees the words in its own byte order", () => {
  const buffer = new Uint8Array(BYTES).buffer;
  decodeFloat32(buffer, false);
  assert.deepEqual([...new Uint8Array(buffer)], [0x3f, 0x80, 0x00, 0x00, 0xc0, 0x20, 0x00, 0x00]);
});

Deno.test("a plane that keeps the contract is taken", () => {
  assert.deepEqual(checkPlane(plane, { byteLength: 24 }), { rows: 2, columns: 3 });
});

Deno.test("what breaks the contract is named", () => {
  const cases: [object, number, RegExp][] = [
    [{}, 23, /byteLength is 23, 2 x 3 floats are 24/],
    [{ shape: [2] }, 24, /plane\.shape is \[2\]/],
    [{ shape: [2, 3, 1] }, 24, /plane\.shape/],
    [{ shape: [0, 3] }, 0, /plane\.shape is \[0,3\]/],
    [{ shape: [2, 1.5] }, 12, /plane\.shape/],
    [{ servedDtype: "float64" }, 24, /float64/],
    [{ encoding: "raw-f32-be" }, 24, /raw-f32-be/],
    [{ layout: "column-major" }, 24, /column-major/],
    [{ axes: [{ step: 1 }] }, 24, /plane\.axes/],
    [{ axes: [{ step: 1 }, { step: 0 }] }, 24, /plane\.axes/],
  ];
  for (const [change, byteLength, message] of cases) {
    assert.throws(() => checkPlane({ ...plane, ...change }, { byteLength }), (error: Error) => {
      assert(error instanceof RangeError);
      assert.match(error.message, message);
      return true;
    });
  }
});
