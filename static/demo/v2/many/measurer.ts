/** Measures a recording with given drawings, as the page does. */
import { columnsOf, type Row } from "../../../measure/csv.ts";
import { imageRows, profileColumns } from "../../../measure/image_parts.ts";
import { type Over, stackRows } from "../../../measure/stack.ts";
import { isHere } from "../../../measure/edits.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { editedResult, isSameOf, measureRegions, wholeLines } from "../../../measure/recording.ts";
import { KINDS } from "../drawing/kinds.ts";
import { bandsOf, lineOver, ofKinds } from "../drawing/region.ts";
import { partsIn } from "../drawing/table.ts";
import { regionOf, tracesOf } from "../measuring/band_traces.ts";
import { cursorColumns } from "../measuring/cursor_panel.ts";
import { keptMeans, meansColumns } from "../measuring/image_panel.ts";
import { measuredSeries, type Source } from "../measuring/image_series.ts";
import { ALL_BANDS, type Drawn, type KeptMeasurement } from "../drawing/drawn.ts";
import { placeOf, recordingOf, type Scan } from "../drawing/scan.ts";
import { traceSettingsIn } from "../measuring/trace_panel.ts";
import { runBy } from "../measuring/workers.ts";
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
  const recording = recordingOf(scan);
  const chosen = MEASUREMENTS.filter(({ key }) => what.has(key));
  const isWhole = chosen.some(({ key }) => drawn.measured?.[key]?.band === "");
  const bands = bandsOf(drawn.regions).map(regionOf);
  const regions = isWhole ? [wholeLines(recording), ...bands] : bands;
  const place = placeOf(scan);
  const kept = keptAt(drawn.measured ?? {}, place);
  const wanted = Object.fromEntries(chosen.map(({ key }) => {
    const { channel = "0", settings = {} } = kept[key] ?? {};
    return [key, { channel: Number(channel), settings }];
  }));
  const { rows, results } = await measureRegions(runBy(signal), recording, {
    regions,
    measurements: chosen,
    wanted,
    trace: drawn.traces ?? traceSettingsIn(scan),
    kept,
  });
  const first = bands.length > 1 ? ALL_BANDS : bands[0]?.id ?? "";
  const made = Object.entries(results).map(([key, found]) => {
    const { results: earlier = [], edits: _, ...fields } = kept[key] ?? {};
    const others = earlier.filter(({ of }) => !found.some((result) => isSameOf(result.of, of)));
    const own = { band: first, channel: "0", settings: found[0]!.measured, ...fields };
    return [key, {
      ...own,
      results: [...others, ...found],
      edits: drawn.measured?.[key]?.edits ?? [],
      place,
    }];
  });
  const measured = { ...drawn, measured: { ...drawn.measured, ...Object.fromEntries(made) } };
  return { measured: shownIn(scan, measured), rows: rows.map(({ row }) => row) };
}

/**
 * Measures whole images, their line and their rectangles, over the axis of earlier means or else the first axis; and
 * their projection, if one was shown. Returns the drawings with the means of the part that was measured before, and a row
 * for each part and channel.
 *
 * @throws {DOMException} `AbortError`
 * @throws {RangeError} the recording has only one image along an axis
 */
export async function measureImages(
  scan: Scan,
  sources: ReadonlyMap<Over, Source>,
  drawn: Drawn,
  signal: AbortSignal,
): Promise<{ measured: Measured; rows: Row[] }> {
  const { group, axes } = scan;
  const parts = partsIn(drawn.regions);
  const [axis = null] = sources.keys();
  const wanted = { parts, over: drawn.images?.axis ?? axis, projection: drawn.projection ?? null };
  const { order, found } = await measuredSeries(sources, group, wanted, signal);
  const planes = group.channels.map(({ samples }) => samples);
  const chosen = Math.max(0, parts.findIndex(({ id }) => id === drawn.images?.part));
  const at = sources.get(order.over ?? "T")?.at() ?? [];
  const images = found.means === null || order.over === null ? null : keptMeans(found.means[chosen]!, {
    part: parts[chosen]!,
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
  const measured = shownIn(scan, { ...drawn, images });
  const tables = {
    ...measured.tables,
    images: meansColumns(images, sources.get(order.over ?? "T")?.axis),
    regions: parts.length < 2 ? [] : columnsOf(imageRows(parts, group.plane, shown)),
    profile: line !== null ? profileColumns(line, group.plane, shown) : [],
  };
  return { rows: stackRows(order, found, planes), measured: { ...measured, tables } };
}

/** What the page would show for the drawings. */
function shownIn(scan: Scan, drawn: Drawn): Measured {
  const { regions } = drawn;
  const columnsOf = (kind: "line" | "track") => KINDS[kind].columns?.(ofKinds(regions, kind), scan) ?? [];
  const tables = {
    lines: columnsOf("line"),
    tracks: columnsOf("track"),
    cursors: cursorColumns(drawn, scan),
  };
  const shown = scan.isLineScan ? scan.group.shown : [];
  const traces = tracesOf(
    { plane: scan.group.plane, shown },
    bandsOf(regions),
    drawn.traces ?? traceSettingsIn(scan),
  );
  return { drawn, scan, traces, tables, measurements: tablesIn(scan, drawn) };
}

/** What is kept of each measurement, with the results and edits of one time and focus only. */
const keptAt = (
  measured: NonNullable<Drawn["measured"]>,
  here: string,
): Record<string, KeptMeasurement> =>
  Object.fromEntries(
    Object.entries(measured).flatMap(([key, one]) => {
      if (one === null) return [];
      const results = one.place === null || one.place === here ? one.results : [];
      return [[key, { ...one, results, edits: one.edits.filter((edit) => isHere(edit, here)) }]];
    }),
  );

/** Tables of the results in drawings. */
function tablesIn(scan: Scan, { measured, traces }: Drawn): Measured["measurements"] {
  const kept = keptAt(measured ?? {}, placeOf(scan));
  return MEASUREMENTS.map((measurement) => {
    const { results = [], edits = [] } = kept[measurement.key] ?? {};
    const tables = results.map((result) => {
      const trace = traces ?? traceSettingsIn(scan);
      const { items, quantities } = editedResult(recordingOf(scan), measurement, result, edits, trace);
      return { result, columns: measurement.columns(items, scan.axes), quantities };
    });
    return { measurement, tables };
  });
}
