/**
 * The eight orientations of a picture on the screen, and the one that the browser remembers for each kind of picture. A
 * picture's x counts the rows of its plane and its y the columns. Everything drawn over a picture takes its position
 * from here.
 *
 * An orientation is applied in this order: x and y change places when `swapped`, then x is counted `fromRight`, then y is
 * counted `fromBottom`. Positions are continuous: pixel i covers i to i + 1.
 */
import { isTime } from "../../../measure/axes.ts";
import { readKept, writeKept } from "../controls/kept.ts";

/** How a picture lies on the screen. */
export type Orientation = { swapped: boolean; fromRight: boolean; fromBottom: boolean };

/** Size before it is placed. */
export type UnplacedSize = { width: number; height: number };

/** Part of a picture, in pixels. */
export type View = { x0: number; y0: number; x1: number; y1: number };

/** Converts a part between picture and screen. */
export type Placing = (orientation: Orientation, picture: UnplacedSize, view: View) => View;

/** Kind of picture. */
export type PictureKind = "line scan" | "image" | "reference";

/** All eight; the index in this list is the number that the browser remembers. */
export const ORIENTATIONS: {
  swapped: boolean;
  fromRight: boolean;
  fromBottom: boolean;
}[] = Array.from(
  { length: 8 },
  (_, i) => ({ swapped: (i & 4) !== 0, fromRight: (i & 2) !== 0, fromBottom: (i & 1) !== 0 }),
);

/** As in a plot: row 0 at the left, column 0 at the bottom. */
export const AS_PLOT: Orientation = { swapped: false, fromRight: false, fromBottom: true };

/** As in every image viewer: row 0 on top, column 0 at the left. */
export const UPRIGHT: Orientation = { swapped: true, fromRight: false, fromBottom: false };

/** Turns the view clockwise by 90°. */
export const turnView = ({ swapped, fromRight, fromBottom }: Orientation): Orientation => ({
  swapped: !swapped,
  fromRight: !fromBottom,
  fromBottom: fromRight,
});

/** Mirrors the view left to right. */
export const mirrorView = (orientation: Orientation): Orientation => ({
  ...orientation,
  fromRight: !orientation.fromRight,
});

/** Width and height on the screen, in samples. */
export const computeShownSize = ({ swapped }: Orientation, { width, height }: UnplacedSize): UnplacedSize =>
  swapped ? { width: height, height: width } : { width, height };

/** Converts a position of the picture to the screen, in samples from the upper left corner. */
export function toShown(orientation: Orientation, picture: UnplacedSize, x: number, y: number): {
  x: number;
  y: number;
} {
  const { width, height } = computeShownSize(orientation, picture);
  const [across, down] = orientation.swapped ? [y, x] : [x, y];
  return {
    x: orientation.fromRight ? width - across : across,
    y: orientation.fromBottom ? height - down : down,
  };
}

/** The inverse of {@linkcode toShown}. */
export function fromShown(orientation: Orientation, picture: UnplacedSize, x: number, y: number): {
  x: number;
  y: number;
} {
  const { width, height } = computeShownSize(orientation, picture);
  const across = orientation.fromRight ? width - x : x;
  const down = orientation.fromBottom ? height - y : y;
  return orientation.swapped ? { x: down, y: across } : { x: across, y: down };
}

/** The part of the screen that a part of the picture takes. */
export const viewToShown: Placing = (orientation, picture, view): View =>
  box(toShown, orientation, picture, view);

/** The inverse of {@linkcode viewToShown}. */
export const viewFromShown: Placing = (orientation, picture, view): View =>
  box(fromShown, orientation, picture, view);

function box(
  place: typeof toShown,
  orientation: Orientation,
  picture: UnplacedSize,
  { x0, y0, x1, y1 }: View,
) {
  const a = place(orientation, picture, x0, y0);
  const b = place(orientation, picture, x1, y1);
  return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

/** Choices on this page, for browsers without storage. */
const chosen: Map<PictureKind, Orientation> = new Map();

/** The kind of a plane; the rows of a line scan are time. */
export const choosePictureKind = (
  plane: { axes: readonly { unit: string }[] },
  isReference: boolean,
): PictureKind => isReference ? "reference" : isTime(plane.axes[0]!) ? "line scan" : "image";

/** The orientation chosen for a kind, or its default. */
export const readPlacement = (kind: PictureKind): Orientation =>
  chosen.get(kind) ?? ORIENTATIONS[readKept(makeOrientationKey(kind)) as number] ??
    (kind === "line scan" ? AS_PLOT : UPRIGHT);

/** Keeps the choice for a kind. */
export function keepPlacement(kind: PictureKind, orientation: Orientation): void {
  chosen.set(kind, orientation);
  const { swapped, fromRight, fromBottom } = orientation;
  writeKept(makeOrientationKey(kind), (swapped ? 4 : 0) + (fromRight ? 2 : 0) + (fromBottom ? 1 : 0));
}

const makeOrientationKey = (kind: PictureKind) => `acq-server ${kind} orientation`;
