/** The XML of a LIF or LOF file: the elements to read, and the images that they describe. */
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { withoutFolder } from "../io/paths.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_DEPTH, MAX_XML_NODES } from "../io/limits.ts";
import { numberOf } from "../metadata/text.ts";
import {
  findChild,
  findChildren,
  findDescendants,
  parseXml,
  replaceForbidden,
  type XmlElement,
} from "../metadata/xml.ts";
import { warnIf, type Warning } from "../warning.ts";
import { type ImageLayout, layOutImage, shortenDyeName } from "./image_layout.ts";

/** Largest number of images in a file, some 4 KB of memory each. */
export const MAX_IMAGES = 50_000;

/** Longest path of an image in characters. */
const MAX_NAME_CHARACTERS = 500;

/** For some elements, the children to keep in the tree; their other children are omitted. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  Data: ["Image", "Experiment", "SingleMoleculeDetection"],
  Experiment: ["TimeStamp"],
  SingleMoleculeDetection: [],
  Image: ["ImageDescription", "TimeStampList", "Attachment"],
  // Hardware settings make up nine tenths of a document.
  Attachment: ["ATLConfocalSettingDefinition", "ATLCameraSettingDefinition", "LDM_Block_Sequential"],
  LDM_Block_Sequential: ["LDM_Block_Sequential_List"],
  LDM_Block_Sequential_List: ["ATLConfocalSettingDefinition"],
  ATLConfocalSettingDefinition: ["DetectorList", "Spectro"],
  DetectorList: ["Detector"],
  Detector: [],
  Spectro: ["MultiBand"],
  MultiBand: [],
  ATLCameraSettingDefinition: ["WideFieldChannelConfigurator"],
  WideFieldChannelConfigurator: ["WideFieldChannelInfo"],
  WideFieldChannelInfo: [],
};

/** Whether to omit an element. Attachments may also hold whole documents, which describe regions and bleach points. */
const omits = (name: string, parent: string | undefined): boolean =>
  parent !== undefined &&
  (name === "LMSDataContainerHeader" || Object.hasOwn(KEPT, parent) && !KEPT[parent]!.includes(name));

/** Parses the XML, which lacks the outer elements in older LOF files. @throws {DecodeFailed} it is damaged or above a limit */
export function parseHeader(xml: string): { readonly root: XmlElement; readonly warnings: Warning[] } {
  const body = xml.replace(/^[\ufeff\s]*(?:<\?xml[^>]*\?>)?\s*/, "");
  const whole = /^<Data[\s>]/.test(body)
    ? `<LMSDataContainerHeader Version="2"><Element>${body}</Element></LMSDataContainerHeader>`
    : xml;
  const allowed = replaceForbidden(whole);
  const text = "The XML contains forbidden characters, which are replaced";
  return {
    root: parseXml(allowed, "the XML", { nodes: MAX_XML_NODES, depth: MAX_XML_DEPTH, omits }),
    warnings: warnIf(allowed !== whole, "metadata_damaged", text),
  };
}

/** The scan settings of a confocal microscope; times are in seconds. */
export interface ScanSettings {
  readonly lineTime: number | null;
  /** Number of scanned lines per stored line. */
  readonly averaging: number;
  readonly pixelTime: number | null;
  readonly direction: string | null;
}

/** An image of the document. */
export interface ImageElement {
  /** Path of names from the outermost folder, joined with `/`; may be `""`. */
  readonly name: string;
  /** Name of the block that contains its samples, or `""`. */
  readonly block: string;
  /** The layout, or the reason why it is impossible or unsupported. */
  readonly layout: ImageLayout | string;
  /** True for histograms and results of lifetime measurements, which are not opened by default. */
  readonly derived: boolean;
  /** User-defined names of camera channels; dyes of detectors, if the channels themselves state none. `""` for no name. */
  readonly names: readonly string[];
  /** Hexadecimal time stamps, separated by blanks. */
  readonly stamps: string;
  readonly scan: ScanSettings | null;
  /** About numbers. */
  readonly warnings: readonly Warning[];
}

/** Lists the images in document order, without previews. @throws {DecodeFailed} more than {@linkcode MAX_IMAGES} images */
export function listImageElements(root: XmlElement): ImageElement[] {
  const found: ImageElement[] = [];
  const nameOf = (element: XmlElement) =>
    withoutFolder(element.attributes["Name"]?.trim() ?? "").slice(0, MAX_NAME_CHARACTERS);
  const visit = (element: XmlElement, path: readonly string[], lifetimes: boolean) => {
    const data = findChild(element, "Data");
    const image = findChild(data, "Image");
    const inside = lifetimes || findChild(data, "SingleMoleculeDetection") !== undefined;
    if (image && findAttachment(image, "PreviewMarker")?.attributes["IsPreviewImage"] !== "1") {
      if (found.length >= MAX_IMAGES) throw new DecodeFailed(`it has more than ${MAX_IMAGES} images`);
      found.push({
        ...describeImageElement(image, path.at(-1) ?? "", inside),
        name: path.join("/").slice(0, MAX_NAME_CHARACTERS),
        block: findChild(element, "Memory")?.attributes["MemoryBlockID"] ?? "",
      });
    }
    for (const inner of findChildren(findChild(element, "Children"), "Element")) {
      visit(inner, [...path, nameOf(inner)], inside);
    }
  };
  // The outermost element represents the file, so its name is not part of the path.
  for (const element of findChildren(root, "Element")) {
    const alone = findChild(findChild(element, "Data"), "Image") !== undefined;
    visit(element, alone ? [nameOf(element)] : [], false);
  }
  return found;
}

const findAttachment = (image: XmlElement, name: string): XmlElement | undefined =>
  findChildren(image, "Attachment").find(({ attributes }) => attributes["Name"] === name);

function describeImageElement(image: XmlElement, name: string, inLifetimes: boolean) {
  const hardware = findAttachment(image, "HardwareSetting");
  const list = findChild(image, "TimeStampList");
  const stamps = findChildren(list, "TimeStamp");
  const numbers = new StatedNumbers("The document");
  let layout: ImageLayout | string;
  try {
    layout = layOutImage(image, numbers);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    layout = error.message;
  }
  const scan = readScanSettings(findChild(hardware, "ATLConfocalSettingDefinition"), numbers);
  return {
    layout,
    // Lifetime results have a scale of their own (`F16`) or half floats.
    derived: inLifetimes || findAttachment(image, "F16") !== undefined || /\bhistogram\b/i.test(name) ||
      typeof layout !== "string" && layout.sampleType === "float16",
    names: nameChannels(hardware, layout),
    // Programs before LAS 3.1 write an element per stamp.
    stamps: stamps.length > 0 ? stamps.map(readSplitStamp).join(" ") : list?.text ?? "",
    scan,
    warnings: numbers.warnings,
  };
}

function nameChannels(hardware: XmlElement | undefined, layout: ImageLayout | string): string[] {
  const cameras = findDescendants(hardware, "WideFieldChannelInfo");
  if (cameras.length > 0) {
    return cameraNames(cameras, typeof layout === "string" ? 0 : layout.channels.length);
  }
  const areStated = typeof layout !== "string" && layout.channels.some(({ dye }) => dye !== null);
  return areStated ? [] : listDyes(hardware).map((dye) => dye ?? "");
}

/** An entry that LAS X adds to the list of camera channels as a template. */
const TEMPLATE = /^New \d+$/;

/** The user's names of camera channels, without templates and the camera of the autofocus if there are more than `count`. */
function cameraNames(cameras: readonly XmlElement[], count: number): string[] {
  const named = cameras.map(({ attributes: { Channel = "", UserDefName = "" } }) => ({
    name: UserDefName,
    isExtra: TEMPLATE.test(UserDefName.trim()) || /^3\d{3}$/.test(Channel),
  }));
  const used = named.length > count ? named.filter(({ isExtra }) => !isExtra) : named;
  return used.map(({ name }) => name);
}

/**
 * The dye of each active detector, in the order of the sequential settings; none if several detectors have the same dye, because
 * bands keep the dyes of detectors that are off.
 */
function listDyes(hardware: XmlElement | undefined): (string | null)[] {
  const main = findChild(hardware, "ATLConfocalSettingDefinition");
  const steps = findChildren(
    findChild(findChild(hardware, "LDM_Block_Sequential"), "LDM_Block_Sequential_List"),
    "ATLConfocalSettingDefinition",
  );
  const bandsOf = (setting: XmlElement | undefined) => {
    const bands = findChildren(findChild(setting, "Spectro"), "MultiBand").toReversed();
    return new Map(
      bands.map(({ attributes: { Channel, UserDefName, DyeName } }) =>
        [Channel, shortenDyeName(UserDefName) ?? shortenDyeName(DyeName)] as const
      ),
    );
  };
  const shared = bandsOf(main);
  const dyes = (steps.length > 0 || main === undefined ? steps : [main]).flatMap((setting) => {
    const bands = findChild(setting, "Spectro") ? bandsOf(setting) : shared;
    return findChildren(findChild(setting, "DetectorList"), "Detector")
      .filter(({ attributes }) => attributes["IsActive"] === "1")
      .map(({ attributes: { Channel, DyeName, UserDefName } }) =>
        shortenDyeName(UserDefName) ?? shortenDyeName(DyeName) ??
          (Channel ? bands.get(Channel) ?? null : null)
      );
  });
  const named = dyes.filter((dye) => dye !== null);
  return new Set(named).size === named.length ? dyes : [];
}

/** The hexadecimal text of a stamp stored as two 32-bit numbers; `0` if the numbers are invalid. */
export function readSplitStamp({ attributes }: XmlElement): string {
  const [high, low] = [attributes["HighInteger"], attributes["LowInteger"]].map((text) => {
    const value = numberOf(text);
    return value !== null && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : null;
  });
  return high == null || low == null ? "0" : high.toString(16) + low.toString(16).padStart(8, "0");
}

function readScanSettings(setting: XmlElement | undefined, numbers: StatedNumbers): ScanSettings | null {
  if (!setting) return null;
  const { LineTime, LineAverage, Line_Accumulation, PixelDwellTime, ScanDirectionXName } = setting.attributes;
  return {
    lineTime: numbers.read("LineTime", LineTime),
    averaging: (numbers.read("LineAverage", LineAverage) ?? 1) *
      (numbers.read("Line_Accumulation", Line_Accumulation) ?? 1),
    pixelTime: numbers.read("PixelDwellTime", PixelDwellTime),
    direction: ScanDirectionXName ?? null,
  };
}
