/** The metadata of an image in a store: its first dataset, axes with steps, channels and time. */
import { DecodeFailed, quoted } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { type Calibration, namesAxis, statedStep, type StepDoubt, UNCALIBRATED } from "../metadata/axes.ts";
import { buildChannels, type NamedChannel } from "../metadata/channels.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import { chooseMoment, findMoment, type Moment, UNDATED } from "../metadata/moment.ts";
import type { OmeXmlImage } from "../metadata/ome_xml.ts";
import type { AxisLetter, Channel } from "../reader.ts";
import { differsByPercent } from "../metadata/text.ts";
import { listed, warnIf, type Warning, warning } from "../warning.ts";
import { type ArrayLayout, readArrayLayout } from "./array_layout.ts";
import {
  findOmeAttributes,
  readNode,
  requireVersion,
  type Store,
  storeKey,
  takeFirstObject,
  type ZarrNode,
} from "./hierarchy.ts";
import type { ListedImage } from "./image_list.ts";

/** One axis of the stored array. */
export interface OmeAxis {
  readonly name: string;
  /** Served letter; an axis without one is read at index 0. */
  readonly letter: AxisLetter | null;
  readonly size: number;
  /** Step per sample as written; `null` if there is no scale. */
  readonly scale: number | null;
  readonly unit: string | null;
}

/** An image that is ready to be read. */
export interface OmeImage {
  /** The dataset of full resolution. */
  readonly array: ArrayLayout;
  /** Path of its group inside the store. */
  readonly path: string;
  /** Name in the OME-XML, else in the multiscale, else `null`. */
  readonly name: string | null;
  /** The id under which it belongs to a collection, as archives mark their images; or `null`. */
  readonly memberId: string | null;
  /** Axes in the order of the array. */
  readonly axes: readonly OmeAxis[];
  readonly channels: readonly Channel[];
  readonly moment: Moment;
  readonly stamps: OmeXmlImage["stamps"];
  /** Steps and units by served letter. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the image of a group.
 *
 * @param xml its description in the OME-XML
 * @param earlier warnings to list before those of the image
 * @throws {DecodeFailed} the group has no image, or a damaged one
 */
export function readOmeImage(
  store: Store,
  { path, node = readNode(store, path) ?? undefined }: Pick<ListedImage, "path" | "node">,
  xml: OmeXmlImage | null,
  earlier: readonly Warning[] = [],
): OmeImage {
  const warnings = [...earlier];
  const ome = node?.kind === "group" ? findOmeAttributes(node) : {};
  const written = takeFirstObject(ome["multiscales"]);
  if (!written) throw new DecodeFailed(`"${path}" holds no image`);
  const version = ome["version"] ?? written["version"];
  requireVersion(version);
  warnings.push(...furtherMultiscales(ome["multiscales"]));
  const { multiscale, dataset } = findOwnTransformations(
    written,
    takeFirstObject(written["datasets"]),
    warnings,
  );
  if (!dataset) throw new DecodeFailed(NO_DATASET);
  const array = readFullResolution(store, path, dataset["path"]);
  const axes = readOmeAxes(multiscale, dataset, array, warnings);
  const sizeOf = (letter: AxisLetter) => axes.find((axis) => axis.letter === letter)?.size ?? 1;
  const [rows, columns, count] = [sizeOf("Y"), sizeOf("X"), sizeOf("C")];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${rows} x ${columns} has more than ${MAX_PLANE_SAMPLES} samples`);
  }
  if (count > MAX_CHANNELS) {
    throw new DecodeFailed(`the image has ${count} channels, more than ${MAX_CHANNELS}`);
  }
  if (multiscale["axes"] === undefined && /^0\.[3-6]/.test(String(version))) {
    const names = axes.map(({ name }) => name).join(", ");
    const text = `The image names no axes, which OME-Zarr ${version} requires; they are read as ${names}`;
    warnings.push(warning("axes_assumed", text));
  }
  const { sampleType } = array;
  const named = readZarrChannels(ome, xml, count, warnings);
  for (const { letter, name, size } of axes) {
    if (letter === null && size > 1) {
      warnings.push(warning("axis_reduced", `Axis "${name}" of ${size} is read at index 0`));
    }
  }
  const { name } = multiscale;
  const omero = isJsonObject(ome["omero"]) ? ome["omero"] : {};
  const dated = omero["acquisitionDate"] ?? omero["acquisition_date"];
  return {
    array,
    axes,
    path,
    memberId: readMemberId(node),
    name: xml?.name ?? (typeof name === "string" && name.trim() !== "" ? name.trim() : null),
    channels: buildChannels(named, { sampleType, rows, columns }),
    moment: chooseMoment(xml?.moment ?? UNDATED, typeof dated === "string" ? findMoment(dated) : UNDATED),
    stamps: xml?.stamps ?? null,
    calibrations: chooseCalibrations(axes, xml, warnings),
    warnings,
  };
}

const NO_DATASET = "the first multiscale has no dataset with a path";

/** The array of a dataset by its path in a group. @throws {DecodeFailed} there is none */
function readFullResolution(store: Store, group: string, path: unknown): ArrayLayout {
  if (typeof path !== "string") throw new DecodeFailed(NO_DATASET);
  const arrayPath = storeKey(group, path);
  if (arrayPath === null) throw new DecodeFailed(`the dataset path "${path}" leaves the store`);
  const node = readNode(store, arrayPath);
  if (!node) throw new DecodeFailed(`the dataset "${arrayPath}" does not exist`);
  return readArrayLayout(node, arrayPath);
}

function readMemberId(node: ZarrNode | undefined): string | null {
  const own = node?.attributes["acq_server"];
  const member = isJsonObject(own) ? own["member"] : null;
  return typeof member === "string" && member !== "" ? member : null;
}

/**
 * Calibrations from the scales of the axes, or else from the OME-XML: where there is no scale, and where a scale without a unit is 1,
 * as converters write an unknown one, or the same number.
 */
function chooseCalibrations(
  axes: readonly OmeAxis[],
  xml: OmeXmlImage | null,
  warnings: Warning[],
): OmeImage["calibrations"] {
  return Object.fromEntries(
    axes.flatMap((axis) => {
      if (axis.letter === null) return [];
      const written = xml?.calibrations[axis.letter] ?? UNCALIBRATED;
      const { scale, unit } = axis;
      const isWritten = scale === null ||
        unit === null && (scale === 1 || !differsByPercent(scale, written.step));
      const stated = isWritten ? undefined : findScaleStep(axis, axis.letter, warnings);
      // A positive scale without a unit counts, although it is not a length.
      const isStep = scale !== null && Math.abs(scale) > 0;
      return [[axis.letter, stated ?? (isStep && !isWritten ? UNCALIBRATED : written)]];
    }),
  );
}

/** The step of an axis. acqstore 0.2.0 writes the letter of another axis in place of a unit at times. */
function findScaleStep(
  { scale, unit, size }: OmeAxis,
  letter: AxisLetter,
  warnings: Warning[],
): Calibration | undefined {
  if (unit === null || !namesAxis(unit)) return statedStep(letter, scale, unit, warnings);
  const text = `The unit of the step along ${letter} is ${
    quoted(unit)
  }, which names an axis; the step is unknown`;
  const doubt: StepDoubt = { code: "step_unknown", text, unlessStepOf: letter };
  if (letter !== "C" && size > 1) warnings.push(doubt);
  return undefined;
}

/** Warns about the multiscales of a group after the first. */
function furtherMultiscales(multiscales: unknown): Warning[] {
  const further = Array.isArray(multiscales) ? multiscales.filter(isJsonObject).slice(1) : [];
  const names = further.map(({ name, datasets }) =>
    typeof name === "string" && name !== ""
      ? name
      : String(takeFirstObject(datasets)?.["path"] ?? "without a name")
  );
  const text = `The group holds ${
    further.length + 1
  } multiscales, of which the first is served; the others are left out`;
  return warnIf(further.length > 0, "content_left_out", `${text}: ${listed(names.map(quoted))}`);
}

/** Names and colours of `count` channels, from `omero` or else from the OME-XML. */
function readZarrChannels(
  ome: JsonObject,
  xml: OmeXmlImage | null,
  count: number,
  warnings: Warning[],
): NamedChannel[] {
  const channels: unknown = isJsonObject(ome["omero"]) ? ome["omero"]["channels"] : null;
  const rendered: readonly unknown[] = Array.isArray(channels) ? channels : [];
  if (rendered.length > 0 && rendered.length !== count) {
    const text = `The array has ${count} channels, but "omero" describes ${rendered.length}`;
    warnings.push(warning("metadata_disagree", text));
  }
  return Array.from({ length: count }, (_, i) => {
    const channel = rendered[i];
    const { label, color } = isJsonObject(channel) ? channel : {};
    const written = typeof label === "string" || typeof label === "number" ? String(label).trim() : "";
    return {
      name: written || xml?.names[i] || null,
      color: parseOmeroColor(color) ?? xml?.colors[i] ?? null,
    };
  });
}

/** `#rrggbb` from a colour in `omero` (hexadecimal digits, OME-Zarr 0.4, "omero"), or `null`. */
function parseOmeroColor(written: unknown): string | null {
  const digits = typeof written === "string" ? /^\s*#?([0-9a-f]{6})\s*$/i.exec(written)?.[1] : undefined;
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
}

/** A multiscale and its first dataset, with axes and transformations as OME-Zarr 0.4 states them. */
interface PlacedMultiscale {
  readonly multiscale: JsonObject;
  readonly dataset: JsonObject | null;
}

/** Deepest nesting of sequences of transformations. */
const MAX_SEQUENCES = 4;

/**
 * OME-Zarr 0.6 (preliminary) names coordinate systems and the transformations between them. The image is served in the system that
 * its dataset maps to, by identity, scale and translation; anything else is named in a warning. Development versions name systems by
 * texts, later ones by objects.
 */
function findOwnTransformations(
  multiscale: JsonObject,
  dataset: JsonObject | null,
  warnings: Warning[],
): PlacedMultiscale {
  const systems: unknown = multiscale["coordinateSystems"];
  if (!Array.isArray(systems)) return { multiscale, dataset };
  const named = systems.filter(isJsonObject);
  const own = takeList(dataset?.["coordinateTransformations"]);
  const output = nameOfSystem(own.find(isJsonObject)?.["output"]);
  const found = named.find(({ name }) => name === output);
  const system = found ?? named[0];
  const others = named.flatMap(({ name }) =>
    name !== system?.["name"] && typeof name === "string" ? [name] : []
  );
  const flat: JsonObject[] = [];
  const left = new Set<string>();
  const flatten = (transformations: readonly unknown[], depth: number) => {
    for (const one of transformations) {
      const type = isJsonObject(one) ? one["type"] : null;
      if (!isJsonObject(one) || typeof type !== "string" || depth > MAX_SEQUENCES) left.add("unknown");
      else if (type === "sequence") flatten(takeList(one["transformations"]), depth + 1);
      else if (type === "scale" || type === "translation") flat.push(one);
      else if (type !== "identity") left.add(type);
    }
  };
  flatten(own, 0);
  const lacks =
    "The transformation of the image names none of its coordinate systems; it is taken for that of the first one";
  warnings.push(...warnIf(own.length > 0 && !found, "metadata_disagree", lacks));
  // With a transformation that is not read, the scales beside it do not give the steps.
  const unread = `The transformation of the image is of a kind that is not read, so its steps are unknown: ${
    listed([...left])
  }`;
  const ignored = `The image is not shown in its other coordinate systems: ${listed(others.map(quoted))}`;
  warnings.push(...warnIf(left.size > 0, "step_unknown", unread));
  warnings.push(...warnIf(others.length > 0, "content_left_out", ignored));
  return {
    multiscale: { ...multiscale, axes: system?.["axes"], coordinateTransformations: null },
    dataset: dataset && { ...dataset, coordinateTransformations: left.size > 0 ? null : flat },
  };
}

const takeList = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

const nameOfSystem = (system: unknown): unknown => isJsonObject(system) ? system["name"] : system;

/** Axes of metadata that do not name them (OME-Zarr 0.1 and 0.2, "multiscales"). */
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

const findLetter = (name: string) => LETTERS.get(name.toLowerCase()) ?? null;

/** Letters by axis type, assigned from the last axis backwards. */
const LETTERS_OF_TYPE: ReadonlyMap<string | null, readonly AxisLetter[]> = new Map([
  ["space", ["X", "Y", "Z"]],
  ["time", ["T"]],
  ["channel", ["C"]],
]);

/** Axis types by letter (OME-Zarr 0.4, "axes"). In line scans, rows and columns may have the type time. */
const TYPES: Partial<Record<AxisLetter, string>> = { T: "time", C: "channel", Z: "space" };

interface NamedAxis {
  readonly name: string;
  readonly type: string | null;
  readonly unit: string | null;
}

/**
 * The axes in the order of the array.
 *
 * @param warnings receives warnings about contradictory types and scales
 * @throws {DecodeFailed} the axes do not match the array, repeat, or lack rows or columns
 */
export function readOmeAxes(
  multiscale: JsonObject,
  dataset: JsonObject,
  array: ArrayLayout,
  warnings: Warning[],
): OmeAxis[] {
  const rank = array.shape.length;
  const named = readNamedAxes(multiscale["axes"], array);
  if (named.length !== rank) {
    throw new DecodeFailed(`the image has ${named.length} axes, its array "${array.path}" ${rank}`);
  }
  const letters = assignLetters(named);
  for (const { name, type } of named) {
    const expected = TYPES[findLetter(name) ?? "X"];
    if (expected !== undefined && type !== null && type !== expected) {
      warnings.push(warning("metadata_disagree", `Axis "${name}" is of type "${type}", not "${expected}"`));
    }
  }
  const scales = multiplyScales(multiscale, dataset, rank, warnings);
  return named.map(({ name, unit }, axis) => ({
    name,
    unit,
    letter: letters[axis]!,
    size: array.shape[axis]!,
    scale: scales?.[axis] ?? null,
  }));
}

function readNamedAxes(axes: unknown, array: ArrayLayout): NamedAxis[] {
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

/** Assigns letters by name first, then by type: spatial axes with other names become X, Y, Z from the last axis backwards. */
function assignLetters(axes: readonly NamedAxis[]): (AxisLetter | null)[] {
  const letters = axes.map(({ name }) => findLetter(name));
  const free = (letter: AxisLetter) => !letters.includes(letter);
  for (const [i, { type }] of [...axes.entries()].reverse()) {
    if (letters[i] !== null) continue;
    letters[i] = LETTERS_OF_TYPE.get(type)?.find(free) ?? null;
  }
  // In a line scan the rows may be named time.
  if (free("Y") && !free("T")) letters[letters.indexOf("T")] = "Y";
  const known = letters.filter((letter) => letter !== null);
  const names = axes.map((axis) => axis.name).join(", ");
  if (new Set(known).size !== known.length) throw new DecodeFailed(`the axes ${names} repeat`);
  if (free("Y") || free("X")) throw new DecodeFailed(`the axes ${names} have no rows and columns`);
  return letters;
}

/** Products of the scales of dataset and multiscale; `null` if there are none. */
function multiplyScales(
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
