/** Validates a collection with its images, documents and tables. */
import { join } from "node:path";
import { type DocumentKindName, findDocumentKind, findMemberCountProblem } from "../schemas/documents.ts";
import { opaqueId, RELATIVE_PATH, relativePath } from "../schemas/shared.ts";
import { ReaderError, unlessDamaged } from "../readers/errors.ts";
import type { OmeImage } from "../readers/ome_zarr/ome_image.ts";
import type { Store } from "../readers/ome_zarr/hierarchy.ts";
import { listed } from "../readers/warning.ts";
import { isJsonObject, type JsonObject, parseJson } from "../readers/metadata/json.ts";
import { MAX_JSON_BYTES } from "../readers/io/limits.ts";
import { listWantedChunks } from "../readers/ome_zarr/array_planes.ts";
import type { FileTree } from "../readers/ome_zarr/zip_files.ts";
import { readLinkedImage, selectPlane } from "../readers/ome_zarr/mod.ts";
import { findImageFolder, openStore } from "../readers/ome_zarr/opened_store.ts";
import { isInsideRoots } from "../readers/io/paths.ts";
import { FIRST_POSITION } from "../readers/reader.ts";
import { findFileFormat } from "../readers/formats.ts";
import { findRoot } from "../readers/collection/documents.ts";
import { findCsvProblem, MAX_CSV_BYTES } from "../schemas/csv_table.ts";
import {
  ALONE,
  checkDocument,
  type DocumentContext,
  findDeclaredKind,
  type ImageFacts,
} from "../schemas/document_rules.ts";
import { checkIds, checkUsable, DocumentProblems, listObjects, type Problem } from "../schemas/problems.ts";

/** Planes missing in the recording of a member, according to its image document. */
export interface MissingPlanes {
  readonly member: string;
  /** Indices of each plane: `t=3 c=0`. */
  readonly planes: readonly string[];
}

/** What a validation finds. */
export interface Findings {
  readonly problems: Problem[];
  /** Planes that the recordings lack; these are not problems. */
  readonly missingPlanes: MissingPlanes[];
}

/** Parses a document; a fault becomes a problem, and the value is then `undefined`. */
export function parseDocument(bytes: Uint8Array, problems: DocumentProblems): unknown {
  try {
    return parseJson(bytes, "the document");
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    problems.add([], error.message);
    return undefined;
  }
}

/** One collection during its validation. */
export class CollectionTree {
  /** Folder to which the paths in the document are relative. */
  readonly root: string;
  readonly #resolvedRoot: string;
  readonly #resolvedDocument: string;
  readonly #files: FileTree;
  readonly #found: Findings;
  readonly #problems: DocumentProblems;
  /** Problems that documents of acqstore share, by kind. */
  readonly #common = new Set<string>();

  /**
   * Resolves the root of a collection.
   *
   * @param document path of `collection.json`, with its content `value`
   * @param given the root, if the user named it
   */
  constructor(document: string, value: unknown, given: string | null, files: FileTree, found: Findings) {
    const images = listObjects(asJsonObject(value)["members"]).flatMap(([, item]) =>
      checkUsable(relativePath, item["ome_zarr"]) ?? []
    );
    this.root = findRoot(document, images, files, given);
    this.#resolvedDocument = files.resolve(document);
    this.#resolvedRoot = files.resolve(this.root);
    this.#files = files;
    this.#found = found;
    this.#problems = new DocumentProblems(document, found.problems);
  }

  /** Validates the document and all that it names. */
  check(value: unknown): void {
    if (!isInsideRoots(this.#resolvedDocument, [this.#resolvedRoot])) {
      this.#problems.add([], "the document leaves the root of the collection through a link");
    }
    checkDocument("collection", value, ALONE, this.#problems);
    if (!isJsonObject(value) || findMemberCountProblem(value) !== null) return;
    const list = listObjects(value["members"]);
    checkIds(list, ["members"], this.#problems);
    for (const [index, item] of list) this.#checkMember(item, ["members", index]);
    const { tables } = asJsonObject(value["resources"]);
    checkIds(listObjects(tables), ["resources", "tables"], this.#problems);
    this.checkTables(tables, ["resources", "tables"], this.#problems);
  }

  /** Validates documents against each other by the numbers in their paths, if there is no collection and no image. */
  checkAlone(): void {
    for (const name of this.#files.list(join(this.root, "acqimage"))) {
      const path = (folder: string) =>
        this.#files.kind(join(this.root, folder, name)) === "file" ? `${folder}/${name}` : undefined;
      const acqimage = path("acqimage");
      const bytes = this.readFile(acqimage, [], this.#problems, MAX_JSON_BYTES);
      const id = bytes && unlessDamaged(() => asJsonObject(parseJson(bytes, "it"))["image_id"], null);
      const reference = path("reference");
      this.#checkMember({
        id,
        name,
        resources: { acqimage, analyses: path("analyses") },
        ...reference && { reference_image: { metadata: reference } },
      }, []);
    }
  }

  #checkMember(item: JsonObject, at: readonly PropertyKey[]): void {
    const { acqimage, analyses } = asJsonObject(item["resources"]);
    const image = this.openImage(item["ome_zarr"], [...at, "ome_zarr"]);
    const context: DocumentContext = {
      imageId: checkUsable(opaqueId, item["id"]) ?? null,
      image,
      roiIds: null,
    };
    const document = this.#checkLinked(acqimage, "acqimage", [...at, "resources", "acqimage"], context);
    const own = asJsonObject(asJsonObject(document?.value["image_metadata"])["acq_server"]);
    if (image !== null && "source" in own) this.#checkPlanes(item, own, image, at);
    const roiIds = document ? listRegionIds(document.value["rois"]) : null;
    const linked = this.#checkLinked(analyses, "analyses", [...at, "resources", "analyses"], {
      ...context,
      roiIds,
    });
    for (const [index, { resources }] of listObjects(linked?.value["analyses"])) {
      this.checkTables(resources, ["analyses", index, "resources"], linked!.problems);
    }
    const reference = asJsonObject(item["reference_image"]);
    const overview = this.openImage(reference["ome_zarr"], [...at, "reference_image", "ome_zarr"]);
    const referenceAt = [...at, "reference_image", "metadata"];
    this.#checkLinked(reference["metadata"], "reference-image", referenceAt, { ...context, image: overview });
  }

  /** For an image that this program wrote, requires each plane to be stored or listed as missing. */
  #checkPlanes(
    item: JsonObject,
    own: JsonObject,
    { absent }: CheckedImage,
    at: readonly PropertyKey[],
  ): void {
    const known = listObjects(own["missing_planes"]).map(([, plane]) => formatPlaneName(plane));
    if (known.length > 0) this.#found.missingPlanes.push({ member: String(item["name"]), planes: known });
    const lost = absent.filter((plane) => !known.includes(plane));
    if (lost.length === 0) return;
    const text = `"${item["ome_zarr"]}" lacks planes that are not listed as missing: ${listed(lost)}`;
    this.#problems.add([...at, "ome_zarr"], text);
  }

  /** Validates tables at the paths that the items of a list name. */
  checkTables(list: unknown, at: readonly PropertyKey[], problems: DocumentProblems): void {
    for (const [index, { path, media_type: type }] of listObjects(list)) {
      const bytes = this.readFile(path, [...at, index, "path"], problems, MAX_CSV_BYTES);
      const problem = bytes && type === "text/csv" ? findCsvProblem(bytes) : null;
      if (problem) problems.add([...at, index, "path"], `"${path}": ${problem}`);
    }
  }

  /** Opens an image; a failure becomes a problem at the field that names it. */
  openImage(path: unknown, at: readonly PropertyKey[]): CheckedImage | null {
    return this.#reading(path, at, this.#problems, (target) => {
      const format = this.#files.kind(target) === "file" ? findFileFormat(target) : undefined;
      if (format !== undefined && !/\.zip$/i.test(target)) {
        this.#problems.add(at, `"${path}" is not an OME-Zarr image but ${format.title}`);
        return null;
      }
      const { image, store } = readLinkedImage(openStore(findImageFolder(target), this.#files));
      listWantedChunks(image.array, selectPlane(image, [...image.channels.keys()], FIRST_POSITION));
      const size = (letter: string) => image.axes.find((axis) => axis.letter === letter)?.size ?? 1;
      return {
        rows: size("Y"),
        columns: size("X"),
        channels: size("C"),
        axisNames: image.axes.map((axis) => axis.name),
        absent: listAbsentPlanes(image, store),
      };
    });
  }

  #checkLinked(
    path: unknown,
    kind: DocumentKindName,
    at: readonly PropertyKey[],
    context: DocumentContext,
  ): { value: Readonly<Record<string, unknown>>; problems: DocumentProblems } | null {
    const bytes = this.readFile(path, at, this.#problems, MAX_JSON_BYTES);
    if (!bytes) return null;
    const problems = new DocumentProblems(join(this.root, path as string), this.#found.problems);
    const value = parseDocument(bytes, problems);
    const declared = findDeclaredKind(value);
    if (declared && declared.kind !== kind) {
      problems.add(["format"], `the document is of kind "${declared.kind}", not "${kind}"`);
      return null;
    }
    if (value !== undefined) this.#checkOnce(kind, value, context, problems);
    return isJsonObject(value) ? { value, problems } : null;
  }

  /** Checks a document; what all documents of acqstore of its kind have in common is a problem of the first one only. */
  #checkOnce(kind: DocumentKindName, value: unknown, context: DocumentContext, problems: DocumentProblems) {
    const found: Problem[] = [];
    checkDocument(kind, value, context, new DocumentProblems("", found));
    const isForeign = asJsonObject(value)["format"] === findDocumentKind(kind).foreignFormat;
    for (const { pointer, message } of found) {
      const common = isForeign && pointer === "/format"
        ? `${kind} format`
        : kind === "analyses" && /^\/analyses\/\d+\/resources$/.test(pointer)
        ? `${kind} resources`
        : null;
      if (common !== null && this.#common.has(common)) continue;
      if (common !== null) this.#common.add(common);
      problems.addAt(pointer, message);
    }
  }

  /** Reads a file of the collection; a failure becomes a problem at the field that names it. */
  readFile(
    path: unknown,
    at: readonly PropertyKey[],
    problems: DocumentProblems,
    maxBytes: number,
  ): Uint8Array | null {
    return this.#reading(path, at, problems, (target) => {
      const file = this.#files.open(target);
      if (file.size <= maxBytes) return file.read(0, file.size, `"${path}"`);
      problems.add(at, `"${path}" has ${file.size} bytes, more than ${maxBytes}`);
      return null;
    });
  }

  /** Reads a resource at its resolved path; a failure becomes a problem at the field that names the path. */
  #reading<T>(
    path: unknown,
    at: readonly PropertyKey[],
    problems: DocumentProblems,
    read: (target: string) => T | null,
  ): T | null {
    if (typeof path !== "string" || !RELATIVE_PATH.test(path)) return null;
    try {
      const written = join(this.root, path);
      if (!this.#files.hasEntry(written)) {
        problems.add(at, `"${path}" does not exist`);
        return null;
      }
      const target = this.#files.resolve(written);
      if (isInsideRoots(target, [this.#resolvedRoot])) return read(target);
      problems.add(at, `"${path}" leaves the root of the collection through a link`);
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      problems.add(at, `"${path}" cannot be read: ${error.message}`);
    }
    return null;
  }
}

/** An image that a collection names, as far as its documents are checked by it. */
export interface CheckedImage extends ImageFacts {
  /** Indices of planes without a chunk: `t=3 c=0`. */
  readonly absent: readonly string[];
}

/** Largest number of chunks of an image to look for: those of an archive of 100,000 planes. */
const MAX_CHUNKS_LOOKED_FOR = 100_000;

/** Planes whose first chunk is missing, in arrays with one plane per chunk. */
function listAbsentPlanes({ array, axes }: OmeImage, store: Store): string[] {
  const planes = axes.map(({ letter, size }) => letter === "Y" || letter === "X" ? 1 : size);
  const count = planes.reduce((product, size) => product * size, 1);
  const isPlaneAChunk = axes.every(({ letter }, i) =>
    letter === "Y" || letter === "X" || array.chunkShape[i] === 1
  );
  if (!isPlaneAChunk || count > MAX_CHUNKS_LOOKED_FOR) return [];
  return Array.from({ length: count }, (_, n) => {
    const position = planes.toReversed().map((size) => {
      const index = n % size;
      n = Math.floor(n / size);
      return index;
    }).toReversed();
    const isStored = array.chunkKeys(position).some((key) => store.has(key));
    return isStored
      ? null
      : formatPlaneName(Object.fromEntries(axes.map(({ name }, i) => [name, position[i]!])));
  }).filter((plane) => plane !== null);
}

const formatPlaneName = (indices: JsonObject): string =>
  ["t", "c", "z"].flatMap((axis) => indices[axis] === undefined ? [] : [`${axis}=${indices[axis]}`]).join(
    " ",
  );

const asJsonObject = (value: unknown): JsonObject => isJsonObject(value) ? value : {};

/** Ids of regions, including those with problems; `null` if there is no list. */
function listRegionIds(rois: unknown): Set<string> | null {
  if (!Array.isArray(rois)) return null;
  return new Set(
    rois.flatMap((region) => isJsonObject(region) && typeof region["id"] === "string" ? [region["id"]] : []),
  );
}
