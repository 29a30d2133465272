/** What a request may ask of a file, judged once for all formats: readers rely on it. */
import { PositionOutOfRange, quoted, SceneOutOfRange } from "./errors.ts";
import type { Axis, AxisLetter, Position } from "./reader.ts";

/** @throws {SceneOutOfRange} the file called `name` has fewer scenes */
export function requireScene(name: string, count: number, scene: number): void {
  if (isIndex(scene, count)) return;
  throw new SceneOutOfRange(`Scene ${scene} does not exist: ${quoted(name)} has ${range("scene", count)}`);
}

/**
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

const isIndex = (index: number, count: number) => Number.isInteger(index) && index >= 0 && index < count;

/** `only channel 0`, `channels 0 to 3`. */
export function range(noun: string, count: number): string {
  return count === 1 ? `only ${noun} 0` : `${noun}s 0 to ${count - 1}`;
}
