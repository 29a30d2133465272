/** Reads the JSON documents of collections. */
import type { DocumentKindName } from "../../schemas/documents.ts";
import { DecodeFailed, ReaderError } from "../errors.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { isJsonObject, parseJson } from "../metadata/json.ts";
import { type Warning, warning } from "../warning.ts";

/** Bytes of the collection documents of one search, about a second. */
const MAX_DOCUMENT_BYTES = 32 << 20;

/** Members of one search whose links are followed, two disk accesses each. */
const MAX_MEMBERS_FOLLOWED = 5_000;

/** What a search may still read; negative once exceeded. */
export interface Allowance {
  /** Bytes of documents. */
  bytes: number;
  /** Members. */
  members: number;
}

/** The allowance of one search. */
export const searchAllowance = (): Allowance => ({
  bytes: MAX_DOCUMENT_BYTES,
  members: MAX_MEMBERS_FOLLOWED,
});

/** Reads documents; unusable ones give a warning. */
export class DocumentReader {
  readonly #files: FileTree;
  readonly #warnings: Warning[];

  /** Adds to `warnings`. */
  constructor(files: FileTree, warnings: Warning[]) {
    this.#files = files;
    this.#warnings = warnings;
  }

  /**
   * A valid document, or `null`. A `collection.json` of another program gives no warning.
   *
   * @param allowance bounds the bytes of a search
   */
  async read<T>(path: string, kind: DocumentKindName, allowance: Allowance | null = null): Promise<T | null> {
    try {
      return await readDocument<T>(path, kind, this.#files, allowance);
    } catch (error) {
      if (!(error instanceof ReaderError) || error.tag === "Stopped") throw error;
      this.#warnings.push(
        warning("metadata_damaged", `The document "${path}" cannot be used: ${error.message}`),
      );
      return null;
    }
  }
}

/**
 * Reads a document.
 *
 * @param allowance bounds the bytes of a search
 * @returns `null` for a `collection.json` of another program, and where the search has read enough
 * @throws {DecodeFailed} it is damaged or invalid
 */
export async function readDocument<T>(
  path: string,
  kind: DocumentKindName,
  files: FileTree,
  allowance: Allowance | null = null,
): Promise<T | null> {
  const file = files.open(path);
  let value: unknown;
  try {
    if (file.size > MAX_JSON_BYTES) {
      throw new DecodeFailed(`it has ${file.size} bytes, more than ${MAX_JSON_BYTES}`);
    }
    if (allowance && (allowance.bytes -= file.size) < 0) return null;
    value = parseJson(file.read(0, file.size, "the document"), "it");
  } finally {
    file.close();
  }
  // Loaded with the first document, so that other images do not pay for zod.
  const { documentKindOf } = await import("../../schemas/documents.ts");
  const { schema, format } = documentKindOf(kind);
  if (kind === "collection" && !(isJsonObject(value) && value["format"] === format)) return null;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (!issue) return value as T;
  throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
}
