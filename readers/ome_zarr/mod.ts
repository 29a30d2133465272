/**
 * OME-Zarr 0.1 to 0.5: a Zarr hierarchy (version 2 or 3) in a directory or a ZIP file.
 *
 * The outermost group holds the attributes (`.zattrs`, or `attributes` of `zarr.json`, there under `ome` from 0.5
 * on). `multiscales[0]` names the axes and the datasets from full resolution down; `datasets[0].path` is the array
 * that is read. Its metadata (`.zarray` or `zarr.json`) give shape, type, chunk grid, codecs and fill value; chunk
 * (1, 0, 2) lies under `1.0.2`, `1/0/2` or `c/1/0/2`, and an absent one stands for the fill value. A shard is a
 * chunk with an index of inner chunks. `omero.channels` has names and colours; `OME/METADATA.ome.xml` of the
 * bioformats2raw layout names, pixel sizes, time stamps and the date of acquisition.
 *
 * Scenes are the series of a bioformats2raw layout and the fields of a plate; any other image is the only one.
 *
 * Refused: wells (the message names a field to open instead), groups without an image, versions from 0.6 on, data types
 * other than numbers, unknown codecs, chunk grids, key encodings and metadata fields, chunks that do not decode to
 * their exact length, absent chunks without a fill value, links that leave the store, encrypted ZIP entries.
 */
import { isLoss, Unreadable } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Acquisition, type SceneEntry, type Scenes, sizesOf } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { documentKeys } from "./hierarchy.ts";
import { type ImageList, imageList } from "./image_list.ts";
import type { OpenedStore } from "./opened_store.ts";
import { acquisitionOf, readStoredImage, servedAxes, type StoredImage } from "./stored_image.ts";

/**
 * The images at a place in a store.
 *
 * @param shape shapes the possible member of a collection: the first image outside of a plate
 */
export function imageScenes(
  opened: OpenedStore,
  { stop }: { readonly stop: StopFlag },
  shape: (stored: StoredImage) => Promise<Acquisition>,
): Scenes {
  const list = imageList(opened);
  const isMember = (scene: number) => list.kind !== "plate" && scene === 0;
  return new ImageScenes(
    opened,
    list,
    (stored, scene) => isMember(scene) ? shape(stored) : Promise.resolve(acquisitionOf(stored, stop)),
  );
}

/** Images of a layout that are read for the list of scenes. */
const MAX_READ_FOR_LIST = 64;

/** Shapes an image into an acquisition. */
type ShapeImage = (stored: StoredImage, scene: number) => Promise<Acquisition>;

/** Scenes of a list of images; each is read when it is opened. */
class ImageScenes implements Scenes {
  readonly count: number;
  readonly own = 0;
  readonly warnings: Warning[];
  readonly #opened: OpenedStore;
  readonly #list: ImageList;
  readonly #shape: ShapeImage;
  /** Scenes that were opened. */
  readonly #known = new Map<number, SceneEntry>();

  constructor(opened: OpenedStore, list: ImageList, shape: ShapeImage) {
    this.count = list.images.length;
    this.warnings = [...list.warnings];
    this.#opened = opened;
    this.#list = list;
    this.#shape = shape;
  }

  entries(most: number): SceneEntry[] {
    return this.#list.images.slice(0, most).map(({ name }, scene) =>
      this.#known.get(scene) ?? this.#readForList(scene) ?? { name, sizes: {} }
    );
  }

  async open(scene: number): Promise<Acquisition> {
    const stored = readStoredImage(this.#opened, this.#list, scene);
    this.#known.set(scene, this.#entryOf(stored, scene));
    return { ...await this.#shape(stored, scene), files: () => this.#files(scene === 0 ? stored : null) };
  }

  /** The ZIP file; or the documents and the first chunk of the first image. */
  #files(first: StoredImage | null): string[] {
    const { store, fileSize, shown } = this.#opened;
    if (fileSize !== null) return [shown("")];
    const keys = documentKeys(store, this.#list.path);
    try {
      const { documents, image: { array } } = first ?? readStoredImage(this.#opened, this.#list, 0);
      keys.push(...documents, ...array.chunkKeys(array.shape.map(() => 0)).filter((key) => store.has(key)));
    } catch (error) {
      if (!isLoss(error) || error instanceof Unreadable) throw error;
    }
    return keys.map(shown);
  }

  /** Reads a scene for the list; `null` for damaged ones, fields of a plate and late images of a layout. */
  #readForList(scene: number): SceneEntry | null {
    if (this.#list.kind === "plate" || scene >= MAX_READ_FOR_LIST) return null;
    try {
      return this.#entryOf(readStoredImage(this.#opened, this.#list, scene), scene);
    } catch (error) {
      if (!isLoss(error)) throw error;
      if (error instanceof Unreadable) {
        const message = `The sizes of scene ${scene} cannot be read: ${error.message}`;
        this.warnings.push(warning("file_unreadable", message));
      }
      return null;
    }
  }

  #entryOf({ image }: StoredImage, scene: number): SceneEntry {
    return { name: this.#list.images[scene]!.name ?? image.name, sizes: sizesOf(servedAxes(image)) };
  }
}
