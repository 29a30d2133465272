/** Validates a collection in the layout of acqstore 0.2.0, by the rules of the documents that it is opened as. */
import { join } from "node:path";
import { imageList, manifest, sidecar } from "../schemas/acqstore.ts";
import { checkDocument, type DocumentContext } from "../schemas/document_rules.ts";
import { findDocumentKind, findMemberCountProblem } from "../schemas/documents.ts";
import { checkIds, checkValue, DocumentProblems, listObjects, type Problem } from "../schemas/problems.ts";
import type { Collection } from "../schemas/documents.ts";
import { foreignMember, parseForeign } from "../readers/collection/acqstore_layout.ts";
import { collectionOfList } from "../readers/collection/acqstore_list.ts";
import { ReaderError } from "../readers/errors.ts";
import { MAX_JSON_BYTES } from "../readers/io/limits.ts";
import { isJsonObject } from "../readers/metadata/json.ts";
import type { FileTree } from "../readers/ome_zarr/zip_files.ts";
import { CollectionTree, type Findings } from "./collection_tree.ts";

/** Says what the list is, and validates its members if its schema accepts it. */
export function checkImageList(document: string, value: unknown, files: FileTree, found: Findings): void {
  const problems = new DocumentProblems(document, found.problems);
  const { format } = findDocumentKind("collection");
  problems.add(
    ["format"],
    `this is a collection in the layout of acqstore 0.2.0, not "${format}"; acq-server opens it, and acq-server export ` +
      "makes a collection of documents from it",
  );
  const list = isJsonObject(value) ? value["acq_images"] : null;
  const problem = findMemberCountProblem({ members: list });
  if (problem !== null) return problems.add(["acq_images"], problem);
  checkIds(listObjects(list), ["acq_images"], problems);
  if (!checkValue(imageList, value, problems)) return;
  const { members, resources } = collectionOfList(value);
  const tree = new CollectionTree(document, value, null, files, found);
  for (const [index, member] of members.entries()) {
    checkListedMember(member, tree, { found, problems, at: ["acq_images", index] });
  }
  for (const { id, path, media_type } of resources?.tables ?? []) {
    tree.checkTables([{ path, media_type }], ["analysis_tables", id], problems);
  }
}

interface Place {
  readonly found: Findings;
  /** Problems of the list. */
  readonly problems: DocumentProblems;
  readonly at: readonly PropertyKey[];
}

function checkListedMember(
  member: Collection["members"][number],
  tree: CollectionTree,
  { found, problems, at }: Place,
): void {
  const { acqimage, analyses = "" } = member.resources;
  const image = tree.openImage(member.ome_zarr, [...at, "ome_zarr_path"]);
  const overview = tree.openImage(member.reference_image?.ome_zarr, [...at, "reference_image_path"]);
  const part = (name: string, field: string, schema: typeof sidecar | typeof manifest) => {
    const own = new DocumentProblems(join(tree.root, name), found.problems);
    const bytes = tree.readFile(name, [...at, field], problems, MAX_JSON_BYTES);
    if (bytes === null) return { own, value: null };
    try {
      const { value, isFinite } = parseForeign(bytes, "the document");
      if (!isFinite) own.add([], "the document is not JSON: numbers are not finite");
      return { own, value: checkValue(schema, value, own) ? value : null };
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      own.add([], error.message);
      return { own, value: null };
    }
  };
  const side = part(acqimage, "sidecar_path", sidecar);
  const list = part(analyses, "manifest_path", manifest);
  const made = foreignMember(
    member,
    side.value as Parameters<typeof foreignMember>[1],
    list.value as Parameters<typeof foreignMember>[2],
  );
  for (const { code, text } of made.warnings) if (code !== "step_unknown") side.own.add([], text);
  const context: DocumentContext = { imageId: null, image, roiIds: null };
  const listFaults = (
    kind: "acqimage" | "analyses" | "reference-image",
    value: unknown,
    roiIds = context.roiIds,
  ) => {
    const faults: Problem[] = [];
    const shape = kind === "reference-image" ? overview : image;
    if (value !== null) {
      checkDocument(kind, value, { ...context, image: shape, roiIds }, new DocumentProblems("", faults));
    }
    return faults;
  };
  // The documents have other fields than these files, so pointers end at the item.
  const item = (pointer: string) => /^\/(?:rois|analyses)\/\d+/.exec(pointer)?.[0] ?? "";
  for (const { pointer, message } of listFaults("acqimage", made.image)) {
    side.own.addAt(item(pointer), message);
  }
  const roiIds = made.image && new Set(made.image.rois.map(({ id }) => id));
  for (const { pointer, message } of listFaults("analyses", made.analyses, roiIds)) {
    // acqstore has analyses without tables.
    if (!/\/resources$/.test(pointer)) list.own.addAt(item(pointer), message);
  }
  for (const { message } of listFaults("reference-image", made.reference)) {
    side.own.add(["reference_image_metadata"], message);
  }
  for (const [index, { resources }] of (made.analyses?.analyses ?? []).entries()) {
    tree.checkTables(resources, ["analyses", index, "resources"], list.own);
  }
}
