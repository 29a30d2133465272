/** Measures one scene of a recording into rows and tables, or a TIFF, for `acq-server measure`. */
import { isTime, tableUnit } from "../static/measure/axes.ts";
import { NEW_TRACE, traceFacts, traceOf } from "../static/measure/light/band_trace.ts";
import type { TraceSettings } from "../static/measure/light/baseline.ts";
import { type Column, objectOf, type Row } from "../static/measure/csv.ts";
import { type Part, partsOf, profileColumns } from "../static/measure/image_parts.ts";
import {
  partMeans,
  partsToTrace,
  tracedImages,
  tracedRegions,
  withTraces,
} from "../static/measure/image_traces.ts";
import { distinctNames } from "../static/measure/part_names.ts";
import { Kymograph } from "../static/measure/kymograph.ts";
import { measured, type Measurement, type Settings } from "../static/measure/measurement.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import {
  editedResult,
  isTooNarrow,
  measureRegions,
  planeOf,
  type Recording,
  type Region,
  type Run,
  type TracedRow,
  type Wanted,
  wholeLines,
} from "../static/measure/recording.ts";
import {
  curveColumns,
  imageColumns,
  joined,
  ONLY_SCENE,
  type Place,
  resultColumns,
  resultSummaries,
  traceColumns,
} from "../static/measure/result_tables.ts";
import {
  measuredStack,
  type Over,
  positionWords,
  type ProjectionOf,
  projectionWords,
  stackAxes,
  stackColumns,
  stackRows,
} from "../static/measure/stack.ts";
import { tiffOf } from "../static/measure/tiff.ts";
import { timeAlongLine, typedFor, typedScan } from "../static/measure/typed_scan.ts";
import { PlaneNotFound } from "../readers/errors.ts";
import { openResponse } from "../session/open_response.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";
import type { PICTURES, ShellSettings } from "./measure_settings.ts";
import { orderOf } from "./shell.ts";

/** A TIFF to write. */
export type Picture = typeof PICTURES[number];

/** A scene of a recording; `isOnly` if there is no other. */
export interface Scene {
  readonly path: string;
  readonly index: number;
  readonly name: string;
  readonly isOnly: boolean;
  /** Index of the measured channel; that of the settings if it is missing. */
  readonly channel?: number;
}

/** What was measured in one scene of a recording. */
export interface Measured {
  recording: string;
  /** Rows of the summary. */
  rows: readonly Row[];
  /** Further tables by name, without places. */
  tables: Readonly<Record<string, readonly Column[]>>;
  place?: Place;
  /** What is known of the recording, for the JSON file beside a table. */
  about?: Readonly<Record<string, unknown>>;
  /** Settings of each table. */
  settings?: Readonly<Record<string, unknown>>;
  fault?: string;
  /** Bands or regions that do not lie in it; the others were measured. */
  remarks?: readonly string[];
  /** Whether the file's own calibration counted in place of the typed one. */
  isOwnScan?: boolean;
}

/** An acquisition with one loaded channel. */
export interface Opened {
  readonly sessions: Sessions;
  readonly session: Session;
  readonly info: ReturnType<typeof openResponse>;
  /** Samples of the channel at the opened position. */
  readonly samples: Float32Array;
}

/** Opens the channel of a scene for some work. @param scene `null` for the one that the file belongs to */
export async function withOpened<Result>(
  sessions: Sessions,
  path: string,
  scene: number | null,
  { channel }: Pick<ShellSettings, "channel">,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const session = await sessions.opener.open(orderOf({ path, scene, channelIndices: [channel] }));
  try {
    const info = openResponse(session);
    const samples = await samplesOf(sessions.store.channel(session.id, channel));
    return await work({ sessions, session, info, samples });
  } finally {
    sessions.store.delete(session.id);
  }
}

/** Column of what is lacking in a row. */
const NOT_MEASURED = "Not measured";

/** Names of the tables of images. */
const OF_IMAGES = ["means", "profile"];

/** Tables of line scans that the means of images over time have, too. */
const OF_TRACES = ["traces", ...MEASUREMENTS.filter(({ isOfBands }) => isOfBands).map(({ key }) => key)];

/** The tables of one scene, by their names. @throws {RangeError} it cannot be measured like that */
export const measuredTables = (
  sessions: Sessions,
  { path, index, name, isOnly, channel }: Scene,
  { lineScan: typed, ...given }: ShellSettings,
  tables: readonly string[],
  run: Run = measured,
): Promise<Measured> =>
  withOpened(sessions, path, index, channel === undefined ? given : { ...given, channel }, async (opened) => {
    const { info } = opened;
    const lineScan = typedFor(info, typed ?? null) ?? undefined;
    const settings: ShellSettings = { ...given, ...lineScan && { lineScan } };
    const { regions, kymograph, images, projection } = settings;
    const isImage = tables.some((table) => OF_IMAGES.includes(table)) ||
      lineScan === undefined && !isTime(info.plane.axes[0]) &&
        (regions ?? kymograph ?? images ?? projection ?? null) !== null;
    if (!isImage && typed !== undefined && lineScan === undefined && !isTime(info.plane.axes[0])) {
      throw new RangeError(
        'Not a line scan: "lineScan" of the settings is for single images; "replace": true in it overrides',
      );
    }
    const found = isImage
      ? await measuredImages(opened, settings, tables, run)
      : await measuredLines(opened, settings, tables, run);
    const { t, z, l } = info.position;
    const scene = isOnly ? {} : { Scene: name };
    return {
      recording: info.source.name,
      place: {
        recording: info.source.name,
        scene: isOnly ? ONLY_SCENE : name,
        timePoint: t + 1,
        focusPlane: z + 1,
        wavelength: l + 1,
        ...found.place,
      },
      rows: found.rows.map(({ File, Path, ...row }) => ({ File, Path, ...scene, ...row }) as Row),
      tables: found.tables,
      about: found.about,
      settings: found.settings,
      remarks: found.remarks,
      isOwnScan: typed !== undefined && lineScan === undefined,
    };
  });

/** What {@linkcode measuredTables} takes from a line scan or an image. */
interface Found {
  rows: readonly Row[];
  tables: Record<string, readonly Column[]>;
  about: Record<string, unknown>;
  settings: Record<string, unknown>;
  /** Parts that do not lie in the recording. */
  remarks: readonly string[];
  /** Differs from the opened position where all images along an axis were measured. */
  place?: Partial<Place>;
}

/** A row for each band, and tables of traces and items. @throws {RangeError} it is not a line scan, or a band or setting does not fit */
async function measuredLines(
  { info, samples }: Opened,
  settings: ShellSettings,
  tables: readonly string[],
  run: Run,
): Promise<Found> {
  const { lineScan, bands = [] } = settings;
  const { plane: { shape, axes: stated }, source, channels, header, position: opened } = info;
  const { plane, axes } = lineScan === undefined
    ? { plane: { samples, shape }, axes: stated }
    : typedScan({ samples, shape }, lineScan);
  const [time, position] = axes;
  if (!isTime(time)) throw new RangeError("Not a line scan: its rows are not lines over time");
  const [lines, width] = plane.shape;
  const channel = channels[0]!.name;
  const calibration = {
    Calibration: lineScan === undefined ? "by the file" : "typed",
    Lines: lines,
    [`Time per line (${tableUnit(time)})`]: time.step,
    [`Distance per column (${tableUnit(position)})`]: position.step,
  };
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(positionWords(header.sizes, opened)),
    Channel: channel,
    ...calibration,
  };
  const trace = traceIn(settings);
  const pixelTime = timeAlongLine(lineScan ?? info.lineScan, time, width);
  const recording = {
    shape: plane.shape,
    axes,
    channels: [{ name: channel, samples: plane.samples }],
    pixelTime,
    isTyped: lineScan !== undefined,
  };
  const isSummary = tables.includes("summary");
  const wanted = wantedIn(
    settings,
    ({ key, isUsual = false }, given) =>
      tables.includes(key) || isSummary && (given === undefined ? isUsual : given !== null),
  );
  const names = distinctNames(bands.map(({ name }) => name), "Band");
  const drawn = bands.map(({ from, to }, i): Region => ({
    id: String(i + 1),
    name: names[i]!,
    columns: [Math.min(from, to), Math.max(from, to)],
  }));
  const faults = drawn.map(({ name, columns: [from, to] }) =>
    from >= 0 && from < to && to <= width
      ? null
      : `Band "${name}" has columns ${from} up to ${to}; the recording has ${width}`
  );
  const inside = drawn.filter((_, i) => faults[i] === null);
  const regions = drawn.length > 0 ? inside : [wholeLines(recording)];
  const made = regions.length > 0
    ? await regionTables(run, recording, { regions, wanted, trace, tables })
    : { regions: [], tables: {}, settings: {} };
  const rows = new Map(made.regions.map(({ region, row }) => [region, row]));
  return {
    ...made,
    rows: (drawn.length > 0 ? drawn : regions).map((region, i) => ({
      ...about,
      ...rows.get(region) ?? { Band: region.name, [NOT_MEASURED]: faults[i]! },
    })),
    about: { path: source.path, ...calibration },
    remarks: faults.filter((fault) => fault !== null),
  };
}

/** How traces are made. */
const traceIn = ({ traces }: ShellSettings): TraceSettings => ({ ...NEW_TRACE, ...traces }) as TraceSettings;

/** The measurements to make with their settings, `given` by the user or defaults. */
function wantedIn(
  settings: ShellSettings,
  isWanted: (measurement: Measurement, given: unknown) => boolean,
): Wanted {
  const all: Record<string, unknown> = settings;
  return Object.fromEntries(
    MEASUREMENTS.filter((one) => isWanted(one, all[one.key]))
      .map(({ key }) => [key, { channel: 0, settings: (all[key] ?? {}) as Settings }]),
  );
}

/** A row for each region, and tables with their settings. */
type Tabled = Pick<Found, "tables" | "settings"> & { regions: readonly TracedRow[] };

/** A row for each region, and tables of traces and items with their settings. @throws {RangeError} a setting does not fit */
async function regionTables(
  run: Run,
  recording: Recording,
  { regions, wanted, trace, tables }: {
    regions: readonly Region[];
    wanted: Wanted;
    trace: TraceSettings;
    tables: readonly string[];
  },
): Promise<Tabled> {
  const { axes, noun = "band", timing, channels: [first] } = recording;
  const channel = first!.name;
  const { rows, results } = await measureRegions(run, recording, {
    regions,
    measurements: MEASUREMENTS,
    wanted,
    trace,
  });
  for (const { region, refusals: [refusal] } of rows) {
    // A band of a cell is often too narrow for velocities, which are measured in every band by default.
    if (refusal !== undefined && !isTooNarrow(region)) throw new RangeError(refusal.fault);
  }
  const made: Tabled = { regions: rows, tables: {}, settings: {} };
  for (const measurement of MEASUREMENTS) {
    const { key } = measurement;
    if (!tables.includes(key)) continue;
    const named = (results[key] ?? []).map((result) => ({
      ...editedResult(recording, measurement, result, [], trace),
      region: regions.find(({ id }) => id === result.of.band)?.name ?? "",
      channel,
    }));
    made.tables[key] = resultColumns(measurement, named, { axes, noun });
    made.settings[key] = named.map((one) => ({
      [noun]: one.region,
      channel,
      settings: objectOf(one.result.about),
      summary: objectOf(resultSummaries([one])),
    }));
  }
  if (tables.includes("traces")) {
    const [time] = axes;
    const traces = regions.map(({ name, columns }) => ({
      band: name,
      channel,
      ...traceOf(planeOf(recording, 0), columns, trace, time.step),
    }));
    made.tables["traces"] = traceColumns(traces, time, trace.isChange, noun);
    made.settings["traces"] = traces.map(({ band, f0: { level, by } }) => ({
      [noun]: band,
      channel,
      settings: objectOf([
        ...traceFacts(trace, time, by, noun),
        ...timing === undefined ? [] : [["Timing", timing] as const],
      ]),
      summary: objectOf([["F0", level]]),
    }));
  }
  return made;
}

/** The whole image, line and rectangles of an opened image; `outside` are those that do not lie in it. @throws {RangeError} it is not an image */
function partsIn(
  { info: { plane } }: Opened,
  settings: ShellSettings,
): { parts: Part[]; outside: { name: string; fault: string }[] } {
  if (isTime(plane.axes[0])) throw new RangeError("Not an image: its rows are lines over time");
  // Regions of a settings file may share an id, or have none.
  const all = partsOf(settings).map((part, i) => ({ ...part, id: i === 0 ? "" : String(i) }));
  const faults = all.map((part) => outsideFault(part, plane.shape));
  return {
    parts: all.filter((_, i) => faults[i] === null),
    outside: all.flatMap(({ name }, i) => faults[i] === null ? [] : [{ name, fault: faults[i]! }]),
  };
}

/** Measures the images of an opened acquisition, with their parts. @throws {RangeError} as {@linkcode measuredStack} */
async function stackIn(opened: Opened, settings: ShellSettings, parts: Part[]) {
  const { info } = opened;
  const { images = null } = settings;
  const along = stackAxes(info);
  const projection = projectionIn(settings, along);
  const channels = [info.channels[0]!.name];
  const order = { plane: info.plane, channels, along, parts, over: images?.axis ?? null, projection };
  const found = await measuredStack(order, (axis, count, take) => eachImage(opened, axis, count, take));
  return { order, found, image: found.projected?.[0] ?? opened.samples };
}

/** A TIFF of a projection or kymograph. @throws {RangeError} it is a line scan, lacks an axis, or a line or rectangle does not lie in it */
export async function pictureOf(
  opened: Opened,
  settings: ShellSettings,
  picture: Picture,
): Promise<Uint8Array> {
  const { info: { plane, source, header, position, channels: [channel] } } = opened;
  const { index, name } = channel!;
  const { kymograph: line = null } = settings;
  const { parts } = partsIn(opened, settings);
  if (picture === "kymograph") {
    const time = stackAxes(opened.info).get("T");
    if (time === undefined) throw new RangeError("It has one image over time");
    const series = { plane, channels: [{ index, name }], count: time.count, time: time.axis };
    const made = new Kymograph(series, line!.points, line!.width);
    await eachImage(opened, "T", time.count, ([image], t) => image && made.take(0, t, image));
    const { shape, axes } = made.plane;
    return tiffOf(made.samples[0]!, shape, axes, `kymograph of ${source.name}, ${name}`);
  }
  const { image, order: { projection } } = await stackIn(opened, settings, parts);
  const at = positionWords({ ...header.sizes, [projection!.axis]: 1 }, position).map((words) =>
    words.join(" ")
  );
  const note = [`${projectionWords(projection!)} of ${source.name}`, name, ...at].join(", ");
  return tiffOf(image, plane.shape, plane.axes, note);
}

/**
 * A row for each part, and tables of means, the profile, and traces and events over time.
 *
 * @throws {RangeError} as {@linkcode pictureOf}
 */
async function measuredImages(
  opened: Opened,
  settings: ShellSettings,
  tables: readonly string[],
  run: Run,
): Promise<Found> {
  const { info: { plane, source, header, position } } = opened;
  const other = tables.find((name) => !["summary", ...OF_IMAGES, ...OF_TRACES].includes(name));
  if (other !== undefined) throw new RangeError(`Not a line scan: it has no ${other}`);
  const { kymograph: line = null, images = null } = settings;
  const ofTraces = tables.find((name) => OF_TRACES.includes(name));
  if (ofTraces !== undefined && images?.axis !== "T") {
    throw new RangeError(`Not a line scan: --over t measures ${ofTraces} of its images`);
  }
  const { parts, outside } = partsIn(opened, settings);
  const { order, found, image } = await stackIn(opened, settings, parts);
  const { projection } = order;
  const [channel] = order.channels;
  const geometry = {
    [`Distance per row (${tableUnit(plane.axes[0])})`]: plane.axes[0].step,
    [`Distance per column (${tableUnit(plane.axes[1])})`]: plane.axes[1].step,
  };
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(positionWords({ ...header.sizes, ...images && { [images.axis]: 1 } }, position)),
    ...geometry,
  };
  const made: Found = {
    rows: stackRows(order, found, [image]).map((row) => ({ ...about, ...row })),
    tables: {},
    about: {
      path: source.path,
      ...geometry,
      ...projection && { Projection: projectionWords(projection) },
    },
    settings: {},
    remarks: outside.map(({ fault }) => fault),
    place: projection === null ? {} : projection.axis === "T" ? { timePoint: null } : { focusPlane: null },
  };
  if (tables.includes("profile")) {
    const columns = profileColumns(line!, plane, [{ name: channel!, samples: image }]);
    made.tables["profile"] = curveColumns(columns, "the line", "Value");
  }
  if (tables.includes("means")) {
    const { axis } = order.along.get(images!.axis)!;
    const means = parts.map(({ name }, i) => {
      const columns = stackColumns(axis, [{ name: channel!, values: found.means![i]![0]! }]);
      return imageColumns(columns, name, images!.axis);
    });
    made.tables["means"] = joined(means);
  }
  const left = outside.map(({ name, fault }) => ({ ...about, Region: name, [NOT_MEASURED]: fault }));
  if (ofTraces === undefined) return { ...made, rows: [...made.rows, ...left] };
  const traced = await tracesIn(run, { order, found }, settings, tables);
  return {
    ...made,
    rows: [...withTraces(made.rows, order, traced.regions), ...left],
    tables: { ...made.tables, ...traced.tables },
    settings: traced.settings,
    place: { ...made.place, timePoint: null },
  };
}

/** Traces of the regions over time, and events in them. @throws {RangeError} a setting does not fit */
function tracesIn(
  run: Run,
  { order: { parts, channels, along, plane }, found: { means } }: Omit<
    Awaited<ReturnType<typeof stackIn>>,
    "image"
  >,
  settings: ShellSettings,
  tables: readonly string[],
) {
  const all = partsToTrace(parts);
  const measured = partMeans(all, all.map((part) => means![parts.indexOf(part)]!));
  return regionTables(run, tracedImages(measured, channels, along.get("T")!.axis), {
    regions: tracedRegions(measured, all, plane.axes),
    wanted: wantedIn(settings, ({ key }) => OF_TRACES.includes(key) && tables.includes(key)),
    trace: traceIn(settings),
    tables,
  });
}

/** Why a rectangle does not lie in an image, or `null`. */
function outsideFault({ name, place }: Part, [rows, columns]: readonly [number, number]): string | null {
  if (place === null || "points" in place) return null;
  const { start: [left, top], stop: [right, bottom] } = place;
  if (left === right || top === bottom) return `Rectangle "${name}" is empty`;
  if (left >= 0 && top >= 0 && right <= columns && bottom <= rows) return null;
  return `Rectangle "${name}" reaches from column ${left}, row ${top} to column ${right}, row ${bottom}; the image has ${columns} columns and ${rows} rows`;
}

/** The projection to measure; without an axis, along the only one. @throws {RangeError} there is none, or more than one */
function projectionIn(
  { projection = null }: ShellSettings,
  along: ReturnType<typeof stackAxes>,
): ProjectionOf | null {
  if (projection === null) return null;
  const { kind, axis } = projection;
  if (axis !== undefined) return { kind, axis };
  const [only, ...more] = along.keys();
  if (only !== undefined && more.length === 0) return { kind, axis: only };
  throw new RangeError(
    only === undefined
      ? "It has one image: nothing to project"
      : "It has several images over time and over focus: --over t or --over z chooses",
  );
}

/** Takes each image along an axis, with the other axes at the opened position; `null` for an image that was not recorded. */
async function eachImage(
  { sessions, session, info }: Opened,
  axis: Over,
  count: number,
  take: (images: (Float32Array | null)[], index: number) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const channel = info.channels[0]!.index;
  for (let i = 0; i < count; i += 1) {
    const position = { ...info.position, [axis.toLowerCase()]: i };
    try {
      const leased = await sessions.positions.plane({ session, channel, position }, null, signal);
      using _lease = { [Symbol.dispose]: leased.endLease };
      take([await samplesOf(leased.plane)], i);
    } catch (error) {
      if (!(error instanceof PlaneNotFound)) throw error;
      take([null], i);
    }
  }
}

/** The samples of a plane. */
async function samplesOf(plane: PlaneBuffer): Promise<Float32Array> {
  const { body } = plane.stream(0, plane.byteLength, () => {});
  return new Float32Array(await new Response(body).arrayBuffer());
}
