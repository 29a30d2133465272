/**
 * The array that tifffile describes in an ImageDescription: `{"shape": [2, 3, 40, 50], "axes": "TCYX"}`. Its planes are
 * the pages from the first on, or lie behind one directory; what follows them is another array, or reduced versions.
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
import type { TiffFile } from "../tiff_file.ts";

/** One axis of the array that counts planes. */
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
  /** Axes that count planes, slowest first; a letter may come twice. */
  readonly axes: readonly PlaneAxis[];
  /** True when it says of itself that one directory stands for all its planes. */
  readonly truncated: boolean;
  /** What in the description contradicts itself. */
  readonly warnings: readonly Warning[];
}

/** Most axes of an array; tifffile has letters for a score. */
const MAX_AXES = 32;

/** True when a description is the shape of an array. */
export function isShape(text: string): boolean {
  return text.startsWith("{") && text.includes('"shape":');
}

/**
 * The array of a description.
 *
 * @param text for which {@linkcode isShape} holds
 * @throws {DecodeFailed} it is damaged, or does not end in planes of this layout
 */
export function shapedArray(text: string, { samples, width, height }: PageLayout): ShapedArray {
  const document = parseJsonText(text, "ImageDescription (270)");
  const { shape, axes, truncated } = isJsonObject(document) ? document : {};
  if (!isSizes(shape)) throw new DecodeFailed(`ImageDescription (270) has a "shape" that is none`);
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
  // The axes up to the plane's own, which are rows, columns and samples in any order.
  for (const [i, size] of shape.entries()) {
    if (counted >= planes) break;
    counted *= size;
    found.push({ letter: folded(letters[i]), size });
  }
  const rest = letters.slice(found.length);
  if (letters !== "" && (!/^[A-Z]+$/.test(letters) || rest.split("X").length !== 2)) {
    throw new DecodeFailed(`its axes ${quoted(letters)} do not end in those of a plane`);
  }
  return {
    ...arrayOf(counted === planes ? found : [{ letter: "Z", size: planes }]),
    truncated: truncated === true,
    warnings: letters === "" ? doubts(document, shape.length) : [],
  };
}

/** What names axes, as many as there are or not, although the description names none of these. */
function doubts(document: unknown, axes: number): Warning[] {
  const isAxes = (value: unknown) =>
    typeof value === "string" && value.length === axes && /^[A-Z]+$/.test(value);
  return Object.entries(isJsonObject(document) ? document : {})
    .filter(([key, value]) => key === "axes" || isAxes(value))
    .map(([key, value]) =>
      warning("metadata_disagree", `The array has ${axes} axes; ${quoted(key)} is ${quoted(`${value}`)}`)
    );
}

function arrayOf(axes: readonly PlaneAxis[]): Pick<ShapedArray, "sizes" | "planes" | "axes"> {
  const sizes = { T: 1, L: 1, C: 1, Z: 1 };
  for (const { letter, size } of axes) sizes[letter] *= size;
  return { sizes, planes: sizes.T * sizes.L * sizes.C * sizes.Z, axes };
}

function isSizes(shape: unknown): shape is number[] {
  return Array.isArray(shape) && shape.length <= MAX_AXES &&
    shape.every((n) => Number.isSafeInteger(n) && n >= 1);
}

/** Samples are channels; what is none of the served letters counts planes along `Z`. */
function folded(letter: string | undefined): PlaneAxis["letter"] {
  if (letter === "S") return "C";
  return letter === "T" || letter === "L" || letter === "C" ? letter : "Z";
}

/** An array and how its planes are stored. */
export interface ArrayPages {
  /** Its planes. */
  readonly shape: ShapedArray;
  /** True where they lie one after the other behind one directory. */
  readonly behindOne: boolean;
}

/** The page that an array begins with, and the chain that it is part of. */
export interface ArrayStart {
  /** Its file. */
  readonly tiff: TiffFile;
  /** All pages of the file. */
  readonly chain: PageChain;
  /** Layout of the page. */
  readonly layout: PageLayout;
}

/**
 * Which pages an array has. Where a later one has another shape, another array begins.
 *
 * @param pages numbers of pages of one layout, from the first of the array on
 * @param text that describes the array
 * @returns no array where the pages are no more than slices: more than its planes, and no other array behind them
 */
export function arrayPages(
  { tiff, chain, layout }: ArrayStart,
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
    return { array: { shape, behindOne: true }, pages: like.slice(0, 1), warnings };
  }
  if (present < planes) warnings.push(incomplete(present));
  else if (!startsSeries(tiff, chain, like, planes)) {
    return {
      array: null,
      pages: like,
      warnings: [...warnings, warning("axes_assumed", `${declared(present)}; they are read as slices`)],
    };
  }
  return { array: { shape, behindOne: false }, pages: like.slice(0, planes), warnings };
}

/** Whether the first pages are those of an array: there are no others, or the next one begins another array. */
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

/** The shape that a later page begins an array with, or `null`. */
export function shapeOf(directory: Directory): string | null {
  return directory.notes(TAG.ImageDescription, MAX_SHAPE_TEXT).find(isShape) ?? null;
}

/** Number of a plane among those of the array. */
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
