/** The verdict of `acq-server validate` about a path. */
import { isAbsolute, join, relative, resolve } from "node:path";
import { DecodeFailed, quoted, ReaderError, UnsupportedFormat } from "../readers/errors.ts";
import { MAX_JSON_BYTES } from "../readers/io/limits.ts";
import { FileAccess } from "../readers/io/file_access.ts";
import { COLLECTION_FILE, findDocuments, findZipRoot, isImageList } from "../readers/collection/documents.ts";
import { DOCUMENT_KINDS } from "../schemas/documents.ts";
import { type FileTree, ZipFiles } from "../readers/ome_zarr/zip_files.ts";
import { checkImageList } from "./image_list_tree.ts";
import { CollectionTree, type Findings, parseDocument } from "./collection_tree.ts";
import { ALONE, checkDocument, findDeclaredKind } from "../schemas/document_rules.ts";
import { DocumentProblems } from "../schemas/problems.ts";

/** Largest number of subfolders of a root that are searched for its document. */
const MAX_FOLDERS = 5_000;

/** The verdict about a path. */
export interface PathVerdict extends Findings {
  /** Path as given. */
  readonly path: string;
  readonly valid: boolean;
  /** Why it cannot be read, or `null`. */
  readonly unreadable: string | null;
}

/** Validates the root of a collection, a ZIP file of it, a `collection.json`, or a single document of any kind. */
export async function validatePath(given: string): Promise<PathVerdict> {
  const path = resolve(given);
  const files = new FileAccess();
  let found: Findings = { problems: [], missingPlanes: [] };
  let unreadable: string | null = null;
  try {
    await files.listingAhead(() => {
      found = { problems: [], missingPlanes: [] };
      if (files.kind(path) === "directory") checkRoot(path, files, found);
      else if (/\.zip$/i.test(path)) checkZip(new ZipFiles(path, files), found);
      else checkFile(path, null, files, found);
    });
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    // The message about what a file contains says where in it.
    unreadable = error instanceof DecodeFailed
      ? `Cannot read ${quoted(given)}: ${error.message}`
      : error.message;
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

function checkZip(zip: ZipFiles, found: Findings): void {
  if (zip.repeated !== null) {
    const problems = new DocumentProblems(zip.archive, found.problems);
    problems.add([], `several entries have the name "${zip.repeated}"`);
  }
  const root = zip.kind(join(zip.archive, "acqimage")) === "directory" ? zip.archive : findZipRoot(zip);
  const documents = join(root, "acqimage");
  if (zip.kind(documents) !== "directory" || zip.kind(join(root, COLLECTION_FILE)) === "file") {
    checkRoot(root, zip, found);
  } else {
    new CollectionTree(documents, null, root, zip, found).checkAlone();
  }
}

/** @throws {UnsupportedFormat} there is no collection */
function checkRoot(root: string, files: FileTree, found: Findings): void {
  const own = join(root, COLLECTION_FILE);
  const fail = (error: Error) => {
    throw error;
  };
  const documents = files.kind(own) === "file" ? [own] : findDocuments(root, files, fail, MAX_FOLDERS);
  const [document, another] = documents;
  if (document === undefined) {
    throw new UnsupportedFormat(
      `"${root}" is not a collection: there is no collection.json in it or directly below`,
    );
  }
  if (another === undefined) return checkFile(document, root, files, found);
  const names = documents.map((name) => `"${name}"`).join(", ");
  new DocumentProblems(root, found.problems).add(
    [],
    `there is more than one document of a collection: ${names}`,
  );
}

function checkFile(path: string, root: string | null, files: FileTree, found: Findings): void {
  const file = files.open(path);
  const problems = new DocumentProblems(path, found.problems);
  if (file.size > MAX_JSON_BYTES) {
    return problems.add([], `the document has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
  }
  const value = parseDocument(file.read(0, file.size, "the document"), problems);
  if (value === undefined) return;
  if (isImageList(path)) return checkImageList(path, value, files, found);
  const kind = root === null ? findDeclaredKind(value)?.kind : "collection";
  if (kind === "collection") new CollectionTree(path, value, root, files, found).check(value);
  else if (kind !== undefined) checkDocument(kind, value, ALONE, problems);
  else {
    const formats = DOCUMENT_KINDS.map(({ format }) => `"${format}"`).join(", ");
    problems.add(["format"], `unknown format, expected one of ${formats}`);
  }
}
