import { deepEqual, equal, throws } from "node:assert/strict";
import {
  entryAt,
  type Field,
  grayLayout,
  type TiffLayout,
  tiffOf,
} from "../../tests/fixtures/tiff_writer.ts";
import type { Codec } from "../codecs/segment.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { FileAccess } from "../io/file_access.ts";
import { type PageLayout, readPage } from "./page.ts";
import { SegmentTable } from "./segment_table.ts";
import { TiffFile } from "./tiff_file.ts";

const GRAY = grayLayout(6, 4, 16);

const STRIP = new Uint8Array(0);

/** What a page of `strips` empty strips says with these fields over its own. */
function page(
  fields: readonly Field[],
  { strips = 1, change = (_: Uint8Array<ArrayBuffer>) => {}, layout = GRAY } = {},
): PageLayout {
  const bytes = tiffOf(layout, [Array.from({ length: strips }, () => STRIP.slice())], fields);
  change(bytes);
  return readPage(new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess()).first);
}

/** Takes a tag out of a page: its field gets a number that nothing reads. */
const without = (...tags: number[]) => (bytes: Uint8Array<ArrayBuffer>) => {
  for (const tag of tags) new DataView(bytes.buffer).setUint16(entryAt(bytes, tag), 65_000, true);
};

Deno.test("bounds a plane at 2^30 samples and a pixel at 1,000", () => {
  const square = (width: number): Field[] => [[256, 4, [width]], [257, 4, [32_768]], [278, 4, [32_768]]];
  equal(page(square(32_768)).width, 32_768);
  throws(() => page(square(32_769)), /declares 32769 x 32768 pixels, more than 1073741824/);
  equal(page([[277, 3, [1000]]]).bits.length, 1000);
  for (const tag of [256, 257, 277]) throws(() => page([[tag, 4, [0]]]), new RegExp(`\\(${tag}\\) of 0`));
  throws(() => page([[277, 3, [1001]]]), /SamplesPerPixel \(277\) is 1001, more than 1000/);
});

Deno.test("bounds a page at 2^22 strips", () => {
  const rows = (count: number) =>
    page([[256, 4, [1]], [257, 4, [count]], [278, 4, [1]]], {
      change: (bytes) => new DataView(bytes.buffer).setUint32(entryAt(bytes, 273) + 4, count, true),
    });
  equal(rows(1 << 22).down, 1 << 22);
  throws(() => rows((1 << 22) + 1), /StripOffsets \(273\) has 4194305 values, more than 4194304/);
});

Deno.test("serves samples as the next wider type", () => {
  // The bits up to which each type is served, by kind of sample: SampleFormat 1 unsigned, 2 signed.
  const types = [
    [1, "bool", null],
    [8, "uint8", "int8"],
    [16, "uint16", "int16"],
    [32, "uint32", "int32"],
    [64, "uint64", "int64"],
  ] as const;
  for (let bits = 1; bits <= 64; bits += 1) {
    const [, unsigned, signed] = types.find(([most]) => bits <= most)!;
    equal(page([[258, 3, [bits]]]).sampleType, unsigned, `${bits}`);
    const read = () => page([[258, 3, [bits]], [339, 3, [2]]]).sampleType;
    if (signed === null) throws(read, /BitsPerSample \(258\) is 1; integers of 2 to 64 bits are read/);
    else equal(read(), signed, `${bits}`);
  }
  for (const bits of [0, 65]) throws(() => page([[258, 3, [bits]]]), /integers of 1 to 64 bits are read/);
  const floats = new Map([[16, "float16"], [24, "float32"], [32, "float32"], [64, "float64"]]);
  for (let bits = 1; bits <= 65; bits += 1) {
    const read = () => page([[258, 3, [bits]], [339, 3, [3]]]).sampleType;
    if (floats.has(bits)) equal(read(), floats.get(bits));
    else throws(read, /floats of 16, 24, 32 and 64 bits are read/);
  }
  // Void is served as unsigned; where the samples differ, the widest of them counts.
  equal(page([[339, 3, [4]]]).kind, "uint");
  equal(page([[277, 3, [3]], [258, 3, [8, 17, 8]]]).sampleType, "uint32");
  throws(() => page([[277, 3, [2]], [339, 3, [1, 2]]]), /SampleFormat \(339\) is 1, 2; integers/);
});

Deno.test("reads separate strips per sample if PlanarConfiguration is 2", () => {
  const planar = (samples: number, value: number, strips: number) =>
    page([[277, 3, [samples]], [258, 3, [16]], [339, 3, [1]], [284, 3, [value]]], { strips });
  equal(planar(1, 2, 1).planar, false);
  equal(planar(2, 1, 1).planar, false);
  equal(planar(2, 2, 2).planar, true);
  throws(() => planar(2, 2, 1), /StripOffsets \(273\) has 1 values; 2 are needed/);
  for (const value of [0, 3]) throws(() => planar(1, value, 1), /PlanarConfiguration \(284\) is \d, neither/);
});

Deno.test("takes rows per strip as stated, or all if missing or if each sample has one strip", () => {
  const rows = (stated: number, strips: number, ...fields: Field[]) => {
    const { segmentHeight, down } = page([[278, 4, [stated]], ...fields], { strips });
    return [segmentHeight, down];
  };
  deepEqual(rows(1, 4), [1, 4]);
  deepEqual(rows(3, 2), [3, 2]);
  deepEqual(rows(4, 1), [4, 1]);
  deepEqual(rows(2 ** 32 - 1, 1), [4, 1]);
  deepEqual(rows(3, 1), [4, 1]);
  const samples: Field[] = [[277, 3, [3]], [258, 3, [16]], [339, 3, [1]]];
  deepEqual(rows(2, 3, ...samples, [284, 3, [2]]), [4, 1]);
  deepEqual(rows(2, 6, ...samples, [284, 3, [2]]), [2, 2]);
  throws(() => rows(1, 3), /StripOffsets \(273\) has 3 values; 4 are needed for 6 x 4 pixels/);
  const absent = page([], { change: without(278) });
  deepEqual([absent.segmentHeight, absent.down], [4, 1]);
  throws(() => page([], { change: without(273) }), /lacks StripOffsets \(273\)/);
});

Deno.test("reads three JPEG samples without a photometric interpretation as YCbCr", () => {
  const photometric = (samples: number, compression: number) =>
    page([[277, 3, [samples]], [258, 3, [8]], [259, 3, [compression]]], { change: without(262) }).photometric;
  deepEqual([photometric(3, 7), photometric(1, 7), photometric(3, 1)], [6, 1, 1]);
});

Deno.test("accepts tiles listed as strips, but not without their size", () => {
  const layout: TiffLayout = { ...GRAY, tile: [4, 4] };
  const tiles = (change: (bytes: Uint8Array<ArrayBuffer>) => void) => {
    const { tiled, segmentWidth, segmentHeight, across, down } = page([], { strips: 2, layout, change });
    return [tiled, segmentWidth, segmentHeight, across, down];
  };
  deepEqual(tiles(() => {}), [true, 4, 4, 2, 1]);
  // As libtiff takes them (tif_dirread.c): the tags of strips and of tiles mean the same.
  deepEqual(
    tiles((bytes) => {
      const view = new DataView(bytes.buffer);
      for (const [tile, strip] of [[324, 273], [325, 279]]) {
        view.setUint16(entryAt(bytes, tile!), strip!, true);
      }
    }),
    [true, 4, 4, 2, 1],
  );
  throws(() => tiles(without(322)), /lacks TileWidth \(322\)/);
  throws(() => tiles(without(323)), /lacks TileLength \(323\)/);
  throws(() => tiles(without(324)), /lacks StripOffsets \(273\)/);
});

Deno.test("rejects subsampled chroma outside JPEG", () => {
  const ycbcr = (photometric: number, compression: number, ...factors: number[]) => () =>
    page([[277, 3, [3]], [258, 3, [8]], [339, 3, [1]], [262, 3, [photometric]], [259, 3, [compression]], [
      530,
      3,
      factors,
    ]]);
  for (const factors of [[2, 1], [1, 2], [2, 2]]) {
    throws(ycbcr(6, 1, ...factors), /YCbCrSubSampling \(530\) is \d, \d without JPEG/);
    ycbcr(6, 7, ...factors)();
    ycbcr(2, 1, ...factors)();
  }
  ycbcr(6, 1, 1, 1)();
});

/** A codec without a limit to what it gives. */
const CODEC: Codec = {
  title: "anything",
  image: false,
  bitOrder: false,
  maxExpansion: Infinity,
  workingBytes: () => 0,
  decode: (input) => input,
};

Deno.test("bounds a compressed tile at 2^31 - 1 declared bytes", () => {
  const layout: TiffLayout = { ...grayLayout(5, 1, 8), tile: [16, 1], codec: "deflate" };
  const bytes = tiffOf(layout, [[new Uint8Array(9)]], [[322, 4, [0]], [323, 4, [0]]]);
  const check = (width: number, rows = 1) => {
    const view = new DataView(bytes.buffer);
    view.setUint32(entryAt(bytes, 322) + 8, width, true);
    view.setUint32(entryAt(bytes, 323) + 8, rows, true);
    const tiff = new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess());
    new SegmentTable({ tiff, page: readPage(tiff.first) }, [{ sample: 0, target: 0 }], CODEC);
  };
  check(2 ** 31 - 1);
  check(2 ** 30 - 1, 2);
  throws(() => check(2 ** 30, 2), /tile 0 declares 2147483648 bytes, more than 2147483647/);
  throws(() => check(2 ** 31), /tile 0 declares 2147483648 bytes, more than 2147483647/);
});
