/** Decodes planes of an opened acquisition, and compares them with hashes and with their own rows. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Acquisition, Axis, AxisLetter, Position, RowRange } from "../readers/reader.ts";

/** A position where only what differs from the first one is given. */
export type At = Partial<Position>;

/** The hexadecimal SHA-256 of samples as float32, little-endian; every NaN counts as that of NumPy. */
export function sha256(plane: Float32Array): string {
  const words = new Uint32Array(plane.slice().buffer);
  plane.forEach((sample, i) => Number.isNaN(sample) && (words[i] = 0x7fc00000));
  return createHash("sha256").update(words).digest("hex");
}

/** The first 16 digits of {@linkcode sha256}, as most fixtures state them. */
export const hashOf = (plane: Float32Array): string => sha256(plane).slice(0, 16);

export interface Wanted {
  readonly channels?: readonly number[];
  readonly rows?: RowRange;
}

/** Decodes planes, in memory of NaN where the plan overwrites all of it. @throws {PlaneNotFound | DecodeFailed} */
export async function decodeAt(acquisition: Acquisition, at: At = {}, { channels, rows }: Wanted = {}) {
  const wanted = channels ?? acquisition.channels.map(({ index }) => index);
  const plan = await acquisition.plan(wanted, { t: 0, z: 0, l: 0, ...at }, rows);
  const filled = plan.filled ?? { start: 0, end: plan.rows };
  const length = (filled.end - filled.start) * plan.columns;
  const planes = wanted.map(() => new Float32Array(length).fill(plan.overwrites ? NaN : 0));
  await plan.decode(planes);
  return { planes, filled, plan };
}

/** The planes of {@linkcode decodeAt} alone. */
export const planesAt = async (acquisition: Acquisition, at: At = {}, wanted: Wanted = {}) =>
  (await decodeAt(acquisition, at, wanted)).planes;

/** First sample of each plane. */
export const firstsOf = ({ planes }: { readonly planes: readonly Float32Array[] }) =>
  planes.map((plane) => plane[0]!);

/** First sample of each channel, or of some, at a position. */
export const firstsAt = async (acquisition: Acquisition, at: At = {}, channels?: readonly number[]) =>
  firstsOf({ planes: await planesAt(acquisition, at, channels ? { channels } : {}) });

/** `T2 C2 Z3`: all axes but those of the plane. */
export const sizesIn = ({ axes }: { readonly axes: readonly Axis[] }): string =>
  axes.slice(0, -2).map(({ name, size }) => `${name}${size}`).join(" ");

/** `T3 0.5 seconds, Y8 1 Pixels`: all axes with their steps. */
export const axesIn = ({ axes }: { readonly axes: readonly Axis[] }): string =>
  axes.map(({ name, size, step, unit }) => `${name}${size} ${step} ${unit}`).join(", ");

/** The position and channel of `t,z,l,channel`. */
export function placeOf(text: string): Position & { readonly channel: number } {
  const [t = 0, z = 0, l = 0, channel = 0] = text.split(",").map(Number);
  return { t, z, l, channel };
}

/** The hash of a plane. @param at `t,z,l,channel` @throws {PlaneNotFound | DecodeFailed} */
export async function hashAt(acquisition: Acquisition, at: string): Promise<string> {
  const { channel, ...position } = placeOf(at);
  return hashOf((await planesAt(acquisition, position, { channels: [channel] }))[0]!);
}

/** Each `t,z,l,channel` of an image of these sizes. */
export function* positionsOf({ T = 1, Z = 1, L = 1, C = 1 }: Readonly<Partial<Record<AxisLetter, number>>>) {
  for (let t = 0; t < T; t += 1) {
    for (let z = 0; z < Z; z += 1) {
      for (let l = 0; l < L; l += 1) for (let c = 0; c < C; c += 1) yield [t, z, l, c].join();
    }
  }
}

/**
 * Checks that ranges of rows have the samples of the whole plane.
 *
 * @param exact whether the reader fills no other rows than the wanted ones
 */
export async function checkRows(
  acquisition: Acquisition,
  ranges: readonly RowRange[],
  at: At = {},
  exact = true,
): Promise<void> {
  const whole = await decodeAt(acquisition, at);
  const { rows, columns } = whole.plan;
  for (const range of ranges) {
    const { filled, plan, planes } = await decodeAt(acquisition, at, { rows: range });
    if (exact) deepEqual(filled, range);
    ok(filled.start <= range.start && filled.end >= range.end, JSON.stringify([filled, range]));
    deepEqual([plan.rows, plan.columns], [rows, columns]);
    for (const [i, plane] of planes.entries()) {
      const expected = whole.planes[i]!.subarray(filled.start * columns, filled.end * columns);
      equal(plane.length, expected.length);
      // Two typed arrays with a NaN count as different.
      equal(plane.findIndex((sample, at) => !Object.is(sample, expected[at])), -1, JSON.stringify(range));
    }
  }
}

/** Ranges of a plane of so many rows: one row at each end, halves, all but the ends, all. */
export function someRanges(rows: number): RowRange[] {
  const half = Math.floor(rows / 2);
  return [[0, 1], [rows - 1, rows], [0, half], [half, rows], [1, rows - 1], [half, half + 1], [0, rows]]
    .map(([start, end]) => ({ start: start!, end: end! }))
    .filter(({ start, end }) => start >= 0 && start < end);
}
