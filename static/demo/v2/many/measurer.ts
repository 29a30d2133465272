/** Measures a recording with given drawings, as the page does. */
import { columnsOf, type Row } from "../../../measure/csv.ts";
import { imageRows, profileColumns } from "../../../measure/image_parts.ts";
import { type Over, stackRows } from "../../../measure/stack.ts";
import { isHere } from "../../../measure/edits.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { withTraces } from "../../../measure/image_traces.ts";
import {
  editedResult,
  isSameOf,
  measureRegions,
  type TracedRow,
  wholeLines,
} from "../../../measure/recording.ts";
import { KINDS } from "../drawing/kinds.ts";
import { ALL_BANDS, ALL_REGIONS, lineOver, ofKinds } from "../drawing/region.ts";
import { partsIn } from "../drawing/table.ts";
import { regionOf, tracesOf } from "../measuring/band_traces.ts";
import { cursorColumns } from "../measuring/cursor_panel.ts";
import { keptMeans, meansTables, partsFor } from "../measuring/image_panel.ts";
import { measuredSeries, type Source } from "../measuring/image_series.ts";
import type { Drawn, KeptMeasurement } from "../drawing/drawn.ts";
import { placeOf, recordingOf, type Scan, timeOf } from "../drawing/scan.ts";
import { type Traced, tracedIn } from "../measuring/traced.ts";
import { traceSettingsOver } from "../measuring/trace_panel.ts";
import { runBy } from "../measuring/workers.ts";
import type { Measurement } from "../../../measure/measurement.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { Measured } from "../measuring/panel.ts";

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
): Promise<{ measured: Measured; rows: Row[] }> {
  const chosen = MEASUREMENTS.filter(({ key }) => what.has(key));
  const { drawn: measured, rows } = await measureTraced(tracedIn(scan, drawn.regions), drawn, chosen, signal);
  return { measured: shownIn(scan, measured), rows: rows.map(({ row }) => row) };
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
  const recording = recordingOf(scan);
  const bands = drawnBands.map(regionOf);
  const isWhole = scan.noun === "band" &&
    chosen.some(({ key }) => drawn.measurements?.[key]?.band === "");
  const regions = isWhole ? [wholeLines(recording), ...bands] : bands;
  const place = placeOf(scan);
  const kept = keptAt(drawn.measurements ?? {}, place);
  const wanted = Object.fromEntries(chosen.map(({ key }) => {
    const { channel = "0", settings = {} } = kept[key] ?? {};
    return [key, { channel: Number(channel), settings }];
  }));
  const { rows, results } = await measureRegions(runBy(signal), recording, {
    regions,
    measurements: chosen,
    wanted,
    trace: drawn.traces ?? traceSettingsOver(timeOf(scan)),
    kept,
  });
  const first = bands.length > 1 ? ALL_BANDS : bands[0]?.id ?? "";
  const made = Object.entries(results).map(([key, found]) => {
    const { results: earlier = [], edits: _, ...fields } = kept[key] ?? {};
    const others = earlier.filter(({ of }) => !found.some((result) => isSameOf(result.of, of)));
    const own = { band: first, channel: "0", settings: found[0]!.settings, ...fields };
    return [key, {
      ...own,
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
  sources: ReadonlyMap<Over, Source>,
  drawn: Drawn,
  what: What,
  signal: AbortSignal,
): Promise<{ measured: Measured; rows: Row[] }> {
  const { group, axes } = scan;
  const parts = partsIn(drawn.regions);
  const [axis = null] = sources.keys();
  const wanted = { parts, over: drawn.images?.axis ?? axis, projection: drawn.projection ?? null };
  const { order, found } = await measuredSeries(sources, group, wanted, signal);
  const planes = group.channels.map(({ samples }) => samples);
  const source = sources.get(order.over ?? "T");
  const at = source?.at() ?? [];
  const part = drawn.images?.part ?? ALL_REGIONS;
  const kept = partsFor(part, parts);
  const { means } = found;
  const images = means === null || order.over === null
    ? null
    : keptMeans(kept.map((one) => means[parts.indexOf(one)]!), {
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
  const line = lineOver(drawn.regions);
  const traced = tracedIn(scan, drawn.regions, images, source?.axis);
  const chosen = traced.scan.isLineScan
    ? MEASUREMENTS.filter(({ key, isOfBands }) => what.has(key) && isOfBands)
    : [];
  const events = chosen.length === 0
    ? { drawn: { ...drawn, images }, rows: [] }
    : await measureTraced(traced, { ...drawn, images }, chosen, signal);
  const measured = shownIn(scan, events.drawn, traced, source?.axis);
  const tables = {
    ...measured.tables,
    regions: parts.length < 2 ? [] : columnsOf(imageRows(parts, group.plane, shown)),
    profile: line !== null ? profileColumns(line, group.plane, shown) : [],
  };
  const rows = withTraces(stackRows(order, found, planes), order, events.rows);
  return { rows, measured: { ...measured, tables } };
}

/** What the page would show for the drawings. */
function shownIn(
  scan: Scan,
  drawn: Drawn,
  traced: Traced = tracedIn(scan, drawn.regions),
  axis?: Source["axis"],
): Measured {
  const { regions } = drawn;
  const columnsOf = (kind: "line" | "track") => KINDS[kind].columns?.(ofKinds(regions, kind), scan) ?? [];
  const tables = {
    lines: columnsOf("line"),
    tracks: columnsOf("track"),
    cursors: cursorColumns(drawn, scan),
  };
  const { group } = traced.scan;
  const shown = traced.scan.isLineScan ? group.shown : [];
  const trace = drawn.traces ?? traceSettingsOver(timeOf(traced.scan));
  const traces = tracesOf({ plane: group.plane, shown }, traced.bands, trace);
  return {
    drawn,
    scan,
    traced: traced.scan,
    traces,
    tables,
    means: meansTables(drawn.images, axis),
    measurements: tablesIn(traced.scan, drawn),
  };
}

/** What is kept of each measurement, with the results and edits of one time and focus only. */
const keptAt = (
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
function tablesIn(scan: Scan<Samples>, { measurements, traces }: Drawn): Measured["measurements"] {
  const kept = keptAt(measurements ?? {}, placeOf(scan));
  return MEASUREMENTS.map((measurement) => {
    const { results = [], edits = [] } = kept[measurement.key] ?? {};
    const tables = results.map((result) => {
      const trace = traces ?? traceSettingsOver(timeOf(scan));
      const { items, quantities } = editedResult(recordingOf(scan), measurement, result, edits, trace);
      return { result, columns: measurement.columns(items, scan.axes), quantities };
    });
    return { measurement, tables };
  });
}
