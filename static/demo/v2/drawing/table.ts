/** New regions, ids and parts of a table of regions, by their kinds. */
import { type Part, partsOf } from "../../../measure/image_parts.ts";
import { KINDS, numberOf, titleOf } from "./kinds.ts";
import {
  ALL_BANDS,
  ALL_REGIONS,
  cornersOf,
  type End,
  KIND_NAMES,
  type KindName,
  lineOver,
  ofKinds,
  type Region,
} from "./region.ts";

/**
 * A new region with an id, a name and a colour of its own; null beyond the most regions of its kind, unless it
 * replaces the last of them.
 */
export function newRegion(
  regions: readonly Region[],
  kind: KindName,
  ends: readonly End[],
  properties: Partial<Region> = {},
): Region | null {
  const { noun, most, isReplaced = false, ids, named, color } = KINDS[kind];
  const own = ofKinds(regions, kind);
  if (own.length >= most && !isReplaced) return null;
  const used = new Set(regions.map(({ id }) => id));
  const number = 1 + Math.max(0, ...own.map(numberOf));
  const id = ids === undefined
    ? freeId(`${noun}-`, number, used)
    : ids.find((id) => !used.has(id)) ?? ids.at(-1)!;
  const rank = ids === undefined ? number : 1 + ids.indexOf(id);
  return { kind, name: named(rank), color: color(rank), ends, ...properties, id };
}

function freeId(start: string, number: number, used: ReadonlySet<string>) {
  let free = number;
  while (used.has(`${start}${free}`)) free += 1;
  return `${start}${free}`;
}

/** Ids that stand for whole lines or images, and for all bands or regions, where one can be chosen. */
const RESERVED = ["", ALL_BANDS, ALL_REGIONS];

/**
 * The table with distinct ids, none of which stands for something else: of two regions with the same id, the one that no
 * tool draws takes another.
 */
export function distinct(regions: readonly Region[]): Region[] {
  const used = new Set(RESERVED);
  const renamed = new Map<Region, Region>();
  for (const region of regions.toSorted((a, b) => Number(isOfRecording(a)) - Number(isOfRecording(b)))) {
    let { id } = region;
    while (used.has(id)) id += "-other";
    used.add(id);
    renamed.set(region, id === region.id ? region : { ...region, id });
  }
  return regions.map((region) => renamed.get(region)!);
}

/** Whether a region belongs to the recording, also when another picture of it is shown. */
export const isOfRecording = ({ kind }: Region): boolean => KINDS[kind].isOfRecording === true;

/** Parts of an image that can be measured. */
export const partsIn = (regions: readonly Region[]): Part[] =>
  partsOf({
    kymograph: lineOver(regions),
    regions: ofKinds(regions, "rectangle").map((region) => ({
      id: region.id,
      name: titleOf(region),
      type: "rectangle",
      ...cornersOf(region),
    })),
  });

/** Whether a stored value is a region that can be drawn. */
export function isRegion(value: unknown): value is Region {
  const { id, kind, name, color, ends } = (value ?? {}) as Record<keyof Region, unknown>;
  if (![id, name, color].every((text) => typeof text === "string")) return false;
  if (!KIND_NAMES.includes(kind as KindName) || !Array.isArray(ends)) return false;
  const { least, spans } = KINDS[kind as KindName];
  return ends.length >= least &&
    ends.every((end: Partial<End> | null) =>
      (["x", "y"] as const).every((axis) =>
        axis === spans ? end?.[axis] === null : Number.isFinite(end?.[axis])
      )
    );
}
