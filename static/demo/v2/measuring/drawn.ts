/**
 * What was drawn, pinned and measured in a picture, as JSON to be stored and undone. Drawings fit only a picture of the
 * same size.
 */
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { type About, type Scan, shapeOf } from "./scan.ts";
import { type Edit, keptItems } from "../../../measure/edits.ts";
import type { Settings } from "../../../measure/measurement.ts";
import type { Result } from "../../../measure/recording.ts";
import type { Place } from "../../../measure/velocity.ts";
import type { Band, Region } from "./bands.ts";
import type { Look, Viewer } from "../panels/viewer.ts";
import type { Over, ProjectionOf } from "../../../measure/stack.ts";
import type { TraceSettings } from "../../../measure/baseline.ts";

/** Settings, results and edits of one measurement. */
export interface KeptMeasurement {
  /** Id of the chosen band; empty for whole lines, {@linkcode ALL_BANDS} for all bands. */
  band: string;
  /** Index of the chosen channel. */
  channel: string;
  settings: Settings;
  /** The last result of each region and channel. */
  results: readonly Result[];
  edits: readonly Edit[];
  /** Scene and position of the results; null for the shown position. */
  place: string | null;
}

/** Stands for all bands where one can be chosen. */
export const ALL_BANDS = "all";

/** The line over an image, and its kymograph. */
export interface KeptKymograph {
  /** Points of the line, in samples of the images. */
  points: { x: number; y: number }[];
  width: number;
  /** Whether the kymograph is shown or being made. */
  isMade: boolean;
  /** Display settings and drawings of the kymograph. */
  look?: DrawnLook;
}

/** A line drawn over a streak, from one position of the picture to another. */
export type Line = { id: number; name?: string; from: Place; to: Place; region?: Region };

/** Pixel of the picture: `x` is its row, `y` its column. */
export type Cursor = { x: number; y: number; name?: string };

/** Means of a part of the images over time or focus. */
export interface KeptMeans {
  axis: Over;
  /** Id of a rectangle or the line; empty for the whole image. */
  part: string;
  /** Means of all channels; empty before a measurement. */
  rows: { place: number; values: (number | null)[] }[];
  channels: readonly string[];
  /** Describes the measurement. */
  about: About;
}

/** Everything that was drawn, pinned and measured in one picture. */
export interface Drawn {
  /** Shape of the plane. */
  shape: readonly [number, number];
  isLineScan: boolean;
  /** How traces are made; null if unknown. */
  traces: TraceSettings | null;
  bands: Band[];
  lines: readonly Line[];
  /** Results by the keys of the measurements. */
  measured?: Readonly<Record<string, KeptMeasurement | null>>;
  cursors: { pinned: Cursor[]; lines: number; columns: number };
  kymograph: KeptKymograph | null;
  images?: KeptMeans | null;
  /** The projection that is shown in place of the images. */
  projection?: ProjectionOf | null;
  /** Rectangles and regions that no tool draws. */
  regions?: readonly Region[] | undefined;
  /** The user's judgement; null if it equals that of the file. */
  accepted?: boolean | null | undefined;
  /** Mark of the documents that the drawings started from. */
  origin?: string | null | undefined;
}

/** Display of the pictures with what was drawn in them, as it is kept. */
export interface DrawnLook extends Look {
  drawn?: Drawn | null;
}

/** The look of the shown pictures, which {@linkcode MeasuredView} extends by drawings; null while nothing is shown. */
export const lookOf = (viewer: Viewer): DrawnLook | null => viewer.look;

/** Coordinate space of the regions in an image document: pixels. */
export const SPACE = "primary-image-full-resolution-pixels";

/** Most lines over a picture: more would hide it. */
export const MOST_LINES = 200;

/**
 * Checks that stored drawings fit a picture. A line scan may have gained rows, as during recording.
 *
 * @param kept drawings of this or another picture
 * @returns null if they do not fit
 */
export function drawnIn(kept: Drawn | null | undefined, scan: Scan): Drawn | null {
  if (kept?.isLineScan !== scan.isLineScan) return null;
  const [rows, columns] = shapeOf(scan);
  const [formerRows, formerColumns] = kept.shape;
  const isFit = formerColumns === columns && (scan.isLineScan ? formerRows <= rows : formerRows === rows);
  return isFit ? { ...kept, shape: [rows, columns] } : null;
}

/** Changes what is kept of each measurement. */
export const mapped = <Changed>(
  measured: Drawn["measured"],
  change: (one: KeptMeasurement, key: string) => Changed | null,
): Record<string, Changed | null> =>
  Object.fromEntries(Object.entries(measured ?? {}).map(([key, one]) => [key, one && change(one, key)]));

const turned = (place: readonly [number, number]) => [...place].reverse() as [number, number];

type Ends = Pick<Region, "position" | "start" | "stop">;

/** Exchanges rows and columns of a region, as for an image whose columns are lines. */
export function turnedRegion(region: Region): Region {
  const ends = ({ position, start, stop }: Ends) => ({
    ...position && { position: turned(position) },
    ...start && { start: turned(start) },
    ...stop && { stop: turned(stop) },
  });
  const { metadata } = region;
  const exact = metadata?.acq_server;
  return {
    ...region,
    ...ends(region),
    ...exact && { metadata: { ...metadata, acq_server: { ...exact, ...ends(exact) } } },
  };
}

/** Kept drawings without results, for other samples. */
export function withoutResults<Kept extends Drawn | null | undefined>(kept: Kept): Kept {
  if (!kept) return kept;
  const { kymograph, measured } = kept;
  const look = kymograph?.look && { ...kymograph.look, drawn: withoutResults(kymograph.look.drawn) };
  return {
    ...kept,
    ...measured && { measured: mapped(measured, (one) => ({ ...one, results: [], edits: [] })) },
    ...kept.images && { images: { ...kept.images, rows: [], about: [] } },
    kymograph: look ? { ...kymograph, look } : kymograph,
  };
}

/** Summary of what was drawn and measured, such as "2 bands, 1 line"; may be empty. */
export function drawnWords(kept: Partial<Drawn> | null | undefined): string {
  if (!kept) return "";
  const words = ([
    ["band", kept.bands],
    ["line", kept.lines],
    ...MEASUREMENTS.map((measurement) => {
      const { results = [], edits = [] } = kept.measured?.[measurement.key] ?? {};
      const items = results.flatMap((result) => keptItems(measurement, result, edits).items);
      return [measurement.noun, items] as const;
    }),
    ["cursor", kept.cursors?.pinned],
    ["image mean", kept.images?.rows],
    ["region", kept.regions],
  ] as const).flatMap(([name, { length = 0 } = []]) =>
    length === 0 ? [] : [`${length} ${length === 1 ? name : name.replace(/y$/, "ie") + "s"}`]
  );
  const line = (kept.kymograph?.points?.length ?? 0) > 0 ? ["kymograph"] : [];
  const inside = drawnWords(kept.kymograph?.look?.drawn);
  const projected = kept.projection ? ["projection"] : [];
  const judged = typeof kept.accepted === "boolean" ? [kept.accepted ? "accepted" : "not accepted"] : [];
  return [...words, ...line, ...projected, ...(inside === "" ? [] : [inside]), ...judged].join(", ");
}

/** Like {@linkcode drawnWords}, without the judgement and, for a line scan, without regions that no tool draws. */
export const drawingWords = (kept: Drawn | null | undefined): string =>
  kept ? drawnWords({ ...kept, accepted: null, regions: kept.isLineScan ? [] : kept.regions }) : "";
