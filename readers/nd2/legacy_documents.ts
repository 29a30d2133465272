/**
 * Files from before 2010: JPEG 2000 boxes (ITU-T T.800, annex I), at the end a map with the purpose of each box, XML documents with
 * names of several versions, and the loops that they describe.
 */
import { Buffer } from "node:buffer";
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { type Loop, LOOP_TYPE, requireKnownLoop } from "./experiment.ts";
import { MAX_METADATA_BYTES } from "./metadata.ts";
import {
  countIn,
  itemsOf,
  numberIn,
  objectIn,
  objectOf,
  positiveIn,
  type Variant,
  type VariantObject,
} from "./variant.ts";

const MAP_SIGNATURE = "LABORATORY IMAGING ND BOX MAP 00";
const TAIL_BYTES = 40;
const BOX_HEAD_BYTES = 8;
const ENTRY_BYTES = 16;

/** Largest number of boxes in a file: three with metadata per frame, and one per channel of each frame. */
const MAX_BOXES = 1_000_000;

/** Purpose of boxes with a codestream. */
export const CODESTREAM = "LUNK";

/** Purposes of metadata boxes; those of later frames repeat the first. */
export const DOCUMENTS: readonly string[] = ["VIMD", "VCAL", "ACAL", "AIM1", "AIMD", "ARTT", "TINF", "IEVE"];

const READ = new Set([CODESTREAM, ...DOCUMENTS]);

/** The content of a box. */
export interface Box {
  readonly offset: number;
  readonly length: number;
}

/** Distance of the map from the end of the file, or `null`. */
function mapDistance(file: ByteSource): number | null {
  if (file.size < TAIL_BYTES) return null;
  const tail = Buffer.from(file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file"));
  const signed = tail.toString("latin1", 0, MAP_SIGNATURE.length) === MAP_SIGNATURE;
  return signed ? Number(tail.readBigUInt64LE(MAP_SIGNATURE.length)) : null;
}

/** True for a file that ends with the offset of a map. */
export const hasBoxMap = (file: ByteSource): boolean => mapDistance(file) !== null;

/** Offsets of boxes, by purpose, in file order. */
export type BoxMap = ReadonlyMap<string, readonly number[]>;

/** Offsets of the boxes in the map. @throws {DecodeFailed} the map is missing or damaged */
export function readBoxMap(file: ByteSource): BoxMap {
  const distance = mapDistance(file);
  if (distance === null) throw new DecodeFailed("the file does not end with a box map");
  const place = file.size - distance;
  const count = Buffer.from(file.read(place, 4, "the box map")).readUInt32BE(0);
  if (count > MAX_BOXES) throw new DecodeFailed(`the file has more than ${MAX_BOXES} boxes`);
  const entries = Buffer.from(file.read(place + 4, count * ENTRY_BYTES, "the box map").buffer);
  const found = new Map<string, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const purpose = entries.toString("latin1", at + 4, at + 8);
    if (!READ.has(purpose)) continue;
    found.getOrInsertComputed(purpose, () => []).push(Number(entries.readBigUInt64LE(at + 8)));
  }
  return found;
}

/** The content of the box at an offset. @throws {DecodeFailed} it lies outside the file */
export function boxAt(file: ByteSource, at: number, purpose: string): Box {
  const what = `box ${quoted(purpose)}`;
  const head = Buffer.from(file.read(at, BOX_HEAD_BYTES, what));
  const length = head.readUInt32BE(0) || file.size - at;
  file.require(at + BOX_HEAD_BYTES, length - BOX_HEAD_BYTES, what);
  return { offset: at + BOX_HEAD_BYTES, length: length - BOX_HEAD_BYTES };
}

/** The bytes of the first document of a purpose, or `null`. @throws {DecodeFailed} the document is too long or incomplete */
export function documentBytes(file: ByteSource, boxes: BoxMap, purpose: string): Uint8Array | null {
  const at = boxes.get(purpose)?.[0];
  if (at === undefined) return null;
  const { offset, length } = boxAt(file, at, purpose);
  if (length > MAX_METADATA_BYTES) {
    throw new DecodeFailed(
      `box ${quoted(purpose)} at ${at} has ${length} bytes, more than ${MAX_METADATA_BYTES}`,
    );
  }
  return file.read(offset, length, `box ${quoted(purpose)}`);
}

/** A name without the prefix for its type: `uiCount` equals `Count`. */
export const plainName = (name: string): string => name.replace(/^[a-z_]+/, "") || name;

const MAX_WRAPPERS = 8;

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

const MAX_LEVELS = 16;

/** The loops, outermost first. Sizes in the description take precedence over requested ones. @throws {DecodeFailed} unknown loops */
export function legacyLoops(experiment: VariantObject, description: string | null): readonly Loop[] {
  // Such as `T(3) x XY(4) x Z(5)`.
  const line = /Dimensions:\s?([^\r\n]{1,300})/.exec(description ?? "")?.[1] ?? "";
  const found = Array.from(line.matchAll(/([A-Za-zλ]+)'?\((\d{1,9})\)/g));
  const sizes = new Map(found.map(([, name = "", count]) => [name === "S" ? "XY" : name, Number(count)]));
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
  const type = numberIn(level, "Type") ?? 0;
  const count = countIn(parameters, "Count");
  const loop = { measured: null, nominal: null, names: [] };
  if (type === LOOP_TYPE.positions) {
    return { ...loop, kind: "P", count: sizes.get("XY") ?? (count || objectIn(parameters, "PosX").size) };
  }
  if (type === LOOP_TYPE.focus) {
    const [low, high, step] = ["ZLow", "ZHigh", "ZStep"].map((name) => numberIn(parameters, name) ?? 0);
    // Without a step the range counts.
    const fromRange = count > 1 ? (high! - low!) / (count - 1) : 0;
    return { ...loop, kind: "Z", count, nominal: Math.abs(step || fromRange) || null };
  }
  requireKnownLoop(type);
  if (type === LOOP_TYPE.custom) {
    throw new DecodeFailed("the experiment has a custom loop, which is not supported");
  }
  if (type !== LOOP_TYPE.time && type !== LOOP_TYPE.phases) return null;
  const phases = itemsOf(parameters.get("Period")).map(objectOf).filter((phase) => phase.size > 0);
  const stated = sizes.get("T");
  const fitting = phases.find((phase) => numberIn(phase, "Count") === stated) ?? phases[0] ?? parameters;
  return {
    ...loop,
    kind: "T",
    count: stated ?? countIn(fitting, "Count"),
    measured: positiveIn(fitting, "AvgPeriodDiff"),
    nominal: positiveIn(fitting, "Period"),
  };
}
