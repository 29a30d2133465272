/**
 * OME-Zarr 0.1 to 0.5: a Zarr hierarchy (version 2 or 3) in a directory or a ZIP file.
 *
 * The outermost group holds the attributes (`.zattrs`, or `attributes` of `zarr.json`, there under `ome` from 0.5
 * on). `multiscales[0]` lists the axes and the datasets from full resolution down; `datasets[0].path` is the array
 * that is read. Its metadata (`.zarray` or `zarr.json`) give shape, type, chunk grid, codecs and fill value. Chunk
 * (1, 0, 2) is stored under `1.0.2`, `1/0/2` or `c/1/0/2`; an absent chunk has the fill value. A shard is a
 * chunk with an index of inner chunks. `omero.channels` has names and colours. `OME/METADATA.ome.xml` of the
 * bioformats2raw layout has names, pixel sizes, time stamps and the date of acquisition.
 *
 * The series of a bioformats2raw layout and the fields of a plate are scenes; any other image is a single scene.
 *
 * Refused: wells (the message names a field to open instead), groups without an image, versions from 0.6 on, data types
 * other than numbers, unknown codecs, chunk grids, key encodings and metadata fields, chunks that do not decode to
 * their exact length, absent chunks without a fill value, links that leave the store, encrypted ZIP entries.
 */
import { DecodeFailed, isLoss, Unreadable, UnsupportedFormat } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { buildAxes } from "../metadata/axes.ts";
import {
  type Acquisition,
  type Axis,
  type AxisLetter,
  type PlanePlan,
  type Position,
  type RowRange,
  type SceneEntry,
  type Scenes,
  sizesOf,
} from "../reader.ts";
import { lengthOfAxis } from "../metadata/selection.ts";
import { type Warning, warning } from "../warning.ts";
import {
  decodeChunks,
  divideByChunks,
  estimateWorkingMemory,
  isStoredAsIs,
  listWantedChunks,
  noteChunks,
} from "./array_planes.ts";
import { listDocumentKeys, readValue, type Store } from "./hierarchy.ts";
import { type ListedImages, listImages } from "./image_list.ts";
import { type OmeImage, readOmeImage } from "./ome_image.ts";
import type { OpenedStore } from "./opened_store.ts";
import type { PlaneSelection } from "./plane_sink.ts";

/** Number of images of a layout that are read for the list of scenes. */
const MAX_READ_FOR_LIST = 64;

/** Adds the metadata of its collection to an image that may be a member: the first image, unless it belongs to a plate. */
export type ShapeImage = (stored: ZarrImage) => Promise<Acquisition>;

/**
 * The images at a path in a store, as scenes. Each image is read when it is opened.
 *
 * @throws {DecodeFailed | UnsupportedFormat} as {@linkcode listImages} does
 */
export function openImageScenes(opened: OpenedStore, stop: StopFlag, shape: ShapeImage): Scenes {
  const list = listImages(opened);
  const warnings = [...list.warnings];
  /** Entries of scenes that have been opened. */
  const known = new Map<number, SceneEntry>();
  const entryOf = ({ image }: ZarrImage, scene: number): SceneEntry => ({
    name: list.images[scene]!.name ?? image.name,
    sizes: sizesOf(buildServedAxes(image)),
  });
  /** Reads a scene for the list; `null` for damaged scenes, fields of a plate and later images of a layout. */
  const readForList = (scene: number): SceneEntry | null => {
    if (list.kind === "plate" || scene >= MAX_READ_FOR_LIST) return null;
    try {
      return entryOf(readStoredImage(opened, list, scene), scene);
    } catch (error) {
      if (!isLoss(error)) throw error;
      if (error instanceof Unreadable) {
        const message = `The sizes of scene ${scene} cannot be read: ${error.message}`;
        warnings.push(warning("file_unreadable", message));
      }
      return null;
    }
  };
  return {
    count: list.images.length,
    own: 0,
    warnings,
    entries: (most) =>
      list.images.slice(0, most).map(({ name }, scene) =>
        known.get(scene) ?? readForList(scene) ?? { name, sizes: {} }
      ),
    async open(scene) {
      const stored = readStoredImage(opened, list, scene);
      known.set(scene, entryOf(stored, scene));
      const isMember = scene === 0 && list.kind !== "plate";
      const acquisition = isMember ? await shape(stored) : describeZarrImage(stored, stop);
      return { ...acquisition, files: () => listIdentity(opened, list, scene === 0 ? stored : null) };
    },
  };
}

/** Paths that identify the content: the ZIP file, or the documents and the first chunk of the first image. */
function listIdentity(opened: OpenedStore, list: ListedImages, first: ZarrImage | null): string[] {
  const { store, fileSize, shown } = opened;
  if (fileSize !== null) return [shown("")];
  const keys = listDocumentKeys(store, list.path);
  try {
    const { documents, image: { array } } = first ?? readStoredImage(opened, list, 0);
    keys.push(...documents, ...array.chunkKeys(array.shape.map(() => 0)).filter((key) => store.has(key)));
  } catch (error) {
    if (!isLoss(error) || error instanceof Unreadable) throw error;
  }
  return keys.map(shown);
}

/** An image and its store. */
export interface ZarrImage {
  readonly image: OmeImage;
  readonly store: Store;
  /** Size of a ZIP file in bytes; `null` for a directory. */
  readonly fileSize: number | null;
  /** Keys of its metadata documents. */
  readonly documents: readonly string[];
  /** Length of its list of images. */
  readonly listed: number;
}

/** Reads the metadata of one image of a list. @throws {DecodeFailed} */
export function readStoredImage(
  { store, fileSize }: OpenedStore,
  list: ListedImages,
  index: number,
): ZarrImage {
  const listed = list.images[index]!;
  const warnings: Warning[] = [];
  const xml = list.xmlOf(index, warnings);
  const image = readOmeImage(store, listed, xml?.image ?? null, warnings);
  const documents = new Set([
    ...listDocumentKeys(store, list.path),
    ...listDocumentKeys(store, listed.path),
    ...listDocumentKeys(store, image.array.path),
    ...xml === null ? [] : [xml.key],
  ]);
  return { image, store, fileSize, documents: [...documents], listed: list.images.length };
}

/**
 * Reads the image to which a collection's document links: the image at the path, or the first image of a layout.
 *
 * @throws {UnsupportedFormat} the path is that of a plate
 * @throws {ReaderError} the image cannot be opened
 */
export function readLinkedImage(opened: OpenedStore): ZarrImage {
  const list = listImages(opened);
  if (list.kind === "plate") {
    throw new UnsupportedFormat(`"${opened.shown(list.path)}" is a plate, not an image`);
  }
  const stored = readStoredImage(opened, list, 0);
  return { ...stored, image: { ...stored.image, warnings: [...list.warnings, ...stored.image.warnings] } };
}

/** The location of some rows of some planes in an image's array. @param along the axis of the rows */
export function selectPlane(
  { array, axes }: OmeImage,
  channels: readonly number[],
  position: Position,
  rows?: RowRange,
  along: "Y" | "T" = "Y",
): PlaneSelection {
  const axisOf = (letter: AxisLetter) => axes.findIndex((axis) => axis.letter === letter);
  const indices: Partial<Record<AxisLetter, number>> = { T: position.t, Z: position.z, L: position.l };
  const [rowAxis, columnAxis, channelAxis] = [axisOf(along), axisOf("X"), axisOf("C")];
  return {
    rowAxis,
    columnAxis,
    channelAxis: channelAxis < 0 ? null : channelAxis,
    rows: rows ?? { start: 0, end: array.shape[rowAxis]! },
    columns: array.shape[columnAxis]!,
    channels,
    // An axis without a served letter is read at index 0.
    fixed: axes.map(({ letter }) => letter === null ? 0 : indices[letter] ?? 0),
  };
}

/** The served axes of an image. */
export function buildServedAxes({ axes, calibrations }: OmeImage): Axis[] {
  const sizes = Object.fromEntries(axes.flatMap(({ letter, size }) => letter ? [[letter, size]] : []));
  return buildAxes(sizes, calibrations);
}

/** Heap of an image's metadata, of a channel or a time, and of an image in the list of scenes. */
const [IMAGE_BYTES, NAMED_BYTES, LISTED_BYTES] = [64 << 10, 100, 500];

/** The acquisition of an image. */
export function describeZarrImage(stored: ZarrImage, stop: StopFlag): Acquisition {
  const { image, store, fileSize, documents, listed } = stored;
  const { array } = image;
  const named = image.channels.length + (image.stamps?.seconds.length ?? 0);
  const planOf = (selection: PlaneSelection, rows: number): PlanePlan => {
    listWantedChunks(array, selection);
    return {
      rows,
      columns: selection.columns,
      filled: selection.rows,
      warnings: [],
      overwrites: isStoredAsIs(array),
      division: divideByChunks(array, selection),
      working: estimateWorkingMemory({ store, array, selection }),
      ...store.note && { note: (most: number) => noteChunks({ store, array, selection }, most, stop) },
      decode: (planes) => decodeChunks({ store, array, selection }, planes, stop),
    };
  };
  const rows = lengthOfAxis(buildServedAxes(image), "Y");
  return {
    axes: buildServedAxes(image),
    channels: image.channels,
    ...image.moment,
    fileSize,
    reference: null,
    warnings: image.warnings,
    stamps: image.stamps,
    indexBytes: IMAGE_BYTES + NAMED_BYTES * named + LISTED_BYTES * listed + store.indexBytes,
    documents(list) {
      for (const key of documents) {
        const bytes = readValue(store, key, list.left);
        const mediaType = key.endsWith(".xml") ? "application/xml" : "application/json";
        if (bytes !== null) list.add(key, mediaType, decodeUtf8(bytes, key));
      }
    },
    plan: (channels, position, wanted) =>
      Promise.try(() => planOf(selectPlane(image, channels, position, wanted), rows)),
    planLines: (channels, position, lines) =>
      Promise.try(() => planOf(selectPlane(image, channels, position, lines, "T"), lines.end)),
  };
}

/** Decodes UTF-8. @throws {DecodeFailed} */
export function decodeUtf8(bytes: Uint8Array, key: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DecodeFailed(`"${key}" is not UTF-8`, { cause });
  }
}
