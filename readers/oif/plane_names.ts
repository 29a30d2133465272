/** What the names of image files tell: channel, time, focus and wavelength of planes, and which are reference images. */
import { DecodeFailed } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";

/** Letters and numbers of one name. */
export interface PlaneName {
  /** As stored. */
  readonly name: string;
  /** Numbers by letter, from 1. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** The image files of an acquisition. */
export interface PlaneNames {
  /** Planes of the main image. */
  readonly planes: readonly PlaneName[];
  /** Reference images of the first set. */
  readonly references: readonly PlaneName[];
  /** What is left out. */
  readonly warnings: readonly Warning[];
}

/** Letters with their numbers, of three digits or more; `-R` and a number for a reference image. */
const NAME = /^(.*_)?((?:[a-z]\d{3,7})+)(?:-r(\d{3,7}))?\.tif$/i;

/** A letter with its number. */
const PART = /([a-z])(\d+)/gi;

/** Sorts the names of a folder. @throws {DecodeFailed} two files are one plane */
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
  // Those of most planes; of as many the first by name.
  const [planes = [], ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  const [first] = [...sets.keys()].sort((a, b) => a - b);
  const references = first === undefined ? [] : sets.get(first) ?? [];
  requireDistinct(planes);
  requireDistinct(references);
  return {
    planes,
    references,
    warnings: [
      ...others.map((group) =>
        warning(
          "content_left_out",
          `${group.length} images named like "${
            group[0]?.name
          }" belong to no plane; the planes are named like ` +
            `"${planes[0]?.name}"`,
        )
      ),
      ...(sets.size > 1
        ? [warning("reference_unreadable", `Of ${sets.size} sets of reference images the first is served`)]
        : []),
    ],
  };
}

/** Numbers by letter; `null` where a letter stands twice or a number is 0. */
function numbersOf(parts: string): ReadonlyMap<string, number> | null {
  const numbers = new Map<string, number>();
  for (const [, letter = "", digits] of parts.matchAll(PART)) {
    const upper = letter.toUpperCase();
    const number = Number(digits);
    if (number === 0 || numbers.has(upper)) return null;
    numbers.set(upper, number);
  }
  return numbers;
}

function requireDistinct(planes: readonly PlaneName[]): void {
  const seen = new Map<string, string>();
  for (const { name, numbers } of planes) {
    const key = [...numbers].sort(([a], [b]) => a < b ? -1 : 1).flat().join(" ");
    const other = seen.get(key);
    if (other !== undefined) throw new DecodeFailed(`"${other}" and "${name}" are the same plane`);
    seen.set(key, name);
  }
}
