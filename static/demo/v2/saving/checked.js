/**
 * Checks what documents say about the look, the settings and the results of a recording by its shape. The schemas of the documents
 * leave these open, so a damaged archive, or another program, may have put anything there.
 */
import { LUT_NAMES } from "../picture/lut.js";

/** @typedef {(value: any) => boolean} Shape whether a value has this shape */

/** @type {Shape} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** Numbers of results may be NaN. @type {Shape} */
const isNumber = (value) => typeof value === "number";
/** @type {Shape} */
const isFinite = (value) => Number.isFinite(value);
/** @type {Shape} */
const isCount = (value) => Number.isInteger(value) && value >= 0;
/** @type {Shape} */
const isSize = (value) => Number.isInteger(value) && value >= 1;
/** @type {Shape} */
const isText = (value) => typeof value === "string";
/** @type {Shape} */
const isFlag = (value) => typeof value === "boolean";
/** @type {Shape} */
const isPlain = (value) => value === null || isNumber(value) || isText(value) || isFlag(value);

/** @param {...unknown} known @returns {Shape} */
const oneOf = (...known) => (value) => known.includes(value);
/** @param {Shape} shape @returns {Shape} */
const orNone = (shape) => (value) => value === null || value === undefined || shape(value);
/** @param {Shape} shape @returns {Shape} */
const listOf = (shape) => (value) => Array.isArray(value) && value.every(shape);
/** @param {Shape} shape @returns {Shape} */
const pairOf = (shape) => (value) => Array.isArray(value) && value.length === 2 && value.every(shape);
/** @param {Shape} shape @returns {Shape} */
const valuesOf = (shape) => (value) => isObject(value) && Object.values(value).every(shape);
/** An object with these fields, among others. @param {Readonly<Record<string, Shape>>} shapes @returns {Shape} */
const withFields = (shapes) => (value) =>
  isObject(value) && Object.entries(shapes).every(([name, shape]) => shape(value[name]));

const isTrace = withFields({
  isChange: isFlag,
  kind: oneOf("automatic", "percentile", "window", "moving", "exponential"),
  percentile: isFinite,
  from: isFinite,
  to: isFinite,
  offset: isFinite,
  average: isFinite,
  span: orNone(isFinite),
});

/** A value of a setting or in a row of results. @type {Shape} */
const isCell = (value) => isPlain(value) || listOf(isPlain)(value);

/** @type {Shape} */
const isSettings = (value) =>
  valuesOf((one) => isCell(one) || valuesOf(isCell)(one))(value) && orNone(isTrace)(value.trace);

const isBandAndChannel = withFields({ band: isText, channel: (value) => isText(value) || isCount(value) });

const isAbout = orNone(listOf(pairOf((value) => isText(value) || isNumber(value))));

/** What is kept of one measurement. */
const isMeasured = withFields({
  band: isText,
  channel: (value) => isText(value) || isCount(value),
  settings: orNone(isSettings),
  of: isBandAndChannel,
  columns: pairOf(isFinite),
  measured: orNone(isSettings),
  about: isAbout,
  found: orNone(listOf(valuesOf(isCell))),
});

const isMeans = withFields({
  axis: oneOf("T", "Z"),
  part: isText,
  channels: listOf(isText),
  about: isAbout,
  rows: orNone(listOf(withFields({ place: isNumber, values: listOf(orNone(isNumber)) }))),
});

const isProjection = withFields({ kind: oneOf("max", "mean"), axis: oneOf("T", "Z") });

const isView = (/** @type {any} */ view) =>
  withFields({ x0: isFinite, y0: isFinite, x1: isFinite, y1: isFinite })(view) && view.x1 > view.x0 &&
  view.y1 > view.y0;

const isPicture = withFields({
  shape: orNone(pairOf(isSize)),
  view: orNone(isView),
  mode: orNone(oneOf("merged", "split", "single")),
  channels: listOf(withFields({
    index: isCount,
    visible: isFlag,
    lutName: oneOf(...LUT_NAMES),
    gamma: (value) => isFinite(value) && value > 0,
    range: pairOf(isFinite),
    isAuto: isFlag,
  })),
});

/** A calibration that the user typed. */
const isTyped = withFields({
  time: oneOf("rows", "columns"),
  secondsPerLine: (value) => isFinite(value) && value > 0,
  micrometresPerPixel: (value) => isFinite(value) && value > 0,
  secondsPerPixel: orNone((value) => isFinite(value) && value >= 0),
  textFile: orNone(isText),
});

/** Fields of a look, without drawings. @type {Readonly<Record<string, Shape>>} */
const LOOK = {
  source: orNone(isPicture),
  reference: orNone(isPicture),
  statistic: orNone(oneOf("mean", "max", "min")),
  typed: orNone(isTyped),
};

const isPlace = withFields({ x: isFinite, y: isFinite });

/** Fields of drawings, such as those in a kymograph. @type {Readonly<Record<string, Shape>>} */
const DRAWN = {
  shape: pairOf(isSize),
  isLineScan: isFlag,
  traces: orNone(isTrace),
  bands: listOf(withFields({ id: isCount, name: isText, color: isText, from: isFinite, to: isFinite })),
  lines: listOf(withFields({ id: isCount, from: isPlace, to: isPlace })),
  measured: orNone(valuesOf(orNone(isMeasured))),
  cursors: withFields({ pinned: listOf(isPlace), lines: isSize, columns: isSize }),
  images: orNone(isMeans),
  projection: orNone(isProjection),
  regions: orNone(listOf(withFields({ id: isText, type: isText }))),
};

/** Fields of saved settings. @type {Readonly<Record<string, Shape>>} */
const SETTINGS = {
  traces: orNone(isTrace),
  measured: orNone(isObject),
  cursors: orNone(withFields({ lines: isSize, columns: isSize })),
  images: orNone(isMeans),
  projection: orNone(isProjection),
  isKymographMade: orNone(isFlag),
};

/** Fields of a position. @type {Readonly<Record<string, Shape>>} */
const POSITION = { t: orNone(isCount), z: orNone(isCount), l: orNone(isCount) };

/**
 * The fields of an object that have their shape.
 *
 * @param {unknown} value
 * @param {Readonly<Record<string, Shape>>} shapes
 * @returns {{fitting: Record<string, any>, lost: string[]}} `lost` has the names of fields that are there in another shape
 */
function fittingFields(value, shapes) {
  /** @type {Record<string, any>} */
  const fields = isObject(value) ? /** @type {any} */ (value) : {};
  const names = Object.keys(shapes).filter((name) => fields[name] !== undefined && fields[name] !== null);
  const isFitting = (/** @type {string} */ name) => shapes[name]?.(fields[name]) === true;
  return {
    fitting: Object.fromEntries(names.filter(isFitting).map((name) => [name, fields[name]])),
    lost: names.filter((name) => !isFitting(name)),
  };
}

/** Words for fields in a notice. @type {Readonly<Record<string, string>>} */
const WORDS = {
  source: "display of the image",
  reference: "display of the reference image",
  statistic: "reduction to pixels",
  typed: "typed calibration",
  traces: "settings of traces",
  measured: "measurements",
  cursors: "cursor settings",
  images: "means over the images",
  projection: "projection",
  isKymographMade: "kymograph",
  t: "position",
  z: "position",
  l: "position",
};

/** Checks that a value has the fields of a look. @param {unknown} look @returns {{look: any, lost: string[]}} `lost` has words for what is left out */
export function checkedLook(look) {
  const { fitting, lost } = fittingFields(look, LOOK);
  return { look: fitting, lost: wordsFor(lost) };
}

/** Checks saved settings, and each measurement in them. @param {unknown} settings @returns {{settings: any, lost: string[]}} */
export function checkedSettings(settings) {
  const { fitting, lost } = fittingFields(settings, SETTINGS);
  const entries = Object.entries(fitting.measured ?? {});
  const sound = entries.filter(([, one]) => one === null || isMeasured(one));
  return {
    settings: { ...fitting, ...fitting.measured && { measured: Object.fromEntries(sound) } },
    lost: wordsFor([...lost, ...sound.length < entries.length ? ["measured"] : []]),
  };
}

/** Checks a position. @param {unknown} position @returns {{position: {t?: number, z?: number, l?: number}, lost: string[]}} */
export function checkedPosition(position) {
  const { fitting, lost } = fittingFields(position, POSITION);
  return { position: fitting, lost: wordsFor(lost) };
}

/** The results of a measurement, if all of them are rows of plain values; else none. @param {unknown} found */
export const checkedResults = (found) => Array.isArray(found) && found.every(valuesOf(isCell)) ? found : [];

/** The means of images, if all of them are rows of numbers; else none. @param {unknown} rows */
export const checkedMeans = (rows) =>
  Array.isArray(rows) && isMeans({ axis: "T", part: "", channels: [], rows }) ? rows : [];

/** The look of a kymograph with its drawings; null if a part of it is damaged. @param {any} look @returns {any} */
export function checkedKymograph(look) {
  if (!isObject(look)) return null;
  const { look: display, lost } = checkedLook(look);
  const isDrawn = orNone(withFields(DRAWN))(look.drawn);
  return lost.length === 0 && isDrawn ? { ...display, ...look.drawn && { drawn: look.drawn } } : null;
}

/** @param {readonly string[]} names */
const wordsFor = (names) => [...new Set(names.map((name) => WORDS[name] ?? name))];

/**
 * Shows something with what was kept of it and, if that throws, without it: damage that the checks do not know must not leave a
 * recording black at every opening.
 *
 * @template T, K
 * @param {(kept: K | null) => T} show
 * @param {K | null} kept
 * @returns {{shown: T, fault: unknown}} `fault` is null unless what was kept was dropped
 */
export function shownWith(show, kept) {
  try {
    return { shown: show(kept), fault: null };
  } catch (fault) {
    if (kept === null) throw fault;
    return { shown: show(null), fault };
  }
}
