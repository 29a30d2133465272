/**
 * OME-Zarr 0.1 to 0.5: a Zarr hierarchy (version 2 or 3) in a directory or a ZIP file.
 *
 * The outermost group holds the attributes (`.zattrs`, or `attributes` of `zarr.json`, there under `ome` from 0.5
 * on). `multiscales[0]` names the axes and the datasets from full resolution down; `datasets[0].path` is the array
 * that is read. Its metadata (`.zarray` or `zarr.json`) give shape, type, chunk grid, codecs and fill value; chunk
 * (1, 0, 2) lies under `1.0.2`, `1/0/2` or `c/1/0/2`, and an absent one stands for the fill value. A shard is a
 * chunk with an index of inner chunks. `omero.channels` has names; `OME/METADATA.ome.xml` of the bioformats2raw
 * layout (first series) names, pixel sizes and the date of acquisition.
 *
 * Refused: plates and wells (a field is opened instead), groups without an image, versions from 0.6 on, data types
 * that are no number, unknown codecs, chunk grids, key encodings and metadata fields, chunks that do not decode to
 * their exact length, absent chunks without a fill value, links that leave the store, encrypted ZIP entries.
 */
import { basename, dirname, join, relative, sep } from "node:path";
import { axesOf } from "../axes.ts";
import { UnsupportedFormat } from "../errors.ts";
import type { FileAccess } from "../random_access.ts";
import {
  type Acquisition,
  type AxisLetter,
  type OpenAcquisition,
  type Position,
  type Source,
} from "../reader.ts";
import { extensionOf, STORE_MARKERS } from "../registry.ts";
import { decodePlanes, wantedChunks } from "./array_planes.ts";
import { NoImage, type OmeImage, readOmeImage } from "./ome_image.ts";
import type { PlaneSelection } from "./plane_sink.ts";
import { DirectoryStore, type Store } from "./store.ts";
import { readZipDirectory, zarrFolder } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

/** An image and the store that holds it. */
export interface StoredImage {
  readonly image: OmeImage;
  readonly store: Store;
  /** Bytes of a ZIP file, `null` for a directory. */
  readonly fileSize: number | null;
}

/** Opens the image of a directory or ZIP store. */
export const open: OpenAcquisition = (source) => {
  try {
    return Promise.resolve(acquisitionOf(readStoredImage(source), source.files));
  } catch (error) {
    return Promise.reject(error);
  }
};

/** Reads the metadata of an image, and nothing else. @throws as {@linkcode open} does */
export function readStoredImage(source: Source): StoredImage {
  const { path, files } = source;
  if (files.kind(path) === "file") {
    const file = files.open(path);
    const entries = readZipDirectory(file);
    const folder = zarrFolder(entries.keys());
    if (folder === null) throw new NoImage(`the ZIP file holds no Zarr group at its root`);
    const store = new ZipStore(file, entries, folder);
    const image = readOmeImage(
      store,
      "",
      (inner) => inner === "" ? basename(path) : `${basename(path)}/${inner}`,
    );
    return { image, store, fileSize: file.size };
  }
  const root = outermostGroup(path, files);
  const store = new DirectoryStore(root, files);
  try {
    const image = readOmeImage(
      store,
      relative(root, path).split(sep).join("/"),
      (inner) => join(root, inner),
    );
    return { image, store, fileSize: null };
  } catch (error) {
    // A folder that only happens to be a Zarr group is of no known format; one that calls itself an image is damaged.
    if (error instanceof NoImage && extensionOf(path) === null) {
      throw new UnsupportedFormat(error.message, { cause: error });
    }
    throw error;
  }
}

/** Levels that a field lies below its plate, and series below their store. */
const MAX_GROUP_DEPTH = 6;

/** The outermost folder above `path` that is a group with all folders between. */
function outermostGroup(path: string, files: FileAccess): string {
  let root = path;
  for (let level = 0; level < MAX_GROUP_DEPTH; level += 1) {
    const parent = dirname(root);
    if (parent === root || !STORE_MARKERS.some((name) => files.kind(join(parent, name)) === "file")) break;
    root = parent;
  }
  return root;
}

/** The acquisition of an image. */
export function acquisitionOf({ image, store, fileSize }: StoredImage, files: FileAccess): Acquisition {
  const { array, axes } = image;
  const axisOf = (letter: AxisLetter) => axes.findIndex((axis) => axis.letter === letter);
  const [rowAxis, columnAxis, channelAxis] = [axisOf("Y"), axisOf("X"), axisOf("C")];
  const rows = array.shape[rowAxis]!;
  const columns = array.shape[columnAxis]!;
  const sizes = Object.fromEntries(
    axes.filter((axis) => axis.letter).map((axis) => [axis.letter!, axis.size]),
  );
  return {
    axes: axesOf(sizes, image.calibrations),
    channels: image.channelNames.map((name, index) => ({
      index,
      name,
      sampleType: array.sampleType,
      rows,
      columns,
    })),
    date: image.date,
    time: image.time,
    fileSize,
    reference: null,
    warnings: image.warnings,
    plan(channels, position) {
      const selection: PlaneSelection = {
        rowAxis,
        columnAxis,
        channelAxis: channelAxis < 0 ? null : channelAxis,
        rows,
        columns,
        channels,
        fixed: axes.map(({ letter }) => indexAt(letter, position)),
      };
      wantedChunks(array, selection);
      return Promise.resolve({
        rows,
        columns,
        warnings: [],
        decode: (planes: readonly Float32Array[]) =>
          decodePlanes(store, array, selection, planes, files.stop),
      });
    },
  };
}

const indexAt = (letter: AxisLetter | null, position: Position): number =>
  letter === "T" ? position.time : letter === "Z" ? position.focus : 0;
