import type { Position } from "../readers/reader.ts";

const PLANES_AHEAD = 2;

/** The next planes of a client that steps along one axis, the nearest first; they may lie outside the acquisition. */
export function predictPositions(last: Position | undefined, position: Position): Position[] {
  if (last === undefined) return [];
  const step = { t: position.t - last.t, z: position.z - last.z, l: position.l - last.l };
  if (Math.abs(step.t) + Math.abs(step.z) + Math.abs(step.l) !== 1) return [];
  return Array.from({ length: PLANES_AHEAD }, (_, i) => ({
    t: position.t + (i + 1) * step.t,
    z: position.z + (i + 1) * step.z,
    l: position.l + (i + 1) * step.l,
  }));
}
