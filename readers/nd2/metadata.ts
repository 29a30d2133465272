/** The documents that describe the image, from binary or XML chunks of either generation. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { readChunk } from "./chunk.ts";
import { ATTRIBUTES } from "./chunk_map.ts";
import { parseLite, type VariantBudget, variantBudget } from "./clx_lite.ts";
import { parseXmlVariant, type XmlVariant } from "./clx_xml.ts";
import type { StoredChunks } from "./stored_chunks.ts";
import { EMPTY, unwrapped, type VariantObject } from "./variant.ts";

/** Bytes of one chunk of metadata; pictures of many channels have a megabyte. */
export const MAX_METADATA_BYTES = 32 << 20;

const PICTURE = ["ImageMetadataSeqLV|0!", "ImageMetadataSeq|0!"];
const EXPERIMENT = ["ImageMetadataLV!", "ImageMetadata!"];
const TEXTS = ["ImageTextInfoLV!", "ImageTextInfo!"];

/** What describes the image. */
export interface Metadata {
  /** Size of the frames and of their samples. */
  readonly attributes: VariantObject;
  /** Channels and calibration, of the first frame; empty where the file has none. */
  readonly picture: VariantObject;
  /** Loops; empty where there is a single frame. */
  readonly experiment: VariantObject;
  /** Texts for people. */
  readonly texts: VariantObject;
  /** Documents that are damaged and were left out or are incomplete. */
  readonly warnings: readonly Warning[];
}

/**
 * Reads the documents of the image.
 *
 * @throws {DecodeFailed} attributes, channels or loops are missing or damaged
 */
export function readMetadata(file: ByteSource, chunks: StoredChunks): Metadata {
  const budget = variantBudget();
  const warnings: Warning[] = [];
  const read = (names: readonly string[]): VariantObject | null => {
    const found = chunks.find(names);
    if (found === null) return null;
    const { value, fault } = parseChunk(file, found, budget);
    if (fault !== null) warnings.push(warning("metadata_damaged", `The metadata are truncated: ${fault}`));
    return unwrapped(value);
  };
  const attributes = read(ATTRIBUTES);
  if (attributes === null) throw new DecodeFailed("the attributes of the image are missing");
  const picture = read(PICTURE);
  if (picture === null) {
    warnings.push(warning("metadata_missing", "The file lacks channel names and pixel size"));
  }
  const experiment = read(EXPERIMENT) ?? EMPTY;
  let texts: VariantObject = EMPTY;
  try {
    texts = read(TEXTS) ?? EMPTY;
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    warnings.push(warning("metadata_damaged", `The texts of the file are left out: ${error.message}`));
  }
  return { attributes, picture: picture ?? EMPTY, experiment, texts, warnings };
}

/** Parses a chunk as what it holds. @throws {DecodeFailed} it is damaged, or over a bound */
export function parseChunk(
  file: ByteSource,
  { name, at }: { readonly name: string; readonly at: number },
  budget: VariantBudget,
): XmlVariant {
  const what = `chunk ${quoted(name)}`;
  const bytes = readChunk(file, name, at, MAX_METADATA_BYTES);
  return isXml(bytes)
    ? parseXmlVariant(bytes, what, budget.xml)
    : { value: parseLite(bytes, what, budget), fault: null };
}

/** True for a document in XML: `<`, after the mark of an encoding or none. */
export function isXml(bytes: Uint8Array): boolean {
  const mark = bytes[0] === 0xef ? 3 : bytes[0] === 0xff || bytes[0] === 0xfe ? 2 : 0;
  return bytes[mark] === 0x3c || bytes[mark] === 0 && bytes[mark + 1] === 0x3c;
}
