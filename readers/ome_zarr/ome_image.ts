/** The image of a store: which group it is, its first dataset, axes, channel names and time. */
import { type Calibration, UNCALIBRATED } from "../axes.ts";
import { channelNames } from "../channel_names.ts";
import { DecodeFailed, NoImage } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../limits.ts";
import { firstMoment, type Moment, momentOf, UNDATED } from "../moment.ts";
import type { OmeXmlImage } from "../ome_xml.ts";
import type { AxisLetter } from "../reader.ts";
import { type ArrayLayout, arrayLayout } from "./array_layout.ts";
import { firstOf, omeAttributes, readNode, type ZarrNode } from "./hierarchy.ts";
import { calibrationOf, omeAxes, type OmeAxis } from "./ome_axes.ts";
import { readOmeXml } from "./ome_xml.ts";
import { plateError, wellError } from "./plate.ts";
import { keyBelow, type Store, storeKey } from "./store.ts";

/** One image, ready to be read. */
export interface OmeImage {
  /** The dataset of full resolution. */
  readonly array: ArrayLayout;
  /** In the order of the array. */
  readonly axes: readonly OmeAxis[];
  /** One for each channel. */
  readonly channelNames: readonly string[];
  /** Date of acquisition, or empty. */
  readonly date: string;
  /** Time of acquisition, or empty. */
  readonly time: string;
  /** Steps and units by served letter. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** What of the metadata does not fit. */
  readonly warnings: readonly string[];
}

/** Images of the `bioformats2raw.layout`: the first series, with the OME-XML beside it. */
interface Location {
  readonly path: string;
  readonly node: ZarrNode;
  readonly xml: OmeXmlImage | null;
}

/**
 * Finds and reads the image at a path inside the store.
 *
 * @param path of the group that was opened, `""` for the outermost
 * @param shown how a path inside the store is named to the user
 * @throws {UnsupportedFormat} a plate or a well, with a field to open instead
 * @throws {DecodeFailed} no image, or one that cannot be read
 */
export function readOmeImage(store: Store, path: string, shown: (path: string) => string): OmeImage {
  const warnings: string[] = [];
  const { node, path: group, xml } = locate(store, path, shown, warnings);
  const ome = omeAttributes(node);
  const multiscale = firstOf(ome["multiscales"])!;
  const version = ome["version"] ?? multiscale["version"];
  checkVersion(version);
  const dataset = firstOf(multiscale["datasets"]);
  const datasetPath = dataset?.["path"];
  if (!dataset || typeof datasetPath !== "string") {
    throw new DecodeFailed(`the first multiscale has no dataset with a path`);
  }
  const arrayPath = storeKey(group, datasetPath);
  if (arrayPath === null) throw new DecodeFailed(`the dataset path "${datasetPath}" leaves the store`);
  const arrayNode = readNode(store, arrayPath);
  if (!arrayNode) throw new DecodeFailed(`the dataset "${arrayPath}" does not exist`);
  const array = arrayLayout(arrayNode, arrayPath);
  const axes = omeAxes(multiscale, dataset, array, warnings);
  checkPlane(axes);
  if (multiscale["axes"] === undefined && /^0\.[3-5]/.test(String(version))) {
    const names = axes.map(({ name }) => name).join(", ");
    warnings.push(`The image names no axes, which OME-Zarr ${version} requires; they are read as ${names}`);
  }
  const channels = axes.find((axis) => axis.letter === "C")?.size ?? 1;
  const labels = labelsOf(ome);
  if (labels.length > 0 && labels.length !== channels) {
    warnings.push(`The array has ${channels} channels, "omero" tells of ${labels.length}`);
  }
  for (const { letter, name, size } of axes) {
    if (letter === null && size > 1) warnings.push(`Axis "${name}" of ${size} is read at its first position`);
  }
  const calibrations = Object.fromEntries(
    axes.flatMap((axis) => {
      if (axis.letter === null) return [];
      const written = xml?.calibrations[axis.letter] ?? UNCALIBRATED;
      return [[axis.letter, axis.scale === null ? written : calibrationOf(axis)]];
    }),
  );
  const { date, time } = acquisitionTime(ome, xml);
  return {
    array,
    axes,
    channelNames: channelNames(namesOf(labels, xml, channels)),
    date,
    time,
    calibrations,
    warnings,
  };
}

/** Versions of the layout; the earlier two differ in where the OME-XML lies. */
const LAYOUTS: readonly unknown[] = [1, 2, 3];

function locate(
  store: Store,
  path: string,
  shown: (path: string) => string,
  warnings: string[],
): Location {
  const node = readNode(store, path);
  if (!node) throw new DecodeFailed(`the store has no metadata at "${path}"`);
  if (node.kind === "array") {
    throw new NoImage(
      `"${shown(path)}" is an array of a store and no image; open the group that holds it`,
    );
  }
  const ome = omeAttributes(node);
  if (isJsonObject(ome["plate"])) throw plateError(store, path, ome["plate"], shown);
  if (isJsonObject(ome["well"])) throw wellError(store, path, ome["well"], shown);
  if (firstOf(ome["multiscales"])) return { node, path, xml: enclosingXml(store, path, warnings) };
  const layout = ome["bioformats2raw.layout"] ?? node.attributes["bioformats2raw.layout"];
  if (layout === undefined) {
    throw new NoImage(`"${shown(path)}" is a Zarr group without OME-Zarr image metadata ("multiscales")`);
  }
  if (layout !== 3) {
    throw new DecodeFailed(`the bioformats2raw layout ${JSON.stringify(layout)} is not known`);
  }
  const series = seriesPaths(store, path)[0] ?? "0";
  const first = storeKey(path, series);
  const image = first === null ? null : readNode(store, first);
  if (first === null || !image || !firstOf(omeAttributes(image)["multiscales"])) {
    throw new DecodeFailed(`the first series "${series}" holds no image`);
  }
  return { node: image, path: first, xml: readOmeXml(store, path, 0, warnings) };
}

/** Series of a `bioformats2raw.layout`, in order; empty where they are not listed. */
function seriesPaths(store: Store, path: string): string[] {
  const group = readNode(store, keyBelow(path, "OME"));
  const series = group ? omeAttributes(group)["series"] : undefined;
  return Array.isArray(series) ? series.filter((name) => typeof name === "string") : [];
}

/**
 * OME-XML of an image: beside it in the store, or in the layout above it that lists it as a series, as that of a
 * plate lists its fields.
 */
function enclosingXml(store: Store, path: string, warnings: string[]): OmeXmlImage | null {
  if (path === "") return readOmeXml(store, "", 0, warnings);
  const segments = path.split("/");
  for (let depth = segments.length - 1; depth >= 0; depth -= 1) {
    const above = segments.slice(0, depth).join("/");
    const node = readNode(store, above);
    const layout = node &&
      (omeAttributes(node)["bioformats2raw.layout"] ?? node.attributes["bioformats2raw.layout"]);
    if (!LAYOUTS.includes(layout)) continue;
    const name = segments.slice(depth).join("/");
    const listed = seriesPaths(store, above).indexOf(name);
    const index = listed >= 0 ? listed : /^\d{1,6}$/.test(name) ? Number(name) : null;
    return index === null ? null : readOmeXml(store, above, index, warnings);
  }
  return null;
}

function checkVersion(version: unknown): void {
  const minor = typeof version === "string" ? /^(\d+)\.(\d+)/.exec(version) : null;
  if (minor && (Number(minor[1]) > 0 || Number(minor[2]) > 5)) {
    throw new DecodeFailed(`OME-Zarr ${version} is not read; 0.1 to 0.5 are`);
  }
}

function checkPlane(axes: readonly OmeAxis[]): void {
  const size = (letter: AxisLetter) => axes.find((axis) => axis.letter === letter)?.size ?? 1;
  const samples = size("Y") * size("X");
  if (samples > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(
      `a plane of ${size("Y")} x ${size("X")} has more than ${MAX_PLANE_SAMPLES} samples`,
    );
  }
  if (size("C") > MAX_CHANNELS) {
    throw new DecodeFailed(`the image has ${size("C")} channels, more than ${MAX_CHANNELS}`);
  }
}

function labelsOf(ome: JsonObject): readonly unknown[] {
  const channels = isJsonObject(ome["omero"]) ? ome["omero"]["channels"] : null;
  return Array.isArray(channels) ? channels : [];
}

/** Labels of `omero`, then names of the OME-XML. */
function namesOf(labels: readonly unknown[], xml: OmeXmlImage | null, count: number): (string | null)[] {
  return Array.from({ length: count }, (_, i) => {
    const channel = labels[i];
    const label = isJsonObject(channel) ? channel["label"] : null;
    const written = typeof label === "string" || typeof label === "number" ? String(label).trim() : "";
    return written || xml?.names[i] || null;
  });
}

function acquisitionTime(ome: JsonObject, xml: OmeXmlImage | null): Moment {
  const omero = isJsonObject(ome["omero"]) ? ome["omero"] : {};
  const written = omero["acquisitionDate"] ?? omero["acquisition_date"];
  return firstMoment(xml?.moment ?? UNDATED, typeof written === "string" ? momentOf(written) : UNDATED);
}
