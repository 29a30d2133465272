/**
 * The measured picture: its planes with their axes and origin.
 *
 * @typedef {import("../../../measure/axes.js").Axis} Axis
 * @typedef {[name: string, value: string | number][]} About settings and origin of numbers, above every saved table
 * @typedef {object} Scan
 * @property {import("../picture/channel_group.js").ChannelGroup} group
 * @property {readonly [Axis, Axis]} axes of rows and columns; of a line scan time and position
 * @property {string} fileName
 * @property {string} path on the server's computer
 * @property {boolean} isLineScan whether rows are time
 * @property {boolean} isTyped whether the user typed the calibration
 * @property {number} pixelTime seconds from one pixel of a line to the next, by the file or as typed; 0 if unknown
 * @property {() => About} place describes the shown part of the file
 * @property {() => string} derived names the shown projection or kymograph in names of saved files; empty for the file's own samples
 * @property {string} note text that everything saved contains
 */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { LineScanInfo, OpenResponse, PlaneInfo, PositionInfo } from "../../../client/v2/acq-client.d.ts" */
import { isTime, rounded, titled, unitSymbol } from "../../../measure/axes.js";
import { positionWords } from "../../../measure/stack.js";
import { timeAlongLine, typedScan } from "../../../measure/typed_scan.js";

/** @param {{group: Scan["group"], file: {name: string, path: string}, lineScan: LineScanInfo | null, typed?: TypedScan | null, place: Scan["place"], derived?: Scan["derived"], note: string}} shown @returns {Scan} */
export function scanOf(
  { group, file: { name, path }, lineScan, typed = null, place, derived = () => "", note },
) {
  const axes = /** @type {[Axis, Axis]} */ (group.plane.axes);
  return {
    group,
    axes,
    fileName: name,
    path,
    isLineScan: isTime(axes[0]),
    isTyped: typed !== null,
    pixelTime: timeAlongLine(typed ?? lineScan, axes[0], group.plane.shape[1]),
    place,
    derived,
    note,
  };
}

/**
 * Typed calibration, and scene and position of planes if the file has several.
 *
 * @param {OpenResponse} info
 * @param {PositionInfo} position
 * @param {TypedScan | null} typed calibration
 * @returns {About}
 */
export function placeInFile({ scene = 0, scenes = [], header: { sizes } }, position, typed) {
  const name = scenes.find(({ index }) => index === scene)?.name || `Scene ${scene + 1}`;
  const calibration = typed?.textFile === undefined ? "typed" : `typed, from ${typed.textFile}`;
  return [
    ...(typed === null ? [] : [/** @type {About[number]} */ (["Calibration", calibration])]),
    ...(scenes.length > 1 ? [/** @type {About[number]} */ (["Scene", name])] : []),
    ...positionWords(sizes, position),
  ];
}

/** `[rows, columns]`. @param {Scan} scan */
export const shapeOf = ({ group }) => /** @type {[number, number]} */ (group.plane.shape);

/** Scene and position of the samples as a string, for comparison. @param {Scan} scan */
export const placeOf = (scan) => JSON.stringify(scan.place());

/** Means of the shown channels, such as `GCaMP 12.3, Red 4`; only the number if there is one channel. @param {Scan} scan @param {(samples: Float32Array) => number} meanOf */
export const meansText = ({ group: { channels, shown } }, meanOf) =>
  shown.map(({ name, samples }) => `${channels.length > 1 ? `${name} ` : ""}${rounded(meanOf(samples))}`)
    .join(", ");

/** Formats quantities, such as `Diameters 100 · Median diameter 12.3 µm`. @param {readonly import("../../../measure/measurement.js").Quantity[]} quantities */
export const quantitiesText = (quantities) =>
  quantities.filter(({ value, isCount }) => !(Number.isNaN(value) || isCount && value === 0))
    .map(({ name, value, unit = "" }) =>
      `${name} ${typeof value === "number" ? rounded(value) : value} ${unit.replace(/^um/, "µm")}`.trim()
    ).join(" · ");

/** Name of a file without its extension, for saved files. @param {Scan} scan */
export const stemOf = ({ fileName }) => fileName.replace(/(\.ome)?\.[^.]+$/, "");

/** Origin of the numbers, above every saved table. @param {Scan} scan @returns {About} */
export function about({ fileName, path, axes, isLineScan, place, note }) {
  const [rows, columns] = axes;
  return [
    ["File", fileName],
    ["Path", path],
    ...(note === "" ? [] : [/** @type {[string, string]} */ (["Note", note])]),
    ...place(),
    [isLineScan ? "Time per line" : "Row step", `${rows.step} ${unitSymbol(rows.unit)}`],
    [isLineScan ? "Distance per column" : "Column step", `${columns.step} ${unitSymbol(columns.unit)}`],
  ];
}

/** Whether a file holds a single image and does not call it a line scan. @param {OpenResponse} info */
export const isPlainImage = ({ plane, header: { sizes } }) =>
  !isTime(/** @type {Axis} */ (plane.axes[0])) && ["T", "Z", "L"].every((name) => (sizes[name] ?? 1) === 1);

/**
 * @template {{samples: Float32Array}} Channel
 * @param {{plane: PlaneInfo, channels: readonly Channel[]}} image
 * @param {TypedScan} typed
 * @returns {{plane: PlaneInfo, channels: Channel[]}}
 * @throws {RangeError} a step is not positive
 */
export function typedPlanes({ plane, channels }, typed) {
  const scans = channels.map(({ samples }) => typedScan({ samples, shape: plane.shape }, typed));
  const [{ plane: { shape }, axes }] = /** @type {[typeof scans[number]]} */ (scans);
  const described = plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
  return {
    plane: { ...plane, shape, axes: titled(/** @type {typeof plane.axes} */ (described)) },
    channels: channels.map((channel, i) => ({ ...channel, samples: scans[i].plane.samples })),
  };
}
