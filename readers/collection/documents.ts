/** The JSON documents of collections, and collections that are opened as a whole. */
import { createHash } from "node:crypto";
import { basename, dirname, join, sep } from "node:path";
import type { Collection, DocumentKind, DocumentKindName } from "../../schemas/documents.ts";
import { DecodeFailed, isLoss, quoted, ReaderError, unlessDamaged, Unreadable } from "../errors.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";
import { findStoredSpelling } from "../io/names.ts";
import { isInsideRoots, unlessMissing } from "../io/paths.ts";
import { isJsonObject, parseJson } from "../metadata/json.ts";
import { IMAGE_LIST } from "./names.ts";
import { isGroup } from "../ome_zarr/opened_store.ts";
import { type FileTree, ZipFiles } from "../ome_zarr/zip_files.ts";
import { type Warning, warning } from "../warning.ts";

/** Name of the document. */
export const COLLECTION_FILE = "collection.json";

/** True for the path of a list of images as acqstore 0.2.0 writes it. */
export const isImageList = (document: string): boolean => document.endsWith(sep + join(IMAGE_LIST));

/** Largest number of subfolders to inspect. */
const MAX_FOLDERS = 200;

/** Largest number of entries of a folder to search for subfolders. */
const MAX_ENTRIES = 5_000;

/**
 * `collection.json` in a folder, the list of images of acqstore, and `collection.json` in the direct subfolders, by name.
 *
 * @param skip called for an unreadable subfolder
 * @throws {Unreadable} the folder itself cannot be read
 */
export function findDocuments(
  folder: string,
  files: FileTree,
  skip: (error: Unreadable) => void = () => {},
  maxFolders = MAX_FOLDERS,
): string[] {
  const found: string[] = [];
  const look = (place: string, name = COLLECTION_FILE) => {
    const path = join(place, name);
    if (files.kind(path) === "file") found.push(path);
  };
  look(folder);
  try {
    look(folder, IMAGE_LIST);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    skip(error);
  }
  let folders = 0;
  for (const name of unlessDamaged(() => files.list(folder), []).slice(0, MAX_ENTRIES)) {
    if (folders >= maxFolders) break;
    const path = join(folder, name);
    try {
      if (files.kind(path) !== "directory") continue;
      folders += 1;
      look(path);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      skip(error);
    }
  }
  return found;
}

/** The folders to which the paths in a document may be relative, the likelier one first. A list of images has one. */
export function rootsOf(document: string): readonly [string, ...string[]] {
  const folder = dirname(document);
  return isImageList(document) ? [dirname(folder)] : [folder, dirname(folder)];
}

/**
 * The root of a collection: the folder of its document, unless its parent contains more of the members' images. A document inside
 * an image never makes a folder above the image the root: whoever hands on an image could otherwise name the files beside it.
 *
 * @param given a root named by the user, which wins a tie
 * @param admits whether the parent may be the root
 */
export function findRoot(
  document: string,
  images: readonly string[],
  files: FileTree,
  given: string | null = null,
  admits: (parent: string) => boolean = () => true,
): string {
  const [folder, parent] = rootsOf(document);
  if (parent === undefined || isGroup(folder, files) || !admits(parent)) return folder;
  const exact = (root: string) => images.filter((path) => files.kind(join(root, path)) !== null).length;
  const spelled = (root: string) => {
    const stored = findStoredSpelling(files, root, images);
    return images.filter((path) => stored(path) !== path).length;
  };
  let [here, above] = [exact(folder), exact(parent)];
  if (here + above === 0) [here, above] = [spelled(folder), spelled(parent)];
  return above > here || (above === here && given === parent) ? parent : folder;
}

/** True if a path, with links resolved, lies below a folder. */
export function isBelowFolder(path: string, folder: string, files: FileTree): boolean {
  const [target, top] = [resolveInside(path, files), resolveInside(folder, files)];
  return target !== null && top !== null && isInsideRoots(target, [top]);
}

/** The resolved path, or `null` if it leads nowhere or out of the roots. @throws {Unreadable} */
export const resolveInside = (path: string, files: FileTree): string | null =>
  unlessMissing(() => files.resolve(path));

/** Largest number of bytes of collection documents per search; they take about a second. */
const MAX_DOCUMENT_BYTES = 32 << 20;

/** Largest number of members per search whose links are followed, with two disk accesses each. */
const MAX_MEMBERS_FOLLOWED = 5_000;

/** Remaining limits of a search; negative once exceeded. */
export interface Allowance {
  bytes: number;
  members: number;
}

/** The limits of one search. */
export const newAllowance = (): Allowance => ({
  bytes: MAX_DOCUMENT_BYTES,
  members: MAX_MEMBERS_FOLLOWED,
});

/** A document that its schema has accepted. */
export interface AcceptedDocument<T> {
  readonly value: T;
  /** Identifies its bytes. */
  readonly digest: string;
  /** How it differs from a document of this program, in words; `null` if it does not. */
  readonly foreign: string | null;
}

/** A document that its schema may accept. */
interface Adopted {
  readonly value: unknown;
  readonly foreign: string | null;
}

/** Takes a document of acqstore as one of this program: it differs in the constant, and its analyses may have no tables. */
function adoptDocument(value: unknown, { kind, format, foreignFormat }: DocumentKind): Adopted {
  if (!isJsonObject(value)) return { value, foreign: null };
  const isForeign = value["format"] === foreignFormat;
  const list = kind === "analyses" && Array.isArray(value["analyses"]) ? value["analyses"] : [];
  const isBare = list.some((one) =>
    isJsonObject(one) && !(Array.isArray(one["resources"]) && one["resources"].length > 0)
  );
  const words = [
    ...isForeign ? [`its "format" is "${foreignFormat}", as acqstore writes it`] : [],
    ...isBare ? ["analyses have no tables"] : [],
  ];
  return {
    value: isForeign ? { ...value, format } : value,
    foreign: words.length === 0 ? null : words.join(", and "),
  };
}

/** Identifies the bytes of a document, so that only what was accepted is served. */
export const hashDocument = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Reads a document. Nothing uses or serves a document that its schema has not accepted.
 *
 * @param admits whether a document of this size may be read
 * @param others receives why a `collection.json` is that of another program
 * @returns `null` for a `collection.json` of another program, and for a document that is not admitted
 * @throws {DecodeFailed} the document is damaged or invalid
 */
export async function readCollectionDocument<T>(
  path: string,
  kind: DocumentKindName,
  files: FileTree,
  admits: (bytes: number) => boolean = () => true,
  others: string[] = [],
): Promise<AcceptedDocument<T> | null> {
  const bytes = documentBytes(path, files, admits);
  if (bytes === null) return null;
  const parsed = parseJson(bytes, "it");
  if (kind === "collection" && isImageList(path)) {
    return { value: await listedCollection(parsed) as T, digest: hashDocument(bytes), foreign: FOREIGN_LIST };
  }
  // Loaded with the first document, so that images outside collections do not load zod.
  const { findDocumentKind, findMemberCountProblem } = await import("../../schemas/documents.ts");
  const { findFirstIssue } = await import("../../schemas/problems.ts");
  const kinds = findDocumentKind(kind);
  const { value, foreign } = adoptDocument(parsed, kinds);
  if (kind === "collection") {
    if (!isJsonObject(value) || value["format"] !== kinds.format) {
      const found = isJsonObject(value) ? JSON.stringify(value["format"]) ?? "missing" : "missing";
      others.push(`its "format" is ${found.slice(0, 80)}, not "${kinds.format}"`);
      return null;
    }
    const problem = findMemberCountProblem(value);
    if (problem !== null) throw new DecodeFailed(problem);
  }
  const issue = findFirstIssue(kinds.openedSchema, value);
  if (issue === null) return { value: value as T, digest: hashDocument(bytes), foreign };
  throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
}

/** Bytes of a document; `null` if it is not admitted. @throws {DecodeFailed} it is too large */
export function documentBytes(
  path: string,
  files: FileTree,
  admits: (bytes: number) => boolean,
): Uint8Array | null {
  const file = files.open(path);
  try {
    if (file.size > MAX_JSON_BYTES) {
      throw new DecodeFailed(`it has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
    }
    return admits(file.size) ? file.read(0, file.size, "the document") : null;
  } finally {
    file.close();
  }
}

/** How a list of images differs from a document of this program. */
const FOREIGN_LIST = "it lists the images in the layout of acqstore 0.2.0";

async function listedCollection(value: unknown): Promise<Collection> {
  const { findMemberCountProblem } = await import("../../schemas/documents.ts");
  const problem = findMemberCountProblem(isJsonObject(value) ? { members: value["acq_images"] } : null);
  if (problem !== null) throw new DecodeFailed(problem);
  return (await import("./acqstore_list.ts")).collectionOfList(value);
}

/** Reads a document like {@linkcode readCollectionDocument}; if it cannot be used, warns and returns `null`. */
export async function readUsable<T>(
  path: string,
  kind: DocumentKindName,
  files: FileTree,
  warnings: Warning[],
  allowance: Allowance | null = null,
): Promise<AcceptedDocument<T> | null> {
  const admits = (bytes: number) => allowance === null || (allowance.bytes -= bytes) >= 0;
  return await unlessUnusable(path, warnings, () => readCollectionDocument<T>(path, kind, files, admits));
}

/** What `read` returns; if the document cannot be used, warns and returns `null`. */
export async function unlessUnusable<T>(
  path: string,
  warnings: Warning[],
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReaderError) || error.tag === "shutting_down") throw error;
    warnings.push(warning("metadata_damaged", `The document "${path}" cannot be used: ${error.message}`));
    return null;
  }
}

/** A collection that is opened as a whole. */
export interface OpenedCollection {
  readonly document: string;
  /** Folder to which its paths are relative. */
  readonly root: string;
  readonly collection: Collection;
  /** How the document differs from one of this program; `null` if it does not. */
  readonly foreign: string | null;
}

/**
 * The collection whose document was opened by its own path. The document's folder is the root; that of a list of images lies above.
 *
 * @throws {DecodeFailed} the document is damaged, or its images are not below its folder
 */
export async function openCollectionDocument(document: string, files: FileTree): Promise<OpenedCollection> {
  const others: string[] = [];
  const read = await readCollectionDocument<Collection>(document, "collection", files, undefined, others);
  if (read === null) throw new DecodeFailed(`it is not the document of a collection: ${others[0]}`);
  const { value: collection, foreign } = read;
  const [root] = rootsOf(document);
  if (findRoot(document, listImagePaths(collection), files) === root) {
    return { document, root, collection: spellAsStored(collection, root, files), foreign };
  }
  throw new DecodeFailed(
    `the images of the collection lie above its document; open the folder ${quoted(dirname(root))}`,
  );
}

/**
 * The collection in a folder or ZIP file. Its document is directly in it or in one of its folders; in a ZIP file also in its only
 * folder.
 *
 * @param others receives why a `collection.json` is that of another program
 * @returns `null` if there is no document of a collection
 * @throws {DecodeFailed} there are several, or the only one is damaged
 */
export async function findCollection(
  folder: string,
  files: FileTree,
  others: string[] = [],
): Promise<OpenedCollection | null> {
  for (let place = folder;;) {
    const found = await findOnlyCollection(place, files, others);
    const inner = files instanceof ZipFiles ? findZipRoot(files, place) : place;
    if (found !== null || inner === place) return found;
    place = inner;
  }
}

async function findOnlyCollection(
  folder: string,
  files: FileTree,
  others: string[],
): Promise<OpenedCollection | null> {
  const found: OpenedCollection[] = [];
  const allowance = newAllowance();
  for (const document of findDocuments(folder, files)) {
    if (!isBelowFolder(document, folder, files)) continue;
    let read: AcceptedDocument<Collection> | null;
    try {
      const admits = (bytes: number) => (allowance.bytes -= bytes) >= 0;
      read = await readCollectionDocument<Collection>(document, "collection", files, admits, others);
    } catch (error) {
      if (!isLoss(error)) throw error;
      const name = isImageList(document) ? IMAGE_LIST : basename(document);
      throw new DecodeFailed(`${quoted(name)}: ${error.message}`, { cause: error });
    }
    if (read === null) continue;
    const { value: collection, foreign } = read;
    // The paths in a document below the folder may be relative to the document's own folder.
    const root = rootsOf(document)[0] === folder
      ? folder
      : findRoot(document, listImagePaths(collection), files, folder);
    found.push({ document, root, collection: spellAsStored(collection, root, files), foreign });
  }
  if (found.length > 1) {
    const documents = found.map(({ document }) => quoted(document)).join(", ");
    throw new DecodeFailed(
      `it holds more than one document of a collection: ${documents}; open one of them`,
    );
  }
  return found[0] ?? null;
}

/** The only folder in a ZIP file or in a folder of it; otherwise that file or folder itself. */
export function findZipRoot(zip: ZipFiles, folder = zip.archive): string {
  const [only, ...others] = zip.list(folder);
  const inner = only === undefined || others.length > 0 ? folder : join(folder, only);
  return zip.kind(inner) === "directory" ? inner : folder;
}

/** A collection whose images have their stored names. */
function spellAsStored(collection: Collection, root: string, files: FileTree): Collection {
  const stored = findStoredSpelling(files, root, listImagePaths(collection));
  const members = collection.members.map((member) => {
    const image = stored(member.ome_zarr);
    return image === member.ome_zarr ? member : { ...member, ome_zarr: image };
  });
  return { ...collection, members };
}

const listImagePaths = ({ members }: Collection) => members.map((member) => member.ome_zarr);
