/** The scene, channels and position that a request selects. They are checked here for all formats; readers rely on it. */
import {
  ChannelOutOfRange,
  DecodeFailed,
  InvalidChannelIndices,
  PositionOutOfRange,
  quoted,
  SceneOutOfRange,
} from "../errors.ts";
import {
  type Acquisition,
  type Axis,
  type AxisLetter,
  type Channel,
  FIRST_POSITION,
  type Position,
} from "../reader.ts";
import { listed, warnIf, type Warning } from "../warning.ts";

/** Checks that a scene exists. @throws {SceneOutOfRange} the file `name` has fewer scenes */
export function requireScene(name: string, count: number, scene: number): void {
  if (isIndexBelow(scene, count)) return;
  throw new SceneOutOfRange(
    `Scene ${scene} does not exist: ${quoted(name)} has ${formatRange("scene", count)}`,
  );
}

/** Checks that a position exists; an axis that is left out has length 1. @throws {PositionOutOfRange} with axis and length */
export function requirePosition(name: string, axes: readonly Axis[], { t, l, z }: Position): void {
  for (const [letter, index] of [["T", t], ["L", l], ["Z", z]] as const) {
    const size = lengthOfAxis(axes, letter);
    if (isIndexBelow(index, size)) continue;
    throw new PositionOutOfRange(
      `Index ${index} along ${letter} does not exist: ${quoted(name)} has size ${size} along ${letter}`,
    );
  }
}

/** The channels to load in the requested order; all if `indices` is `null`. @throws {ChannelOutOfRange | InvalidChannelIndices} */
export function selectChannels(
  name: string,
  channels: readonly Channel[],
  indices: readonly number[] | null,
): Channel[] {
  const wanted = indices === null ? [...channels] : indices.map((index) => {
    const channel = channels[index];
    if (channel) return channel;
    const there = formatRange("channel", channels.length);
    throw new ChannelOutOfRange(`Channel ${index} does not exist: "${name}" has ${there}`);
  });
  const [first] = wanted;
  const fitting = wanted.filter((c) => c.rows === first?.rows && c.columns === first.columns);
  if (fitting.length < wanted.length) {
    const shapes = wanted.map((c) => `channel ${c.index} is ${c.rows} x ${c.columns}`).join(", ");
    const apart = `open them apart, for example ${formatSelection(fitting)}`;
    throw new InvalidChannelIndices(`The channels of "${name}" differ in shape (${shapes}); ${apart}`);
  }
  return wanted;
}

/** Number of positions that a search visits in a second or two. One file name can make an axis ten million long. */
const MAX_VISITS = 4_000_000;

/** The planes with which a session opens. */
export interface OpeningPlanes {
  /** Wanted channels that have any plane, in the wanted order. */
  readonly loaded: readonly Channel[];
  readonly position: Position;
  /** Warnings about channels without planes, and about a position other than the first. */
  readonly warnings: readonly Warning[];
}

/**
 * Finds the first position, in the order T, Z, L, at which every loaded channel has a plane. Channels without any plane are left
 * out, unless the client named (`asked`) them.
 *
 * @throws {DecodeFailed} no position has a plane of each channel; the message names a selection that works
 */
export function chooseOpening(
  acquisition: Acquisition,
  wanted: readonly Channel[],
  asked: boolean,
): OpeningPlanes {
  const { holds } = acquisition;
  const isWhole = wanted.every(({ index }) => holds?.(index, FIRST_POSITION) ?? true);
  if (!holds || isWhole) return { loaded: wanted, position: FIRST_POSITION, warnings: [] };
  const search = { left: MAX_VISITS };
  const first = new Map(
    wanted.map((channel) => [channel, findFirstPosition(acquisition, [channel], search)]),
  );
  const loaded = wanted.filter((channel) => first.get(channel) !== null);
  const absent = wanted.filter((channel) => first.get(channel) === null);
  if (loaded.length === 0) throw new DecodeFailed(`${describeLacking(absent)} in any file`);
  if (asked && absent.length > 0) {
    throw new DecodeFailed(`${describeLacking(absent)} in any file; ${formatSelection(loaded)} works`);
  }
  const position = findFirstPosition(acquisition, loaded, search);
  if (position === null) {
    const start = first.get(loaded[0]!)!;
    const together = loaded.filter(({ index }) => holds(index, start));
    throw new DecodeFailed(
      `no position has a plane of each of ${formatChannels(loaded)}; ${formatSelection(together)} works`,
    );
  }
  const missing = loaded.filter(({ index }) => !holds(index, FIRST_POSITION));
  const unloaded = `No plane of ${formatChannels(absent)} in any file; the others are loaded`;
  const elsewhere = `Opened at ${formatPosition(position)}: ${describeLacking(missing)} before`;
  const warnings = [
    ...warnIf(absent.length > 0, "channel_missing", unloaded),
    ...warnIf(missing.length > 0, "opened_elsewhere", elsewhere),
  ];
  return { loaded, position, warnings };
}

/** The first position at which all channels have a plane, or `null`. `search` counts down the visits that are left. */
function findFirstPosition(
  { axes, holds }: Acquisition,
  channels: readonly Channel[],
  search: { left: number },
): Position | null {
  for (let t = 0; t < lengthOfAxis(axes, "T"); t += 1) {
    for (let z = 0; z < lengthOfAxis(axes, "Z"); z += 1) {
      for (let l = 0; l < lengthOfAxis(axes, "L"); l += 1) {
        if (channels.every(({ index }) => holds!(index, { t, z, l }))) return { t, z, l };
        if ((search.left -= 1) >= 0) continue;
        const searched = `the first ${MAX_VISITS} positions hold no plane of ${formatChannels(channels)}`;
        throw new DecodeFailed(`${searched}; choose other channels with "channelIndices"`);
      }
    }
  }
  return null;
}

/** Every position of the axes, in the order T, L, Z. */
export function* listPositions(axes: readonly Axis[]): Generator<Position> {
  for (let t = 0; t < lengthOfAxis(axes, "T"); t += 1) {
    for (let l = 0; l < lengthOfAxis(axes, "L"); l += 1) {
      for (let z = 0; z < lengthOfAxis(axes, "Z"); z += 1) yield { t, z, l };
    }
  }
}

/** Length of an axis; 1 if it is left out. */
export const lengthOfAxis = (axes: readonly Axis[], letter: AxisLetter): number =>
  axes.find(({ name }) => name === letter)?.size ?? 1;

const isIndexBelow = (index: number, count: number) => Number.isInteger(index) && index >= 0 && index < count;

const formatRange = (noun: string, count: number): string =>
  count === 1 ? `only ${noun} 0` : `${noun}s 0 to ${count - 1}`;

const formatPosition = ({ t, z, l }: Position): string =>
  Object.entries({ T: t, Z: z, L: l }).filter(([, index]) => index > 0).map(([axis, i]) => `${axis} ${i}`)
    .join(", ");

const describeLacking = (channels: readonly Channel[]): string =>
  `${formatChannels(channels)} ${channels.length === 1 ? "has" : "have"} no plane`;

const formatChannels = (channels: readonly Channel[]): string => {
  const names = channels.map(({ index, name }) => `${index} ("${name}")`);
  return `${channels.length === 1 ? "channel" : "channels"} ${listed(names)}`;
};

const formatSelection = (channels: readonly Channel[]): string =>
  `"channelIndices": [${channels.map(({ index }) => index).join(", ")}]`;
