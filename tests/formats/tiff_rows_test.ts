/** How much of a TIFF is read for some rows of a plane. */
import { equal, rejects } from "node:assert/strict";
import { FileAccess } from "../../readers/io/random_access.ts";
import { type Acquisition, FIRST_POSITION, type RowRange } from "../../readers/reader.ts";
import { entryAt, grayLayout, tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { openHere } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";

/** Bytes that a plan for these rows of the first channel reads. */
function costOf(bytes: Uint8Array, rows?: RowRange): Promise<number> {
  const files = new FileAccess();
  const cost = async (acquisition: Acquisition) => {
    const plan = await acquisition.plan([0], FIRST_POSITION, rows);
    const { start, end } = plan.filled ?? { start: 0, end: plan.rows };
    const before = files.counts.bytes;
    await plan.decode([new Float32Array((end - start) * plan.columns)]);
    return files.counts.bytes - before;
  };
  return withFiles({ "a.tif": bytes }, (path) => openHere(path, cost, null, files));
}

const written = (layout: TiffLayout) => tiffBytes(layout, (x, y) => BigInt((x * 7 + y * 3) % 251));

Deno.test("reads only the bytes of requested rows of uncompressed samples", async () => {
  // 16 bits: a row of 40 columns has 80 bytes.
  const strips = { ...grayLayout(40, 30, 16), rowsPerStrip: 7 };
  for (const layout of [strips, { ...strips, rowsPerStrip: 30 }, { ...strips, rowsPerStrip: 1 }]) {
    equal(await costOf(written(layout), { start: 6, end: 16 }), 800);
    equal(await costOf(written(layout), { start: 29, end: 30 }), 80);
    equal(await costOf(written(layout)), 2400);
  }
  // Three tiles across, whose rows have 16 columns each.
  const tiles: TiffLayout = { ...strips, tile: [16, 16] };
  equal(await costOf(written(tiles), { start: 15, end: 17 }), 2 * 3 * 32);
});

Deno.test("reads only the strips with requested rows of compressed samples", async () => {
  const layout: TiffLayout = { ...grayLayout(40, 30, 16), rowsPerStrip: 10, codec: "deflate" };
  const bytes = written(layout);
  const view = new DataView(bytes.buffer);
  // The lengths of the three strips stand where tag 279 says.
  const at = view.getUint32(entryAt(bytes, 279) + 8, true);
  const [first, second, third] = [0, 4, 8].map((i) => view.getUint32(at + i, true));
  equal(await costOf(bytes, { start: 0, end: 10 }), first);
  equal(await costOf(bytes, { start: 9, end: 11 }), first! + second!);
  equal(await costOf(bytes, { start: 29, end: 30 }), third);
});

Deno.test("rejects only the rows of a damaged strip", async () => {
  const bytes = written({ ...grayLayout(40, 30, 16), rowsPerStrip: 10 });
  const view = new DataView(bytes.buffer);
  // The last strip begins at the end of the file.
  view.setUint32(view.getUint32(entryAt(bytes, 273) + 8, true) + 8, bytes.length, true);
  equal(await costOf(bytes, { start: 0, end: 20 }), 1600);
  await rejects(costOf(bytes, { start: 19, end: 21 }), /strip 2 at \d+ \+ 800 ends after the file/);
  await rejects(costOf(bytes), /strip 2 at/);
});
