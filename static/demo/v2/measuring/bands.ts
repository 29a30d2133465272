/** Bands of a line scan (ranges of columns with a name and a colour) and their traces. */
import { traceOf } from "../../../measure/band_trace.ts";
import { placeOfColumn } from "../picture/scan_path.ts";
import type { Region as MeasuredRegion } from "../../../measure/recording.ts";
import type { Mark } from "../picture/marks.ts";
import type { Pane } from "../picture/pane.ts";
import type { Point } from "../picture/placed_view.ts";
import type { Baseline, TraceSettings } from "../../../measure/baseline.ts";

/** What programs note at a region. */
export interface RegionMetadata {
  [key: string]: unknown;
  /** Ends of a line between pixels. */
  acq_server?: Pick<Region, "start" | "stop">;
  acq_viewer?: { color?: string; points?: unknown; width?: unknown };
}

/** Region of an image document, as a program wrote it. */
export interface Region {
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
  id: number;
  name: string;
  /** CSS. */
  color: string;
  /** First column. */
  from: number;
  /** End, not included. */
  to: number;
  /** Set if another program wrote the band. */
  region?: Region;
}

/** The band as measurements take it. */
export const regionOf = ({ id, name, from, to }: Band): MeasuredRegion => ({
  id: String(id),
  name,
  columns: [from, to],
});

/** The trace of a band in one channel, one value per line. */
export type Trace = ReturnType<typeof tracesOf>[number];

/** Distinct on black and on white, also with most colour vision deficiencies (after Okabe and Ito 2008). */
const BAND_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#999999"];

/** Dashes distinguish channels, colours distinguish bands. */
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

/** Most bands: more curves are slow and hard to distinguish. */
export const MOST_BANDS = 24;

/** The band with a number, between two edges in columns; it includes every column that it touches. */
export const numberedBand = (id: number, from: number, to: number, columns: number): Band => ({
  id,
  name: `Band ${id}`,
  color: BAND_COLORS[(id - 1) % BAND_COLORS.length] as string,
  ...columnsBetween(from, to, columns),
});

/** Moves both edges to the nearest pixel edges; an edge that passes the other pushes it along. */
export function movedEdges(
  band: Band,
  from: number,
  to: number,
  columns: number,
): { from: number; to: number } {
  let [low, high] = [Math.round(from), Math.round(to)];
  if (low >= high && low !== band.from) high = low + 1;
  else if (low >= high) low = high - 1;
  return columnsBetween(low, high, columns);
}

/** Columns that lie at least partly between two positions: one or more. */
export function columnsBetween(one: number, other: number, columns: number): { from: number; to: number } {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const from = Math.min(columns - 1, Math.max(0, Math.floor(low)));
  return { from, to: Math.min(columns, Math.max(from + 1, Math.ceil(high))) };
}

/** Traces of all bands and shown channels, with colours for bands and dashes for channels; one value per line. */
export function tracesOf(
  { plane: { shape, axes }, shown }: {
    plane: { shape: readonly [number, number]; axes: readonly { step: number }[] };
    shown: readonly { name: string; samples: Float32Array }[];
  },
  bands: readonly Band[],
  settings: TraceSettings,
): {
  name: string;
  band: Band;
  channel: string;
  color: string;
  dash: string;
  values: Float64Array<ArrayBufferLike>;
  baseline: number;
  f0: Baseline;
}[] {
  return bands.flatMap((band) =>
    shown.map(({ name: channel, samples }, i) => {
      const { values, baseline, f0 } = traceOf(
        { samples, shape },
        [band.from, band.to],
        settings,
        axes[0]!.step,
      );
      const dash = DASHES[i % DASHES.length] as string;
      const name = shown.length > 1 ? `${band.name} · ${channel}` : band.name;
      return { name, band, channel, color: band.color, dash, values, baseline, f0 };
    })
  );
}

/** Marks of bands over the line scan. */
export function bandMarks(bands: readonly Band[], pane: Pane): Mark[] {
  const { x0, x1 } = pane.view;
  return bands.flatMap(({ name, color, from, to }) => {
    const edges = [from, to].map((y) => [pane.toScreen(x0, y), pane.toScreen(x1, y)] as const);
    const corners = edges.flat();
    const [left, top] = [0, 1].map((i) => Math.min(...corners.map((corner) => corner[i]!))) as [
      number,
      number,
    ];
    // White, as all labels are: few band colours are readable on every picture.
    const label: Mark[] = name === ""
      ? []
      : [{ text: name, at: [left + 6, top + 9], anchor: "start", color: "#fff", halo: true }];
    return [...edges.map((points) => ({ points, color, width: 1.5, halo: true })), ...label];
  });
}

/** Marks over the parts of the path that belong to the bands. */
export function pathMarks(
  bands: readonly Band[],
  path: readonly Point[],
  columns: number,
  pane: Pane,
): Mark[] {
  if (path.length === 0) return [];
  return bands.map(({ from, to, color }) => {
    const places = Array.from({ length: to - from }, (_, i) => placeOfColumn(path, columns, from + i));
    const points = places.map(({ x, y }) => pane.toScreen(y + 0.5, x + 0.5));
    if (points.length === 1) points.push([points[0]![0] + 2, points[0]![1]]);
    return { points, color, width: 4, halo: true };
  });
}
