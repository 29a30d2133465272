/**
 * A member of a collection in the layout of acqstore 0.2.0, as the documents of this program. What those cannot hold is kept under the key
 * `acqstore` of their free objects.
 */
import { Buffer } from "node:buffer";
import type {
  AnalysesDocument,
  ImageDocument,
  Member,
  ReferenceImageDocument,
} from "../../schemas/documents.ts";
import {
  foreignPath,
  foreignRegion,
  type Manifest,
  manifest,
  type Sidecar,
  sidecar,
} from "../../schemas/acqstore.ts";
import { findFirstIssue } from "../../schemas/problems.ts";
import { quoted } from "../errors.ts";
import { namesAxis, type StepDoubt } from "../metadata/axes.ts";
import { endOfString, isJsonObject, type JsonObject, parseJson } from "../metadata/json.ts";
import { withoutPaths } from "./acqstore_list.ts";
import { listed, warnIf, type Warning, warning } from "../warning.ts";

/**
 * Parses a document of a member. acqstore writes `NaN` and `Infinity`, which are not JSON and count as `null`.
 *
 * @throws {DecodeFailed} anything else that is not JSON
 */
export function parseForeign(bytes: Uint8Array, what: string): { value: unknown; isFinite: boolean } {
  const latin = (at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === 0x22) at = endOfString(bytes, at);
    const name = ["NaN", "Infinity"].find((name) =>
      bytes[at] === name.charCodeAt(0) && latin(at, name.length) === name
    );
    if (name === undefined) continue;
    pieces.push(bytes.subarray(start, bytes[at - 1] === 0x2d ? at - 1 : at), NULL);
    start = at + name.length;
    at = start - 1;
  }
  pieces.push(bytes.subarray(start));
  return {
    value: parseJson(pieces.length === 1 ? bytes : new Uint8Array(Buffer.concat(pieces)), what),
    isFinite: pieces.length === 1,
  };
}

const NULL = new TextEncoder().encode("null");

/** Schemas of the documents of a member. */
export const MEMBER_SCHEMAS = { sidecar, manifest };

/** The documents of a member, each as far as the files that it comes from can be read. */
export interface ForeignMember {
  readonly image: ImageDocument | null;
  readonly analyses: AnalysesDocument | null;
  readonly reference: ReferenceImageDocument | null;
  /** Exact points `[x, y]` of the scan path. */
  readonly scanPath: readonly (readonly number[])[] | null;
  /** True if the path is a line with two ends. */
  readonly isLine: boolean;
  readonly warnings: readonly Warning[];
}

/** Makes the documents of a member. A sidecar or manifest that cannot be used is `null`. */
export function foreignMember(
  member: Member,
  side: Sidecar | null,
  list: Manifest | null,
): ForeignMember {
  const warnings: Warning[] = [];
  const analyses = analysesDocument(member, side, list, warnings);
  const bare = (analyses?.analyses ?? []).filter(({ resources }) => resources === undefined);
  const image = side && imageDocument(member, side, bare, warnings);
  const path = pathOf(side, warnings);
  const own = list?.reference_image ?? null;
  const text = `The manifest names the reference image ${
    quoted(own ?? "")
  }, which the collection does not list`;
  warnings.push(...warnIf(own !== null && !member.reference_image, "metadata_disagree", text));
  return {
    image,
    analyses,
    reference: side && member.reference_image ? referenceDocument(member, side, path.points) : null,
    scanPath: path.points,
    isLine: path.isLine,
    warnings,
  };
}

/** @param bare analyses without tables, which analyses documents cannot hold */
function imageDocument(
  member: Member,
  side: Sidecar,
  bare: AnalysesDocument["analyses"],
  warnings: Warning[],
): ImageDocument {
  const { version, accepted, rois, analysis: _, experiment_metadata: experiment, ...rest } = side;
  const { reference_image_metadata: __, ...shown } = rest;
  const unread: JsonObject[] = [];
  const regions = rois.flatMap((one) => {
    const found = foreignRegion.safeParse(one);
    if (!found.success) unread.push(one);
    return found.success ? [regionOf(one)] : [];
  });
  if (unread.length > 0) {
    const names = unread.map(({ roi_id, name }) => quoted(String(name || roi_id)));
    const text = `Regions that are neither rectangles nor lines in whole pixels are left out: ${
      listed(names)
    }`;
    warnings.push(warning("metadata_damaged", text));
  }
  const display = displayOf(side.image_header_metadata ?? {}, warnings);
  return {
    format: "store-acqimage",
    version: 1,
    image_id: member.id,
    accepted,
    rois: regions,
    ...experiment && { experiment_metadata: experiment },
    image_metadata: {
      acq_server: recordingOf(member, warnings),
      acqstore: {
        version,
        ...withoutPaths(shown) as JsonObject,
        ...unread.length > 0 && { rois: unread },
        ...bare.length > 0 && { analyses: bare },
      },
    },
    ...Object.keys(display).length > 0 && { axis_display: display },
  };
}

/** A region that the schema has accepted. */
function regionOf(value: JsonObject): ImageDocument["rois"][number] {
  const region = foreignRegion.parse(value);
  const { roi_id, roi_type: _, name, data: __, ...rest } = region;
  const common = {
    id: String(roi_id),
    ...name && { name },
    coordinate_space: "primary-image-full-resolution-pixels" as const,
    metadata: { acqstore: rest },
  };
  if (region.roi_type === "rectroi") {
    const { row_start, row_stop, col_start, col_stop } = region.data;
    return { type: "rectangle", ...common, start: [col_start, row_start], stop: [col_stop, row_stop] };
  }
  const { row0, col0, row1, col1 } = region.data;
  return { type: "line", ...common, start: [col0, row0], stop: [col1, row1] };
}

/**
 * Steps of the rows and columns. Labels of units are shifted at times: one that names an axis is not a unit, and nothing is moved to
 * another axis.
 *
 * @param warnings receives a doubt about a label that is not a unit
 */
function displayOf(header: JsonObject, warnings: Warning[]): NonNullable<ImageDocument["axis_display"]> {
  const display: NonNullable<ImageDocument["axis_display"]> = {};
  for (const [axis, letter] of [["y", "Y"], ["x", "X"]] as const) {
    const [scale, unit] = [header[`physical_unit_${axis}`], header[`physical_label_${axis}`]];
    if (typeof unit !== "string" || unit === "") continue;
    if (isUnit(unit) && typeof scale === "number" && Number.isFinite(scale) && scale > 0) {
      const isTime = /^(?:[mun]?s|(?:milli|micro|nano)?sec(?:ond)?s?)$/i.test(unit);
      display[axis] = { type: isTime ? "time" : "space", unit, scale };
    } else if (!namesAxis(unit)) {
      const text =
        `acqstore gives the step ${scale} ${unit} along ${letter}, which is not a step; the step is unknown`;
      const doubt: StepDoubt = { code: "step_unknown", text, unlessStepOf: letter };
      warnings.push(doubt);
    }
  }
  return display;
}

const isUnit = (label: string) => !namesAxis(label) && !/^pixels?$/i.test(label.trim());

/** What the list says about the recording, as archives keep it. */
function recordingOf({ summary }: Member, warnings: Warning[]): JsonObject {
  const own = isJsonObject(summary?.["acqstore"]) ? summary["acqstore"] : {};
  const { filename } = isJsonObject(own["source"]) ? own["source"] : {};
  const { date = "", time = "" } = isJsonObject(summary?.["acquisition"]) ? summary["acquisition"] : {};
  const day = String(date).replace(/^(\d{4})-(\d\d)-(\d\d)$/, "$1$2$3");
  const isRead = /^(?:\d{8})?$/.test(day) && /^(?:\d\d:\d\d:\d\d(?:\.\d+)?)?$/.test(String(time));
  const text = `acqstore gives the date ${quoted(String(date))} and the time ${
    quoted(String(time))
  }, which are left out`;
  warnings.push(...warnIf(!isRead, "metadata_damaged", text));
  return {
    ...typeof filename === "string" && filename !== "" && {
      source: {
        name: filename,
        format: (/\.([a-z0-9]+)$/i.exec(filename)?.[1] ?? "").toLowerCase(),
        fingerprint: null,
      },
    },
    ...isRead && day !== "" && { date: day },
    ...isRead && time !== "" && { time: String(time).slice(0, 8) },
  };
}

/** Analyses of the manifest with those of the sidecar, joined by name, channel and region. */
function analysesDocument(
  { id, ome_zarr: folder }: Member,
  side: Sidecar | null,
  list: Manifest | null,
  warnings: Warning[],
): AnalysesDocument | null {
  if (side === null && list === null) return null;
  const keyOf = (one: { analysis_name: string; channel: number; roi_id: unknown }) =>
    JSON.stringify([one.analysis_name, one.channel, String(one.roi_id)]);
  const described = new Map<string, Sidecar["analysis"][number]>();
  const repeated: string[] = [];
  for (const one of side?.analysis ?? []) {
    const key = keyOf(one);
    if (described.has(key)) repeated.push(quoted(one.analysis_name));
    else described.set(key, one);
  }
  const twice = `The sidecar describes analyses more than once; the first counts: ${listed(repeated)}`;
  warnings.push(...warnIf(repeated.length > 0, "metadata_disagree", twice));
  const common = (
    { analysis_name, channel, roi_id }: Sidecar["analysis"][number] | Manifest["analyses"][number],
  ) => ({ type: analysis_name, roi_id: String(roi_id), channel });
  const content = (one: Sidecar["analysis"][number] | undefined) => ({
    ...one?.detection_params && { parameters: one.detection_params },
    ...one?.summary && { summary: one.summary },
  });
  const lone: string[] = [];
  const tabled = (list?.analyses ?? []).map((entry) => {
    const key = keyOf(entry);
    const one = described.get(key);
    described.delete(key);
    if (one === undefined) lone.push(quoted(entry.id));
    const resources = Object.entries(entry.resources ?? {}).flatMap(([name, path]) =>
      typeof path === "string"
        ? [{ id: name, media_type: "text/csv" as const, path: `${folder}/${path}` }]
        : []
    );
    return { id: entry.id, ...common(entry), ...content(one), ...resources.length > 0 && { resources } };
  });
  const undescribed = `The sidecar does not describe analyses of the manifest: ${listed(lone)}`;
  warnings.push(...warnIf(lone.length > 0 && side !== null, "metadata_disagree", undescribed));
  const bare = [...described.values()].map((one) => ({
    id: `${one.analysis_name}__c${one.channel}__r${one.roi_id}`,
    ...common(one),
    ...content(one),
  }));
  const analyses = [...tabled, ...bare];
  return { format: "store-analyses", version: 1, image_id: id, analyses };
}

/** The scan path; `null` without one, or if its arrays differ in length. */
function pathOf(side: Sidecar | null, warnings: Warning[]): Pick<Points, "points" | "isLine"> {
  const none = { points: null, isLine: false };
  const metadata = side?.reference_image_metadata;
  if (!metadata || metadata["has_scan_path"] === false || metadata["has_scan_path"] === undefined) {
    return none;
  }
  const refuse = (why: string) => {
    warnings.push(
      warning("reference_unreadable", `The scan path of the reference image is left out: ${why}`),
    );
    return none;
  };
  const issue = findFirstIssue(foreignPath, metadata);
  if (issue !== null) return refuse(`/${issue.path.join("/")}: ${issue.message}`);
  const { scan_path_x_pixels: x, scan_path_y_pixels: y, scan_path_num_points: count = x.length } = foreignPath
    .parse(metadata);
  if (x.length !== y.length || count !== x.length) {
    return refuse(`it has ${x.length} columns and ${y.length} rows for ${count} points`);
  }
  if (x.length < 2) return refuse(`it has ${x.length} points, fewer than 2`);
  const line = metadata["line_roi"];
  return {
    points: x.map((column, i) => [column, y[i]!]),
    isLine: x.length === 2 && typeof line === "string" && line !== "",
  };
}

interface Points {
  readonly points: readonly (readonly number[])[] | null;
  readonly isLine: boolean;
}

function referenceDocument(
  member: Member,
  { reference_image_metadata: metadata }: Sidecar,
  points: Points["points"],
): ReferenceImageDocument {
  const { scan_path_x_pixels: x, scan_path_y_pixels: y, ...rest } = metadata ?? {};
  const display = displayOf(rest, []);
  const rounded = (points ?? []).map((point) => point.map((place) => Math.max(0, Math.round(place))));
  return {
    format: "store-reference-image",
    version: 1,
    image_id: member.id,
    ...rounded.length > 0 && {
      scan_path: { coordinate_space: "reference-image-full-resolution-pixels", points: rounded },
    },
    metadata: {
      acq_server: {
        scan_path: points && { x, y },
        ...Object.keys(display).length > 0 && { axis_display: display },
      },
      acqstore: {
        ...withoutPaths(rest) as JsonObject,
        // Arrays that make no path are kept as they stand.
        ...points === null && { scan_path_x_pixels: x, scan_path_y_pixels: y },
      },
    },
  };
}
