/** One NDTiff data set: its images, the files that hold them, the planes that they are. */
import { basename, dirname, join } from "node:path";
import { axesOf } from "../../axes.ts";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { MAX_PLANE_SAMPLES } from "../../limits.ts";
import { type SceneEntry, sizesOf } from "../../reader.ts";
import { type Warning, warning } from "../../warning.ts";
import { noted, type Opened } from "../opened.ts";
import { type PageLayout, PHOTOMETRIC, UNCOMPRESSED } from "../page.ts";
import { MAX_RECENT, RecentFiles } from "../recent_files.ts";
import type { PlaneIndex, PlaneSource, SeriesList, Stack } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";
import { type ImageList, type ImagePlace, SAMPLE_TYPES } from "./ndtiff_images.ts";
import { INDEX_NAME } from "./ndtiff_index.ts";
import { describeScene, noteBytes, type NoteSource, readNote } from "./ndtiff_notes.ts";
import { ImagePlanes } from "./ndtiff_planes.ts";
import { isNDTiff, readSummary, summaryText } from "./ndtiff_summary.ts";

/** Folder of the full resolution in tiled data; beside it stand folders of reduced ones. */
export const FULL_RESOLUTION = "Full resolution";
const REDUCED_LEVEL = /^Downsampled_x\d+$/;

/** The last part of a name: the files of a data set lie in the folder of its index. */
export const localName = (name: string): string => basename(name.replaceAll("\\", "/"));

/** Images of a data set and what is doubtful about the list. */
export interface ListedSet {
  /** The images. */
  readonly images: ImageList;
  /** What is doubtful. */
  readonly warnings: readonly Warning[];
  /** Bytes of the index. */
  readonly bytes: number;
}

/** Scenes that a warning names. */
const MAX_NAMED = 8;

/** Memory of a file: its name and place. */
const FILE_BYTES = 1024;

/** Memory of another file that is read. */
const RECENT_BYTES = 80 << 10;

/** A data set. */
export class DataSet {
  readonly #opened: Opened;
  readonly #images: ImageList;
  readonly #planes: ImagePlanes;
  readonly #summary: JsonObject;
  /** Path and size by the number of the file, `null` where it is not there. */
  readonly #files: readonly ({ readonly path: string; readonly size: number } | null)[];
  readonly #pool: RecentFiles<TiffFile>;
  readonly #fileSize: number;
  readonly #warnings: readonly Warning[];
  readonly #reduced: boolean;

  /** Looks for the files. @throws {DecodeFailed} there are too many planes or scenes */
  constructor(opened: Opened, { images, warnings, bytes }: ListedSet) {
    const { path, tiff, files } = opened;
    this.#opened = opened;
    this.#images = images;
    this.#planes = new ImagePlanes(images);
    this.#summary = noted(opened, "The summary of NDTiff", () => readSummary(tiff)) ?? {};
    this.#files = images.files.map((name) => {
      const place = join(dirname(path), localName(name));
      if (place === path) return { path, size: tiff.file.size };
      const file = files.openNeighbour(place);
      file?.close();
      return file && { path: file.path, size: file.size };
    });
    this.#pool = new RecentFiles(path, tiff, (other) => {
      const file = new TiffFile(files.open(other), files);
      if (!isNDTiff(file)) throw new DecodeFailed("it is no file of NDTiff");
      return file;
    });
    this.#fileSize = this.#files.reduce((sum, file) => sum + (file?.size ?? 0), bytes);
    this.#reduced = REDUCED_LEVEL.test(basename(dirname(path)));
    this.#warnings = [...warnings, ...this.#planes.warnings, ...this.#fileWarnings()];
  }

  #fileWarnings(): Warning[] {
    const missing = this.#images.files.filter((_, file) => this.#files[file] === null).map(localName);
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
    return [
      ...missing.length === 0
        ? []
        : [warning("file_missing", `"${missing[0]}"${more} of this data set is missing`)],
      ...this.#reduced
        ? [warning(
          "reduced_level",
          `The file is a reduced level of a pyramid ("${
            basename(dirname(this.#opened.path))
          }"), whose pixel size is unknown; "${FULL_RESOLUTION}" beside it has all pixels`,
        )]
        : [],
    ];
  }

  /** Whether the samples of an image begin in a file that is there. */
  #isThere(image: number): boolean {
    const { file, offset } = this.#images.place(image);
    return offset < (this.#files[file]?.size ?? 0);
  }

  /** The scenes that have images; the opened file gives the first that it has an image of. */
  list(): SeriesList {
    const { scenes } = this.#planes;
    const held: number[] = [];
    const left: string[] = [];
    const own: number[] = [];
    scenes.forEach(({ name }, scene) => {
      const images = this.#planes.imagesOf(scene);
      if (!images.some((image) => this.#isThere(image))) {
        left.push(`"${name ?? `Scene ${scene + 1}`}"`);
        return;
      }
      const isOwn = images.some((image) => this.#pathOf(image) === this.#opened.path && this.#isThere(image));
      if (isOwn) own.push(held.length);
      held.push(scene);
    });
    if (held.length === 0) throw new DecodeFailed("no image of its index lies in a file that is there");
    const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
    return {
      count: held.length,
      own: own[0] ?? 0,
      warnings: left.length === 0 ? [] : [
        warning(
          "scenes_left_out",
          `Positions without stored images are left out: ${left.slice(0, MAX_NAMED).join(", ")}${more}`,
        ),
      ],
      entries: (most) => held.slice(0, most).map((scene) => this.#entry(scene)),
      open: (index) => this.#stack(held[index]!),
    };
  }

  #pathOf(image: number): string | undefined {
    return this.#files[this.#images.place(image).file]?.path;
  }

  #entry(scene: number): SceneEntry {
    const layout = this.#firstLayout(scene);
    const { T, C, Z } = this.#planes.sizes;
    const sizes = layout
      ? sizesOf(axesOf({ T, Z, C: C * layout.samples, Y: layout.height, X: layout.width }, {}))
      : {};
    return { name: this.#planes.scenes[scene]!.name, sizes };
  }

  /** Layout of the first image of a scene that has one; `null` without. */
  #firstLayout(scene: number): PageLayout | null {
    for (const image of this.#planes.imagesOf(scene)) {
      const layout = this.#isThere(image) ? this.#layoutOf(this.#images.place(image)) : null;
      if (layout) return layout;
    }
    return null;
  }

  /** Layout of an image; `null` where its record declares what no image has. */
  #layoutOf({ width, height, type }: ImagePlace): PageLayout | null {
    const kind = SAMPLE_TYPES.get(type);
    if (kind === undefined || width * height < 1 || width * height > MAX_PLANE_SAMPLES) return null;
    const { samples, bits } = kind;
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
      warnings: [],
    };
  }

  #stack(scene: number): Stack {
    const planes = this.#planes;
    const { sizes } = planes;
    const start = planes.start(scene, (image) => this.#isThere(image))!;
    const layout = this.#firstLayout(scene) ?? this.#refuse(planes.find(scene, start)!);
    const { warnings, ...described } = describeScene(this.#notes(), scene, start);
    const stored = planes.imagesOf(scene).reduce((sum, image) => sum + Number(this.#isThere(image)), 0);
    if (stored < planes.planesOfScene) {
      warnings.push(
        warning(
          "planes_missing",
          `The axes have room for ${planes.planesOfScene} planes, of which ${stored} are stored`,
        ),
      );
    }
    return {
      sizes,
      layout,
      ...described,
      fileSize: this.#fileSize,
      files: () => this.#files.flatMap((file) => file?.path ?? []),
      warnings: [...this.#warnings, ...warnings],
      indexBytes: this.#images.bytes + planes.bytes + this.#files.length * FILE_BYTES +
        Math.min(this.#files.length - 1, MAX_RECENT) * RECENT_BYTES,
      documents: (list) => {
        const image = planes.find(scene, start)!;
        const { tiff } = this.#opened;
        list.add("NDTiff summary", "application/json", summaryText(tiff, list.left));
        const note = noteBytes(this.#tiffOf(image), this.#images.place(image), list.left);
        list.add(tagName(TAG.MicroManagerMetadata), "application/json", decodeText(note));
      },
      holds: (at) => {
        const image = planes.find(scene, at);
        return image !== undefined && this.#isThere(image);
      },
      plane: (at) => this.#plane(scene, at, layout),
    };
  }

  #notes(): NoteSource {
    return {
      planes: this.#planes,
      summary: this.#summary,
      reduced: this.#reduced,
      firstImage: (channel) => this.#planes.firstOf(channel, (image) => this.#isThere(image)),
      note: (image) => this.#isThere(image) ? readNote(this.#tiffOf(image), this.#images.place(image)) : null,
    };
  }

  /** The file of an image. @throws {DecodeFailed} it is damaged, and named unless it is the opened one */
  #tiffOf(image: number): TiffFile {
    const path = this.#pathOf(image)!;
    try {
      return this.#pool.get(path);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      throw new DecodeFailed(`"${basename(path)}" of this data set: ${error.message}`, { cause: error });
    }
  }

  #refuse(image: number): never {
    const { width, height, type } = this.#images.place(image);
    throw new DecodeFailed(`image ${image} is declared as ${width} x ${height} pixels of type ${type}`);
  }

  #plane(scene: number, { t, channel, z }: PlaneIndex, layout: PageLayout): PlaneSource {
    const image = this.#planes.find(scene, { t, channel, z });
    const what = `the plane T=${t} C=${channel} Z=${z}`;
    if (image === undefined) throw new PlaneNotFound(`${what} has no image in this data set`);
    const place = this.#images.place(image);
    const name = localName(this.#images.files[place.file]!);
    if (!this.#isThere(image)) {
      const why = this.#files[place.file] ? `begins at ${place.offset}, behind the end of` : "is in";
      const gone = this.#files[place.file] ? "" : ", which is missing";
      throw new PlaneNotFound(`${what} ${why} "${name}"${gone}`);
    }
    const own = this.#layoutOf(place) ?? this.#refuse(image);
    if (
      own.width !== layout.width || own.height !== layout.height || own.bits.join() !== layout.bits.join()
    ) {
      throw new DecodeFailed(
        `${what} is ${own.width} x ${own.height} x ${own.samples} of ${
          own.bits[0]
        } bits, unlike the first plane`,
      );
    }
    const tiff = this.#tiffOf(image);
    const length = own.width * own.height * own.samples * own.bits[0]! / 8;
    return {
      ...tiff !== this.#opened.tiff && { name },
      tiff,
      page: layout,
      run: null,
      strips: { offsets: Float64Array.of(place.offset), lengths: Float64Array.of(length), codec: null },
      warnings: this.#contradictions(image, tiff, { what, length }),
    };
  }

  /** Warnings where the record of an image and the image itself do not fit. */
  #contradictions(
    image: number,
    tiff: TiffFile,
    { what, length }: { readonly what: string; readonly length: number },
  ): Warning[] {
    const place = this.#images.place(image);
    const warnings: Warning[] = [];
    // The program writes the JSON of an image right behind its samples.
    if (place.noteLength > 0 && place.noteOffset !== place.offset + length) {
      warnings.push(
        warning(
          "samples_doubtful",
          `The samples of ${what} end at ${
            place.offset + length
          }, their metadata begin at ${place.noteOffset}`,
        ),
      );
    }
    const declared = this.#images.axesOf(image);
    const noted = this.#axesIn(tiff, place);
    const other = Object.keys(declared).find((name) => noted !== null && noted[name] !== declared[name]);
    if (noted !== null && other !== undefined) {
      warnings.push(
        warning(
          "metadata_disagree",
          `The image of ${what} says of itself that its "${other}" is ${
            text(noted[other])
          }, "${INDEX_NAME}" says ${text(declared[other])}; the index counts`,
        ),
      );
    }
    return warnings;
  }

  /** The axes that the JSON of an image repeats, or `null`. */
  #axesIn(tiff: TiffFile, place: ImagePlace): JsonObject | null {
    if (place.noteLength === 0) return null;
    try {
      const { Axes } = readNote(tiff, place);
      return isJsonObject(Axes) ? Axes : null;
    } catch (error) {
      if (error instanceof DecodeFailed) return null;
      throw error;
    }
  }
}

const text = (value: unknown): string => JSON.stringify(value) ?? "not known";
