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

/** Fixtures in one strip: file, Compression, columns, rows, bits. */
const TILES = [
  ["LZMA", "lzma_large.tif", 34925, 192, 640, 16],
  ["LERC", "lerc_i2.tif", 34887, 50, 40, 16],
  ["JPEG 2000", "jpeg2000_u2.tif", 34712, 50, 40, 16],
  ["lossless JPEG", "jpeg_lossless_16_1.tif", 7, 34, 21, 16],
  ["JPEG, 12 bit", "jpeg_12.tif", 7, 50, 40, 12],
] as const;

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
    for (const [name, file, compression, width, height, bits] of TILES) {
      const tile = await storedStrip(file);
      const count = Math.ceil(SIZE / width) * Math.ceil(SIZE / height);
      const layout: TiffLayout = { ...PLAIN, bits, tile: [width, height] };
      const kind = file === "lerc_i2.tif" ? "int" : "uint";
      const tiled = tiffOf({ ...layout, kind }, [new Array<Uint8Array>(count).fill(tile)], [[259, 3, [
        compression,
      ]]]);
      Deno.writeFileSync(path, tiled);
      const milliseconds = await best(2, () => open(path));
      rows.push({
        group: "TIFF, 2048 x 2048 uint16",
        name: `${name}, tiles of ${width} x ${height}`,
        milliseconds,
        ratios: { "to copying": milliseconds / copy },
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
