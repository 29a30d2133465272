/** OME-Zarr images and collections of them, in folders and in ZIP files. */
import { basename, join } from "node:path";
import type { Member } from "../../schemas/documents.ts";
import { DecodeFailed, isLoss, NoImage, quoted, UnsupportedFormat } from "../errors.ts";
import { extensionOf, FORMAT_NAMES } from "../format.ts";
import type { FileAccess } from "../io/random_access.ts";
import { ImageScenes } from "../ome_zarr/mod.ts";
import { isGroup, type OpenedStore, openStore, storeInZip } from "../ome_zarr/opened_store.ts";
import { type FileTree, ZipFiles } from "../ome_zarr/zip_files.ts";
import { type Acquisition, type SceneEntry, type Scenes, sizesOf, type Source } from "../reader.ts";
import { listed, type Warning, warning } from "../warning.ts";
import { COLLECTION_FILE, collectionAt, collectionIn, isInside, type OpenedCollection } from "./documents.ts";
import { asMember, memberAcquisition, storeAt } from "./member.ts";
import { imagePath, membershipOf, readMembership } from "./membership.ts";

/** Opens the images of a directory or ZIP store, or the members of a collection. */
export async function scenes(source: Source): Promise<Scenes> {
  const { path, files } = source;
  if (basename(path) === COLLECTION_FILE) {
    return new CollectionScenes(await collectionAt(path, files), files);
  }
  const kind = files.kind(path);
  if (kind === "file") return await scenesOfZip(path, files);
  let reason: NoImage | null = null;
  if (kind !== "directory" || isGroup(path, files)) {
    try {
      return imagesOf(openStore(source), source);
    } catch (error) {
      // A group without an image may be the root of a collection.
      if (!(error instanceof NoImage) || kind !== "directory") throw error;
      reason = error;
    }
  }
  const collection = await collectionIn(path, files);
  if (collection !== null) return new CollectionScenes(collection, files);
  throw reason ?? new DecodeFailed(`its ${COLLECTION_FILE} is not the document of a collection`);
}

/** The images of a store, each of which may be a member of a collection around it. */
const imagesOf = (opened: OpenedStore, { path, files }: Source) =>
  new ImageScenes(
    opened,
    files.stop,
    async (stored) => memberAcquisition(stored, await membershipOf(path, files), files),
  );

async function scenesOfZip(path: string, files: FileAccess): Promise<Scenes> {
  const zip = new ZipFiles(path, files);
  const collection = await collectionIn(path, zip);
  if (collection !== null) {
    if (zip.repeated === null) return new CollectionScenes(collection, zip);
    throw new DecodeFailed(`the ZIP file holds several entries ${quoted(zip.repeated)}`);
  }
  try {
    return Object.assign(imagesOf(storeInZip(zip, path), { path, files }), {
      format: FORMAT_NAMES.zarrZip.name,
    });
  } catch (error) {
    if (!(error instanceof NoImage) || extensionOf(path) !== ".zip") throw error;
    throw new UnsupportedFormat(
      `"${basename(path)}" is a ZIP file that holds neither a collection nor an OME-Zarr image`,
      { cause: error },
    );
  }
}

/** The members with existing images, in document order. */
class CollectionScenes implements Scenes {
  readonly format: string = FORMAT_NAMES.collection.name;
  readonly own = 0;
  readonly warnings: readonly Warning[];
  readonly #opened: OpenedCollection;
  readonly #files: FileTree;
  readonly #members: readonly Member[];
  /** Sizes of scenes that have been opened. */
  readonly #sizes = new Map<number, SceneEntry["sizes"]>();

  /** Looks for the images. @throws {DecodeFailed} the collection has no image */
  constructor(opened: OpenedCollection, files: FileTree) {
    const { collection: { members }, root } = opened;
    this.#opened = opened;
    this.#files = files;
    this.#members = members.filter((member) => {
      files.stop.check();
      return isInside(imagePath(root, member), root, files);
    });
    const absent = members.filter((member) => !this.#members.includes(member)).map(({ name }) =>
      quoted(name)
    );
    if (this.#members.length === 0) {
      throw new DecodeFailed(
        absent.length === 0
          ? "the collection has no members"
          : `the collection holds none of its images: ${listed(absent)}`,
      );
    }
    this.warnings = absent.length === 0 ? [] : [
      warning("scenes_left_out", `Images of the collection do not exist and are left out: ${listed(absent)}`),
    ];
  }

  get count(): number {
    return this.#members.length;
  }

  entries(most: number): SceneEntry[] {
    return this.#members.slice(0, most).map(({ name }, scene) => ({
      name,
      sizes: this.#sizes.get(scene) ?? {},
    }));
  }

  async open(scene: number): Promise<Acquisition> {
    const member = this.#members[scene]!;
    try {
      const acquisition = await this.#openMember(member);
      this.#sizes.set(scene, sizesOf(acquisition.axes));
      return { ...acquisition, files: () => this.#identity() };
    } catch (error) {
      if (!isLoss(error) && !(error instanceof UnsupportedFormat)) throw error;
      throw new DecodeFailed(`its member ${quoted(member.name)} cannot be opened: ${error.message}`, {
        cause: error,
      });
    }
  }

  async #openMember(member: Member): Promise<Acquisition> {
    const [files, { collection, root }] = [this.#files, this.#opened];
    const warnings: Warning[] = [];
    const membership = await readMembership({ collection, member, root }, files, warnings);
    const images = new ImageScenes(
      storeAt(files.resolve(imagePath(root, member)), files),
      files.stop,
      (stored) => Promise.resolve(memberAcquisition(stored, membership, files)),
    );
    const first = await images.open(0);
    if (images.count === 1) return first;
    const text = `The member ${quoted(member.name)} holds ${images.count} images; the first one is served`;
    return {
      ...asMember(first, membership, files),
      warnings: [...images.warnings, ...first.warnings, warning("scenes_left_out", text)],
    };
  }

  /** Paths that identify the content: the ZIP file, or the documents of the collection and of its images. */
  #identity(): readonly string[] {
    if (this.#files instanceof ZipFiles) return [this.#files.archive];
    const { document, root } = this.#opened;
    const groups = this.#members.map((member) => imagePath(root, member));
    return [document, ...groups.flatMap((group) => [join(group, "zarr.json"), join(group, ".zattrs")])];
  }
}
