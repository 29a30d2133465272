/** Axes of an OME-Zarr multiscale and their calibration. */
import { calibrated, type Calibration } from "../metadata/axes.ts";
import { DecodeFailed } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import type { AxisLetter } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { ArrayLayout } from "./array_layout.ts";

/** One axis of the stored array. */
export interface OmeAxis {
  /** Name in the metadata. */
  readonly name: string;
  /** Served letter; an axis with `null` is read at index 0. */
  readonly letter: AxisLetter | null;
  /** Samples along the axis. */
  readonly size: number;
  /** Step per sample as written; `null` without a scale. */
  readonly scale: number | null;
  /** Unit as written, or `null`. */
  readonly unit: string | null;
}

/** Axes without names in the metadata (OME-Zarr 0.1 and 0.2, "multiscales"). */
const UNNAMED = ["t", "c", "z", "y", "x"];

const LETTERS: ReadonlyMap<string, AxisLetter> = new Map([
  ["t", "T"],
  ["time", "T"],
  ["c", "C"],
  ["channel", "C"],
  ["z", "Z"],
  ["y", "Y"],
  ["x", "X"],
]);

const letterOf = (name: string) => LETTERS.get(name.toLowerCase()) ?? null;

/** Letters by type, assigned from the last axis on. */
const LETTERS_OF_TYPE: ReadonlyMap<string | null, readonly AxisLetter[]> = new Map([
  ["space", ["X", "Y", "Z"]],
  ["time", ["T"]],
  ["channel", ["C"]],
]);

/** Types of axes by letter (OME-Zarr 0.4, "axes"); in line scans rows and columns may have the type time. */
const TYPES: Partial<Record<AxisLetter, string>> = { T: "time", C: "channel", Z: "space" };

/** Step and unit in the served vocabulary. */
export function calibrationOf(axis: OmeAxis): Calibration {
  return calibrated(axis.scale, axis.unit);
}

interface Named {
  readonly name: string;
  readonly type: string | null;
  readonly unit: string | null;
}

/**
 * The axes in the order of the array.
 *
 * @param warnings takes contradictions in types and scales
 * @throws {DecodeFailed} the axes do not match the array, repeat, or lack rows or columns
 */
export function omeAxes(
  multiscale: JsonObject,
  dataset: JsonObject,
  array: ArrayLayout,
  warnings: Warning[],
): OmeAxis[] {
  const rank = array.shape.length;
  const named = namedAxes(multiscale["axes"], array);
  if (named.length !== rank) {
    throw new DecodeFailed(`the image has ${named.length} axes, its array "${array.path}" ${rank}`);
  }
  const letters = lettersOf(named);
  for (const { name, type } of named) {
    const expected = TYPES[letterOf(name) ?? "X"];
    if (expected !== undefined && type !== null && type !== expected) {
      warnings.push(warning("metadata_disagree", `Axis "${name}" is of type "${type}", not "${expected}"`));
    }
  }
  const scales = scalesOf(multiscale, dataset, rank, warnings);
  return named.map(({ name, unit }, axis) => ({
    name,
    unit,
    letter: letters[axis]!,
    size: array.shape[axis]!,
    scale: scales?.[axis] ?? null,
  }));
}

function namedAxes(axes: unknown, array: ArrayLayout): Named[] {
  const rank = array.shape.length;
  if (axes === undefined || axes === null) {
    const names = array.dimensionNames;
    if (rank !== UNNAMED.length && names?.length === rank && names.every((name) => name !== null)) {
      return names.map((name) => ({ name, type: null, unit: null }));
    }
    if (rank !== UNNAMED.length && rank !== 2) {
      throw new DecodeFailed(
        `the image names no axes and its array has ${rank}, not the five of T, C, Z, Y, X`,
      );
    }
    return UNNAMED.slice(-rank).map((name) => ({ name, type: null, unit: null }));
  }
  if (!Array.isArray(axes)) throw new DecodeFailed(`the axes of the image are not a list`);
  return axes.map((axis, i) => {
    const name = isJsonObject(axis) ? axis["name"] : axis;
    if (typeof name !== "string" || name === "") throw new DecodeFailed(`axis ${i} of the image has no name`);
    if (!isJsonObject(axis)) return { name, type: null, unit: null };
    const text = (value: unknown) => typeof value === "string" ? value : null;
    return { name, type: text(axis["type"]), unit: text(axis["unit"]) };
  });
}

/** By name first, then by type: spatial axes of other names fill X, Y, Z from the last axis on. */
function lettersOf(axes: readonly Named[]): (AxisLetter | null)[] {
  const letters = axes.map(({ name }) => letterOf(name));
  const free = (letter: AxisLetter) => !letters.includes(letter);
  for (const [i, { type }] of [...axes.entries()].reverse()) {
    if (letters[i] !== null) continue;
    letters[i] = LETTERS_OF_TYPE.get(type)?.find(free) ?? null;
  }
  // A line scan whose rows are named time.
  if (free("Y") && !free("T")) letters[letters.indexOf("T")] = "Y";
  const known = letters.filter((letter) => letter !== null);
  const names = axes.map((axis) => axis.name).join(", ");
  if (new Set(known).size !== known.length) throw new DecodeFailed(`the axes ${names} repeat`);
  if (free("Y") || free("X")) throw new DecodeFailed(`the axes ${names} have no rows and columns`);
  return letters;
}

/** Product of the scales of the dataset and the multiscale, or `null`. */
function scalesOf(
  multiscale: JsonObject,
  dataset: JsonObject,
  rank: number,
  warnings: Warning[],
): number[] | null {
  let scales: number[] | null = null;
  for (const owner of [dataset, multiscale]) {
    const transformations = owner["coordinateTransformations"];
    if (!Array.isArray(transformations)) continue;
    for (const transformation of transformations) {
      if (!isJsonObject(transformation) || transformation["type"] !== "scale") continue;
      const scale = transformation["scale"];
      if (!Array.isArray(scale) || scale.length !== rank || !scale.every((n) => typeof n === "number")) {
        const text = `A scale of the image does not give ${rank} numbers and is left out`;
        warnings.push(warning("metadata_damaged", text));
        continue;
      }
      scales = scale.map((n, axis) => n * (scales?.[axis] ?? 1));
    }
  }
  return scales;
}
