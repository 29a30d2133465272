/** Which frames of the main image are stored, by the numbers in the names of their chunks. */
import { DecodeFailed } from "../errors.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { type FileScan, MAX_PLANES } from "./file_scan.ts";

/** Frame numbers along each axis, ascending and without gaps; a frame between others may have no planes. */
export interface StoredFrames {
  /** Time points. */
  readonly t: readonly number[];
  /** Wavelengths. */
  readonly l: readonly number[];
  /** Depths. */
  readonly z: readonly number[];
}

/** The frame at the start of every axis. */
export function firstFrame({ t: [t = 1], l: [l = 1], z: [z = 1] }: StoredFrames): FrameIndex {
  return { t, l, z };
}

/**
 * The frames for which any file holds a plane; without pixels all axes are empty. An acquisition numbers its frames from 1.
 *
 * @param apart a continuation file that was opened without its acquisition, whose numbers go on from another file
 * @throws {DecodeFailed} a number exceeds {@linkcode MAX_PLANES}
 */
export function storedFrames(scans: readonly FileScan[], apart: boolean): StoredFrames {
  const along = (axis: keyof StoredFrames): number[] => {
    let [lowest, highest] = [Infinity, 0];
    for (const scan of scans) {
      for (const number of scan.frameNumbers[axis]) {
        lowest = Math.min(lowest, number);
        highest = Math.max(highest, number);
      }
    }
    if (highest === 0) return [];
    const first = apart ? lowest : 1;
    const count = highest - first + 1;
    if (count > MAX_PLANES) throw new DecodeFailed(`frame ${axis}${highest} exceeds ${MAX_PLANES} frames`);
    return Array.from({ length: count }, (_, i) => first + i);
  };
  return { t: along("t"), l: along("l"), z: along("z") };
}
