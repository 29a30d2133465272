/**
 * Restores drawings and results from the documents of a recording, and saves again what other programs wrote in them.
 * Regions are restored whoever wrote them, settings and results only if this page did.
 */
import { isTime } from "../../../measure/axes.ts";
import { freeName } from "../../../measure/free_name.ts";
import { type Drawn, type KeptMeasurement, mapped } from "../drawing/drawn.ts";
import {
  checkedKymograph,
  checkedLook,
  checkedMeans,
  checkedPosition,
  checkedResults,
  checkedSettings,
  isAnalysis,
  isWrittenRegion,
} from "./checked.ts";
import { type memberOf, unpacked, VERSION } from "./documents.ts";
import { OWN, readRegions } from "./regions.ts";
import type { Acquisition, ExportMember, OpenResponse } from "../../../client/v2/acq-client.ts";
import type { Rejected } from "../../../measure/measurement.ts";
import type { Of } from "../../../measure/result.ts";
import type { Look } from "../panels/viewer.ts";
import { ALL_BANDS, ofKinds, type WrittenRegion } from "../drawing/region.ts";
import { partsIn } from "../drawing/table.ts";
import type { Part } from "../../../measure/image_parts.ts";

/** What this page reads of an image document. */
export interface ImageDocument {
  image_id: string;
  rois: WrittenRegion[];
  accepted?: boolean;
  experiment_metadata?: object;
  image_metadata?: {
    acq_server?: {
      source?: { name?: string; fingerprint?: string };
      scene?: number;
      spectral?: { size?: number };
    };
    [OWN]?: unknown;
  };
}

/** An analysis of a document, of this page or another program. */
export interface SavedAnalysis {
  id: string;
  type: string;
  roi_id?: string;
  channel?: number;
  parameters?: { [OWN]?: unknown; picture?: unknown };
  summary?: { acq_server?: { tables?: Record<string, string> } };
  resources: { id: string; path: string }[];
}

/** What this page has packed into the metadata of an image. */
interface SavedWork {
  version?: number;
  settings?: unknown;
  position?: unknown;
  look?: unknown;
}

/** Documents of one image. */
export interface Documents {
  image: ImageDocument;
  analyses: { analyses: SavedAnalysis[] } | null;
  /** Hash of the documents. */
  mark: string;
}

/** What the documents of a recording hold for this page. */
export interface Restored {
  drawn: Drawn;
  look: Look;
  position: { t: number; z: number; l: number };
  /** Names of regions outside the image. */
  outside: string[];
  /** What could not be restored; may be empty. */
  note: string;
}

/** Documents that this page cannot read; the message says why. */
export class DocumentFault extends Error {}

/**
 * Finds the documents of images among text files.
 *
 * @returns one for each image document
 * @throws {DocumentFault} not JSON, of a newer version, or against the schema
 */
export function documentsOf(files: readonly { name: string; text: string }[]): Documents[] {
  const read = files.filter(({ name }) => name.endsWith(".json")).flatMap(({ name, text }) => {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw new DocumentFault(`${name} is no JSON.`);
    }
    const format = /^(?:acq)?store-(acqimage|analyses)$/.exec(value?.format);
    if (format === null) return [];
    // Documents of acqstore differ in the constant.
    value.format = `store-${format[1]}`;
    if (value.version !== 1) {
      throw new DocumentFault(
        `${name} has version ${value.version}; this page reads version 1. A newer page reads it.`,
      );
    }
    const isWhole = value.format === "store-analyses"
      ? Array.isArray(value.analyses) &&
        value.analyses.every(isAnalysis)
      : Array.isArray(value.rois) && value.rois.every(isWrittenRegion);
    if (!isWhole || typeof value.image_id !== "string") {
      throw new DocumentFault(`${name} breaks its schema; acq-server validate says where.`);
    }
    return [{ value, text }];
  });
  return read.filter(({ value }) => value.format === "store-acqimage").map(({ value, text }) => {
    const analyses = read.find((other) =>
      other.value.format === "store-analyses" && other.value.image_id === value.image_id
    );
    return { image: value, analyses: analyses?.value ?? null, mark: markOf(text + (analyses?.text ?? "")) };
  });
}

/** A short hash of a text (FNV-1a), also for browsers without digests. */
function markOf(text: string) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(16)}`;
}

/** Where the recording of an image document came from. */
export function sourceOf({ image }: Documents): {
  name: string | undefined;
  fingerprint: string | undefined;
  scene: number;
} {
  const { source = {}, scene = 0 } = image.image_metadata?.acq_server ?? {};
  return { name: source.name, fingerprint: source.fingerprint, scene };
}

/** Reads the documents of the open recording. @param info of the open recording */
export function restored(
  { image, analyses, mark }: Documents,
  { plane, header, channels, collection }: Pick<OpenResponse, "plane" | "header" | "channels" | "collection">,
): Restored {
  const own = unpacked(image.image_metadata?.[OWN] ?? null) as SavedWork | null;
  const { version = 0 } = own ?? {};
  const isOurs = version === VERSION;
  const saved = isOurs && own !== null ? own : {};
  const { settings, lost: lostSettings } = checkedSettings(saved.settings);
  const { position, lost: lostPosition } = checkedPosition(saved.position);
  const { look, lost: lostLook } = checkedLook(saved.look);
  const lost = [...lostSettings, ...lostPosition, ...lostLook];
  const { typed = null } = look;
  const isTurned = typed?.time === "columns";
  const [rows, columns] = plane.shape;
  const shape = isTurned ? [columns, rows] as const : [rows, columns] as const;
  const isLineScan = typed !== null || isTime(plane.axes[0]);
  const { regions, outside } = readRegions(image.rois, { shape, isLineScan, isTurned });
  // An archive has each wavelength as a channel.
  const spectral = image.image_metadata?.acq_server?.spectral?.size ?? 1;
  const isFolded = spectral > 1 && header.sizes.L === undefined;
  const ascending = channels.map((_, i) => i).sort((a, b) => channels[a]!.index - channels[b]!.index);
  const positionOf = (rank: number) => ascending[isFolded ? rank * spectral + (position.l ?? 0) : rank];
  /** What this page packed into an analysis; of several of a type that of a region and channel. */
  const kept = (
    type: string,
    of?: Of,
  ): { found?: unknown; rejected?: unknown; means?: unknown; look?: unknown } => {
    const found = analyses?.analyses.find(({ type: other, roi_id = "", channel, parameters }) =>
      other === type && parameters?.[OWN] && parameters.picture === undefined &&
      (of === undefined || roi_id === of.band && (of.channel === "" || channel === Number(of.channel)))
    );
    return isOurs && found ? unpacked(found.parameters?.[OWN]) as object : {};
  };
  const parts = isLineScan ? [] : partsIn(regions);
  const bands = isLineScan ? ofKinds(regions, "band").map(({ id }) => id) : parts.map(({ id }) => id);
  const isThere = ({ band }: { band: string }) => band === "" || bands.includes(band);
  /** The means of a part in all images, by the channels of the page. */
  const meansOf = ({ id, place }: Part, images: number) => {
    const saved = kept("image_means", { band: id, channel: "" });
    const means = checkedMeans(saved.means);
    if (means.length > 0 && means.every(({ length }) => length === images)) {
      const unmeasured = new Array<null>(images).fill(null);
      const placed = means.flatMap((values, rank) => {
        const at = positionOf(rank);
        return at === undefined ? [] : [[at, values] as const];
      });
      return [{
        id,
        place,
        means: channels.map((_, at) => placed.find(([other]) => other === at)?.[1] ?? unmeasured),
      }];
    }
    if (Object.keys(saved).length > 0) lost.push("means over the images");
    return [];
  };
  const hasChannel = ({ channel }: Of) => positionOf(Number(channel)) !== undefined;
  /** Names the channel as the page does. */
  const placed = ({ band, channel }: { band: string; channel: string }) => ({
    band,
    channel: String(positionOf(Number(channel)) ?? 0),
  });
  /** Settings and results of a measurement; those of bands that are not there are left out. */
  const measurementOf = (
    { results, edits, ...chosen }: KeptMeasurement,
    key: string,
  ): KeptMeasurement | null => {
    if (chosen.band !== ALL_BANDS && !isThere(chosen)) return null;
    return {
      ...chosen,
      ...placed(chosen),
      place: null,
      results: results.filter(({ of }) => isThere(of) && hasChannel(of)).map((result) => {
        const { found, rejected } = kept(key, result.of);
        const candidates = checkedResults(rejected) as Rejected[];
        return {
          ...result,
          of: placed(result.of),
          found: checkedResults(found),
          ...candidates.length > 0 && { rejected: candidates },
        };
      }),
      edits: edits.filter(({ of, column }) => hasChannel(of) && (isThere(of) || column !== undefined))
        .map((edit) => ({ ...edit, of: placed(edit.of), place: null })),
    };
  };
  const { images } = settings;
  const measuredParts = images ? parts.flatMap((part) => meansOf(part, header.sizes[images.axis] ?? 1)) : [];
  return {
    drawn: {
      shape,
      isLineScan,
      regions,
      traces: settings.traces ?? null,
      measurements: mapped(settings.measurements, measurementOf),
      ...images && {
        images: { ...images, parts: measuredParts, channels: channels.map(({ name }) => name) },
      },
      ...settings.projection && { projection: settings.projection },
      cursors: { lines: 1, columns: 1, ...settings.cursors },
      kymograph: ofKinds(regions, "path").length === 0
        ? null
        : { isMade: settings.isKymographMade === true, ...inKymograph(kept("kymograph").look) },
      accepted: image.accepted === (collection?.member.accepted ?? false) ? null : image.accepted === true,
      origin: mark,
    },
    look: isFolded ? {} : look,
    position: { t: position.t ?? 0, z: position.z ?? 0, l: isFolded ? 0 : position.l ?? 0 },
    outside,
    note: [
      own !== null && !isOurs
        ? `These measurements were saved by ${
          version > VERSION ? "a newer" : "an earlier"
        } version of the page: only their regions are shown.`
        : outside.length === 0
        ? ""
        : `Not shown, since they lie outside the image: ${outside.join(", ")}.`,
      lost.length === 0 ? "" : `Damaged in the file and left out: ${[...new Set(lost)].join(", ")}.`,
    ].filter((text) => text !== "").join(" "),
  };
}

/** Lets results in a kymograph hold for the shown position. */
function inKymograph(saved: unknown) {
  const look = checkedKymograph(saved);
  if (look === null) return {};
  const { drawn } = look;
  if (!drawn) return { look };
  const measurements = mapped(drawn.measurements, (one) => ({
    ...one,
    edits: one.edits.map((edit) => ({ ...edit, place: null })),
    place: null,
  }));
  return { look: { ...look, drawn: { ...drawn, measurements } } };
}

/** Adds the analyses, tables and metadata of other programs that the documents of a member hold. */
export async function carriedOver(
  member: ReturnType<typeof memberOf>,
  acquisition: Pick<Acquisition, "info" | "metadata">,
): Promise<ExportMember> {
  const { collection } = acquisition.info;
  if (!collection) return member;
  const files = await acquisition.metadata();
  const [documents] = documentsOf(files.filter(({ mediaType }) => mediaType === "application/json"));
  if (documents === undefined) return member;
  const { image, analyses } = documents;
  const regions = new Set(member.rois.map(({ id }) => id));
  // The server takes no analysis without a table, as acqstore writes some.
  const others = (analyses?.analyses ?? []).filter(({ parameters, resources = [] }) =>
    !parameters?.[OWN] && resources.length > 0
  );
  const used = new Set<string>(others.map(({ id }) => id));
  return {
    ...member,
    id: collection.member.id,
    name: collection.member.name,
    ...image.experiment_metadata && { experimentMetadata: image.experiment_metadata },
    imageMetadata: { ...image.image_metadata, ...member.imageMetadata },
    analyses: [
      ...member.analyses.map((analysis, i) => ({
        ...analysis,
        id: freeAnalysisId(`${analysis.type}-${i + 1}`, used),
      })),
      ...others.map(({ id, type, roi_id, channel, parameters, summary, resources }) => ({
        id,
        type,
        ...roi_id !== undefined && regions.has(roi_id) && { roiId: roi_id },
        ...channel !== undefined && { channel },
        ...parameters && { parameters },
        ...summary && { summary },
        tables: resources.map(({ id, path }) => ({
          id,
          name: summary?.acq_server?.tables?.[id] ?? id,
          csv: files.find(({ name }) => name === path)?.text ?? "missing\r\n",
        })),
      })),
    ],
  };
}

const freeAnalysisId = (id: string, used: ReadonlySet<string>) =>
  freeName(id, (other) => used.has(other), (n) => `${id}-${n}`);
