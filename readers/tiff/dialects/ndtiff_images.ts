/** The images of an NDTiff data set: their axes and places, and what the pages of its files say of them. */
import { DecodeFailed } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { MAX_FOLDER_ENTRIES } from "../../limits.ts";
import { MAX_DIRECTORIES } from "../bounds.ts";
import { UNCOMPRESSED } from "../page.ts";
import { TAG } from "../tags.ts";
import { detached } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";
import { planeMetadata } from "./micromanager_index.ts";

/** Axes of a data set; each takes four bytes for every image. */
const MAX_AXES = 32;

/** What an image has along an axis. */
export type AxisValue = number | string;

/** Where an image lies in its file, and what it is. */
export interface ImagePlace {
  /** Index into {@linkcode ImageList.files}. */
  readonly file: number;
  /** First byte of the samples. */
  readonly offset: number;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Type of the samples: a key of {@linkcode SAMPLE_TYPES}, or another number that means nothing. */
  readonly type: number;
  /** First byte of the JSON of the image. */
  readonly noteOffset: number;
  /** Bytes of that JSON. */
  readonly noteLength: number;
}

/** Samples per pixel and stored bits of each by the type; those of 10 to 14 bits are stored in 16. */
export const SAMPLE_TYPES: ReadonlyMap<number, { readonly samples: number; readonly bits: number }> = new Map(
  [
    [0, { samples: 1, bits: 8 }],
    [1, { samples: 1, bits: 16 }],
    [2, { samples: 3, bits: 8 }],
    [3, { samples: 1, bits: 16 }],
    [4, { samples: 1, bits: 16 }],
    [5, { samples: 1, bits: 16 }],
    [6, { samples: 1, bits: 16 }],
  ],
);

/** Type of an image that no type describes, such as a compressed one. */
export const NO_TYPE = 0xffff_ffff;

/** Numbers of one image in the list. */
const PLACE_NUMBERS = 7;

/** The values of one axis, and which of them each image has. */
export class AxisColumn {
  /** Distinct values in the order of the first image that has each. */
  readonly values: AxisValue[] = [];
  readonly #numbers = new Map<AxisValue, number>();
  /** Index into `values` plus one; 0 for an image without the axis. */
  #column = new Uint32Array(0);
  #present = 0;

  /** Notes the value of an image; images are added in ascending order. */
  set(image: number, value: AxisValue): void {
    if (image >= this.#column.length) this.#column = grown(this.#column, image + 1);
    const number = this.#numbers.getOrInsertComputed(value, () => this.values.push(value));
    this.#column[image] = number;
    this.#present += 1;
  }

  /** Index of the value of an image, -1 where it lacks the axis. */
  at(image: number): number {
    return (this.#column[image] ?? 0) - 1;
  }

  /** Whether some of so many images lack the axis. */
  isPartial(images: number): boolean {
    return this.#present < images;
  }

  /** Bytes of memory, about. */
  get bytes(): number {
    return this.#column.byteLength + this.values.length * VALUE_BYTES;
  }
}

/** Memory of a value and its number. */
const VALUE_BYTES = 128;

function grown(numbers: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(1024, least, numbers.length * 2));
  larger.set(numbers);
  return larger;
}

/** Images in the order in which they were acquired. */
export class ImageList {
  /** Names of the files that hold them, as the index writes them. */
  readonly files: string[] = [];
  /** By the name of the axis. */
  readonly axes = new Map<string, AxisColumn>();
  readonly #fileNumbers = new Map<string, number>();
  #places = new Uint32Array(0);
  #length = 0;

  /** How many images there are. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of memory, about. */
  get bytes(): number {
    return this.axes.values().reduce((sum, { bytes }) => sum + bytes, this.#places.byteLength);
  }

  /**
   * Adds an image behind the others.
   *
   * @param file name of its file
   * @throws {DecodeFailed} there are too many images, axes or files, or a value is neither a number nor a text
   */
  add(axes: JsonObject, file: string, place: Omit<ImagePlace, "file">): void {
    const image = this.#length;
    if (image >= MAX_DIRECTORIES) throw new DecodeFailed(`it has more than ${MAX_DIRECTORIES} images`);
    const names = Object.keys(axes);
    for (const name of names) requireValue(name, axes[name]);
    const number = this.#fileNumbers.get(file) ?? this.#addFile(detached(file));
    if (this.files.length > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`it names more than ${MAX_FOLDER_ENTRIES} files`);
    }
    for (const name of names) {
      this.axes.getOrInsertComputed(name, () => new AxisColumn()).set(image, axes[name] as AxisValue);
    }
    if (this.axes.size > MAX_AXES) throw new DecodeFailed(`it has more than ${MAX_AXES} axes`);
    const at = image * PLACE_NUMBERS;
    if (at + PLACE_NUMBERS > this.#places.length) this.#places = grown(this.#places, at + PLACE_NUMBERS);
    const { offset, width, height, type, noteOffset, noteLength } = place;
    this.#places.set([number, offset, width, height, type, noteOffset, noteLength], at);
    this.#length += 1;
  }

  #addFile(file: string): number {
    this.#fileNumbers.set(file, this.files.length);
    return this.files.push(file) - 1;
  }

  /** Where an image lies. */
  place(image: number): ImagePlace {
    const number = (n: number) => this.#places[image * PLACE_NUMBERS + n]!;
    return {
      file: number(0),
      offset: number(1),
      width: number(2),
      height: number(3),
      type: number(4),
      noteOffset: number(5),
      noteLength: number(6),
    };
  }

  /** The axes of an image. */
  axesOf(image: number): Record<string, AxisValue> {
    return Object.fromEntries(
      this.axes.entries().filter(([, column]) => column.at(image) >= 0)
        .map(([name, column]) => [name, column.values[column.at(image)]!]),
    );
  }
}

function requireValue(name: string, value: unknown): void {
  if (typeof value === "string" || typeof value === "number" && Number.isFinite(value)) return;
  throw new DecodeFailed(`the axis "${name}" is neither a number nor a text`);
}

/**
 * Adds the images of a file by what its pages say of themselves in tag 51123; a page that says nothing has an axis of its own.
 *
 * @returns how many pages say nothing, and why the chain of directories ends early, or `null`
 * @throws {DecodeFailed} the first directory is damaged, or there are too many images
 */
export function addPages(
  images: ImageList,
  tiff: TiffFile,
  name: string,
): { readonly unnamed: number; readonly broken: string | null } {
  let unnamed = 0;
  tiff.walk((directory, page) => {
    const { Axes } = planeMetadata(directory);
    if (!isJsonObject(Axes)) unnamed += 1;
    const note = directory.entry(TAG.MicroManagerMetadata);
    const [samples, bits] = [TAG.SamplesPerPixel, TAG.BitsPerSample].map((tag) => directory.number(tag) ?? 1);
    const isRaw = (directory.number(TAG.Compression) ?? UNCOMPRESSED) === UNCOMPRESSED &&
      directory.count(TAG.StripOffsets) === 1;
    const type = SAMPLE_TYPES.entries().find(([, one]) => one.samples === samples && one.bits === bits)?.[0];
    images.add(isJsonObject(Axes) ? Axes : { page }, name, {
      offset: directory.number(TAG.StripOffsets) ?? 0,
      width: directory.number(TAG.ImageWidth) ?? 0,
      height: directory.number(TAG.ImageLength) ?? 0,
      type: isRaw ? type ?? NO_TYPE : NO_TYPE,
      noteOffset: note?.at ?? 0,
      noteLength: note?.count ?? 0,
    });
  });
  return { unnamed, broken: tiff.brokenTail };
}
