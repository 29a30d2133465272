/** Documents of a whole acquisition: the last image properties, completed from the first, and what else counts. */
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { BLACK, NAMED_COLORS } from "../metadata/channels.ts";
import type { XmlElement } from "../metadata/xml.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import { type CameraChannels, cameraChannels } from "./described_channels.ts";
import {
  definedSize,
  type DocumentParser,
  type ImageSize,
  readDocuments,
  type StoredDocument,
} from "./documents.ts";
import type { FileScan } from "./file_scan.ts";
import {
  type ImageProperties,
  imageProperties,
  mergeProperties,
  NO_PROPERTIES,
  seriesIntervals,
} from "./image_properties.ts";

/** Bytes of documents blocks that are searched; files have two of a few MB. */
const MAX_SEARCHED_BYTES = 128 << 20;

/** Documents of one kind that are kept, and parsed; there is one per channel. */
const MAX_OF_A_KIND = 1000;

/** Kinds of documents that are read. */
const KINDS = {
  properties: ({ name }: StoredDocument) => name === "imageProperties",
  /** Size of a reference image. */
  definition: ({ name }: StoredDocument) => name === "imageDefinition",
  camera: ({ root }: StoredDocument) => root.startsWith("cameraimage:"),
  channel: ({ name }: StoredDocument) => name === "lsmChannel",
  table: ({ name }: StoredDocument) => name === "LUT",
};
type Kind = keyof typeof KINDS;
const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** Documents by kind, those of the last block first. */
type Catalog = Record<Kind, StoredDocument[]>;

/** Content of the documents of an acquisition. */
export interface Metadata {
  /** The last copy of the image properties, completed from the first. */
  readonly properties: ImageProperties;
  /** Sizes from image definition documents, which describe the reference image. */
  readonly definitions: readonly ImageSize[];
  /** Channels of the camera that took the reference image. */
  readonly camera: CameraChannels;
  /** `#rrggbb` of the channels by id, where their lookup tables have one. */
  readonly colors: ReadonlyMap<string, string>;
  /** Series intervals in channel documents, in milliseconds. */
  readonly channelIntervals: () => number[];
  /** Warnings about the metadata. */
  readonly warnings: readonly Warning[];
}

/**
 * Reads the metadata up to the first file with image properties, which continuation files may repeat. Each kind of document
 * is taken from the first file that has any.
 *
 * @throws {Stopped}
 */
export function readMetadata(scans: readonly FileScan[], parser: DocumentParser, stop: StopFlag): Metadata {
  const reading = new Reading(parser, stop);
  const found: Catalog = { properties: [], definition: [], camera: [], channel: [], table: [] };
  let copies: readonly ImageProperties[] = [];
  for (const scan of scans) {
    const catalog = reading.catalogOf(scan);
    for (const kind of ALL_KINDS) if (found[kind].length === 0) found[kind] = catalog[kind];
    copies = reading.copies(catalog.properties);
    if (copies.length > 0 || reading.exhausted) break;
  }
  if (copies.length === 0) {
    reading.warnings.push(
      warning(
        "metadata_missing",
        "The file has no readable image properties: channel names, calibration and date are unknown",
      ),
    );
  }
  return {
    properties: merged(copies) ?? NO_PROPERTIES,
    definitions: reading.parseAll(found.definition).map(definedSize).filter((size) => size !== null),
    camera: cameraChannels(reading.parseAll(found.camera)),
    colors: tableColors(found.table),
    channelIntervals: () => reading.parseAll(found.channel).flatMap(seriesIntervals),
    warnings: reading.warnings,
  };
}

/** Creation date in the image properties of a file, or `null`. @throws {Stopped} */
export function creationOf(scan: FileScan, parser: DocumentParser, stop: StopFlag): string | null {
  const reading = new Reading(parser, stop);
  return merged(reading.copies(reading.catalogOf(scan).properties))?.created ?? null;
}

/** The last copy, completed from the first. */
const merged = ([last, first]: readonly ImageProperties[]): ImageProperties | null =>
  last && first ? mergeProperties(first, last) : last ?? null;

/** Reads within bounds; an unreadable document counts as missing, with a warning. */
class Reading {
  readonly warnings: Warning[] = [];
  readonly #parser: DocumentParser;
  readonly #stop: StopFlag;
  #bytesLeft = MAX_SEARCHED_BYTES;

  constructor(parser: DocumentParser, stop: StopFlag) {
    this.#parser = parser;
    this.#stop = stop;
  }

  /** True when the search has reached its bound. */
  get exhausted(): boolean {
    return this.#bytesLeft <= 0;
  }

  /** Documents of a file, those of the last block first. */
  catalogOf(scan: FileScan): Catalog {
    const catalog: Catalog = { properties: [], definition: [], camera: [], channel: [], table: [] };
    for (const block of scan.documents.toReversed()) {
      if (this.exhausted) break;
      this.#stop.check();
      this.#bytesLeft -= block.length;
      const documents = this.#unlessDamaged(() => readDocuments(scan.file, block)) ?? [];
      for (const kind of ALL_KINDS) {
        const room = MAX_OF_A_KIND - catalog[kind].length;
        catalog[kind].push(...documents.filter(KINDS[kind]).slice(0, room));
      }
    }
    return catalog;
  }

  /** The last copy and the first one, as far as they can be parsed. */
  copies(copies: readonly StoredDocument[]): ImageProperties[] {
    const ordered = copies.toSorted((a, b) => b.offset - a.offset);
    return this.parseAll([...new Set([...ordered.slice(0, 1), ...ordered.slice(-1)])]).map(imageProperties);
  }

  parseAll(documents: readonly StoredDocument[]): XmlElement[] {
    return documents.flatMap((document) => this.#parse(document) ?? []);
  }

  #parse(document: StoredDocument): XmlElement | null {
    this.#stop.check();
    return this.#unlessDamaged(() => this.#parser.parse(document));
  }

  #unlessDamaged<T>(read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      addWarning(
        this.warnings,
        warning("metadata_damaged", `A metadata document is left out: ${error.message}`),
      );
      return null;
    }
  }
}

/** The last entry of a table, of eight hexadecimal digits, RRGGBB00, before its end tag. */
const LAST_ENTRY = /([0-9a-f]{6})[0-9a-f]{2}\s*<\/(?:[\w.-]+:)?data\s*>/i;

/** Name of a table. */
const NAME = /<(?:[\w.-]+:)?name>\s*([a-z]+)\s*</i;

/** Bytes at the start and at the end of a table that are searched; all its entries have half a megabyte. */
const SEARCHED_BYTES = 4096;

/**
 * `#rrggbb` of the channels by id: the colour of the largest sample, or else that of the name of the table. Of several
 * tables of a channel the first with a colour counts.
 */
export function tableColors(tables: readonly StoredDocument[]): ReadonlyMap<string, string> {
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
  const tail = latin1.decode(bytes.subarray(-SEARCHED_BYTES));
  const digits = LAST_ENTRY.exec(tail)?.[1];
  if (digits !== undefined) {
    const color = `#${digits.toLowerCase()}`;
    return color === BLACK ? null : color;
  }
  const head = latin1.decode(bytes.subarray(0, SEARCHED_BYTES));
  return NAMED_COLORS.get(NAME.exec(head)?.[1]?.toLowerCase() ?? "") ?? null;
}
