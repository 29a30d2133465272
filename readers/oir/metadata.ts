/** Documents of a whole acquisition: the last image properties, completed from the first, and other documents. */
import type { StopFlag } from "../io/stop_flag.ts";
import { BLACK, NAMED_COLORS } from "../metadata/channels.ts";
import { warning } from "../warning.ts";
import { DocumentParser, findDefinedSize, type ImageSize, type StoredDocument } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";
import {
  type CameraChannels,
  type ImageProperties,
  listSeriesIntervals,
  mergeProperties,
  NO_PROPERTIES,
  readCameraChannels,
  readImageProperties,
} from "./image_properties.ts";

/** Content of the documents of an acquisition. */
export interface OirMetadata {
  readonly properties: ImageProperties;
  /** Sizes from image definition documents, which describe the reference image. */
  readonly definitions: readonly ImageSize[];
  /** Channels of the camera that took the reference image. */
  readonly camera: CameraChannels;
  /** `#rrggbb` of the channels, by id, if their lookup tables have a colour. */
  readonly colors: ReadonlyMap<string, string>;
  /** Series intervals in channel documents, in milliseconds. */
  readonly channelIntervals: () => number[];
}

/** Reads the metadata up to the first file with image properties, each kind of document from the first file that has it. */
export function readOirMetadata(scans: readonly FileScan[], parser: DocumentParser): OirMetadata {
  const documents: StoredDocument[] = [];
  let properties: ImageProperties | null = null;
  for (const scan of scans) {
    const known = new Set(documents.map(({ kind }) => kind));
    const found = parser.wantedIn(scan);
    documents.push(...found.filter(({ kind }) => !known.has(kind)));
    properties = readProperties(found, parser);
    if (properties !== null) break;
  }
  if (properties === null) {
    const text = "The file has no readable image properties: channel names, calibration and date are unknown";
    parser.warnings.push(warning("metadata_missing", text));
  }
  const of = (kind: string) => documents.filter((document) => document.kind === kind);
  return {
    properties: properties ?? NO_PROPERTIES,
    definitions: parser.parseAll(of("imageDefinition")).map(findDefinedSize).filter((size) => size !== null),
    camera: readCameraChannels(parser.parseAll(of("camera"))),
    // If a channel has several tables, the first with a colour counts.
    colors: new Map(
      of("LUT").toReversed().flatMap(({ channel, bytes }) => {
        const color = channel ? chooseColor(bytes) : null;
        return channel && color !== null ? [[channel, color]] : [];
      }),
    ),
    channelIntervals: () => parser.parseAll(of("lsmChannel")).flatMap(listSeriesIntervals),
  };
}

/** Creation date in the image properties of a file, or `null`. @throws {Stopped} */
export function readCreation(scan: FileScan, stop: StopFlag): string | null {
  const parser = new DocumentParser(stop);
  return readProperties(parser.wantedIn(scan), parser)?.created ?? null;
}

/** The last copy of the image properties, completed from the first, as far as they can be parsed. */
function readProperties(
  documents: readonly StoredDocument[],
  parser: DocumentParser,
): ImageProperties | null {
  const copies = documents.filter(({ kind }) => kind === "imageProperties").sort((a, b) =>
    b.offset - a.offset
  );
  const [last, first] = parser.parseAll([...new Set([...copies.slice(0, 1), ...copies.slice(-1)])])
    .map(readImageProperties);
  return last && first ? mergeProperties(first, last) : last ?? null;
}

/** Matches the last entry of a table, eight hexadecimal digits RRGGBB00, before its end tag. */
const LAST_ENTRY = /([0-9a-f]{6})[0-9a-f]{2}\s*<\/(?:[\w.-]+:)?data\s*>/i;

const TABLE_NAME = /<(?:[\w.-]+:)?name>\s*([a-z]+)\s*</i;

/** Number of bytes to search at the start and at the end of a table, which has half a megabyte. */
const SEARCHED_BYTES = 4096;

/** The colour of the largest sample, or else the colour that is the table's name. */
function chooseColor(table: Uint8Array): string | null {
  const latin1 = new TextDecoder("latin1");
  const digits = LAST_ENTRY.exec(latin1.decode(table.subarray(-SEARCHED_BYTES)))?.[1];
  if (digits !== undefined) {
    const color = `#${digits.toLowerCase()}`;
    return color === BLACK ? null : color;
  }
  const name = TABLE_NAME.exec(latin1.decode(table.subarray(0, SEARCHED_BYTES)))?.[1];
  return NAMED_COLORS.get(name?.toLowerCase() ?? "") ?? null;
}
