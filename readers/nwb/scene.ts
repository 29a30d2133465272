/** The parts that all scenes of an NWB file share. */
import { DecodeFailed, quoted } from "../errors.ts";
import type { Dataset } from "../hdf5/dataset.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import type { OptionalMetadata } from "../hdf5/optional.ts";
import { requireReadable } from "../hdf5/planes.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { findMoment, type Moment, UNDATED } from "../metadata/moment.ts";
import type { Acquisition, SceneEntry } from "../reader.ts";

/** An image of the file. */
export interface NwbImage {
  readonly name: string;
  /** Paths of its objects. */
  readonly paths: readonly string[];
  /** Lengths of its axes. @throws {DecodeFailed} it cannot be read */
  sizes(file: Hdf5File): SceneEntry["sizes"];
  /** @throws {DecodeFailed} it cannot be read */
  open(file: Hdf5File): Acquisition;
}

/** Date and time of the session as written, without the offset. A value that is not a date is a warning. */
export const readSessionMoment = (file: Hdf5File, metadata: OptionalMetadata): Moment =>
  metadata.read("session_start_time", () => {
    const value = file.value("/session_start_time");
    const moment = findMoment(String(value ?? ""));
    if (value !== undefined && moment.date === "") {
      throw new DecodeFailed(`it is not a date (${quoted(String(value))})`);
    }
    return moment;
  }, UNDATED);

/** Checks that a dataset can be served in planes of this size. @throws {DecodeFailed} it holds no samples, or the planes are too large */
export function requireSamples(dataset: Dataset, rows: number, columns: number): void {
  const { path, shape, sampleType, type } = dataset;
  if (sampleType === null) throw new DecodeFailed(`${path} has ${type.name}, which are not read as samples`);
  if (shape.includes(0)) throw new DecodeFailed(`${path} is empty: it has ${shape.join(" x ")} samples`);
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`${path} has planes of ${columns} x ${rows} samples`);
  }
  requireReadable(dataset);
}
