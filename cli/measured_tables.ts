/** Measures one scene of a recording into rows and tables, or a TIFF, for `acq-server measure`. */
import { formatTableUnit, isTime } from "../static/measure/axes.ts";
import { listTraceFacts, makeTrace, NEW_TRACE } from "../static/measure/light/band_trace.ts";
import type { TraceSettings } from "../static/measure/light/baseline.ts";
import { collectFacts, type Column, type Row } from "../static/measure/csv.ts";
import { type ImagePart, listImageParts, makeProfileColumns } from "../static/measure/image_parts.ts";
import {
  makeTracedScan,
  selectPartsToTrace,
  selectTracedRegions,
  storePartMeans,
  withTraces,
} from "../static/measure/image_traces.ts";
import { makeNamesDistinct } from "../static/measure/part_names.ts";
import { Kymograph } from "../static/measure/kymograph.ts";
import { measureInThread, type Measurement, type Settings } from "../static/measure/measurement.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import {
  editResult,
  isTooNarrow,
  measureRegions,
  type Recording,
  type RecordingRegion,
  requirePlane,
  type RunMeasurement,
  type TracedRow,
  type WantedMeasurements,
  wholeLines,
} from "../static/measure/recording.ts";
import {
  joinTables,
  listResultSummaries,
  makeCurveColumns,
  makeImageColumns,
  makeResultColumns,
  makeTraceColumns,
  ONLY_SCENE,
  type TableOrigin,
} from "../static/measure/result_tables.ts";
import {
  describePosition,
  listStackAxes,
  makeStackColumns,
  makeStackRows,
  measureStack,
  nameProjection,
  type Over,
  type ProjectionOf,
} from "../static/measure/stack.ts";
import { writeTiffFile } from "../static/measure/tiff.ts";
import { chooseTyped, computeTimeAlongLine, makeTypedScan } from "../static/measure/typed_scan.ts";
import { PlaneNotFound } from "../readers/errors.ts";
import { FIRST_POSITION, type Position } from "../readers/reader.ts";
import { PlanesNotFound } from "../session/plane_runs.ts";
import { describeSession } from "../session/open_response.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";
import type { PICTURES, ShellSettings } from "./measure_settings.ts";
import { makeOpenOrder } from "./shell.ts";

/** A TIFF to write. */
export type WrittenPicture = typeof PICTURES[number];

/** A scene of a recording; `isOnly` if there is no other. */
export interface RecordingScene {
  readonly path: string;
  readonly index: number;
  readonly name: string;
  readonly isOnly: boolean;
  /** Index of the measured channel; that of the settings if it is missing. */
  readonly channel?: number;
}

/** What was measured in one scene of a recording. */
export interface MeasuredScene {
  recording: string;
  /** Rows of the summary. */
  rows: readonly Row[];
  /** Further tables by name, without places. */
  tables: Readonly<Record<string, readonly Column[]>>;
  place?: TableOrigin;
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
export interface OpenedChannel {
  readonly sessions: Sessions;
  readonly session: Session;
  readonly info: ReturnType<typeof describeSession>;
  /** Samples of the channel at the opened position. */
  readonly samples: Float32Array;
}

/** Opens the channel of a scene for some work. @param scene `null` for the one that the file belongs to */
export async function withOpened<Result>(
  sessions: Sessions,
  path: string,
  scene: number | null,
  { channel }: Pick<ShellSettings, "channel">,
  work: (opened: OpenedChannel) => Promise<Result>,
): Promise<Result> {
  const session = await sessions.opener.open(makeOpenOrder({ path, scene, channelIndices: [channel] }));
  try {
    const info = describeSession(session);
    const samples = await readPlaneSamples(sessions.store.channel(session.id, channel));
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
export const measureScene = (
  sessions: Sessions,
  { path, index, name, isOnly, channel }: RecordingScene,
  { lineScan: typed, ...given }: ShellSettings,
  tables: readonly string[],
  run: RunMeasurement = measureInThread,
): Promise<MeasuredScene> =>
  withOpened(sessions, path, index, channel === undefined ? given : { ...given, channel }, async (opened) => {
    const { info } = opened;
    const lineScan = chooseTyped(info, typed ?? null) ?? undefined;
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
      ? await tabulateImages(opened, settings, tables, run)
      : await tabulateLineScan(opened, settings, tables, run);
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

/** What {@linkcode measureScene} takes from a line scan or an image. */
interface SceneTables {
  rows: readonly Row[];
  tables: Record<string, readonly Column[]>;
  about: Record<string, unknown>;
  settings: Record<string, unknown>;
  /** Parts that do not lie in the recording. */
  remarks: readonly string[];
  /** Differs from the opened position where all images along an axis were measured. */
  place?: Partial<TableOrigin>;
}

/** A row for each band, and tables of traces and items. @throws {RangeError} it is not a line scan, or a band or setting does not fit */
async function tabulateLineScan(
  opened: OpenedChannel,
  settings: ShellSettings,
  tables: readonly string[],
  run: RunMeasurement,
): Promise<SceneTables> {
  const { recording, about, calibration } = readOpenedScan(opened, settings.lineScan);
  const trace = chooseTraceSettings(settings);
  const isSummary = tables.includes("summary");
  const wanted = chooseMeasurements(
    settings,
    ({ key, isUsual = false }, given) =>
      tables.includes(key) || isSummary && (given === undefined ? isUsual : given !== null),
  );
  const drawn = placeBands(settings.bands ?? [], recording.shape[1]);
  const inside = drawn.filter(({ fault }) => fault === null).map(({ region }) => region);
  const regions = drawn.length > 0 ? inside : [wholeLines(recording)];
  const made = regions.length > 0
    ? await measureRegionTables(run, recording, { regions, wanted, trace, tables })
    : { regions: [], tables: {}, settings: {} };
  const rows = new Map(made.regions.map(({ region, row }) => [region, row]));
  const listed = drawn.length > 0 ? drawn : regions.map((region) => ({ region, fault: null }));
  return {
    ...made,
    rows: listed.map(({ region, fault }) => ({
      ...about,
      ...rows.get(region) ?? { Band: region.name, [NOT_MEASURED]: fault ?? "" },
    })),
    about: { path: opened.info.source.path, ...calibration },
    remarks: drawn.map(({ fault }) => fault).filter((fault) => fault !== null),
  };
}

/** The opened lines as a recording, and the cells that describe it. @throws {RangeError} it is not a line scan */
function readOpenedScan({ info, samples }: OpenedChannel, lineScan: ShellSettings["lineScan"]) {
  const { plane: { shape, axes: stated }, source, channels: [opened], header, position: at } = info;
  const { plane, axes } = lineScan === undefined
    ? { plane: { samples, shape }, axes: stated }
    : makeTypedScan({ samples, shape }, lineScan);
  const [time, position] = axes;
  if (!isTime(time)) throw new RangeError("Not a line scan: its rows are not lines over time");
  const [lines, width] = plane.shape;
  const channel = opened!.name;
  const calibration = {
    Calibration: lineScan === undefined ? "by the file" : "typed",
    Lines: lines,
    [`Time per line (${formatTableUnit(time)})`]: time.step,
    [`Distance per column (${formatTableUnit(position)})`]: position.step,
  };
  const recording = {
    shape: plane.shape,
    axes,
    channels: [{ name: channel, samples: plane.samples }],
    pixelTime: computeTimeAlongLine(lineScan ?? info.lineScan, time, width),
    isTyped: lineScan !== undefined,
  };
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(describePosition(header.sizes, at)),
    Channel: channel,
    ...calibration,
  };
  return { recording, about, calibration };
}

/** The bands of the settings as regions, with why one does not lie in lines of some columns. */
function placeBands(
  bands: NonNullable<ShellSettings["bands"]>,
  width: number,
): { readonly region: RecordingRegion; readonly fault: string | null }[] {
  const names = makeNamesDistinct(bands.map(({ name }) => name), "Band");
  return bands.map((band, i) => {
    const [from, to] = [Math.min(band.from, band.to), Math.max(band.from, band.to)];
    const region = { id: String(i + 1), name: names[i] ?? "", columns: [from, to] as const };
    const isInside = from >= 0 && from < to && to <= width;
    const fault = `Band "${region.name}" has columns ${from} up to ${to}; the recording has ${width}`;
    return { region, fault: isInside ? null : fault };
  });
}

/** How traces are made. */
const chooseTraceSettings = ({ traces }: ShellSettings): TraceSettings =>
  ({ ...NEW_TRACE, ...traces }) as TraceSettings;

/** The measurements to make with their settings, `given` by the user or defaults. */
function chooseMeasurements(
  settings: ShellSettings,
  isWanted: (measurement: Measurement, given: unknown) => boolean,
): WantedMeasurements {
  const all: Record<string, unknown> = settings;
  return Object.fromEntries(
    MEASUREMENTS.filter((one) => isWanted(one, all[one.key]))
      .map(({ key }) => [key, { channel: 0, settings: (all[key] ?? {}) as Settings }]),
  );
}

/** A row for each region, and tables with their settings. */
type Tabled = Pick<SceneTables, "tables" | "settings"> & { regions: readonly TracedRow[] };

/** A row for each region, and tables of traces and items with their settings. @throws {RangeError} a setting does not fit */
async function measureRegionTables(
  run: RunMeasurement,
  recording: Recording,
  { regions, wanted, trace, tables }: {
    regions: readonly RecordingRegion[];
    wanted: WantedMeasurements;
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
      ...editResult(recording, measurement, result, [], trace),
      region: regions.find(({ id }) => id === result.of.band)?.name ?? "",
      channel,
    }));
    made.tables[key] = makeResultColumns(measurement, named, { axes, noun });
    made.settings[key] = named.map((one) => ({
      [noun]: one.region,
      channel,
      settings: collectFacts(one.result.about),
      summary: collectFacts(listResultSummaries([one])),
    }));
  }
  if (tables.includes("traces")) {
    const [time] = axes;
    const traces = regions.map(({ name, columns }) => ({
      band: name,
      channel,
      ...makeTrace(requirePlane(recording, 0), columns, trace, time.step),
    }));
    made.tables["traces"] = makeTraceColumns(traces, time, trace.isChange, noun);
    made.settings["traces"] = traces.map(({ band, f0: { level, by } }) => ({
      [noun]: band,
      channel,
      settings: collectFacts([
        ...listTraceFacts(trace, time, by, noun),
        ...timing === undefined ? [] : [["Timing", timing] as const],
      ]),
      summary: collectFacts([["F0", level]]),
    }));
  }
  return made;
}

/** The whole image, line and rectangles of an opened image; `outside` are those that do not lie in it. @throws {RangeError} it is not an image */
function findImageParts(
  { info: { plane } }: OpenedChannel,
  settings: ShellSettings,
): { parts: ImagePart[]; outside: { name: string; fault: string }[] } {
  if (isTime(plane.axes[0])) throw new RangeError("Not an image: its rows are lines over time");
  // Regions of a settings file may share an id, or have none.
  const all = listImageParts(settings).map((part, i) => ({ ...part, id: i === 0 ? "" : String(i) }));
  const faults = all.map((part) => explainOutside(part, plane.shape));
  return {
    parts: all.filter((_, i) => faults[i] === null),
    outside: all.flatMap(({ name }, i) => faults[i] === null ? [] : [{ name, fault: faults[i]! }]),
  };
}

/** Measures the images of an opened acquisition, with their parts. @throws {RangeError} as {@linkcode measureStack} */
async function openImageStack(opened: OpenedChannel, settings: ShellSettings, parts: ImagePart[]) {
  const { info } = opened;
  const { images = null } = settings;
  const along = listStackAxes(info);
  const projection = chooseProjection(settings, along);
  const channels = [info.channels[0]!.name];
  const order = { plane: info.plane, channels, along, parts, over: images?.axis ?? null, projection };
  const found = await measureStack(order, (axis, count, take) => walkImages(opened, axis, count, take));
  return { order, found, image: found.projected?.[0] ?? opened.samples };
}

/** A TIFF of a projection or kymograph. @throws {RangeError} it is a line scan, lacks an axis, or a line or rectangle does not lie in it */
export async function writeMeasuredPicture(
  opened: OpenedChannel,
  settings: ShellSettings,
  picture: WrittenPicture,
): Promise<Uint8Array> {
  const { info: { plane, source, header, position, channels: [channel] } } = opened;
  const { index, name } = channel!;
  const { kymograph: line = null } = settings;
  const { parts } = findImageParts(opened, settings);
  if (picture === "kymograph") {
    const time = listStackAxes(opened.info).get("T");
    if (time === undefined) throw new RangeError("It has one image over time");
    const series = { plane, channels: [{ index, name }], count: time.count, time: time.axis };
    const made = new Kymograph(series, line!.points, line!.width);
    await walkImages(opened, "T", time.count, ([image], t) => image && made.take(0, t, image));
    const { shape, axes } = made.plane;
    return writeTiffFile(made.samples[0]!, shape, axes, `kymograph of ${source.name}, ${name}`);
  }
  const { image, order: { projection } } = await openImageStack(opened, settings, parts);
  const at = describePosition({ ...header.sizes, [projection!.axis]: 1 }, position).map((words) =>
    words.join(" ")
  );
  const note = [`${nameProjection(projection!)} of ${source.name}`, name, ...at].join(", ");
  return writeTiffFile(image, plane.shape, plane.axes, note);
}

/**
 * A row for each part, and tables of means, the profile, and traces and events over time.
 *
 * @throws {RangeError} as {@linkcode writeMeasuredPicture}
 */
async function tabulateImages(
  opened: OpenedChannel,
  settings: ShellSettings,
  tables: readonly string[],
  run: RunMeasurement,
): Promise<SceneTables> {
  const { info: { plane, source, header, position } } = opened;
  const { images = null } = settings;
  const hasTraces = requireImageTables(tables, images?.axis);
  const { parts, outside } = findImageParts(opened, settings);
  const { order, found, image } = await openImageStack(opened, settings, parts);
  const { projection } = order;
  const geometry = {
    [`Distance per row (${formatTableUnit(plane.axes[0])})`]: plane.axes[0].step,
    [`Distance per column (${formatTableUnit(plane.axes[1])})`]: plane.axes[1].step,
  };
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(describePosition({ ...header.sizes, ...images && { [images.axis]: 1 } }, position)),
    ...geometry,
  };
  const made: SceneTables = {
    rows: makeStackRows(order, found, [image]).map((row) => ({ ...about, ...row })),
    tables: tabulateCurves({ order, found, image }, settings, tables),
    about: {
      path: source.path,
      ...geometry,
      ...projection && { Projection: nameProjection(projection) },
    },
    settings: {},
    remarks: outside.map(({ fault }) => fault),
    place: projection === null ? {} : projection.axis === "T" ? { timePoint: null } : { focusPlane: null },
  };
  const left = outside.map(({ name, fault }) => ({ ...about, Region: name, [NOT_MEASURED]: fault }));
  if (!hasTraces) return { ...made, rows: [...made.rows, ...left] };
  const traced = await traceRegions(run, { order, found }, settings, tables);
  return {
    ...made,
    rows: [...withTraces(made.rows, order, traced.regions), ...left],
    tables: { ...made.tables, ...traced.tables },
    settings: traced.settings,
    place: { ...made.place, timePoint: null },
  };
}

/** Whether traces of images are wanted. @throws {RangeError} images have no table of a wanted name, or not without `--over t` */
function requireImageTables(tables: readonly string[], axis: Over | undefined): boolean {
  const other = tables.find((name) => !["summary", ...OF_IMAGES, ...OF_TRACES].includes(name));
  if (other !== undefined) throw new RangeError(`Not a line scan: it has no ${other}`);
  const ofTraces = tables.find((name) => OF_TRACES.includes(name));
  if (ofTraces !== undefined && axis !== "T") {
    throw new RangeError(`Not a line scan: --over t measures ${ofTraces} of its images`);
  }
  return ofTraces !== undefined;
}

/** The profile of the line, and the means of each part along the axis of the images. */
function tabulateCurves(
  { order, found, image }: Awaited<ReturnType<typeof openImageStack>>,
  { kymograph: line, images }: ShellSettings,
  tables: readonly string[],
): Record<string, readonly Column[]> {
  const made: Record<string, readonly Column[]> = {};
  const [name = ""] = order.channels;
  if (tables.includes("profile") && line) {
    const columns = makeProfileColumns(line, order.plane, [{ name, samples: image }]);
    made["profile"] = makeCurveColumns(columns, "the line", "Value");
  }
  const along = images ? order.along.get(images.axis) : undefined;
  if (tables.includes("means") && images && along) {
    made["means"] = joinTables(order.parts.map((part, i) => {
      const columns = makeStackColumns(along.axis, [{ name, values: found.means![i]![0]! }]);
      return makeImageColumns(columns, part.name, images.axis);
    }));
  }
  return made;
}

/** Traces of the regions over time, and events in them. @throws {RangeError} a setting does not fit */
function traceRegions(
  run: RunMeasurement,
  { order: { parts, channels, along, plane }, found: { means } }: Omit<
    Awaited<ReturnType<typeof openImageStack>>,
    "image"
  >,
  settings: ShellSettings,
  tables: readonly string[],
) {
  const all = selectPartsToTrace(parts);
  const measured = storePartMeans(all, all.map((part) => means![parts.indexOf(part)]!));
  return measureRegionTables(run, makeTracedScan(measured, channels, along.get("T")!.axis), {
    regions: selectTracedRegions(measured, all, plane.axes),
    wanted: chooseMeasurements(settings, ({ key }) => OF_TRACES.includes(key) && tables.includes(key)),
    trace: chooseTraceSettings(settings),
    tables,
  });
}

/** Why a rectangle does not lie in an image, or `null`. */
function explainOutside(
  { name, place }: ImagePart,
  [rows, columns]: readonly [number, number],
): string | null {
  if (place === null || "points" in place) return null;
  const { start: [left, top], stop: [right, bottom] } = place;
  if (left === right || top === bottom) return `Rectangle "${name}" is empty`;
  if (left >= 0 && top >= 0 && right <= columns && bottom <= rows) return null;
  return `Rectangle "${name}" reaches from column ${left}, row ${top} to column ${right}, row ${bottom}; the image has ${columns} columns and ${rows} rows`;
}

/** The projection to measure. Without an axis, takes the only one. @throws {RangeError} the image has no axis, or several */
function chooseProjection(
  { projection = null }: ShellSettings,
  along: ReturnType<typeof listStackAxes>,
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
async function walkImages(
  { sessions, session, info }: OpenedChannel,
  axis: Over,
  count: number,
  take: (images: (Float32Array | null)[], index: number) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const letter = axis.toLowerCase() as keyof Position;
  const channel = info.channels[0]!.index;
  const missing = new Set<number>();
  for (let index = 0; index < count;) {
    if (missing.has(index)) {
      take([null], index);
      index += 1;
      continue;
    }
    const end = Math.min(count, ...[...missing].filter((one) => one > index));
    const first = { ...FIRST_POSITION, ...info.position, [letter]: index };
    try {
      const range = { channel, first, axis, count: end - index };
      const run = await sessions.positions.beginRun(session, range, signal, false);
      using _run = { [Symbol.dispose]: () => run.end(true) };
      for await (const plane of run.planes()) {
        take([plane], index);
        index += 1;
      }
    } catch (error) {
      if (!(error instanceof PlaneNotFound)) throw error;
      const named = error instanceof PlanesNotFound ? error.missing.map((place) => place[letter]) : [index];
      for (const one of named) missing.add(one);
    }
  }
}

/** The samples of a plane. */
async function readPlaneSamples(plane: PlaneBuffer): Promise<Float32Array> {
  const { body } = plane.stream(0, plane.byteLength, () => {});
  return new Float32Array(await new Response(body).arrayBuffer());
}
