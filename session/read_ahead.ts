/** Which plane a client that steps along an axis will ask for next. */
import type { Position } from "../readers/reader.ts";

/** Planes that are read ahead of the one that was asked for last. */
const PLANES_AHEAD = 2;

/** The last step of each channel of each session. */
export class Steps {
  readonly #last = new Map<string, Position>();

  /**
   * Notes what was asked for, and tells what will follow: the next planes in the direction of the last step along one axis,
   * the nearest first; none where it was no such step. They may lie outside the acquisition.
   *
   * @param stream session and channel
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

  /** Forgets the streams that are meant. */
  forget(isMeant: (stream: string) => boolean): void {
    for (const stream of this.#last.keys()) if (isMeant(stream)) this.#last.delete(stream);
  }
}
