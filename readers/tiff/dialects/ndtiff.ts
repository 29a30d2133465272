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
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { MAX_FOLDER_ENTRIES, MAX_PLANE_SAMPLES } from "../../io/limits.ts";
import type { FileAccess } from "../../io/random_access.ts";
import { axesOf } from "../../metadata/axes.ts";
import type { JsonObject } from "../../metadata/json.ts";
import { sizesOf } from "../../reader.ts";
import { listed, missingFiles, type Warning, warning } from "../../warning.ts";
import { Directory } from "../directory.ts";
import { isNDTiff, NDTIFF_STACK } from "../marks.ts";
import { inOneStrip, type PageLayout } from "../page.ts";
import {
  noted,
  type Opened,
  type OpenedSeries,
  type PlaneIndex,
  type PlaneSource,
  type SeriesList,
  type Stack,
} from "../stack.ts";
import { described, sameLayout } from "../stored_planes.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../text.ts";
import { recentBytes, RecentFiles, TiffFile } from "../tiff_file.ts";
import { readSummary, summaryText } from "./micromanager_index.ts";
import {
  addPages,
  INDEX_NAME,
  type ListedSet,
  type NDTiffImage,
  readIndex,
  SAMPLE_TYPES,
} from "./ndtiff_index.ts";
import { describeScene, ImagePlanes, type ImageScene, noteBytes, readNote } from "./ndtiff_planes.ts";

/** The data set in a folder or in its subfolder `Full resolution`. @throws {DecodeFailed} none of its files exists */
export function openNDTiffFolder(path: string, files: FileAccess): OpenedSeries {
  const folder =
    [path, join(path, FULL_RESOLUTION)].find((one) => files.kind(join(one, INDEX_NAME)) === "file") ?? path;
  const index = readIndex(folder, files);
  const named = new Set(index?.images.map(({ file }) => file));
  for (const name of [...named, ...files.list(folder).filter((name) => NDTIFF_STACK.test(name))]) {
    const file = files.openNeighbour(join(folder, name));
    if (file === null) continue;
    const tiff = new TiffFile(file, files);
    if (isNDTiff(tiff)) return openSet(file.path, tiff, files, index);
  }
  const [first] = named;
  const missing = first === undefined ? "no file" : `"${first}", which does not exist`;
  throw new DecodeFailed(`"${INDEX_NAME}" names ${missing}`);
}

/** The data set that a file belongs to. @throws {DecodeFailed} none of its images can be found */
export function openNDTiff(path: string, tiff: TiffFile, files: FileAccess): OpenedSeries {
  return openSet(path, tiff, files, readIndex(dirname(path), files));
}

function openSet(path: string, tiff: TiffFile, files: FileAccess, index: ListedSet | null): OpenedSeries {
  const first = Directory.empty(tiff.window, tiff.encoding);
  const opened: Opened = { path, files, tiff, first, descriptions: [], warnings: [] };
  const listed = index?.images.some(({ file }) => file === basename(path)) ? index : listPages(opened, index);
  return { opened, list: new DataSet(opened, listed).list() };
}

/** The images in the pages of the opened file and its continuations, if no index names the file. */
function listPages({ path, files, tiff }: Opened, index: ListedSet | null): ListedSet {
  const folder = dirname(path);
  const name = basename(path);
  const stem = NDTIFF_STACK.exec(name)?.[1];
  const numberOf = (other: string) => Number(NDTIFF_STACK.exec(other)?.[2] ?? 0);
  const names = stem === undefined ? [name] : files.list(folder)
    .filter((other) => NDTIFF_STACK.exec(other)?.[1] === stem)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const images: NDTiffImage[] = [];
  const warnings: Warning[] = [withoutIndex(name, index)];
  for (const other of names) {
    const file = other === name ? tiff : new TiffFile(files.open(join(folder, other)), files);
    addPages(images, file, other);
    if (file.brokenTail === null) continue;
    const text = `"${other}" ends after ${images.length} images: ${file.brokenTail}`;
    warnings.push(warning("planes_missing", text));
  }
  return { images, warnings, bytes: 0 };
}

function withoutIndex(name: string, index: ListedSet | null): Warning {
  const byTags = "the pages are read by their own tags";
  if (index === null) return warning("metadata_missing", `"${INDEX_NAME}" is missing; ${byTags}`);
  const [first] = index.images;
  const instead = first === undefined ? "" : ` but "${first.file}"`;
  const text =
    `"${INDEX_NAME}" names no image of "${name}"${instead}: the file may have been renamed; ${byTags}`;
  return warning("metadata_disagree", text);
}

/** Folder of the full resolution in tiled data; the folders of reduced resolutions are beside it. */
const FULL_RESOLUTION = "Full resolution";
const REDUCED_LEVEL = /^Downsampled_x\d+$/;

/** Memory of an image: its axes and its entry in the map of planes. */
const IMAGE_BYTES = 256;

const named = (names: readonly (string | null)[]) => listed(names.map((name) => `"${name}"`));

/** The summary, files and scenes of a data set. */
class DataSet {
  readonly #opened: Opened;
  readonly #planes: ImagePlanes;
  readonly #summary: JsonObject;
  /** Size of each existing file in bytes, by name. */
  readonly #sizes = new Map<string, number>();
  readonly #pool: RecentFiles<TiffFile>;
  readonly #listed: ListedSet;
  readonly #warnings: Warning[] = [];
  readonly #reduced: boolean;
  /** Names of missing files. */
  readonly #missing: readonly string[];

  /** Looks for the files. @throws {DecodeFailed} too many files, planes or scenes */
  constructor(opened: Opened, set: ListedSet) {
    const { path, tiff, files } = opened;
    const folder = dirname(path);
    this.#opened = opened;
    this.#listed = set;
    this.#summary = noted(opened.warnings, "The summary of NDTiff", () => readSummary(tiff)) ?? {};
    const names = [...new Set(set.images.map(({ file }) => file))];
    if (names.length > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`it names more than ${MAX_FOLDER_ENTRIES} files`);
    }
    for (const name of names) {
      const file = files.openNeighbour(join(folder, name));
      if (file) this.#sizes.set(name, file.size);
      file?.close();
    }
    this.#missing = names.filter((name) => !this.#sizes.has(name));
    this.#pool = new RecentFiles(path, tiff, (other) => {
      const file = new TiffFile(files.open(other), files);
      if (!isNDTiff(file)) throw new DecodeFailed("it is not a file of NDTiff");
      return file;
    });
    this.#planes = new ImagePlanes(
      set.images,
      ({ file, offset }) => offset < (this.#sizes.get(file) ?? 0),
    );
    this.#warnings.push(...set.warnings, ...this.#planes.warnings, ...missingFiles(this.#missing));
    const level = basename(folder);
    this.#reduced = REDUCED_LEVEL.test(level);
    if (this.#reduced) {
      const text = `The file is a reduced level of a pyramid ("${level}"), whose pixel size is unknown`;
      this.#warnings.push(warning("reduced_level", `${text}; "${FULL_RESOLUTION}" beside it has all pixels`));
    }
  }

  /** The scenes with images. The opened file belongs to the first scene of which it holds an image. */
  list(): SeriesList {
    const held = this.#planes.scenes.filter(({ images }) => images.size > 0);
    if (held.length === 0) throw new DecodeFailed("no image of its index lies in an existing file");
    const left = this.#planes.scenes.filter(({ images }) => images.size === 0).map(({ name }) => name);
    const text = `Positions without stored images are left out: ${named(left)}`;
    const own = basename(this.#opened.path);
    return {
      count: held.length,
      own: Math.max(0, held.findIndex(({ images }) => images.values().some(({ file }) => file === own))),
      warnings: left.length === 0 ? [] : [warning("scenes_left_out", text)],
      entries: (most) =>
        held.slice(0, most).map((scene) => {
          const { width, height, type } = this.#firstOf(scene);
          const { T, C, Z } = this.#planes.sizes;
          const [samples] = SAMPLE_TYPES[type] ?? [1];
          return {
            name: scene.name,
            sizes: sizesOf(axesOf({ T, Z, C: C * samples, Y: height, X: width }, {})),
          };
        }),
      open: (index) => this.#stack(held[index]!),
    };
  }

  #firstOf(scene: ImageScene): NDTiffImage {
    return this.#planes.find(scene, this.#planes.start(scene))!;
  }

  #stack(scene: ImageScene): Stack {
    const planes = this.#planes;
    const first = this.#firstOf(scene);
    const layout = this.#layoutOf(first, "the first plane");
    const scenery = describeScene({
      planes,
      scene,
      summary: this.#summary,
      reduced: this.#reduced,
      note: (image) => readNote(this.#tiffOf(image), image),
    });
    const { T, C, Z } = planes.sizes;
    const [room, stored] = [T * C * Z, scene.images.size];
    const text = `The axes have room for ${room} planes, and ${stored} are stored`;
    return {
      ...scenery,
      sizes: planes.sizes,
      layout,
      fileSize: this.#sizes.values().reduce((sum, size) => sum + size, this.#listed.bytes),
      files: () => this.#sizes.keys().map((name) => this.#pathOf(name)).toArray(),
      warnings: [
        ...this.#warnings,
        ...scenery.warnings,
        ...stored === room ? [] : [warning("planes_missing", text)],
      ],
      indexBytes: this.#listed.images.length * IMAGE_BYTES +
        recentBytes(this.#sizes.size),
      documents: (list) => {
        list.add("NDTiff summary", "application/json", summaryText(this.#opened.tiff, list.left));
        const note = noteBytes(this.#tiffOf(first), first, list.left);
        list.add(tagName(TAG.MicroManagerMetadata), "application/json", decodeText(note));
      },
      holds: (at) => planes.find(scene, at) !== undefined,
      plane: (at) => this.#plane(scene, at, layout),
    };
  }

  #pathOf(name: string): string {
    return join(dirname(this.#opened.path), name);
  }

  /** The file of a stored image. @throws {DecodeFailed} the file is damaged */
  #tiffOf({ file }: NDTiffImage): TiffFile {
    return this.#pool.get(this.#pathOf(file));
  }

  /** @throws {DecodeFailed} the record declares an impossible image */
  #layoutOf({ width, height, type }: NDTiffImage, what: string): PageLayout {
    const [samples, bits] = SAMPLE_TYPES[type] ?? [0, 0];
    if (bits === 0 || width * height < 1 || width * height > MAX_PLANE_SAMPLES) {
      throw new DecodeFailed(`${what} is declared as ${width} x ${height} pixels of type ${type}`);
    }
    return inOneStrip({
      directory: this.#opened.first,
      width,
      height,
      bits: new Array<number>(samples).fill(bits),
      kind: "uint",
      sampleType: bits === 8 ? "uint8" : "uint16",
    });
  }

  #plane(scene: ImageScene, at: PlaneIndex, layout: PageLayout): PlaneSource {
    const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
    const image = this.#planes.find(scene, at);
    if (image === undefined) {
      const gone = this.#missing.length === 0 ? "" : `; missing files: ${named(this.#missing)}`;
      throw new PlaneNotFound(`${what} has no stored image in this data set${gone}`);
    }
    const own = this.#layoutOf(image, what);
    if (!sameLayout(own, layout)) {
      throw new DecodeFailed(`${what} is ${described(own)}, unlike the first plane`);
    }
    const tiff = this.#tiffOf(image);
    const length = own.width * own.height * own.samples * own.bits[0]! / 8;
    return {
      ...tiff !== this.#opened.tiff && { name: image.file },
      tiff,
      page: layout,
      strips: { offsets: Float64Array.of(image.offset), lengths: Float64Array.of(length) },
    };
  }
}
