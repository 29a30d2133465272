/** Judges a collection with everything that it links: images, documents, tables. */
import { join } from "node:path";
import { analysis } from "../analyses.ts";
import { type Member, member } from "../collection.ts";
import type { DocumentKindName } from "../document_kinds.ts";
import { csvResource, RELATIVE_PATH } from "../shared.ts";
import { ReaderError } from "../../readers/errors.ts";
import { isJsonObject, parseJson } from "../../readers/json.ts";
import { MAX_JSON_BYTES } from "../../readers/limits.ts";
import { chooseFormat } from "../../readers/load.ts";
import { readStoredImage } from "../../readers/ome_zarr/stored_image.ts";
import { FileAccess, isInsideRoots } from "../../readers/random_access.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/registry.ts";
import { rootOfDocument } from "../../readers/collection/root.ts";
import { csvProblem, MAX_CSV_BYTES } from "./csv.ts";
import { declaredKind, type DocumentContext, type ImageFacts, judgeDocument } from "./documents.ts";
import { uniqueIds, validItems } from "./judge.ts";
import { DocumentProblems, type Problem } from "./problem.ts";

/** One collection while it is judged. */
export class CollectionTree {
  readonly #root: string;
  /** The root with every link resolved. */
  readonly #resolvedRoot: string;
  readonly #all: Problem[];
  readonly #problems: DocumentProblems;

  /**
   * @param document path of `collection.json`
   * @param value its content
   * @param given the root, where it was named as such
   */
  constructor(document: string, value: unknown, given: string | null, problems: Problem[]) {
    const files = new FileAccess();
    const images = members(value).map(([, { ome_zarr: path }]) => path);
    this.#root = rootOfDocument(document, images, files, given);
    this.#resolvedRoot = files.resolve(this.#root);
    this.#all = problems;
    this.#problems = new DocumentProblems(document, problems);
  }

  /** Judges the whole tree. */
  judge(value: unknown): void {
    judgeDocument("collection", value, { imageId: null, image: null, roiIds: null }, this.#problems);
    const list = members(value);
    uniqueIds(list, ["members"], this.#problems);
    for (const [index, item] of list) this.#judgeMember(item, ["members", index]);
    const resources = isJsonObject(value) && isJsonObject(value["resources"]) ? value["resources"] : {};
    const tables = validItems(resources["tables"], csvResource);
    uniqueIds(tables, ["resources", "tables"], this.#problems);
    for (const [index, { path }] of tables) {
      this.#judgeTable(path, ["resources", "tables", index, "path"], this.#problems);
    }
  }

  #judgeMember(item: Member, at: readonly PropertyKey[]): void {
    const image = this.#openImage(item.ome_zarr, [...at, "ome_zarr"]);
    const context: DocumentContext = { imageId: item.id, image, roiIds: null };
    const { acqimage, analyses } = item.resources;
    const document = this.#judgeLinked(acqimage, "acqimage", [...at, "resources", "acqimage"], context);
    const roiIds = document ? idsOf(document.value["rois"]) : null;
    if (analyses !== undefined) {
      const linked = this.#judgeLinked(analyses, "analyses", [...at, "resources", "analyses"], {
        ...context,
        roiIds,
      });
      if (linked) this.#judgeTables(linked.value["analyses"], linked.problems);
    }
    const reference = item.reference_image;
    if (!reference) return;
    const overview = this.#openImage(reference.ome_zarr, [...at, "reference_image", "ome_zarr"]);
    const referenceAt = [...at, "reference_image", "metadata"];
    this.#judgeLinked(reference.metadata, "reference-image", referenceAt, { ...context, image: overview });
  }

  #judgeTables(list: unknown, problems: DocumentProblems): void {
    for (const [index, { resources }] of validItems(list, analysis)) {
      for (const [i, { path }] of resources.entries()) {
        this.#judgeTable(path, ["analyses", index, "resources", i, "path"], problems);
      }
    }
  }

  /** Opens the metadata of an image, and no plane. */
  #openImage(path: string, at: readonly PropertyKey[]): ImageFacts | null {
    return this.#reading(path, at, this.#problems, (target, files) => {
      const chosen = chooseFormat(target, SUPPORTED_EXTENSIONS, files);
      if (!chosen.format.name.startsWith("ome.zarr")) {
        this.#problems.add(at, `"${path}" is no OME-Zarr image but ${chosen.format.title}`);
        return null;
      }
      const { image } = readStoredImage({ path: chosen.path, files });
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
    path: string,
    kind: DocumentKindName,
    at: readonly PropertyKey[],
    context: DocumentContext,
  ): { value: Readonly<Record<string, unknown>>; problems: DocumentProblems } | null {
    const shown = join(this.#root, path);
    const bytes = this.#readFile(path, at, this.#problems, MAX_JSON_BYTES);
    if (!bytes) return null;
    const problems = new DocumentProblems(shown, this.#all);
    try {
      const value = parseJson(bytes, "the document");
      const declared = declaredKind(value);
      if (declared && declared.kind !== kind) {
        problems.add(["format"], `the document is of the kind "${declared.kind}", "${kind}" is linked here`);
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

  #judgeTable(path: string, at: readonly PropertyKey[], problems: DocumentProblems): void {
    const bytes = this.#readFile(path, at, problems, MAX_CSV_BYTES);
    const problem = bytes && csvProblem(bytes);
    if (problem) problems.add(at, `"${path}": ${problem}`);
  }

  #readFile(
    path: string,
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

  /** Does something with the resolved path of a resource; what fails is a problem at the place that names it. */
  #reading<T>(
    path: string,
    at: readonly PropertyKey[],
    problems: DocumentProblems,
    read: (target: string, files: FileAccess) => T | null,
  ): T | null {
    if (!RELATIVE_PATH.test(path)) return null;
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

const members = (value: unknown): [number, Member][] =>
  isJsonObject(value) ? validItems(value["members"], member) : [];

/** Ids of regions, those that have other problems included; `null` where there is no list. */
function idsOf(rois: unknown): Set<string> | null {
  if (!Array.isArray(rois)) return null;
  return new Set(
    rois.flatMap((region) => isJsonObject(region) && typeof region["id"] === "string" ? [region["id"]] : []),
  );
}
