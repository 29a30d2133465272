/** The XML metadata of a document: channels, pixel sizes, dates, intervals and scene names. */
import type { ByteSource } from "../io/byte_source.ts";
import { type Calibration, statedStep } from "../metadata/axes.ts";
import type { NamedChannel } from "../metadata/channels.ts";
import { DecodeFailed, quoted, unlessDamaged } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { chooseMoment, findMoment, type Moment } from "../metadata/moment.ts";
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { numberOf } from "../metadata/text.ts";
import { unlessLost, type Warning, warning } from "../warning.ts";
import { findChild, findChildren, findDescendants, parseXml, type XmlElement } from "../metadata/xml.ts";
import { type FileHeader, ID, requireSegment } from "./segment.ts";

/** The metadata of a document. */
export interface CziMetadata {
  /** Channels by index along `C`, named by themselves or their dye. */
  readonly channels: readonly NamedChannel[];
  readonly warnings: readonly Warning[];
  readonly steps: Readonly<Partial<Record<"X" | "Y" | "Z", Calibration>>>;
  /** Start of the acquisition, else creation of the document. */
  readonly moment: Moment;
  /** Stated seconds between time points. @param warnings receives those about numbers */
  interval(warnings: Warning[]): number | null;
  /** Pixel dwell time in seconds, from the first channel that states one. */
  readonly pixelTime: number | null;
  /** Names of scenes, by index along `S`. */
  readonly sceneNames: ReadonlyMap<number, string>;
  /** Pixel size in metres from the acquisition setup, in which the path of a line scan is drawn; or `null`. */
  setupScaling(): { readonly x: number; readonly y: number } | null;
}

const METADATA_HEAD = 256;

/** The XML of a document, or `""`. @throws {DecodeFailed} damaged, or longer than {@linkcode MAX_XML_BYTES} */
export function readXml(file: ByteSource, { metadata }: FileHeader): string {
  if (metadata === 0) return "";
  const what = "the metadata";
  const { data, used } = requireSegment(file, metadata, ID.metadata, what);
  file.require(data, used, what);
  const size = new DataView(file.read(data, 4, what).buffer).getInt32(0, true);
  if (size < 0 || size > MAX_XML_BYTES) {
    throw new DecodeFailed(`the metadata have ${size} bytes, more than ${MAX_XML_BYTES}`);
  }
  const text = new TextDecoder().decode(file.read(data + METADATA_HEAD, size, what));
  const end = text.indexOf("\0");
  if (end === 0 || size === 0) throw new DecodeFailed(`${what} begin with zeros`);
  return end < 0 ? text : text.slice(0, end);
}

/** The metadata of a document; if they cannot be read, warns and returns empty metadata. */
export function readCziMetadata(file: ByteSource, header: FileHeader, warnings: Warning[]): CziMetadata {
  if (header.metadata === 0) {
    const text = "The file has no metadata: names, steps and the date are unknown";
    warnings.push(warning("metadata_missing", text));
  }
  const metadata =
    unlessLost(warnings, "The metadata", () => parseMetadata(readXml(file, header).trim() || EMPTY)) ??
      parseMetadata(EMPTY);
  warnings.push(...metadata.warnings);
  return metadata;
}

const EMPTY = "<Metadata/>";

/** Parses the metadata; the experiment is parsed on demand. @throws {DecodeFailed} the XML is damaged */
export function parseMetadata(xml: string): CziMetadata {
  const { main, experiment: setup } = splitSections(xml);
  const root = parseXml(main, "the XML");
  const metadata = root.name === "Metadata" ? root : findChild(root, "Metadata");
  const information = findChild(metadata, "Information");
  const image = findChild(information, "Image");
  const dimensions = findChild(image, "Dimensions");
  const channels = findChild(dimensions, "Channels");
  const regular = findChild(findChild(findChild(dimensions, "T"), "Positions"), "Interval");
  const created = findChild(findChild(information, "Document"), "CreationDate")?.text;
  // Few files need the experiment, so a damaged one is ignored.
  const experiment = () => setup === "" ? null : unlessDamaged(() => parseXml(setup, "the experiment"), null);
  const numbers = new StatedNumbers("The metadata");
  const doubts: Warning[] = [];
  const described = listCziChannels(channels, findChild(metadata, "DisplaySetting"));
  const steps = readCziSteps(findChild(findChild(metadata, "Scaling"), "Items"), numbers, doubts);
  // The other scan times are unreliable.
  const pixelTime = findChildren(channels, "Channel")
    .map((channel) => readPositiveText(findChild(findChild(channel, "LaserScanInfo"), "PixelTime"), numbers))
    .find((seconds) => seconds !== null) ?? null;
  return {
    channels: described.channels,
    warnings: [...described.warnings, ...numbers.warnings, ...doubts],
    steps,
    moment: chooseMoment(findMoment(findChild(image, "AcquisitionDateAndTime")?.text), findMoment(created)),
    interval: (warnings) => {
      const numbers = new StatedNumbers("The metadata");
      const increment = numbers.read("Increment", findChild(regular, "Increment")?.text);
      const found = increment !== null && increment > 0
        ? increment
        : readInterval(experiment(), numbers) ?? increment;
      warnings.push(...numbers.warnings);
      return found;
    },
    pixelTime,
    sceneNames: readSceneNames(findChild(findChild(dimensions, "S"), "Scenes")),
    setupScaling: () => readSetupScaling([experiment(), root]),
  };
}

/** Channels with their display settings, as {@linkcode findDisplay} joins them. */
function listCziChannels(
  list: XmlElement | undefined,
  display: XmlElement | undefined,
): Pick<CziMetadata, "channels" | "warnings"> {
  const described = findChildren(list, "Channel");
  const { joined, ordered } = findDisplay(described, findChildren(findChild(display, "Channels"), "Channel"));
  const warnings: Warning[] = [];
  const channels = described.map((channel, i) => {
    const id = channel.attributes["Id"] ?? "";
    const [own, shown] = [readChannelName(channel), readChannelName(joined[i])];
    if (ordered.has(i) && own && shown && own !== shown) {
      const text = `Channel ${quoted(own)} and its display settings, which have another id, differ in name`;
      warnings.push(warning("metadata_disagree", `${text}; ${quoted(shown)} counts`));
    }
    const dye = findChild(channel, "Fluor")?.text ?? findChild(channel, "DyeName")?.text;
    // `Channel:0` is a generated id, not a name.
    const unnamed = dye || (/^(?:Channel:\d+)?$/.test(id) ? null : id);
    return {
      name: shown || own || unnamed,
      color: colourOf(findChild(joined[i], "Color")?.text) ?? colourOf(findChild(channel, "Color")?.text),
    };
  });
  return { channels, warnings };
}

/**
 * The display settings of each channel: those with its id; of the others, if there are as many settings as channels, those with its
 * name, and last those in the same order. `ordered` are the channels of the last kind.
 */
function findDisplay(channels: readonly XmlElement[], settings: readonly XmlElement[]) {
  const joined = new Array<XmlElement | undefined>(channels.length);
  const left = new Set(settings);
  const join = (keyOf: (element: XmlElement) => string | undefined) => {
    const byKey = new Map([...left].map((setting) => [keyOf(setting) || null, setting]));
    for (const [i, channel] of channels.entries()) {
      const setting = joined[i] ? undefined : byKey.get(keyOf(channel) || "");
      if (setting && left.delete(setting)) joined[i] = setting;
    }
  };
  join(({ attributes }) => attributes["Id"]);
  const ordered = new Set<number>();
  if (channels.length === settings.length) {
    join(readChannelName);
    const [...rest] = left;
    for (const i of channels.keys()) {
      if (joined[i]) continue;
      joined[i] = rest.shift();
      ordered.add(i);
    }
  }
  return { joined, ordered };
}

const readChannelName = (channel: XmlElement | undefined) =>
  channel?.attributes["Name"]?.trim() || findChild(channel, "Name")?.text;

/** `#rrggbb`, from `#AARRGGBB` or `#RRGGBB`. */
function colourOf(text: string | undefined): string | null {
  const found = /^#(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(text ?? "")?.[1];
  return found ? `#${found.toLowerCase()}` : null;
}

/** Steps of the axes. Values are in metres for any display unit. */
function readCziSteps(
  items: XmlElement | undefined,
  numbers: StatedNumbers,
  warnings: Warning[],
): CziMetadata["steps"] {
  const steps: Partial<Record<"X" | "Y" | "Z", Calibration>> = {};
  for (const distance of findChildren(items, "Distance")) {
    const letter = distance.attributes["Id"];
    if (letter !== "X" && letter !== "Y" && letter !== "Z") continue;
    const value = numbers.step(`the distance along ${letter}`, findChild(distance, "Value")?.text);
    const step = statedStep(letter, value, "m", warnings);
    if (step) steps[letter] ??= step;
  }
  return steps;
}

function readPositiveText(element: XmlElement | undefined, numbers: StatedNumbers): number | null {
  const value = numbers.read(element?.name ?? "", element?.text);
  return value !== null && value > 0 ? value : null;
}

/** The interval of the time series setup in seconds, for any display unit; `null` if several setups differ. */
function readInterval(experiment: XmlElement | null, numbers: StatedNumbers): number | null {
  const stated = new Set<number | null>();
  const search = (element: XmlElement) => {
    // Helper setups, such as an autofocus, contain experiments of their own.
    if (element.name === "HelperSetups") return;
    if (element.name === "TimeSeriesSetup") {
      const span = findChild(findChild(element, "Interval"), "TimeSpan");
      if (span) stated.add(readPositiveText(findChild(span, "Value"), numbers));
    }
    element.children.forEach(search);
  };
  if (experiment) search(experiment);
  const [interval = null] = stated;
  return stated.size === 1 ? interval : null;
}

function readSceneNames(scenes: XmlElement | undefined): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  findChildren(scenes, "Scene").forEach((scene, i) => {
    const name = readChannelName(scene);
    if (name) names.set(numberOf(scene.attributes["Index"]) ?? i, name);
  });
  return names;
}

function readSetupScaling(roots: readonly (XmlElement | null)[]): ReturnType<CziMetadata["setupScaling"]> {
  const [x, y] = ["ScalingX", "ScalingY"].map((name) => {
    const found = roots.flatMap((root) => findDescendants(root ?? undefined, name));
    return numberOf(found.find(({ text }) => text !== "")?.text) ?? 0;
  });
  return x && y && x > 0 && y > 0 ? { x, y } : null;
}

/** Separates the experiment and drops the hardware settings, whose parsing would take longer than the rest of an open. */
export function splitSections(xml: string): { readonly main: string; readonly experiment: string } {
  const { rest, cut } = cutElement(xml, "Experiment");
  return { main: cutElement(rest, "HardwareSetting").rest, experiment: cut };
}

/** Cuts out the first element of this name, including nested elements of the same name. */
function cutElement(xml: string, name: string): { readonly rest: string; readonly cut: string } {
  const tags = new RegExp(`<(/?)${name}(?:\\s[^<>]*?)?(/?)>`, "g");
  let [start, depth] = [-1, 0];
  for (const { index, 0: tag, 1: closes, 2: empty } of xml.matchAll(tags)) {
    if (start < 0) start = index;
    depth += closes ? -1 : empty ? 0 : 1;
    if (depth > 0) continue;
    const end = index + tag.length;
    return { rest: xml.slice(0, start) + xml.slice(end), cut: xml.slice(start, end) };
  }
  return { rest: xml, cut: "" };
}
