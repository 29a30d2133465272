/**
 * NDTiff of Micro-Manager 2 and Pycro-Manager.
 *
 *   NDTiff.index            per image: its axes as JSON, file, offset of its samples, width, height, type, location of its JSON
 *   NAME_NDTiffStack.tif    at 8: 483729, version, 2355492, length and JSON of the summary; then a directory, samples and
 *                           the JSON (tag 51123) for each image
 *   NAME_NDTiffStack_1.tif  and so on, a new file every 4 GB
 *
 * Planes are located by the index, never by the chain of directories, which some versions wrote damaged. Without an
 * index, the metadata of each page are used. A plane without a record is missing.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../../errors.ts";
import { MAX_PLANE_SAMPLES } from "../../../io/limits.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { buildAxes } from "../../../metadata/axes.ts";
import type { JsonObject } from "../../../metadata/json.ts";
import { sizesOf } from "../../../reader.ts";
import { listed, missingFiles, warnIf, type Warning } from "../../../warning.ts";
import { Directory } from "../../directory.ts";
import { isNDTiff, NDTIFF_STACK } from "../../marks.ts";
import { layOutInOneStrip, type PageLayout } from "../../page.ts";
import {
  type OpenedSeries,
  type OpenedTiff,
  type PlaneSource,
  readOrWarn,
  type SeriesList,
  type Stack,
} from "../../stack.ts";
import { describeLayout, hasSameLayout } from "../../stored_planes.ts";
import { TAG, tagName } from "../../tags.ts";
import { RecentFiles } from "../../plane_files.ts";
import { TiffFile } from "../../tiff_file.ts";
import { readSummary, readSummaryText } from "../micromanager/index_map.ts";
import { INDEX_NAME, type ListedSet, listPages, type NDTiffImage } from "./index_file.ts";
import { readNDTiffIndex, SAMPLE_TYPES } from "./index_file.ts";
import {
  describeNDTiffScene,
  ImagePlanes,
  type ImageScene,
  type PlaneAt,
  readNote,
  readNoteText,
} from "./planes.ts";

/** Folder of the full resolution in tiled data; the folders of reduced resolutions are beside it. */
const FULL_RESOLUTION = "Full resolution";
const REDUCED_LEVEL = /^Downsampled_x\d+$/;

/** The data set in a folder or in its subfolder `Full resolution`. @throws {DecodeFailed} none of its files exists */
export function openNDTiffFolder(path: string, files: FileAccess): OpenedSeries {
  const folder =
    [path, join(path, FULL_RESOLUTION)].find((one) => files.kind(join(one, INDEX_NAME)) === "file") ?? path;
  const index = readNDTiffIndex(folder, files);
  const named = new Set(index?.images.map(({ file }) => file));
  for (const name of [...named, ...files.list(folder).filter((name) => NDTIFF_STACK.test(name))]) {
    const file = files.openNeighbour(join(folder, name));
    if (file === null) continue;
    const tiff = new TiffFile(file, files);
    if (isNDTiff(tiff)) return openNDTiff(file.path, tiff, files, index);
  }
  const [first] = named;
  const missing = first === undefined ? "no file" : `"${first}", which does not exist`;
  throw new DecodeFailed(`"${INDEX_NAME}" names ${missing}`);
}

/** The data set that a file belongs to. @throws {DecodeFailed} none of its images can be found */
export function openNDTiff(
  path: string,
  tiff: TiffFile,
  files: FileAccess,
  index: ListedSet | null = readNDTiffIndex(dirname(path), files),
): OpenedSeries {
  const first = new Directory(tiff.window, tiff.encoding);
  const opened: OpenedTiff = { path, files, tiff, first, descriptions: [], warnings: [] };
  const isListed = index?.images.some(({ file }) => file === basename(path));
  return { opened, list: listNDTiffScenes(opened, index && isListed ? index : listPages(opened, index)) };
}

const formatFileNames = (names: readonly (string | null)[]) => listed(names.map((name) => `"${name}"`));

/** Memory of an image: its axes and its entry in the map of planes. */
const IMAGE_BYTES = 256;

/** The scenes with images. The opened file belongs to the first scene of which it holds an image. */
function listNDTiffScenes(opened: OpenedTiff, listed: ListedSet): SeriesList {
  const set = findImageFiles(opened, listed);
  const { planes } = set;
  const { T, C, Z } = planes.sizes;
  const summary = readOrWarn(opened.warnings, "The summary of NDTiff", () => readSummary(opened.tiff)) ?? {};
  const level = basename(dirname(opened.path));
  const isReduced = REDUCED_LEVEL.test(level);
  const text = `The file is a reduced level of a pyramid ("${level}"), whose pixel size is unknown`;
  const ofSet = [
    ...listed.warnings,
    ...planes.warnings,
    ...missingFiles(set.missing),
    ...warnIf(isReduced, "reduced_level", `${text}; "${FULL_RESOLUTION}" beside it has all pixels`),
  ];
  const held = planes.scenes.filter(({ images }) => images.size > 0);
  if (held.length === 0) throw new DecodeFailed("no image of its index lies in an existing file");
  const left = planes.scenes.filter(({ images }) => images.size === 0).map(({ name }) => name);
  const leftOut = `Positions without stored images are left out: ${formatFileNames(left)}`;
  const own = basename(opened.path);
  return {
    count: held.length,
    own: Math.max(0, held.findIndex(({ images }) => images.values().some(({ file }) => file === own))),
    warnings: warnIf(left.length > 0, "scenes_left_out", leftOut),
    entries: (most) =>
      held.slice(0, most).map((scene) => {
        const { width: X, height: Y, type } = planes.first(scene);
        const [samples] = SAMPLE_TYPES[type] ?? [1];
        return { name: scene.name, sizes: sizesOf(buildAxes({ T, Z, C: C * samples, Y, X }, {})) };
      }),
    open: (index) => buildNDTiffStack(opened, set, held[index]!, { summary, isReduced, warnings: ofSet }),
  };
}

/** The files of a data set, and the planes in them. */
interface ImageFiles {
  readonly folder: string;
  /** Sizes of the files that exist, by name. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly missing: readonly string[];
  readonly planes: ImagePlanes;
  /** Bytes of the index. */
  readonly indexSize: number;
  readonly imageCount: number;
  /** The file of an image. */
  readonly tiffOf: (image: NDTiffImage) => TiffFile;
}

function findImageFiles({ path, tiff, files }: OpenedTiff, { images, bytes }: ListedSet): ImageFiles {
  const folder = dirname(path);
  const names = [...new Set(images.map(({ file }) => file))];
  const sizes = new Map<string, number>();
  for (const name of names) {
    using file = files.openNeighbour(join(folder, name));
    if (file) sizes.set(name, file.size);
  }
  const pool = new RecentFiles(path, tiff, (other) => {
    const file = new TiffFile(files.open(other), files);
    if (!isNDTiff(file)) throw new DecodeFailed("it is not a file of NDTiff");
    return file;
  });
  return {
    folder,
    sizes,
    missing: names.filter((name) => !sizes.has(name)),
    // At 0 lies the header of the file.
    planes: new ImagePlanes(images, ({ file, offset }) => offset > 0 && offset < (sizes.get(file) ?? 0)),
    indexSize: bytes,
    imageCount: images.length,
    tiffOf: ({ file }) => pool.get(join(folder, file)),
  };
}

/** What is known of all scenes of a data set. */
interface SetFacts {
  readonly summary: JsonObject;
  /** True for a level of a pyramid. */
  readonly isReduced: boolean;
  readonly warnings: readonly Warning[];
}

function buildNDTiffStack(
  opened: OpenedTiff,
  set: ImageFiles,
  scene: ImageScene,
  { summary, isReduced, warnings }: SetFacts,
): Stack {
  const { folder, sizes, planes, tiffOf } = set;
  const first = planes.first(scene);
  const layout = layOutNDTiffPage(opened, first, "the first plane");
  const note = (image: NDTiffImage) => readNote(tiffOf(image), image);
  const scenery = describeNDTiffScene(planes, scene, summary, isReduced, note);
  const { T, C, Z } = planes.sizes;
  const [room, stored] = [T * C * Z, scene.images.size];
  const text = `The axes have room for ${room} planes, and ${stored} are stored`;
  return {
    ...scenery,
    sizes: planes.sizes,
    layout,
    fileSize: sizes.values().reduce((sum, size) => sum + size, set.indexSize),
    files: () => sizes.keys().map((name) => join(folder, name)).toArray(),
    warnings: [...warnings, ...scenery.warnings, ...warnIf(stored !== room, "planes_missing", text)],
    indexBytes: set.imageCount * IMAGE_BYTES,
    documents: (list) => {
      list.add("NDTiff summary", "application/json", readSummaryText(opened.tiff, list.left));
      const note = readNoteText(tiffOf(first), first, list.left);
      list.add(tagName(TAG.MicroManagerMetadata), "application/json", note);
    },
    holds: (at) => planes.find(scene, at) !== undefined,
    plane: (at) => locateNDTiffPlane(opened, set, scene, layout, at),
  };
}

/** @throws {PlaneNotFound | DecodeFailed} the plane is missing, or unlike the first one */
function locateNDTiffPlane(
  opened: OpenedTiff,
  { planes, missing, tiffOf }: ImageFiles,
  scene: ImageScene,
  layout: PageLayout,
  at: PlaneAt,
): PlaneSource {
  const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
  const image = planes.find(scene, at);
  if (image === undefined) {
    const gone = missing.length === 0 ? "" : `; missing files: ${formatFileNames(missing)}`;
    throw new PlaneNotFound(`${what} has no stored image in this data set${gone}`);
  }
  const own = layOutNDTiffPage(opened, image, what);
  if (!hasSameLayout(own, layout)) {
    throw new DecodeFailed(`${what} is ${describeLayout(own)}, unlike the first plane`);
  }
  const file = tiffOf(image);
  const [bits = 0] = own.bits;
  const length = own.width * own.height * own.samples * bits / 8;
  return {
    ...file !== opened.tiff && { name: image.file },
    tiff: file,
    page: layout,
    strips: { offsets: Float64Array.of(image.offset), lengths: Float64Array.of(length) },
  };
}

function layOutNDTiffPage(
  { first }: OpenedTiff,
  { width, height, type }: NDTiffImage,
  what: string,
): PageLayout {
  const [samples, bits] = SAMPLE_TYPES[type] ?? [0, 0];
  if (bits === 0 || width * height < 1 || width * height > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`${what} is declared as ${width} x ${height} pixels of type ${type}`);
  }
  return layOutInOneStrip({
    directory: first,
    width,
    height,
    bits: Array<number>(samples).fill(bits),
    kind: "uint",
    sampleType: bits === 8 ? "uint8" : "uint16",
  });
}
