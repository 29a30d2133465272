/**
 * Arrays that tifffile describes in ImageDescription: `{"shape": [2, 3, 40, 50], "axes": "TCYX"}`. The planes of an array have a
 * page each or share one directory. Another array or reduced versions may follow.
 */
import { DecodeFailed, quoted, unlessDamaged } from "../../errors.ts";
import { isJsonObject, parseJsonText } from "../../metadata/json.ts";
import { type Warning, warning } from "../../warning.ts";
import { type PageLayout, readPage } from "../page.ts";
import { MAX_PLANES, type PlaneIndex, type StackSizes } from "../stack.ts";
import { contiguousPlanes, type PageChain } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { isShape } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

/** Longest description of a further array in bytes; tifffile writes some hundred. */
const MAX_SHAPE_TEXT = 1 << 16;

/** The pages of one scene. */
export interface PageSeries {
  /** Page numbers in the chain; empty if the file holds only reduced pages. */
  readonly pages: readonly number[];
  /** The array of the pages; `null` if they are slices. */
  readonly array: ShapedArray | null;
  readonly warnings: readonly Warning[];
}

/** An axis along which planes are counted. */
export interface PlaneAxis {
  /** Served letter. */
  readonly letter: "T" | "L" | "C" | "Z";
  readonly size: number;
}

/** An array of planes. */
export interface ShapedArray {
  readonly text: string;
  /** Length of each served axis. */
  readonly sizes: StackSizes;
  /** Number of planes, the product of the sizes. */
  readonly planes: number;
  /** Axes along which planes are counted, slowest first. Letters may repeat. */
  readonly axes: readonly PlaneAxis[];
  /** Whether one directory describes all planes. */
  readonly inRun: boolean;
  readonly warnings: readonly Warning[];
}

/** Largest number of axes of an array; tifffile has some twenty letters. */
const MAX_AXES = 32;

/**
 * The array in a description.
 *
 * @param text a description that fulfils {@linkcode isShape}
 * @throws {DecodeFailed} the description is damaged, or its planes have another layout
 */
export function shapedArray(text: string, { samples, width, height }: PageLayout): ShapedArray {
  const document = parseJsonText(text, "ImageDescription (270)");
  const { shape, axes, truncated } = isJsonObject(document) ? document : {};
  if (!isSizes(shape)) throw new DecodeFailed(`ImageDescription (270) has no valid "shape"`);
  const letters = typeof axes === "string" && axes.length === shape.length ? axes : "";
  const total = shape.reduce((product, n) => product * n, 1);
  const planes = total / (samples * width * height);
  if (!Number.isInteger(planes) || planes >= MAX_PLANES) {
    throw new DecodeFailed(
      `its shape ${shape.join(" x ")} does not end in planes of ${height} x ${width} x ${samples}`,
    );
  }
  const found: PlaneAxis[] = [];
  let counted = 1;
  // The remaining axes are rows, columns and samples, in any order.
  for (const [i, size] of shape.entries()) {
    if (counted >= planes) break;
    counted *= size;
    found.push({ letter: folded(letters[i]), size });
  }
  const rest = letters.slice(found.length);
  if (letters !== "" && (!/^[A-Z]+$/.test(letters) || rest.split("X").length !== 2)) {
    throw new DecodeFailed(`its axes ${quoted(letters)} do not end in those of a plane`);
  }
  const counting: readonly PlaneAxis[] = counted === planes ? found : [{ letter: "Z", size: planes }];
  const sizes = { T: 1, L: 1, C: 1, Z: 1 };
  for (const { letter, size } of counting) sizes[letter] *= size;
  const unfit = axes !== undefined && letters === "";
  const misfit = `The array has ${shape.length} axes; "axes" is ${quoted(`${axes}`)}`;
  return {
    text,
    sizes,
    planes,
    axes: counting,
    inRun: truncated === true,
    warnings: unfit ? [warning("metadata_disagree", misfit)] : [],
  };
}

function isSizes(shape: unknown): shape is number[] {
  return Array.isArray(shape) && shape.length <= MAX_AXES &&
    shape.every((n) => Number.isSafeInteger(n) && n >= 1);
}

/** Served axis of a letter: samples are channels, and planes of other axes are counted along `Z`. */
function folded(letter: string | undefined): PlaneAxis["letter"] {
  if (letter === "S") return "C";
  return letter === "T" || letter === "L" || letter === "C" ? letter : "Z";
}

/** Number of a plane in the array. */
export function numberInArray({ axes }: ShapedArray, { t, z, l, channel }: PlaneIndex): number {
  const rest = { T: t, L: l, C: channel, Z: z };
  let number = 0;
  let stride = 1;
  for (const { letter, size } of axes.toReversed()) {
    number += rest[letter] % size * stride;
    rest[letter] = Math.floor(rest[letter] / size);
    stride *= size;
  }
  return number;
}

/** The array that begins at an index of the shown pages, or `null`. */
export function arrayAt(
  tiff: TiffFile,
  chain: PageChain,
  shown: readonly number[],
  at: number,
): PageSeries | null {
  const page = shown[at]!;
  const text = shapeIn(tiff, chain, page);
  if (text === undefined) return null;
  return unlessDamaged(() => {
    const layout = readPage(tiff.directoryAt(chain.offsets[page]!));
    const shape = shapedArray(text, layout);
    const kind = chain.shownKind(page);
    // One page more than the array has planes shows whether another array follows.
    let end = at + 1;
    while (end - at <= shape.planes && end < shown.length && chain.shownKind(shown[end]!) === kind) end += 1;
    const series = arraySeries(tiff, chain, shown.slice(at, end), shape, layout);
    return series.array && series;
  }, null);
}

/** The description of an array in a page other than the first. */
function shapeIn(tiff: TiffFile, chain: PageChain, page: number): string | undefined {
  if (!chain.isDescribed(page)) return undefined;
  return tiff.directoryAt(chain.offsets[page]!).notes(TAG.ImageDescription, MAX_SHAPE_TEXT).find(isShape);
}

/**
 * The pages of an array, which ends where a page describes another array.
 *
 * @param all numbers of pages of one layout, from the array's first page on
 * @returns no array if there are more pages than planes and no further array: such pages are slices
 */
export function arraySeries(
  tiff: TiffFile,
  chain: PageChain,
  all: readonly number[],
  shape: ShapedArray,
  layout: PageLayout,
): PageSeries {
  const { planes } = shape;
  const other = all.slice(1, planes).findIndex((page) =>
    (shapeIn(tiff, chain, page) ?? shape.text) !== shape.text
  );
  const pages = other < 0 ? all : all.slice(0, other + 1);
  const present = Math.max(pages.length, 1);
  const [text, warnings] = ["The description declares", [...shape.warnings]];
  const compare = (held: number) => {
    if (held >= planes) return;
    warnings.push(warning("planes_missing", `${text} ${planes} planes, but the file holds ${held}`));
  };
  if (shape.inRun || present < planes && contiguousPlanes(tiff, layout) >= planes) {
    compare(contiguousPlanes(tiff, layout));
    return { pages: pages.slice(0, 1), array: { ...shape, inRun: true }, warnings };
  }
  const next = (pages[0] ?? 0) + planes;
  const isFollowed = pages[planes - 1] === next - 1 && shapeIn(tiff, chain, next) !== undefined;
  if (present > planes && !isFollowed) {
    const slices = `${text} ${planes} planes, but the file holds ${present}; they are read as slices`;
    return { pages, array: null, warnings: [...warnings, warning("axes_assumed", slices)] };
  }
  compare(present);
  return { pages: pages.slice(0, planes), array: shape, warnings };
}
