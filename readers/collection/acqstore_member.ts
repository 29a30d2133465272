/** Reads a member of a collection in the layout of acqstore 0.2.0. Loaded with the first of them, since it loads zod. */
import type { Manifest, Sidecar } from "../../schemas/acqstore.ts";
import type { DocumentKindName, Member } from "../../schemas/documents.ts";
import { findFirstIssue } from "../../schemas/problems.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { warnIf, type Warning } from "../warning.ts";
import { foreignMember, MEMBER_SCHEMAS, parseForeign } from "./acqstore_layout.ts";
import { documentBytes, hashDocument, unlessUnusable } from "./documents.ts";
import {
  type DocumentFile,
  type MemberDocument,
  type MemberFacts,
  type MemberReading,
  tablesOf,
} from "./member_documents.ts";

/** A part of a member in the layout of acqstore, as its schema has accepted it. */
interface ForeignPart<T> {
  readonly value: T;
  readonly digest: string;
  /** False if the file has numbers that JSON lacks. */
  readonly isJson: boolean;
}

/** Reads the sidecar or the manifest of a member; if it cannot be used, warns and returns `null`. */
async function readForeignPart<Kind extends "sidecar" | "manifest">(
  path: string,
  kind: Kind,
  files: FileTree,
  warnings: Warning[],
): Promise<ForeignPart<ForeignParts[Kind]> | null> {
  return await unlessUnusable(path, warnings, () => {
    const bytes = documentBytes(path, files, () => true)!;
    const { value, isFinite } = parseForeign(bytes, "it");
    const text = `Numbers in the document "${path}" are not finite and count as missing`;
    warnings.push(...warnIf(!isFinite, "metadata_damaged", text));
    const issue = findFirstIssue(MEMBER_SCHEMAS[kind], value);
    if (issue !== null) throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
    return Promise.resolve({
      value: value as ForeignParts[Kind],
      digest: hashDocument(bytes),
      isJson: isFinite,
    });
  });
}

interface ForeignParts {
  readonly sidecar: Sidecar;
  readonly manifest: Manifest;
}

/** Reads the sidecar and the manifest of a member in the layout of acqstore 0.2.0. */
export async function readForeignDocuments(
  member: Member,
  { inside, files, warnings, strange }: MemberReading,
): Promise<MemberFacts> {
  const found: DocumentFile[] = [];
  const part = async <Kind extends "sidecar" | "manifest">(name: string, kind: Kind) => {
    const path = inside(name);
    const read = path && await readForeignPart(path, kind, files, warnings);
    if (!path || !read) return null;
    found.push({ name, path, digest: read.digest, isJson: read.isJson });
    return read.value;
  };
  const { acqimage, analyses: list = "" } = member.resources;
  const side = await part(acqimage, "sidecar");
  const manifest = await part(list, "manifest");
  const { image, analyses, reference, scanPath, isLine, warnings: doubts } = foreignMember(
    member,
    side,
    manifest,
  );
  warnings.push(...doubts);
  if (Object.keys(side?.image_contrast ?? {}).length > 0) {
    strange.push(`${quoted(acqimage)}: its contrast is kept, but not shown`);
  }
  if (analyses?.analyses.some(({ resources = [] }) => resources.length === 0)) {
    strange.push(`${quoted(acqimage)}: analyses have no tables`);
  }
  /** The documents again, from the bytes of the files. */
  const again = (bytes: readonly Uint8Array[]) => {
    const valueOf = <T>(name: string) => {
      const own = bytes[found.findIndex((file) => file.name === name)];
      return own === undefined ? null : parseForeign(own, quoted(name)).value as T;
    };
    return foreignMember(member, valueOf(acqimage), valueOf(list));
  };
  const document = (
    kind: DocumentKindName,
    pick: (made: ReturnType<typeof foreignMember>) => unknown,
    tables: readonly string[] = [],
  ): MemberDocument => ({
    kind,
    name: `${member.ome_zarr}/${kind}.json`,
    files: found,
    made: (bytes) => pick(again(bytes)),
    tables,
  });
  return {
    documents: [
      ...image ? [document("acqimage", (made) => made.image)] : [],
      ...analyses ? [document("analyses", (made) => made.analyses, tablesOf(analyses))] : [],
      ...reference ? [document("reference-image", (made) => made.reference)] : [],
    ],
    image,
    overview: reference,
    scanPath,
    isLine,
  };
}
