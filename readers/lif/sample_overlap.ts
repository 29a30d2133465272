/** Whether samples of an image share bytes, which none of a microscope do: what is read must not be larger than the file. */
import { DecodeFailed } from "../errors.ts";

/** Samples at equal distances. */
export interface Steps {
  /** What runs along them. */
  readonly id: number;
  /** How many. */
  readonly count: number;
  /** Bytes from one to the next. */
  readonly step: number;
}

/** Distances that are looked at together; where each is a multiple of those inside, they are two. */
const MAX_RESTS = 4096;

/** No two samples of a channel share a byte. @throws {DecodeFailed} */
export function requireApart(slowestFirst: readonly Steps[], width: number): void {
  let bytes = width;
  for (const { id, count, step } of slowestFirst.toReversed()) {
    if (step < bytes) {
      throw new DecodeFailed(
        `samples overlap: BytesInc of dimension ${id} is ${step}, and what lies inside has ${bytes} bytes`,
      );
    }
    bytes += (count - 1) * step;
  }
}

/** Channels whose distances to all others are looked at; of more, those to the first and to the one before. */
const COMPARED_CHANNELS = 64;

/** No two channels share a byte. @throws {DecodeFailed} */
export function requireOwnBytes(
  channels: readonly { readonly offset: number }[],
  slowestFirst: readonly Steps[],
  width: number,
): void {
  channels.forEach((channel, i) => {
    const others = channels.length <= COMPARED_CHANNELS
      ? channels.slice(0, i)
      : i > 0
      ? [channels[0]!, channels[i - 1]!]
      : [];
    for (const { offset } of others) {
      if (meets(Math.abs(channel.offset - offset), slowestFirst, width)) {
        throw new DecodeFailed(`the channels at ${offset} and ${channel.offset} share samples`);
      }
    }
  });
}

/** Whether a place less than `width` bytes from `distance` can be reached by whole steps along the dimensions. */
function meets(distance: number, slowestFirst: readonly Steps[], width: number): boolean {
  let rests = new Set([distance]);
  let reach = slowestFirst.reduce((sum, { count, step }) => sum + (count - 1) * step, width);
  for (const { count, step } of slowestFirst) {
    reach -= (count - 1) * step;
    const nearest = new Set<number>();
    for (const rest of rests) {
      // What lies inside is shorter than a step: only the two nearest numbers of steps can reach it.
      for (const steps of [Math.floor(rest / step), Math.floor(rest / step) + 1]) {
        if (Math.abs(steps) < count && Math.abs(rest - steps * step) < reach) {
          nearest.add(rest - steps * step);
        }
      }
    }
    if (nearest.size > MAX_RESTS) throw new DecodeFailed("the distances of its samples are too involved");
    rests = nearest;
  }
  return [...rests].some((rest) => Math.abs(rest) < width);
}
