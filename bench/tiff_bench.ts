/**
 * Time to open one plane of 2048 × 2048 uint16 samples, by codec: to copying as many bytes, and to geotiff's raster path
 * where it knows the codec.
 */
import { join } from "node:path";
import { fromFile } from "geotiff";
import { type BenchRow, best } from "./report.ts";
import { loadHere } from "../tests/load_here.ts";
import { pixels, TIFF_SAMPLES } from "./tiff_samples.ts";

const ROUNDS = 5;

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
    Deno.writeFileSync(path, bytes);
    const floats = new Float32Array(values.length);
    const readAndConvert = await best(ROUNDS, () => {
      const read = Deno.readFileSync(path);
      floats.set(new Uint16Array(read.buffer, 0, values.length));
    });
    for (const { name, geotiff, write } of TIFF_SAMPLES) {
      Deno.writeFileSync(path, await write(1));
      const milliseconds = await best(ROUNDS, () => loadHere(path));
      rows.push({
        group: "TIFF, 2048 x 2048 uint16",
        name,
        milliseconds,
        ratios: {
          "to copying": milliseconds / copy,
          ...(name === "none" ? { "to reading and converting": milliseconds / readAndConvert } : {}),
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
