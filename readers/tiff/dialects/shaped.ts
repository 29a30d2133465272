/**
 * The array that tifffile describes in an ImageDescription: `{"shape": [2, 3, 40, 50], "axes": "TCYX"}`. Its planes have a page
 * each, or share one directory; another array or reduced versions may follow.
 */
import { DecodeFailed, quoted } from "../../errors.ts";
import { isJsonObject, parseJsonText } from "../../metadata/json.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_PLANES, MAX_SHAPE_TEXT } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import type { PageLayout } from "../page.ts";
import type { PageChain } from "../page_chain.ts";
import { contiguousPlanes } from "../stored_planes.ts";
import type { PlaneIndex, StackSizes } from "../stack.ts";
import { TAG } from "../tags.ts";
import { isShape } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

/** An axis along which planes are counted. */
export interface PlaneAxis {
  /** Served letter. */
  readonly letter: "T" | "L" | "C" | "Z";
  /** Planes along the axis. */
  readonly size: number;
}

/** An array of planes. */
export interface ShapedArray {
  /** Length of each served axis. */
  readonly sizes: StackSizes;
  /** Product of the sizes. */
  readonly planes: number;
  /** Axes along which planes are counted, slowest first; letters may repeat. */
  readonly axes: readonly PlaneAxis[];
  /** Whether the description says that one directory stands for all planes. */
  readonly truncated: boolean;
  /** Contradictions in the description. */
  readonly warnings: readonly Warning[];
}

/** Most axes of an array; tifffile has some twenty letters. */
const MAX_AXES = 32;

/**
 * The array of a description.
 *
 * @param text for which {@linkcode isShape} holds
 * @throws {DecodeFailed} it is damaged, or its planes have another layout
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
  // The rest are rows, columns and samples in any order.
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
    sizes,
    planes,
    axes: counting,
    truncated: truncated === true,
    warnings: unfit ? [warning("metadata_disagree", misfit)] : [],
  };
}

function isSizes(shape: unknown): shape is number[] {
  return Array.isArray(shape) && shape.length <= MAX_AXES &&
    shape.every((n) => Number.isSafeInteger(n) && n >= 1);
}

/** Samples are channels; planes of other axes are counted along `Z`. */
function folded(letter: string | undefined): PlaneAxis["letter"] {
  if (letter === "S") return "C";
  return letter === "T" || letter === "L" || letter === "C" ? letter : "Z";
}

/** An array and how its planes are stored. */
export interface ArrayPages {
  /** The array. */
  readonly shape: ShapedArray;
  /** Whether its planes share one directory. */
  readonly inRun: boolean;
}

/**
 * The pages of an array, which ends where a page describes another one.
 *
 * @param layout of its first page
 * @param pages numbers of pages of one layout, from the first of the array on
 * @param text describes the array
 * @returns no array where there are more pages than planes and no further array: such pages are slices
 */
export function arrayPages(
  { tiff, chain, layout }: {
    readonly tiff: TiffFile;
    readonly chain: PageChain;
    readonly layout: PageLayout;
  },
  pages: readonly number[],
  shape: ShapedArray,
  text: string,
): { readonly array: ArrayPages | null; readonly pages: readonly number[]; readonly warnings: Warning[] } {
  const { planes } = shape;
  const other = pages.slice(1, planes).findIndex((page) =>
    chain.described.has(chain.offset(page)) &&
    shapesOf(tiff.directoryAt(chain.offset(page))).some((one) => one !== text)
  );
  const like = other < 0 ? pages : pages.slice(0, other + 1);
  const warnings = [...shape.warnings];
  const declared = (present: number) =>
    `The description declares ${planes} planes, but the file holds ${present}`;
  const incomplete = (present: number) => warning("planes_missing", declared(present));
  const present = Math.max(like.length, 1);
  if (shape.truncated || present < planes && contiguousPlanes(tiff, layout) >= planes) {
    const stored = contiguousPlanes(tiff, layout);
    if (stored < planes) warnings.push(incomplete(stored));
    return { array: { shape, inRun: true }, pages: like.slice(0, 1), warnings };
  }
  if (present < planes) warnings.push(incomplete(present));
  else if (!startsSeries(tiff, chain, like, planes)) {
    return {
      array: null,
      pages: like,
      warnings: [...warnings, warning("axes_assumed", `${declared(present)}; they are read as slices`)],
    };
  }
  return { array: { shape, inRun: false }, pages: like.slice(0, planes), warnings };
}

/** Whether the first pages are an array: there are no others, or the next one begins another array. */
function startsSeries(
  tiff: TiffFile,
  chain: PageChain,
  pages: readonly number[],
  planes: number,
): boolean {
  const [first] = pages;
  if (planes === pages.length || first === undefined) return true;
  const next = first + planes;
  return pages[planes - 1] === next - 1 && next < chain.length &&
    shapesOf(tiff.directoryAt(chain.offset(next))).length > 0;
}

/** The descriptions of a page that are shapes. */
function shapesOf(directory: Directory): string[] {
  return directory.notes(TAG.ImageDescription, MAX_XML_BYTES).filter(isShape);
}

/** The shape in a page after the first array, or `null`. */
export function shapeOf(directory: Directory): string | null {
  return directory.notes(TAG.ImageDescription, MAX_SHAPE_TEXT).find(isShape) ?? null;
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
