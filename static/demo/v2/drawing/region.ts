/** The table of what is drawn in a picture, and functions of it. Tables are immutable: a change makes another one. */
import { LINE_ID, type Part, partsOf } from "../../../measure/image_parts.ts";
import type { Region as MeasuredRegion } from "../../../measure/recording.ts";
import { KIND_NAMES, type KindName, KINDS } from "./kinds.ts";

/** Position in the picture, `x` along its rows; null along an axis that the region spans. */
export type End = { readonly x: number | null; readonly y: number | null };

/** `[rows, columns]`. */
export type Size = readonly [number, number];

/** What is drawn: a band, a line, a cursor and so on. */
export interface Region {
  /** Unique in the table; the id of its region in documents. */
  readonly id: string;
  readonly kind: KindName;
  /** May be empty. */
  readonly name: string;
  /** CSS. */
  readonly color: string;
  readonly ends: readonly End[];
  /** Samples across the line over an image. */
  readonly width?: number;
  /** The region as another program wrote it. */
  readonly written?: WrittenRegion;
}

/** What programs note at a region. */
export interface RegionMetadata {
  [key: string]: unknown;
  /** Ends of a line between pixels, and the points of a track. */
  acq_server?: {
    start?: readonly [number, number];
    stop?: readonly [number, number];
    points?: readonly (readonly [number, number])[];
  };
  acq_viewer?: { [key: string]: unknown; points?: unknown; width?: unknown };
}

/** Region of an image document. */
export interface WrittenRegion {
  id: string;
  type: "point" | "line" | "rectangle";
  name?: string;
  coordinate_space: string;
  /** Position of a point. */
  position?: readonly [column: number, row: number];
  /** Start of a line or rectangle. */
  start?: readonly [column: number, row: number];
  /** End of a line; of a rectangle, the first pixel outside. */
  stop?: readonly [column: number, row: number];
  /** Entries of any program; this page adds its own. */
  metadata?: RegionMetadata;
}

/** A range of columns of a line scan. */
export interface Band {
  id: string;
  name: string;
  /** CSS. */
  color: string;
  /** First column. */
  from: number;
  /** End, not included. */
  to: number;
}

/** Regions of these kinds, in the order of the table. */
export const ofKinds = (regions: readonly Region[], ...kinds: readonly KindName[]): Region[] =>
  regions.filter(({ kind }) => kinds.includes(kind));

/** The region with an id. */
export const regionWith = (regions: readonly Region[], id: string | null): Region | undefined =>
  regions.find((region) => region.id === id);

/** The table with a region in place of the one with its id, or at its end. */
export const withRegion = (regions: readonly Region[], region: Region): Region[] =>
  regions.some(({ id }) => id === region.id)
    ? regions.map((other) => other.id === region.id ? region : other)
    : [...regions, region];

/** The table without a region. */
export const withoutRegion = (regions: readonly Region[], id: string): Region[] =>
  regions.filter((region) => region.id !== id);

/** Name of a region, or what stands for it. */
export const titleOf = (region: Region): string => region.name || KINDS[region.kind].unnamed(region);

/** Number in the id of a region that this page drew; 0 in others. */
export const numberOf = ({ id, kind }: Pick<Region, "id" | "kind">): number =>
  Number(new RegExp(`^${KINDS[kind].noun}-([1-9]\\d{0,8})$`).exec(id)?.[1] ?? 0);

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

/** The table with distinct ids: of two regions with the same id, the one that no tool draws takes another. */
export function distinct(regions: readonly Region[]): Region[] {
  const used = new Set<string>();
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

/** Exchanges rows and columns of a region, as for an image whose columns are lines. */
export const turned = (region: Region): Region => ({
  ...region,
  ends: region.ends.map(({ x, y }) => ({ x: y, y: x })),
});

/** The band as measurements take it. */
export const regionOf = ({ id, name, from, to }: Band): MeasuredRegion => ({ id, name, columns: [from, to] });

const bands = new WeakMap<Region, Band>();

/** The bands; the same object for the same region. */
export const bandsOf = (regions: readonly Region[]): Band[] =>
  ofKinds(regions, "band").map((region) => {
    const { id, name, color, ends: [from, to] } = region;
    const band = bands.get(region) ?? { id, name, color, from: Number(from?.y), to: Number(to?.y) };
    bands.set(region, band);
    return band;
  });

/** The line over an image, in samples whose centres are integers, `x` along columns; null without one. */
export function lineOver(
  regions: readonly Region[],
): { points: { x: number; y: number }[]; width: number } | null {
  const line = regionWith(regions, LINE_ID);
  if (line?.kind !== "path") return null;
  const points = line.ends.map(({ x, y }) => ({ x: Number(y) - 0.5, y: Number(x) - 0.5 }));
  return { points, width: line.width ?? 1 };
}

/** Corners of a rectangle in pixels, `[column, row]`; `stop` is excluded. */
export function cornersOf(
  { ends: [start, stop] }: Region,
): { start: [number, number]; stop: [number, number] } {
  return { start: [Number(start?.y), Number(start?.x)], stop: [Number(stop?.y), Number(stop?.x)] };
}

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
