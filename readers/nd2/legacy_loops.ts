/** Loops of the experiment in files of JPEG 2000 boxes. */
import { DecodeFailed } from "../errors.ts";
import { type Loop, requireKnownLoop } from "./experiment.ts";
import { itemsOf, objectIn, objectOf, type VariantObject } from "./variant.ts";
import { holderOf, numberOf } from "./legacy_documents.ts";

/** Levels of an experiment that are followed. */
const MAX_LEVELS = 16;

const TYPE = { time: 1, positions: 2, focus: 4, custom: 7, phases: 8 } as const;

/** Sizes that the description of an image states, by letter: `T(3) x XY(4) x Z(5)`. */
function describedSizes(description: string | null): ReadonlyMap<string, number> {
  const line = /Dimensions:\s?([^\r\n]{1,300})/.exec(description ?? "")?.[1] ?? "";
  const found = Array.from(line.matchAll(/([A-Za-zλ]+)'?\((\d{1,9})\)/g));
  return new Map(found.map(([, name = "", count]) => [name === "S" ? "XY" : name, Number(count)]));
}

/**
 * The loops, outermost first. What the description states counts more than loops of time and of positions, which keep
 * what was asked for.
 *
 * @param description text for people, or `null`
 * @throws {DecodeFailed} a loop is not known
 */
export function legacyLoops(experiment: VariantObject, description: string | null): readonly Loop[] {
  const sizes = describedSizes(description);
  return levelsOf(experiment).flatMap((level) => {
    const loop = loopOf(level, sizes);
    if (loop === null || loop.count < 1) return [];
    const stated = Number(/Z Stack Loop: \d+\s+-\s+Step\s+([.\d]+)/.exec(description ?? "")?.[1]);
    return [loop.kind === "Z" && stated > 0 ? { ...loop, nominal: stated } : loop];
  });
}

/** Numbered loops beside each other, or a chain of loops inside of each other. */
function levelsOf(experiment: VariantObject): readonly VariantObject[] {
  const holder = holderOf(experiment, ["LoopNo00", "LoopPars"]);
  if (holder.has("LoopNo00")) {
    return [...holder].filter(([name]) => /^LoopNo\d+$/.test(name)).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, level]) => objectOf(level));
  }
  const levels: VariantObject[] = [];
  for (let level = holder; level.has("LoopPars") && levels.length < MAX_LEVELS;) {
    levels.push(level);
    level = holderOf(objectIn(level, "NextLevelEx"), ["LoopPars"]);
  }
  return levels;
}

function loopOf(level: VariantObject, sizes: ReadonlyMap<string, number>): Loop | null {
  const parameters = holderOf(objectIn(level, "LoopPars"), ["Count", "Period", "PosX", "ZStep"]);
  const type = numberOf(level, "Type");
  const loop = { measured: null, nominal: null, names: [] };
  if (type === TYPE.positions) {
    const points = objectIn(parameters, "PosX").size;
    return { ...loop, kind: "P", count: sizes.get("XY") ?? whole(numberOf(parameters, "Count")) ?? points };
  }
  if (type === TYPE.focus) {
    const count = whole(numberOf(parameters, "Count")) ?? 0;
    return { ...loop, kind: "Z", count, nominal: focusStep(parameters, count) };
  }
  if (type !== null) requireKnownLoop(type);
  if (type === TYPE.custom) throw new DecodeFailed("the experiment has a custom loop, which is not read");
  if (type !== TYPE.time && type !== TYPE.phases) return null;
  const phases = itemsOf(parameters.get("Period")).map(objectOf).filter((phase) => phase.size > 0);
  const stated = sizes.get("T");
  const fitting = phases.find((phase) => numberOf(phase, "Count") === stated) ?? phases[0] ??
    parameters;
  const period = numberOf(fitting, "Period");
  const measured = numberOf(fitting, "AvgPeriodDiff");
  return {
    ...loop,
    kind: "T",
    count: stated ?? whole(numberOf(fitting, "Count")) ?? 0,
    measured: measured !== null && measured > 0 ? measured : null,
    nominal: period !== null && period > 0 ? period : null,
  };
}

/** Micrometres between two of some planes: as stated, else by the range. */
function focusStep(parameters: VariantObject, count: number): number | null {
  const stated = Math.abs(numberOf(parameters, "ZStep") ?? 0);
  const range = (numberOf(parameters, "ZHigh") ?? 0) - (numberOf(parameters, "ZLow") ?? 0);
  return stated || (count > 1 ? Math.abs(range) / (count - 1) : 0) || null;
}

const whole = (value: number | null) =>
  value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
