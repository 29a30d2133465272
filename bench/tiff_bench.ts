/**
 * Time to open one plane of 2048 × 2048 uint16 samples, by codec: to copying as many bytes, and to geotiff's raster path
 * where it knows the codec. Codecs without an encoder at hand repeat one tile of the fixtures over the plane.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromFile } from "geotiff";
import { loadAcquisition } from "../readers/load.ts";
import { FileAccess } from "../readers/random_access.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/registry.ts";
import { compress, type TiffLayout, tiffOf } from "../tests/fixtures/tiff_writer.ts";
import { type BenchRow, best } from "./report.ts";

const SIZE = 2048;
const ROUNDS = 5;
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
function pixels(): Uint16Array<ArrayBuffer> {
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

async function open(path: string): Promise<void> {
  const files = new FileAccess();
  try {
    await loadAcquisition(
      { path, channelIndices: null, allowedExtensions: SUPPORTED_EXTENSIONS },
      files,
      () => Promise.resolve(),
    );
  } finally {
    files.close();
  }
}

async function withGeotiff(path: string): Promise<void> {
  const tiff = await fromFile(path);
  const image = await tiff.getImage();
  Float32Array.from((await image.readRasters())[0] as Uint16Array);
  tiff.close();
}

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  try {
    const values = pixels();
    const bytes = new Uint8Array(values.buffer);
    const target = new Uint8Array(bytes.length);
    const copy = await best(ROUNDS, () => target.set(bytes));
    const path = join(folder, "plane.tif");
    Deno.writeFileSync(path, tiffOf(PLAIN, [strips(values, "none")]));
    const floats = new Float32Array(values.length);
    const readAndConvert = await best(ROUNDS, () => {
      const read = Deno.readFileSync(path);
      floats.set(new Uint16Array(read.buffer, 8, values.length));
    });
    for (const codec of ["none", "deflate", "LZW", "zstd", "PackBits"] as const) {
      Deno.writeFileSync(path, tiffOf({ ...PLAIN, codec }, [strips(values, codec)]));
      const milliseconds = await best(ROUNDS, () => open(path));
      const geotiff = await best(2, () => withGeotiff(path));
      rows.push({
        group: "TIFF, 2048 x 2048 uint16",
        name: codec,
        milliseconds,
        ratios: {
          "to copying": milliseconds / copy,
          ...(codec === "none" ? { "to reading and converting": milliseconds / readAndConvert } : {}),
          "times faster than geotiff": geotiff / milliseconds,
        },
      });
    }
    for (const { name, file, compression, width, height, layout, geotiff } of TILES) {
      const tile = await storedStrip(file);
      const count = Math.ceil(SIZE / width) * Math.ceil(SIZE / height);
      const tiled = tiffOf(
        { ...PLAIN, ...layout, tile: [width, height] },
        [new Array<Uint8Array>(count).fill(tile)],
        // LERC without another codec inside, which geotiff wants to be told.
        [[259, 3, [compression]], ...(compression === 34887 ? [[50674, 4, [4, 0]] as const] : [])],
      );
      Deno.writeFileSync(path, tiled);
      const milliseconds = await best(2, () => open(path));
      rows.push({
        group: "TIFF, 2048 x 2048 uint16",
        name: `${name}, tiles of ${width} x ${height}`,
        milliseconds,
        ratios: {
          "to copying": milliseconds / copy,
          ...(geotiff
            ? { "times faster than geotiff": await best(2, () => withGeotiff(path)) / milliseconds }
            : {}),
        },
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}

if (import.meta.main) {
  const { printRows } = await import("./report.ts");
  printRows(await run());
}
