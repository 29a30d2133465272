/** The documents of a written member, and the validation of what a client sent for them. */
import { basename, dirname, sep } from "node:path";
import type { z } from "zod";
import { DecodeFailed, quoted } from "../../../readers/errors.ts";
import type { StopFlag } from "../../../readers/io/stop_flag.ts";
import { isJsonObject, parseJsonText } from "../../../readers/metadata/json.ts";
import type { Channel, MemberContent, Position } from "../../../readers/reader.ts";
import { findCsvProblem } from "../../../schemas/csv_table.ts";
import { checkDocument, type ImageFacts } from "../../../schemas/document_rules.ts";
import type { ExportRequest } from "../../../schemas/http.ts";
import { DocumentProblems, type Problem } from "../../../schemas/problems.ts";
import { type ArchivedImage, readArchivedImage } from "../../../schemas/archived.ts";
import type {
  ArchivedRecording,
  CheckedMember,
  CheckedMembers,
  MemberOrder,
  OrderFault,
  WriteOrder,
  WrittenFiles,
  WrittenPlane,
} from "./archive_orders.ts";
import { roundPoints } from "../../../readers/collection/archived.ts";
import { findTimeAxis } from "../../../readers/metadata/time_stamps.ts";
import { layOutWrittenImage, represents, selectChunkLayout, type WrittenImage } from "./image_layout.ts";
import { keepAnalyses, keepFittingImage, type WrittenAnalysis } from "./kept_content.ts";
import { makeMemberPaths, type MemberPaths } from "./member_paths.ts";
import type { AcquisitionSummary } from "../../acquisition_summary.ts";
import { writeZarrDocuments } from "./zarr_documents.ts";

/** What a client sends about one recording. */
type MemberRequest = z.infer<typeof ExportRequest>["members"][number];

/** A recording of an archive, as all its members have it. */
export interface DescribedRecording {
  readonly summary: AcquisitionSummary;
  /** Written channels in ascending order. */
  readonly channels: readonly Channel[];
  readonly layout: WrittenImage;
  readonly reference: WrittenImage | null;
  /** The only written T and Z; `null` if all are written. */
  readonly opened: Position | null;
  /** Warnings without folders, since archives are shared. */
  readonly warnings: readonly { readonly code: string; readonly text: string }[];
  /** What its collection holds about it, or `null`. */
  readonly kept: MemberContent | null;
  /** What its archive keeps of the recording; empty if it is not of an archive. */
  readonly archived: ArchivedImage;
}

/** Describes a recording for its archive. */
export function describeRecording(
  described: AcquisitionSummary,
  { images, hasReference, warnings: found }: ArchivedRecording,
  kept: MemberContent | null,
): DescribedRecording {
  const { fields: archived } = readArchivedImage(kept?.image?.image_metadata);
  const shown = found.map(({ code, text }) => ({ code, text: cutFolders(text, described.path) }));
  // Those about the files of the recording do not appear when its archive is opened.
  const earlier = (archived.warnings ?? []).filter(({ text }) => !shown.some((one) => one.text === text));
  const reference = hasReference ? described.reference : null;
  const summary = { ...described, reference };
  const channels = summary.loaded.toSorted((a, b) => a.index - b.index);
  return {
    summary,
    channels,
    layout: layOutWrittenImage({ ...summary, channels }, images !== "opened"),
    reference: reference && layOutWrittenImage(reference, true),
    opened: images === "opened" ? summary.position : null,
    warnings: [...earlier, ...shown],
    kept,
    archived,
  };
}

/** A recording that is about to be written. */
interface WrittenMember extends DescribedRecording {
  readonly id: string;
  readonly name: string;
  readonly order: MemberRequest;
  readonly paths: MemberPaths;
}

function buildWrittenMember(
  recording: DescribedRecording,
  { index, id, name, json }: MemberOrder,
): WrittenMember {
  // A worker has validated and encoded it.
  const order: MemberRequest = JSON.parse(new TextDecoder().decode(json));
  const paths = makeMemberPaths({ number: index + 1, hasReference: recording.reference !== null });
  return { ...recording, id, name, order, paths };
}

/** What is written about a member: what the order has, and else what its collection holds. */
interface WrittenContent {
  readonly accepted: boolean;
  readonly rois: NonNullable<MemberRequest["rois"]>;
  readonly axisDisplay: NonNullable<MemberRequest["axisDisplay"]>;
  readonly experimentMetadata: MemberRequest["experimentMetadata"];
  readonly imageMetadata: MemberRequest["imageMetadata"];
  readonly analyses: readonly WrittenAnalysis[];
  readonly warnings: readonly string[];
}

function chooseWrittenContent(member: WrittenMember): WrittenContent {
  const { order, kept, layout, channels, name } = member;
  const warnings: string[] = [];
  const image = kept &&
    keepFittingImage(kept, describeImageFacts(member), order.rois === undefined ? warnings : []);
  const rois = order.rois ?? image?.rois ?? [];
  const ids = new Set(rois.map(({ id }) => id));
  const placeOf = (channel: number) => channels.findIndex(({ index }) => index === channel);
  const analyses =
    order.analyses?.map((analysis, index) => buildRequestedAnalysis(analysis, index, layout)) ??
      (kept ? keepAnalyses(kept, ids, placeOf, warnings) : []);
  return {
    accepted: order.accepted ?? kept?.image?.accepted ?? false,
    rois,
    axisDisplay: { ...layout.axisDisplay, ...order.axisDisplay ?? image?.axis_display },
    experimentMetadata: order.experimentMetadata ?? kept?.image?.experiment_metadata,
    imageMetadata: order.imageMetadata ?? kept?.image?.image_metadata,
    analyses,
    warnings: [...kept?.unkept ?? [], ...warnings.map((text) => `${quoted(name)}: ${text}`)],
  };
}

function buildRequestedAnalysis(
  { id, type, roiId, channel, parameters, summary, tables }: NonNullable<MemberRequest["analyses"]>[number],
  index: number,
  { spectral }: WrittenImage,
): WrittenAnalysis {
  return {
    id: id ?? `analysis-${index + 1}`,
    type,
    ...roiId !== undefined && { roi_id: roiId },
    ...channel !== undefined && { channel: channel * spectral + findSpectralIndex(parameters) },
    ...parameters && { parameters },
    ...summary && { summary },
    tables: tables.map(({ id, name, csv }, i) => ({ id: id ?? `table-${i + 1}`, name, csv })),
  };
}

const describeImageFacts = ({ layout }: WrittenMember): ImageFacts => ({
  ...layout.packed,
  channels: layout.axes.find(({ name }) => name === "c")!.size,
  axisNames: layout.axes.map(({ name }) => name),
});

/** Checks members of one recording, except its planes, by documents v1. @throws {Stopped} */
export function checkMembers(
  recording: DescribedRecording,
  orders: readonly MemberOrder[],
  stop: StopFlag,
): Omit<CheckedMembers, "seen"> {
  const faults: OrderFault[] = [];
  const members: CheckedMember[] = [];
  for (const [i, order] of orders.entries()) {
    stop.check();
    if (faults.length > MAX_FAULTS) break;
    const member = buildWrittenMember(recording, order);
    const content = chooseWrittenContent(member);
    members.push({ hasAnalyses: content.analyses.length > 0, warnings: content.warnings });
    faults.push(...findMemberFaults(member, content, order.index, i === 0, stop));
  }
  const { layout, reference } = recording;
  return {
    faults,
    members,
    layout: selectChunkLayout(layout),
    reference: reference && selectChunkLayout(reference),
  };
}

/** Number of faults after which an order is not checked further. */
const MAX_FAULTS = 1000;

/** Documents and tables of a member, in their order in the archive. */
export function writeFiles(
  recording: DescribedRecording,
  { member: order, part, contrasts, missing, version }: WriteOrder,
): WrittenFiles {
  const member = buildWrittenMember(recording, order);
  const { image, referenceImage } = member.paths;
  const below = (folder: string, documents: ReturnType<typeof writeZarrDocuments>) =>
    Object.entries(documents).map(([key, content]) => ({ path: `${folder}/${key}`, content }));
  const documents = part === "image"
    ? below(image, writeZarrDocuments(member.name, member.layout, contrasts, member.id))
    : part === "documents"
    ? writeMemberDocuments(member, missing, version)
    : below(
      referenceImage!,
      writeZarrDocuments(`${member.name} reference`, member.reference!, contrasts, null),
    );
  const encoder = new TextEncoder();
  return documents.map(({ path, content }) => ({
    path,
    content: content instanceof Uint8Array ? new Uint8Array(content) : encoder.encode(
      typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
    ),
  }));
}

/** A file of the archive other than an image. */
interface WrittenDocument {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>> | string | Uint8Array;
}

/** The documents and tables of a member; `missing` are planes that the recording lacks. */
function writeMemberDocuments(
  member: WrittenMember,
  missing: readonly WrittenPlane[],
  version: string,
): readonly WrittenDocument[] {
  const { paths } = member;
  const content = chooseWrittenContent(member);
  const { document, tables } = writeAnalyses(member, content);
  return [
    ...paths.reference ? [{ path: paths.reference, content: writeReferenceDocument(member, version) }] : [],
    { path: paths.acqimage, content: writeImageDocument(member, content, missing, version) },
    ...document ? [{ path: paths.analyses, content: document }] : [],
    ...tables,
  ];
}

function writeImageDocument(
  member: WrittenMember,
  { accepted, rois, axisDisplay, experimentMetadata, imageMetadata }: WrittenContent,
  missing: readonly WrittenPlane[],
  version: string,
) {
  const own = { version, ...archiveRecording(member), ...missing.length > 0 && { missing_planes: missing } };
  return {
    format: "store-acqimage",
    version: 1,
    image_id: member.id,
    accepted,
    rois,
    ...experimentMetadata && { experiment_metadata: experimentMetadata },
    image_metadata: { ...imageMetadata, acq_server: own },
    ...Object.keys(axisDisplay).length > 0 && { axis_display: axisDisplay },
  };
}

/** What OME-Zarr cannot express of a recording, in the form of {@linkcode ArchivedImage}. */
function archiveRecording({ layout, summary, channels, opened, warnings, archived }: WrittenMember) {
  const types = channels.map(({ sampleType, sourceType = sampleType }) => sourceType);
  const isExact = types.every((type) => represents(layout.packed.sampleType, type));
  const position = archived.position ?? (opened && { t: opened.t, z: opened.z });
  const spectral = layout.spectral > 1
    ? { size: layout.spectral, index: "c = channel * size + l" }
    : archived.spectral;
  return {
    // Of an archive, the recording that it was made from.
    source: archived.source ??
      { name: basename(summary.path), format: summary.format, fingerprint: summary.fingerprint },
    scene: archived.source ? archived.scene ?? 0 : summary.scene,
    date: summary.date,
    time: summary.time,
    ...summary.lineScan && { lineScan: summary.lineScan },
    ...selectWrittenTimes(summary, layout),
    sourceDtype: summary.loaded[0]!.sourceType ?? summary.loaded[0]!.sampleType,
    sample_types: types,
    colors: layout.channels.map(({ ownColor }) => ownColor),
    ...summary.reference?.lineRoi && { lineRoi: summary.reference.lineRoi },
    warnings,
    ...!isExact && { note: "the samples are the nearest float32 of those in the file" },
    ...position && { position },
    ...spectral && { spectral },
  };
}

/** The times of the written time points or lines; a recording may lack its last lines. */
function selectWrittenTimes(summary: AcquisitionSummary, { axes }: WrittenImage) {
  const axis = findTimeAxis(summary)?.name.toLowerCase();
  const size = axes.find(({ name }) => name === axis)?.size ?? 1;
  return summary.times && summary.times.length >= size && size > 1 && { times: summary.times.slice(0, size) };
}

/** Reduces quoted paths to names, since archives are shared. @param path of the recording, whose folders may hold quotes */
export function cutFolders(text: string, path: string): string {
  let cut = text;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    cut = cut.replaceAll(`${folder}${sep}`, sep).replaceAll(folder, sep + basename(folder));
  }
  return cut.replace(
    /(["'])((?:[A-Za-z]:)?\.{0,2}[\\/](?:(?!\1).)*)\1/g,
    (_, quote: string, found: string) => quote + (found.split(/[\\/]/).findLast(Boolean) ?? "") + quote,
  );
}

function writeReferenceDocument({ id, summary, reference, kept }: WrittenMember, version: string) {
  const { lineRoi = null, scanPath = null, channels = [] } = summary.reference ?? {};
  const { packed, channels: written, axisDisplay } = reference!;
  const points = roundPoints({ lineRoi, scanPath }, packed);
  return {
    format: "store-reference-image",
    version: 1,
    image_id: id,
    ...points.length > 1 && {
      scan_path: { coordinate_space: "reference-image-full-resolution-pixels", points },
    },
    metadata: {
      ...kept?.reference?.metadata,
      acq_server: {
        version,
        scan_path: scanPath,
        colors: written.map(({ ownColor }) => ownColor),
        sample_types: channels.map(({ sampleType, sourceType = sampleType }) => sourceType),
        ...Object.keys(axisDisplay).length > 0 && { axis_display: axisDisplay },
      },
    },
  };
}

/** The document of the analyses, or `null`, and their tables. */
function writeAnalyses({ id, paths }: WrittenMember, { analyses: written }: WrittenContent) {
  const tables: WrittenDocument[] = [];
  const analyses = written.map(({ tables: own, summary, ...analysis }) => {
    const resources = own.map((table) => {
      const path = paths.table(tables.length + 1);
      tables.push({ path, content: table.csv });
      return { id: table.id, media_type: "text/csv", path };
    });
    const names = Object.fromEntries(own.map((table) => [table.id, table.name]));
    return { ...analysis, summary: { ...summary, acq_server: { tables: names } }, resources };
  });
  const document = { format: "store-analyses", version: 1, image_id: id, analyses };
  return { document: analyses.length > 0 ? document : null, tables };
}

/** The index along L at which an analysis was made. */
function findSpectralIndex(parameters: Readonly<Record<string, unknown>> | undefined): number {
  const own = parameters?.["acq_server"];
  const l = isJsonObject(own) ? own["l"] : 0;
  return typeof l === "number" && Number.isInteger(l) && l >= 0 ? l : 0;
}

/** Faults of a member. @param isFirst false if another member of the recording has been checked */
function findMemberFaults(
  member: WrittenMember,
  content: WrittenContent,
  index: number,
  isFirst: boolean,
  stop: StopFlag,
): OrderFault[] {
  const { order, layout, channels, paths } = member;
  const image = writeImageDocument(member, content, [], "0");
  const imageProblems: Problem[] = [];
  checkDocument(
    "acqimage",
    image,
    { imageId: null, image: describeImageFacts(member), roiIds: null },
    new DocumentProblems("", imageProblems),
  );
  const analysesProblems: Problem[] = [];
  const { document } = writeAnalyses(member, content);
  if (document) {
    checkDocument(
      "analyses",
      document,
      // The channels of the order are validated below.
      { imageId: null, image: null, roiIds: new Set(content.rois.map(({ id }) => id)) },
      new DocumentProblems("", analysesProblems),
    );
  }
  const analyses = order.analyses ?? [];
  return [
    ...imageProblems.map(({ pointer, message }) => ({ path: splitPointer(pointer), message })),
    ...analysesProblems.map(({ pointer, message }) => ({ path: splitPointer(pointer), message })),
    ...analyses.flatMap(({ channel, parameters }, i) => {
      const at = (field: string) => ["analyses", String(i), field];
      if (channel !== undefined && channel >= channels.length) {
        return [{ path: at("channel"), message: `only ${channels.length} channels are exported` }];
      }
      const l = findSpectralIndex(parameters);
      return l < layout.spectral
        ? []
        : [{ path: at("parameters"), message: `the image has no index ${l} along L` }];
    }),
    ...[
      // The documents of the reference image differ in the id alone.
      ...paths.reference && isFirst
        ? [{ path: paths.reference, content: writeReferenceDocument(member, "0") }]
        : [],
      { path: paths.acqimage, content: image },
      ...document ? [{ path: paths.analyses, content: document }] : [],
    ].flatMap(({ path, content }) => {
      const problem = findSizeProblem(content, path);
      return problem === null ? [] : [{ path: [], message: problem }];
    }),
    ...findTableFaults(analyses, stop),
  ].map(({ path, message }) => ({ path: ["members", String(index), ...path], message }));
}

function findTableFaults(analyses: NonNullable<MemberRequest["analyses"]>, stop: StopFlag): OrderFault[] {
  const encoder = new TextEncoder();
  return analyses.flatMap(({ tables }, i) =>
    tables.flatMap(({ csv }, j) => {
      stop.check();
      const message = findCsvProblem(encoder.encode(csv));
      const path = ["analyses", String(i), "tables", String(j), "csv"];
      return message === null ? [] : [{ path, message }];
    })
  );
}

/** Why a document is too large to be read back, or `null`. */
function findSizeProblem(content: Readonly<Record<string, unknown>>, path: string): string | null {
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
function splitPointer(pointer: string): string[] {
  const keys = pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const isOwn = (i: number) => i === 0 || keys[0] === "analyses" && i === 2;
  return keys.map((key, i) => isOwn(i) ? FIELDS[key] ?? key : key);
}
