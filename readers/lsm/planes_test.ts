/** Offsets of strips in files above 4 GB, of which only the pages exist. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { CheckedSource } from "../io/byte_source.ts";
import { FileAccess } from "../io/random_access.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { type Dimensions, writtenOrder } from "./info_record.ts";
import { PageList } from "./planes.ts";

const GIB = 2 ** 30;

/** Zeros after some bytes. */
class LargeFile extends CheckedSource {
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
  const bytes = new Uint8Array(8 + places.length * 100);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  places.forEach((strips, page) => {
    const start = 8 + page * 100;
    view.setUint16(start, 4, true);
    const field = (index: number, tag: number, count: number, value: number) => {
      view.setUint16(start + 2 + 12 * index, tag, true);
      view.setUint16(start + 4 + 12 * index, 4, true);
      view.setUint32(start + 6 + 12 * index, count, true);
      view.setUint32(start + 10 + 12 * index, value, true);
    };
    field(0, 254, 1, page % 2);
    field(1, 256, 1, page % 2 ? 8 : 512);
    const numbers = (index: number, tag: number, values: readonly number[]) => {
      const at = start + 54 + 16 * (index - 2);
      field(index, tag, values.length, values.length === 1 ? values[0]! : at);
      if (values.length > 1) values.forEach((value, i) => view.setUint32(at + 4 * i, value, true));
    };
    numbers(2, 273, strips.map((at) => at % 2 ** 32));
    numbers(3, 279, strips.map((_, i) => page + 10 * i));
    view.setUint32(start + 50, page === places.length - 1 ? 0 : start + 100, true);
  });
  return new TiffFile(new LargeFile(bytes, size), new FileAccess());
}

function offsetsOf(places: readonly (readonly number[])[], size: number, change: Partial<Dimensions> = {}) {
  const tiff = fileOf(places, size);
  const pages = new PageList(tiff, places.length);
  const dimensions: Dimensions = {
    rows: "Y",
    T: 1,
    Z: pages.planes.length,
    P: 1,
    M: 1,
    warnings: [],
    ...change,
  };
  pages.unwrap(writtenOrder(dimensions), new FileAccess().stop);
  return places.map((_, page) => {
    const found = pages.strips(page);
    return found && [...found];
  });
}

Deno.test("offsets continue above 4 GB, also within a page", () => {
  const places = [[1 * GIB, 2 * GIB], [2.5 * GIB], [3 * GIB, 4 * GIB + 5], [5 * GIB], [6 * GIB, 7 * GIB], [
    7.5 * GIB,
  ]];
  deepEqual(offsetsOf(places, 8 * GIB + 1), places);
});

Deno.test("thumbnails may lie before their planes", () => {
  const places = [[2 * GIB], [1 * GIB], [3.5 * GIB], [3 * GIB], [5 * GIB], [4 * GIB + 1], [9 * GIB], [
    8 * GIB + 7,
  ]];
  deepEqual(offsetsOf(places, 10 * GIB), places);
});

Deno.test("pages are written time by time, over all positions, tiles and depths", () => {
  // Written every GIB + 1 bytes: time, position, tile, depth; stored by tile, position, time, depth.
  const [M, P, T, Z] = [2, 3, 2, 2];
  const places: number[][] = [];
  for (let m = 0; m < M; m += 1) {
    for (let p = 0; p < P; p += 1) {
      for (let t = 0; t < T; t += 1) {
        for (let z = 0; z < Z; z += 1) {
          const at = (((t * P + p) * M + m) * Z + z + 1) * (GIB + 1);
          places.push([at], [at + 100]);
        }
      }
    }
  }
  deepEqual(offsetsOf(places, 30 * GIB, { M, P, T, Z }), places);
});

Deno.test("up to 4 GB offsets are used as they are, in any order", () => {
  const places = [[3 * GIB], [1 * GIB], [2 * GIB], [100_000]];
  deepEqual(offsetsOf(places, 4 * GIB), places);
});

Deno.test("pages that were never written are missing, with all that follow", () => {
  deepEqual(offsetsOf([[1 * GIB], [2 * GIB], [0], [0], [3 * GIB], [4 * GIB]], 5 * GIB), [
    [1 * GIB],
    [2 * GIB],
    null,
    null,
    null,
    null,
  ]);
  equal(offsetsOf([[1 * GIB], [2 * GIB], [0, 0], [3 * GIB]], 4 * GIB)[2], null);
  throws(() => offsetsOf([[1 * GIB, 0]], 5 * GIB), /is 0 for some strips of a page/);
});
