/** The collection around an OME-Zarr image: its reference image with the scan path, and the display of its axes. */
import { dirname, join, resolve } from "node:path";
import type { Collection, ImageDocument, Member, ReferenceImageDocument } from "../../schemas/documents.ts";
import { Unreadable } from "../errors.ts";
import { alike, storedSpelling } from "../io/names.ts";
import { isClosed } from "../io/paths.ts";
import { isJsonObject } from "../metadata/json.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { imageAt } from "../ome_zarr/opened_store.ts";
import type { MemberName } from "../reader.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import {
  type Allowance,
  COLLECTION_FILE,
  documentsAround,
  isInside,
  readUsable,
  resolved,
  rootOfDocument,
  searchAllowance,
} from "./documents.ts";

/** Number of folders above an image to search, the nearest first. */
const MAX_LEVELS = 6;

/** Number of members whose images decide which folder is the root of their collection. */
const MAX_MEMBERS_COUNTED = 1_000;

/** A collection's facts about one of its images. */
export interface Membership {
  /** The collection and the member; `null` for an image outside any collection. */
  readonly collection: MemberName | null;
  /** Documents of the member: the path below the root of the collection, and the resolved path. */
  readonly documents: readonly { readonly name: string; readonly path: string }[];
  readonly root: string;
  /** Indices `t`, `z`, `c` of planes that were never recorded, as `"t z c"`. */
  readonly missingPlanes: ReadonlySet<string>;
  /** Steps and units of its axes, or `null`. */
  readonly axisDisplay: ImageDocument["axis_display"] | null;
  /** Resolved path of the reference image. */
  readonly referenceImage: string | null;
  /** Points `[x, y]` in pixels of the reference image. */
  readonly scanPath: readonly (readonly number[])[] | null;
  readonly warnings: readonly Warning[];
}

interface Search {
  readonly image: string;
  readonly files: FileAccess;
  readonly allowance: Allowance;
  readonly warnings: Warning[];
}

/** The facts of the nearest collection with the image at this resolved path; only warnings if no collection has it. */
export async function membershipOf(image: string, files: FileAccess): Promise<Membership> {
  const warnings: Warning[] = [];
  const allowance = searchAllowance();
  const found = await foundCollection({ image, files, allowance, warnings });
  if (found) return await readMembership(found, files, warnings);
  if (allowance.bytes < 0 || allowance.members < 0) {
    const text = "The collections around the image are too large to search; it is shown without a collection";
    warnings.push(warning("content_left_out", text));
  }
  return { ...ALONE, warnings };
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
  warnings: [],
};

/** The member for the image, in the nearest collection that has one. */
async function foundCollection(search: Search): Promise<FoundMember | null> {
  const { image, files, allowance, warnings } = search;
  let folder = dirname(image);
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const documents = looked(search, () => documentsAround(folder, files, (error) => note(search, error)));
    const hasOwn = documents?.[0] === join(folder, COLLECTION_FILE);
    const collections: string[] = [];
    let found: FoundMember | null = null;
    for (const document of documents ?? []) {
      files.stop.check();
      if (!looked(search, () => isInside(document, folder, files))) continue;
      const collection = await readUsable<Collection>(document, "collection", files, warnings, allowance);
      if (!collection) continue;
      collections.push(document);
      found ??= looked(search, () => memberOf(collection, document, search));
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
function looked<T>(search: Search, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    note(search, error);
    return null;
  }
}

/** Warns about a place that could not be searched, unless access is denied: folders of other accounts are common neighbours. */
function note({ warnings }: Search, error: Unreadable): void {
  if (isClosed(error)) return;
  const text = `The search for the collection of this image is incomplete: ${error.message}`;
  addWarning(warnings, warning("file_unreadable", text));
}

/** A member found in a collection. */
export interface FoundMember {
  readonly collection: Collection;
  readonly member: Member;
  readonly root: string;
}

/** The member for the image, with the root of its collection. Compares written paths first, without disk access. */
function memberOf(
  collection: Collection,
  document: string,
  search: Search,
): FoundMember | null {
  const { members } = collection;
  const { image, files, allowance } = search;
  const roots = [dirname(document), dirname(dirname(document))];
  const named = (isNamed: (path: string) => boolean) =>
    members.filter((member) => roots.some((root) => isNamed(imagePath(root, member))));
  const exact = named((path) => path === image);
  const written = exact.length > 0 ? exact : named((path) => alike(path, image));
  const candidates = written.length > 0 ? written : members.slice(0, Math.max(0, allowance.members));
  if (written.length === 0) allowance.members -= members.length;
  const fitting = candidates.flatMap((member) => {
    const [here, above] = roots.map((root) => isImage(root, member, search));
    return here || above ? [{ member, here, above }] : [];
  });
  if (fitting.length === 0) return null;
  const paths = [...fitting.map(({ member }) => member), ...members]
    .slice(0, MAX_MEMBERS_COUNTED).map((member) => member.ome_zarr);
  const root = rootOfDocument(document, [...new Set(paths)], files);
  const found = fitting.find(({ here, above }) => root === dirname(document) ? here : above);
  return found ? { collection, member: found.member, root } : null;
}

/** Path of the image of a member. */
export const imagePath = (root: string, member: Member): string => imageAt(resolve(root, member.ome_zarr));

/** True if the path of a member leads to the image, inside the collection. */
function isImage(root: string, member: Member, search: Search): boolean {
  const { image, files } = search;
  files.stop.check();
  const path = imagePath(root, member);
  const isAlike = path !== image && alike(path, image);
  const stored = isAlike ? join(root, storedSpelling(files, root, [member.ome_zarr])(member.ome_zarr)) : path;
  return (imageAt(stored) === image || resolved(path, files) === image) && isInside(stored, root, files);
}

/** Reads a collection's facts about one of its members; adds to `warnings`. */
export async function readMembership(
  { collection: { id, name }, member, root }: FoundMember,
  files: FileTree,
  warnings: Warning[],
): Promise<Membership> {
  const inside = (path: string) => {
    const target = join(root, storedSpelling(files, root, [path])(path));
    try {
      if (isInside(target, root, files)) return resolved(target, files);
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
  const { acqimage, analyses } = member.resources;
  const imagePath = inside(acqimage);
  const read = imagePath && await readUsable<ImageDocument>(imagePath, "acqimage", files, warnings);
  const analysesPath = analyses === undefined ? null : inside(analyses);
  const reference = member.reference_image;
  const metadataPath = reference && inside(reference.metadata);
  const metadata = metadataPath &&
    await readUsable<ReferenceImageDocument>(metadataPath, "reference-image", files, warnings);
  const own = (document: { image_id: string }, name: string) => {
    if (document.image_id === member.id) return true;
    warnings.push(
      warning(
        "metadata_disagree",
        `"${name}" describes the image "${document.image_id}", not "${member.id}", and is left out`,
      ),
    );
    return false;
  };
  const imageDocument = read && own(read, acqimage) ? read : null;
  const found = [[acqimage, imagePath], [analyses, analysesPath], [
    reference?.metadata,
    metadataPath,
  ]] as const;
  return {
    collection: {
      id,
      name,
      member: { id: member.id, name: member.name, accepted: imageDocument?.accepted ?? null },
    },
    documents: found.flatMap(([name, path]) => name !== undefined && path ? [{ name, path }] : []),
    root,
    missingPlanes: missingPlanes(imageDocument),
    axisDisplay: imageDocument?.axis_display ?? null,
    referenceImage: reference ? inside(reference.ome_zarr) : null,
    scanPath: reference && metadata && own(metadata, reference.metadata)
      ? metadata.scan_path?.points ?? null
      : null,
    warnings,
  };
}

/** Planes that the image document lists as never recorded (`image_metadata.acq_server.missing_planes`). */
function missingPlanes(document: ImageDocument | null): ReadonlySet<string> {
  const own = document?.image_metadata?.["acq_server"];
  const listed = isJsonObject(own) ? own["missing_planes"] : [];
  const planes = (Array.isArray(listed) ? listed : []).filter(isJsonObject);
  return new Set(planes.map(({ t = 0, z = 0, c = 0 }) => `${t} ${z} ${c}`));
}
