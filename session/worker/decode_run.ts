/** Decodes consecutive planes of a channel into one block of memory. */
import { DecodeFailed, Stopped } from "../../readers/errors.ts";
import type { StopFlag } from "../../readers/io/stop_flag.ts";
import type { TimedAcquisition } from "../../readers/metadata/time_stamps.ts";
import { NO_WORKING_MEMORY, type Position } from "../../readers/reader.ts";
import { allocatePlane } from "../../readers/samples/to_float32.ts";
import { type DecodedRun, findPositionInRun, MOST_MISSING, type RunOrder, type RunRange } from "./orders.ts";

/** Planes looked up between two looks at the stop flag. */
const SURVEYED_AT_ONCE = 4096;

/** What {@linkcode decodeRun} answers; `failure` as it was thrown. */
export type RunResult = Omit<DecodedRun, "files" | "failure"> & { readonly failure: unknown };

/**
 * Decodes planes until one fails or needs more memory than ordered.
 *
 * @throws {PlaneNotFound | DecodeFailed | Stopped} the first plane cannot be decoded
 */
export async function decodeRun(
  acquisition: TimedAcquisition,
  order: RunOrder,
  stop: StopFlag,
): Promise<RunResult> {
  const { channel, count, samples, working: allowed, buffers } = order;
  const missing = order.survey === null ? [] : listMissing(acquisition, order.survey, stop);
  const none = { block: null, count: 0, failure: null, working: NO_WORKING_MEMORY, missing };
  if (missing.length > 0) return none;
  let block: Float32Array<ArrayBuffer> | null = null;
  let done = 0;
  for (; done < count; done += 1) {
    try {
      stop.check();
      const plan = await acquisition.plan([channel], findPositionInRun(order, done));
      const working = plan.working ?? NO_WORKING_MEMORY;
      if (working.bytes > allowed.bytes) return { ...none, block, count: done, working };
      if (plan.rows * plan.columns !== samples) {
        throw new DecodeFailed(`it has ${plan.rows} x ${plan.columns} samples, other planes have ${samples}`);
      }
      block ??= allocatePlane(count * samples, buffers, false);
      const plane = block.subarray(done * samples, (done + 1) * samples);
      if (!plan.overwrites) plane.fill(0);
      await plan.decode([plane]);
    } catch (failure) {
      if (done === 0 || failure instanceof Stopped) {
        block?.buffer.transfer(0);
        throw failure;
      }
      return { ...none, block, count: done, failure };
    }
  }
  return { ...none, block, count: done };
}

/** The positions of a range of which the directory or the list of files has no plane. */
function listMissing(acquisition: TimedAcquisition, range: RunRange, stop: StopFlag): Position[] {
  const missing: Position[] = [];
  if (acquisition.holds === undefined) return missing;
  for (let i = 0; i < range.count && missing.length < MOST_MISSING; i += 1) {
    if (i % SURVEYED_AT_ONCE === 0) stop.check();
    const position = findPositionInRun(range, i);
    if (!acquisition.holds(range.channel, position)) missing.push(position);
  }
  return missing;
}
