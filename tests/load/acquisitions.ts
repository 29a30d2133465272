/** Files whose every sample is known by a formula, for clients that check each byte they get. */
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { lineScan } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { type TiffLayout, tiffOf } from "../fixtures/tiff_writer.ts";

/** One path and the planes that it must give. */
export interface KnownAcquisition {
  readonly path: string;
  /** Samples of each channel, and of the reference image where there is one. */
  readonly planes: readonly Float32Array<ArrayBuffer>[];
  readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
}

const layout = (rows: number, columns: number, codec: TiffLayout["codec"]): TiffLayout => ({
  littleEndian: true,
  bigTiff: false,
  width: columns,
  height: rows,
  samples: 1,
  bits: 16,
  kind: "uint",
  planar: false,
  rowsPerStrip: 16,
  tile: null,
  predictor: 1,
  codec,
  fillOrder: 1,
});

/** A one-page TIFF of these samples in strips of 16 rows. */
export function tiffFile(samples: Uint16Array<ArrayBuffer>, columns: number, deflated = false): Uint8Array {
  const rows = samples.length / columns;
  const bytes = new Uint8Array(samples.buffer);
  const length = 2 * 16 * columns;
  const strips = Array.from({ length: Math.ceil(rows / 16) }, (_, i) => {
    const strip = bytes.subarray(i * length, (i + 1) * length);
    return deflated ? deflateSync(strip) : strip;
  });
  return tiffOf(layout(rows, columns, deflated ? "deflate" : "none"), [strips]);
}

/** A stack along `Z`, each plane compressed in strips of 16 rows, and the samples of its planes. */
export interface KnownStack {
  readonly path: string;
  readonly planes: readonly Float32Array<ArrayBuffer>[];
}

/** Writes a stack of so many planes. */
export async function knownStack(folder: string, planes: number): Promise<KnownStack> {
  const [rows, columns] = [100, 80];
  const samples = Array.from({ length: planes }, (_, plane) => ramp(rows, columns, 13 * plane));
  const length = 2 * 16 * columns;
  const pages = samples.map(({ buffer }) =>
    Array.from(
      { length: Math.ceil(rows / 16) },
      (_, i) => deflateSync(new Uint8Array(buffer).subarray(i * length, (i + 1) * length)),
    )
  );
  const path = join(folder, "stack.tif");
  await Deno.writeFile(path, tiffOf(layout(rows, columns, "deflate"), pages));
  return { path, planes: samples.map((plane) => Float32Array.from(plane)) };
}

/** One acquisition of each format, and one whose plane takes many chunks to send. */
export async function knownAcquisitions(folder: string): Promise<KnownAcquisition[]> {
  const floats = (samples: Uint16Array) => Float32Array.from(samples);
  const known: KnownAcquisition[] = [];
  for (const deflated of [false, true]) {
    const path = join(folder, deflated ? "deflated.tif" : "raw.tif");
    const samples = ramp(200, 150, deflated ? 5 : 0);
    await Deno.writeFile(path, tiffFile(samples, 150, deflated));
    known.push({ path, planes: [floats(samples)], referencePlanes: [] });
  }
  for (const [name, rows, columns] of [["small", 60, 50], ["large", 1200, 1024]] as const) {
    const path = join(folder, `${name}.ome.zarr`);
    const planes = [ramp(rows, columns, 1), ramp(rows, columns, 9), ramp(rows, columns, 70)];
    await writePlainStore(path, { planes, rows, columns });
    known.push({ path, planes: planes.map(floats), referencePlanes: [] });
  }
  const scan = lineScan(300);
  const path = join(folder, "scan.oir");
  await Deno.writeFile(path, writeOir(scan));
  known.push({
    path,
    planes: scan.frames[0]!.planes.map((plane) => Float32Array.from(plane!)),
    referencePlanes: Object.values(scan.reference!.planes).map((plane) => Float32Array.from(plane)),
  });
  return known;
}

/** Files that no reader takes, with the code that each must be answered with. */
export async function badFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const whole = tiffFile(ramp(100, 80), 80);
  const files: [string, Uint8Array, string][] = [
    ["empty.tif", new Uint8Array(), "decode_failed"],
    ["cut.tif", whole.subarray(0, whole.length - 300), "decode_failed"],
    ["text.oir", new TextEncoder().encode("no image"), "decode_failed"],
    ["notes.txt", new TextEncoder().encode("no image"), "unsupported_format"],
  ];
  for (const [name, bytes] of files) await Deno.writeFile(join(folder, name), bytes);
  return new Map([
    ...files.map(([name, , code]): [string, string] => [join(folder, name), code]),
    [join(folder, "missing.tif"), "path_not_found"],
    [folder, "unsupported_format"],
  ]);
}
