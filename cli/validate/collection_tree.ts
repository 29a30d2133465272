/** Judges a collection with its images, documents and tables. */
import { openStore } from "../../readers/ome_zarr/opened_store.ts";
import { join } from "node:path";
import type { DocumentKindName } from "../../schemas/documents.ts";
import { opaqueId, RELATIVE_PATH, relativePath } from "../../schemas/shared.ts";
import { chooseFormat } from "../../readers/choose_format.ts";
import { ReaderError } from "../../readers/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../readers/metadata/json.ts";
import { MAX_JSON_BYTES } from "../../readers/io/limits.ts";
import { wantedChunks } from "../../readers/ome_zarr/array_planes.ts";
import { OME_ZARR } from "../../readers/collection/format.ts";
import { planeSelection, readLinkedImage } from "../../readers/ome_zarr/stored_image.ts";
import { isInsideRoots } from "../../readers/io/paths.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { FIRST_POSITION } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { rootOfDocument } from "../../readers/collection/root.ts";
import { csvProblem, MAX_CSV_BYTES } from "../../schemas/csv_table.ts";
import {
  ALONE,
  declaredKind,
  type DocumentContext,
  type ImageFacts,
  judgeDocument,
} from "../../schemas/document_rules.ts";
import { DocumentProblems, objectsOf, type Problem, uniqueIds, usable } from "../../schemas/problems.ts";

/** One collection while it is judged. */
export class CollectionTree {
  readonly #root: string;
  /** The root with links resolved. */
  readonly #resolvedRoot: string;
  readonly #resolvedDocument: string;
  readonly #all: Problem[];
  readonly #problems: DocumentProblems;

  /**
   * Resolves the root of a collection.
   *
   * @param document path of `collection.json`
   * @param value its content
   * @param given the root, if the user named it
   */
  constructor(document: string, value: unknown, given: string | null, problems: Problem[]) {
    const files = new FileAccess();
    const images = objectsOf(object(value)["members"]).flatMap(([, item]) =>
      usable(relativePath, item["ome_zarr"]) ?? []
    );
    this.#root = rootOfDocument(document, images, files, given);
    this.#resolvedDocument = files.resolve(document);
    this.#resolvedRoot = files.resolve(this.#root);
    this.#all = problems;
    this.#problems = new DocumentProblems(document, problems);
  }

  /** Judges the whole tree. */
  judge(value: unknown): void {
    if (!isInsideRoots(this.#resolvedDocument, [this.#resolvedRoot])) {
      this.#problems.add([], "the document leaves the root of the collection through a link");
    }
    judgeDocument("collection", value, ALONE, this.#problems);
    if (!isJsonObject(value)) return;
    const list = objectsOf(value["members"]);
    uniqueIds(list, ["members"], this.#problems);
    for (const [index, item] of list) this.#judgeMember(item, ["members", index]);
    const { tables } = object(value["resources"]);
    uniqueIds(objectsOf(tables), ["resources", "tables"], this.#problems);
    this.#judgeTables(tables, ["resources", "tables"], this.#problems);
  }

  #judgeMember(item: JsonObject, at: readonly PropertyKey[]): void {
    const image = this.#openImage(item["ome_zarr"], [...at, "ome_zarr"]);
    const context: DocumentContext = { imageId: usable(opaqueId, item["id"]) ?? null, image, roiIds: null };
    const { acqimage, analyses } = object(item["resources"]);
    const document = this.#judgeLinked(acqimage, "acqimage", [...at, "resources", "acqimage"], context);
    const roiIds = document ? idsOf(document.value["rois"]) : null;
    const linked = this.#judgeLinked(analyses, "analyses", [...at, "resources", "analyses"], {
      ...context,
      roiIds,
    });
    for (const [index, { resources }] of objectsOf(linked?.value["analyses"])) {
      this.#judgeTables(resources, ["analyses", index, "resources"], linked!.problems);
    }
    const reference = object(item["reference_image"]);
    const overview = this.#openImage(reference["ome_zarr"], [...at, "reference_image", "ome_zarr"]);
    const referenceAt = [...at, "reference_image", "metadata"];
    this.#judgeLinked(reference["metadata"], "reference-image", referenceAt, { ...context, image: overview });
  }

  #judgeTables(list: unknown, at: readonly PropertyKey[], problems: DocumentProblems): void {
    for (const [index, { path, media_type: type }] of objectsOf(list)) {
      const bytes = this.#readFile(path, [...at, index, "path"], problems, MAX_CSV_BYTES);
      const problem = bytes && type === "text/csv" ? csvProblem(bytes) : null;
      if (problem) problems.add([...at, index, "path"], `"${path}": ${problem}`);
    }
  }

  /** Reads the metadata of an image and plans its planes. */
  #openImage(path: unknown, at: readonly PropertyKey[]): ImageFacts | null {
    return this.#reading(path, at, this.#problems, (target, files) => {
      const chosen = chooseFormat(target, SUPPORTED_EXTENSIONS, files);
      if (!OME_ZARR.includes(chosen.format)) {
        this.#problems.add(at, `"${path}" is not an OME-Zarr image but ${chosen.format.title}`);
        return null;
      }
      const { image } = readLinkedImage(openStore({ path: chosen.path, files }));
      wantedChunks(image.array, planeSelection(image, [...image.channelNames.keys()], FIRST_POSITION));
      const size = (letter: string) => image.axes.find((axis) => axis.letter === letter)?.size ?? 1;
      return {
        rows: size("Y"),
        columns: size("X"),
        channels: size("C"),
        axisNames: image.axes.map((axis) => axis.name),
      };
    });
  }

  #judgeLinked(
    path: unknown,
    kind: DocumentKindName,
    at: readonly PropertyKey[],
    context: DocumentContext,
  ): { value: Readonly<Record<string, unknown>>; problems: DocumentProblems } | null {
    const bytes = this.#readFile(path, at, this.#problems, MAX_JSON_BYTES);
    if (!bytes) return null;
    const problems = new DocumentProblems(join(this.#root, path as string), this.#all);
    try {
      const value = parseJson(bytes, "the document");
      const declared = declaredKind(value);
      if (declared && declared.kind !== kind) {
        problems.add(["format"], `the document is of kind "${declared.kind}", not "${kind}"`);
        return null;
      }
      judgeDocument(kind, value, context, problems);
      return isJsonObject(value) ? { value, problems } : null;
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      problems.add([], error.message);
      return null;
    }
  }

  #readFile(
    path: unknown,
    at: readonly PropertyKey[],
    problems: DocumentProblems,
    maxBytes: number,
  ): Uint8Array | null {
    return this.#reading(path, at, problems, (target, files) => {
      const file = files.open(target);
      if (file.size <= maxBytes) return file.read(0, file.size, `"${path}"`);
      problems.add(at, `"${path}" has ${file.size} bytes, more than ${maxBytes}`);
      return null;
    });
  }

  /** Reads a resource by its resolved path; a failure is a problem where its path stands. */
  #reading<T>(
    path: unknown,
    at: readonly PropertyKey[],
    problems: DocumentProblems,
    read: (target: string, files: FileAccess) => T | null,
  ): T | null {
    if (typeof path !== "string" || !RELATIVE_PATH.test(path)) return null;
    const files = new FileAccess();
    try {
      const written = join(this.#root, path);
      if (!files.hasEntry(written)) {
        problems.add(at, `"${path}" does not exist`);
        return null;
      }
      const target = files.resolve(written);
      if (isInsideRoots(target, [this.#resolvedRoot])) return read(target, files);
      problems.add(at, `"${path}" leaves the root of the collection through a link`);
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      problems.add(at, `"${path}" cannot be read: ${error.message}`);
    } finally {
      files.close();
    }
    return null;
  }
}

const object = (value: unknown): JsonObject => isJsonObject(value) ? value : {};

/** Ids of regions, also of those with problems; `null` without a list. */
function idsOf(rois: unknown): Set<string> | null {
  if (!Array.isArray(rois)) return null;
  return new Set(
    rois.flatMap((region) => isJsonObject(region) && typeof region["id"] === "string" ? [region["id"]] : []),
  );
}
