/** The documents of a member of a collection. */
import type {
  AnalysesDocument,
  DocumentKindName,
  ImageDocument,
  Member,
  ReferenceImageDocument,
} from "../../schemas/documents.ts";
import { quoted } from "../errors.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { type Warning, warning } from "../warning.ts";
import { readUsable } from "./documents.ts";

/** A file that a document of a member comes from. */
export interface DocumentFile {
  /** Path below the root of the collection. */
  readonly name: string;
  /** Resolved path. */
  readonly path: string;
  readonly digest: string;
  /** False if the file has numbers that JSON lacks. */
  readonly isJson: boolean;
}

/** An accepted document of a member. */
export interface MemberDocument {
  readonly kind: DocumentKindName;
  /** Path below the root of the collection; that of a made document belongs to no file. */
  readonly name: string;
  readonly files: readonly DocumentFile[];
  /** Makes the document from the bytes of its files, if they have another layout; `null` for a file that is the document. */
  readonly made: ((bytes: readonly Uint8Array[]) => unknown) | null;
  /** Paths of its tables below the root of the collection. */
  readonly tables: readonly string[];
}

/** How the documents of a member are read. */
export interface MemberReading {
  /** The resolved path of a file of the collection; `null`, with a warning, if it leads nowhere or out of it. */
  readonly inside: (path: string) => string | null;
  readonly files: FileTree;
  readonly warnings: Warning[];
  /** Receives how documents differ from those of this program. */
  readonly strange: string[];
}

/** The documents of a member, and what they say. */
export interface MemberFacts {
  readonly documents: readonly MemberDocument[];
  readonly image: ImageDocument | null;
  readonly overview: ReferenceImageDocument | null;
  readonly scanPath: readonly (readonly number[])[] | null;
  readonly isLine: boolean;
}

/** Paths of the tables of analyses. */
export const tablesOf = ({ analyses }: AnalysesDocument): string[] =>
  analyses.flatMap(({ resources = [] }) => resources.map(({ path }) => path));

/** Reads the documents that a member names. */
export async function readOwnDocuments(
  { id, resources, reference_image: reference }: Member,
  { inside, files, warnings, strange }: MemberReading,
): Promise<MemberFacts> {
  const documents: MemberDocument[] = [];
  const linked = async <T extends { readonly image_id: string }>(
    name: string | undefined,
    kind: DocumentKindName,
    tablesOf: (value: T) => readonly string[] = () => [],
  ): Promise<T | null> => {
    const path = name === undefined ? null : inside(name);
    const read = path && await readUsable<T>(path, kind, files, warnings);
    if (name === undefined || !path || !read) return null;
    const { value, digest, foreign } = read;
    if (foreign !== null) strange.push(`${quoted(name)}: ${foreign}`);
    if (value.image_id !== id) {
      const text = `"${name}" describes the image "${value.image_id}", not "${id}", and is left out`;
      warnings.push(warning("metadata_disagree", text));
      return null;
    }
    documents.push({
      kind,
      name,
      files: [{ name, path, digest, isJson: true }],
      made: null,
      tables: tablesOf(value),
    });
    return value;
  };
  const image = await linked<ImageDocument>(resources.acqimage, "acqimage");
  await linked<AnalysesDocument>(resources.analyses, "analyses", tablesOf);
  const overview = await linked<ReferenceImageDocument>(reference?.metadata, "reference-image");
  return { documents, image, overview, scanPath: overview?.scan_path?.points ?? null, isLine: false };
}
