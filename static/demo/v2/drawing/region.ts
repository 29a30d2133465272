/** The regions that are drawn in a picture, in an immutable table: a change makes another one. */
import { makeNamesDistinct } from "../../../measure/part_names.ts";
import { LINE_ID } from "../../../measure/image_parts.ts";

/** In the order in which they are drawn over the picture. */
export const KIND_NAMES = [
  "band",
  "line",
  "track",
  "rectangle",
  "segment",
  "point",
  "path",
  "cursor",
] as const;

/** Name of a kind. */
export type KindName = typeof KIND_NAMES[number];

/** Position in the picture, `x` along its rows; null along an axis that the region spans. */
export type End = { readonly x: number | null; readonly y: number | null };

/** `[rows, columns]`. */
export type Size = readonly [number, number];

/** Stands for all bands where one can be chosen. */
export const ALL_BANDS = "*";

/** Stands for all regions of an image where a part can be chosen. */
export const ALL_REGIONS = "*";

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
export interface BandRegion {
  id: string;
  name: string;
  /** CSS. */
  color: string;
  /** First column. */
  from: number;
  /** End, not included. */
  to: number;
  /** Name and place in the images whose means the columns are. */
  place?: string;
}

/** Regions of these kinds, in the order of the table. */
export const selectKinds = (regions: readonly Region[], ...kinds: readonly KindName[]): Region[] =>
  regions.filter(({ kind }) => kinds.includes(kind));

/** The region with an id. */
export const findRegion = (regions: readonly Region[], id: string | null): Region | undefined =>
  regions.find((region) => region.id === id);

/** The table with a region in place of the one with its id, or at its end. */
export const withRegion = (regions: readonly Region[], region: Region): Region[] =>
  regions.some(({ id }) => id === region.id)
    ? regions.map((other) => other.id === region.id ? region : other)
    : [...regions, region];

/** The table without a region. */
export const withoutRegion = (regions: readonly Region[], id: string): Region[] =>
  regions.filter((region) => region.id !== id);

/** Exchanges rows and columns of a region, as for an image whose columns are lines. */
export const turnRegion = (region: Region): Region => ({
  ...region,
  ends: region.ends.map(({ x, y }) => ({ x: y, y: x })),
});

const bands = new WeakMap<Region, BandRegion>();

/** The bands, with names by which tables tell them apart; the same object for the same region and name. */
export function selectBands(regions: readonly Region[]): BandRegion[] {
  const drawn = selectKinds(regions, "band");
  const names = makeNamesDistinct(drawn.map(({ name }) => name), "Band");
  return drawn.map((region, i) => {
    const { id, color, ends: [from, to] } = region;
    const known = bands.get(region);
    if (known !== undefined && known.name === names[i]) return known;
    const band: BandRegion = { id, name: names[i]!, color, from: Number(from?.y), to: Number(to?.y) };
    bands.set(region, band);
    return band;
  });
}

/** The line over an image, in samples whose centres are integers, `x` along columns; null without one. */
export function findLineOver(
  regions: readonly Region[],
): { points: { x: number; y: number }[]; width: number } | null {
  const line = findRegion(regions, LINE_ID);
  if (line?.kind !== "path") return null;
  const points = line.ends.map(({ x, y }) => ({ x: Number(y) - 0.5, y: Number(x) - 0.5 }));
  return { points, width: line.width ?? 1 };
}

/** Corners of a rectangle in pixels, `[column, row]`; `stop` is excluded. */
export function computeCorners(
  { ends: [start, stop] }: Region,
): { start: [number, number]; stop: [number, number] } {
  return { start: [Number(start?.y), Number(start?.x)], stop: [Number(stop?.y), Number(stop?.x)] };
}
