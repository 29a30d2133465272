/**
 * Checks what documents say about the look, the settings and the results of a recording by its shape. The schemas of the documents
 * leave these open, so a damaged archive, or another program, may have put anything there.
 */
import { LUT_NAMES } from "../picture/lut.ts";
import { KINDS } from "../drawing/kinds.ts";
import { KIND_NAMES, type KindName, type Region } from "../drawing/region.ts";
import { isCell } from "../drawing/measurement_piece.ts";
import { areMeans, mapPieces } from "../drawing/pieces.ts";
import {
  isCount,
  isFinite,
  isFlag,
  isObject,
  isSize,
  isText,
  listOf,
  oneOf,
  orNone,
  pairOf,
  type Shape,
  valuesOf,
  withFields,
} from "../controls/shape.ts";
import type { PartMeans } from "../../../measure/image_traces.ts";
import type { Drawn, DrawnLook } from "../drawing/drawn.ts";
import type { Item } from "../../../measure/measurement.ts";
import type { ViewerLook } from "../panels/viewer.ts";
import type { View } from "../picture/orientation.ts";

/** Settings as documents hold them. Measurements name bands by their regions, and channels by their rank. */
export interface SavedSettings
  extends Partial<Pick<Drawn, "traces" | "measurements" | "images" | "projection">> {
  cursors?: { lines: number; columns: number };
  isKymographMade?: boolean;
}

const hasCorners = withFields({ x0: isFinite, y0: isFinite, x1: isFinite, y1: isFinite });
const isView = (value: unknown) => {
  if (!hasCorners(value)) return false;
  const { x0, y0, x1, y1 } = value as View;
  return x1 > x0 && y1 > y0;
};

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

/** Fields of a look, without drawings. */
const LOOK: Readonly<Record<string, Shape>> = {
  source: orNone(isPicture),
  reference: orNone(isPicture),
  statistic: orNone(oneOf("mean", "max", "min")),
  typed: orNone(isTyped),
};

/** Fields of a region of documents, by its type. */
const WRITTEN_REGIONS = new Map<unknown, Shape>([
  ["point", withFields({ id: isText, position: pairOf(isCount) })],
  ["line", withFields({ id: isText, start: pairOf(isCount), stop: pairOf(isCount) })],
  ["rectangle", withFields({ id: isText, start: pairOf(isCount), stop: pairOf(isCount) })],
]);

/** Whether a document's value is a region, which may lie outside the image. */
export const isWrittenRegion = (value: unknown): boolean =>
  isObject(value) && WRITTEN_REGIONS.get(value.type)?.(value) === true;

/** Whether a document's value is an analysis, of this page or another program. */
export const isAnalysis: Shape = withFields({ type: isText });

/** Whether a stored value is a region that can be drawn. */
export function isRegion(value: unknown): value is Region {
  if (!withFields({ id: isText, kind: oneOf(...KIND_NAMES), name: isText, color: isText })(value)) {
    return false;
  }
  const { kind, ends } = value as { kind: KindName; ends: unknown };
  const { least, spans } = KINDS[kind];
  const along = (axis: "x" | "y") => axis === spans ? oneOf(null) : isFinite;
  return listOf(withFields({ x: along("x"), y: along("y") }))(ends) && (ends as unknown[]).length >= least;
}

/** Fields of drawings beside their pieces, such as those in a kymograph. */
const DRAWN: Readonly<Record<string, Shape>> = {
  shape: pairOf(isSize),
  isLineScan: isFlag,
  regions: listOf(isRegion),
  cursors: isObject,
};

/** Fields of a position. */
const POSITION: Readonly<Record<string, Shape>> = {
  t: orNone(isCount),
  z: orNone(isCount),
  l: orNone(isCount),
};

/**
 * The fields of an object that have their shape.
 *
 * @returns `lost` has the names of fields that are there in another shape
 */
function selectFitting(
  value: unknown,
  shapes: Readonly<Record<string, Shape>>,
): { fitting: Record<string, unknown>; lost: string[] } {
  const fields = isObject(value) ? value : {};
  const names = Object.keys(shapes).filter((name) => fields[name] !== undefined && fields[name] !== null);
  const isFitting = (name: string) => shapes[name]?.(fields[name]) === true;
  return {
    fitting: Object.fromEntries(names.filter(isFitting).map((name) => [name, fields[name]])),
    lost: names.filter((name) => !isFitting(name)),
  };
}

/** Words for fields in a notice. */
const WORDS: Readonly<Record<string, string>> = {
  source: "display of the image",
  reference: "display of the reference image",
  statistic: "reduction to pixels",
  typed: "typed calibration",
  isKymographMade: "kymograph",
  t: "position",
  z: "position",
  l: "position",
};

/** Checks that a value has the fields of a look. @returns `lost` has words for what is left out */
export function checkLook(look: unknown): { look: ViewerLook; lost: string[] } {
  const { fitting, lost } = selectFitting(look, LOOK);
  return { look: fitting, lost: describeFields(lost) };
}

/** Checks the pieces in saved settings. @returns `lost` has words for those that are damaged */
export function checkSettings(settings: unknown): { settings: SavedSettings; lost: string[] } {
  if (!isObject(settings)) return { settings: {}, lost: [] };
  const { fitting, lost } = selectFitting(settings, { isKymographMade: orNone(isFlag) });
  const damaged: string[] = [];
  const pieces = mapPieces(settings, ({ restore, words }, value) => {
    const restored = restore(value);
    if (restored === null) damaged.push(words);
    return restored ?? undefined;
  });
  return { settings: { ...pieces, ...fitting }, lost: [...new Set([...damaged, ...describeFields(lost)])] };
}

/** Checks a position. */
export function checkPosition(
  position: unknown,
): { position: { t?: number; z?: number; l?: number }; lost: string[] } {
  const { fitting, lost } = selectFitting(position, POSITION);
  return { position: fitting, lost: describeFields(lost) };
}

/** The results of a measurement, if all of them are rows of plain values; else none. */
export const checkResults = (found: unknown): Item[] =>
  Array.isArray(found) && found.every(valuesOf(isCell)) ? found : [];

/** The means of a part by channel and image, if all of them are numbers; else none. */
export const checkMeans = (means: unknown): PartMeans["means"] =>
  areMeans(means) ? means as PartMeans["means"] : [];

/** The look of a kymograph with its drawings; null if a part of it is damaged. */
export function checkKymograph(look: unknown): DrawnLook | null {
  if (!isObject(look)) return null;
  const { look: display, lost } = checkLook(look);
  const isDrawn = orNone((drawn) => withFields(DRAWN)(drawn) && checkSettings(drawn).lost.length === 0)(
    look.drawn,
  );
  return lost.length === 0 && isDrawn
    ? { ...display, ...look.drawn ? { drawn: look.drawn as Drawn } : {} }
    : null;
}

/** Kept work without what cannot be shown, such as a view or an end of a region that is NaN; all else stays as it is. */
export function dropDamage(kept: DrawnLook): DrawnLook {
  const { source: _, reference: __, statistic: ___, typed: ____, drawn, ...rest } = kept;
  return {
    ...rest,
    ...checkLook(kept).look,
    ...drawn !== undefined && { drawn: drawn && { ...drawn, regions: drawn.regions.filter(isRegion) } },
  };
}

const describeFields = (names: readonly string[]) => [...new Set(names.map((name) => WORDS[name] ?? name))];

/**
 * Shows something with what was kept of it and, if that throws, without it: damage that the checks do not know must not leave a
 * recording black at every opening.
 *
 * @returns `fault` is null unless what was kept was dropped
 */
export function showWithFallback<T, K>(
  show: (kept: K | null) => T,
  kept: K | null,
): { shown: T; fault: unknown } {
  try {
    return { shown: show(kept), fault: null };
  } catch (fault) {
    if (kept === null) throw fault;
    return { shown: show(null), fault };
  }
}
