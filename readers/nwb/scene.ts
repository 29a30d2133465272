/** What the scenes of an NWB file share. */
import { DecodeFailed } from "../errors.ts";
import { type Dataset, Hdf5File } from "../hdf5/file.ts";
import {
  type DatasetPlane,
  libraryBytes,
  readPlane,
  requireReadable,
  workingMemory,
} from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { momentOf } from "../metadata/moment.ts";
import type { Acquisition, PlanePlan, Position, RowRange } from "../reader.ts";

/** An image of the file. */
export interface Scene {
  readonly name: string;
  /** Paths of its objects. */
  readonly paths: readonly string[];
  /** @throws {DecodeFailed} it cannot be read */
  open(file: Hdf5File): Acquisition;
}

/** Date and time of the session as written, without the offset. */
export const sessionMoment = (file: Hdf5File): ReturnType<typeof momentOf> =>
  momentOf(String(file.value("/session_start_time") ?? ""));

/** Checks samples. @throws {DecodeFailed} they are none, or a plane is too large */
export function requireSamples(dataset: Dataset, rows: number, columns: number): void {
  const { path, shape, sampleType } = dataset;
  if (sampleType === null) throw new DecodeFailed(`${path} holds no samples`);
  if (shape.includes(0)) throw new DecodeFailed(`${path} is empty: it has ${shape.join(" x ")} samples`);
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`${path} has planes of ${columns} x ${rows} samples`);
  }
  requireReadable(dataset);
}

/** A plan that reads each wanted channel. @param planeOf the plane of a channel */
export function planOf(
  source: ByteSource,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  planeOf: (channel: number, position: Position) => DatasetPlane,
): Acquisition["plan"] {
  return (wanted: readonly number[], position: Position, rowRange?: RowRange): Promise<PlanePlan> =>
    Promise.try(() => {
      const planes = wanted.map((channel) => planeOf(channel, position));
      const filled = rowRange ?? { start: 0, end: rows };
      const bytes = Math.max(...planes.map(libraryBytes));
      return {
        rows,
        columns,
        filled,
        warnings: [],
        working: planes.map(workingMemory).reduce((a, b) => a.bytes > b.bytes ? a : b),
        overwrites: true,
        async decode(targets) {
          using file = await Hdf5File.open(source, bytes);
          planes.forEach((plane, i) => readPlane(file, plane, filled, targets[i]!));
        },
      };
    });
}
