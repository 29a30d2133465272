import { deepEqual, throws } from "node:assert/strict";
import { type Field, grayLayout, tiffOf } from "../../tests/fixtures/tiff_writer.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { FileAccess } from "../io/random_access.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { readLsmPage } from "./lsm_page.ts";

/** The sample types of a page of three channels with these fields. */
function typesOf(...fields: Field[]): string[] {
  const layout = { ...grayLayout(6, 4, 32), samples: 3, planar: true };
  const bytes = tiffOf(layout, [[0, 1, 2].map(() => new Uint8Array(96))], fields);
  const tiff = new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess());
  return readLsmPage(tiff, tiff.first).samples.map(({ sampleType }) => sampleType);
}

Deno.test("each channel has its own type, or all have the first", () => {
  deepEqual(typesOf([339, 3, [1, 2, 3]]), ["uint32", "int32", "float32"]);
  deepEqual(typesOf([339, 3, [2]]), ["int32", "int32", "int32"]);
  deepEqual(typesOf([258, 3, [8, 16, 8]], [339, 3, [1]]), ["uint8", "uint16", "uint8"]);
});

Deno.test("interleaved channels have one type", () => {
  const interleaved: Field[] = [[284, 3, [1]], [273, 4, [8]], [279, 4, [288]]];
  deepEqual(typesOf(...interleaved, [339, 3, [1, 1, 1]]), ["uint32", "uint32", "uint32"]);
  for (const field of [[258, 3, [8, 16, 8]], [339, 3, [1, 2, 1]]] as Field[]) {
    throws(() => typesOf(...interleaved, field), /has interleaved samples of several types/);
  }
});
