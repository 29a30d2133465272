/** Measures a recording with given drawings, as the page does: it drives panels that are not shown. */
import { tableUnit, toPhysical } from "../../../measure/axes.ts";
import { columnsOf, type Row } from "../../../measure/csv.ts";
import { imageRows, profileColumns } from "../../../measure/image_parts.ts";
import { type Over, stackRows } from "../../../measure/stack.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { factsRow, rowOf } from "../../../measure/measurement.ts";
import { KINDS } from "../drawing/kinds.ts";
import { type Band, bandsOf, lineOver, ofKinds, partsIn } from "../drawing/region.ts";
import { tracesOf } from "../measuring/band_traces.ts";
import { cursorColumns } from "../measuring/cursor_panel.ts";
import { keptMeans, meansColumns } from "../measuring/image_panel.ts";
import { measuredSeries, type Source } from "../measuring/image_series.ts";
import { MeasurementPanel } from "../measuring/measurement_panel.ts";
import { type Scan, shapeOf } from "../measuring/scan.ts";
import { traceSettingsIn } from "../measuring/trace_panel.ts";
import type { Drawn } from "../measuring/drawn.ts";
import type { Measured } from "../measuring/panel.ts";

/** Keys of the measurements to make. */
export type What = ReadonlySet<string>;

const WHOLE = "whole lines";

/** Measures one recording after the other with its own set of panels. */
export class Measurer {
  readonly #measurements = MEASUREMENTS.map((one) => new MeasurementPanel(one));

  /**
   * Measures all bands, and whole lines if there is no band or if a measurement is set to them.
   *
   * Returns the drawings with their results, and a row for each band. Earlier results, perhaps edited by hand, are not
   * measured again.
   *
   * @throws {DOMException} `AbortError`
   */
  async measure(
    scan: Scan,
    drawn: Drawn,
    what: What,
    signal: AbortSignal,
  ): Promise<{ measured: Measured; rows: Row[] }> {
    const measured = { ...drawn, measured: { ...drawn.measured } };
    const rows = [];
    for (const band of this.#parts(scan, drawn, what)) {
      const isWhole = band.id === "";
      const row = placeOfBand(scan, band);
      for (const panel of this.#measurements) {
        const { key } = panel.measurement;
        if (!what.has(key) || isWhole && panel.measurement.isOfBands) continue;
        Object.assign(row, await this.#measurement(panel, scan, drawn, band, signal));
        const first = panel.measurement.isOfBands ? bandsOf(drawn.regions)[0]?.id : "";
        if ((drawn.measured?.[key]?.band || first) === band.id) measured.measured[key] = panel.kept;
      }
      rows.push(row);
    }
    return { measured: this.#show(scan, measured), rows };
  }

  /**
   * Measures whole images, their line and their rectangles, over the axis of earlier means or else the first axis; and
   * their projection, if one was shown. Returns the drawings with the means of the part that was measured before, and a row
   * for each part and channel.
   *
   * @throws {DOMException} `AbortError`
   * @throws {RangeError} the recording has only one image along an axis
   */
  async measureImages(
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
    const measured = this.#show(scan, { ...drawn, images });
    const tables = {
      ...measured.tables,
      images: meansColumns(images, sources.get(order.over ?? "T")?.axis),
      regions: parts.length < 2 ? [] : columnsOf(imageRows(parts, group.plane, shown)),
      profile: line !== null ? profileColumns(line, group.plane, shown) : [],
    };
    return { rows: stackRows(order, found, planes), measured: { ...measured, tables } };
  }

  /** What the page would show for the drawings. */
  #show(scan: Scan, drawn: Drawn): Measured {
    for (const panel of this.#measurements) panel.begin(scan, drawn);
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
    return { drawn, scan, traces, tables, measurements: this.#measurements };
  }

  #parts(scan: Scan, { measured, regions }: Drawn, what: What): readonly Band[] {
    const bands = bandsOf(regions);
    const hasWhole = bands.length === 0 ||
      this.#measurements.some(({ measurement: { key, isOfBands } }) =>
        what.has(key) && !isOfBands && measured?.[key]?.band === ""
      );
    const whole = { id: "", name: WHOLE, color: "", from: 0, to: shapeOf(scan)[1] };
    return hasWhole ? [whole, ...bands] : bands;
  }

  async #measurement(
    panel: MeasurementPanel,
    scan: Scan,
    drawn: Drawn,
    { id: band }: Band,
    signal: AbortSignal,
  ): Promise<Row> {
    const { key } = panel.measurement;
    const kept = drawn.measured?.[key] ?? null;
    const isOwn = kept?.band === band && kept.found.length > 0;
    const again = kept && { ...kept, band, found: [], about: [] };
    panel.begin(scan, isOwn ? drawn : { ...drawn, measured: { ...drawn.measured, [key]: again } });
    if (!isOwn && !kept) panel.choose(band);
    const fault = isOwn ? "" : await panel.measure(signal);
    signal.throwIfAborted();
    if (fault !== "") return { Error: fault };
    const facts = panel.settings.filter(([name]) => name !== "Part of the lines");
    return { ...factsRow(panel.measurement, facts), ...rowOf(panel.quantities) };
  }
}

/** @returns outer edges of the pixels */
function placeOfBand({ axes: [, space] }: Scan, { name, from, to }: Band): Row {
  const edge = (column: number) => Number(toPhysical(space, column).toPrecision(12));
  return {
    Band: name,
    "First column": from,
    "Last column": to - 1,
    [`From (${tableUnit(space)})`]: edge(from),
    [`To (${tableUnit(space)})`]: edge(to),
  };
}
