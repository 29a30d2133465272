/** Time stamps: hundreds of nanoseconds since 1601 (FILETIME), in UTC. */
import { type Moment, momentOf, UNDATED } from "../metadata/moment.ts";
import { MAX_TIMES, timesFrom } from "../metadata/time_stamps.ts";
import type { Dimension, ImageLayout } from "./image_layout.ts";

/** Milliseconds from 1601 to 1970: 134,774 days. */
const EPOCH_MS = 11_644_473_600_000n;
const TICKS_IN_MS = 10_000n;
const TICKS_IN_SECOND = 10_000_000;

/** Longest text of a number of 64 bits. */
const MOST_DIGITS = 16;

/** The numbers of a list one after the other; it may have millions, of which few are wanted. */
function* stampsIn(list: string): Generator<string> {
  for (const [stamp] of list.matchAll(/\S+/g)) yield stamp;
}

/** The value of a stamp; `null` for what is none, and for 0, which stands for none. */
function ticksOf(stamp: string | undefined): bigint | null {
  if (stamp === undefined || stamp.length > MOST_DIGITS || !/^[0-9a-f]+$/i.test(stamp)) return null;
  const ticks = BigInt(`0x${stamp}`);
  return ticks > 0n ? ticks : null;
}

/** When a stamp was made, in UTC as the program writes it. */
export function momentOfStamp(list: string): Moment {
  const ticks = ticksOf(stampsIn(list).next().value);
  if (ticks === null) return UNDATED;
  const date = new Date(Number(ticks / TICKS_IN_MS - EPOCH_MS));
  return Number.isNaN(date.getTime()) ? UNDATED : momentOf(date.toISOString());
}

/**
 * Seconds of each time point from the first. Stamps stand in the order of the samples, one for each plane of each channel or
 * of all channels.
 *
 * @returns `null` where their number tells of something else, or they do not rise
 */
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
    if (index % distance === 0 && index / distance % 1 === 0 && ticks.length < series.count) {
      const value = ticksOf(stamp);
      if (value === null) return null;
      ticks.push(value);
    }
    index += 1;
  }
  if (ticks.length !== series.count) return null;
  return timesFrom(ticks.map((value) => Number(value - ticks[0]!)), TICKS_IN_SECOND);
}

/** Stamps from a time point to the next. */
function distanceOf(layout: ImageLayout, series: Dimension, listed: number): number | null {
  const { positions, others, channels } = layout;
  const planes = [...positions.t, ...positions.z, ...positions.l, ...others];
  const product = (counts: readonly { readonly count: number }[]) =>
    counts.reduce((sum, { count }) => sum * count, 1);
  const inside = planes.filter(({ step }) => step < series.step);
  const all = product(planes);
  if (listed === all * channels.length) {
    const [first, second] = channels;
    const channelsInside = first && second ? Math.abs(second.offset - first.offset) < series.step : true;
    return product(inside) * (channelsInside ? channels.length : 1);
  }
  if (listed === all) return product(inside);
  return listed === series.count ? 1 : null;
}
