/**
 * Restores drawings and results from the documents of a recording, and saves again what other programs wrote in them.
 * Regions are restored whoever wrote them, settings and results only if this page did.
 */
import { isTime } from "../../../measure/axes.ts";
import { freeName } from "../../../measure/free_name.ts";
import { type Drawn, mapMeasurements } from "../drawing/drawn.ts";
import type { KeptMeasurement } from "../drawing/measurement_piece.ts";
import {
  checkKymograph,
  checkLook,
  checkMeans,
  checkPosition,
  checkResults,
  checkSettings,
  isAnalysis,
  isWrittenRegion,
} from "./checked.ts";
import { type makeMember, unpackNumbers, VERSION } from "./documents.ts";
import type { Naming } from "../drawing/piece.ts";
import { namePieces } from "../drawing/pieces.ts";
import { OWN, readRegions } from "./regions.ts";
import type { Acquisition, ExportMember, OpenResponse } from "../../../client/v2/acq-client.ts";
import type { Rejected } from "../../../measure/measurement.ts";
import type { Of } from "../../../measure/result.ts";
import type { ViewerLook } from "../panels/viewer.ts";
import { ALL_BANDS, selectKinds, type WrittenRegion } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import type { ImagePart } from "../../../measure/image_parts.ts";
import type { PartMeans } from "../../../measure/image_traces.ts";

/** What this page reads of an image document. */
export interface RestoredImage {
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
  image: RestoredImage;
  analyses: { analyses: SavedAnalysis[] } | null;
  /** Hash of the documents. */
  mark: string;
}

/** What the documents of a recording hold for this page. */
export interface Restored {
  drawn: Drawn;
  look: ViewerLook;
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
export function findDocumentsIn(files: readonly { name: string; text: string }[]): Documents[] {
  const read = files.filter(({ name }) => name.endsWith(".json")).flatMap(({ name, text }) => {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw new DocumentFault(`${name} is not JSON.`);
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
export function findSource({ image }: Documents): {
  name: string | undefined;
  fingerprint: string | undefined;
  scene: number;
} {
  const { source = {}, scene = 0 } = image.image_metadata?.acq_server ?? {};
  return { name: source.name, fingerprint: source.fingerprint, scene };
}

/** Reads the documents of the open recording. @param info of the open recording */
export function restoreDocuments(
  { image, analyses, mark }: Documents,
  info: Pick<OpenResponse, "plane" | "header" | "channels" | "collection">,
): Restored {
  const own = unpackNumbers(image.image_metadata?.[OWN] ?? null) as SavedWork | null;
  const { version = 0 } = own ?? {};
  const isOurs = version === VERSION;
  const saved = isOurs && own !== null ? own : {};
  const { settings, lost: lostSettings } = checkSettings(saved.settings);
  const { isKymographMade = false, ...pieces } = settings;
  const { position, lost: lostPosition } = checkPosition(saved.position);
  const { look, lost: lostLook } = checkLook(saved.look);
  const { typed = null } = look;
  const isTurned = typed?.time === "columns";
  const [rows, columns] = info.plane.shape;
  const shape = isTurned ? [columns, rows] as const : [rows, columns] as const;
  const isLineScan = typed !== null || isTime(info.plane.axes[0]);
  const { regions, outside } = readRegions(image.rois, { shape, isLineScan, isTurned });
  const parts = isLineScan ? [] : listMeasurableParts(regions);
  const channels = new SavedChannels(info, image.image_metadata?.acq_server?.spectral?.size ?? 1, position.l);
  const results = new SavedResults(
    isOurs ? analyses?.analyses ?? [] : [],
    isLineScan ? selectKinds(regions, "band") : parts,
    channels,
  );
  const { images } = settings;
  const means = images ? parts.map((part) => results.meansOf(part, info.header.sizes[images.axis] ?? 1)) : [];
  const lost = [...lostSettings, ...lostPosition, ...lostLook];
  if (means.includes("damaged")) lost.push("means over the images");
  const accepted = image.accepted === true;
  return {
    drawn: {
      traces: null,
      cursors: { lines: 1, columns: 1 },
      ...namePieces(pieces, channels),
      shape,
      isLineScan,
      regions,
      measurements: mapMeasurements(settings.measurements, (one, key) => results.measurementOf(one, key)),
      ...images && {
        images: {
          ...images,
          parts: means.filter((one) => one !== null && one !== "damaged"),
          channels: info.channels.map(({ name }) => name),
        },
      },
      kymograph: selectKinds(regions, "path").length === 0
        ? null
        : { isMade: isKymographMade, ...placeInKymograph(results.of("kymograph").look) },
      accepted: image.accepted === (info.collection?.member.accepted ?? false) ? null : accepted,
      origin: mark,
    },
    look: channels.isFolded ? {} : look,
    position: { t: position.t ?? 0, z: position.z ?? 0, l: channels.isFolded ? 0 : position.l ?? 0 },
    outside,
    note: writeNote(own !== null && !isOurs ? version : null, outside, lost),
  };
}

/** What could not be restored, in sentences. @param other version of the page that saved the documents; null for this one */
function writeNote(other: number | null, outside: readonly string[], lost: readonly string[]): string {
  const sentences: string[] = [];
  if (other !== null) {
    const age = other > VERSION ? "a newer" : "an earlier";
    sentences.push(
      `These measurements were saved by ${age} version of the page: only their regions are shown.`,
    );
  } else if (outside.length > 0) {
    sentences.push(`Not shown, since they lie outside the image: ${outside.join(", ")}.`);
  }
  if (lost.length > 0) sentences.push(`Damaged in the file and left out: ${[...new Set(lost)].join(", ")}.`);
  return sentences.join(" ");
}

/** The channels of documents, which name them by their rank in the file, and those of the page. */
class SavedChannels implements Naming {
  readonly #ascending: readonly number[];
  readonly #spectral;
  readonly #l;
  readonly count;
  /** Whether the recording has each wavelength as a channel, as an archive does. */
  readonly isFolded;

  /** @param spectral wavelengths of a channel @param l the wavelength that was shown */
  constructor(
    { header, channels }: Pick<OpenResponse, "header" | "channels">,
    spectral: number,
    l = 0,
  ) {
    this.#ascending = channels.map(({ index }, at) => ({ index, at })).sort((a, b) => a.index - b.index)
      .map(({ at }) => at);
    this.#spectral = spectral;
    this.#l = l;
    this.count = channels.length;
    this.isFolded = spectral > 1 && header.sizes.L === undefined;
  }

  /** The index in the page; undefined for a channel that is not open. */
  indexOf(rank: number): number | undefined {
    return this.#ascending[this.isFolded ? rank * this.#spectral + this.#l : rank];
  }

  band(id: string): string {
    return id;
  }

  /** Names the channel as the page does. */
  channel(rank: string): string {
    return String(this.indexOf(Number(rank)) ?? 0);
  }

  placed({ band, channel }: Of): Of {
    return { band, channel: this.channel(channel) };
  }

  has({ channel }: Of): boolean {
    return this.indexOf(Number(channel)) !== undefined;
  }
}

/** What this page packed into an analysis. */
interface PackedAnalysis {
  found?: unknown;
  rejected?: unknown;
  means?: unknown;
  look?: unknown;
}

/** Results in the analyses of documents. */
class SavedResults {
  readonly #analyses;
  readonly #ids;
  readonly #channels;

  /** @param bands or parts of images that are restored */
  constructor(
    analyses: readonly SavedAnalysis[],
    bands: readonly { id: string }[],
    channels: SavedChannels,
  ) {
    this.#analyses = analyses;
    this.#ids = new Set(["", ...bands.map(({ id }) => id)]);
    this.#channels = channels;
  }

  /** What this page packed into an analysis of a type, for a region and channel if there are several. */
  of(type: string, of?: Of): PackedAnalysis {
    const found = this.#analyses.find(({ type: other, roi_id = "", channel, parameters }) =>
      other === type && parameters?.[OWN] && parameters.picture === undefined &&
      (of === undefined || roi_id === of.band && (of.channel === "" || channel === Number(of.channel)))
    );
    return found === undefined ? {} : unpackNumbers(found.parameters?.[OWN]) as PackedAnalysis;
  }

  /** The means of a part in all images, by the channels of the page; null without any. */
  meansOf({ id, place }: ImagePart, images: number): PartMeans | null | "damaged" {
    const saved = this.of("image_means", { band: id, channel: "" });
    const means = checkMeans(saved.means);
    if (means.length === 0 || means.some(({ length }) => length !== images)) {
      return Object.keys(saved).length > 0 ? "damaged" : null;
    }
    const unmeasured = new Array<null>(images).fill(null);
    const byIndex = new Map(means.map((values, rank) => [this.#channels.indexOf(rank), values]));
    const all = Array.from({ length: this.#channels.count }, (_, at) => byIndex.get(at) ?? unmeasured);
    return { id, place, means: all };
  }

  /** Settings and results of a measurement; null if its band is not restored. */
  measurementOf({ results, edits, ...chosen }: KeptMeasurement, key: string): KeptMeasurement | null {
    const channels = this.#channels;
    if (chosen.band !== ALL_BANDS && !this.#isThere(chosen)) return null;
    return {
      ...chosen,
      ...channels.placed(chosen),
      place: null,
      results: results.filter(({ of }) => this.#isThere(of) && channels.has(of)).map((result) => {
        const { found, rejected } = this.of(key, result.of);
        const candidates = checkResults(rejected) as Rejected[];
        return {
          ...result,
          of: channels.placed(result.of),
          found: checkResults(found),
          ...candidates.length > 0 && { rejected: candidates },
        };
      }),
      // Items with columns are edited in all regions.
      edits: edits.filter(({ of, column }) => channels.has(of) && (this.#isThere(of) || column !== undefined))
        .map((edit) => ({ ...edit, of: channels.placed(edit.of), place: null })),
    };
  }

  #isThere({ band }: { band: string }) {
    return this.#ids.has(band);
  }
}

/** The kept kymograph; its results belong to the shown position. */
function placeInKymograph(saved: unknown) {
  const look = checkKymograph(saved);
  if (look === null) return {};
  const { drawn } = look;
  if (!drawn) return { look };
  const measurements = mapMeasurements(drawn.measurements, (one) => ({
    ...one,
    edits: one.edits.map((edit) => ({ ...edit, place: null })),
    place: null,
  }));
  return { look: { ...look, drawn: { ...drawn, measurements } } };
}

/** Adds the analyses, tables and metadata of other programs that the documents of a member hold. */
export async function carryOver(
  member: ReturnType<typeof makeMember>,
  acquisition: Pick<Acquisition, "info" | "metadata">,
): Promise<ExportMember> {
  const { collection } = acquisition.info;
  if (!collection) return member;
  const files = await acquisition.metadata();
  const [documents] = findDocumentsIn(files.filter(({ mediaType }) => mediaType === "application/json"));
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
