/** The images of a store as scenes. */
import { ReaderError, Unreadable } from "../errors.ts";
import { type Acquisition, type SceneEntry, type Scenes, sizesOf } from "../reader.ts";
import { documentKeys } from "./hierarchy.ts";
import { type Warning, warning } from "../warning.ts";
import type { ImageList } from "./image_list.ts";
import type { OpenedStore } from "./opened_store.ts";
import { readStoredImage, servedAxes, type StoredImage } from "./stored_image.ts";

/** Images of a layout whose own documents are read for the list of scenes. */
const MAX_READ_FOR_LIST = 64;

/** Shapes an image into an acquisition. */
export type ShapeImage = (stored: StoredImage, scene: number) => Promise<Acquisition>;

/** Scenes of a list of images; each is read when it is opened. */
export class ImageScenes implements Scenes {
  /** Images that are there. */
  readonly count: number;
  /** The first one. */
  readonly own = 0;
  /** Which images are left out, and of which the sizes could not be read. */
  readonly warnings: Warning[];
  readonly #opened: OpenedStore;
  readonly #list: ImageList;
  readonly #shape: ShapeImage;
  /** What was learned of the scenes that were opened. */
  readonly #known = new Map<number, SceneEntry>();

  /** Reads none of the images yet. */
  constructor(opened: OpenedStore, list: ImageList, shape: ShapeImage) {
    this.count = list.images.length;
    this.warnings = [...list.warnings];
    this.#opened = opened;
    this.#list = list;
    this.#shape = shape;
  }

  /** Those of an image or of the first of a layout with their sizes; of a plate only those that were opened. */
  entries(most: number): SceneEntry[] {
    return this.#list.images.slice(0, most).map(({ name }, scene) =>
      this.#known.get(scene) ?? this.#readForList(scene) ?? { name, sizes: {} }
    );
  }

  /** Opens one. @throws {DecodeFailed} it is damaged */
  async open(scene: number): Promise<Acquisition> {
    const stored = readStoredImage(this.#opened, this.#list, scene);
    this.#known.set(scene, this.#entryOf(stored, scene));
    return { ...await this.#shape(stored, scene), files: () => this.#files(scene === 0 ? stored : null) };
  }

  /** The ZIP file, or the documents of the list and of its first image with the first chunk of that. */
  #files(first: StoredImage | null): string[] {
    const { store, fileSize, shown } = this.#opened;
    if (fileSize !== null) return [shown("")];
    const keys = documentKeys(store, this.#list.path);
    try {
      const { documents, image: { array } } = first ?? readStoredImage(this.#opened, this.#list, 0);
      keys.push(...documents, ...array.chunkKeys(array.shape.map(() => 0)).filter((key) => store.has(key)));
    } catch (error) {
      if (!(error instanceof ReaderError) || error.tag === "Stopped" || error instanceof Unreadable) {
        throw error;
      }
    }
    return keys.map(shown);
  }

  /** Tells of a scene that was not opened; `null` where that would cost too much, or where it is damaged. */
  #readForList(scene: number): SceneEntry | null {
    if (this.#list.kind === "plate" || scene >= MAX_READ_FOR_LIST) return null;
    try {
      return this.#entryOf(readStoredImage(this.#opened, this.#list, scene), scene);
    } catch (error) {
      if (error instanceof Unreadable) {
        this.warnings.push(
          warning("file_unreadable", `The sizes of scene ${scene} cannot be read: ${error.message}`),
        );
        return null;
      }
      if (error instanceof ReaderError && error.tag !== "Stopped") return null;
      throw error;
    }
  }

  #entryOf({ image }: StoredImage, scene: number): SceneEntry {
    return { name: this.#list.images[scene]!.name ?? image.name, sizes: sizesOf(servedAxes(image)) };
  }
}
