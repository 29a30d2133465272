/** Which subblocks are the image, and which are overviews of it. */
import type { StopFlag } from "../io/stop_flag.ts";
import type { SubblockTable } from "./subblock_table.ts";

/** Entries between two looks at the stop flag. */
const STOP_STEP = 0xffff;

/**
 * Indices of the subblocks at full resolution. The pyramid type of an entry and its sizes say so, and neither alone can be
 * trusted: some writers leave the type of overviews at 0, and an Airyscan stores its own data at fewer samples.
 *
 * @throws {Stopped}
 */
export function fullResolution(table: SubblockTable, stop: StopFlag): Int32Array {
  const all = Int32Array.from({ length: table.length }, (_, i) => i);
  const flat = all.filter((i) => table.pyramid(i) === 0);
  const kept = flat.length > 0 ? flat : all;
  const whole = kept.filter((i) => !table.scaled(i));
  if (whole.length === 0 || whole.length === kept.length) return kept;
  const letters = table.letters.filter((letter) => !"XYMS".includes(letter));
  const key = (i: number) => letters.map((letter) => table.start(letter, i)).join(" ");
  const keys = new Set<string>();
  for (const i of whole) {
    if ((i & STOP_STEP) === 0) stop.check();
    keys.add(key(i));
  }
  // What has a place of its own is no overview of anything.
  return kept.some((i) => table.scaled(i) && !keys.has(key(i))) ? kept : whole;
}
