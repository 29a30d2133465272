/** The time stamps of an LSM file: i32 bytes, i32 count, then a f64 of seconds for each time point or line. */
import { DecodeFailed } from "../errors.ts";
import { MAX_STAMPS } from "../metadata/time_stamps.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

const HEAD_BYTES = 8;

/** Bytes of so many stamps with their head. */
const stampsBytes = (count: number): number => HEAD_BYTES + 8 * count;

/** Seconds as they are stored, from any start. @throws {DecodeFailed} they do not lie in the file, or their size is wrong */
export function readTimeStamps(tiff: TiffFile, offset: number): Float64Array {
  const head = tiff.window.view(offset, HEAD_BYTES, "the time stamps");
  const [size, count] = [head.getInt32(0, true), head.getInt32(4, true)];
  if (count < 0 || count > MAX_STAMPS || size !== stampsBytes(count)) {
    throw new DecodeFailed(`the time stamps at ${offset} are ${count} in ${size} bytes`);
  }
  const view = new DataView(tiff.file.read(offset + HEAD_BYTES, 8 * count, "the time stamps").buffer);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true));
}
