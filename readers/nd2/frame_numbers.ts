/** Numbers of frames: outer loops vary slowest. */
import { DecodeFailed } from "../errors.ts";
import type { Position } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { Loop, LoopKind } from "./experiment.ts";

/** Frames that loops may promise. */
const MAX_PROMISED = 2 ** 31;

/** The loops of an experiment as a numbering of its frames. */
export class FrameNumbers {
  readonly #loops: readonly Loop[];
  /** Frames that the loops promise. */
  readonly count: number;

  /** Takes the loops, outermost first. @throws {DecodeFailed} they promise more frames than any file has */
  constructor(loops: readonly Loop[]) {
    this.#loops = loops;
    this.count = loops.reduce((product, { count }) => product * count, 1);
    if (this.count >= MAX_PROMISED) {
      throw new DecodeFailed(`the loops of the experiment promise ${this.count} frames`);
    }
  }

  /** A warning where other than the promised frames are stored. */
  mismatch(stored: number): Warning[] {
    if (stored === this.count) return [];
    const code = stored < this.count ? "planes_missing" : "metadata_disagree";
    return [warning(code, `${stored} frames are stored, but the experiment has ${this.count}`)];
  }

  /** Steps of a kind; of several loops of one kind all together. */
  size(kind: LoopKind): number {
    return this.#of(kind).reduce((product, { count }) => product * count, 1);
  }

  /** The only loop of a kind, or `null`. */
  loop(kind: LoopKind): Loop | null {
    const [only, ...others] = this.#of(kind);
    return only !== undefined && others.length === 0 ? only : null;
  }

  /** Number of the frame of a scene at a position. */
  at({ t, z }: Pick<Position, "t" | "z">, scene: number): number {
    const left: Record<LoopKind, number> = { T: t, Z: z, P: scene, U: 0 };
    let [number, stride] = [0, 1];
    for (const { kind, count } of this.#loops.toReversed()) {
      number += left[kind] % count * stride;
      left[kind] = Math.floor(left[kind] / count);
      stride *= count;
    }
    return number;
  }

  /** The scene that a frame belongs to. */
  sceneOf(frame: number): number {
    let [scene, sceneStride, rest] = [0, 1, frame];
    for (const { kind, count } of this.#loops.toReversed()) {
      if (kind === "P") {
        scene += rest % count * sceneStride;
        sceneStride *= count;
      }
      rest = Math.floor(rest / count);
    }
    return scene;
  }

  #of(kind: LoopKind): readonly Loop[] {
    return this.#loops.filter((loop) => loop.kind === kind);
  }
}
