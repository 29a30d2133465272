/** Time stamps: ticks of 100 ns since 1601 (FILETIME), in UTC. */
import { type Moment, momentOf, UNDATED } from "../metadata/moment.ts";
import { MAX_TIMES, timesFrom } from "../metadata/time_stamps.ts";
import { type Dimension, type ImageLayout, lengthOf } from "./image_layout.ts";

/** Milliseconds from 1601 to 1970: 134,774 days. */
const EPOCH_MS = 11_644_473_600_000n;
const TICKS_IN_MS = 10_000n;
const TICKS_IN_SECOND = 10_000_000;

/** Number of hexadecimal digits in 64 bits. */
const MOST_DIGITS = 16;

/** The stamps of a list, one by one: a list may have millions, of which few are needed. */
function* stampsIn(list: string): Generator<string> {
  for (const [stamp] of list.matchAll(/\S+/g)) yield stamp;
}

/** The value of a stamp; `null` if it is invalid or 0. */
function ticksOf(stamp: string | undefined): bigint | null {
  if (stamp === undefined || stamp.length > MOST_DIGITS || !/^[0-9a-f]+$/i.test(stamp)) return null;
  const ticks = BigInt(`0x${stamp}`);
  return ticks > 0n ? ticks : null;
}

/** The moment of the first stamp of a list, in UTC as stored. */
export function momentOfStamp(list: string): Moment {
  const ticks = ticksOf(stampsIn(list).next().value);
  if (ticks === null) return UNDATED;
  const date = new Date(Number(ticks / TICKS_IN_MS - EPOCH_MS));
  return Number.isNaN(date.getTime()) ? UNDATED : momentOf(date.toISOString());
}

/** Seconds of each time point since the first; `null` if the stamps do not fit the time points or do not ascend. */
export function timesOf(list: string, layout: ImageLayout): readonly number[] | null {
  const { positions, rowAxis } = layout;
  const series = positions.t[0];
  if (rowAxis === "T" || positions.t.length !== 1 || series === undefined || series.count > MAX_TIMES) {
    return null;
  }
  let listed = 0;
  for (const _ of stampsIn(list)) listed += 1;
  const distance = distanceOf(layout, series, listed);
  if (distance === null) return null;
  const ticks: bigint[] = [];
  let index = 0;
  for (const stamp of stampsIn(list)) {
    if (index++ % distance !== 0) continue;
    const value = ticksOf(stamp);
    if (value === null) return null;
    if (ticks.push(value) === series.count) break;
  }
  return timesFrom(ticks.map((value) => Number(value - ticks[0]!)), TICKS_IN_SECOND);
}

/** Number of stamps per time point: a list has one per plane and channel, per plane, or per time point. */
function distanceOf(layout: ImageLayout, series: Dimension, listed: number): number | null {
  const { positions, others, channels } = layout;
  const planes = [...positions.t, ...positions.z, ...positions.l, ...others];
  const all = lengthOf(planes);
  const inside = lengthOf(planes.filter(({ step }) => step < series.step));
  if (listed === all * channels.length) {
    const [first, second] = channels;
    const outside = second !== undefined && Math.abs(second.offset - first!.offset) >= series.step;
    return inside * (outside ? 1 : channels.length);
  }
  if (listed === all) return inside;
  return listed === series.count ? 1 : null;
}
