/** The locations of an image's planes in OME-XML: directories of one or several TIFF files. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, quoted } from "../../errors.ts";
import type { ByteSource } from "../../io/byte_source.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { lastNameOf, placesOf } from "../../io/paths.ts";
import type { FileAccess } from "../../io/random_access.ts";
import { numberOf } from "../../metadata/text.ts";
import { channelElements, type OmeXmlImage, omeXmlImage } from "../../metadata/ome_xml.ts";
import { child, children, parseXml, type XmlElement } from "../../metadata/xml.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_PLANES, type Opened } from "../stack.ts";
import { TAG } from "../tags.ts";
import { decodeText, detached, isOmeXml } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";

/** One `TiffData`: consecutive planes in the dimension order, stored in consecutive directories of one file. */
export interface TiffData {
  /** Number of the first plane in the dimension order. */
  readonly first: number;
  readonly count: number;
  /** Whether the document states the count. */
  readonly counted: boolean;
  /** Directory of the first plane in the main chain of its file. */
  readonly directory: number;
  /** The file that holds the planes. */
  readonly place: OmeFile;
}

/** Name and UUID of a file as written; without both, the file of the document. */
export interface OmeFile {
  /** Name, perhaps with folders, or `null`. */
  readonly name: string | null;
  /** UUID, or `null`. */
  readonly uuid: string | null;
}

/** The declarations of an image. */
export interface OmeImage extends Omit<OmeXmlImage, "name"> {
  /** SizeX, or `NaN`. */
  readonly columns: number;
  /** SizeY, or `NaN`. */
  readonly rows: number;
  /** Whether the channels state samples whose total is SizeC. */
  readonly samplesStated: boolean;
  /** SizeT, SizeC and SizeZ. */
  readonly sizes: { readonly T: number; readonly C: number; readonly Z: number };
  /** The axes `Z`, `C` and `T`, fastest first. */
  readonly order: readonly ("T" | "C" | "Z")[];
  /** Locations of planes, in document order. */
  readonly tiffData: readonly TiffData[];
  readonly warnings: readonly Warning[];
}

/** The images of a document, or the name of the file that contains them. */
export interface OmeDocument {
  /** File with the whole document if this one is `BinaryOnly`, else `null`. */
  readonly metadataFile: string | null;
  /** Images with pixels. */
  readonly images: readonly XmlElement[];
}

/** Parses a document; `what` is its name in messages. @throws {DecodeFailed} the document is damaged */
export function parseOme(text: string, what: string): OmeDocument {
  const root = parseXml(text.replace(/^\uFEFF/, "").trim(), what);
  if (root.name !== "OME") throw new DecodeFailed(`${what} has the root ${quoted(root.name)}, not "OME"`);
  return {
    metadataFile: child(root, "BinaryOnly")?.attributes.MetadataFile ?? null,
    images: children(root, "Image").filter((element) => child(element, "Pixels")),
  };
}

/** One image of a document, which may be damaged. */
export interface DescribedImage {
  /** Name of the image, else its id, else `null`. */
  readonly title: string | null;
  readonly name: string | null;
  /** Files of its planes, empty if it was never saved. All images of a document share one object per file. */
  readonly places: readonly OmeFile[];
  /** Its declarations, or why they are invalid. */
  readonly read: OmeImage | DecodeFailed;
}

/** The declarations of all images, kept instead of the document. */
function describedImages(images: readonly XmlElement[]): DescribedImage[] {
  const known = new Map<string, OmeFile>();
  const placeOf: PlaceOf = (tiffData) => {
    const place = placeIn(tiffData);
    return known.getOrInsert(`${place.name}\n${place.uuid}`, place);
  };
  const dataOf = (image: XmlElement) => children(child(image, "Pixels"), "TiffData");
  // Some writers name no directories at all. If only some images have none, those were never saved.
  const unnamed = images.some((image) => dataOf(image).length > 0) ? [] : [placeOf(undefined)];
  return images.map((image) => {
    const data = dataOf(image);
    const { Name, ID } = image.attributes;
    const name = Name?.trim() ? detached(Name.trim()) : null;
    return {
      title: name ?? (ID === undefined ? null : detached(ID)),
      name,
      places: data.length === 0 ? unnamed : [...new Set(data.map(placeOf))],
      read: readOrError(image, placeOf),
    };
  });
}

/** Returns the file of a `TiffData`, or that of the document. */
export type PlaceOf = (tiffData: XmlElement | undefined) => OmeFile;

const placeIn: PlaceOf = (tiffData) => {
  const uuid = child(tiffData, "UUID");
  const name = uuid?.attributes.FileName;
  return { name: name === undefined ? null : detached(name), uuid: uuid?.text ? detached(uuid.text) : null };
};

function readOrError(image: XmlElement, placeOf: PlaceOf): OmeImage | DecodeFailed {
  try {
    return readImage(image, placeOf);
  } catch (error) {
    if (error instanceof DecodeFailed) return error;
    throw error;
  }
}

/** Reads one image of a document. @throws {DecodeFailed} invalid sizes or dimension order */
export function readImage(image: XmlElement, placeOf: PlaceOf = placeIn): OmeImage {
  const pixels = child(image, "Pixels")!;
  const { attributes } = pixels;
  const sizes = { T: size(attributes, "SizeT"), C: size(attributes, "SizeC"), Z: size(attributes, "SizeZ") };
  if (sizes.T * sizes.C * sizes.Z > MAX_PLANES) {
    throw new DecodeFailed(
      `OME-XML declares ${sizes.T} x ${sizes.C} x ${sizes.Z} planes, more than ${MAX_PLANES}`,
    );
  }
  const order = orderOf(attributes.DimensionOrder);
  const data = children(pixels, "TiffData").map((element) =>
    tiffData(element, sizes, order ?? DEFAULT_ORDER, placeOf)
  );
  const long = Object.values(sizes).filter((length) => length > 1);
  if (order === null && long.length > 1 && (data.length === 0 || data.some(({ count }) => count > 1))) {
    throw new DecodeFailed(
      attributes.DimensionOrder === undefined
        ? "OME-XML lacks DimensionOrder"
        : `OME-XML declares DimensionOrder=${quoted(attributes.DimensionOrder)}`,
    );
  }
  const declared = omeXmlImage(image, pixels);
  const channels = channelElements(image, pixels);
  const samples = channels.reduce(
    (sum, { attributes }) => sum + (numberOf(attributes.SamplesPerPixel) ?? 1),
    0,
  );
  const fitting = channels.length === 0 || sizes.C % channels.length === 0 || sizes.C === samples;
  const misfit = `OME-XML describes ${channels.length} channels, but its SizeC is ${sizes.C}`;
  return {
    columns: numberOf(attributes.SizeX) ?? NaN,
    rows: numberOf(attributes.SizeY) ?? NaN,
    samplesStated: samples === sizes.C && channels.length > 0,
    sizes,
    order: order ?? DEFAULT_ORDER,
    tiffData: data,
    calibrations: declared.calibrations,
    colors: declared.colors,
    moment: declared.moment,
    times: declared.times,
    names: declared.names.map((name) => name === null ? null : detached(name)),
    warnings: [
      ...declared.warnings,
      ...fitting ? [] : [warning("metadata_disagree", misfit)],
    ],
  };
}

function size(attributes: XmlElement["attributes"], name: string): number {
  const value = Number(attributes[name] ?? 1);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new DecodeFailed(`OME-XML declares ${name}="${attributes[name]}"`);
  }
  return value;
}

/** Order for an image whose order does not matter. */
const DEFAULT_ORDER: OmeImage["order"] = ["Z", "C", "T"];

function orderOf(written: string | undefined): OmeImage["order"] | null {
  const letters = [...(written ?? "")].filter((letter) => "ZCT".includes(letter));
  return letters.length === 3 && new Set(letters).size === 3 ? letters as ("T" | "C" | "Z")[] : null;
}

/** Number of a plane in the dimension order. */
export function planeNumber(
  order: OmeImage["order"],
  sizes: OmeImage["sizes"],
  at: Readonly<Record<"T" | "C" | "Z", number>>,
): number {
  return order.reduceRight((number, letter) => number * sizes[letter] + at[letter], 0);
}

function tiffData(
  element: XmlElement,
  sizes: OmeImage["sizes"],
  order: OmeImage["order"],
  placeOf: PlaceOf,
): TiffData {
  const { attributes } = element;
  const integer = (name: string, missing: number) => {
    const value = Number(attributes[name] ?? missing);
    return Number.isSafeInteger(value) && value >= 0 ? value : missing;
  };
  const at = { T: integer("FirstT", 0), C: integer("FirstC", 0), Z: integer("FirstZ", 0) };
  const planes = sizes.T * sizes.C * sizes.Z;
  return {
    first: planeNumber(order, sizes, at),
    // A directory without a count is one plane; without both, the `TiffData` covers all planes (OME-TIFF, TiffData).
    count: attributes.PlaneCount !== undefined || attributes.IFD !== undefined
      ? integer("PlaneCount", 1)
      : planes,
    counted: attributes.PlaneCount !== undefined,
    directory: integer("IFD", 0),
    place: placeOf(element),
  };
}

/** The images of a document, and its file. */
export interface Described {
  /** Images with pixels, in the order of the document. */
  readonly images: readonly DescribedImage[];
  /** Path of the opened file or of a companion. */
  readonly path: string;
  /** Size of the document's file in bytes if it has no planes, else 0. */
  readonly size: number;
}

function describedBy({ images }: OmeDocument, path: string, size: number): Described {
  if (images.length === 0) throw new DecodeFailed("OME-XML describes no image");
  return { images: describedImages(images), path, size };
}

/** The document of a TIFF, or of the companion that it names. @throws {DecodeFailed} damaged, missing, or without images */
export function describe(opened: Opened, text: string): Described {
  const own = parseOme(text, "OME-XML");
  if (own.metadataFile === null) return describedBy(own, opened.path, 0);
  const folder = dirname(opened.path);
  const path = placesOf(folder, own.metadataFile).find((path) => opened.files.kind(path) === "file") ??
    join(folder, lastNameOf(own.metadataFile));
  const companion = companionText(path, opened.files, MAX_XML_BYTES);
  return describedBy(parseOme(companion.text, `OME-XML in "${basename(path)}"`), path, companion.size);
}

/** The document of an opened companion file. @throws {DecodeFailed} it is not OME-XML, or describes no image */
export function companionDocument(path: string, files: FileAccess): Described {
  const { text, size } = textIn(files.open(path), path, files, MAX_XML_BYTES);
  return describedBy(parseOme(text, "OME-XML"), path, size);
}

/** The document of a companion file. @throws {DecodeFailed} missing, not OME-XML, or longer than `most` bytes */
export function companionText(path: string, files: FileAccess, most: number): CompanionText {
  const file = files.openNeighbour(path);
  if (file === null) throw new DecodeFailed(`"${basename(path)}", which holds the metadata, is missing`);
  try {
    return textIn(file, path, files, most);
  } finally {
    file.close();
  }
}

/** The text of a document. A companion that is a TIFF has planes, and its size is counted with those of the other files. */
export interface CompanionText {
  /** OME-XML. */
  readonly text: string;
  /** Size of its file in bytes; 0 for a TIFF. */
  readonly size: number;
}

function textIn(file: ByteSource, path: string, files: FileAccess, most: number): CompanionText {
  const head = file.read(0, Math.min(2, file.size), "the start");
  const isTiff = ["II", "MM"].includes(String.fromCharCode(...head));
  if (!isTiff && file.size > most) {
    throw new DecodeFailed(`"${basename(path)}" has ${file.size} bytes, more than ${most}`);
  }
  const texts = isTiff
    ? new TiffFile(file, files).first.texts(TAG.ImageDescription, most)
    : [decodeText(file.read(0, file.size, "the document"))];
  const text = texts.find(isOmeXml);
  if (text === undefined) throw new DecodeFailed(`"${basename(path)}" holds no OME-XML`);
  return { text, size: isTiff ? 0 : file.size };
}
