/**
 * The eight orientations of a picture on the screen, and the one that the browser remembers for each kind of picture. A
 * picture's x counts the rows of its plane and its y the columns. Everything drawn over a picture takes its position
 * from here.
 *
 * An orientation is applied in this order: x and y change places when `swapped`, then x is counted `fromRight`, then y is
 * counted `fromBottom`. Positions are continuous: pixel i covers i to i + 1.
 *
 * @typedef {{swapped: boolean, fromRight: boolean, fromBottom: boolean}} Orientation
 * @typedef {{width: number, height: number}} Picture size before it is placed
 * @typedef {{x0: number, y0: number, x1: number, y1: number}} View
 * @typedef {(orientation: Orientation, picture: Picture, view: View) => View} Placing
 * @typedef {"line scan" | "image" | "reference"} Kind of picture
 */
import { isTime } from "../../../measure/axes.js";
import { keep, kept } from "../controls/kept.js";

/** All eight; the index in this list is the number that the browser remembers. */
export const ORIENTATIONS = Array.from(
  { length: 8 },
  (_, i) => ({ swapped: (i & 4) !== 0, fromRight: (i & 2) !== 0, fromBottom: (i & 1) !== 0 }),
);

/** As in a plot: row 0 at the left, column 0 at the bottom. @type {Orientation} */
export const AS_PLOT = { swapped: false, fromRight: false, fromBottom: true };

/** As in every image viewer: row 0 on top, column 0 at the left. @type {Orientation} */
export const UPRIGHT = { swapped: true, fromRight: false, fromBottom: false };

/** Turns the view clockwise by 90°. @type {(orientation: Orientation) => Orientation} */
export const turned = ({ swapped, fromRight, fromBottom }) => ({
  swapped: !swapped,
  fromRight: !fromBottom,
  fromBottom: fromRight,
});

/** Mirrors the view left to right. @type {(orientation: Orientation) => Orientation} */
export const mirrored = (orientation) => ({ ...orientation, fromRight: !orientation.fromRight });

/** Width and height on the screen, in samples. @type {(orientation: Orientation, picture: Picture) => Picture} */
export const shownSize = ({ swapped }, { width, height }) =>
  swapped ? { width: height, height: width } : { width, height };

/** Converts a position of the picture to the screen, in samples from the upper left corner. @param {Orientation} orientation @param {Picture} picture @param {number} x @param {number} y */
export function toShown(orientation, picture, x, y) {
  const { width, height } = shownSize(orientation, picture);
  const [across, down] = orientation.swapped ? [y, x] : [x, y];
  return {
    x: orientation.fromRight ? width - across : across,
    y: orientation.fromBottom ? height - down : down,
  };
}

/** The inverse of {@linkcode toShown}. @param {Orientation} orientation @param {Picture} picture @param {number} x @param {number} y */
export function fromShown(orientation, picture, x, y) {
  const { width, height } = shownSize(orientation, picture);
  const across = orientation.fromRight ? width - x : x;
  const down = orientation.fromBottom ? height - y : y;
  return orientation.swapped ? { x: down, y: across } : { x: across, y: down };
}

/** The part of the screen that a part of the picture takes. @type {Placing} */
export const viewToShown = (orientation, picture, view) => box(toShown, orientation, picture, view);

/** The inverse of {@linkcode viewToShown}. @type {Placing} */
export const viewFromShown = (orientation, picture, view) => box(fromShown, orientation, picture, view);

/** @param {typeof toShown} place @param {Orientation} orientation @param {Picture} picture @param {View} view */
function box(place, orientation, picture, { x0, y0, x1, y1 }) {
  const a = place(orientation, picture, x0, y0);
  const b = place(orientation, picture, x1, y1);
  return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

/** Choices on this page, for browsers without storage. @type {Map<Kind, Orientation>} */
const chosen = new Map();

/** The kind of a plane; the rows of a line scan are time. @type {(plane: {axes: readonly {unit: string}[]}, isReference: boolean) => Kind} */
export const kindOf = (plane, isReference) =>
  isReference ? "reference" : isTime(plane.axes[0]) ? "line scan" : "image";

/** The orientation chosen for a kind, or its default. @type {(kind: Kind) => Orientation} */
export const placementOf = (kind) =>
  chosen.get(kind) ?? ORIENTATIONS[kept(keyOf(kind))] ?? (kind === "line scan" ? AS_PLOT : UPRIGHT);

/** Keeps the choice for a kind. @param {Kind} kind @param {Orientation} orientation */
export function keepPlacement(kind, orientation) {
  chosen.set(kind, orientation);
  const { swapped, fromRight, fromBottom } = orientation;
  keep(keyOf(kind), (swapped ? 4 : 0) + (fromRight ? 2 : 0) + (fromBottom ? 1 : 0));
}

const keyOf = (/** @type {Kind} */ kind) => `acq-server ${kind} orientation`;
