/** Scenes whose planes are known, for clients that check each byte they get, and files that no reader takes. */
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Position } from "../../readers/reader.ts";
import { expectedFiles, FIXTURES, FOLDERS } from "../fixtures/expected.ts";
import { frame, lineScan, ramp as ramp16 } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { hashOf, placeOf } from "../planes.ts";

export interface KnownImage {
  /** The folder of a fixture, which is of one format; what was written here has names of its own. */
  readonly format: string;
  readonly path: string;
  readonly scene: number;
  readonly planes: readonly KnownPlane[];
  /** Of the reference image, in the order of its channels. */
  readonly references: readonly Samples[];
}

type Samples = Float32Array<ArrayBuffer>;

export interface KnownPlane extends Position {
  readonly channel: number;
  /** Start of the SHA-256 of its samples as float32, little-endian. */
  readonly sha256: string;
  /** Of what was written here. */
  readonly samples?: Samples;
}

/** All scenes of the fixtures with planes at more than one position, whose hashes other implementations gave. */
export function fixtureImages(): KnownImage[] {
  return FOLDERS.filter((format) => format !== "oir").flatMap((format) =>
    expectedFiles(format).flatMap(({ file, scenes }) =>
      scenes.filter(({ planes }) => Object.keys(planes).length > 1).map(({ index, planes }) => ({
        format,
        path: join(FIXTURES, format, file),
        scene: index,
        planes: Object.entries(planes).map(([at, sha256]) => ({ ...placeOf(at), sha256 })),
        references: [],
      }))
    )
  );
}

/** The written image with planes of 4.9 MB. */
export const LARGE = "large store";

const ROWS_PER_STRIP = 16;

/** A TIFF of pages of 16 bits in strips of 16 rows. */
function tiffPages(
  pages: readonly Uint16Array<ArrayBuffer>[],
  columns: number,
  isDeflated: boolean,
): Uint8Array {
  const rows = pages[0]!.length / columns;
  const length = 2 * ROWS_PER_STRIP * columns;
  const layout = {
    ...grayLayout(columns, rows, 16),
    rowsPerStrip: ROWS_PER_STRIP,
    codec: isDeflated ? "deflate" : "none",
  } as const;
  const strips = pages.map(({ buffer }) =>
    Array.from({ length: Math.ceil(rows / ROWS_PER_STRIP) }, (_, i) => {
      const strip = new Uint8Array(buffer).subarray(i * length, (i + 1) * length);
      return isDeflated ? deflateSync(strip) : strip;
    })
  );
  return tiffOf(layout, strips);
}

export const tiffFile = (samples: Uint16Array<ArrayBuffer>, columns: number): Uint8Array =>
  tiffPages([samples], columns, false);

/** Writes files whose samples are counted up; one has planes that take many chunks to send. */
export async function writtenImages(folder: string): Promise<KnownImage[]> {
  const images: KnownImage[] = [];
  /** Samples by channel at each position along `axis`. */
  const know = (
    format: string,
    path: string,
    positions: readonly (readonly ArrayLike<number>[])[],
    axis: "t" | "z" = "t",
    references: readonly ArrayLike<number>[] = [],
  ) => {
    const planes = positions.flatMap((channels, at) =>
      channels.map((counts, channel) => {
        const samples = Float32Array.from(counts);
        return { t: 0, z: 0, l: 0, [axis]: at, channel, sha256: hashOf(samples), samples };
      })
    );
    const floats = references.map((counts) => Float32Array.from(counts));
    images.push({ format, path, scene: 0, planes, references: floats });
  };
  for (
    const [name, pages, columns, isDeflated] of [
      ["raw TIFF", [ramp(200, 150)], 150, false],
      ["deflated TIFF", [ramp(200, 150, 5)], 150, true],
      ["stack", Array.from({ length: 40 }, (_, z) => ramp(100, 80, 13 * z)), 80, true],
    ] as const
  ) {
    const path = join(folder, `${name}.tif`);
    await Deno.writeFile(path, tiffPages(pages, columns, isDeflated));
    know(name, path, pages.map((page) => [page]), "z");
  }
  for (const [name, rows, columns] of [["small store", 60, 50], [LARGE, 1200, 1024]] as const) {
    const path = join(folder, `${name}.ome.zarr`);
    const planes = [1, 9, 70].map((base) => ramp(rows, columns, base));
    await writePlainStore(path, { planes, rows, columns });
    know(name, path, [planes]);
  }
  const scan = lineScan(300);
  const path = join(folder, "scan.oir");
  await Deno.writeFile(path, writeOir(scan));
  know(
    "line scan",
    path,
    [scan.frames[0]!.planes.map((plane) => plane!)],
    "t",
    Object.values(scan.reference!.planes),
  );
  // No program writes small ones: four time points of two channels.
  const frames = [0, 1, 2, 3].map((t) => [ramp16(20, 1000 * t), ramp16(20, 1000 * t + 500)]);
  const series = join(folder, "series.oir");
  const written = frames.map((planes, t) => ({ axes: `t00${t + 1}`, planes }));
  await Deno.writeFile(series, writeOir(frame({ frames: written })));
  know("oir", series, frames);
  return images;
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
