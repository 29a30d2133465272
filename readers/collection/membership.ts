/**
 * What the collection around an OME-Zarr image says of it: the reference image with the scan path, and how its axes
 * are to be shown. A damaged document becomes a warning.
 */
import { dirname, join } from "node:path";
import type { Collection, Member } from "../../schemas/collection.ts";
import type { DocumentKindName } from "../../schemas/document_kinds.ts";
import type { ImageDocument } from "../../schemas/image.ts";
import type { ReferenceImageDocument } from "../../schemas/reference_image.ts";
import { DecodeFailed, ReaderError } from "../errors.ts";
import { isJsonObject, parseJson } from "../json.ts";
import { MAX_JSON_BYTES } from "../limits.ts";
import { type FileAccess, isInsideRoots } from "../random_access.ts";
import { documentIn, documentsBelow, rootOfDocument } from "./root.ts";

/** Folders above an image that are looked at, nearest first. */
const MAX_LEVELS = 6;

/** Sub-folders of each that are looked at. */
const MAX_FOLDERS = 200;

/** What a collection says of one of its images. */
export interface Membership {
  readonly axisDisplay: ImageDocument["axis_display"] | null;
  /** Resolved path of the reference image. */
  readonly referenceImage: string | null;
  /** `[x, y]` in pixels of the reference image. */
  readonly scanPath: readonly (readonly number[])[] | null;
  readonly warnings: readonly string[];
}

/** The collection that counts, or only the warnings about documents that could not be read. */
export async function membershipOf(image: string, files: FileAccess): Promise<Membership> {
  const warnings: string[] = [];
  let folder = dirname(image);
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const own = documentIn(folder, files);
    for (const document of [...own ? [own] : [], ...documentsBelow(folder, files, MAX_FOLDERS)]) {
      files.stop.check();
      const collection = await readDocument<Collection>(document, "collection", files, warnings);
      if (!collection) continue;
      const root = rootOfDocument(document, collection.members.map((member) => member.ome_zarr), files);
      const member = collection.members.find((m) => resolved(join(root, m.ome_zarr), files) === image);
      if (member) return await readMembership(member, root, files, warnings);
    }
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return { axisDisplay: null, referenceImage: null, scanPath: null, warnings };
}

/** The resolved path, or `null` when it leads nowhere or out of the roots. */
function resolved(path: string, files: FileAccess): string | null {
  try {
    return files.resolve(path);
  } catch (error) {
    if (error instanceof ReaderError && error.tag !== "Stopped") return null;
    throw error;
  }
}

async function readMembership(
  member: Member,
  root: string,
  files: FileAccess,
  warnings: string[],
): Promise<Membership> {
  const inside = (path: string) => {
    const target = resolved(join(root, path), files);
    const top = resolved(root, files);
    if (target !== null && top !== null && isInsideRoots(target, [top])) return target;
    warnings.push(`"${path}" of the collection does not exist or lies outside of it`);
    return null;
  };
  const imagePath = inside(member.resources.acqimage);
  const imageDocument = imagePath &&
    await readDocument<ImageDocument>(imagePath, "acqimage", files, warnings);
  const reference = member.reference_image;
  const metadataPath = reference && inside(reference.metadata);
  const metadata = metadataPath &&
    await readDocument<ReferenceImageDocument>(metadataPath, "reference-image", files, warnings);
  const own = (document: { image_id: string }, name: string) => {
    if (document.image_id === member.id) return true;
    warnings.push(
      `"${name}" is of the image "${document.image_id}" and not of "${member.id}"; it is left out`,
    );
    return false;
  };
  return {
    axisDisplay: imageDocument && own(imageDocument, member.resources.acqimage)
      ? imageDocument.axis_display ?? null
      : null,
    referenceImage: reference ? inside(reference.ome_zarr) : null,
    scanPath: metadata && own(metadata, reference!.metadata) ? metadata.scan_path?.points ?? null : null,
    warnings,
  };
}

/**
 * A document that fits its schema, or `null` with a warning. A file that is another program's `collection.json`
 * gives no warning.
 */
async function readDocument<T>(
  path: string,
  kind: DocumentKindName,
  files: FileAccess,
  warnings: string[],
): Promise<T | null> {
  try {
    const file = files.open(path);
    let value: unknown;
    try {
      if (file.size > MAX_JSON_BYTES) {
        throw new DecodeFailed(`it has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
      }
      value = parseJson(file.read(0, file.size, "the document"), "it");
    } finally {
      file.close();
    }
    // Loaded when a document is met, so that other images do not pay for zod.
    const { documentKindOf } = await import("../../schemas/mod.ts");
    const { schema, format } = documentKindOf(kind);
    if (kind === "collection" && !(isJsonObject(value) && value["format"] === format)) return null;
    const judged = schema.safeParse(value);
    if (judged.success) return judged.data as T;
    const issue = judged.error.issues[0]!;
    throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
  } catch (error) {
    if (!(error instanceof ReaderError) || error.tag === "Stopped") throw error;
    warnings.push(`The document "${path}" cannot be used: ${error.message}`);
    return null;
  }
}
