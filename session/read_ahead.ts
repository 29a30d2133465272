/** Predicts the next planes of a client that steps along an axis. */
import type { Position } from "../readers/reader.ts";

/** Number of planes that are read ahead. */
const PLANES_AHEAD = 2;

/** The last position of each channel of each session. */
export class Steps {
  readonly #last = new Map<string, Position>();

  /**
   * Notes a request. After a step along one axis, returns the next planes in that direction, the nearest first; they may lie
   * outside the acquisition.
   *
   * @param stream identifies session and channel
   */
  note(stream: string, position: Position): Position[] {
    const last = this.#last.get(stream);
    this.#last.set(stream, position);
    if (last === undefined) return [];
    const step = { t: position.t - last.t, z: position.z - last.z, l: position.l - last.l };
    if (Math.abs(step.t) + Math.abs(step.z) + Math.abs(step.l) !== 1) return [];
    return Array.from({ length: PLANES_AHEAD }, (_, i) => ({
      t: position.t + (i + 1) * step.t,
      z: position.z + (i + 1) * step.z,
      l: position.l + (i + 1) * step.l,
    }));
  }

  forget(isMeant: (stream: string) => boolean): void {
    for (const stream of this.#last.keys()) if (isMeant(stream)) this.#last.delete(stream);
  }
}
