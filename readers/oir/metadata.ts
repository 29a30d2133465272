/** Documents of a whole acquisition: the last image properties, completed from the first, and what else counts. */
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../stop_flag.ts";
import type { XmlElement } from "../xml.ts";
import { type CameraChannels, cameraChannels } from "./camera_channels.ts";
import { parseDocument, readDocuments, type StoredDocument } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";
import { definedSize } from "./frame_documents.ts";
import {
  type ImageProperties,
  imageProperties,
  mergeProperties,
  NO_PROPERTIES,
  seriesIntervals,
} from "./image_properties.ts";
import type { ImageSize } from "./reference_image.ts";

/** Documents blocks looked through from either end; files have two. */
const MAX_BLOCKS_SEARCHED = 8;

/** What the documents of an acquisition say. */
export interface Metadata {
  readonly properties: ImageProperties;
  /** Sizes from image definition documents, which describe the reference image. */
  readonly definitions: readonly ImageSize[];
  readonly camera: CameraChannels;
  /** Series intervals in channel documents, in milliseconds. */
  readonly channelIntervals: () => number[];
  readonly warnings: readonly string[];
}

/** Reads the metadata of the first file that has image properties. @throws {Stopped} */
export function readMetadata(scans: readonly FileScan[], stop: StopFlag): Metadata {
  const warnings: string[] = [];
  for (const scan of scans) {
    const found = propertiesOf(scan, warnings, stop);
    if (found) return { ...found, warnings };
  }
  const camera = scans.flatMap((scan) => blockDocuments(scan, scan.documents.length - 1, warnings));
  warnings.push("The file has no readable image properties: channel names, calibration and date are unknown");
  return { properties: NO_PROPERTIES, ...besides(camera, warnings), warnings };
}

function propertiesOf(scan: FileScan, warnings: string[], stop: StopFlag): Omit<Metadata, "warnings"> | null {
  const count = scan.documents.length;
  const search = (blocks: readonly number[]) => {
    for (const index of blocks.slice(0, MAX_BLOCKS_SEARCHED)) {
      stop.check();
      const documents = blockDocuments(scan, index, warnings);
      const roots = parseAll(documents.filter((d) => d.name === "imageProperties"), warnings);
      if (roots.length > 0) return { index, documents, roots };
    }
    return null;
  };
  const indices = [...scan.documents.keys()];
  const last = search(indices.slice(-MAX_BLOCKS_SEARCHED).reverse());
  if (last === null && count <= MAX_BLOCKS_SEARCHED) return null;
  const first = last?.index === 0 ? last : search(indices);
  const [from, to] = [first ?? last, last ?? first];
  if (!from || !to) return null;
  const properties = mergeProperties(imageProperties(from.roots[0]!), imageProperties(to.roots.at(-1)!));
  const documents = from === to ? to.documents : [...to.documents, ...from.documents];
  return { properties, ...besides(documents, warnings) };
}

function besides(
  documents: readonly StoredDocument[],
  warnings: string[],
): Omit<Metadata, "warnings" | "properties"> {
  const named = (wanted: (document: StoredDocument) => boolean) =>
    parseAll(documents.filter(wanted), warnings);
  return {
    definitions: named((d) => d.name === "imageDefinition").map(definedSize).filter((size) => size !== null),
    camera: cameraChannels(named((d) => d.root.startsWith("cameraimage:"))),
    channelIntervals: () => named((d) => d.name === "lsmChannel").flatMap(seriesIntervals),
  };
}

function blockDocuments(scan: FileScan, index: number, warnings: string[]): StoredDocument[] {
  const block = scan.documents[index];
  return block ? unlessDamaged(() => readDocuments(scan.file, block), warnings) ?? [] : [];
}

function parseAll(documents: readonly StoredDocument[], warnings: string[]): XmlElement[] {
  return documents.flatMap((document) => unlessDamaged(() => [parseDocument(document)], warnings) ?? []);
}

/** Documents that cannot be read count as missing, and the user is told. */
function unlessDamaged<T>(read: () => T, warnings: string[]): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    const warning = `A metadata document is left out: ${error.message}`;
    if (warnings.length < 10 && !warnings.includes(warning)) warnings.push(warning);
    return null;
  }
}
