/** Pages of LSM files: offsets of strips above 4 GB, where only the pages exist, and types of samples. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { type Field, grayLayout, tiffOf } from "../../tests/fixtures/tiff_writer.ts";
import { ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { FileAccess } from "../io/file_access.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { type Dimensions, orderAsWritten } from "./info_record.ts";
import { PageList, readLsmPage } from "./planes.ts";

const GIB = 2 ** 30;

/** Zeros after some bytes. */
class LargeFile extends ByteSource {
  readonly name = "the file";
  readonly size: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, size: number) {
    super();
    this.#bytes = bytes;
    this.size = size;
  }

  readInto(offset: number, target: Uint8Array): void {
    target.fill(0);
    target.set(this.#bytes.subarray(offset, offset + target.length));
  }
}

/** Pages with strips at some places, every second one a thumbnail. Offsets keep their low 32 bits. */
function fileOf(places: readonly (readonly number[])[], size: number): TiffFile {
  const strip = new Uint8Array(0);
  const bytes = tiffOf(grayLayout(512, 1, 8), places.map((strips) => strips.map(() => strip)), (page) => [
    [254, 4, [page % 2]],
    [273, 4, places[page]!.map((at) => at % 2 ** 32)],
  ]);
  return new TiffFile(new LargeFile(bytes, size), new FileAccess());
}

function offsetsOf(places: readonly (readonly number[])[], size: number, change: Partial<Dimensions> = {}) {
  const tiff = fileOf(places, size);
  const pages = new PageList(tiff, places.length);
  const sizes = { T: 1, Z: pages.planes.length, P: 1, M: 1, ...change };
  const dimensions: Dimensions = { rows: "Y", ...sizes, warnings: [] };
  pages.unwrap(orderAsWritten(dimensions), new FileAccess().stop);
  return places.map((_, page) => {
    const found = pages.strips(page);
    return found && [...found];
  });
}

Deno.test("continues offsets above 4 GB, also within a page", () => {
  const first = [[1 * GIB, 2 * GIB], [2.5 * GIB], [3 * GIB, 4 * GIB + 5]];
  const places = [...first, [5 * GIB], [6 * GIB, 7 * GIB], [7.5 * GIB]];
  deepEqual(offsetsOf(places, 8 * GIB + 1), places);
});

Deno.test("accepts thumbnails before their planes", () => {
  const first = [[2 * GIB], [1 * GIB], [3.5 * GIB], [3 * GIB]];
  const places = [...first, [5 * GIB], [4 * GIB + 1], [9 * GIB], [8 * GIB + 7]];
  deepEqual(offsetsOf(places, 10 * GIB), places);
});

Deno.test("orders pages by time, then positions, tiles and depths", () => {
  // Written every GIB + 1 bytes: time, position, tile, depth; stored by tile, position, time, depth.
  const [M, P, T, Z] = [2, 3, 2, 2];
  const places = Array.from({ length: M * P * T * Z }, (_, plane) => {
    const [z, t, p, m] = [
      plane % Z,
      Math.floor(plane / Z) % T,
      Math.floor(plane / Z / T) % P,
      Math.floor(plane / Z / T / P),
    ];
    const at = (((t * P + p) * M + m) * Z + z + 1) * (GIB + 1);
    return [[at], [at + 100]];
  }).flat();
  deepEqual(offsetsOf(places, 30 * GIB, { M, P, T, Z }), places);
});

Deno.test("takes offsets up to 4 GB as they are, in any order", () => {
  const places = [[3 * GIB], [1 * GIB], [2 * GIB], [100_000]];
  deepEqual(offsetsOf(places, 4 * GIB), places);
});

Deno.test("treats unwritten pages and all following ones as missing", () => {
  const written = [[1 * GIB], [2 * GIB]];
  deepEqual(
    offsetsOf([...written, [0], [0], [3 * GIB], [4 * GIB]], 5 * GIB),
    [...written, null, null, null, null],
  );
  equal(offsetsOf([[1 * GIB], [2 * GIB], [0, 0], [3 * GIB]], 4 * GIB)[2], null);
  throws(() => offsetsOf([[1 * GIB, 0]], 5 * GIB), /is 0 for some strips of a page/);
});

/** The sample types of a page of three channels with these fields. */
function typesOf(...fields: Field[]): string[] {
  const layout = { ...grayLayout(6, 4, 32), samples: 3, planar: true };
  const bytes = tiffOf(layout, [[0, 1, 2].map(() => new Uint8Array(96))], fields);
  const tiff = new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess());
  return readLsmPage(tiff, tiff.first).samples.map(({ sampleType }) => sampleType);
}

Deno.test("reads one sample type per channel, or the first for all", () => {
  deepEqual(typesOf([339, 3, [1, 2, 3]]), ["uint32", "int32", "float32"]);
  deepEqual(typesOf([339, 3, [2]]), ["int32", "int32", "int32"]);
  deepEqual(typesOf([258, 3, [8, 16, 8]], [339, 3, [1]]), ["uint8", "uint16", "uint8"]);
});

Deno.test("requires one sample type for interleaved channels", () => {
  const interleaved: Field[] = [[284, 3, [1]], [273, 4, [8]], [279, 4, [288]]];
  deepEqual(typesOf(...interleaved, [339, 3, [1, 1, 1]]), ["uint32", "uint32", "uint32"]);
  for (const field of [[258, 3, [8, 16, 8]], [339, 3, [1, 2, 1]]] as Field[]) {
    throws(() => typesOf(...interleaved, field), /has interleaved samples of several types/);
  }
});

Deno.test("orders planes by time, position, tile and focus", () => {
  const dimensions: Dimensions = { rows: "Y", T: 2, Z: 2, P: 2, M: 2, warnings: [] };
  // Numbered by scene (tile 0 at both positions, then tile 1), time and focus.
  deepEqual([...orderAsWritten(dimensions)], [0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15]);
});
