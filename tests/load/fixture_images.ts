/** Images of the fixtures with several planes, whose hashes other implementations gave. */
import { join } from "node:path";
import type { Position } from "../../readers/reader.ts";
import { frame, ramp } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { expectedFiles, FIXTURES, FOLDERS } from "../fixtures/expected.ts";
import { hashOf, placeOf } from "../planes.ts";

/** One scene of a file. */
export interface KnownImage {
  /** Folder of the fixture, which is of one format. */
  readonly format: string;
  readonly path: string;
  readonly scene: number;
  readonly planes: readonly KnownPlane[];
}

/** One plane of a scene. */
export interface KnownPlane extends Position {
  readonly channel: number;
  /** Start of the SHA-256 of its samples as float32, little-endian. */
  readonly sha256: string;
}

/** An OIR series, written here since no program writes small ones: four time points of two channels, their samples counted up. */
export async function writtenSeries(folder: string): Promise<KnownImage> {
  const frames = [0, 1, 2, 3].map((t) => ({
    axes: `t00${t + 1}`,
    planes: [ramp(20, 1000 * t), ramp(20, 1000 * t + 500)],
  }));
  const path = join(folder, "series.oir");
  await Deno.writeFile(path, writeOir(frame({ frames })));
  const planes = frames.flatMap(({ planes }, t) =>
    planes.map((samples, channel) => ({ t, z: 0, l: 0, channel, sha256: hashOf(Float32Array.from(samples)) }))
  );
  return { format: "oir", path, scene: 0, planes };
}

/** All scenes with planes at more than one position. */
export function fixtureImages(): KnownImage[] {
  return FOLDERS.filter((format) => format !== "oir").flatMap((format) =>
    expectedFiles(format).flatMap(({ file, scenes }) =>
      scenes.filter(({ planes }) => Object.keys(planes).length > 1).map(({ index, planes }) => ({
        format,
        path: join(FIXTURES, format, file),
        scene: index,
        planes: Object.entries(planes).map(([at, sha256]) => ({ ...placeOf(at), sha256 })),
      }))
    )
  );
}
