/** One NDTiff data set: its summary, files and scenes. */
import { basename, dirname, join } from "node:path";
import { axesOf } from "../../metadata/axes.ts";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import type { JsonObject } from "../../metadata/json.ts";
import { MAX_FOLDER_ENTRIES, MAX_PLANE_SAMPLES } from "../../io/limits.ts";
import { sizesOf } from "../../reader.ts";
import { listed, missingFiles, type Warning, warning } from "../../warning.ts";
import { noted, type Opened } from "../opened.ts";
import { type PageLayout, PHOTOMETRIC, UNCOMPRESSED } from "../page.ts";
import { recentBytes, RecentFiles } from "../recent_files.ts";
import type { PlaneIndex, PlaneSource, SeriesList, Stack } from "../stack.ts";
import { sameLayout } from "../stored_planes.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";
import { isNDTiff } from "./marks.ts";
import { readSummary, summaryText } from "./micromanager_index.ts";
import { type ListedSet, type NDTiffImage, SAMPLE_TYPES } from "./ndtiff_index.ts";
import { describeScene, noteBytes, readNote } from "./ndtiff_notes.ts";
import { ImagePlanes, type ImageScene } from "./ndtiff_planes.ts";

/** Folder of the full resolution in tiled data; beside it stand folders of reduced ones. */
export const FULL_RESOLUTION = "Full resolution";
const REDUCED_LEVEL = /^Downsampled_x\d+$/;

/** Memory of an image, its axes and its place in the map of planes. */
const IMAGE_BYTES = 256;

const named = (names: readonly (string | null)[]) => listed(names.map((name) => `"${name}"`));

/** A data set. */
export class DataSet {
  readonly #opened: Opened;
  readonly #planes: ImagePlanes;
  readonly #summary: JsonObject;
  /** Bytes of each existing file by name. */
  readonly #sizes = new Map<string, number>();
  readonly #pool: RecentFiles<TiffFile>;
  readonly #listed: ListedSet;
  readonly #warnings: Warning[] = [];
  readonly #reduced: boolean;
  /** Names of missing files. */
  readonly #missing: readonly string[];

  /** Looks for the files. @throws {DecodeFailed} there are too many files, planes or scenes */
  constructor(opened: Opened, set: ListedSet) {
    const { path, tiff, files } = opened;
    const folder = dirname(path);
    this.#opened = opened;
    this.#listed = set;
    this.#summary = noted(opened, "The summary of NDTiff", () => readSummary(tiff)) ?? {};
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
    this.#reduced = REDUCED_LEVEL.test(basename(folder));
    if (this.#reduced) {
      const level = `The file is a reduced level of a pyramid ("${
        basename(folder)
      }"), whose pixel size is unknown`;
      this.#warnings.push(
        warning("reduced_level", `${level}; "${FULL_RESOLUTION}" beside it has all pixels`),
      );
    }
  }

  /** The scenes with images; the opened file belongs to the first one that it has an image of. */
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
    const described = describeScene({
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
      ...described,
      sizes: planes.sizes,
      layout,
      fileSize: this.#sizes.values().reduce((sum, size) => sum + size, this.#listed.bytes),
      files: () => this.#sizes.keys().map((name) => this.#pathOf(name)).toArray(),
      warnings: [
        ...this.#warnings,
        ...described.warnings,
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

  /** The file of a stored image. @throws {DecodeFailed} it is damaged */
  #tiffOf({ file }: NDTiffImage): TiffFile {
    try {
      return this.#pool.get(this.#pathOf(file));
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      throw new DecodeFailed(`"${file}" of this data set: ${error.message}`, { cause: error });
    }
  }

  /** @throws {DecodeFailed} the record declares an impossible image */
  #layoutOf({ width, height, type }: NDTiffImage, what: string): PageLayout {
    const [samples, bits] = SAMPLE_TYPES[type] ?? [0, 0];
    if (bits === 0 || width * height < 1 || width * height > MAX_PLANE_SAMPLES) {
      throw new DecodeFailed(`${what} is declared as ${width} x ${height} pixels of type ${type}`);
    }
    return {
      directory: this.#opened.first,
      width,
      height,
      samples,
      bits: new Array<number>(samples).fill(bits),
      kind: "uint",
      sampleType: bits === 8 ? "uint8" : "uint16",
      planar: false,
      compression: UNCOMPRESSED,
      predictor: 1,
      reversedBits: false,
      photometric: samples === 3 ? PHOTOMETRIC.rgb : PHOTOMETRIC.blackIsZero,
      extraSamples: [],
      segmentWidth: width,
      segmentHeight: height,
      tiled: false,
      across: 1,
      down: 1,
    };
  }

  #plane(scene: ImageScene, at: PlaneIndex, layout: PageLayout): PlaneSource {
    const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
    const image = this.#planes.find(scene, at);
    if (image === undefined) {
      const gone = this.#missing.length === 0 ? "" : `; missing files: ${named(this.#missing)}`;
      throw new PlaneNotFound(`${what} has no stored image in this data set${gone}`);
    }
    const own = this.#layoutOf(image, what);
    const { width, height, samples, bits } = own;
    if (!sameLayout(own, layout)) {
      throw new DecodeFailed(
        `${what} is ${width} x ${height} x ${samples} of ${bits[0]} bits, unlike the first plane`,
      );
    }
    const tiff = this.#tiffOf(image);
    const length = width * height * samples * bits[0]! / 8;
    return {
      ...tiff !== this.#opened.tiff && { name: image.file },
      tiff,
      page: layout,
      run: null,
      strips: { offsets: Float64Array.of(image.offset), lengths: Float64Array.of(length), codec: null },
    };
  }
}
