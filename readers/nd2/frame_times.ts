/** Times of frames, as the computer measured them. */
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_TIMES, timesFrom } from "../metadata/time_stamps.ts";
import { chunkAt } from "./chunk.ts";
import type { StoredChunks } from "./chunk_map.ts";

/** One number for each frame, of {@linkcode MAX_FRAMES} at most. */
const CACHES = ["CustomData|AcqTimesCache!", "CustomData|AcqTimes2Cache!"];

/** Frames whose own times are read where the file has no list of times. */
const MAX_FRAMES_READ = 1000;

/** Bytes of the list that are read at once. */
const WINDOW_BYTES = 64 << 10;

/** Some frames. */
export interface FrameSeries {
  /** Number of frames. */
  readonly count: number;
  /** Number of each of them, ascending. */
  numberAt(index: number): number;
}

/** Seconds of some frames from the first; `null` if one is unknown, or they do not rise. */
export function frameTimes(
  file: ByteSource,
  chunks: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  if (series.count > MAX_TIMES) return null;
  return timesFrom(listedTimes(file, chunks, series), 1000) ??
    timesFrom(framesTimes(file, chunks, series), 1000);
}

/** Milliseconds in the list of times. */
function listedTimes(
  file: ByteSource,
  chunks: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  const found = chunks.find(CACHES);
  if (found === null) return null;
  const chunk = chunkAt(file, found.at);
  if (typeof chunk === "string" || chunk.name !== found.name) return null;
  const count = Math.floor(chunk.stored / 8);
  if (series.numberAt(series.count - 1) >= count) return null;
  const times: number[] = [];
  let [start, window] = [0, new DataView(new ArrayBuffer(0))];
  for (let i = 0; i < series.count; i += 1) {
    const number = series.numberAt(i);
    if ((number - start) * 8 >= window.byteLength) {
      start = number;
      const length = Math.min(WINDOW_BYTES, 8 * (count - start));
      window = new DataView(file.read(chunk.offset + 8 * start, length, "the times of the frames").buffer);
    }
    times.push(window.getFloat64(8 * (number - start), true));
  }
  return times;
}

/** Milliseconds before the samples of each frame. */
function framesTimes(
  file: ByteSource,
  { frames }: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  if (series.count > MAX_FRAMES_READ) return null;
  const times: number[] = [];
  for (let i = 0; i < series.count; i += 1) {
    const at = frames.get(series.numberAt(i));
    const chunk = at === undefined ? null : chunkAt(file, at);
    if (chunk === null || typeof chunk === "string" || chunk.stored < 8) return null;
    const bytes = file.read(chunk.offset, 8, "the time of a frame");
    times.push(new DataView(bytes.buffer).getFloat64(0, true));
  }
  return times;
}
