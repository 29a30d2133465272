/** Which channels a session loads, and at which position it opens, where the first planes of a recording are missing. */
import { DecodeFailed } from "./errors.ts";
import { type Acquisition, type Channel, FIRST_POSITION, type Position } from "./reader.ts";
import { listed, type Warning, warning } from "./warning.ts";

/** Positions that are looked at, a second or two: the number in the name of one file can make an axis ten million long. */
const MAX_LOOKS = 4_000_000;

/** What a session opens with. */
export interface Opening {
  /** Wanted channels that have a plane, in the wanted order. */
  readonly loaded: readonly Channel[];
  /** Position of the loaded planes. */
  readonly position: Position;
  /** Names missing channels, and the position where it is not the first one. */
  readonly warnings: readonly Warning[];
}

/**
 * Finds the first position, in the order T, Z, L, where every loaded channel has a plane. A channel without any plane is left
 * out.
 *
 * @param asked true where the client named the channels: then none is left out
 * @throws {DecodeFailed} no channel has a plane, one that was asked for has none, or no position has a plane of each; the
 * message names a selection that works
 */
export function openingOf(acquisition: Acquisition, wanted: readonly Channel[], asked: boolean): Opening {
  const { holds } = acquisition;
  const isWhole = wanted.every(({ index }) => holds?.(index, FIRST_POSITION) ?? true);
  if (!holds || isWhole) return { loaded: wanted, position: FIRST_POSITION, warnings: [] };
  const search = { left: MAX_LOOKS };
  const first = new Map(wanted.map((channel) => [channel, firstPosition(acquisition, [channel], search)]));
  const loaded = wanted.filter((channel) => first.get(channel) !== null);
  const absent = wanted.filter((channel) => first.get(channel) === null);
  if (loaded.length === 0) throw new DecodeFailed(`${lacking(absent)} in any file`);
  if (asked && absent.length > 0) {
    throw new DecodeFailed(`${lacking(absent)} in any file; ${selection(loaded)} works`);
  }
  const warnings: Warning[] = [];
  if (absent.length > 0) {
    warnings.push(
      warning("channel_missing", `No plane of ${called(absent)} in any file; the others are loaded`),
    );
  }
  const position = firstPosition(acquisition, loaded, search);
  if (position === null) {
    const start = first.get(loaded[0]!)!;
    const together = loaded.filter(({ index }) => holds(index, start));
    throw new DecodeFailed(
      `no position has a plane of each of ${called(loaded)}; ${selection(together)} works`,
    );
  }
  const missing = loaded.filter(({ index }) => !holds(index, FIRST_POSITION));
  if (missing.length > 0) {
    warnings.push(
      warning("opened_elsewhere", `Opened at ${written(position)}: ${lacking(missing)} before`),
    );
  }
  return { loaded, position, warnings };
}

/**
 * The first position where all channels have a plane, or `null`.
 *
 * @param search counts down the positions that are looked at
 * @throws {DecodeFailed} too many were
 */
function firstPosition(
  { axes, holds }: Acquisition,
  channels: readonly Channel[],
  search: { left: number },
): Position | null {
  const size = (letter: string) => axes.find(({ name }) => name === letter)?.size ?? 1;
  for (let t = 0; t < size("T"); t += 1) {
    for (let z = 0; z < size("Z"); z += 1) {
      for (let l = 0; l < size("L"); l += 1) {
        if (channels.every(({ index }) => holds!(index, { t, z, l }))) return { t, z, l };
        if ((search.left -= 1) < 0) {
          throw new DecodeFailed(
            `no plane of ${
              called(channels)
            } is among the first of many positions; choose other channels with "channelIndices"`,
          );
        }
      }
    }
  }
  return null;
}

const written = ({ t, z, l }: Position): string =>
  Object.entries({ T: t, Z: z, L: l }).filter(([, index]) => index > 0).map(([axis, i]) => `${axis} ${i}`)
    .join(", ");

/** `channel 1 ("RFP") has no plane`. */
const lacking = (channels: readonly Channel[]): string =>
  `${called(channels)} ${channels.length === 1 ? "has" : "have"} no plane`;

const called = (channels: readonly Channel[]): string =>
  `${channels.length === 1 ? "channel" : "channels"} ${
    listed(channels.map(({ index, name }) => `${index} ("${name}")`))
  }`;

const selection = (channels: readonly Channel[]): string =>
  `"channelIndices": [${channels.map(({ index }) => index).join(", ")}]`;
