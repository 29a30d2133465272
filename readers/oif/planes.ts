/**
 * The image files of an acquisition, by the letters and numbers in their names: channel `C`, time `T`, focus `Z`, wavelength `L`,
 * stage position `P`. A name with `-R` is that of a reference image.
 */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import { warnReferenceLost } from "../metadata/reference.ts";
import type { PlaneIndex, StackSizes } from "../tiff/stack.ts";
import { type Warning, warning } from "../warning.ts";

/** A name as stored, and its numbers by letter, from 1. */
export interface PlaneName {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
}

/** The image files of an acquisition. */
export interface PlaneNames {
  /** Planes by stage position; each position is a scene. Its number is `null` if the names have none. */
  readonly places: readonly { readonly number: number | null; readonly planes: readonly PlaneName[] }[];
  readonly references: readonly PlaneName[];
  /** Images that are not part of the acquisition, such as copies. */
  readonly strangers: ReadonlySet<string>;
  readonly warnings: readonly Warning[];
}

/** Matches letters with numbers of three digits or more; `-R` and a number for a reference image. */
const NAME = /^(.*_)?((?:[a-z]\d{3,7})+)(?:-r(\d{3,7}))?\.tif$/i;

/** The parts of an image name: images of one series share `prefix`, in lower case, and `letters`, sorted. */
interface NameParts extends PlaneName {
  readonly prefix: string;
  readonly letters: string;
  readonly reference: number | null;
}

function parsePlaneName(name: string): NameParts | null {
  const [whole, prefix = "", parts = "", reference] = NAME.exec(name) ?? [];
  const numbers = whole === undefined ? null : numberLetters(parts);
  return numbers && {
    name,
    numbers,
    prefix: prefix.toLowerCase(),
    letters: [...numbers.keys()].sort().join(""),
    reference: reference === undefined ? null : Number(reference),
  };
}

/** An image as a settings file (`.pty`) names it. */
export interface NamedImage {
  /** Name of the settings file, with the extension of an image. */
  readonly settings: string;
  /** Stored name of the image, or `null` if it is missing. */
  readonly image: string | null;
}

/** What the names of the planes begin with, and, if known, the letters of their numbers. */
export interface NamePattern {
  readonly prefix: string;
  readonly letters: string | null;
}

/** The pattern of a name in the main settings: `s_C%03dZ%03d.pty`, `s_C001Z001.pty`; or `null`. */
export function findPattern(settings: string): NamePattern | null {
  const found = parsePlaneName(settings.replaceAll(/%0?\d*d/g, "001").replace(/\.pty$/i, ".tif"));
  return found && { prefix: found.prefix, letters: found.letters };
}

/** The prefix that FluoView gives all planes. */
const USUAL: NamePattern = { prefix: "s_", letters: null };

/**
 * Sorts the names in a folder. Copies beside the planes change nothing: the planes are those that their settings name; without
 * settings, those with the pattern of the main settings.
 *
 * @throws {DecodeFailed} nothing says which of several kinds of images are the planes
 */
export function sortPlaneNames(
  names: readonly string[],
  named: readonly NamedImage[] = [],
  patterns: readonly NamePattern[] = [],
): PlaneNames {
  const warnings: Warning[] = [];
  const known = new Map<string, NameParts>();
  const told: NameParts[] = [];
  for (const { settings, image } of named) {
    const parts = image === null
      ? parsePlaneName(settings)
      : parsePlaneName(image) ?? parsePlaneName(settings);
    if (parts === null) continue;
    told.push(parts);
    if (image !== null) known.set(image, { ...parts, name: image });
  }
  const images = names.map((name) => known.get(name) ?? parsePlaneName(name)).filter((parts) =>
    parts !== null
  );
  const series = selectPlanes(
    images.filter(({ reference }) => reference === null),
    known,
    told,
    patterns,
    warnings,
  );
  const [{ prefix } = USUAL] = series;
  const sets = Map.groupBy(
    images.filter((one) => one.reference !== null && (one.prefix === prefix || known.has(one.name))),
    ({ reference }) => reference,
  );
  const [first] = [...sets.keys()].sort((a, b) => Number(a) - Number(b));
  if (sets.size > 1) {
    warnings.push(warnReferenceLost(`Only the first of ${sets.size} sets of reference images is served`));
  }
  const own = new Set([...series, ...sets.values().flatMap((set) => set)].map(({ name }) => name));
  return {
    places: groupByPlace(series, warnings),
    references: sets.get(first ?? null) ?? [],
    strangers: new Set(names.filter((name) => /\.tif$/i.test(name) && !own.has(name))),
    warnings,
  };
}

/** The images that are planes; `told` are those that settings name, whether or not they exist. */
function selectPlanes(
  images: readonly NameParts[],
  known: ReadonlyMap<string, NameParts>,
  told: readonly NameParts[],
  patterns: readonly NamePattern[],
  warnings: Warning[],
): readonly NameParts[] {
  const keyOf = ({ prefix, letters }: NameParts) => `${prefix} ${letters}`;
  const described = told.filter(({ reference }) => reference === null);
  const keys = new Set(described.map(keyOf));
  const prefixes = new Set(described.map(({ prefix }) => prefix));
  const isStated = ({ prefix }: NameParts) =>
    patterns.length === 0 || patterns.some((one) => one.prefix === prefix);
  const ofKeys = images.filter((one) => keys.has(keyOf(one)));
  const fitting = ofKeys.length > 0
    ? ofKeys
    : images.filter((one) => keys.size > 0 ? prefixes.has(one.prefix) : isStated(one));
  let groups = [...Map.groupBy(fitting, keyOf).values()];
  for (const { prefix, letters } of [...patterns, USUAL]) {
    if (groups.length < 2) break;
    const like = groups.filter((group) =>
      group.some((one) => one.prefix === prefix && (letters ?? one.letters) === one.letters)
    );
    if (like.length > 0) groups = like;
  }
  const [planes = [], other] = groups;
  if (other !== undefined) {
    const kinds = `"${planes[0]?.name}" and "${other[0]?.name}"`;
    throw new DecodeFailed(`nothing says whether images like ${kinds} are the planes`);
  }
  const left = fitting.length - planes.length;
  const text = `${left} images that settings of their own describe are left out; planes are named like`;
  if (keys.size > 0 && left > 0) {
    warnings.push(warning("content_left_out", `${text} "${planes[0]?.name}"`));
  }
  // Of two images for one plane, such as `s_C001.tif` and `s_C0001.tif`, the one that settings name counts.
  const placeIn = ({ numbers }: PlaneName) => [...numbers].map((one) => one.join("")).sort().join(" ");
  const places = new Set(planes.filter(({ name }) => known.has(name)).map(placeIn));
  return planes.filter((plane) => known.has(plane.name) || !places.has(placeIn(plane)));
}

/** Numbers by letter; `null` if a letter repeats or a number is 0. */
function numberLetters(parts: string): ReadonlyMap<string, number> | null {
  const found = [...parts.toUpperCase().matchAll(/([A-Z])(\d+)/g)];
  const numbers = new Map(found.map(([, letter = "", digits]) => [letter, Number(digits)]));
  return numbers.size < found.length || numbers.values().some((number) => number === 0) ? null : numbers;
}

const LETTERS = ["T", "L", "Z", "C"] as const;

/** Groups planes by stage position. An unknown axis, such as an angle, is served at its first position. */
function groupByPlace(planes: readonly PlaneName[], warnings: Warning[]): PlaneNames["places"] {
  let kept = planes;
  const letters = new Set(planes.flatMap(({ numbers }) => [...numbers.keys()]));
  for (const letter of letters.difference(new Set([...LETTERS, "P"]))) {
    const numberOf = ({ numbers }: PlaneName) => numbers.get(letter) ?? 1;
    const numbers = new Set(kept.map(numberOf));
    const [first] = [...numbers].sort((a, b) => a - b);
    kept = kept.filter((plane) => numberOf(plane) === first);
    if (numbers.size > 1) {
      const text = `Only the first of ${numbers.size} positions along the axis "${letter}" is served`;
      warnings.push(warning("axis_reduced", text));
    }
  }
  const byPlace = Map.groupBy(kept, ({ numbers }) => numbers.get("P") ?? null);
  return [...byPlace].sort(([a], [b]) => (a ?? 0) - (b ?? 0))
    .map(([number, planes]) => ({ number, planes }));
}

/** The planes of one image by time, wavelength, focus and channel. */
export class PlaneGrid {
  /** Length of each axis: the largest number of any file. */
  readonly sizes: Required<StackSizes>;
  readonly #names = new Map<string, string>();

  /** Arranges planes; at least `channels`. @throws {DecodeFailed} too many channels, or two files for one plane */
  constructor(planes: readonly PlaneName[], channels: number) {
    const sizes = { T: 1, L: 1, Z: 1, C: channels };
    for (const { name, numbers } of planes) {
      for (const letter of LETTERS) sizes[letter] = Math.max(sizes[letter], numbers.get(letter) ?? 1);
      const key = LETTERS.map((letter) => numbers.get(letter) ?? 1).join(" ");
      const other = this.#names.get(key);
      if (other !== undefined) throw new DecodeFailed(`"${other}" and "${name}" are the same plane`);
      this.#names.set(key, name);
    }
    // Every channel has a name and a colour, even if it is not stored.
    if (sizes.C > MAX_CHANNELS) {
      throw new DecodeFailed(`there are planes up to channel ${sizes.C}, more than ${MAX_CHANNELS}`);
    }
    this.sizes = sizes;
  }

  get stored(): number {
    return this.#names.size;
  }

  /** Name of the first plane of each channel, or `null`. */
  firsts(): (string | null)[] {
    return Array.from({ length: this.sizes.C }, (_, channel) => this.find({ t: 0, l: 0, z: 0, channel }));
  }

  /** Names of all planes; those at the first position come first. */
  names(): string[] {
    return [...new Set([...this.firsts().filter((name) => name !== null), ...this.#names.values()])];
  }

  find({ t, l, z, channel }: PlaneIndex): string | null {
    return this.#names.get(`${t + 1} ${l + 1} ${z + 1} ${channel + 1}`) ?? null;
  }

  /** Name of the plane at an index. @throws {PlaneNotFound} */
  name(index: PlaneIndex): string {
    const found = this.find(index);
    if (found !== null) return found;
    // `C002Z003`, as in file names, with the axes that have more than one position.
    const numbers = { C: index.channel, Z: index.z, L: index.l, T: index.t };
    const used = (["C", "Z", "L", "T"] as const).filter((letter) => letter === "C" || this.sizes[letter] > 1);
    const called = used.map((letter) => `${letter}${String(numbers[letter] + 1).padStart(3, "0")}`).join("");
    throw new PlaneNotFound(`there is no image for ${called}`);
  }
}
