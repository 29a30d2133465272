/** The OME-XML of a file: in its description, or in the companion that it names. */
import { basename, dirname, join } from "node:path";
import type { ByteSource } from "../../io/byte_source.ts";
import { DecodeFailed } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { lastNameOf, placesOf } from "../../io/names_inside.ts";
import type { FileAccess } from "../../io/random_access.ts";
import type { DocumentList } from "../../io/document_list.ts";
import { type DescribedImage, describedImages, type OmeDocument, parseOme } from "./ome_xml.ts";
import type { Opened } from "../opened.ts";
import { TAG } from "../tags.ts";
import { decodeText, isOmeXml } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";

/** The images of a document and its file. */
export interface Described {
  /** Images with pixels, in the order of the document. */
  readonly images: readonly DescribedImage[];
  /** The opened file or a companion. */
  readonly path: string;
  /** Bytes of a file without planes, else 0. */
  readonly size: number;
}

/** The document of a TIFF. @throws {DecodeFailed} it is damaged or missing, or describes no image */
export function describe(opened: Opened, text: string): Described {
  const own = parseOme(text, "OME-XML");
  if (own.metadataFile === null) {
    if (own.images.length === 0) throw new DecodeFailed("OME-XML describes no image");
    return { images: describedImages(own), path: opened.path, size: 0 };
  }
  const folder = dirname(opened.path);
  const companion = placesOf(folder, own.metadataFile).find((path) => opened.files.kind(path) === "file") ??
    join(folder, lastNameOf(own.metadataFile));
  const read = readCompanion(opened, companion);
  if (typeof read === "string") {
    throw new DecodeFailed(`The metadata of this file are in "${basename(companion)}", which ${read}`);
  }
  return { images: describedImages(read.document), size: read.size, path: companion };
}

/** The document of an opened companion file. @throws {DecodeFailed} it is not OME-XML, or describes no image */
export function companionDocument(path: string, files: FileAccess): Described {
  const file = files.open(path);
  if (file.size > MAX_XML_BYTES) {
    throw new DecodeFailed(`the document has ${file.size} bytes, more than ${MAX_XML_BYTES}`);
  }
  const text = decodeText(file.read(0, file.size, "the document"));
  if (!isOmeXml(text)) throw new DecodeFailed("the document is not OME-XML");
  const document = parseOme(text, "OME-XML");
  if (document.images.length === 0) throw new DecodeFailed("OME-XML describes no image");
  return { images: describedImages(document), path, size: file.size };
}

/** The document of a companion file, or why it cannot be used. */
function readCompanion(opened: Opened, path: string): { document: OmeDocument; size: number } | string {
  const file = opened.files.openNeighbour(path);
  if (file === null) return "is missing";
  try {
    const { text, tiff } = companionIn(file, opened, MAX_XML_BYTES);
    if (text === undefined || !isOmeXml(text)) return "holds no OME-XML";
    // A TIFF with the metadata is one of the files with planes, which are counted apart.
    return { document: parseOme(text, `OME-XML in "${basename(path)}"`), size: tiff ? 0 : file.size };
  } catch (error) {
    if (error instanceof DecodeFailed) return `cannot be read (${error.message})`;
    throw error;
  } finally {
    file.close();
  }
}

/** The text of a companion file, `undefined` if it has more bytes than `most`, and whether the file is a TIFF. */
function companionIn(file: ByteSource, { files }: Opened, most: number) {
  const head = file.read(0, Math.min(4, file.size), "the start");
  const tiff = head.length === 4 &&
    (head[0] === 0x49 && head[1] === 0x49 || head[0] === 0x4d && head[1] === 0x4d);
  const text = tiff
    ? new TiffFile(file, files).first.texts(TAG.ImageDescription, most).find(isOmeXml)
    : file.size <= most
    ? decodeText(file.read(0, file.size, "the document"))
    : undefined;
  return { text, tiff };
}

/** Adds the document of a companion file. @throws {DecodeFailed} it is missing, or has too many bytes */
export function addCompanion(list: DocumentList, opened: Opened, path: string): void {
  const file = opened.files.openNeighbour(path);
  if (file === null) throw new DecodeFailed(`"${basename(path)}", which holds the metadata, is missing`);
  try {
    const { text } = companionIn(file, opened, list.left);
    if (text === undefined) throw new DecodeFailed(`"${basename(path)}" has more than ${list.left} bytes`);
    list.add(basename(path), "application/xml", text);
  } finally {
    file.close();
  }
}
