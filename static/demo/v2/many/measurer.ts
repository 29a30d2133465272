/** Measures a recording with given drawings, as the page does. */
import { makeColumns, type Row } from "../../../measure/csv.ts";
import { makeImageRows, makeProfileColumns } from "../../../measure/image_parts.ts";
import { makeStackRows, type Over } from "../../../measure/stack.ts";
import { isHere } from "../../../measure/edits.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { withTraces } from "../../../measure/image_traces.ts";
import {
  editResult,
  isSameOf,
  measureRegions,
  type TracedRow,
  wholeLines,
} from "../../../measure/recording.ts";
import { KINDS } from "../drawing/kinds.ts";
import { ALL_BANDS, ALL_REGIONS, findLineOver, selectKinds } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import { makeBandTraces, makeMeasuredRegion } from "../measuring/band_traces.ts";
import { makeCursorColumns } from "../measuring/cursor_panel.ts";
import { makeKeptMeans, makeMeansTables, selectParts } from "../measuring/image_panel.ts";
import { type ImageSource, measureSeries } from "../measuring/image_series.ts";
import type { Drawn } from "../drawing/drawn.ts";
import type { KeptMeasurement } from "../drawing/measurement_piece.ts";
import { describeScanPlace, findTimeAxisOfScan, makeRecording, type Scan } from "../drawing/scan.ts";
import { findTraced, type Traced } from "../measuring/traced.ts";
import { chooseTraceSettingsOver } from "../measuring/trace_panel.ts";
import { runBy } from "../measuring/workers.ts";
import type { Measurement } from "../../../measure/measurement.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { MeasuredPicture } from "../measuring/panel.ts";

/** Keys of the measurements to make. */
export type What = ReadonlySet<string>;

/**
 * Measures all bands, and whole lines if there is no band or if a measurement is set to them.
 *
 * Returns the drawings with their results, and a row for each band. Earlier results, perhaps edited by hand, are not
 * measured again.
 *
 * @throws {DOMException} `AbortError`
 */
export async function measureLineScan(
  scan: Scan,
  drawn: Drawn,
  what: What,
  signal: AbortSignal,
): Promise<{ measured: MeasuredPicture; rows: Row[] }> {
  const chosen = MEASUREMENTS.filter(({ key }) => what.has(key));
  const { drawn: measured, rows } = await measureTraced(
    findTraced(scan, drawn.regions),
    drawn,
    chosen,
    signal,
  );
  return { measured: describeShown(scan, measured), rows: rows.map(({ row }) => row) };
}

/**
 * Measures the bands of a line scan, or the regions of images. Measures whole lines if there are no bands, or if a measurement
 * is set to them.
 */
async function measureTraced(
  { scan, bands: drawnBands }: Traced,
  drawn: Drawn,
  chosen: readonly Measurement[],
  signal: AbortSignal,
): Promise<{ drawn: Drawn; rows: readonly TracedRow[] }> {
  const recording = makeRecording(scan);
  const bands = drawnBands.map(makeMeasuredRegion);
  const isWhole = scan.noun === "band" &&
    chosen.some(({ key }) => drawn.measurements?.[key]?.band === "");
  const regions = isWhole ? [wholeLines(recording), ...bands] : bands;
  const place = describeScanPlace(scan);
  const kept = selectKeptAt(drawn.measurements ?? {}, place);
  const wanted = Object.fromEntries(chosen.map(({ key }) => {
    const { channel = "0", settings = {} } = kept[key] ?? {};
    return [key, { channel: Number(channel), settings }];
  }));
  const { rows, results } = await measureRegions(runBy(signal), recording, {
    regions,
    measurements: chosen,
    wanted,
    trace: drawn.traces ?? chooseTraceSettingsOver(findTimeAxisOfScan(scan)),
    kept,
  });
  const first = bands.length > 1 ? ALL_BANDS : bands[0]?.id ?? "";
  const made = Object.entries(results).map(([key, found]) => {
    const { results: earlier = [], edits: _, ...fields } = kept[key] ?? {};
    const others = earlier.filter(({ of }) => !found.some((result) => isSameOf(result.of, of)));
    const own = { band: first, channel: "0", settings: found[0]!.settings, ...fields };
    return [key, {
      ...own,
      followsShown: false,
      results: [...others, ...found],
      edits: drawn.measurements?.[key]?.edits ?? [],
      place,
    }];
  });
  return {
    drawn: { ...drawn, measurements: { ...drawn.measurements, ...Object.fromEntries(made) } },
    rows,
  };
}

/**
 * Measures whole images, their line and their rectangles, over the axis of earlier means or else the first axis; their
 * projection, if one was shown; and events in the means over time. Returns the drawings with the means of the chosen parts,
 * and a row for each part and channel.
 *
 * @throws {DOMException} `AbortError`
 * @throws {RangeError} the recording has only one image along an axis
 */
export async function measureImages(
  scan: Scan,
  sources: ReadonlyMap<Over, ImageSource>,
  drawn: Drawn,
  what: What,
  signal: AbortSignal,
): Promise<{ measured: MeasuredPicture; rows: Row[] }> {
  const { group, axes } = scan;
  const parts = listMeasurableParts(drawn.regions);
  const [axis = null] = sources.keys();
  const wanted = { parts, over: drawn.images?.axis ?? axis, projection: drawn.projection ?? null };
  const { order, found } = await measureSeries(sources, group, wanted, signal);
  const planes = group.channels.map(({ samples }) => samples);
  const source = sources.get(order.over ?? "T");
  const at = source?.at() ?? [];
  const part = drawn.images?.part ?? ALL_REGIONS;
  const kept = selectParts(part, parts);
  const { means } = found;
  const images = means === null || order.over === null
    ? null
    : makeKeptMeans(kept.map((one) => means[parts.indexOf(one)]!), {
      part,
      parts: kept,
      axis: order.over,
      channels: order.channels,
      at,
      axes,
    });
  const shown = group.channels.map(({ name, samples }, i) => ({
    name,
    samples: found.projected?.[i] ?? samples,
  }));
  const line = findLineOver(drawn.regions);
  const traced = findTraced(scan, drawn.regions, images, source?.axis);
  const chosen = traced.scan.isLineScan
    ? MEASUREMENTS.filter(({ key, isOfBands }) => what.has(key) && isOfBands)
    : [];
  const events = chosen.length === 0
    ? { drawn: { ...drawn, images }, rows: [] }
    : await measureTraced(traced, { ...drawn, images }, chosen, signal);
  const measured = describeShown(scan, events.drawn, traced, source?.axis);
  const tables = {
    ...measured.tables,
    regions: parts.length < 2 ? [] : makeColumns(makeImageRows(parts, group.plane, shown)),
    profile: line !== null ? makeProfileColumns(line, group.plane, shown) : [],
  };
  const rows = withTraces(makeStackRows(order, found, planes), order, events.rows);
  return { rows, measured: { ...measured, tables } };
}

/** What the page would show for the drawings. */
function describeShown(
  scan: Scan,
  drawn: Drawn,
  traced: Traced = findTraced(scan, drawn.regions),
  axis?: ImageSource["axis"],
): MeasuredPicture {
  const { regions } = drawn;
  const columnsOf = (kind: "line" | "track") => KINDS[kind].columns?.(selectKinds(regions, kind), scan) ?? [];
  const tables = {
    lines: columnsOf("line"),
    tracks: columnsOf("track"),
    cursors: makeCursorColumns(drawn, scan),
  };
  const { group } = traced.scan;
  const shown = traced.scan.isLineScan ? group.shown : [];
  const trace = drawn.traces ?? chooseTraceSettingsOver(findTimeAxisOfScan(traced.scan));
  const traces = makeBandTraces({ plane: group.plane, shown }, traced.bands, trace);
  return {
    drawn,
    scan,
    traced: traced.scan,
    traces,
    tables,
    means: makeMeansTables(drawn.images, axis),
    measurements: makeResultTables(traced.scan, drawn),
  };
}

/** What is kept of each measurement, with the results and edits of one time and focus only. */
const selectKeptAt = (
  measurements: NonNullable<Drawn["measurements"]>,
  here: string,
): Record<string, KeptMeasurement> =>
  Object.fromEntries(
    Object.entries(measurements).flatMap(([key, one]) => {
      if (one === null) return [];
      const results = one.place === null || one.place === here ? one.results : [];
      return [[key, { ...one, results, edits: one.edits.filter((edit) => isHere(edit, here)) }]];
    }),
  );

/** Tables of the results in drawings. */
function makeResultTables(
  scan: Scan<Samples>,
  { measurements, traces }: Drawn,
): MeasuredPicture["measurements"] {
  const kept = selectKeptAt(measurements ?? {}, describeScanPlace(scan));
  return MEASUREMENTS.map((measurement) => {
    const { results = [], edits = [] } = kept[measurement.key] ?? {};
    const tables = results.map((result) => {
      const trace = traces ?? chooseTraceSettingsOver(findTimeAxisOfScan(scan));
      const { items, quantities } = editResult(makeRecording(scan), measurement, result, edits, trace);
      return { result, columns: measurement.columns(items, scan.axes), quantities };
    });
    return { measurement, tables };
  });
}
