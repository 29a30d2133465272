/** OME-Zarr images and collections of them, in folders and in ZIP files. */
import { basename } from "node:path";
import { DecodeFailed, NoImage, quoted, UnsupportedFormat } from "../errors.ts";
import { extensionOf, FORMAT_NAMES } from "../format.ts";
import type { FileAccess } from "../io/random_access.ts";
import { imageScenes } from "../ome_zarr/mod.ts";
import { isGroup, type OpenedStore, openStore, storeInZip } from "../ome_zarr/opened_store.ts";
import { ZipFiles } from "../ome_zarr/zip_files.ts";
import type { Scenes, Source } from "../reader.ts";
import { CollectionScenes } from "./collection_scenes.ts";
import { memberAcquisition } from "./member.ts";
import { membershipOf } from "./membership.ts";
import { collectionAt, collectionIn } from "./opened_collection.ts";
import { COLLECTION_FILE } from "./root.ts";

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
      // A group that holds no image may be the root of a collection.
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
  imageScenes(
    opened,
    files,
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
