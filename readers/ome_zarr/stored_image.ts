/** From a path to the image of a store, and from that to an acquisition. */
import { dirname, join, relative, sep } from "node:path";
import { axesOf } from "../axes.ts";
import { archiveOf } from "../archive_path.ts";
import { NoImage, PathNotFound, quoted } from "../errors.ts";
import { item } from "../item.ts";
import type { FileAccess } from "../random_access.ts";
import {
  type Acquisition,
  type AxisLetter,
  FIRST_POSITION,
  type Position,
  type RowRange,
  type Source,
} from "../reader.ts";
import { decodePlanes, isDivisible, wantedChunks } from "./array_planes.ts";
import { readNode } from "./hierarchy.ts";
import { GROUP_MARKERS } from "./markers.ts";
import { type OmeImage, readOmeImage } from "./ome_image.ts";
import type { PlaneSelection } from "./plane_sink.ts";
import { DirectoryStore, type Store } from "./store.ts";
import { readZipDirectory, zarrFolder } from "./zip_directory.ts";
import { workingMemory } from "./working_memory.ts";
import { ZipStore } from "./zip_store.ts";

/** An image and the store that holds it. */
export interface StoredImage {
  /** What its metadata say. */
  readonly image: OmeImage;
  /** Where its chunks are. */
  readonly store: Store;
  /** Bytes of a ZIP file, `null` for a directory. */
  readonly fileSize: number | null;
}

/**
 * Reads the metadata of an image, and nothing else.
 *
 * @throws {NoImage} a Zarr hierarchy of another kind
 * @throws {DecodeFailed} an image that cannot be read
 * @throws {UnsupportedFormat} a plate or a well
 */
export function readStoredImage({ path, files }: Source): StoredImage {
  const archive = files.kind(path) === "file" ? path : archiveOf(path, files);
  return archive === null ? imageOfDirectory(path, files) : imageOfZip(archive, path, files);
}

function imageOfZip(archive: string, path: string, files: FileAccess): StoredImage {
  const file = files.open(archive);
  const entries = readZipDirectory(file);
  const folder = zarrFolder(entries.keys());
  if (folder === null) throw new NoImage(`the ZIP file holds no Zarr group at its root`);
  const store = new ZipStore(file, entries, folder);
  const inside = relative(archive, path).split(sep).join("/");
  if (inside !== "" && readNode(store, inside) === null) {
    throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such group`);
  }
  const image = readOmeImage(store, inside, (inner) => join(archive, inner));
  return { image, store, fileSize: file.size };
}

function imageOfDirectory(path: string, files: FileAccess): StoredImage {
  const root = outermostGroup(path, files);
  const store = new DirectoryStore(root, files);
  const inside = relative(root, path).split(sep).join("/");
  return { image: readOmeImage(store, inside, (inner) => join(root, inner)), store, fileSize: null };
}

/** Levels that a field lies below its plate, and series below their store. */
const MAX_GROUP_DEPTH = 6;

/** The outermost folder above `path` that is a group with all folders between. */
function outermostGroup(path: string, files: FileAccess): string {
  let root = path;
  for (let level = 0; level < MAX_GROUP_DEPTH; level += 1) {
    const parent = dirname(root);
    if (parent === root || !GROUP_MARKERS.some((name) => files.kind(join(parent, name)) === "file")) break;
    root = parent;
  }
  return root;
}

/** Where some rows of the planes of some channels lie in the array of an image. */
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
    rows: rows ?? { start: 0, end: item(array.shape, rowAxis) },
    columns: item(array.shape, columnAxis),
    channels,
    fixed: axes.map(({ letter }) => indexAt(letter, position)),
  };
}

/** The acquisition of an image. */
export function acquisitionOf({ image, store, fileSize }: StoredImage, files: FileAccess): Acquisition {
  const { array, axes } = image;
  const { rows: { end: rows }, columns } = planeSelection(image, [], FIRST_POSITION);
  const sizes = Object.fromEntries(axes.flatMap(({ letter, size }) => letter ? [[letter, size]] : []));
  return {
    axes: axesOf(sizes, image.calibrations),
    channels: image.channelNames.map((name, index) => ({
      index,
      name,
      sampleType: array.sampleType,
      rows,
      columns,
      color: null,
    })),
    date: image.date,
    time: image.time,
    fileSize,
    reference: null,
    warnings: image.warnings,
    times: null,
    documents: () => [],
    plan(channels, position, wanted) {
      const selection = planeSelection(image, channels, position, wanted);
      wantedChunks(array, selection);
      return Promise.resolve({
        rows,
        columns,
        filled: selection.rows,
        warnings: [],
        divisible: isDivisible(array, selection.channelAxis),
        working: workingMemory(store, array, selection),
        decode: (planes: readonly Float32Array[]) =>
          decodePlanes({ store, array, selection }, planes, files.stop),
      });
    },
  };
}

/** Axes without a served letter stay at their first index. */
function indexAt(letter: AxisLetter | null, { t, z, l }: Position): number {
  return letter === "T" ? t : letter === "Z" ? z : letter === "L" ? l : 0;
}
