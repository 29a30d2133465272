/**
 * From a judged path to float32 planes, in two steps: a plan (choose the reader, read the metadata, find the samples) and
 * its decoding. Runs in a decode worker; between the steps the server reserves the memory.
 */
import { basename } from "node:path";
import { chooseFormat, openChosen } from "./choose_format.ts";
import { DecodeFailed, PlaneNotFound, quoted, ReaderError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { MAX_LISTED_SCENES } from "./limits.ts";
import { newPlane } from "./new_plane.ts";
import { openingOf } from "./opening.ts";
import { FileAccess } from "./random_access.ts";
import {
  type Acquisition,
  type Channel,
  type Division,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type Reference,
  type RowRange,
  type SceneEntry,
  type WorkingMemory,
} from "./reader.ts";
import { wantedChannels } from "./request_bounds.ts";
import type { StopFlag } from "./stop_flag.ts";
import { type Warning, warning } from "./warning.ts";

/** What is to be loaded. */
export interface LoadRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Resolved directories that may be read; `null` for no limit. */
  readonly roots: readonly string[] | null;
  /** Wanted channels in the order of the answer; `null` for all. Distinct, not negative. */
  readonly channelIndices: readonly number[] | null;
  /** Extensions that the operator lets in. */
  readonly allowedExtensions: readonly string[];
  /** Index of the wanted scene; `null` for the one that the opened file belongs to. */
  readonly scene: number | null;
}

/** What is known before the first sample is read; it can be cloned between threads. */
export interface LoadPlan {
  /** Indices of the wanted channels, in requested order. */
  readonly channels: readonly number[];
  /** Bytes of all planes, source and reference: 4 per sample. */
  readonly bytes: number;
  /** Bytes of one of the source planes. */
  readonly planeBytes: number;
  /** What decoding takes beside them. */
  readonly working: WorkingMemory;
  /** Rows of each source plane. */
  readonly rows: number;
  /** How the source planes can be divided among workers; `null` where it does not pay. */
  readonly division: Division | null;
  /** State of the files that were opened, by path: they differ when one was replaced or changed. */
  readonly files: ReadonlyMap<string, string>;
}

/** Some rows of some channels of a planned load. */
export interface LoadPart {
  /** Some of the planned channels, or all. */
  readonly channels: readonly number[];
  /** All rows, or those between two cuts of the division. */
  readonly rows: RowRange;
}

/** What of a planned load is to be decoded. */
export interface Share {
  /** One after the other. */
  readonly parts: readonly LoadPart[];
  /** Whether the reference image is decoded too. */
  readonly reference: boolean;
  /** Memory of released planes that may be used again. */
  readonly buffers: ArrayBuffer[];
}

/** A load whose metadata are read and whose byte ranges are checked. It can be decoded while its files are open. */
export interface PlannedLoad {
  /** What it takes. */
  readonly plan: LoadPlan;
  /**
   * Decodes some of it; without a share all of it, in new memory.
   *
   * @throws {ReaderError} with a message that names the file
   */
  decode(share?: Share): Promise<LoadedAcquisition>;
}

/** Metadata of a {@linkcode LoadedAcquisition}; it can be cloned between threads. */
export interface AcquisitionSummary
  extends Omit<Acquisition, "plan" | "documents" | "files" | "holds" | "reference" | "warnings"> {
  /** Path of what was opened: the file, or the directory of the store. */
  readonly path: string;
  /** What identifies the content, by `fingerprint.ts`; `null` where a file cannot be read, and of a share without the reference. */
  readonly fingerprint: string | null;
  /** Short format name. */
  readonly format: string;
  /** Shape of the loaded planes. */
  readonly rows: number;
  /** Columns of the loaded planes. */
  readonly columns: number;
  /** Index of the scene. */
  readonly scene: number;
  /** How many scenes there are. */
  readonly sceneCount: number;
  /** The first {@linkcode MAX_LISTED_SCENES} of them. */
  readonly scenes: readonly SceneEntry[];
  /** Loaded channels, in requested order. */
  readonly loaded: readonly Channel[];
  /** Where the loaded planes lie along the axes. */
  readonly position: Position;
  /** Reference image with the shape of its planes, or `null`. */
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  /** Of the metadata, the plan and the decoding. */
  readonly warnings: readonly Warning[];
}

/** Metadata and planes. */
export interface LoadedAcquisition {
  /** Everything but the samples. */
  readonly summary: AcquisitionSummary;
  /** One float32 plane per loaded channel, row-major; of a share, the rows of each of its parts, channel after channel. */
  readonly planes: Float32Array<ArrayBuffer>[];
  /** One float32 plane per reference channel, row-major. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[];
}

/**
 * Reads the metadata and plans the planes. The caller closes `files` when nothing more is to be decoded.
 *
 * @param files limited to the roots of the request
 * @throws {ReaderError} with a message that names the file
 */
export async function planLoad(request: LoadRequest, files: FileAccess): Promise<PlannedLoad> {
  try {
    const { plan, decode } = await planned(request, files);
    return {
      plan,
      decode: (share) =>
        decode(share).catch((error) => {
          throw withName(request.path, error);
        }),
    };
  } catch (error) {
    // Without its first planes an acquisition cannot be opened.
    const whole = error instanceof PlaneNotFound ? new DecodeFailed(error.message, { cause: error }) : error;
    throw withName(request.path, whole);
  }
}

/** The error with the file in its message, where it is about the file. */
export function withName(path: string, error: unknown): unknown {
  if (error instanceof PlaneNotFound) {
    return new PlaneNotFound(`${quoted(basename(path))} does not hold this plane: ${error.message}`, {
      cause: error,
    });
  }
  const reason = reasonOf(error);
  return reason === null
    ? error
    : new DecodeFailed(`Cannot read "${basename(path)}": ${reason}`, { cause: error });
}

function reasonOf(error: unknown): string | null {
  if (error instanceof DecodeFailed) return error.message;
  if (!(error instanceof RangeError)) return null;
  if (error.message === "Maximum call stack size exceeded") return "a text in it is too long or too deep";
  if (error.message.includes("rray buffer allocation failed")) {
    return "the machine has too little memory for it";
  }
  return null;
}

async function planned(request: LoadRequest, files: FileAccess): Promise<PlannedLoad> {
  const chosen = chooseFormat(request.path, request.allowedExtensions, files);
  const { format, path } = chosen;
  const { acquisition, scene, scenes } = await openChosen(chosen, files, request.scene);
  const entries = scenes.entries(MAX_LISTED_SCENES);
  const wanted = wantedChannels(basename(path), acquisition.channels, request.channelIndices);
  const opening = openingOf(acquisition, wanted, request.channelIndices !== null);
  const { loaded, position } = opening;
  const channels = loaded.map((channel) => channel.index);
  const planes = await acquisition.plan(channels, position);
  const warnings = [...scenes.warnings, ...acquisition.warnings, ...opening.warnings, ...planes.warnings];
  const reference = await planReference(acquisition.reference, warnings);
  const { rows, columns } = planes;
  return {
    plan: {
      channels,
      bytes: planeBytes(planes) * channels.length +
        (reference ? planeBytes(reference.plan) * reference.image.channels.length : 0),
      planeBytes: planeBytes(planes),
      working: largerMemory(
        planes.working ?? NO_WORKING_MEMORY,
        reference?.plan.working ?? NO_WORKING_MEMORY,
      ),
      rows,
      division: planes.division ?? null,
      files: files.marks,
    },
    async decode(
      share = { parts: [{ channels, rows: { start: 0, end: rows } }], reference: true, buffers: [] },
    ) {
      const filled: Float32Array<ArrayBuffer>[] = [];
      for (const part of share.parts) {
        const whole = isWhole(part.rows, rows);
        const all = part.channels.length === channels.length && whole;
        const plan = all
          ? planes
          : await acquisition.plan(part.channels, position, whole ? undefined : part.rows);
        filled.push(...await decodePart(plan, part, share.buffers));
      }
      const told = [...warnings];
      const decoded = share.reference && reference ? await decodeReference(reference, told) : null;
      const {
        plan: _plan,
        documents: _documents,
        files: _files,
        holds: _holds,
        reference: _reference,
        ...metadata
      } = acquisition;
      const listed = { scene, sceneCount: scenes.count, scenes: entries };
      const summary = {
        ...metadata,
        ...listed,
        path,
        // The first part of a load describes the acquisition; what it reads for that is not to be marked.
        fingerprint: share.reference ? fingerprint(acquisition, path, request.roots, files.stop) : null,
        format: format.name,
        rows,
        columns,
        loaded,
        position,
        warnings: told,
      };
      return {
        summary: { ...summary, reference: decoded && reference ? summaryOf(reference) : null },
        planes: filled,
        referencePlanes: decoded ?? [],
      };
    },
  };
}

function fingerprint(
  acquisition: Acquisition,
  path: string,
  roots: LoadRequest["roots"],
  stop: StopFlag,
): string | null {
  const files = new FileAccess(roots, stop);
  try {
    return fingerprintOf(acquisition.files?.() ?? [path], acquisition.fileSize, files);
  } finally {
    files.close();
  }
}

const isWhole = ({ start, end }: RowRange, rows: number) => start === 0 && end === rows;

/** The samples of a part by its plan, channel after channel. */
async function decodePart(
  plan: PlanePlan,
  { channels, rows }: LoadPart,
  buffers: ArrayBuffer[],
): Promise<Float32Array<ArrayBuffer>[]> {
  const { start, end } = plan.filled ?? { start: 0, end: plan.rows };
  if (start !== rows.start || end !== rows.end) {
    throw new DecodeFailed(`rows ${rows.start} to ${rows.end} of its planes are not stored apart`);
  }
  const planes = channels.map(() => newPlane((end - start) * plan.columns, buffers, !plan.overwrites));
  await plan.decode(planes);
  return planes;
}

function summaryOf({ image, plan }: PlannedReference): AcquisitionSummary["reference"] {
  const { plan: _plan, ...metadata } = image;
  return { ...metadata, rows: plan.rows, columns: plan.columns };
}

const planeBytes = (plan: PlanePlan) => 4 * plan.rows * plan.columns;

interface PlannedReference {
  readonly image: Reference;
  readonly plan: PlanePlan;
}

/** A reference image that cannot be decoded becomes a warning; it does not refuse the acquisition. */
async function planReference(image: Reference | null, warnings: Warning[]): Promise<PlannedReference | null> {
  if (image === null) return null;
  try {
    const plan = await image.plan();
    warnings.push(...plan.warnings);
    return { image, plan };
  } catch (error) {
    warnings.push(referenceWarning(error));
    return null;
  }
}

async function decodeReference(
  { image, plan }: PlannedReference,
  warnings: Warning[],
): Promise<Float32Array<ArrayBuffer>[] | null> {
  try {
    const planes = image.channels.map(() => newPlane(plan.rows * plan.columns, []));
    await plan.decode(planes);
    return planes;
  } catch (error) {
    warnings.push(referenceWarning(error));
    return null;
  }
}

function referenceWarning(error: unknown): Warning {
  if (error instanceof ReaderError && error.tag === "DecodeFailed") {
    return warning("reference_unreadable", `The reference image cannot be decoded: ${error.message}`);
  }
  throw error;
}
