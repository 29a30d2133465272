/** Documents of a whole acquisition: the last image properties, completed from the first, and other documents. */
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { BLACK, NAMED_COLORS } from "../metadata/channels.ts";
import type { XmlElement } from "../metadata/xml.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import {
  definedSize,
  type DocumentParser,
  type ImageSize,
  readDocuments,
  type StoredDocument,
} from "./documents.ts";
import type { FileScan } from "./file_scan.ts";
import {
  type CameraChannels,
  cameraChannels,
  type ImageProperties,
  imageProperties,
  mergeProperties,
  NO_PROPERTIES,
  seriesIntervals,
} from "./image_properties.ts";

/** Largest number of bytes of document blocks to search; files have two blocks of a few MB. */
const MAX_SEARCHED_BYTES = 128 << 20;

/** Largest number of documents of a file that are kept; usual are a few per channel. */
const MAX_KEPT = 5000;

/** Roots of the documents to read. `imageDefinition` contains the size of a reference image. */
const WANTED = new Set(["imageProperties", "imageDefinition", "camera", "lsmChannel", "LUT"]);

/** Kind of a document: one of {@linkcode WANTED}, or another root. */
const kindOf = ({ root, name }: StoredDocument): string => root.startsWith("cameraimage:") ? "camera" : name;

/** Content of the documents of an acquisition. */
export interface Metadata {
  /** The last copy of the image properties, completed from the first. */
  readonly properties: ImageProperties;
  /** Sizes from image definition documents, which describe the reference image. */
  readonly definitions: readonly ImageSize[];
  /** Channels of the camera that took the reference image. */
  readonly camera: CameraChannels;
  /** `#rrggbb` of the channels, by id, if their lookup tables have a colour. */
  readonly colors: ReadonlyMap<string, string>;
  /** Returns the series intervals in channel documents, in milliseconds. */
  readonly channelIntervals: () => number[];
  readonly warnings: readonly Warning[];
}

/**
 * Reads the metadata up to the first file with image properties, which continuation files may repeat. Each kind of document
 * comes from the first file that has it.
 *
 * @throws {Stopped}
 */
export function readMetadata(scans: readonly FileScan[], parser: DocumentParser, stop: StopFlag): Metadata {
  const reading = new Reading(parser, stop);
  const documents: StoredDocument[] = [];
  let properties: ImageProperties | null = null;
  for (const scan of scans) {
    const known = new Set(documents.map(kindOf));
    const found = reading.documentsOf(scan);
    documents.push(...found.filter((document) => !known.has(kindOf(document))));
    properties = reading.propertiesIn(found);
    if (properties !== null || reading.exhausted) break;
  }
  if (properties === null) {
    const text = "The file has no readable image properties: channel names, calibration and date are unknown";
    reading.warnings.push(warning("metadata_missing", text));
  }
  const parsed = (kind: string) => reading.parseAll(documents.filter((one) => kindOf(one) === kind));
  return {
    properties: properties ?? NO_PROPERTIES,
    definitions: parsed("imageDefinition").map(definedSize).filter((size) => size !== null),
    camera: cameraChannels(parsed("camera")),
    colors: tableColors(documents.filter((one) => kindOf(one) === "LUT")),
    channelIntervals: () => parsed("lsmChannel").flatMap(seriesIntervals),
    warnings: reading.warnings,
  };
}

/** Creation date in the image properties of a file, or `null`. @throws {Stopped} */
export function creationOf(scan: FileScan, parser: DocumentParser, stop: StopFlag): string | null {
  const reading = new Reading(parser, stop);
  return reading.propertiesIn(reading.documentsOf(scan))?.created ?? null;
}

/** Reads documents within limits. An unreadable document counts as missing and causes a warning. */
class Reading {
  readonly warnings: Warning[] = [];
  readonly #parser: DocumentParser;
  readonly #stop: StopFlag;
  #bytesLeft = MAX_SEARCHED_BYTES;

  constructor(parser: DocumentParser, stop: StopFlag) {
    this.#parser = parser;
    this.#stop = stop;
  }

  /** True if the search has reached its limit. */
  get exhausted(): boolean {
    return this.#bytesLeft <= 0;
  }

  /** The wanted documents of a file; those of its last block come first. */
  documentsOf(scan: FileScan): StoredDocument[] {
    const found: StoredDocument[] = [];
    for (const block of scan.documents.toReversed()) {
      if (this.exhausted) break;
      this.#stop.check();
      this.#bytesLeft -= block.length;
      const documents = this.#unlessDamaged(() => readDocuments(scan.file, block)) ?? [];
      const wanted = documents.filter((document) => WANTED.has(kindOf(document)));
      found.push(...wanted.slice(0, MAX_KEPT - found.length));
    }
    return found;
  }

  /** The last copy of the image properties, completed from the first, as far as they can be parsed. */
  propertiesIn(documents: readonly StoredDocument[]): ImageProperties | null {
    const copies = documents.filter((document) => kindOf(document) === "imageProperties")
      .sort((a, b) => b.offset - a.offset);
    const [last, first] = this.parseAll([...new Set([...copies.slice(0, 1), ...copies.slice(-1)])])
      .map(imageProperties);
    return last && first ? mergeProperties(first, last) : last ?? null;
  }

  parseAll(documents: readonly StoredDocument[]): XmlElement[] {
    return documents.flatMap((document) => {
      this.#stop.check();
      return this.#unlessDamaged(() => this.#parser.parse(document)) ?? [];
    });
  }

  #unlessDamaged<T>(read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      const text = `A metadata document is left out: ${error.message}`;
      addWarning(this.warnings, warning("metadata_damaged", text));
      return null;
    }
  }
}

/** Matches the last entry of a table, eight hexadecimal digits RRGGBB00, before its end tag. */
const LAST_ENTRY = /([0-9a-f]{6})[0-9a-f]{2}\s*<\/(?:[\w.-]+:)?data\s*>/i;

/** Matches the name of a table. */
const NAME = /<(?:[\w.-]+:)?name>\s*([a-z]+)\s*</i;

/** Number of bytes to search at the start and at the end of a table, which has half a megabyte. */
const SEARCHED_BYTES = 4096;

/**
 * `#rrggbb` of the channels, by id: the colour of the largest sample, or else the colour that is the table's name. If a channel
 * has several tables, the first with a colour counts.
 */
function tableColors(tables: readonly StoredDocument[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  for (const table of tables) {
    const { channel = null } = table;
    const color = channel === null || colors.has(channel) ? null : colorOf(table);
    if (channel !== null && color !== null) colors.set(channel, color);
  }
  return colors;
}

function colorOf({ bytes }: StoredDocument): string | null {
  const latin1 = new TextDecoder("latin1");
  const digits = LAST_ENTRY.exec(latin1.decode(bytes.subarray(-SEARCHED_BYTES)))?.[1];
  if (digits !== undefined) {
    const color = `#${digits.toLowerCase()}`;
    return color === BLACK ? null : color;
  }
  const name = NAME.exec(latin1.decode(bytes.subarray(0, SEARCHED_BYTES)))?.[1];
  return NAMED_COLORS.get(name?.toLowerCase() ?? "") ?? null;
}
