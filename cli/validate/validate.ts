/** Judges a path of `acq-server validate`. */
import { isAbsolute, relative, resolve } from "node:path";
import { ReaderError } from "../../readers/errors.ts";
import { parseJson } from "../../readers/metadata/json.ts";
import { MAX_JSON_BYTES } from "../../readers/io/limits.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { documentIn, documentsBelow } from "../../readers/collection/root.ts";
import { DOCUMENT_KINDS } from "../../schemas/documents.ts";
import { CollectionTree } from "./collection_tree.ts";
import { ALONE, declaredKind, judgeDocument } from "../../schemas/document_rules.ts";
import { DocumentProblems, type Problem } from "../../schemas/problems.ts";

/** Sub-folders of a root that are searched for its document. */
const MAX_FOLDERS = 5_000;

/** The verdict on a path. */
export interface Verdict {
  /** As given. */
  readonly path: string;
  /** True if it was read and has no problem. */
  readonly valid: boolean;
  /** Why it cannot be read, or `null`. */
  readonly unreadable: string | null;
  /** In the order of their discovery. */
  readonly problems: readonly Problem[];
}

/** Judges a collection root, a `collection.json`, or a single document of any kind. */
export function validatePath(given: string): Verdict {
  const path = resolve(given);
  const files = new FileAccess();
  const problems: Problem[] = [];
  let unreadable: string | null = null;
  try {
    if (files.kind(path) === "directory") unreadable = judgeRoot(path, files, problems);
    else judgeFile(path, null, files, problems);
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    unreadable = error.message;
  } finally {
    files.close();
  }
  return {
    path: given,
    valid: unreadable === null && problems.length === 0,
    unreadable,
    problems: problems.map((problem) => ({ ...problem, file: shownLike(given, problem.file) })),
  };
}

/** Names a file as the path was given: absolute, or from the working directory. */
const shownLike = (given: string, file: string) => isAbsolute(given) ? file : relative(".", file) || ".";

function judgeRoot(root: string, files: FileAccess, problems: Problem[]): string | null {
  const own = documentIn(root, files);
  const documents = own ? [own] : documentsBelow(root, files, MAX_FOLDERS);
  const [document, another] = documents;
  if (document === undefined) {
    return `"${root}" is not a collection: there is no collection.json in it or directly below`;
  }
  if (another !== undefined) {
    const names = documents.map((name) => `"${name}"`).join(", ");
    new DocumentProblems(root, problems).add([], `there is more than one collection.json: ${names}`);
  } else judgeFile(document, root, files, problems);
  return null;
}

function judgeFile(path: string, root: string | null, files: FileAccess, problems: Problem[]): void {
  const file = files.open(path);
  const found = new DocumentProblems(path, problems);
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
  if (kind === "collection") new CollectionTree(path, value, root, problems).judge(value);
  else judgeDocument(kind, value, ALONE, found);
}
