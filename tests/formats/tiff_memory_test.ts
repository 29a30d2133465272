/** Decoders in WebAssembly: what they may take is known, and bounded, before they begin. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { planHere } from "../load_here.ts";

/** The plan of a fixture; nothing is decoded. */
const planOf = (name: string) =>
  planHere(fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url)));

Deno.test("rejects a strip that would keep a decoder busy for too long", async (t) => {
  const rows = [
    [
      "jpeg2000_bomb.tif",
      /a strip of JPEG 2000 has 144000000 samples in 589 bytes; at most 33554432 in 50331648/,
    ],
    ["lerc_bomb.tif", /a strip of LERC has 144000000 samples in 70 bytes; at most 67108864 in 536870912/],
    ["webp_bomb.tif", /a strip of WebP has 432000000 samples in 5558 bytes; at most 134217728 in 268435456/],
  ] as const;
  for (const [name, message] of rows) {
    await t.step(name, () => assert.rejects(planOf(name), { tag: "decode_failed", message }));
  }
});

Deno.test("plans the memory of a decoder, at least that of the picture", async (t) => {
  // Bytes that each decoder is known to hold at once: 4 a sample (JPEG 2000), 4 and a mask (LERC), 4 a pixel twice (WebP).
  const rows = [
    ["jpeg2000_largest.tif", 5792 * 5792, 4, false],
    // Its package keeps one instance for ever, which goes with the worker.
    ["lerc_largest.tif", 8192 * 8192, 5, true],
    ["webp_largest.tif", 6688 * 6688, 8, false],
  ] as const;
  for (const [name, pixels, least, endsWithWorker] of rows) {
    await t.step(name, async () => {
      const { working } = await planOf(name);
      assert.equal(working.endsWithWorker, endsWithWorker);
      assert.ok(working.bytes >= least * pixels, `${working.bytes}`);
      assert.ok(working.bytes <= 40 * pixels, `${working.bytes}`);
    });
  }
});

Deno.test("plans a tile far larger than the picture with its own size", async () => {
  const { bytes, working } = await planOf("zstd_tile_bomb.tif");
  assert.equal(bytes, 4 * 8 * 8);
  assert.ok(working.bytes >= 16_384 * 16_384);
  assert.equal(working.endsWithWorker, false);
});
