/** What a request may ask of a file, judged once for all formats: readers rely on it. */
import {
  ChannelOutOfRange,
  InvalidChannelIndices,
  PositionOutOfRange,
  quoted,
  SceneOutOfRange,
} from "./errors.ts";
import type { Axis, AxisLetter, Channel, Position } from "./reader.ts";

/** Makes sure that there is such a scene. @throws {SceneOutOfRange} the file called `name` has fewer scenes */
export function requireScene(name: string, count: number, scene: number): void {
  if (isIndex(scene, count)) return;
  throw new SceneOutOfRange(`Scene ${scene} does not exist: ${quoted(name)} has ${range("scene", count)}`);
}

/**
 * Makes sure that there is such a position.
 *
 * @param axes of the whole array; an axis that is left out has the size 1
 * @throws {PositionOutOfRange} an index lies outside its axis; the message names axis and size
 */
export function requirePosition(name: string, axes: readonly Axis[], { t, l, z }: Position): void {
  const indices: readonly [AxisLetter, number][] = [["T", t], ["L", l], ["Z", z]];
  for (const [letter, index] of indices) {
    const size = axes.find((axis) => axis.name === letter)?.size ?? 1;
    if (isIndex(index, size)) continue;
    throw new PositionOutOfRange(
      `Index ${index} along ${letter} does not exist: ${quoted(name)} has size ${size} along ${letter}`,
    );
  }
}

/**
 * The channels to load, in requested order.
 *
 * @throws {ChannelOutOfRange} an index that the file does not have
 * @throws {InvalidChannelIndices} the channels differ in shape
 */
export function wantedChannels(
  name: string,
  channels: readonly Channel[],
  indices: readonly number[] | null,
): Channel[] {
  const wanted = indices === null ? [...channels] : indices.map((index) => {
    const channel = channels[index];
    if (!channel) {
      const there = range("channel", channels.length);
      throw new ChannelOutOfRange(`Channel ${index} does not exist: "${name}" has ${there}`);
    }
    return channel;
  });
  const first = wanted[0];
  if (first && wanted.some((c) => c.rows !== first.rows || c.columns !== first.columns)) {
    const shapes = wanted.map((c) => `channel ${c.index} is ${c.rows} x ${c.columns}`).join(", ");
    const fitting = wanted.filter((c) => c.rows === first.rows && c.columns === first.columns);
    throw new InvalidChannelIndices(
      `The channels of "${name}" differ in shape (${shapes}); open them apart, for example ` +
        `"channelIndices": [${fitting.map((c) => c.index).join(", ")}]`,
    );
  }
  return wanted;
}

const isIndex = (index: number, count: number) => Number.isInteger(index) && index >= 0 && index < count;

/** `only channel 0`, `channels 0 to 3`. */
function range(noun: string, count: number): string {
  return count === 1 ? `only ${noun} 0` : `${noun}s 0 to ${count - 1}`;
}
