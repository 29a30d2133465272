/**
 * The image files of an acquisition, by the letters and numbers in their names: channel `C`, time `T`, focus `Z`, wavelength `L`,
 * stage position `P`. A name with `-R` is that of a reference image.
 */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import { unreadable } from "../metadata/reference.ts";
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
  readonly warnings: readonly Warning[];
}

/** Matches letters with numbers of three digits or more; `-R` and a number for a reference image. */
const NAME = /^(.*_)?((?:[a-z]\d{3,7})+)(?:-r(\d{3,7}))?\.tif$/i;

/** Sorts the names in a folder. */
export function planeNames(names: readonly string[]): PlaneNames {
  const groups = new Map<string, PlaneName[]>();
  const sets = new Map<number, PlaneName[]>();
  for (const name of names) {
    const [whole, prefix = "", parts = "", reference] = NAME.exec(name) ?? [];
    const numbers = whole === undefined ? null : numbersOf(parts);
    if (numbers === null) continue;
    if (reference !== undefined) {
      sets.getOrInsertComputed(Number(reference), () => []).push({ name, numbers });
    } else {
      const key = `${prefix.toLowerCase()} ${[...numbers.keys()].sort().join("")}`;
      groups.getOrInsertComputed(key, () => []).push({ name, numbers });
    }
  }
  // Uses the largest group; of groups of equal size, the first by name.
  const [planes = [], ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  const [first] = [...sets.keys()].sort((a, b) => a - b);
  const references = first === undefined ? [] : sets.get(first) ?? [];
  const warnings = others.map((group) => {
    const text = `${group.length} images named like "${group[0]!.name}" are left out; planes are named like`;
    return warning("content_left_out", `${text} "${planes[0]!.name}"`);
  });
  if (sets.size > 1) {
    warnings.push(unreadable(`Only the first of ${sets.size} sets of reference images is served`));
  }
  return { places: placesOf(planes, warnings), references, warnings };
}

/** Numbers by letter; `null` if a letter repeats or a number is 0. */
function numbersOf(parts: string): ReadonlyMap<string, number> | null {
  const found = [...parts.toUpperCase().matchAll(/([A-Z])(\d+)/g)];
  const numbers = new Map(found.map(([, letter = "", digits]) => [letter, Number(digits)]));
  return numbers.size < found.length || numbers.values().some((number) => number === 0) ? null : numbers;
}

const LETTERS = ["T", "L", "Z", "C"] as const;

/** Groups planes by stage position. An unknown axis, such as an angle, is served at its first position. */
function placesOf(planes: readonly PlaneName[], warnings: Warning[]): PlaneNames["places"] {
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
