/**
 * What was drawn, pinned and measured in a picture, as JSON to be stored and undone. Drawings fit only a picture of the
 * same size.
 *
 * @typedef {object} KeptMeasurement
 * @property {string} band id of the chosen band; empty for whole lines
 * @property {string} channel index of the chosen channel
 * @property {import("../../../measure/measurement.js").Settings} settings
 * @property {readonly any[]} found results; empty before a measurement
 * @property {{band: string, channel: string}} of band and channel of `found`, as above
 * @property {readonly [number, number]} columns of `found`: the first, and the one after the last
 * @property {import("../../../measure/measurement.js").Settings} measured settings of `found`
 * @property {import("./scan.js").About} about describes the measurement
 * @property {string | null} place scene and position of `found`; null for the shown position
 *
 * @typedef {object} KeptKymograph
 * @property {{x: number, y: number}[]} points of the line, in samples of the images
 * @property {number} width
 * @property {boolean} isMade whether the kymograph is shown or being made
 * @property {any} [look] display settings and drawings of the kymograph
 *
 * @typedef {import("../../../measure/velocity.js").Place} Place
 * @typedef {{id: number, name?: string, from: Place, to: Place, region?: import("./bands.js").Region}} Line
 * @typedef {{x: number, y: number, name?: string}} Cursor pixel of the picture: `x` is its row, `y` its column
 *
 * @typedef {object} KeptMeans
 * @property {import("../../../measure/stack.js").Over} axis
 * @property {string} part id of a rectangle or the line; empty for the whole image
 * @property {{place: number, values: (number | null)[]}[]} rows means of all channels; empty before a measurement
 * @property {string[]} channels
 * @property {import("./scan.js").About} about describes the measurement
 *
 * @typedef {object} Drawn
 * @property {readonly [number, number]} shape of the plane
 * @property {boolean} isLineScan
 * @property {import("../../../measure/band_trace.js").TraceSettings | null} traces null if unknown
 * @property {import("./bands.js").Band[]} bands
 * @property {readonly Line[]} lines
 * @property {Readonly<Record<string, KeptMeasurement | null>>} [measured] results by the keys of measurements.js
 * @property {{pinned: Cursor[], lines: number, columns: number}} cursors
 * @property {KeptKymograph | null} kymograph
 * @property {KeptMeans | null} [images]
 * @property {import("../../../measure/stack.js").ProjectionOf | null} [projection] shown in place of the images
 * @property {readonly import("./bands.js").Region[]} [regions] other than bands, lines and cursors
 * @property {boolean | null} [accepted] the user's judgement; null if it equals that of the file
 * @property {string | null} [origin] mark of the documents that the drawings started from
 */
import { MEASUREMENTS } from "../../../measure/measurements.js";
import { shapeOf } from "./scan.js";

/** Coordinate space of the regions in an image document: pixels. */
export const SPACE = "primary-image-full-resolution-pixels";

/** Most results in an editable list: if there are more, the threshold lies in the noise. */
export const MOST_ROWS = 5000;

/** Most lines over a picture: more would hide it. */
export const MOST_LINES = 200;

/**
 * Checks that stored drawings fit a picture. A line scan may have gained rows, as during recording.
 *
 * @param {any} kept drawings of this or another picture
 * @param {import("./scan.js").Scan} scan
 * @returns {Drawn | null} null if they do not fit
 */
export function drawnIn(kept, scan) {
  if (kept?.isLineScan !== scan.isLineScan) return null;
  const [rows, columns] = shapeOf(scan);
  const [formerRows, formerColumns] = kept.shape;
  const isFit = formerColumns === columns && (scan.isLineScan ? formerRows <= rows : formerRows === rows);
  return isFit ? { ...kept, shape: [rows, columns] } : null;
}

/** Changes what is kept of each measurement. @param {Drawn["measured"]} measured @param {(one: KeptMeasurement, key: string) => KeptMeasurement | null} change @returns {Record<string, KeptMeasurement | null>} */
export const mapped = (measured, change) =>
  Object.fromEntries(Object.entries(measured ?? {}).map(([key, one]) => [key, one && change(one, key)]));

/** Exchanges rows and columns of a region, as for an image whose columns are lines. @param {import("./bands.js").Region} region @returns {import("./bands.js").Region} */
export function turnedRegion(region) {
  const ends = (/** @type {any} */ { position, start, stop }) => ({
    ...position && { position: [...position].reverse() },
    ...start && { start: [...start].reverse() },
    ...stop && { stop: [...stop].reverse() },
  });
  const { metadata } = region;
  const exact = metadata?.acq_server;
  return {
    ...region,
    ...ends(region),
    ...exact && { metadata: { ...metadata, acq_server: { ...exact, ...ends(exact) } } },
  };
}

/** Kept drawings without results, for other samples. @param {any} kept unchecked @returns {any} */
export function withoutResults(kept) {
  if (!kept) return kept;
  const { kymograph, measured } = kept;
  const look = kymograph?.look && { ...kymograph.look, drawn: withoutResults(kymograph.look.drawn) };
  return {
    ...kept,
    ...measured && { measured: mapped(measured, (one) => ({ ...one, found: [], about: [] })) },
    ...kept.images && { images: { ...kept.images, rows: [], about: [] } },
    kymograph: look ? { ...kymograph, look } : kymograph,
  };
}

/** Summary of what was drawn and measured, such as "2 bands, 1 line"; may be empty. @param {any} kept unchecked @returns {string} */
export function drawnWords(kept) {
  if (!kept) return "";
  const words = /** @type {const} */ ([
    ["band", kept.bands],
    ["line", kept.lines],
    ...MEASUREMENTS.map(({ key, noun }) => /** @type {const} */ ([noun, kept.measured?.[key]?.found])),
    ["cursor", kept.cursors?.pinned],
    ["image mean", kept.images?.rows],
    ["region", kept.regions],
  ]).flatMap(([name, { length = 0 } = []]) =>
    length === 0 ? [] : [`${length} ${length === 1 ? name : name.replace(/y$/, "ie") + "s"}`]
  );
  const line = kept.kymograph?.points?.length > 0 ? ["kymograph"] : [];
  const inside = drawnWords(kept.kymograph?.look?.drawn);
  const projected = kept.projection ? ["projection"] : [];
  const judged = typeof kept.accepted === "boolean" ? [kept.accepted ? "accepted" : "not accepted"] : [];
  return [...words, ...line, ...projected, ...(inside === "" ? [] : [inside]), ...judged].join(", ");
}

/** The same without the judgement and, for a line scan, without regions that no tool draws. @param {any} kept unchecked @returns {string} */
export const drawingWords = (kept) =>
  kept ? drawnWords({ ...kept, accepted: null, regions: kept.isLineScan ? [] : kept.regions }) : "";
