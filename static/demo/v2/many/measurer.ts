/** Measures a recording with given drawings, as the page does: it drives panels that are not shown. */
import { tableUnit, toPhysical } from "../../../measure/axes.ts";
import { columnsOf, type Row } from "../../../measure/csv.ts";
import { imageRows, LINE_ID, partsOf, profileColumns } from "../../../measure/image_parts.ts";
import { type Over, stackRows } from "../../../measure/stack.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { factsRow, rowOf } from "../../../measure/measurement.ts";
import { BandPanel } from "../measuring/band_panel.ts";
import { CursorPanel } from "../measuring/cursor_panel.ts";
import { keptMeans, meansColumns } from "../measuring/image_panel.ts";
import { measuredSeries, type Source } from "../measuring/image_series.ts";
import { LinePanel } from "../measuring/line_panel.ts";
import { MeasurementPanel } from "../measuring/measurement_panel.ts";
import { type Scan, shapeOf } from "../measuring/scan.ts";
import type { Band } from "../measuring/bands.ts";
import type { Drawn } from "../measuring/drawn.ts";
import type { Measured } from "../measuring/panel.ts";

/** Keys of the measurements to make. */
export type What = ReadonlySet<string>;

const WHOLE = "whole lines";

/** Measures one recording after the other with its own set of panels. */
export class Measurer {
  readonly #bands = new BandPanel();
  readonly #lines = new LinePanel();
  readonly #cursors = new CursorPanel(() => null);
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
    this.#bands.begin(scan, drawn);
    const measured = { ...drawn, measured: { ...drawn.measured } };
    const rows = [];
    for (const band of this.#parts(scan, drawn, what)) {
      const isWhole = band.id === 0;
      const row = placeOfBand(scan, band);
      for (const panel of this.#measurements) {
        const { key } = panel.measurement;
        if (!what.has(key) || isWhole && panel.measurement.isOfBands) continue;
        Object.assign(row, await this.#measurement(panel, scan, drawn, band, signal));
        const first = panel.measurement.isOfBands ? String(drawn.bands[0]?.id) : "0";
        if ((drawn.measured?.[key]?.band || first) === String(band.id)) measured.measured[key] = panel.kept;
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
    const parts = partsOf(drawn);
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
    const { place: line } = parts.find(({ id }) => id === LINE_ID) ?? { place: null };
    const measured = this.#show(scan, { ...drawn, images });
    const tables = {
      ...measured.tables,
      images: meansColumns(images, sources.get(order.over ?? "T")?.axis),
      regions: parts.length < 2 ? [] : columnsOf(imageRows(parts, group.plane, shown)),
      profile: line !== null && "points" in line ? profileColumns(line, group.plane, shown) : [],
    };
    return { rows: stackRows(order, found, planes), measured: { ...measured, tables } };
  }

  /** What the page would show for the drawings. */
  #show(scan: Scan, drawn: Drawn): Measured {
    const { traces } = this.#bands;
    const panels = [this.#lines, this.#cursors, ...this.#measurements];
    for (const panel of panels) panel.begin(scan, drawn);
    const tables = { lines: this.#lines.columns, cursors: this.#cursors.columns };
    return { drawn, scan, traces, tables, measurements: this.#measurements };
  }

  #parts(scan: Scan, { measured, bands }: Drawn, what: What): readonly Band[] {
    const hasWhole = bands.length === 0 ||
      this.#measurements.some(({ measurement: { key, isOfBands } }) =>
        what.has(key) && !isOfBands && measured?.[key]?.band === ""
      );
    const whole = { id: 0, name: WHOLE, color: "", from: 0, to: shapeOf(scan)[1] };
    return hasWhole ? [whole, ...this.#bands.all] : this.#bands.all;
  }

  async #measurement(
    panel: MeasurementPanel,
    scan: Scan,
    drawn: Drawn,
    { id }: Band,
    signal: AbortSignal,
  ): Promise<Row> {
    const { key } = panel.measurement;
    const kept = drawn.measured?.[key] ?? null;
    const band = id === 0 ? "" : String(id);
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
