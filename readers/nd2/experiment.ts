/** The loops of an experiment, outermost first. */
import { DecodeFailed } from "../errors.ts";
import {
  countIn,
  flagsOf,
  itemsOf,
  numberedIn,
  numberIn,
  objectIn,
  objectOf,
  positiveIn,
  textIn,
  unwrapped,
  type Variant,
  type VariantObject,
} from "./variant.ts";

/** Time points, positions of the stage, focus planes, or steps of a kind that only the user knows. */
export type LoopKind = "T" | "P" | "Z" | "U";

/** One loop. */
export interface Loop {
  /** What it runs over. */
  readonly kind: LoopKind;
  /** Steps, 1 at least. */
  readonly count: number;
  /** Step as measured: milliseconds of `T`, micrometres of `Z`; `null` where unknown. */
  readonly measured: number | null;
  /** Step as it was asked for, in the same units; `null` where unknown. */
  readonly nominal: number | null;
  /** Names of the positions of the stage, empty for other loops. */
  readonly names: readonly (string | null)[];
}

/** A loop and how deep it is nested. */
interface NestedLoop extends Loop {
  readonly level: number;
}

const TYPE = { time: 1, positions: 2, focus: 4, spectral: 6, custom: 7, phases: 8 } as const;

/** Types that no known file has, so that nothing tells how their frames are counted. */
const UNKNOWN: Readonly<Record<number, string>> = {
  3: "discrete positions",
  5: "polar positions",
  9: "manual time points",
  10: "accurate focus planes",
};

/** The loops that a document states; none for a single frame. @throws {DecodeFailed} a loop that is not known */
export function loopsOf(experiment: VariantObject): readonly Loop[] {
  const found: NestedLoop[] = [];
  collect(experiment, 0, found);
  return found.map(({ level: _level, ...loop }) => loop);
}

/** Levels are nested no deeper than documents are. */
function collect(source: VariantObject, level: number, found: NestedLoop[]): void {
  const parameters = unwrapped(source.get("uLoopPars"));
  const loop = loopOf(source, parameters);
  // What runs over channels, and what has no steps, does not nest those inside of it.
  if (loop !== null) keep({ ...loop, level }, found);
  // Rare files have the inner levels below the phases of a time loop.
  const [phase] = itemsOf(parameters.get("pSubLoops"));
  const [below] = itemsOf(objectOf(phase).get("ppNextLevelEx"));
  if (below !== undefined) {
    const inner: NestedLoop[] = [];
    collect(unwrapped(below), 0, inner);
    found.push(...inner);
  }
  for (const next of itemsOf(source.get("ppNextLevelEx"))) {
    collect(levelOf(next), loop === null ? level : level + 1, found);
  }
}

/** A level, without what wraps it. */
const levelOf = (value: Variant) => objectOf(value).has("eType") ? objectOf(value) : unwrapped(value);

/** Of the same loop for each step of the one around it, the longest counts. */
function keep(loop: NestedLoop, found: NestedLoop[]): void {
  const last = found.at(-1);
  if (last === undefined || last.level < loop.level) found.push(loop);
  else if (last.level === loop.level && last.kind === loop.kind && last.count < loop.count) {
    found[found.length - 1] = loop;
  }
}

/** Checks the type of a loop. @throws {DecodeFailed} nothing tells how its frames are counted */
export function requireKnownLoop(type: number): void {
  const other = UNKNOWN[type];
  if (other !== undefined) throw new DecodeFailed(`the experiment loops over ${other}, which is not read`);
}

function loopOf(source: VariantObject, parameters: VariantObject): Loop | null {
  const type = numberIn(source, "eType") ?? 0;
  requireKnownLoop(type);
  const loop = type === TYPE.time
    ? timeLoop([parameters])
    : type === TYPE.positions
    ? positionLoop(parameters, flagsOf(source.get("pItemValid")))
    : type === TYPE.focus
    ? focusLoop(parameters)
    : type === TYPE.phases
    ? timeLoop(phasesOf(parameters))
    : type === TYPE.custom
    ? { kind: "U" as const, count: countIn(parameters, "uiCount"), ...NO_STEP }
    : null;
  return loop !== null && loop.count > 0 ? loop : null;
}

const NO_STEP = { measured: null, nominal: null, names: [] };

/** Those that flags do not mark as invalid; without flags all. */
function valid<T>(items: readonly T[], flags: readonly boolean[]): readonly T[] {
  return flags.length === 0 ? items : items.filter((_, i) => flags[i]);
}

function phasesOf(parameters: VariantObject): readonly VariantObject[] {
  const phases = itemsOf(parameters.get("pPeriod")).map(objectOf);
  return valid(phases, flagsOf(parameters.get("pPeriodValid")));
}

/** Time points of phases one after the other; the step is that of all of them together. */
function timeLoop(phases: readonly VariantObject[]): Loop {
  const counts = phases.map((phase) => countIn(phase, "uiCount"));
  const count = counts.reduce((sum, own) => sum + own, 0);
  const mean = (key: string) => {
    let [sum, steps] = [0, 0];
    for (const [i, phase] of phases.entries()) {
      const step = positiveIn(phase, key);
      const own = counts[i] ?? 0;
      if (step === null && own > 0) return null;
      [sum, steps] = [sum + own * (step ?? 0), steps + own];
    }
    return steps > 0 ? sum / steps : null;
  };
  return { kind: "T", count, measured: mean("dAvgPeriodDiff"), nominal: mean("dPeriod"), names: [] };
}

function focusLoop(parameters: VariantObject): Loop {
  const count = countIn(parameters, "uiCount");
  const range = (numberIn(parameters, "dZHigh") ?? 0) - (numberIn(parameters, "dZLow") ?? 0);
  const stated = Math.abs(numberIn(parameters, "dZStep") ?? 0);
  const step = stated > 0 ? stated : count > 1 ? Math.abs(range) / (count - 1) : 0;
  return { kind: "Z", count, measured: null, nominal: step > 0 ? step : null, names: [] };
}

/** Frames exist for valid positions only. Older files list coordinates by axis instead of points. */
function positionLoop(parameters: VariantObject, flags: readonly boolean[]): Loop {
  // Lists in XML may hold empty elements, which are no points.
  const points = itemsOf(parameters.get("Points")).map(objectOf).filter(({ size }) => size > 0);
  const stated = objectIn(parameters, "pPosName");
  const names = points.length > 0
    ? points.map((point) => textIn(point, "dPosName") ?? textIn(point, "pPosName"))
    : numberedIn(objectIn(parameters, "dPosX")).map(([key]) => textIn(stated, key));
  const left = valid(names, flags);
  const count = names.length > 0 ? left.length : countIn(parameters, "uiCount");
  return { kind: "P", count, measured: null, nominal: null, names: left };
}
