/** Documents of files with JPEG 2000 boxes, which are XML with names of several versions; and the loops that they describe. */
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { XmlElement, XmlLimits } from "../metadata/xml.ts";
import type { Warning } from "../warning.ts";
import { parseXmlTree } from "./clx_xml.ts";
import { type Loop, requireKnownLoop } from "./experiment.ts";
import { boxAt, type BoxMap } from "./legacy_boxes.ts";
import { MAX_METADATA_BYTES } from "./metadata.ts";
import { EMPTY, itemsOf, objectIn, objectOf, type Variant, type VariantObject } from "./variant.ts";

/** Largest number of wrappers around a document. */
const MAX_WRAPPERS = 8;

/** Attributes that describe an element but are not values. */
const ABOUT = new Set(["runtype", "version", "value"]);

/**
 * The document in a box; empty if it is missing.
 *
 * @param limits counted down
 * @throws {DecodeFailed} the document is damaged, or above a limit
 */
export function documentOf(
  file: ByteSource,
  boxes: BoxMap,
  purpose: string,
  limits: XmlLimits,
  warnings: Warning[],
): VariantObject {
  const at = boxes.get(purpose)?.[0];
  if (at === undefined) return EMPTY;
  const bytes = documentBytes(file, at, purpose);
  return objectOf(valueOf(parseXmlTree(bytes, `box ${quoted(purpose)}`, limits, warnings)));
}

/** The bytes of a document. @throws {DecodeFailed} the document is too long or incomplete */
export function documentBytes(file: ByteSource, at: number, purpose: string): Uint8Array {
  const { offset, length } = boxAt(file, at, purpose);
  if (length > MAX_METADATA_BYTES) {
    throw new DecodeFailed(
      `box ${quoted(purpose)} at ${at} has ${length} bytes, more than ${MAX_METADATA_BYTES}`,
    );
  }
  return file.read(offset, length, `box ${quoted(purpose)}`);
}

/** A name without the prefix for its type: `uiCount` equals `Count`. */
const plainName = (name: string) => name.replace(/^[a-z_]+/, "") || name;

function valueOf(element: XmlElement): Variant {
  const { attributes, children, text } = element;
  if (attributes.value !== undefined) return attributes.value;
  const object = new Map<string, Variant>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!ABOUT.has(name)) object.set(plainName(name), value);
  }
  for (const child of children) {
    const name = plainName(child.name);
    object.set(object.has(name) ? `${name} ${object.size}` : name, valueOf(child));
  }
  return object.size === 0 && text !== "" ? text : object;
}

/** The object inside wrappers that has one of these names; else the innermost object. */
export function holderOf(value: VariantObject, names: readonly string[]): VariantObject {
  let object = value;
  for (let depth = 0; depth < MAX_WRAPPERS && !names.some((name) => object.has(name)); depth += 1) {
    const inner = [...object].filter(([name, one]) => one instanceof Map && name !== "UnknownData");
    const only = inner[0]?.[1];
    if (inner.length !== 1 || only === undefined) break;
    object = objectOf(only);
  }
  return object;
}

/** The finite number with this name, or `null`. */
export function numberOf(object: VariantObject, name: string): number | null {
  const value = object.get(name);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** The first text in a value that begins with `start`, or `null`. */
export function textStarting(value: Variant | undefined, start: string): string | null {
  if (typeof value === "string") return value.startsWith(start) ? value : null;
  if (!(value instanceof Map)) return null;
  for (const one of value.values()) {
    const found = textStarting(one, start);
    if (found !== null) return found;
  }
  return null;
}

/** Largest number of levels of an experiment. */
const MAX_LEVELS = 16;

const TYPE = { time: 1, positions: 2, focus: 4, custom: 7, phases: 8 } as const;

/** Sizes in an image description such as `T(3) x XY(4) x Z(5)`. */
function describedSizes(description: string | null): ReadonlyMap<string, number> {
  const line = /Dimensions:\s?([^\r\n]{1,300})/.exec(description ?? "")?.[1] ?? "";
  const found = Array.from(line.matchAll(/([A-Za-zλ]+)'?\((\d{1,9})\)/g));
  return new Map(found.map(([, name = "", count]) => [name === "S" ? "XY" : name, Number(count)]));
}

/**
 * The loops, outermost first. Loops of time and positions hold requested sizes, so sizes in the description take precedence.
 *
 * @param description text for users, or `null`
 * @throws {DecodeFailed} an unknown loop
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

/** The levels of an experiment: numbered loops side by side, or a chain of nested loops. */
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
  if (type === TYPE.custom) {
    throw new DecodeFailed("the experiment has a custom loop, which is not supported");
  }
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

/** Micrometres between focus planes: the stated step, else from the range. */
function focusStep(parameters: VariantObject, count: number): number | null {
  const stated = Math.abs(numberOf(parameters, "ZStep") ?? 0);
  const range = (numberOf(parameters, "ZHigh") ?? 0) - (numberOf(parameters, "ZLow") ?? 0);
  return stated || (count > 1 ? Math.abs(range) / (count - 1) : 0) || null;
}

const whole = (value: number | null) =>
  value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
