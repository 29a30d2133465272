/** Planes for an archive: all channels of one position, of which some may be missing. */
import { chooseAutoRange, computePercentiles } from "../../../static/measure/statistics.ts";
import { DecodeFailed, PlaneNotFound } from "../../../readers/errors.ts";
import type { StopFlag } from "../../../readers/io/stop_flag.ts";
import { type Acquisition, type PlanePlan, type Position, workingOf } from "../../../readers/reader.ts";
import { type PackedLayout, packPlane } from "../../../readers/samples/packed_plane.ts";
import { allocatePlane } from "../../../readers/samples/to_float32.ts";
import type { Contrast } from "./archive_orders.ts";
import type { PackedPlanes, PackOrder } from "./archive_orders.ts";
import { listPositions } from "../../../readers/metadata/selection.ts";

/** Number of planes that a survey plans in a second or two. Further planes are checked when they are decoded. */
const MAX_SURVEYED = 10_000;

/** Number of files whose marks a survey notes in a fraction of a second. */
const MAX_NOTED = 20_000;

/** A plan for a number of channels, or `null` for a missing plane. */
type CountedPlan = { readonly plan: PlanePlan; readonly count: number } | null;

/**
 * Plans planes at every position without decoding them, and notes the marks of the files that decoding will open.
 *
 * @throws {DecodeFailed} a plane is truncated, or of another shape
 * @throws {Stopped}
 */
export async function surveyPlanes(
  acquisition: Acquisition,
  channels: readonly number[],
  layout: PackedLayout,
  stop: StopFlag,
): Promise<void> {
  let left = MAX_SURVEYED;
  let unnoted = MAX_NOTED;
  for (const position of listPositions(acquisition.axes)) {
    stop.check();
    if ((left -= channels.length) < 0) break;
    for (const planned of await planPosition(acquisition, channels, position)) {
      if (planned === null) continue;
      requireShape(planned.plan, layout);
      unnoted -= planned.plan.note?.(unnoted) ?? 0;
    }
  }
}

/** Decodes and packs planes. @throws {DecodeFailed | Stopped} */
export async function packPlanes(
  acquisition: Acquisition,
  { channels, position, layout, contrast = false, working: allowed }: PackOrder,
  stop: StopFlag,
): Promise<PackedPlanes> {
  const { reference } = acquisition;
  if (position === null && reference === null) throw new DecodeFailed("its reference image is gone");
  const plans = position === null
    ? [{ plan: await reference!.plan(), count: channels.length }]
    : await planPosition(acquisition, channels, position);
  const working = workingOf(plans.flatMap((planned) => planned === null ? [] : [planned.plan]));
  if (working.bytes > allowed.bytes) return { planes: null, contrasts: [], working };
  const contrasts: (Contrast | null)[] = [];
  const planes: (Uint8Array<ArrayBuffer>[] | null)[] = [];
  for (const planned of plans) {
    if (planned === null) {
      planes.push(null);
      contrasts.push(null);
      continue;
    }
    const { plan, count } = planned;
    requireShape(plan, layout);
    const samples = Array.from({ length: count }, () => allocatePlane(plan.rows * plan.columns, []));
    await plan.decode(samples);
    for (const plane of samples) {
      stop.check();
      if (contrast) contrasts.push(computeContrast(plane));
      stop.check();
      planes.push(packPlane(plane, layout));
      plane.buffer.transfer(0);
    }
  }
  return { planes, contrasts, working };
}

/** @throws {DecodeFailed} the plane has other columns, or fewer rows, than the written ones */
function requireShape(plan: PlanePlan, layout: PackedLayout): void {
  if (plan.columns === layout.columns && plan.rows >= layout.rows) return;
  const wanted = `${layout.rows} x ${layout.columns}`;
  throw new DecodeFailed(`the plane has ${plan.rows} x ${plan.columns} samples instead of ${wanted}`);
}

/** The contrast in which the page first shows a plane. */
function computeContrast(plane: Float32Array): Contrast {
  const stats = computePercentiles(plane);
  const [start, end] = chooseAutoRange(stats);
  return { min: Math.min(stats.min, start), max: Math.max(stats.max, end), start, end };
}

/** One plan for all channels; if planes are missing, one plan per channel, `null` for a missing plane. */
async function planPosition(
  acquisition: Acquisition,
  channels: readonly number[],
  position: Position,
): Promise<CountedPlan[]> {
  try {
    return [{ plan: await acquisition.plan(channels, position), count: channels.length }];
  } catch (error) {
    if (!(error instanceof PlaneNotFound)) throw error;
    if (channels.length === 1) return [null];
  }
  const plans: CountedPlan[] = [];
  for (const channel of channels) plans.push(...await planPosition(acquisition, [channel], position));
  return plans;
}
