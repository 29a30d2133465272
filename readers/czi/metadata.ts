/** What the XML of a document says: channels, pixel sizes, dates, intervals, names of scenes. */
import type { ByteSource } from "../io/byte_source.ts";
import { calibrated, type Calibration, known } from "../metadata/axes.ts";
import { DecodeFailed, isLoss } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { firstMoment, type Moment, momentOf, UNDATED } from "../metadata/moment.ts";
import { numberOf } from "../metadata/numbers.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { child, children, descendants, parseXml, type XmlElement } from "../metadata/xml.ts";
import type { FileHeader } from "./file_header.ts";
import { ID, requireSegment } from "./segment.ts";
import { xmlSections } from "./xml_sections.ts";

/** What is said of a channel. */
export interface DescribedChannel {
  /** Its name, else that of its dye, or `null`. */
  readonly name: string | null;
  /** `#rrggbb`, or `null`. */
  readonly color: string | null;
}

/** What the metadata say; empty where they say nothing. */
export interface Metadata {
  /** By index along `C`. */
  readonly channels: readonly DescribedChannel[];
  /** Steps of `X`, `Y` and `Z`. */
  readonly steps: Readonly<Partial<Record<"X" | "Y" | "Z", Calibration>>>;
  /** Start of the acquisition, else when the document was made. */
  readonly moment: Moment;
  /** Seconds from a time point to the next, as they are stated, or `null`. */
  interval(): number | null;
  /** Seconds that the laser stays on a pixel of the first channel that states it, or `null`. */
  readonly pixelTime: number | null;
  /** Names of scenes by their index along `S`. */
  readonly sceneNames: ReadonlyMap<number, string>;
  /** Metres of a pixel while the image was acquired, on which the path of a line scan was drawn; or `null`. */
  setupScaling(): { readonly x: number; readonly y: number } | null;
}

/** Metadata of a document that has none. */
export const NO_METADATA: Metadata = {
  channels: [],
  steps: {},
  moment: UNDATED,
  interval: () => null,
  pixelTime: null,
  sceneNames: new Map(),
  setupScaling: () => null,
};

/** Sizes before the XML, and what is reserved. */
const METADATA_HEAD = 256;

/**
 * The XML of a document as it stands, `""` where it has none.
 *
 * @param most bytes that it may have
 * @throws {DecodeFailed} it is damaged, or longer
 */
export function readXml(file: ByteSource, { metadata }: FileHeader, most = MAX_XML_BYTES): string {
  if (metadata === 0) return "";
  const what = "the metadata";
  const { data, used } = requireSegment(file, metadata, ID.metadata, what);
  file.require(data, used, what);
  const size = new DataView(file.read(data, 4, what).buffer).getInt32(0, true);
  if (size < 0 || size > most) throw new DecodeFailed(`the metadata have ${size} bytes; ${most} are read`);
  const text = new TextDecoder().decode(file.read(data + METADATA_HEAD, size, what));
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** The metadata of a document, and why they could not be read. */
export function readMetadata(
  file: ByteSource,
  header: FileHeader,
): { readonly metadata: Metadata; readonly warnings: readonly Warning[] } {
  try {
    const xml = readXml(file, header);
    return { metadata: xml.trim() === "" ? NO_METADATA : metadataIn(xml), warnings: [] };
  } catch (error) {
    if (!isLoss(error)) throw error;
    return {
      metadata: NO_METADATA,
      warnings: [lossWarning(error, "metadata_damaged", "The metadata")],
    };
  }
}

/** What a document says; how it was set up is parsed when it is asked for. @throws {DecodeFailed} it is damaged */
export function metadataIn(xml: string): Metadata {
  const { main, experiment: setup } = xmlSections(xml);
  const root = parseXml(main, "the XML");
  const metadata = root.name === "Metadata" ? root : child(root, "Metadata");
  const information = child(metadata, "Information");
  const image = child(information, "Image");
  const dimensions = child(image, "Dimensions");
  const created = child(child(information, "Document"), "CreationDate")?.text;
  const experiment = () => setup === "" ? null : parsedOrNull(setup);
  return {
    channels: describedChannels(child(dimensions, "Channels"), child(metadata, "DisplaySetting")),
    steps: stepsOf(child(child(metadata, "Scaling"), "Items")),
    moment: firstMoment(momentOf(child(image, "AcquisitionDateAndTime")?.text), momentOf(created)),
    interval: () => incrementOf(child(dimensions, "T")) ?? intervalOf(experiment()),
    pixelTime: pixelTimeIn(child(dimensions, "Channels")),
    sceneNames: sceneNamesOf(child(child(dimensions, "S"), "Scenes")),
    setupScaling: () => setupScaling([experiment(), root]),
  };
}

/** Damage in what is seldom asked for is not worth a word. */
function parsedOrNull(xml: string): XmlElement | null {
  try {
    return parseXml(xml, "the experiment");
  } catch (error) {
    if (error instanceof DecodeFailed) return null;
    throw error;
  }
}

/** The display settings of a channel are told by its id; in some files the ids differ, and then nothing is said. */
function describedChannels(
  list: XmlElement | undefined,
  display: XmlElement | undefined,
): DescribedChannel[] {
  const shown = new Map<string, XmlElement>();
  for (const channel of children(child(display, "Channels"), "Channel")) {
    const id = channel.attributes["Id"];
    if (id) shown.set(id, channel);
  }
  return children(list, "Channel").map((channel) => {
    const id = channel.attributes["Id"] ?? "";
    const display = shown.get(id);
    const dye = child(channel, "Fluor")?.text ?? child(channel, "DyeName")?.text;
    // `Channel:0` is a number, not a name.
    const unnamed = dye || (/^(?:Channel:\d+)?$/.test(id) ? null : id);
    return {
      name: nameOf(display) || nameOf(channel) || unnamed,
      color: colourOf(child(display, "Color")?.text) ?? colourOf(child(channel, "Color")?.text),
    };
  });
}

const nameOf = (channel: XmlElement | undefined) =>
  channel?.attributes["Name"]?.trim() || child(channel, "Name")?.text;

/** `#AARRGGBB` or `#RRGGBB`. */
function colourOf(text: string | undefined): string | null {
  const found = /^#(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text ?? "")?.[1];
  return found ? `#${found.toLowerCase()}` : null;
}

/** Values are metres whatever unit they are displayed in. */
function stepsOf(items: XmlElement | undefined): Metadata["steps"] {
  const steps: Partial<Record<"X" | "Y" | "Z", Calibration>> = {};
  for (const distance of children(items, "Distance")) {
    const letter = distance.attributes["Id"];
    const step = known(calibrated(numberOf(child(distance, "Value")?.text), "m"));
    if (step && (letter === "X" || letter === "Y" || letter === "Z")) steps[letter] ??= step;
  }
  return steps;
}

/** Seconds from a time point to the next, of a regular time axis. */
function incrementOf(t: XmlElement | undefined): number | null {
  const increment = numberOf(child(child(child(t, "Positions"), "Interval"), "Increment")?.text);
  return increment !== null && increment > 0 ? increment : null;
}

/**
 * The interval that a time series was set up with: seconds whatever unit it is displayed in. Of several that differ none is
 * taken, since nothing says which one was used.
 */
function intervalOf(experiment: XmlElement | null): number | null {
  const stated = new Set<number | null>();
  const search = (element: XmlElement) => {
    // Setups of helpers, such as an autofocus, have experiments of their own.
    if (element.name === "HelperSetups") return;
    if (element.name === "TimeSeriesSetup") {
      const span = child(child(element, "Interval"), "TimeSpan");
      if (span) stated.add(numberOf(child(span, "Value")?.text));
    }
    element.children.forEach(search);
  };
  if (experiment) search(experiment);
  const [interval = null] = stated;
  return stated.size === 1 && interval !== null && interval > 0 ? interval : null;
}

/** Seconds; other times of the scan beside it may be nonsense. */
function pixelTimeIn(list: XmlElement | undefined): number | null {
  return children(list, "Channel").map((channel) =>
    numberOf(child(child(channel, "LaserScanInfo"), "PixelTime")?.text)
  ).find((seconds) => seconds !== null && seconds > 0) ?? null;
}

function sceneNamesOf(scenes: XmlElement | undefined): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  children(scenes, "Scene").forEach((scene, i) => {
    const name = nameOf(scene);
    if (name) names.set(numberOf(scene.attributes["Index"]) ?? i, name);
  });
  return names;
}

/** The first elements of these names with a text count. */
function setupScaling(roots: readonly (XmlElement | null)[]): ReturnType<Metadata["setupScaling"]> {
  const [x, y] = ["ScalingX", "ScalingY"].map((name) => {
    const found = roots.flatMap((root) => descendants(root ?? undefined, name));
    return numberOf(found.find(({ text }) => text !== "")?.text) ?? 0;
  });
  return x && y && x > 0 && y > 0 ? { x, y } : null;
}
