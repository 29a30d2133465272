/**
 * Drawings and pinned cursors of a picture as JSON that survives a reload and the closing of a file. It comes from the
 * browser's storage, so every value is checked before use. Drawings belong to samples: a picture of another size takes
 * none.
 *
 * Tested in `tests/page/drawn_test.ts` and `tests/browser/drawn_kept_test.ts`.
 *
 * @typedef {object} KeptTraces
 * @property {boolean} isChange ΔF/F₀
 * @property {"percentile" | "window"} kind of the baseline
 * @property {number} percentile
 * @property {number} from start of the baseline's window, in the time axis' unit
 * @property {number} to
 * @property {number} offset
 * @property {number} average lines
 *
 * @typedef {object} KeptEvents
 * @property {string} trace key of the trace
 * @property {string} title of the trace's values
 * @property {number | null} height
 * @property {number | null} prominence
 * @property {number | null} distance
 * @property {number | null} found number of found events; null where all were added by hand
 * @property {number} length of the trace
 * @property {{peak: number, value: number, note: string, isByHand: boolean}[]} rows
 *
 * @typedef {object} KeptKymograph
 * @property {{x: number, y: number}[]} points of the line, in samples of the images
 * @property {number} width
 * @property {boolean} isMade shown or being made
 * @property {any} [look] its look
 *
 * @typedef {import("../../../measure/velocity.js").Place} Place
 * @typedef {{id: number, from: Place, to: Place}} Line
 *
 * @typedef {object} Drawn
 * @property {readonly [number, number]} shape of the plane
 * @property {boolean} isLineScan
 * @property {KeptTraces} traces
 * @property {import("./bands.js").Band[]} bands
 * @property {Line[]} lines
 * @property {KeptEvents | null} events
 * @property {{pinned: {x: number, y: number}[], lines: number, columns: number}} cursors
 * @property {KeptKymograph | null} kymograph
 */
import { MOST_BANDS } from "./bands.js";
import { shapeOf } from "./scan.js";

/** More rows than anyone edits: the threshold lies in the noise. */
export const MOST_ROWS = 2000;

/** More lines hide the picture. */
export const MOST_LINES = 200;

/** Freehand drawing adds a point per move of the pointer. */
const MOST_POINTS = 100_000;

/**
 * Checks kept drawings and returns what fits a picture. A line scan may have grown, as while it is recorded.
 *
 * @param {any} kept of whatever form
 * @param {import("./scan.js").Scan} scan
 * @returns {Drawn | null} null where drawn into other samples
 */
export function drawnIn(kept, scan) {
  const [rows, columns] = shapeOf(scan);
  const [formerRows, formerColumns] = Array.isArray(kept?.shape) ? kept.shape : [];
  const isSameKind = kept?.isLineScan === scan.isLineScan && formerColumns === columns;
  if (!isSameKind || !(scan.isLineScan ? formerRows <= rows : formerRows === rows)) return null;
  const { traces, events, cursors, kymograph } = kept;
  return {
    shape: [rows, columns],
    isLineScan: scan.isLineScan,
    traces: checkedTraces(traces),
    bands: some(kept.bands, (band) => isBand(band, columns), MOST_BANDS),
    lines: some(kept.lines, isLine, MOST_LINES),
    events: isEvents(events)
      ? { ...events, rows: some(events.rows, (row) => isRow(row, rows), MOST_ROWS) }
      : null,
    cursors: {
      pinned: some(cursors?.pinned, ({ x, y }) => isIndex(x, rows) && isIndex(y, columns), 2),
      lines: cursors?.lines >= 1 ? Math.round(cursors.lines) : 1,
      columns: cursors?.columns >= 1 ? Math.round(cursors.columns) : 1,
    },
    kymograph: isKymograph(kymograph) ? kymograph : null,
  };
}

/** Whether anything was drawn at all. @param {any} kept of whatever form */
export const hasDrawn = (kept) =>
  [kept?.bands, kept?.lines, kept?.events?.rows, kept?.cursors?.pinned, kept?.kymograph?.points]
    .some((list) => Array.isArray(list) && list.length > 0);

/** @param {any} list @param {(item: any) => boolean} isGood @param {number} most @returns {any[]} */
const some = (list, isGood, most) =>
  (Array.isArray(list) ? list : []).filter((item) =>
    typeof item === "object" && item !== null && isGood(item)
  )
    .slice(0, most);

/** @param {unknown} value @param {number} end */
const isIndex = (value, end) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < end;

/** @param {unknown} value */
const isFinite = (value) => Number.isFinite(value);

/** @param {any} point */
const isPoint = (point) => isFinite(point?.x) && isFinite(point?.y);

/** @param {any} band @param {number} columns */
const isBand = ({ id, name, color, from, to }, columns) =>
  Number.isInteger(id) && typeof name === "string" && /^#[0-9a-f]{6}$/i.test(color) &&
  isIndex(from, columns) && Number.isInteger(to) && from < to && to <= columns;

/** @param {any} line */
const isLine = ({ id, from, to }) => Number.isInteger(id) && isPoint(from) && isPoint(to);

/** @param {any} events */
const isEvents = (events) =>
  typeof events?.trace === "string" && typeof events.title === "string" && Number.isInteger(events.length) &&
  (events.found === null || Number.isInteger(events.found));

/** @param {any} row @param {number} rows */
const isRow = ({ peak, value, note }, rows) =>
  isIndex(peak, rows) && isFinite(value) && typeof note === "string";

/** @param {any} kymograph */
const isKymograph = (kymograph) =>
  Array.isArray(kymograph?.points) && kymograph.points.length >= 2 &&
  kymograph.points.length <= MOST_POINTS && kymograph.points.every(isPoint) &&
  Number.isInteger(kymograph.width) &&
  kymograph.width >= 1 && kymograph.width <= 1000;

/** @param {any} traces @returns {KeptTraces} */
function checkedTraces({ isChange, kind, ...numbers } = {}) {
  const number = (/** @type {string} */ name, /** @type {number} */ otherwise) =>
    isFinite(numbers[name]) ? numbers[name] : otherwise;
  return {
    isChange: isChange === true,
    kind: kind === "window" ? "window" : "percentile",
    percentile: number("percentile", 10),
    from: number("from", 0),
    to: number("to", 0),
    offset: number("offset", 0),
    average: Math.max(1, Math.round(number("average", 1))),
  };
}
