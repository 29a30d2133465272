/** The collection around an OME-Zarr image: its reference image with the scan path, and the display of its axes. */
import { basename, dirname, join, resolve } from "node:path";
import type { Collection, ImageDocument, Member } from "../../schemas/documents.ts";
import type { ArchivedImage, ArchivedReference } from "../../schemas/archived.ts";
import { quoted, Unreadable } from "../errors.ts";
import { alike, findStoredSpelling } from "../io/names.ts";
import { isClosed, isInsideRoots } from "../io/paths.ts";
import { isJsonObject } from "../metadata/json.ts";
import type { FileAccess, FileRights } from "../io/file_access.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { findImageFolder } from "../ome_zarr/opened_store.ts";
import type { MemberName } from "../reader.ts";
import { type MemberDocument, readOwnDocuments } from "./member_documents.ts";
import { addWarning, listed, warnIf, type Warning, warning } from "../warning.ts";
import { IMAGE_LIST } from "./names.ts";
import {
  type AcceptedDocument,
  type Allowance,
  COLLECTION_FILE,
  findDocuments,
  findRoot,
  isBelowFolder,
  isImageList,
  newAllowance,
  readUsable,
  resolveInside,
  rootsOf,
} from "./documents.ts";

/** Number of folders above an image to search, the nearest first. */
const MAX_LEVELS = 6;

/** Number of members whose images decide which folder is the root of their collection. */
const MAX_MEMBERS_COUNTED = 1_000;

/** A collection's facts about one of its images. */
export interface Membership {
  /** The collection and the member; `null` for an image outside any collection. */
  readonly collection: MemberName | null;
  /** Documents of the member that their schemas have accepted. */
  readonly documents: readonly MemberDocument[];
  readonly root: string;
  /** Indices `t`, `z`, `c` of planes that were never recorded, as `"t z c"`. */
  readonly missingPlanes: ReadonlySet<string>;
  /** Steps and units of its axes, or `null`. */
  readonly axisDisplay: ImageDocument["axis_display"] | null;
  /** Resolved path of the reference image. */
  readonly referenceImage: string | null;
  /** Points `[x, y]` in pixels of the reference image. */
  readonly scanPath: readonly (readonly number[])[] | null;
  /** True if the scan path is known to be a straight line. */
  readonly isLine: boolean;
  /** What an archive keeps of the recording and of its reference image. */
  readonly archived: ArchivedImage;
  readonly archivedReference: ArchivedReference;
  /** What the collection holds besides, which no export keeps. */
  readonly unkept: readonly string[];
  readonly warnings: readonly Warning[];
}

/** An image whose collection is searched. */
export interface SearchedImage {
  /** Resolved path of its folder or ZIP file. */
  readonly path: string;
  /** The id under which it belongs to a collection, as archives mark their images; or `null`. */
  readonly memberId: string | null;
  /** True if no collection document above the folder may be read; of a file, above the folder that it lies in. */
  readonly staysInFolder: boolean;
}

interface Search {
  readonly image: string;
  /** Whether a folder may be searched and its documents followed. */
  readonly admits: (folder: string) => boolean;
  readonly files: FileAccess;
  readonly allowance: Allowance;
  readonly warnings: Warning[];
}

/** The facts of the nearest collection with this image; only warnings if no collection has it. */
export async function findMembership(image: SearchedImage, files: FileAccess): Promise<Membership> {
  const warnings: Warning[] = [];
  const allowance = newAllowance();
  const { path, memberId, staysInFolder } = image;
  const top = staysInFolder ? files.kind(path) === "directory" ? path : dirname(path) : null;
  const isTrusted = decideTrust(path, files);
  let isCut = false;
  const admits = (folder: string) => {
    const isAdmitted = (top === null || isInsideRoots(folder, [top])) && isTrusted(folder);
    isCut ||= !isAdmitted;
    return isAdmitted;
  };
  const found = await searchCollections({ image: path, files, allowance, warnings, admits });
  if (found) {
    const membership = await readMembership(found, files, warnings);
    return {
      ...membership,
      warnings: [...membership.warnings, ...warnAboutChanges(found.document, membership)],
    };
  }
  if (allowance.bytes < 0 || allowance.members < 0) {
    const text = "The collections around the image are too large to search; it is shown without a collection";
    warnings.push(warning("content_left_out", text));
  }
  if (isCut && memberId !== null) {
    const reason = staysInFolder
      ? "a page of another site gets nothing from above the chosen folder"
      : "others could write into a folder above it";
    const text = `The image is the member ${quoted(memberId)} of a collection, which is not read since ` +
      `${reason}; open the folder or the archive of the collection`;
    warnings.push(warning("collection_not_read", text));
  }
  return { ...ALONE, warnings };
}

/** The bit of a mode that lets everybody write, and the sticky bit, with which only owners replace what lies in a folder. */
const [WORLD_WRITABLE, STICKY] = [0o002, 0o1000];

const isOpenToAll = ({ mode }: FileRights) => (mode & WORLD_WRITABLE) !== 0;

/**
 * Whether only the owner of the image and root decide what lies in a folder, so that a document there may change the image. Without
 * owners, or if everybody may write to the image itself, every folder counts.
 */
function decideTrust(image: string, files: FileAccess): (folder: string) => boolean {
  const own = files.rightsOf(files.archiveOf(image) ?? image);
  if (own === null || own.owner === null || isOpenToAll(own)) return () => true;
  const belongs = (rights: FileRights | null) => rights?.owner === own.owner || rights?.owner === 0;
  return (folder) => {
    const rights = files.rightsOf(folder);
    if (rights === null || !belongs(rights)) return false;
    if (!isOpenToAll(rights)) return true;
    // Anybody can create a document there.
    const documents = [COLLECTION_FILE, basename(IMAGE_LIST)].map((name) =>
      files.rightsOf(join(folder, name))
    );
    return (rights.mode & STICKY) !== 0 &&
      documents.every((document) => document === null || belongs(document));
  };
}

/** Names a document that changes the image, unless the user opened the collection. */
function warnAboutChanges(
  document: string,
  { axisDisplay, referenceImage, missingPlanes, archived }: Membership,
): Warning[] {
  const changes = [
    ...axisDisplay ? ["steps"] : [],
    ...referenceImage ? ["the reference image"] : [],
    ...missingPlanes.size > 0 ? ["which planes are missing"] : [],
    ...Object.keys(archived).length > 0
      ? [isImageList(document) ? "date and time" : "what its archive keeps of the recording"]
      : [],
  ];
  const text = `The collection "${document}" gives this image ${changes.join(", ")}`;
  return warnIf(changes.length > 0, "collection_applied", text);
}

/** An image of no collection. */
const ALONE: Membership = {
  collection: null,
  documents: [],
  root: "",
  missingPlanes: new Set(),
  axisDisplay: null,
  referenceImage: null,
  scanPath: null,
  isLine: false,
  archived: {},
  archivedReference: {},
  unkept: [],
  warnings: [],
};

/** The member for the image, in the nearest collection that has one. */
async function searchCollections(search: Search): Promise<FoundMember | null> {
  const { image, files, allowance, warnings, admits } = search;
  let folder = dirname(image);
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    if (!lookOrWarn(search, () => admits(folder))) return null;
    await files.readAhead(folder);
    const documents = lookOrWarn(
      search,
      () => findDocuments(folder, files, (error) => warnUnlessClosed(search, error)),
    );
    const hasOwn = documents?.[0] !== undefined && rootsOf(documents[0])[0] === folder;
    const collections: string[] = [];
    let found: FoundMember | null = null;
    for (const document of documents ?? []) {
      files.stop.check();
      const isUsable = () => isBelowFolder(document, folder, files) && admits(dirname(document));
      if (!lookOrWarn(search, isUsable)) continue;
      const read = await readUsable<Collection>(document, "collection", files, warnings, allowance);
      if (!read) continue;
      collections.push(document);
      found ??= lookOrWarn(search, () => findMember(read, document, search));
      if (found && hasOwn) break;
    }
    if (found && collections.length > 1 && !hasOwn) {
      const names = collections.map((name) => `"${name}"`).join(", ");
      const text = `"${folder}" holds several collections: ${names}; the first one with the image is used`;
      warnings.push(warning("content_left_out", text));
    }
    if (found) return found;
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return null;
}

/** Runs `look`; if the place cannot be searched, warns and returns `null`. */
function lookOrWarn<T>(search: Search, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    warnUnlessClosed(search, error);
    return null;
  }
}

/** Warns about a place that could not be searched, unless access is denied: folders of other accounts are common neighbours. */
function warnUnlessClosed({ warnings }: Search, error: Unreadable): void {
  if (isClosed(error)) return;
  const text = `The search for the collection of this image is incomplete: ${error.message}`;
  addWarning(warnings, warning("file_unreadable", text));
}

/** A member found in a collection. */
export interface FoundMember {
  readonly document: string;
  readonly collection: Collection;
  readonly member: Member;
  readonly root: string;
  /** How the document differs from one of this program; `null` if it does not. */
  readonly foreign: string | null;
}

/** The member for the image, with the root of its collection. Compares written paths first, without disk access. */
function findMember(
  { value: collection, foreign }: AcceptedDocument<Collection>,
  document: string,
  search: Search,
): FoundMember | null {
  const { members } = collection;
  const { image, files, allowance, admits } = search;
  const roots = rootsOf(document);
  const [folder] = roots;
  const named = (isNamed: (path: string) => boolean) =>
    members.filter((member) => roots.some((root) => isNamed(resolveImagePath(root, member))));
  const exact = named((path) => path === image);
  const written = exact.length > 0 ? exact : named((path) => alike(path, image));
  const candidates = written.length > 0 ? written : members.slice(0, Math.max(0, allowance.members));
  if (written.length === 0) allowance.members -= members.length;
  const fitting = candidates.flatMap((member) => {
    const [here = false, above = false] = roots.map((root) => leadsToImage(root, member, search));
    return here || above ? [{ member, here, above }] : [];
  });
  if (fitting.length === 0) return null;
  const paths = [...fitting.map(({ member }) => member), ...members]
    .slice(0, MAX_MEMBERS_COUNTED).map((member) => member.ome_zarr);
  const root = findRoot(document, [...new Set(paths)], files, null, admits);
  const found = fitting.find(({ here, above }) => root === folder ? here : above);
  return found ? { document, collection, member: found.member, root, foreign } : null;
}

/** Path of the image of a member. */
export const resolveImagePath = (root: string, member: Member): string =>
  findImageFolder(resolve(root, member.ome_zarr));

/** True if the path of a member leads to the image, inside the collection. */
function leadsToImage(root: string, member: Member, search: Search): boolean {
  const { image, files } = search;
  files.stop.check();
  const path = resolveImagePath(root, member);
  const isAlike = path !== image && alike(path, image);
  const stored = isAlike
    ? join(root, findStoredSpelling(files, root, [member.ome_zarr])(member.ome_zarr))
    : path;
  return (findImageFolder(stored) === image || resolveInside(path, files) === image) &&
    isBelowFolder(stored, root, files);
}

/** Reads a collection's facts about one of its members; adds to `warnings`. */
export async function readMembership(
  { document, collection: { id, name, metadata, resources }, member, root, foreign }: FoundMember,
  files: FileTree,
  warnings: Warning[],
): Promise<Membership> {
  const inside = (path: string) => {
    const target = join(root, findStoredSpelling(files, root, [path])(path));
    try {
      if (isBelowFolder(target, root, files)) return resolveInside(target, files);
      warnings.push(
        warning("file_missing", `"${path}" of the collection does not exist or lies outside of it`),
      );
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      warnings.push(
        warning("file_unreadable", `"${path}" of the collection cannot be read: ${error.message}`),
      );
    }
    return null;
  };
  const strange = foreign === null ? [] : [`${quoted(basename(document))}: ${foreign}`];
  const read = isImageList(document)
    ? (await import("./acqstore_member.ts")).readForeignDocuments
    : readOwnDocuments;
  const content = await read(member, { inside, files, warnings, strange });
  const { documents, image, overview } = content;
  const reference = member.reference_image;
  if (strange.length > 0) warnings.push(warning("foreign_document", listed(strange)));
  const { readArchivedImage, readArchivedReference } = await import("../../schemas/archived.ts");
  const kept = readArchivedImage(image?.image_metadata);
  const keptReference = readArchivedReference(overview?.metadata);
  for (const key of [...kept.damaged, ...keptReference.damaged]) {
    warnings.push(warning("metadata_damaged", `The field "${key}" of the archive cannot be used`));
  }
  return {
    collection: { id, name, member: { id: member.id, name: member.name, accepted: image?.accepted ?? null } },
    documents,
    root,
    missingPlanes: listMissingPlanes(image),
    axisDisplay: image?.axis_display ?? null,
    referenceImage: reference ? inside(reference.ome_zarr) : null,
    scanPath: content.scanPath,
    isLine: content.isLine,
    archived: kept.fields,
    archivedReference: keptReference.fields,
    unkept: [
      ...member.summary ? ["the summaries of its members"] : [],
      ...metadata ? ["its metadata"] : [],
      ...resources?.tables?.length ? ["its tables"] : [],
    ].map((what) => `Of the collection ${quoted(name)}, ${what} are left out`),
    warnings,
  };
}

/** Planes that the image document lists as never recorded (`image_metadata.acq_server.missing_planes`). */
function listMissingPlanes(document: ImageDocument | null): ReadonlySet<string> {
  const own = document?.image_metadata?.["acq_server"];
  const listed = isJsonObject(own) ? own["missing_planes"] : [];
  const planes = (Array.isArray(listed) ? listed : []).filter(isJsonObject);
  return new Set(planes.map(({ t = 0, z = 0, c = 0 }) => `${t} ${z} ${c}`));
}
