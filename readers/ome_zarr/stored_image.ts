/** An image of a store as an acquisition. */
import { axesOf } from "../metadata/axes.ts";
import type { DocumentList } from "../io/document_list.ts";
import { DecodeFailed, UnsupportedFormat } from "../errors.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import {
  type Acquisition,
  type Axis,
  type AxisLetter,
  FIRST_POSITION,
  type Position,
  type RowRange,
} from "../reader.ts";
import type { Warning } from "../warning.ts";
import { decodePlanes, divisionOf, isStoredAsIs, wantedChunks, workingMemory } from "./array_planes.ts";
import { documentKeys } from "./hierarchy.ts";
import { type ImageList, imageList } from "./image_list.ts";
import { type OmeImage, readOmeImage } from "./ome_image.ts";
import type { OpenedStore } from "./opened_store.ts";
import type { PlaneSelection } from "./plane_sink.ts";
import { readValue, type Store } from "./store.ts";

/** An image and its store. */
export interface StoredImage {
  /** Its metadata. */
  readonly image: OmeImage;
  /** Holds its chunks. */
  readonly store: Store;
  /** Bytes of a ZIP file, `null` for a directory. */
  readonly fileSize: number | null;
  /** Keys of its metadata documents. */
  readonly documents: readonly string[];
  /** Length of the list of images that it belongs to. */
  readonly listed: number;
}

/** Reads the metadata of one image of a list. @throws {DecodeFailed} */
export function readStoredImage(
  { store, fileSize }: OpenedStore,
  list: ImageList,
  index: number,
): StoredImage {
  const listed = list.images[index]!;
  const warnings: Warning[] = [];
  const xml = list.xmlOf(index, warnings);
  const image = readOmeImage(store, listed, xml?.image ?? null, warnings);
  const documents = new Set([
    ...documentKeys(store, list.path),
    ...documentKeys(store, listed.path),
    ...documentKeys(store, image.array.path),
    ...xml === null ? [] : [xml.key],
  ]);
  return { image, store, fileSize, documents: [...documents], listed: list.images.length };
}

/**
 * Reads the image that a document of a collection links to: the one that was opened, or the first of a layout.
 *
 * @throws {UnsupportedFormat} a plate
 * @throws {ReaderError} it cannot be opened
 */
export function readLinkedImage(opened: OpenedStore): StoredImage {
  const list = imageList(opened);
  if (list.kind === "plate") {
    throw new UnsupportedFormat(`"${opened.shown(list.path)}" is a plate, not an image`);
  }
  const stored = readStoredImage(opened, list, 0);
  return { ...stored, image: { ...stored.image, warnings: [...list.warnings, ...stored.image.warnings] } };
}

/** The place of some rows of some planes in the array of an image. */
export function planeSelection(
  { array, axes }: OmeImage,
  channels: readonly number[],
  position: Position,
  rows?: RowRange,
): PlaneSelection {
  const axisOf = (letter: AxisLetter) => axes.findIndex((axis) => axis.letter === letter);
  const [rowAxis, columnAxis, channelAxis] = [axisOf("Y"), axisOf("X"), axisOf("C")];
  return {
    rowAxis,
    columnAxis,
    channelAxis: channelAxis < 0 ? null : channelAxis,
    rows: rows ?? { start: 0, end: array.shape[rowAxis]! },
    columns: array.shape[columnAxis]!,
    channels,
    fixed: axes.map(({ letter }) => indexAt(letter, position)),
  };
}

/** The served axes of an image. */
export function servedAxes({ axes, calibrations }: OmeImage): Axis[] {
  const sizes = Object.fromEntries(axes.flatMap(({ letter, size }) => letter ? [[letter, size]] : []));
  return axesOf(sizes, calibrations);
}

/** The acquisition of an image. */
export function acquisitionOf(stored: StoredImage, stop: StopFlag): Acquisition {
  const { image, store, fileSize } = stored;
  const { array } = image;
  const { rows: { end: rows }, columns } = planeSelection(image, [], FIRST_POSITION);
  const axes = servedAxes(image);
  const lines = axes.find(({ name }) => name === "Y");
  return {
    axes,
    lineScan: lines?.unit === "seconds" ? lineScanOf(lines) : null,
    channels: image.channelNames.map((name, index) => ({
      index,
      name,
      sampleType: array.sampleType,
      rows,
      columns,
      color: image.colors[index] ?? null,
    })),
    date: image.date,
    time: image.time,
    fileSize,
    reference: null,
    warnings: image.warnings,
    times: image.times,
    indexBytes: indexBytes(stored),
    documents: (list) => addDocuments(list, stored),
    plan(channels, position, wanted) {
      const selection = planeSelection(image, channels, position, wanted);
      wantedChunks(array, selection);
      store.forget?.();
      return Promise.resolve({
        rows,
        columns,
        filled: selection.rows,
        warnings: [],
        overwrites: isStoredAsIs(array),
        division: divisionOf(array, selection),
        working: workingMemory({ store, array, selection }),
        decode: (planes) => decodePlanes({ store, array, selection }, planes, stop),
      });
    },
  };
}

/** Axes without a served letter are read at index 0. */
function indexAt(letter: AxisLetter | null, { t, z, l }: Position): number {
  return letter === "T" ? t : letter === "Z" ? z : letter === "L" ? l : 0;
}

/** Heap of the metadata of one image with the folders above it. */
const IMAGE_BYTES = 64 << 10;

/** Heap of the name and colour of a channel, or of the time of a plane. */
const NAMED_BYTES = 100;

/** Heap of one image in the list of scenes. */
const LISTED_BYTES = 500;

/** Memory that an open image keeps. */
function indexBytes({ image, store, listed }: StoredImage): number {
  const named = image.channelNames.length + (image.times?.length ?? 0);
  return IMAGE_BYTES + NAMED_BYTES * named + LISTED_BYTES * listed + store.indexBytes;
}

function addDocuments(list: DocumentList, { store, documents }: StoredImage): void {
  for (const key of documents) {
    const bytes = readValue(store, key, list.left);
    const mediaType = key.endsWith(".xml") ? "application/xml" : "application/json";
    if (bytes !== null) list.add(key, mediaType, textOf(bytes, key));
  }
}

/** UTF-8 as text. @throws {DecodeFailed} */
export function textOf(bytes: Uint8Array, key: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DecodeFailed(`"${key}" is not UTF-8`, { cause });
  }
}
