import { doesNotThrow, throws } from "node:assert/strict";
import { entryAt, grayLayout, type TiffLayout, tiffOf } from "../../tests/fixtures/tiff_writer.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import type { Codec } from "../codecs/segment.ts";
import { FileAccess } from "../io/random_access.ts";
import { readPage } from "./page.ts";
import { SegmentTable } from "./segment_table.ts";
import { TiffFile } from "./tiff_file.ts";

/** A codec without a limit to what it gives. */
const CODEC: Codec = {
  title: "anything",
  image: false,
  bitOrder: false,
  maxExpansion: Infinity,
  workingBytes: () => 0,
  decode: (input) => input,
};

Deno.test("a compressed tile declares 2^31 - 1 bytes at most", () => {
  const layout: TiffLayout = { ...grayLayout(5, 1, 8), tile: [16, 1], codec: "deflate" };
  const bytes = tiffOf(layout, [[new Uint8Array(9)]], [[322, 4, [0]], [323, 4, [0]]]);
  const check = (width: number, rows = 1) => {
    const view = new DataView(bytes.buffer);
    view.setUint32(entryAt(bytes, 322) + 8, width, true);
    view.setUint32(entryAt(bytes, 323) + 8, rows, true);
    const tiff = new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess());
    new SegmentTable({ tiff, page: readPage(tiff.first) }, CODEC).check([{ sample: 0 }], CODEC);
  };
  doesNotThrow(() => check(2 ** 31 - 1));
  doesNotThrow(() => check(2 ** 30 - 1, 2));
  throws(() => check(2 ** 30, 2), /tile 0 declares 2147483648 bytes, more than 2147483647/);
  throws(() => check(2 ** 31), /tile 0 declares 2147483648 bytes, more than 2147483647/);
});
