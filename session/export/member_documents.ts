/** The documents of a written member, and the validation of what a client sent for them. */
import { basename, dirname, sep } from "node:path";
import type { z } from "zod";
import type { AcquisitionSource, AcquisitionSummary } from "../../readers/opened/orders.ts";
import type { Channel, Position, WorkingMemory } from "../../readers/reader.ts";
import { DecodeFailed, quoted } from "../../readers/errors.ts";
import { isJsonObject, parseJsonText } from "../../readers/metadata/json.ts";
import { type ImageFacts, judgeDocument } from "../../schemas/document_rules.ts";
import type { ExportRequest } from "../../schemas/http.ts";
import { DocumentProblems, type Problem } from "../../schemas/problems.ts";
import { type ImageLayout, imageLayout } from "./image_layout.ts";

/** What a client asks to export. */
export type ExportOrder = z.infer<typeof ExportRequest>;

/** What a client sends about one recording. */
export type MemberOrder = ExportOrder["members"][number];

/** Indices of a plane along the axes of the written image. */
export type WrittenPlane = Readonly<Record<string, number>>;

/** A recording that is about to be written. */
export interface ExportedMember {
  readonly summary: AcquisitionSummary;
  readonly source: AcquisitionSource;
  readonly working: WorkingMemory;
  /** Number of the member, from 1, used in the paths of its files. */
  readonly number: number;
  readonly order: MemberOrder;
  readonly id: string;
  readonly name: string;
  /** Written channels in ascending order. */
  readonly channels: readonly Channel[];
  readonly layout: ImageLayout;
  readonly reference: ImageLayout | null;
  /** The only written T and Z; `null` if all are written. */
  readonly opened: Position | null;
}

/** Describes a recording that a client asks to export. */
export function exportedMember(
  order: MemberOrder,
  index: number,
  { images }: ExportOrder,
  { summary, source, working }: Pick<ExportedMember, "summary" | "source" | "working">,
): ExportedMember {
  const { reference } = summary;
  const channels = summary.loaded.toSorted((a, b) => a.index - b.index);
  return {
    summary,
    source,
    working,
    number: index + 1,
    order,
    id: order.id ?? crypto.randomUUID(),
    name: order.name ?? recordingName(summary),
    channels,
    layout: imageLayout({ ...summary, channels }, images !== "opened"),
    reference: reference && imageLayout(reference, true),
    opened: images === "opened" ? summary.position : null,
  };
}

/** Paths of the files of a member; `null` for those that it lacks. */
export interface MemberPaths {
  readonly image: string;
  readonly referenceImage: string | null;
  /** The document of the reference image. */
  readonly reference: string | null;
  readonly acqimage: string;
  readonly analyses: string | null;
}

/** Paths of the files of a member. */
export const pathsOf = ({ number, reference, order }: ExportedMember): MemberPaths => ({
  image: `images/${number}.ome.zarr`,
  referenceImage: reference && `reference/${number}.ome.zarr`,
  reference: reference && `reference/${number}.json`,
  acqimage: `acqimage/${number}.json`,
  analyses: (order.analyses ?? []).length > 0 ? `analyses/${number}.json` : null,
});

/** Name of the recording: its file name, and the scene's name if there are several scenes. */
function recordingName({ path, scene, sceneCount, scenes }: AcquisitionSummary): string {
  const name = basename(path);
  return sceneCount > 1 ? `${name} ${scenes[scene]?.name ?? `Scene ${scene + 1}`}` : name;
}

/** A file of the archive other than an image. */
export interface WrittenDocument {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>> | string;
}

/** The documents and tables of a member, in their order in the archive; `missing` are planes that the recording lacks. */
export function memberDocuments(
  member: ExportedMember,
  missing: readonly WrittenPlane[],
  version: string,
): readonly WrittenDocument[] {
  const paths = pathsOf(member);
  const { analyses, tables } = analysesOf(member);
  return [
    ...paths.reference ? [{ path: paths.reference, content: referenceDocument(member, version) }] : [],
    { path: paths.acqimage, content: imageDocument(member, missing, version) },
    ...paths.analyses ? [{ path: paths.analyses, content: analyses }] : [],
    ...tables,
  ];
}

function imageDocument(
  { id, order, layout, summary, opened, channels }: ExportedMember,
  missing: readonly WrittenPlane[],
  version: string,
) {
  const axisDisplay = { ...layout.axisDisplay, ...order.axisDisplay };
  const own = {
    version,
    source: { name: basename(summary.path), format: summary.format, fingerprint: summary.fingerprint },
    scene: summary.scene,
    date: summary.date,
    time: summary.time,
    sample_types: channels.map((channel) => channel.sampleType),
    warnings: summary.warnings.map(({ text }) => withoutFolders(text, summary.path)),
    ...opened && { position: { t: opened.t, z: opened.z } },
    ...layout.spectral > 1 && { spectral: { size: layout.spectral, index: "c = channel * size + l" } },
    ...layout.isRounded && { note: "the samples are the nearest float32 of those in the file" },
    ...missing.length > 0 && { missing_planes: missing },
  };
  return {
    format: "store-acqimage",
    version: 1,
    image_id: id,
    accepted: order.accepted ?? false,
    rois: order.rois ?? [],
    ...order.experimentMetadata && { experiment_metadata: order.experimentMetadata },
    image_metadata: { ...order.imageMetadata, acq_server: own },
    ...Object.keys(axisDisplay).length > 0 && { axis_display: axisDisplay },
  };
}

/** Reduces quoted paths to names, since archives are shared. @param path of the recording, whose folders may hold quotes */
function withoutFolders(text: string, path: string): string {
  let cut = text;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    cut = cut.replaceAll(`${folder}${sep}`, sep).replaceAll(folder, sep + basename(folder));
  }
  return cut.replace(
    /(["'])((?:[A-Za-z]:)?\.{0,2}[\\/](?:(?!\1).)*)\1/g,
    (_, quote: string, found: string) => quote + (found.split(/[\\/]/).findLast(Boolean) ?? "") + quote,
  );
}

function referenceDocument({ id, summary, reference }: ExportedMember, version: string) {
  const { lineRoi = null, scanPath = null } = summary.reference ?? {};
  const path = scanPath ?? (lineRoi && { x: [lineRoi[0], lineRoi[2]], y: [lineRoi[1], lineRoi[3]] });
  const { rows, columns } = reference!.packed;
  const inside = (value: number, size: number) => Math.min(size - 1, Math.max(0, Math.round(value)));
  const points = path === null ? [] : path.x.map((x, i) => [inside(x, columns), inside(path.y[i]!, rows)]);
  return {
    format: "store-reference-image",
    version: 1,
    image_id: id,
    ...points.length > 1 && {
      scan_path: { coordinate_space: "reference-image-full-resolution-pixels", points },
    },
    metadata: {
      acq_server: { version, ...scanPath && { scan_path: scanPath }, ...lineRoi && { line_roi: lineRoi } },
    },
  };
}

function analysesOf({ id, number, order, layout: { spectral } }: ExportedMember) {
  const tables: WrittenDocument[] = [];
  const analyses = (order.analyses ?? []).map((analysis, index) => {
    const names: [string, string][] = [];
    const resources = analysis.tables.map((table, i) => {
      const path = `tables/${number}-${tables.length + 1}.csv`;
      tables.push({ path, content: table.csv });
      const tableId = table.id ?? `table-${i + 1}`;
      names.push([tableId, table.name]);
      return { id: tableId, media_type: "text/csv", path };
    });
    const { roiId, channel, parameters, summary } = analysis;
    return {
      id: analysis.id ?? `analysis-${index + 1}`,
      type: analysis.type,
      ...roiId !== undefined && { roi_id: roiId },
      ...channel !== undefined && { channel: channel * spectral + spectralIndex(parameters) },
      ...parameters && { parameters },
      summary: { ...summary, acq_server: { tables: Object.fromEntries(names) } },
      resources,
    };
  });
  return { analyses: { format: "store-analyses", version: 1, image_id: id, analyses }, tables };
}

/** The index along L at which an analysis was made. */
function spectralIndex(parameters: Readonly<Record<string, unknown>> | undefined): number {
  const own = parameters?.["acq_server"];
  const l = isJsonObject(own) ? own["l"] : 0;
  return typeof l === "number" && Number.isInteger(l) && l >= 0 ? l : 0;
}

/** A fault of an order. */
export interface OrderFault {
  /** Keys from `members` on. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Validates a member, except its tables, by documents v1. */
export function memberFaults(member: ExportedMember, index: number): OrderFault[] {
  const { order, layout, channels } = member;
  const image: ImageFacts = {
    ...layout.packed,
    channels: layout.axes.find(({ name }) => name === "c")!.size,
    axisNames: layout.axes.map(({ name }) => name),
  };
  const imageProblems: Problem[] = [];
  judgeDocument(
    "acqimage",
    imageDocument(member, [], "0"),
    { imageId: null, image, roiIds: null },
    new DocumentProblems("", imageProblems),
  );
  const analysesProblems: Problem[] = [];
  const roiIds = new Set((order.rois ?? []).map(({ id }) => id));
  judgeDocument(
    "analyses",
    analysesOf(member).analyses,
    // The channels of the order are validated below.
    { imageId: null, image: null, roiIds },
    new DocumentProblems("", analysesProblems),
  );
  const analyses = order.analyses ?? [];
  return [
    ...imageProblems.map(({ pointer, message }) => ({ path: keysOf(pointer), message })),
    ...analysesProblems.map(({ pointer, message }) => ({ path: keysOf(pointer), message })),
    ...analyses.flatMap(({ channel, parameters }, i) => {
      const at = (field: string) => ["analyses", String(i), field];
      if (channel !== undefined && channel >= channels.length) {
        return [{ path: at("channel"), message: `only ${channels.length} channels are exported` }];
      }
      const l = spectralIndex(parameters);
      return l < layout.spectral
        ? []
        : [{ path: at("parameters"), message: `the image has no index ${l} along L` }];
    }),
    ...memberDocuments(member, [], "0").flatMap(({ path, content }) => {
      const problem = typeof content === "string" ? null : sizeProblem(content, path);
      return problem === null ? [] : [{ path: [], message: problem }];
    }),
  ].map(({ path, message }) => ({ path: ["members", String(index), ...path], message }));
}

/** Why a document is too large to be read back, or `null`. */
function sizeProblem(content: Readonly<Record<string, unknown>>, path: string): string | null {
  try {
    parseJsonText(JSON.stringify(content, null, 2), quoted(path));
    return null;
  } catch (error) {
    if (error instanceof DecodeFailed) return error.message;
    throw error;
  }
}

/** Names of fields in the request by those in the documents. */
const FIELDS: Readonly<Record<string, string>> = {
  axis_display: "axisDisplay",
  roi_id: "roiId",
  resources: "tables",
};

/** Keys of an RFC 6901 pointer, with the names of the request. */
function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const isOwn = (i: number) => i === 0 || keys[0] === "analyses" && i === 2;
  return keys.map((key, i) => isOwn(i) ? FIELDS[key] ?? key : key);
}
