/** OME-Zarr images and collections of them, in folders and in ZIP files. */
import { basename, join } from "node:path";
import { DecodeFailed, isLoss, NoImage, quoted, UnsupportedFormat } from "../errors.ts";
import { openImageScenes } from "../ome_zarr/mod.ts";
import { COLLECTION_NAME, ZARR_ZIP_NAME } from "./names.ts";
import { isGroup, type OpenedStore, openStore, storeInZip } from "../ome_zarr/opened_store.ts";
import { type FileTree, ZipFiles } from "../ome_zarr/zip_files.ts";
import type { Acquisition, Scenes, Source } from "../reader.ts";
import { listed, warnIf, warning } from "../warning.ts";
import {
  COLLECTION_FILE,
  findCollection,
  isBelowFolder,
  isImageList,
  openCollectionDocument,
  type OpenedCollection,
} from "./documents.ts";
import { addMembership, describeMember } from "./member.ts";
import { findMembership, type FoundMember, readMembership, resolveImagePath } from "./membership.ts";

/** Opens the images of a directory or ZIP store, or the members of a collection. */
export async function scenes(source: Source): Promise<Scenes> {
  const { path, files } = source;
  if (basename(path) === COLLECTION_FILE || isImageList(path)) {
    return openMembers(await openCollectionDocument(path, files), files);
  }
  const kind = files.kind(path);
  if (kind === "file") return await openZip(source);
  let reason: NoImage | null = null;
  if (kind !== "directory" || isGroup(path, files)) {
    try {
      return openImages(openStore(path, files), source);
    } catch (error) {
      // A group without an image may be the root of a collection.
      if (!(error instanceof NoImage) || kind !== "directory") throw error;
      reason = error;
    }
  }
  const others: string[] = [];
  const collection = await findCollection(path, files, others);
  if (collection !== null) return openMembers(collection, files);
  if (others.length > 0) {
    throw new DecodeFailed(`its ${COLLECTION_FILE} is not the document of a collection: ${others[0]}`);
  }
  throw reason ?? new DecodeFailed(`its ${COLLECTION_FILE} is not the document of a collection`);
}

/** The images of a store, each of which may be a member of a collection around it. */
const openImages = (opened: OpenedStore, { path, files, staysInFolder = false }: Source) =>
  openImageScenes(opened, files.stop, async (stored) => {
    const { memberId } = stored.image;
    return describeMember(stored, await findMembership({ path, memberId, staysInFolder }, files), files);
  });

async function openZip(source: Source): Promise<Scenes> {
  const { path, files } = source;
  const zip = new ZipFiles(path, files);
  const collection = await findCollection(path, zip);
  if (collection !== null) {
    if (zip.repeated === null) return openMembers(collection, zip);
    throw new DecodeFailed(`the ZIP file holds several entries ${quoted(zip.repeated)}`);
  }
  try {
    return { ...openImages(storeInZip(zip, path), source), format: ZARR_ZIP_NAME };
  } catch (error) {
    if (!(error instanceof NoImage) || !/(?<!\.ome\.zarr)\.zip$/i.test(path)) throw error;
    throw new UnsupportedFormat(
      `"${basename(path)}" is a ZIP file that holds neither a collection nor an OME-Zarr image`,
      { cause: error },
    );
  }
}

/** The members with existing images, in document order. @throws {DecodeFailed} the collection has no image */
function openMembers(
  { collection, document, root, foreign }: OpenedCollection,
  files: FileTree,
): Scenes {
  const members = collection.members.filter((member) => {
    files.stop.check();
    return isBelowFolder(resolveImagePath(root, member), root, files);
  });
  const present = new Set(members);
  const absent = collection.members.filter((member) => !present.has(member)).map(({ name }) => quoted(name));
  if (members.length === 0) {
    throw new DecodeFailed(
      absent.length === 0
        ? "the collection has no members"
        : `the collection holds none of its images: ${listed(absent)}`,
    );
  }
  /** Paths that identify the content: the ZIP file, or the documents of the collection and of its images. */
  const identity = () => {
    if (files instanceof ZipFiles) return [files.archive];
    const groups = members.map((member) => resolveImagePath(root, member));
    return [document, ...groups.flatMap((group) => [join(group, "zarr.json"), join(group, ".zattrs")])];
  };
  return {
    format: COLLECTION_NAME,
    count: members.length,
    own: 0,
    warnings: warnIf(
      absent.length > 0,
      "scenes_left_out",
      `Images of the collection do not exist and are left out: ${listed(absent)}`,
    ),
    entries: (most) => members.slice(0, most).map(({ name }) => ({ name, sizes: {} })),
    async open(scene) {
      const member = members[scene]!;
      try {
        const acquisition = await openMember({ document, collection, member, root, foreign }, files);
        return { ...acquisition, files: identity };
      } catch (error) {
        if (!isLoss(error) && !(error instanceof UnsupportedFormat)) throw error;
        throw new DecodeFailed(`its member ${quoted(member.name)} cannot be opened: ${error.message}`, {
          cause: error,
        });
      }
    },
  };
}

async function openMember(found: FoundMember, files: FileTree): Promise<Acquisition> {
  const { member, root } = found;
  const membership = await readMembership(found, files, []);
  const images = openImageScenes(
    openStore(files.resolve(resolveImagePath(root, member)), files),
    files.stop,
    (stored) => Promise.resolve(describeMember(stored, membership, files)),
  );
  const first = await images.open(0);
  if (images.count === 1) return first;
  const text = `The member ${quoted(member.name)} holds ${images.count} images; the first one is served`;
  return {
    ...addMembership(first, membership, files),
    warnings: [...images.warnings, ...first.warnings, warning("scenes_left_out", text)],
  };
}
