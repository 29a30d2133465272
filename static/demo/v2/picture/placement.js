/**
 * Orientations of planes: defaults for each kind of picture, and the user's choice, kept in the browser's storage or,
 * where unavailable, for this page.
 *
 * Tested in `tests/browser/orientation_test.ts`.
 */
import { isTime } from "../../../measure/axes.js";
import { AS_PLOT, numberOf, ORIENTATIONS, UPRIGHT } from "./orientation.js";

/** @import { Orientation } from "./orientation.js" */

/** @typedef {"line scan" | "image" | "reference"} Kind of picture */

/** @type {Readonly<Record<Kind, Orientation>>} */
const DEFAULTS = { "line scan": AS_PLOT, image: UPRIGHT, reference: UPRIGHT };

/** @type {Map<Kind, Orientation>} */
const chosen = new Map();

/**
 * The kind of a plane: `line scan`, whose rows are time, `image` or `reference`.
 *
 * @param {{axes: readonly {unit: string}[]}} plane
 * @param {boolean} isReference
 * @returns {Kind}
 */
export const kindOf = (plane, isReference) =>
  isReference ? "reference" : isTime(plane.axes[0] ?? { unit: "" }) ? "line scan" : "image";

/** Orientation of a kind. @param {Kind} kind @returns {Orientation} */
export function placementOf(kind) {
  return chosen.get(kind) ?? ORIENTATIONS[Number(stored(kind) ?? NaN)] ?? DEFAULTS[kind];
}

/** Keeps the choice for a kind. @param {Kind} kind @param {Orientation} orientation */
export function keepPlacement(kind, orientation) {
  chosen.set(kind, orientation);
  try {
    localStorage.setItem(keyOf(kind), String(numberOf(orientation)));
  } catch {
    // Storage is full or disabled: the choice holds for this page.
  }
}

const keyOf = (/** @type {Kind} */ kind) => `acq-server ${kind} orientation`;

/** @param {Kind} kind */
function stored(kind) {
  try {
    return localStorage.getItem(keyOf(kind));
  } catch {
    return null;
  }
}
