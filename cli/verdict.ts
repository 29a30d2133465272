/** The verdict of `acq-server validate` about a path. */
import { isAbsolute, join, relative, resolve } from "node:path";
import { ReaderError } from "../readers/errors.ts";
import { parseJson } from "../readers/metadata/json.ts";
import { MAX_JSON_BYTES } from "../readers/io/limits.ts";
import { FileAccess } from "../readers/io/random_access.ts";
import { documentIn, documentsBelow, zipRoot } from "../readers/collection/documents.ts";
import { DOCUMENT_KINDS } from "../schemas/documents.ts";
import { type FileTree, ZipFiles } from "../readers/ome_zarr/zip_files.ts";
import { CollectionTree, type MissingPlanes } from "./collection_tree.ts";
import { ALONE, declaredKind, judgeDocument } from "../schemas/document_rules.ts";
import { DocumentProblems, type Problem } from "../schemas/problems.ts";

/** Largest number of subfolders of a root that are searched for its document. */
const MAX_FOLDERS = 5_000;

/** The verdict about a path. */
export interface Verdict {
  /** Path as given. */
  readonly path: string;
  readonly valid: boolean;
  /** Why it cannot be read, or `null`. */
  readonly unreadable: string | null;
  readonly problems: readonly Problem[];
  /** Planes that the recordings lack; these are not problems. */
  readonly missingPlanes: readonly MissingPlanes[];
}

/** Validates the root of a collection, a ZIP file of it, a `collection.json`, or a single document of any kind. */
export function validatePath(given: string): Verdict {
  const path = resolve(given);
  const files = new FileAccess();
  const found: Found = { problems: [], missingPlanes: [] };
  let unreadable: string | null = null;
  try {
    if (files.kind(path) === "directory") unreadable = judgeRoot(path, files, found);
    else if (/\.zip$/i.test(path)) unreadable = judgeZip(new ZipFiles(path, files), found);
    else judgeFile(path, null, files, found);
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    unreadable = error.message;
  } finally {
    files.close();
  }
  return {
    path: given,
    valid: unreadable === null && found.problems.length === 0,
    unreadable,
    // Files are shown like the given path: absolute, or relative to the working directory.
    problems: found.problems.map((problem) => ({
      ...problem,
      file: isAbsolute(given) ? problem.file : relative(".", problem.file) || ".",
    })),
    missingPlanes: found.missingPlanes,
  };
}

interface Found {
  readonly problems: Problem[];
  readonly missingPlanes: MissingPlanes[];
}

function judgeZip(zip: ZipFiles, found: Found): string | null {
  if (zip.repeated !== null) {
    new DocumentProblems(zip.archive, found.problems).add(
      [],
      `several entries have the name "${zip.repeated}"`,
    );
  }
  const root = zip.kind(join(zip.archive, "acqimage")) === "directory" ? zip.archive : zipRoot(zip);
  if (zip.kind(join(root, "acqimage")) !== "directory" || documentIn(root, zip) !== null) {
    return judgeRoot(root, zip, found);
  }
  new CollectionTree(join(root, "acqimage"), null, root, found.problems, zip).judgeAlone(zip);
  return null;
}

function judgeRoot(root: string, files: FileTree, found: Found): string | null {
  const own = documentIn(root, files);
  const documents = own ? [own] : documentsBelow(root, files, MAX_FOLDERS);
  const [document, another] = documents;
  if (document === undefined) {
    return `"${root}" is not a collection: there is no collection.json in it or directly below`;
  }
  if (another !== undefined) {
    const names = documents.map((name) => `"${name}"`).join(", ");
    new DocumentProblems(root, found.problems).add([], `there is more than one collection.json: ${names}`);
  } else judgeFile(document, root, files, found);
  return null;
}

function judgeFile(path: string, root: string | null, files: FileTree, all: Found): void {
  const file = files.open(path);
  const found = new DocumentProblems(path, all.problems);
  if (file.size > MAX_JSON_BYTES) {
    return found.add([], `the document has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
  }
  const bytes = file.read(0, file.size, "the document");
  let value: unknown;
  try {
    value = parseJson(bytes, "the document");
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    return found.add([], error.message);
  }
  const kind = root === null ? declaredKind(value)?.kind : "collection";
  if (kind === undefined) {
    const formats = DOCUMENT_KINDS.map(({ format }) => `"${format}"`).join(", ");
    return found.add(["format"], `unknown format, expected one of ${formats}`);
  }
  if (kind === "collection") {
    const zip = files instanceof ZipFiles ? files : null;
    const tree = new CollectionTree(path, value, root, all.problems, zip);
    tree.judge(value);
    all.missingPlanes.push(...tree.missingPlanes);
  } else judgeDocument(kind, value, ALONE, found);
}
