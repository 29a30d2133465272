/**
 * The kinds of regions. A kind says how many there may be, how a drag draws and moves one, how it looks, and what its list
 * and its table say. Undo, storage, documents, lists and the editor treat all kinds alike.
 */
import {
  chooseUnitSymbol,
  formatDigits,
  formatQuantity,
  formatTableUnit,
  toPhysical,
} from "../../../measure/axes.ts";
import { LINE_ID, makeMeanOver } from "../../../measure/image_parts.ts";
import { makeColumn } from "../../../measure/measurement.ts";
import { formatVelocity, formatVelocityUnit, measureDrawnLine } from "../../../measure/flow/velocity.ts";
import { type SegmentPlace } from "../../../measure/line_scan.ts";
import { placeNames } from "./area_names.ts";
import { placeOfColumn } from "../picture/scan_path.ts";
import {
  type BandRegion,
  computeCorners,
  type End,
  KIND_NAMES,
  type KindName,
  type Region,
  type Size,
} from "./region.ts";
import { findShape, formatMeans, type Scan } from "./scan.ts";
import type { Column } from "../../../measure/csv.ts";
import { type Mark, measureLabel } from "../picture/marks.ts";
import type { Pane } from "../picture/pane.ts";
import type { PicturePoint } from "../picture/placed_view.ts";

/** Where regions are drawn. */
export type DrawingFrame = Pick<Pane, "toScreen" | "view" | "plot" | "zoom">;

/** A property that the user chooses for each region; it is kept and saved under its key. */
export interface Property {
  key: "color";
  /** Label of its field. */
  label: string;
  /** Names by values; a colour has none. */
  choices?: Readonly<Record<string, string>>;
}

const COLOR: Property = { key: "color", label: "Colour" };

/** Whether a stored value is one of a property. */
export const isValueOf = ({ choices }: Property, value: unknown): value is string =>
  typeof value === "string" &&
  (choices === undefined ? /^#[0-9a-f]{6}$/i.test(value) : Object.hasOwn(choices, value));

/** The value of a property; the first choice if the region states none. */
export const findPropertyValue = ({ key, choices = {} }: Property, region: Partial<Region>): string =>
  region[key] ?? Object.keys(choices)[0] ?? "";

/** What distinguishes a kind. */
export interface RegionKind {
  /** Start of the ids, and the name of the kind in summaries. */
  noun: string;
  /** Kind in documents. */
  type: "point" | "line" | "rectangle";
  /** Most regions of this kind in a picture. */
  most: number;
  /** Whether a new one replaces the last when there are `most`. */
  isReplaced?: boolean;
  /** Ids in place of numbered ones. */
  ids?: readonly string[];
  /** Axis that a region spans, along which its ends are null. */
  spans?: "x";
  /** Least number of ends. */
  least: number;
  /** Whether each of many ends is a point of its own. */
  isOpen?: boolean;
  /** Whether the ends are opposite corners. */
  isArea?: boolean;
  /** Whether documents hold the exact ends beside the nearest pixels. */
  isExact?: boolean;
  /** Whether a region belongs to the recording, also when another picture of it is shown. */
  isOfRecording?: boolean;
  /** Whether grips and keys leave it alone. */
  isFixed?: boolean;
  /** Says how to draw the first. */
  hint?: string;
  /** Properties besides name and place. */
  properties: readonly Property[];
  /** Name of a new region. */
  named: (number: number) => string;
  /** What stands for the name of a region without one. */
  unnamed: (region: Region) => string;
  /** Colour of a new region. */
  color: (number: number) => string;
  /** Names of the ends, such as `From` and `to`. */
  endNames: (count: number) => readonly string[];
  /** Ends after a drag; null if it draws nothing. */
  drawn: (from: PicturePoint, to: PicturePoint, size: Size) => End[] | null;
  /** Ends nearest to those that the user moved or typed. */
  moved: (region: Region, ends: readonly End[], size: Size) => readonly End[];
  /** The part that fits a picture of another size; null if none does. */
  fitted: (region: Region, size: Size) => Region | null;
  marks: (region: Region, frame: DrawingFrame) => Mark[];
  /** Place in words. */
  place: (region: Region, scan: Scan) => string;
  /** What is read out while it is drawn or moved. */
  reading?: (region: Region, scan: Scan) => string;
  /** Heads of its list, first that of the name; a list without heads shows colour and place. */
  heads: readonly string[];
  /** Cells of its list after the name. */
  cells: (region: Region, scan: Scan) => readonly string[];
  /** Columns of a saved table. */
  columns?: (regions: readonly Region[], scan: Scan) => readonly Column[];
}

/** Distinct on black and on white, also with most colour vision deficiencies (after Okabe and Ito 2008). */
const BAND_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#999999"];

const chooseBandColor = (number: number): string => BAND_COLORS[(number - 1) % BAND_COLORS.length]!;

const CURSOR_COLORS = ["#ffd54a", "#7fd6ff"];

const WHITE = "#ffffff";

/** Most regions of kinds that hide the picture in greater numbers. */
const MANY = 200;

/** Arm of the cross of a point, in CSS pixels. */
const ARM = 6;

const clampPlace = (place: number | null, low: number, high: number) =>
  Math.min(high, Math.max(low, Number(place)));

/** The middle of the pixel at a position. */
const centreOnPixel = ({ x, y }: End, [rows, columns]: Size): End => ({
  x: clampPlace(Math.floor(Number(x)), 0, rows - 1) + 0.5,
  y: clampPlace(Math.floor(Number(y)), 0, columns - 1) + 0.5,
});

const endsInside = ({ ends }: Region, [rows, columns]: Size) =>
  ends.every(({ x, y }) => clampPlace(x, 0, rows) === Number(x) && clampPlace(y, 0, columns) === Number(y));

/** Columns that lie at least partly between two positions: one or more. */
function columnsBetween(one: number, other: number, columns: number): End[] {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const from = clampPlace(Math.floor(low), 0, columns - 1);
  return [from, Math.min(columns, Math.max(from + 1, Math.ceil(high)))].map((y) => ({ x: null, y }));
}

/** A text that is readable on every picture. */
const label = (text: string, [x, y]: readonly number[], color: string): Mark[] =>
  text === "" ? [] : [{ text, at: [x!, y!], anchor: "start", color, halo: true }];

const projectEnds = ({ ends }: Region, frame: DrawingFrame) =>
  ends.map(({ x, y }) => frame.toScreen(Number(x), Number(y)));

const startAndEnd = () => ["Start", "End"];

/** What most kinds share: white lines with two ends. */
const BASE = {
  type: "line",
  most: Infinity,
  least: 2,
  properties: [],
  named: () => "",
  unnamed: ({ id }) => id,
  color: () => WHITE,
  endNames: startAndEnd,
  drawn: ({ x, y }, to) => x === to.x && y === to.y ? null : [{ x, y }, { x: to.x, y: to.y }],
  moved: (_region, ends) => ends,
  fitted: (region, size) => endsInside(region, size) ? region : null,
  heads: [],
  cells: () => [],
} satisfies Partial<RegionKind>;

const numberName = (name: string) => (region: Region) => {
  const number = readRegionNumber(region);
  return number === 0 ? region.id : `${name} ${number}`;
};

/** Labels of lines are short. */
const shortenTitle = (region: Region) => region.name || String(readRegionNumber(region) || region.id);

/** Time, distance and velocity between two ends. */
const velocityTexts = ([from, to]: readonly End[], { axes }: Scan) => {
  const { duration, distance, velocity } = measureDrawnLine(from as SegmentPlace, to as SegmentPlace, axes);
  return [
    formatQuantity(duration, axes[0]),
    formatQuantity(distance, axes[1]),
    formatVelocity(velocity, axes),
  ];
};

const readLine = (ends: readonly End[], scan: Scan) => {
  const [time, distance, velocity] = velocityTexts(ends, scan);
  return `Δt ${time} · Δx ${distance} · velocity ${velocity}`;
};

/** The first and the last end. */
const takeOuterEnds = ({ ends }: Region): readonly End[] => [ends[0]!, ends.at(-1)!];

/** From end to end of a track. */
const listTrackSegments = ({ ends }: Region) => ends.slice(1).map((to, i) => [ends[i]!, to] as const);

const whiteLine = (region: Region, frame: DrawingFrame): Mark[] => [
  { points: projectEnds(region, frame), width: 2, color: region.color, halo: true },
];

const BAND: RegionKind = {
  ...BASE,
  noun: "band",
  type: "rectangle",
  most: 24,
  spans: "x",
  hint: "Choose Band and drag up or down over the line scan",
  properties: [COLOR],
  named: (number) => `Band ${number}`,
  unnamed: () => "",
  color: chooseBandColor,
  endNames: () => ["From", "to"],
  drawn: (from, to, [, columns]) => columnsBetween(from.y, to.y, columns),
  /** An edge that passes the other pushes it along. */
  moved({ ends: [former] }, [from, to], [, columns]) {
    let [low, high] = [Math.round(Number(from?.y)), Math.round(Number(to?.y))];
    if (low >= high && low !== former?.y) high = low + 1;
    else if (low >= high) low = high - 1;
    return columnsBetween(low, high, columns);
  },
  fitted(region, [, columns]) {
    const [from, to] = region.ends.map(({ y }) => Number(y)) as [number, number];
    if (from >= columns) return null;
    return to <= columns ? region : { ...region, ends: columnsBetween(from, columns, columns) };
  },
  marks({ name, color, ends }, frame) {
    const { x0, x1 } = frame.view;
    const edges = ends.map(({ y }) => [frame.toScreen(x0, Number(y)), frame.toScreen(x1, Number(y))]);
    const [left, top] = [0, 1].map((i) => Math.min(...edges.flat().map((corner) => corner[i]!)));
    return [
      ...edges.map((points) => ({ points, color, width: 1.5, halo: true })),
      // White, as all labels are: few band colours are readable on every picture.
      ...label(name, [left! + 6, top! + 9], WHITE),
    ];
  },
  /** Outer edges of the pixels. */
  place({ ends }, { axes: [, space] }) {
    const [low, high] = ends.map(({ y }) =>
      formatDigits(Number(toPhysical(space, Number(y)).toPrecision(3)))
    );
    return `${low}–${high} ${chooseUnitSymbol(space.unit)}`;
  },
};

const LINE: RegionKind = {
  ...BASE,
  noun: "line",
  most: MANY,
  isExact: true,
  hint: "Choose Line and draw along a streak",
  unnamed: numberName("Line"),
  marks(region, frame) {
    const [[x0, y0], [x1, y1]] = projectEnds(region, frame) as [[number, number], [number, number]];
    return [
      ...whiteLine(region, frame),
      ...label(shortenTitle(region), [(x0 + x1) / 2 + 12, (y0 + y1) / 2], region.color),
    ];
  },
  place: ({ ends }, scan) => velocityTexts(ends, scan).join(", "),
  reading: ({ ends }, scan) => readLine(ends, scan),
  heads: ["", "Δt", "Δx", "Velocity"],
  cells: ({ ends }, scan) => velocityTexts(ends, scan),
  columns(lines, { axes }) {
    const [time, space] = axes;
    const found = lines.map(({ ends: [from, to] }) =>
      measureDrawnLine(from as SegmentPlace, to as SegmentPlace, axes)
    );
    return [
      { name: "Line", values: lines.map((line) => readRegionNumber(line) || line.id) },
      makeColumn("Start", lines, ({ ends }) => Math.min(...ends.map(({ x }) => Number(x))) - 0.5, time),
      { name: "Duration", unit: formatTableUnit(time), values: found.map(({ duration }) => duration) },
      { name: "Distance", unit: formatTableUnit(space), values: found.map(({ distance }) => distance) },
      { name: "Velocity", unit: formatVelocityUnit(axes), values: found.map(({ velocity }) => velocity) },
      ...lines.some(({ name }) => name !== "")
        ? [{ name: "Name", values: lines.map(({ name }) => name) }]
        : [],
    ];
  },
};

const TRACK: RegionKind = {
  ...BASE,
  noun: "track",
  most: MANY,
  isOpen: true,
  isExact: true,
  hint: "Choose Track and click from point to point along a streak; Enter or a double click ends it",
  unnamed: numberName("Track"),
  endNames: (count) => Array.from({ length: count }, (_, i) => `Point ${i + 1}`),
  marks(region, frame) {
    const points = projectEnds(region, frame);
    const [x, y] = points[0]!;
    return [
      ...whiteLine(region, frame),
      ...points.map((at) => ({ ring: [at[0], at[1], 3] as const, color: region.color, halo: true })),
      ...label(shortenTitle(region), [x + 8, y - 10], region.color),
    ];
  },
  place: (region, scan) =>
    `${region.ends.length} points, ${velocityTexts(takeOuterEnds(region), scan).join(", ")}`,
  reading: (region, scan) => `${region.ends.length} points · ${readLine(takeOuterEnds(region), scan)}`,
  heads: ["", "Points", "Δt", "Δx", "Velocity"],
  cells: (region, scan) => [String(region.ends.length), ...velocityTexts(takeOuterEnds(region), scan)],
  /** A row for each point, with the velocity from the point before. */
  columns(tracks, { axes }) {
    const [time, space] = axes;
    const rows = tracks.flatMap((track) => {
      const velocities = listTrackSegments(track).map(([from, to]) =>
        measureDrawnLine(from as SegmentPlace, to as SegmentPlace, axes)
      );
      return track.ends.map((end, i) => ({
        track,
        end,
        point: i + 1,
        velocity: velocities[i - 1]?.velocity ?? null,
      }));
    });
    return [
      { name: "Track", values: rows.map(({ track }) => nameRegion(track)) },
      { name: "Point", values: rows.map(({ point }) => point) },
      makeColumn("Time", rows, ({ end }) => Number(end.x) - 0.5, time),
      makeColumn("Position", rows, ({ end }) => Number(end.y) - 0.5, space),
      { name: "Velocity", unit: formatVelocityUnit(axes), values: rows.map(({ velocity }) => velocity) },
    ];
  },
};

/** Lists of regions in pixels of an image document. */
const IN_PIXELS = {
  ...BASE,
  isOfRecording: true,
  heads: ["Name", "Kind", "Column, row (px)"],
} satisfies Partial<RegionKind>;

/** A dashed outline. */
const drawOutline = ({ color }: Region, ...paths: [number, number][][]): Mark[] =>
  paths.map((points) => ({ points, width: 1.5, dash: "5 3", color, halo: true }));

/** A dashed outline with its name. */
const drawDashed = (region: Region, ...paths: [number, number][][]): Mark[] => [
  ...drawOutline(region, ...paths),
  ...label(nameRegion(region), [paths[0]![0]![0] + 6, paths[0]![0]![1] + 9], WHITE),
];

/** Corners of a rectangle in a picture, the first one again at the end. */
function listCorners(region: Region, frame: DrawingFrame): [number, number][] {
  const { start: [left, top], stop: [right, bottom] } = computeCorners(region);
  const corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]] as const;
  return corners.map(([column, row]) => frame.toScreen(row, column));
}

/** Names of all rectangles; those between neighbours show only their numbers. */
function rectangleNames(regions: readonly Region[], frame: DrawingFrame): Mark[] {
  const areas = regions.filter(({ kind }) => kind === "rectangle").map((region) => {
    const corners = listCorners(region, frame);
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    const box = {
      left: Math.min(...xs),
      top: Math.min(...ys),
      right: Math.max(...xs),
      bottom: Math.max(...ys),
    };
    const [title, number] = [nameRegion(region), readRegionNumber(region)];
    const isOwn = title !== RECTANGLE.named(number);
    return { box, name: title, short: isOwn ? title : String(number) };
  });
  return placeNames(areas, frame.plot, measureLabel).flatMap(({ text, at }) => label(text, at, WHITE));
}

const pixelText = ({ x, y }: End) => `${Math.floor(Number(y))}, ${Math.floor(Number(x))}`;

const RECTANGLE: RegionKind = {
  ...IN_PIXELS,
  noun: "rectangle",
  type: "rectangle",
  isArea: true,
  named: (number) => `Rectangle ${number}`,
  color: chooseBandColor,
  endNames: () => ["Start", "Stop"],
  drawn(from, to, [rows, columns]) {
    const edges = (one: number, other: number, size: number) => [
      Math.max(0, Math.floor(Math.min(one, other))),
      Math.min(size, Math.ceil(Math.max(one, other))),
    ];
    const [[top, bottom], [left, right]] = [edges(from.x, to.x, rows), edges(from.y, to.y, columns)];
    const ends = [{ x: top!, y: left! }, { x: bottom!, y: right! }];
    return right! <= left! || bottom! <= top! ? null : ends;
  },
  moved(region, ends) {
    const [start, stop] = ends.map(({ x, y }) => ({ x: Math.round(Number(x)), y: Math.round(Number(y)) }));
    return start!.x >= stop!.x || start!.y >= stop!.y ? region.ends : [start!, stop!];
  },
  marks: (region, frame) => drawOutline(region, listCorners(region, frame)),
  place: ({ ends }) => ends.map(pixelText).join(" to "),
  cells(region, scan) {
    const place = RECTANGLE.place(region, scan);
    if (scan.isLineScan) return ["rectangle", place];
    return [
      "rectangle",
      `${place}\nmean ${
        formatMeans(scan, makeMeanOver({ shape: findShape(scan), axes: scan.axes }, computeCorners(region)))
      }`,
    ];
  },
};

/** A line that no tool of this page draws. */
const SEGMENT: RegionKind = {
  ...IN_PIXELS,
  noun: "segment",
  endNames: () => ["Start", "Stop"],
  moved: (_region, ends, size) => ends.map((end) => centreOnPixel(end, size)),
  marks: (region, frame) => drawDashed(region, projectEnds(region, frame)),
  place: ({ ends }) => ends.map(pixelText).join(" to "),
  cells: ({ ends }) => ["line", ends.map(pixelText).join(" to ")],
};

/** A point that no tool of this page draws. */
const POINT: RegionKind = {
  ...IN_PIXELS,
  noun: "point",
  type: "point",
  least: 1,
  endNames: () => ["Start"],
  moved: (_region, ends, size) => ends.map((end) => centreOnPixel(end, size)),
  marks(region, frame) {
    const [x, y] = projectEnds(region, frame)[0]!;
    return drawDashed(region, [[x - ARM, y], [x + ARM, y]], [[x, y - ARM], [x, y + ARM]]);
  },
  place: ({ ends }) => ends.map(pixelText).join(),
  cells: ({ ends }) => ["point", ends.map(pixelText).join()],
};

/** The line over an image: the outermost centres of samples are its limits. */
const PATH: RegionKind = {
  ...BASE,
  noun: "kymograph",
  most: 1,
  isReplaced: true,
  ids: [LINE_ID],
  isOpen: true,
  isFixed: true,
  isExact: true,
  color: () => "#ffeb3b",
  drawn: (from, to, [rows, columns]) =>
    [from, to].map(({ x, y }) => ({
      x: clampPlace(x, 0.5, rows - 0.5),
      y: clampPlace(y, 0.5, columns - 0.5),
    })),
  marks(region, frame) {
    const points = projectEnds(region, frame);
    const wide = Math.max(1.5, (region.width ?? 1) * frame.zoom);
    return [
      { points, color: "rgba(255, 235, 59, 0.35)", width: wide },
      { points, color: region.color, width: 1.5, halo: true },
    ];
  },
  place: ({ ends }) => ends.map(pixelText).join(" to "),
};

const CURSOR: RegionKind = {
  ...BASE,
  noun: "cursor",
  type: "point",
  most: 2,
  isReplaced: true,
  ids: ["cursor-a", "cursor-b"],
  least: 1,
  unnamed: ({ id }) => id.slice(-1).toUpperCase(),
  color: (number) => CURSOR_COLORS[number - 1]!,
  endNames: () => ["At"],
  drawn: (at, _to, size) => [centreOnPixel(at, size)],
  moved: (_region, ends, size) => ends.map((end) => centreOnPixel(end, size)),
  fitted: (region, [rows, columns]) => endsInside(region, [rows, columns]) ? region : null,
  marks(region, frame) {
    const [x, y] = projectEnds(region, frame)[0]!;
    const { width, height } = frame.plot;
    const style = { color: region.color, halo: true };
    return [
      { points: [[x, 0], [x, height]], ...style },
      { points: [[0, y], [width, y]], ...style },
      ...label(nameRegion(region), [x + 6, y - 14], region.color),
    ];
  },
  place({ ends: [at] }, { axes: [time, space] }) {
    const places = [[time, at!.x], [space, at!.y]] as const;
    return places.map(([axis, place]) => formatQuantity((Number(place) - 0.5) * axis.step, axis, 5)).join(
      ", ",
    );
  },
};

/** The kinds by their names. */
export const KINDS: Readonly<Record<KindName, RegionKind>> = {
  band: BAND,
  line: LINE,
  track: TRACK,
  rectangle: RECTANGLE,
  segment: SEGMENT,
  point: POINT,
  path: PATH,
  cursor: CURSOR,
};

/** Name of a region, or what stands for it. */
export const nameRegion = (region: Region): string => region.name || KINDS[region.kind].unnamed(region);

/** Number in the id of a region that this page drew; 0 in others. */
export const readRegionNumber = ({ id, kind }: Pick<Region, "id" | "kind">): number =>
  Number(new RegExp(`^${KINDS[kind].noun}-([1-9]\\d{0,8})$`).exec(id)?.[1] ?? 0);

/** Marks of all regions over their picture. */
export const drawMarks = (regions: readonly Region[], frame: DrawingFrame): Mark[] => [
  ...KIND_NAMES.flatMap((name) =>
    regions.flatMap((region) => region.kind === name ? KINDS[name].marks(region, frame) : [])
  ),
  ...rectangleNames(regions, frame),
];

/** Marks over the parts of a scan path that belong to the bands. */
export function drawPathMarks(
  bands: readonly BandRegion[],
  path: readonly PicturePoint[],
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
