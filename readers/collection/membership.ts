/**
 * What the collection around an OME-Zarr image says of it: the reference image with the scan path, and how its axes
 * are to be shown. A damaged document becomes a warning.
 */
import { dirname, join, resolve } from "node:path";
import type {
  Collection,
  DocumentKindName,
  ImageDocument,
  Member,
  ReferenceImageDocument,
} from "../../schemas/documents.ts";
import { DecodeFailed, PathNotAllowed, PathNotFound, ReaderError, Unreadable } from "../errors.ts";
import { isJsonObject, parseJson } from "../metadata/json.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";
import { isClosed, isInsideRoots } from "../io/paths.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type Warning, warning } from "../warning.ts";
import { documentIn, documentsBelow, rootOfDocument } from "./root.ts";

/** Folders above an image that are searched, nearest first. */
const MAX_LEVELS = 6;

/** Sub-folders of each that are searched. */
const MAX_FOLDERS = 200;

/** Bytes of all collection documents that one open reads: neighbours must not delay it by more than a second. */
const MAX_DOCUMENT_BYTES = 32 << 20;

/** Members, of all collections, whose links are followed in search of the image; each takes two disk accesses. */
const MAX_MEMBERS_FOLLOWED = 5_000;

/** Members of one collection whose images are looked for to tell its root. */
const MAX_MEMBERS_COUNTED = 1_000;

/** What a collection says of one of its images. */
export interface Membership {
  /** Steps and units for its axes, or `null`. */
  readonly axisDisplay: ImageDocument["axis_display"] | null;
  /** Resolved path of the reference image. */
  readonly referenceImage: string | null;
  /** `[x, y]` in pixels of the reference image. */
  readonly scanPath: readonly (readonly number[])[] | null;
  /** What of the documents could not be used. */
  readonly warnings: readonly Warning[];
}

/** What one open may still read. */
interface Allowance {
  bytes: number;
  members: number;
}

/** What is looked for. */
interface Search {
  readonly image: string;
  readonly imageAt: (path: string) => string;
  readonly files: FileAccess;
  readonly allowance: Allowance;
  /** What could not be looked into on the way. */
  readonly unreadable: Unreadable[];
}

/**
 * The collection that counts, or only the warnings about documents that could not be read.
 *
 * @param image resolved path
 * @param imageAt the path of the image that a path in a document means
 */
export async function membershipOf(
  image: string,
  imageAt: (path: string) => string,
  files: FileAccess,
): Promise<Membership> {
  const warnings: Warning[] = [];
  const allowance: Allowance = { bytes: MAX_DOCUMENT_BYTES, members: MAX_MEMBERS_FOLLOWED };
  const search: Search = { image, imageAt, files, allowance, unreadable: [] };
  const found = await foundCollection(search, warnings);
  const [first, ...more] = search.unreadable;
  if (first) {
    const others = more.length > 0 ? ` (and ${more.length} more)` : "";
    warnings.push(
      warning(
        "file_unreadable",
        `Not every place was searched for the collection of this image: ${first.message}${others}`,
      ),
    );
  }
  if (found) return await readMembership(found.member, found.root, files, warnings);
  if (allowance.bytes < 0 || allowance.members < 0) {
    warnings.push(
      warning(
        "content_left_out",
        "The collections around the image are too large to search; the image is shown as if it belonged to none",
      ),
    );
  }
  return { axisDisplay: null, referenceImage: null, scanPath: null, warnings };
}

/** The member that is the image, of the nearest collection that has one. */
async function foundCollection(search: Search, warnings: Warning[]): Promise<Found | null> {
  const { image, files, allowance } = search;
  const documents = new DocumentReader(files, warnings);
  let folder = dirname(image);
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const own = looked(search, () => documentIn(folder, files));
    const below = looked(
      search,
      () => documentsBelow(folder, files, MAX_FOLDERS, (error) => note(search, error)),
    );
    const collections: string[] = [];
    let found: Found | null = null;
    for (const document of [...own ? [own] : [], ...below ?? []]) {
      files.stop.check();
      if (!looked(search, () => isInside(document, folder, files))) continue;
      const collection = await documents.read<Collection>(document, "collection", allowance);
      if (!collection) continue;
      collections.push(document);
      found ??= looked(search, () => memberOf(collection, document, search));
      if (found && own) break;
    }
    if (found && collections.length > 1 && !own) {
      const names = collections.map((name) => `"${name}"`).join(", ");
      warnings.push(
        warning(
          "content_left_out",
          `More than one collection lies below "${folder}": ${names}; the first one that contains the image counts`,
        ),
      );
    }
    if (found) return found;
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return null;
}

/** What a look finds; what cannot be looked at counts as nothing and is noted. */
function looked<T>(search: Search, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    note(search, error);
    return null;
  }
}

/** Notes a place that could not be searched. Folders of other accounts are closed, and lie beside the image more often than not. */
function note({ unreadable }: Search, error: Unreadable): void {
  if (!isClosed(error)) unreadable.push(error);
}

/** A member and the root of its collection. */
interface Found {
  readonly member: Member;
  readonly root: string;
}

/** The member that is the image, with the root of the collection; by its written path first, which needs no disk. */
function memberOf(
  { members }: Collection,
  document: string,
  search: Search,
): Found | null {
  const { image, files, allowance } = search;
  const roots = [dirname(document), dirname(dirname(document))];
  const written = members.filter((member) => roots.some((root) => imagePath(root, member, search) === image));
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
  return found ? { member: found.member, root } : null;
}

/** Where a member says that its image lies. */
const imagePath = (root: string, member: Member, { imageAt }: Search): string =>
  imageAt(resolve(root, member.ome_zarr));

/** True when the path of a member leads to the image and does not leave the collection on its way. */
function isImage(root: string, member: Member, search: Search): boolean {
  const { image, files } = search;
  files.stop.check();
  const path = imagePath(root, member, search);
  return (path === image || resolved(path, files) === image) && isInside(path, root, files);
}

/** True when what a path leads to lies below what another leads to. */
function isInside(path: string, folder: string, files: FileAccess): boolean {
  const [target, top] = [resolved(path, files), resolved(folder, files)];
  return target !== null && top !== null && isInsideRoots(target, [top]);
}

/** The resolved path, or `null` when it leads nowhere or out of the roots. @throws {Unreadable} */
function resolved(path: string, files: FileAccess): string | null {
  try {
    return files.resolve(path);
  } catch (error) {
    if (error instanceof PathNotFound || error instanceof PathNotAllowed) return null;
    throw error;
  }
}

async function readMembership(
  member: Member,
  root: string,
  files: FileAccess,
  warnings: Warning[],
): Promise<Membership> {
  const documents = new DocumentReader(files, warnings);
  const inside = (path: string) => {
    const target = join(root, path);
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
  const imagePath = inside(member.resources.acqimage);
  const imageDocument = imagePath &&
    await documents.read<ImageDocument>(imagePath, "acqimage");
  const reference = member.reference_image;
  const metadataPath = reference && inside(reference.metadata);
  const metadata = metadataPath &&
    await documents.read<ReferenceImageDocument>(metadataPath, "reference-image");
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
  return {
    axisDisplay: imageDocument && own(imageDocument, member.resources.acqimage)
      ? imageDocument.axis_display ?? null
      : null,
    referenceImage: reference ? inside(reference.ome_zarr) : null,
    scanPath: reference && metadata && own(metadata, reference.metadata)
      ? metadata.scan_path?.points ?? null
      : null,
    warnings,
  };
}

/** Reads documents of collections; one that cannot be used gives a warning. */
class DocumentReader {
  readonly #files: FileAccess;
  readonly #warnings: Warning[];

  constructor(files: FileAccess, warnings: Warning[]) {
    this.#files = files;
    this.#warnings = warnings;
  }

  /**
   * A document that fits its schema, or `null`. A file that is another program's `collection.json` gives no warning.
   *
   * @param allowance bounds the bytes of documents, where they are searched
   */
  async read<T>(path: string, kind: DocumentKindName, allowance: Allowance | null = null): Promise<T | null> {
    try {
      const value = this.#parse(path, allowance);
      if (value === undefined) return null;
      // Loaded when a document is met, so that other images do not pay for zod.
      const { documentKindOf } = await import("../../schemas/documents.ts");
      const { schema, format } = documentKindOf(kind);
      if (kind === "collection" && !(isJsonObject(value) && value["format"] === format)) return null;
      const [issue] = schema.safeParse(value).error?.issues ?? [];
      if (!issue) return value as T;
      throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
    } catch (error) {
      if (!(error instanceof ReaderError) || error.tag === "Stopped") throw error;
      this.#warnings.push(
        warning("metadata_damaged", `The document "${path}" cannot be used: ${error.message}`),
      );
      return null;
    }
  }

  /** The content of a document, or `undefined` when it is more than what may still be read. */
  #parse(path: string, allowance: Allowance | null): unknown {
    const file = this.#files.open(path);
    try {
      if (file.size > MAX_JSON_BYTES) {
        throw new DecodeFailed(`it has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
      }
      if (allowance && (allowance.bytes -= file.size) < 0) return undefined;
      return parseJson(file.read(0, file.size, "the document"), "it");
    } finally {
      file.close();
    }
  }
}
