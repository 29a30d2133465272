/** The locations of an image's planes in OME-XML: directories of one or several TIFF files. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, quoted } from "../../../errors.ts";
import type { ByteSource } from "../../../io/byte_source.ts";
import { limitText, MAX_XML_BYTES } from "../../../io/limits.ts";
import { findNamedFile } from "../../../io/names.ts";
import { takeLastName, withoutFolder } from "../../../io/paths.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { numberOf } from "../../../metadata/text.ts";
import {
  imagesIn,
  listChannelElements,
  type OmeXmlImage,
  readOmeXmlImage,
} from "../../../metadata/ome_xml.ts";
import { findChild, findChildren, parseXml, type XmlElement } from "../../../metadata/xml.ts";
import { warnIf } from "../../../warning.ts";
import { MAX_PLANES, type OpenedTiff } from "../../stack.ts";
import { TAG } from "../../tags.ts";
import { decodeText } from "../../directory.ts";
import { isOmeXml } from "../../marks.ts";
import { TiffFile } from "../../tiff_file.ts";

/** A copy, cut to 4 KiB. Unlike a slice, it does not keep the whole document in memory. */
const detachText = (text: string) => limitText(` ${text}`.slice(1));

/** One `TiffData`: consecutive planes in the dimension order, stored in consecutive directories of one file. */
export interface TiffData {
  /** Number of the first plane; `Infinity` outside the sizes. */
  readonly first: number;
  readonly count: number;
  readonly counted: boolean;
  /** Directory of the first plane in the main chain of its file. */
  readonly directory: number;
  readonly place: OmeFile;
}

/** Name and UUID of a file as written; without both, the file of the document. */
export type OmeFile = Readonly<Record<"name" | "uuid", string | null>>;

/** The declarations of an image. */
export interface OmeXmlScene extends Omit<OmeXmlImage, "name"> {
  /** SizeX and SizeY, or `NaN`. */
  readonly columns: number;
  readonly rows: number;
  /** Whether the channels state samples whose total is SizeC. */
  readonly samplesStated: boolean;
  readonly sizes: { readonly T: number; readonly C: number; readonly Z: number };
  /** The axes `Z`, `C` and `T`, fastest first. */
  readonly order: readonly ("T" | "C" | "Z")[];
  readonly tiffData: readonly TiffData[];
  /** Number of its `Plane` elements. */
  readonly describedPlanes: number;
}

/** The images with pixels of a document, or the file with the whole document if it is `BinaryOnly`. @throws {DecodeFailed} */
export function parseOme(
  text: string,
  what: string,
): { readonly metadataFile: string | null; readonly images: readonly XmlElement[] } {
  const root = parseXml(text.replace(/^\uFEFF/, "").trim(), what);
  if (root.name !== "OME") throw new DecodeFailed(`${what} has the root ${quoted(root.name)}, not "OME"`);
  return {
    metadataFile: findChild(root, "BinaryOnly")?.attributes.MetadataFile ?? null,
    images: imagesIn(root).filter((element) => findChild(element, "Pixels")),
  };
}

/** One image of a document, which may be damaged. */
export interface DescribedImage {
  /** Name of the image, else its id, else `null`. */
  readonly title: string | null;
  readonly name: string | null;
  /** Files of its planes, empty if it was never saved. All images of a document share one object per file. */
  readonly places: readonly OmeFile[];
  readonly read: OmeXmlScene | DecodeFailed;
}

/** The images of a document, and its file. */
export interface Described {
  readonly images: readonly DescribedImage[];
  readonly path: string;
  /** Size of the document's file in bytes if it has no planes, else 0. */
  readonly size: number;
}

/**
 * The declarations of all images, kept instead of the document.
 *
 * @param countPages the pages of the document's file, up to a number
 */
export function readDeclarations(
  images: readonly XmlElement[],
  path: string,
  size: number,
  countPages: (most: number) => number = () => 0,
): Described {
  if (images.length === 0) throw new DecodeFailed("OME-XML describes no image");
  const known = new Map<string, OmeFile>();
  const placeOf: PlaceOf = (tiffData) => {
    const place = locateByUuid(tiffData);
    return known.getOrInsert(`${place.name}\n${place.uuid}`, place);
  };
  const dataOf = (image: XmlElement) => findChildren(findChild(image, "Pixels"), "TiffData");
  // Some writers name no directories at all. If only some images have none, those were never saved.
  const unnamed = images.some((image) => dataOf(image).length > 0) ? [] : [placeOf(undefined)];
  const described = images.map((image): DescribedImage => {
    const data = dataOf(image);
    const { Name, ID } = image.attributes;
    const name = Name?.trim() ? detachText(withoutFolder(Name.trim())) : null;
    const title = name ?? (ID === undefined ? null : detachText(ID));
    const places = data.length === 0 ? unnamed : [...new Set(data.map(placeOf))];
    try {
      const read = readImage(image, placeOf);
      const isPlaced = images.length === 1 && data.length === 0 && hasPlacedPages(read, countPages);
      return { title, name, places, read: isPlaced ? withPlacedPages(read, image, places[0]!) : read };
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      return { title, name, places, read: error };
    }
  });
  return { images: described, path, size };
}

/** Whether each `Plane` stands for a page, of which there are fewer than planes. */
function hasPlacedPages(
  { describedPlanes, sizes: { T, C, Z } }: OmeXmlScene,
  countPages: (most: number) => number,
) {
  return describedPlanes > 0 && describedPlanes < T * C * Z &&
    countPages(describedPlanes + 1) === describedPlanes;
}

/** An image without `TiffData` whose `Plane` elements, in their order, say where its pages belong. */
function withPlacedPages(read: OmeXmlScene, image: XmlElement, place: OmeFile): OmeXmlScene {
  const { order, sizes } = read;
  const tiffData = findChildren(findChild(image, "Pixels"), "Plane").map(
    ({ attributes }, directory): TiffData => {
      const along = (letter: "T" | "C" | "Z") => numberOf(attributes[`The${letter}`]) ?? 0;
      const at = { T: along("T"), C: along("C"), Z: along("Z") };
      const isInside = (["T", "C", "Z"] as const).every((letter) =>
        Number.isInteger(at[letter]) && at[letter] >= 0 && at[letter] < sizes[letter]
      );
      const first = isInside ? numberInOrder(order, sizes, at) : Infinity;
      return { first, count: 1, counted: true, directory, place };
    },
  );
  return { ...read, tiffData };
}

/** The file of a `TiffData`, or that of the document. */
export type PlaceOf = (tiffData: XmlElement | undefined) => OmeFile;

const locateByUuid: PlaceOf = (tiffData) => {
  const uuid = findChild(tiffData, "UUID");
  const name = uuid?.attributes.FileName;
  return {
    name: name === undefined ? null : detachText(name),
    uuid: uuid?.text ? detachText(uuid.text) : null,
  };
};

/** Reads one image of a document. @throws {DecodeFailed} invalid sizes or dimension order */
export function readImage(image: XmlElement, placeOf: PlaceOf = locateByUuid): OmeXmlScene {
  const pixels = findChild(image, "Pixels")!;
  const { attributes } = pixels;
  const sizes = readPlaneCounts(attributes);
  const written = attributes.DimensionOrder ?? "";
  const letters = [...written].filter((letter) => "ZCT".includes(letter));
  const isOrdered = letters.length === 3 && new Set(letters).size === 3;
  // Without an order, any will do if planes are counted along one axis or named one by one.
  const order = (isOrdered ? letters : ["Z", "C", "T"]) as ("T" | "C" | "Z")[];
  const { data, outside } = readTiffData(pixels, { order, sizes }, placeOf);
  const long = Object.values(sizes).filter((length) => length > 1);
  if (!isOrdered && long.length > 1 && (data.length === 0 || data.some(({ count }) => count > 1))) {
    throw new DecodeFailed(`OME-XML declares DimensionOrder=${quoted(written)}`);
  }
  const { name: _name, ...declared } = readOmeXmlImage(image, pixels);
  const channels = listChannelElements(image, pixels);
  const samples = channels.map(({ attributes }) => numberOf(attributes.SamplesPerPixel) ?? 1)
    .reduce((sum, count) => sum + count, 0);
  const isFitting = channels.length === 0 || sizes.C % channels.length === 0 || sizes.C === samples;
  const misfit = `OME-XML describes ${channels.length} channels, but its SizeC is ${sizes.C}`;
  const shape = `SizeT=${sizes.T} SizeC=${sizes.C} SizeZ=${sizes.Z}`;
  const described = countPlanesOutside(pixels, sizes);
  return {
    ...declared,
    columns: numberOf(attributes.SizeX) ?? NaN,
    rows: numberOf(attributes.SizeY) ?? NaN,
    samplesStated: samples === sizes.C && channels.length > 0,
    sizes,
    order,
    tiffData: data,
    describedPlanes: findChildren(pixels, "Plane").length,
    names: declared.names.map((name) => name === null ? null : detachText(name)),
    warnings: [
      ...declared.warnings,
      ...warnIf(!isFitting, "metadata_disagree", misfit),
      ...warnIf(
        outside > 0,
        "content_left_out",
        `OME-XML places planes outside its sizes (${shape}), which are left out: ${outside}`,
      ),
      ...warnIf(
        outside === 0 && described > 0,
        "metadata_disagree",
        `OME-XML describes planes outside its sizes (${shape}): ${described}`,
      ),
    ],
  };
}

/** The sizes along which planes are counted. @throws {DecodeFailed} they are invalid, or declare too many planes */
function readPlaneCounts(attributes: XmlElement["attributes"]): OmeXmlScene["sizes"] {
  const size = (name: string) => {
    const value = numberOf(attributes[name] ?? "1") ?? NaN;
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new DecodeFailed(`OME-XML declares ${name}="${attributes[name]}"`);
  };
  const sizes = { T: size("SizeT"), C: size("SizeC"), Z: size("SizeZ") };
  const planes = sizes.T * sizes.C * sizes.Z;
  if (planes > MAX_PLANES) {
    throw new DecodeFailed(`OME-XML declares ${planes} planes, more than ${MAX_PLANES}`);
  }
  return sizes;
}

/** Each `TiffData` of an image, and the number of planes that they place outside the sizes. */
function readTiffData(
  pixels: XmlElement,
  { order, sizes }: Pick<OmeXmlScene, "order" | "sizes">,
  placeOf: PlaceOf,
): { data: TiffData[]; outside: number } {
  const planes = sizes.T * sizes.C * sizes.Z;
  let outside = 0;
  const data = findChildren(pixels, "TiffData").map((element): TiffData => {
    const { attributes } = element;
    const integer = (name: string, missing: number, invalid = missing) => {
      const value = name in attributes ? numberOf(attributes[name]) ?? NaN : missing;
      return Number.isSafeInteger(value) && value >= 0 ? value : invalid;
    };
    const counted = attributes.PlaneCount !== undefined;
    // A directory without a count is one plane; without both, the `TiffData` covers all planes (OME-TIFF, TiffData).
    const count = counted || attributes.IFD !== undefined ? integer("PlaneCount", 1) : planes;
    const first = (letter: "T" | "C" | "Z") => integer(`First${letter}`, 0, Infinity);
    const at = { T: first("T"), C: first("C"), Z: first("Z") };
    const [directory, place] = [integer("IFD", 0, Infinity), placeOf(element)];
    const isInside = (["T", "C", "Z"] as const).every((letter) => at[letter] < sizes[letter]);
    if (!isInside || directory === Infinity) {
      outside += counted || attributes.IFD !== undefined ? count : 1;
      const named = directory === Infinity ? { count: 0, directory: 0 } : { count, directory };
      return { first: Infinity, counted, place, ...named };
    }
    const number = numberInOrder(order, sizes, at);
    if (counted) outside += Math.max(0, number + count - planes);
    return { first: number, count, counted, directory, place };
  });
  return { data, outside };
}

/** Number of `Plane` elements whose indices lie outside the sizes. */
function countPlanesOutside(pixels: XmlElement, sizes: OmeXmlScene["sizes"]): number {
  const isOutside = ({ attributes }: XmlElement) =>
    (["T", "C", "Z"] as const).some((letter) => (numberOf(attributes[`The${letter}`]) ?? 0) >= sizes[letter]);
  return findChildren(pixels, "Plane").filter(isOutside).length;
}

/** Number of a plane in the dimension order. */
export function numberInOrder(
  order: OmeXmlScene["order"],
  sizes: OmeXmlScene["sizes"],
  at: Readonly<Record<"T" | "C" | "Z", number>>,
): number {
  return order.reduceRight((number, letter) => number * sizes[letter] + at[letter], 0);
}

/** The document of a TIFF, or of the companion that it names. @throws {DecodeFailed} damaged, missing, or without images */
export function readOmeDocument(opened: OpenedTiff, text: string): Described {
  const own = parseOme(text, "OME-XML");
  if (own.metadataFile === null) {
    return readDeclarations(own.images, opened.path, 0, (most) => opened.tiff.countUpTo(most));
  }
  const folder = dirname(opened.path);
  const path = findNamedFile(opened.files, folder, own.metadataFile) ??
    join(folder, takeLastName(own.metadataFile));
  const companion = readCompanionText(path, opened.files, MAX_XML_BYTES);
  return readDeclarations(
    parseOme(companion.text, `OME-XML in "${basename(path)}"`).images,
    path,
    companion.size,
  );
}

/** The document of an opened companion file. @throws {DecodeFailed} it is not OME-XML, or describes no image */
export function readCompanionDocument(path: string, files: FileAccess): Described {
  const { text, size } = readCompanionFile(files.open(path), path, files, MAX_XML_BYTES);
  return readDeclarations(parseOme(text, "OME-XML").images, path, size);
}

/** Text and size, 0 for a TIFF, of a companion document. @throws {DecodeFailed} missing, not OME-XML, or longer than `most` */
export function readCompanionText(
  path: string,
  files: FileAccess,
  most: number,
): { text: string; size: number } {
  using file = files.openNeighbour(path);
  if (file === null) throw new DecodeFailed(`"${basename(path)}", which holds the metadata, is missing`);
  return readCompanionFile(file, path, files, most);
}

function readCompanionFile(file: ByteSource, path: string, files: FileAccess, most: number) {
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
