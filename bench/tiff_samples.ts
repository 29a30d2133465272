/**
 * Planes of 2048 x 2048 samples in TIFF, by codec. Codecs without an encoder at hand repeat one tile of the fixtures over
 * the plane.
 */
import { fileURLToPath } from "node:url";
import { fromFile } from "geotiff";
import { compress, type TiffLayout, tiffOf } from "../tests/fixtures/tiff_writer.ts";

export const SIZE = 2048;
const ROWS = 64;

const PLAIN: TiffLayout = {
  littleEndian: true,
  bigTiff: false,
  width: SIZE,
  height: SIZE,
  samples: 1,
  bits: 16,
  kind: "uint",
  planar: false,
  rowsPerStrip: ROWS,
  tile: null,
  predictor: 1,
  codec: "none",
  fillOrder: 1,
};

/** A smooth picture with noise in the lowest bits, as a camera gives. */
export function pixels(): Uint16Array<ArrayBuffer> {
  const values = new Uint16Array(SIZE * SIZE);
  let state = 1;
  for (let i = 0; i < values.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = 900 + 800 * Math.sin(i % SIZE / 90) * Math.cos(i / SIZE / 70) + (state >>> 28);
  }
  return values;
}

function strips(values: Uint16Array<ArrayBuffer>, codec: TiffLayout["codec"]): Uint8Array[] {
  const bytes = new Uint8Array(values.buffer);
  const length = ROWS * SIZE * 2;
  return Array.from(
    { length: SIZE / ROWS },
    (_, i) => compress(bytes.subarray(i * length, (i + 1) * length), codec),
  );
}

/** A fixture whose first strip is repeated as a tile; `geotiff` where that package decodes it too. */
interface RepeatedTile {
  readonly name: string;
  readonly file: string;
  readonly compression: number;
  readonly width: number;
  readonly height: number;
  readonly layout: Partial<TiffLayout>;
  readonly geotiff?: true;
}

const BITS_8 = { bits: 8 } as const;

const TILES: readonly RepeatedTile[] = [
  { name: "LZMA", file: "lzma_large.tif", compression: 34925, width: 192, height: 640, layout: {} },
  {
    name: "LERC",
    file: "lerc_i2.tif",
    compression: 34887,
    width: 50,
    height: 40,
    layout: { kind: "int" },
    geotiff: true,
  },
  { name: "JPEG 2000", file: "jpeg2000_u2.tif", compression: 34712, width: 50, height: 40, layout: {} },
  {
    name: "lossless JPEG",
    file: "jpeg_lossless_16_1.tif",
    compression: 7,
    width: 34,
    height: 21,
    layout: {},
  },
  { name: "JPEG, 12 bit", file: "jpeg_12.tif", compression: 7, width: 50, height: 40, layout: { bits: 12 } },
  {
    name: "JPEG, 8 bit",
    file: "jpeg_restart.tif",
    compression: 7,
    width: 51,
    height: 45,
    layout: BITS_8,
    geotiff: true,
  },
  {
    name: "WebP, RGB",
    file: "webp_lossless.tif",
    compression: 50001,
    width: 50,
    height: 40,
    layout: { ...BITS_8, samples: 3 },
  },
  {
    name: "CCITT Group 4",
    file: "ccitt_g4.tif",
    compression: 4,
    width: 75,
    height: 60,
    layout: { bits: 1 },
  },
];

/** The first strip of a fixture. */
async function storedStrip(file: string): Promise<Uint8Array> {
  const path = fileURLToPath(new URL(`../tests/fixtures/tiff/${file}`, import.meta.url));
  const tiff = await fromFile(path);
  const directory = (await tiff.getImage()).getFileDirectory();
  const [offset] = await directory.loadValue("StripOffsets") as ArrayLike<number> & number[];
  const [length] = await directory.loadValue("StripByteCounts") as ArrayLike<number> & number[];
  tiff.close();
  return Deno.readFileSync(path).slice(offset, offset! + length!);
}

/** One codec, and files that use it. */
export interface TiffSample {
  readonly name: string;
  /** Whether geotiff decodes it too. */
  readonly geotiff: boolean;
  /** A file of one plane, or of several that are stored apart from each other. */
  write(planes: number): Promise<Uint8Array>;
}

const repeated = <T>(items: readonly T[], times: number): T[] => new Array(times).fill(items).flat();

/** All codecs of the build. */
export const TIFF_SAMPLES: readonly TiffSample[] = [
  ...(["none", "deflate", "LZW", "zstd", "PackBits"] as const).map((codec): TiffSample => ({
    name: codec,
    geotiff: true,
    write: (planes) =>
      Promise.resolve(tiffOf(
        { ...PLAIN, codec, samples: planes, planar: planes > 1 },
        [repeated(strips(pixels(), codec), planes)],
      )),
  })),
  ...TILES.map(({ name, file, compression, width, height, layout, geotiff = false }): TiffSample => ({
    name: `${name}, tiles of ${width} x ${height}`,
    geotiff,
    async write(planes) {
      const samples = layout.samples ?? planes;
      return tiffOf(
        {
          ...PLAIN,
          ...layout,
          samples,
          planar: layout.samples === undefined && planes > 1,
          tile: [width, height],
        },
        [repeated(
          [await storedStrip(file)],
          Math.ceil(SIZE / width) * Math.ceil(SIZE / height) * (layout.samples === undefined ? planes : 1),
        )],
        // LERC without another codec inside, which geotiff wants to be told.
        [[259, 3, [compression]], ...(compression === 34887 ? [[50674, 4, [4, 0]] as const] : [])],
      );
    },
  })),
];
