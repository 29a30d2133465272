/**
 * All pieces of the document. Undo, kept work, archives and carrying to other recordings are functions of this list: a piece
 * that is added here needs no line there.
 */
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import {
  isNumber,
  isSize,
  isText,
  listOf,
  oneOf,
  orNone,
  type Shape,
  withFields,
} from "../controls/shape.ts";
import { isAbout, isTrace, makeMeasurementPiece } from "./measurement_piece.ts";
import { type Naming, type PieceKind, readPath, writePath } from "./piece.ts";
import type { PartMeans } from "../../../measure/image_traces.ts";
import type { Over, ProjectionOf } from "../../../measure/stack.ts";
import type { About } from "./scan.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";

/** Means of parts of the images over time or focus. */
export interface KeptMeans {
  axis: Over;
  /** Id of the chosen part, a rectangle or the line; empty for the whole image, `*` for all regions. */
  part: string;
  /** Means of the measured parts; empty before a measurement. */
  parts: readonly PartMeans[];
  channels: readonly string[];
  /** Position of the images along other axes. */
  at?: About;
  /** Describes the measurement. */
  about: About;
}

/** Takes what has a shape. */
const takeIf = <Value>(shape: Shape) => (stored: unknown): Value | null =>
  shape(stored) ? stored as Value : null;

/** How traces are made; null if unknown. */
export const TRACES: PieceKind<TraceSettings | null> = {
  path: ["traces"],
  words: "settings of traces",
  initial: null,
  restore: takeIf(isTrace),
};

/** Lines and columns of which cursors show the mean. */
export const CURSORS: PieceKind<{ readonly lines: number; readonly columns: number }> = {
  path: ["cursors"],
  words: "cursor settings",
  initial: { lines: 1, columns: 1 },
  restore: takeIf(withFields({ lines: isSize, columns: isSize })),
};

/** Means by channel and image. */
export const areMeans: Shape = listOf(listOf(orNone(isNumber)));

/** Means of parts of the images. */
export const MEANS: PieceKind<KeptMeans | null> = {
  path: ["images"],
  words: "means over the images",
  initial: null,
  restore: takeIf(withFields({
    axis: oneOf("T", "Z"),
    part: isText,
    channels: listOf(isText),
    at: orNone(isAbout),
    about: orNone(isAbout),
    parts: orNone(listOf(withFields({ id: isText, means: areMeans }))),
  })),
  // The means are in analyses.
  toDocument: (means) => ({ ...means, parts: [] }),
  withoutResults: (means) => ({ ...means, parts: [], about: [] }),
};

/** The projection that is shown in place of the images. */
export const PROJECTION: PieceKind<ProjectionOf | null> = {
  path: ["projection"],
  words: "projection",
  initial: null,
  restore: takeIf(withFields({ kind: oneOf("max", "mean"), axis: oneOf("T", "Z") })),
};

/** All pieces. */
export const PIECES: readonly PieceKind<unknown>[] = [
  TRACES,
  CURSORS,
  MEANS,
  PROJECTION,
  ...MEASUREMENTS.map(({ key }) => makeMeasurementPiece(key)),
] as PieceKind<unknown>[];

/** The pieces that a document has, with bands and channels as they are named elsewhere. */
export const namePieces = (document: object, naming: Naming): object =>
  mapPieces(document, (kind, value) => kind.named?.(value, naming) ?? value);

/** The pieces that a document has, each as a change makes it; undefined leaves it out. */
export const mapPieces = (
  document: object,
  change: (kind: PieceKind<unknown>, value: NonNullable<unknown>) => unknown,
): object =>
  PIECES.reduce((made: object, kind) => {
    const value = readPath(document, kind.path);
    const changed = value === null || value === undefined ? value : change(kind, value);
    return changed === undefined ? made : writePath(made, kind.path, changed);
  }, {});
