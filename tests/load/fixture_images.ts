/** Images of the fixtures with several planes, whose hashes other implementations gave. */
import { join } from "node:path";
import { frame, ramp } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { hashOf } from "../plane_hash.ts";

/** One scene of a file. */
export interface KnownImage {
  /** Folder of the fixture, which is of one format. */
  readonly format: string;
  readonly path: string;
  readonly scene: number;
  readonly planes: readonly KnownPlane[];
}

/** One plane of a scene. */
export interface KnownPlane {
  readonly t: number;
  readonly z: number;
  readonly l: number;
  readonly channel: number;
  /** Start of the SHA-256 of its samples as float32, little-endian. */
  readonly sha256: string;
}

type Hashes = Readonly<Record<string, string>>;

/** An entry of `expected.json`; the writers of the fixtures had different things to say. */
interface Entry {
  readonly file: string;
  readonly scene?: number;
  /** By `t,z,l,channel`, or without the wavelength. */
  readonly planes?: Hashes | readonly string[];
  /** By `scene,t,z,channel`. */
  readonly planes_at?: Hashes;
  /** By scene, the hashes below a name or alone. */
  readonly scenes?: number | readonly ({ readonly planes: Hashes } | Hashes)[];
}

const FOLDERS = ["tiff_scenes", "lsm", "czi", "nd2", "lif", "oif", "prairie", "ome_zarr_scenes"];

const FIXTURES = join(import.meta.dirname!, "../fixtures");

/** A series of OIR, of which no program makes small ones: four time points of two channels, their samples counted up. */
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
  return FOLDERS.flatMap((format) => {
    const folder = join(FIXTURES, format);
    const entries: Entry[] = JSON.parse(Deno.readTextFileSync(join(folder, "expected.json")));
    return entries.flatMap((entry) =>
      [...scenesOf(entry)].filter(([, planes]) => planes.length > 1)
        .map(([scene, planes]) => ({ format, path: join(folder, entry.file), scene, planes }))
    );
  });
}

/** Planes by their scenes. */
function scenesOf({ scene = 0, scenes, planes, planes_at }: Entry): Map<number, KnownPlane[]> {
  const found = new Map<number, KnownPlane[]>();
  const add = (of: number, [t, z, l, channel]: number[], sha256: string) => {
    const known = { t: t!, z: z!, l: l!, channel: channel!, sha256 };
    found.set(of, [...found.get(of) ?? [], known]);
  };
  const numbers = (key: string) => key.split(",").map(Number);
  for (const [key, hash] of Object.entries(planes_at ?? {})) {
    const [of, t, z, channel] = numbers(key);
    add(of!, [t!, z!, 0, channel!], hash);
  }
  const own = planes_at !== undefined || Array.isArray(planes) ? {} : planes as Hashes;
  const listed = typeof scenes === "object"
    ? [...scenes.entries()].map(([of, one]) =>
      [of, (typeof one.planes === "object" ? one.planes : one) as Hashes] as const
    )
    : [[scene, own] as const];
  for (const [of, hashes] of listed) {
    for (const [key, hash] of Object.entries(hashes)) {
      const at = numbers(key);
      add(of, at.length === 3 ? at.toSpliced(2, 0, 0) : at, hash);
    }
  }
  return found;
}
