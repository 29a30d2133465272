/** Finds the document of a collection that is opened as a whole, and the folder that its paths start from. */
import { basename, dirname, join } from "node:path";
import type { Collection } from "../../schemas/documents.ts";
import { DecodeFailed, isLoss, quoted } from "../errors.ts";
import { type FileTree, ZipFiles } from "../ome_zarr/zip_files.ts";
import { type Allowance, readDocument, searchAllowance } from "./document_reader.ts";
import { isInside } from "./membership.ts";
import { COLLECTION_FILE, documentIn, documentsBelow, MAX_FOLDERS, rootOfDocument } from "./root.ts";

/** A collection that is opened as a whole. */
export interface OpenedCollection {
  /** Path of its document. */
  readonly document: string;
  /** Folder that its paths start from. */
  readonly root: string;
  /** What the document says. */
  readonly collection: Collection;
}

/**
 * The collection of a document that was opened by its own path. The folder of the document is the root.
 *
 * @throws {DecodeFailed} the document is damaged, or its images lie above it
 */
export async function collectionAt(document: string, files: FileTree): Promise<OpenedCollection> {
  const collection = await readDocument<Collection>(document, "collection", files);
  if (collection === null) throw new DecodeFailed("it is not the document of a collection");
  const root = dirname(document);
  const images = collection.members.map((member) => member.ome_zarr);
  if (rootOfDocument(document, images, files) === root) return { document, root, collection };
  throw new DecodeFailed(
    `the images of the collection lie above its document; open the folder ${quoted(dirname(root))}`,
  );
}

/**
 * The collection in a folder or a ZIP file: its document lies there or in one folder below, in a ZIP file also in its only folder.
 *
 * @returns `null` without a document of a collection
 * @throws {DecodeFailed} there are several, or the only one is damaged
 */
export async function collectionIn(folder: string, files: FileTree): Promise<OpenedCollection | null> {
  const own = documentIn(folder, files);
  const found: OpenedCollection[] = [];
  const allowance = searchAllowance();
  for (const document of [...own ? [own] : [], ...documentsBelow(folder, files, MAX_FOLDERS, () => {})]) {
    if (!isInside(document, folder, files)) continue;
    const collection = await documentOf(document, files, allowance);
    if (collection) {
      found.push({ document, root: rootBelow(folder, document, collection, files), collection });
    }
  }
  if (found.length > 1) {
    const documents = found.map(({ document }) => quoted(document)).join(", ");
    throw new DecodeFailed(
      `it holds more than one ${COLLECTION_FILE}: ${documents}; open one of their folders`,
    );
  }
  const inner = files instanceof ZipFiles ? zipRoot(files, folder) : folder;
  return found[0] ?? (inner === folder ? null : await collectionIn(inner, files));
}

/** The only folder of a ZIP file, or of a folder in it; else that itself. */
export function zipRoot(zip: ZipFiles, folder = zip.archive): string {
  const [only, ...others] = zip.list(folder);
  const inner = only === undefined || others.length > 0 ? folder : join(folder, only);
  return zip.kind(inner) === "directory" ? inner : folder;
}

/** Reads a document that was not named; `null` for one of another program. @throws {DecodeFailed} naming it */
async function documentOf(path: string, files: FileTree, allowance: Allowance): Promise<Collection | null> {
  try {
    return await readDocument<Collection>(path, "collection", files, allowance);
  } catch (error) {
    if (!isLoss(error)) throw error;
    throw new DecodeFailed(`${quoted(basename(path))}: ${error.message}`, { cause: error });
  }
}

/** The opened folder, unless the images of a document below it start from its own folder. */
function rootBelow(folder: string, document: string, { members }: Collection, files: FileTree): string {
  if (dirname(document) === folder) return folder;
  return rootOfDocument(document, members.map((member) => member.ome_zarr), files, folder);
}
