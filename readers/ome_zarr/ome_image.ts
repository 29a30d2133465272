/** The metadata of one image of a store: its first dataset, axes, channels and time. */
import { type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import { channelNames } from "../metadata/channels.ts";
import { DecodeFailed } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { firstMoment, type Moment, momentOf, UNDATED } from "../metadata/moment.ts";
import type { OmeXmlImage } from "../metadata/ome_xml.ts";
import type { AxisLetter } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { type ArrayLayout, arrayLayout } from "./array_layout.ts";
import { firstOf, omeAttributes, readNode, requireVersion, type ZarrNode } from "./hierarchy.ts";
import { calibrationOf, omeAxes, type OmeAxis } from "./ome_axes.ts";
import { type Store, storeKey } from "./store.ts";

/** One image, ready to be read. */
export interface OmeImage {
  /** The dataset of full resolution. */
  readonly array: ArrayLayout;
  /** Path of its group inside the store. */
  readonly path: string;
  /** Name in the OME-XML, or else in the multiscale, or `null`. */
  readonly name: string | null;
  /** In the order of the array. */
  readonly axes: readonly OmeAxis[];
  /** One for each channel. */
  readonly channelNames: readonly string[];
  /** `#rrggbb` of each channel, or `null`. */
  readonly colors: readonly (string | null)[];
  /** Date of acquisition, or empty. */
  readonly date: string;
  /** Time of acquisition, or empty. */
  readonly time: string;
  /** Seconds of each time point from the first, or `null`. */
  readonly times: readonly number[] | null;
  /** Steps and units by served letter. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Contradictions in the metadata. */
  readonly warnings: readonly Warning[];
}

/** The group of an image. */
export interface ImageGroup {
  /** Path inside the store. */
  readonly path: string;
  /** Its documents, if already read. */
  readonly node?: ZarrNode;
}

/**
 * Reads the image of a group.
 *
 * @param xml its description in the OME-XML
 * @param earlier warnings that come before its own
 * @throws {DecodeFailed} the group holds no image, or a damaged one
 */
export function readOmeImage(
  store: Store,
  group: ImageGroup,
  xml: OmeXmlImage | null,
  earlier: readonly Warning[] = [],
): OmeImage {
  const { path } = group;
  const warnings = [...earlier];
  const ome = imageAttributes(store, group);
  const multiscale = firstOf(ome["multiscales"])!;
  const version = ome["version"] ?? multiscale["version"];
  requireVersion(version);
  const dataset = firstOf(multiscale["datasets"]);
  const datasetPath = dataset?.["path"];
  if (!dataset || typeof datasetPath !== "string") {
    throw new DecodeFailed(`the first multiscale has no dataset with a path`);
  }
  const arrayPath = storeKey(path, datasetPath);
  if (arrayPath === null) throw new DecodeFailed(`the dataset path "${datasetPath}" leaves the store`);
  const arrayNode = readNode(store, arrayPath);
  if (!arrayNode) throw new DecodeFailed(`the dataset "${arrayPath}" does not exist`);
  const array = arrayLayout(arrayNode, arrayPath);
  const axes = omeAxes(multiscale, dataset, array, warnings);
  checkPlane(axes);
  if (multiscale["axes"] === undefined && /^0\.[3-5]/.test(String(version))) {
    const names = axes.map(({ name }) => name).join(", ");
    const text = `The image names no axes, which OME-Zarr ${version} requires; they are read as ${names}`;
    warnings.push(warning("axes_assumed", text));
  }
  const sizeOf = (letter: AxisLetter) => axes.find((axis) => axis.letter === letter)?.size ?? 1;
  const channels = describedChannels(ome, xml, sizeOf("C"), warnings);
  for (const { letter, name, size } of axes) {
    if (letter === null && size > 1) {
      warnings.push(warning("axis_reduced", `Axis "${name}" of ${size} is read at index 0`));
    }
  }
  const { name } = multiscale;
  return {
    array,
    axes,
    path,
    name: xml?.name ?? (typeof name === "string" && name.trim() !== "" ? name.trim() : null),
    ...channels,
    ...acquisitionTime(ome, xml),
    times: xml?.times?.length === sizeOf("T") ? xml.times : null,
    calibrations: calibrationsOf(axes, xml),
    warnings,
  };
}

/** OME attributes of a group with an image. @throws {DecodeFailed} it holds no image */
function imageAttributes(
  store: Store,
  { path, node = readNode(store, path) ?? undefined }: ImageGroup,
): JsonObject {
  const ome = node?.kind === "group" ? omeAttributes(node) : {};
  if (!firstOf(ome["multiscales"])) throw new DecodeFailed(`"${path}" holds no image`);
  return ome;
}

/** Scales of the axes, or else pixel sizes of the OME-XML. */
function calibrationsOf(axes: readonly OmeAxis[], xml: OmeXmlImage | null): OmeImage["calibrations"] {
  return Object.fromEntries(
    axes.flatMap((axis) => {
      if (axis.letter === null) return [];
      const written = xml?.calibrations[axis.letter] ?? UNCALIBRATED;
      return [[axis.letter, axis.scale === null ? written : calibrationOf(axis)]];
    }),
  );
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

/** Names and colours of `count` channels, from `omero` or else from the OME-XML. */
function describedChannels(
  ome: JsonObject,
  xml: OmeXmlImage | null,
  count: number,
  warnings: Warning[],
): Pick<OmeImage, "channelNames" | "colors"> {
  const channels: unknown = isJsonObject(ome["omero"]) ? ome["omero"]["channels"] : null;
  const rendered: readonly unknown[] = Array.isArray(channels) ? channels : [];
  if (rendered.length > 0 && rendered.length !== count) {
    const text = `The array has ${count} channels, but "omero" describes ${rendered.length}`;
    warnings.push(warning("metadata_disagree", text));
  }
  const described = Array.from({ length: count }, (_, i) => {
    const channel = rendered[i];
    const { label, color } = isJsonObject(channel) ? channel : {};
    const written = typeof label === "string" || typeof label === "number" ? String(label).trim() : "";
    return { name: written || xml?.names[i] || null, color: hexColor(color) ?? xml?.colors[i] ?? null };
  });
  return {
    channelNames: channelNames(described.map(({ name }) => name)),
    colors: described.map(({ color }) => color),
  };
}

/** `#rrggbb` of a colour of `omero` (hexadecimal digits, OME-Zarr 0.4, "omero"), or `null`. */
function hexColor(written: unknown): string | null {
  const digits = typeof written === "string" ? /^\s*#?([0-9a-f]{6})\s*$/i.exec(written)?.[1] : undefined;
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
}

function acquisitionTime(ome: JsonObject, xml: OmeXmlImage | null): Moment {
  const omero = isJsonObject(ome["omero"]) ? ome["omero"] : {};
  const written = omero["acquisitionDate"] ?? omero["acquisition_date"];
  return firstMoment(xml?.moment ?? UNDATED, typeof written === "string" ? momentOf(written) : UNDATED);
}
