/** Planes as chunks of a written image. */
import assert from "node:assert/strict";
import { zstdDecompressSync } from "node:zlib";
import { packPlane } from "./packed_plane.ts";

Deno.test("keeps the sign and payload of a float16 NaN", () => {
  // IEEE 754: 1 + 5 + 10 bits hold the sign, the exponent and the upper 10 of the 23 bits of the fraction.
  const bits = [0x7fc00000, 0xffc06000, 0x7fe02000, 0x80000000, 0x3f800000];
  const plane = new Float32Array(Uint32Array.from(bits).buffer);
  const layout = { sampleType: "float16", rows: 1, columns: 5, chunkRows: 1 } as const;
  const [chunk] = packPlane(plane, layout);
  const view = new DataView(Uint8Array.from(zstdDecompressSync(chunk!)).buffer);
  const written = bits.map((_, i) => view.getUint16(2 * i, true));
  assert.deepEqual(written, [0x7e00, 0xfe03, 0x7f01, 0x8000, 0x3c00]);
});
