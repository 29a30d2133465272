/** Rules of documents beyond their schemas. */
import {
  analysis,
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentKindName,
  documentKindOf,
  memberCountProblem,
  ROI_TYPES,
  roiCommon,
} from "./documents.ts";
import { opaqueId, pixelPoint } from "./shared.ts";
import { type DocumentProblems, judge, objectsOf, uniqueIds, usable } from "./problems.ts";
import { isJsonObject, type JsonObject } from "./json_object.ts";

/** Facts about an image that the rules need. */
export interface ImageFacts {
  readonly rows: number;
  readonly columns: number;
  readonly channels: number;
  readonly axisNames: readonly string[];
}

/** The context against which a document is validated; unknown parts are `null`. */
export interface DocumentContext {
  readonly imageId: string | null;
  readonly image: ImageFacts | null;
  readonly roiIds: ReadonlySet<string> | null;
}

/** The context of a single document. */
export const ALONE: DocumentContext = { imageId: null, image: null, roiIds: null };

/** The kind that a document declares, or `null`. */
export function declaredKind(value: unknown): DocumentKind | null {
  const format = isJsonObject(value) ? value["format"] : undefined;
  return DOCUMENT_KINDS.find((kind) => kind.format === format) ?? null;
}

/** Validates a document by its schema and its context. */
export function judgeDocument(
  kind: DocumentKindName,
  value: unknown,
  context: DocumentContext,
  problems: DocumentProblems,
): void {
  const problem = kind === "collection" ? memberCountProblem(value) : null;
  if (problem !== null) return problems.add(["members"], problem);
  judge(documentKindOf(kind).schema, value, problems);
  if (!isJsonObject(value)) return;
  const { imageId } = context;
  const id = value["image_id"];
  if (imageId !== null && typeof id === "string" && id !== "" && id !== imageId) {
    problems.add(["image_id"], `the image is "${id}", but the member of the collection is "${imageId}"`);
  }
  if (kind === "acqimage") judgeImage(value, context, problems);
  if (kind === "analyses") judgeAnalyses(value, context, problems);
  if (kind !== "reference-image" || !isJsonObject(value["scan_path"])) return;
  const { points } = value["scan_path"];
  for (const [index, point] of Array.isArray(points) ? points.entries() : []) {
    pointInside(point, ["scan_path", "points", index], context.image, problems);
  }
}

function judgeImage(value: JsonObject, { image }: DocumentContext, problems: DocumentProblems): void {
  const rois = objectsOf(value["rois"]);
  uniqueIds(rois, ["rois"], problems);
  for (const [index, region] of rois) judgeRoi(region, ["rois", index], image, problems);
  const display = value["axis_display"];
  if (!image || !isJsonObject(display)) return;
  for (const name of Object.keys(display)) {
    if (name !== "" && !image.axisNames.includes(name)) {
      const names = image.axisNames.map((axis) => `"${axis}"`).join(", ");
      problems.add(["axis_display", name], `the image has no axis "${name}", only ${names}`);
    }
  }
}

function judgeRoi(
  region: JsonObject,
  at: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const { type } = region;
  // For a region of an unknown type, the schema's union checks no field.
  if (typeof type !== "string" || !ROI_TYPES.includes(type)) {
    return void judge(roiCommon, region, problems.below(at));
  }
  if (type === "rectangle") return judgeRectangle(region, at, image, problems);
  for (const field of type === "point" ? ["position"] : ["start", "stop"]) {
    pointInside(region[field], [...at, field], image, problems);
  }
}

function judgeRectangle(
  region: JsonObject,
  at: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const [start, stop] = [usable(pixelPoint, region["start"]), usable(pixelPoint, region["stop"])];
  if (!stop) return pointInside(start, [...at, "start"], image, problems);
  if (start && stop.some((n, i) => n <= start[i]!)) {
    problems.add([...at, "stop"], `the stop ${shown(stop)} is not greater than the start ${shown(start)}`);
  }
  if (image && (stop[0]! > image.columns || stop[1]! > image.rows)) {
    problems.add([...at, "stop"], `the stop ${shown(stop)} lies outside the image of ${sizeOf(image)}`);
  }
}

const shown = (point: readonly number[]) => `[${point.join(", ")}]`;
const sizeOf = (image: ImageFacts) => `${image.columns} columns and ${image.rows} rows`;

function pointInside(
  value: unknown,
  path: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const point = usable(pixelPoint, value);
  if (image && point && (point[0]! >= image.columns || point[1]! >= image.rows)) {
    problems.add(path, `the point ${shown(point)} lies outside the image of ${sizeOf(image)}`);
  }
}

function judgeAnalyses(
  value: JsonObject,
  { image, roiIds }: DocumentContext,
  problems: DocumentProblems,
): void {
  const list = objectsOf(value["analyses"]);
  uniqueIds(list, ["analyses"], problems);
  for (const [index, item] of list) {
    const at = (field: string) => ["analyses", index, field];
    const roiId = usable(opaqueId, item["roi_id"]);
    if (roiIds && roiId !== undefined && !roiIds.has(roiId)) {
      problems.add(at("roi_id"), `the image has no region "${roiId}"`);
    }
    const channel = usable(analysis.shape.channel, item["channel"]);
    if (image && channel !== undefined && channel >= image.channels) {
      problems.add(at("channel"), `the image has no channel ${channel}, only ${image.channels} channels`);
    }
    uniqueIds(objectsOf(item["resources"]), at("resources"), problems);
  }
}
