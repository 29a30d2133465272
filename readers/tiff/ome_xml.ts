/** The part of OME-XML (schemas 2003 to 2016) that says what the planes of the first image are. */
import { DecodeFailed } from "../errors.ts";
import { child, children, parseXml, type XmlElement } from "../xml.ts";
import { MAX_PLANES } from "./bounds.ts";
import { calibrationsOf, firstMoment, type Moment, momentOf, numberIn, type Stack } from "./stack.ts";

/** One `TiffData`: planes from one place in the dimension order on, in directories of one file. */
export interface TiffData {
  /** Number of the first plane in the dimension order. */
  readonly first: number;
  readonly count: number;
  /** Directory of the first plane in the main chain of its file. */
  readonly directory: number;
  /** Name of the file as written, `null` for the file itself. */
  readonly file: string | null;
  readonly uuid: string | null;
}

/** What the first image declares. */
export interface OmeImage {
  /** UUID of the document. */
  readonly uuid: string | null;
  readonly sizes: { readonly T: number; readonly C: number; readonly Z: number };
  /** `Z`, `C`, `T`, fastest first. */
  readonly order: readonly ("T" | "C" | "Z")[];
  readonly tiffData: readonly TiffData[];
  readonly calibrations: Stack["calibrations"];
  /** Names of the channels as given. */
  readonly names: readonly (string | null)[];
  readonly moment: Moment;
}

/** The document and, when its planes are described elsewhere, the name of that file. */
export interface OmeDocument {
  readonly root: XmlElement;
  readonly metadataFile: string | null;
}

/** True when a description is OME-XML. */
export function isOmeXml(text: string): boolean {
  return /<(?:\w+:)?OME[\s>]/.test(text.slice(0, 8192));
}

/** @throws {DecodeFailed} the document is damaged */
export function parseOme(text: string, what: string): OmeDocument {
  const root = parseXml(text.replace(/^\uFEFF/, "").trim(), what);
  return { root, metadataFile: child(root, "BinaryOnly")?.attributes.MetadataFile ?? null };
}

/** The first image, or `null` without one. @throws {DecodeFailed} sizes are impossible */
export function firstImage({ root }: OmeDocument): OmeImage | null {
  const image = children(root, "Image").find((element) => child(element, "Pixels"));
  const pixels = child(image, "Pixels");
  if (!image || !pixels) return null;
  const { attributes } = pixels;
  const sizes = { T: size(attributes, "SizeT"), C: size(attributes, "SizeC"), Z: size(attributes, "SizeZ") };
  if (sizes.T * sizes.C * sizes.Z > MAX_PLANES) {
    throw new DecodeFailed(
      `OME-XML declares ${sizes.T} x ${sizes.C} x ${sizes.Z} planes, more than ${MAX_PLANES}`,
    );
  }
  const order = orderOf(attributes.DimensionOrder);
  const written = ["AcquisitionDate", "AcquiredDate", "CreationDate"].map((name) => child(image, name)?.text);
  return {
    uuid: root.attributes.UUID ?? null,
    sizes,
    order,
    tiffData: children(pixels, "TiffData").map((element) => tiffData(element, sizes, order)),
    calibrations: calibrationsOf({
      X: length(attributes, "PhysicalSizeX"),
      Y: length(attributes, "PhysicalSizeY"),
      Z: length(attributes, "PhysicalSizeZ"),
      T: [numberIn(attributes.TimeIncrement), attributes.TimeIncrementUnit ?? "s"],
    }),
    names: channelElements(image, pixels).map((element) => element.attributes.Name ?? null),
    moment: firstMoment(...written.map(momentOf)),
  };
}

/** Lengths are micrometres where no unit stands. */
function length(attributes: XmlElement["attributes"], name: string): [number | null, string] {
  return [numberIn(attributes[name]), attributes[name + "Unit"] ?? "um"];
}

function channelElements(image: XmlElement, pixels: XmlElement): XmlElement[] {
  const channels = children(pixels, "Channel");
  return channels.length > 0 ? channels : children(image, "LogicalChannel");
}

function size(attributes: XmlElement["attributes"], name: string): number {
  const value = Number(attributes[name] ?? 1);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new DecodeFailed(`OME-XML declares ${name}="${attributes[name]}"`);
  }
  return value;
}

function orderOf(written: string | undefined): ("T" | "C" | "Z")[] {
  const letters = [...(written ?? "XYZCT")].filter((letter) => "ZCT".includes(letter));
  return (new Set(letters).size === 3 ? letters : ["Z", "C", "T"]) as ("T" | "C" | "Z")[];
}

/** Number of a plane in the dimension order. */
export function planeNumber(
  order: OmeImage["order"],
  sizes: OmeImage["sizes"],
  at: Readonly<Record<"T" | "C" | "Z", number>>,
): number {
  return order.reduceRight((number, letter) => number * sizes[letter] + at[letter], 0);
}

function tiffData(element: XmlElement, sizes: OmeImage["sizes"], order: OmeImage["order"]): TiffData {
  const { attributes } = element;
  const integer = (name: string, missing: number) => {
    const value = Number(attributes[name] ?? missing);
    return Number.isSafeInteger(value) && value >= 0 ? value : missing;
  };
  const at = { T: integer("FirstT", 0), C: integer("FirstC", 0), Z: integer("FirstZ", 0) };
  const planes = sizes.T * sizes.C * sizes.Z;
  const uuid = child(element, "UUID");
  return {
    first: planeNumber(order, sizes, at),
    // One directory alone is one plane; neither directory nor count stands for all (OME-TIFF, TiffData).
    count: attributes.PlaneCount !== undefined || attributes.IFD !== undefined
      ? integer("PlaneCount", 1)
      : planes,
    directory: integer("IFD", 0),
    file: uuid?.attributes.FileName ?? null,
    uuid: uuid?.text || null,
  };
}
