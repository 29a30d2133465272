/**
 * Bands of a line scan (ranges of columns with a name and a colour) and their traces.
 *
 * @typedef {object} Region of an image document, as a program wrote it
 * @property {string} id
 * @property {"point" | "line" | "rectangle"} type
 * @property {string} [name]
 * @property {string} coordinate_space
 * @property {readonly [column: number, row: number]} [position] of a point
 * @property {readonly [column: number, row: number]} [start] of a line or rectangle
 * @property {readonly [column: number, row: number]} [stop] of a line; of a rectangle the first pixel outside
 * @property {Record<string, any>} [metadata]
 *
 * @typedef {object} Band
 * @property {number} id
 * @property {string} name
 * @property {string} color CSS
 * @property {number} from first column
 * @property {number} to end, not included
 * @property {Region} [region] set if another program wrote the band
 *
 * @typedef {ReturnType<typeof tracesOf>[number]} Trace
 */
import { traceOf } from "../../../measure/band_trace.js";
import { placeOfColumn } from "../picture/scan_path.js";

/** @import { Mark } from "../picture/marks.js" */
/** @import { Pane } from "../picture/pane.js" */
/** @import { Point } from "../picture/placed_view.js" */

/** Distinct on black and on white, also with most colour vision deficiencies (after Okabe and Ito 2008). */
const BAND_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#999999"];

/** Dashes distinguish channels, colours distinguish bands. */
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

/** Most bands: more curves are slow and hard to distinguish. */
export const MOST_BANDS = 24;

/** The band with a number, between two edges in columns; it includes every column that it touches. @type {(id: number, from: number, to: number, columns: number) => Band} */
export const numberedBand = (id, from, to, columns) => ({
  id,
  name: `Band ${id}`,
  color: /** @type {string} */ (BAND_COLORS[(id - 1) % BAND_COLORS.length]),
  ...columnsBetween(from, to, columns),
});

/** Moves both edges to the nearest pixel edges; an edge that passes the other pushes it along. @type {(band: Band, from: number, to: number, columns: number) => {from: number, to: number}} */
export function movedEdges(band, from, to, columns) {
  let [low, high] = [Math.round(from), Math.round(to)];
  if (low >= high && low !== band.from) high = low + 1;
  else if (low >= high) low = high - 1;
  return columnsBetween(low, high, columns);
}

/** Columns that lie at least partly between two positions: one or more. @type {(one: number, other: number, columns: number) => {from: number, to: number}} */
export function columnsBetween(one, other, columns) {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const from = Math.min(columns - 1, Math.max(0, Math.floor(low)));
  return { from, to: Math.min(columns, Math.max(from + 1, Math.ceil(high))) };
}

/**
 * Traces of all bands and shown channels, with colours for bands and dashes for channels; one value per line.
 *
 * @param {{plane: {shape: readonly number[], axes: readonly {step: number}[]}, shown: readonly {name: string, samples: Float32Array}[]}} group
 * @param {readonly Band[]} bands
 * @param {import("../../../measure/band_trace.js").TraceSettings} settings
 */
export function tracesOf({ plane: { shape, axes }, shown }, bands, settings) {
  return bands.flatMap((band) =>
    shown.map(({ name: channel, samples }, i) => {
      const { values, baseline, f0 } = traceOf(
        { samples, shape },
        [band.from, band.to],
        settings,
        axes[0].step,
      );
      const dash = /** @type {string} */ (DASHES[i % DASHES.length]);
      const name = shown.length > 1 ? `${band.name} · ${channel}` : band.name;
      return { name, band, channel, color: band.color, dash, values, baseline, f0 };
    })
  );
}

/** Marks of bands over the line scan. @param {readonly Band[]} bands @param {Pane} pane @returns {Mark[]} */
export function bandMarks(bands, pane) {
  const { x0, x1 } = pane.view;
  return bands.flatMap(({ name, color, from, to }) => {
    const edges = [from, to].map((y) => [pane.toScreen(x0, y), pane.toScreen(x1, y)]);
    const corners = edges.flat();
    const [left, top] = [0, 1].map((i) => Math.min(...corners.map((corner) => corner[i])));
    // White, as all labels are: few band colours are readable on every picture.
    /** @type {Mark[]} */
    const label = name === ""
      ? []
      : [{ text: name, at: [left + 6, top + 9], anchor: "start", color: "#fff", halo: true }];
    return [...edges.map((points) => ({ points, color, width: 1.5, halo: true })), ...label];
  });
}

/** Marks over the parts of the path that belong to the bands. @param {readonly Band[]} bands @param {readonly Point[]} path @param {number} columns @param {Pane} pane @returns {Mark[]} */
export function pathMarks(bands, path, columns, pane) {
  if (path.length === 0) return [];
  return bands.map(({ from, to, color }) => {
    const places = Array.from({ length: to - from }, (_, i) => placeOfColumn(path, columns, from + i));
    const points = places.map(({ x, y }) => pane.toScreen(y + 0.5, x + 0.5));
    if (points.length === 1) points.push([points[0][0] + 2, points[0][1]]);
    return { points, color, width: 4, halo: true };
  });
}
