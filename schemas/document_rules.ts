/** Rules of documents beyond their schemas. */
import {
  analysis,
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentKindName,
  findDocumentKind,
  findMemberCountProblem,
  ROI_TYPES,
  roiCommon,
} from "./documents.ts";
import { opaqueId, pixelPoint } from "./shared.ts";
import { checkIds, checkUsable, checkValue, type DocumentProblems, listObjects } from "./problems.ts";
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
export function findDeclaredKind(value: unknown): DocumentKind | null {
  const format = isJsonObject(value) ? value["format"] : undefined;
  return DOCUMENT_KINDS.find((kind) => kind.format === format) ?? null;
}

/** Validates a document by its schema and its context. */
export function checkDocument(
  kind: DocumentKindName,
  value: unknown,
  context: DocumentContext,
  problems: DocumentProblems,
): void {
  const problem = kind === "collection" ? findMemberCountProblem(value) : null;
  if (problem !== null) return problems.add(["members"], problem);
  checkValue(findDocumentKind(kind).schema, value, problems);
  if (!isJsonObject(value)) return;
  const { imageId } = context;
  const id = value["image_id"];
  if (imageId !== null && typeof id === "string" && id !== "" && id !== imageId) {
    problems.add(["image_id"], `the image is "${id}", but the member of the collection is "${imageId}"`);
  }
  if (kind === "acqimage") checkImageDocument(value, context, problems);
  if (kind === "analyses") checkAnalyses(value, context, problems);
  if (kind !== "reference-image" || !isJsonObject(value["scan_path"])) return;
  const { points } = value["scan_path"];
  for (const [index, point] of Array.isArray(points) ? points.entries() : []) {
    checkPoint(point, ["scan_path", "points", index], context.image, problems);
  }
}

function checkImageDocument(value: JsonObject, { image }: DocumentContext, problems: DocumentProblems): void {
  const rois = listObjects(value["rois"]);
  checkIds(rois, ["rois"], problems);
  for (const [index, region] of rois) checkRoi(region, ["rois", index], image, problems);
  const display = value["axis_display"];
  if (!image || !isJsonObject(display)) return;
  for (const name of Object.keys(display)) {
    if (name !== "" && !image.axisNames.includes(name)) {
      const names = image.axisNames.map((axis) => `"${axis}"`).join(", ");
      problems.add(["axis_display", name], `the image has no axis "${name}", only ${names}`);
    }
  }
}

function checkRoi(
  region: JsonObject,
  at: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const { type } = region;
  // For a region of an unknown type, the schema's union checks no field.
  if (typeof type !== "string" || !ROI_TYPES.includes(type)) {
    return void checkValue(roiCommon, region, problems.below(at));
  }
  if (type === "rectangle") return checkRectangle(region, at, image, problems);
  for (const field of type === "point" ? ["position"] : ["start", "stop"]) {
    checkPoint(region[field], [...at, field], image, problems);
  }
}

function checkRectangle(
  region: JsonObject,
  at: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const [start, stop] = [checkUsable(pixelPoint, region["start"]), checkUsable(pixelPoint, region["stop"])];
  if (!stop) return checkPoint(start, [...at, "start"], image, problems);
  if (start && stop.some((n, i) => n <= start[i]!)) {
    problems.add(
      [...at, "stop"],
      `the stop ${formatPoint(stop)} is not greater than the start ${formatPoint(start)}`,
    );
  }
  const [right = NaN, bottom = NaN] = stop;
  if (image && (right > image.columns || bottom > image.rows)) {
    problems.add(
      [...at, "stop"],
      `the stop ${formatPoint(stop)} lies outside the image of ${formatImageSize(image)}`,
    );
  }
}

const formatPoint = (point: readonly number[]) => `[${point.join(", ")}]`;
const formatImageSize = (image: ImageFacts) => `${image.columns} columns and ${image.rows} rows`;

function checkPoint(
  value: unknown,
  path: readonly PropertyKey[],
  image: ImageFacts | null,
  problems: DocumentProblems,
): void {
  const point = checkUsable(pixelPoint, value);
  const [x = NaN, y = NaN] = point ?? [];
  if (image && point && (x >= image.columns || y >= image.rows)) {
    problems.add(path, `the point ${formatPoint(point)} lies outside the image of ${formatImageSize(image)}`);
  }
}

function checkAnalyses(
  value: JsonObject,
  { image, roiIds }: DocumentContext,
  problems: DocumentProblems,
): void {
  const list = listObjects(value["analyses"]);
  checkIds(list, ["analyses"], problems);
  for (const [index, item] of list) {
    const at = (field: string) => ["analyses", index, field];
    const roiId = checkUsable(opaqueId, item["roi_id"]);
    if (roiIds && roiId !== undefined && !roiIds.has(roiId)) {
      problems.add(at("roi_id"), `the image has no region "${roiId}"`);
    }
    const channel = checkUsable(analysis.shape.channel, item["channel"]);
    if (image && channel !== undefined && channel >= image.channels) {
      problems.add(at("channel"), `the image has no channel ${channel}, only ${image.channels} channels`);
    }
    checkIds(listObjects(item["resources"]), at("resources"), problems);
  }
}
