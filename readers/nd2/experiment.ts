/** The loops of an experiment, which number the frames (the outermost loop varies slowest). Stage positions are scenes. */
import { DecodeFailed } from "../errors.ts";
import { selectCalibrations } from "../metadata/axes.ts";
import { nameScenesApart } from "../metadata/channels.ts";
import type { Acquisition, Position, SceneEntry, Scenes } from "../reader.ts";
import { listed, MAX_LISTED, warnIf, type Warning, warning } from "../warning.ts";
import {
  findCount,
  findNumber,
  findObject,
  findPositive,
  findText,
  listItems,
  listNumbered,
  readFlags,
  takeObject,
  unwrapObject,
  type Variant,
  type VariantObject,
} from "./clx.ts";

/** Kind of loop: time points, stage positions, focus planes, or custom steps. */
export type LoopKind = "T" | "P" | "Z" | "U";

/** One loop. */
export interface Loop {
  readonly kind: LoopKind;
  readonly count: number;
  /** Measured step: milliseconds for `T`, micrometres for `Z`; `null` if unknown. */
  readonly measured: number | null;
  /** Requested step in the same unit; `null` if unknown. */
  readonly nominal: number | null;
  /** Names of stage positions; empty for other loops. */
  readonly names: readonly (string | null)[];
}

/** Types of loops, the same in files of all ages. */
export const LOOP_TYPE = { time: 1, positions: 2, focus: 4, custom: 7, phases: 8 } as const;

/** Loop types of which no file is known, so that the order of frames is unknown. */
const UNKNOWN: Readonly<Record<number, string>> = {
  3: "discrete positions",
  5: "polar positions",
  9: "manual time points",
  10: "accurate focus planes",
};

/** The loops of a document, outermost first; empty for a single frame. @throws {DecodeFailed} an unknown loop */
export function readLoops(experiment: VariantObject): readonly Loop[] {
  const found: { level: number; loop: Loop }[] = [];
  const collect = (source: VariantObject, level: number) => {
    const parameters = unwrapObject(source.get("uLoopPars"));
    const loop = readLoop(findNumber(source, "eType") ?? 0, source, parameters);
    // Loops over channels and loops without steps do not count as levels.
    const counts = loop !== null && loop.count > 0;
    // Of the loops that repeat for each step of the outer loop only the longest is kept.
    const last = found.at(-1);
    if (counts && (last === undefined || last.level < level)) found.push({ loop, level });
    else if (
      counts && last?.level === level && last.loop.kind === loop.kind && last.loop.count < loop.count
    ) {
      last.loop = loop;
    }
    // In rare files the inner levels are below the phases of a time loop.
    const [phase] = listItems(parameters.get("pSubLoops"));
    const [below] = listItems(takeObject(phase).get("ppNextLevelEx"));
    if (below !== undefined) {
      found.push(...readLoops(unwrapObject(below)).map((loop) => ({ loop, level: 0 })));
    }
    for (const next of listItems(source.get("ppNextLevelEx"))) {
      const inside = takeObject(next).has("eType") ? takeObject(next) : unwrapObject(next);
      collect(inside, counts ? level + 1 : level);
    }
  };
  collect(experiment, 0);
  return found.map(({ loop }) => loop);
}

/** Checks that a loop type is known. @throws {DecodeFailed} the order of its frames is unknown */
export function requireKnownLoop(type: number): void {
  const other = UNKNOWN[type];
  if (other !== undefined) {
    throw new DecodeFailed(`the experiment loops over ${other}, which is not supported`);
  }
}

function readLoop(type: number, source: VariantObject, parameters: VariantObject): Loop | null {
  requireKnownLoop(type);
  switch (type) {
    case LOOP_TYPE.time:
      return buildTimeLoop([parameters]);
    case LOOP_TYPE.phases: {
      const phases = listItems(parameters.get("pPeriod")).map(takeObject);
      return buildTimeLoop(selectValid(phases, parameters.get("pPeriodValid")));
    }
    case LOOP_TYPE.positions:
      return buildPositionLoop(parameters, source.get("pItemValid"));
    case LOOP_TYPE.focus:
      return focusLoop(parameters);
    case LOOP_TYPE.custom:
      return { kind: "U", count: findCount(parameters, "uiCount"), measured: null, nominal: null, names: [] };
    default:
      return null;
  }
}

function selectValid<T>(items: readonly T[], stated: Variant | undefined): readonly T[] {
  const flags = readFlags(stated);
  return flags.length === 0 ? items : items.filter((_, i) => flags[i]);
}

/** A loop over the time points of consecutive phases; its step is their mean. */
function buildTimeLoop(phases: readonly VariantObject[]): Loop {
  const counts = phases.map((phase) => findCount(phase, "uiCount"));
  const count = counts.reduce((sum, own) => sum + own, 0);
  const mean = (key: string) => {
    let [sum, steps] = [0, 0];
    for (const [i, phase] of phases.entries()) {
      const step = findPositive(phase, key);
      const own = counts[i] ?? 0;
      if (step === null && own > 0) return null;
      [sum, steps] = [sum + own * (step ?? 0), steps + own];
    }
    return steps > 0 ? sum / steps : null;
  };
  return { kind: "T", count, measured: mean("dAvgPeriodDiff"), nominal: mean("dPeriod"), names: [] };
}

function focusLoop(parameters: VariantObject): Loop {
  const count = findCount(parameters, "uiCount");
  const range = (findNumber(parameters, "dZHigh") ?? 0) - (findNumber(parameters, "dZLow") ?? 0);
  const stated = Math.abs(findNumber(parameters, "dZStep") ?? 0);
  const step = stated > 0 ? stated : count > 1 ? Math.abs(range) / (count - 1) : 0;
  return {
    kind: "Z",
    count,
    measured: null,
    nominal: step > 0 || parameters.has("dZStep") ? step : null,
    names: [],
  };
}

/** A loop over valid positions, since only these have frames. Older files list coordinates by axis instead of points. */
function buildPositionLoop(parameters: VariantObject, flags: Variant | undefined): Loop {
  // Lists in XML may hold empty elements.
  const points = listItems(parameters.get("Points")).map(takeObject).filter(({ size }) => size > 0);
  const stated = findObject(parameters, "pPosName");
  const names = points.length > 0
    ? points.map((point) => findText(point, "dPosName") ?? findText(point, "pPosName"))
    : listNumbered(findObject(parameters, "dPosX")).map(([key]) => findText(stated, key));
  const left = selectValid(names, flags);
  const count = names.length > 0 ? left.length : findCount(parameters, "uiCount");
  return { kind: "P", count, measured: null, nominal: null, names: left };
}

/** Largest number of frames in all loops. */
const MAX_DECLARED = 2 ** 31;

/** The loops of an experiment, as a numbering of its frames. */
export class FrameNumbers {
  readonly #loops: readonly Loop[];
  readonly count: number;

  /** Takes the loops, outermost first. @throws {DecodeFailed} more frames than any file can have */
  constructor(loops: readonly Loop[]) {
    this.#loops = loops;
    this.count = loops.reduce((product, { count }) => product * count, 1);
    if (this.count >= MAX_DECLARED) {
      throw new DecodeFailed(`the experiment declares ${this.count} frames`);
    }
  }

  /** Warns if the number of stored frames differs from the declared one. */
  mismatch(stored: number): Warning[] {
    if (stored === this.count) return [];
    const code = stored < this.count ? "planes_missing" : "metadata_disagree";
    return [warning(code, `${stored} frames are stored, but the experiment has ${this.count}`)];
  }

  /** Number of steps of a kind; the sizes of several loops of this kind are multiplied. */
  size(kind: LoopKind): number {
    return this.#of(kind).reduce((product, { count }) => product * count, 1);
  }

  /** The only loop of a kind; `null` if there are several or none. */
  loop(kind: LoopKind): Loop | null {
    const [only, ...others] = this.#of(kind);
    return only !== undefined && others.length === 0 ? only : null;
  }

  /** Stated steps of time, as measured or else as planned, and of depth. */
  steps(warnings: Warning[]): ReturnType<typeof selectCalibrations> {
    const [time, depth] = [this.loop("T"), this.loop("Z")];
    return selectCalibrations({
      T: [time?.measured ?? time?.nominal, "ms"],
      Z: [depth?.nominal, "um"],
    }, warnings);
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

/** Makes a scene of each stage position with stored frames. @throws {DecodeFailed} no position has frames */
export function makePositionScenes(
  numbers: FrameNumbers,
  frames: Iterable<number>,
  sizes: SceneEntry["sizes"],
  open: (position: number) => Acquisition,
): Scenes {
  const stored = new Set<number>();
  for (const frame of frames) if (frame < numbers.count) stored.add(numbers.sceneOf(frame));
  const declared = numbers.size("P");
  const served = declared === 1 ? [0] : [...stored].sort((a, b) => a - b);
  if (served.length === 0) throw new DecodeFailed("it holds no frames");
  const names = numbers.loop("P")?.names ?? [];
  const missing = declared - served.length;
  const unique = missing > 0 ? nameScenesApart(names.slice(0, 10_000)) : [];
  const leftOut: string[] = [];
  for (let position = 0; leftOut.length < Math.min(missing, MAX_LISTED); position += 1) {
    if (!stored.has(position)) leftOut.push(`"${unique[position] ?? `Scene ${position + 1}`}"`);
  }
  const text = `${missing} of ${declared} positions have no frames and are left out`;
  return {
    count: served.length,
    own: 0,
    warnings: warnIf(missing > 0, "scenes_left_out", `${text}: ${listed(leftOut, missing)}`),
    entries: (most) => served.slice(0, most).map((position) => ({ name: names[position] ?? null, sizes })),
    open: (scene) => Promise.try(() => open(served[scene]!)),
  };
}
