/**
 * From a judged path to float32 planes: choose the reader, read the metadata, plan, reserve memory, decode.
 * Runs in a decode worker; tests call it directly.
 */
import { basename } from "node:path";
import { chooseFormat, openChosen } from "./choose_format.ts";
import { ChannelOutOfRange, DecodeFailed, InvalidChannelIndices, ReaderError } from "./errors.ts";
import { newPlane } from "./new_plane.ts";
import type { FileAccess } from "./random_access.ts";
import {
  type Acquisition,
  type Channel,
  FIRST_POSITION,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Reference,
  type WorkingMemory,
} from "./reader.ts";

/** What is to be loaded. */
export interface LoadRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Wanted channels in the order of the answer; `null` for all. Distinct, not negative. */
  readonly channelIndices: readonly number[] | null;
  /** Extensions that the operator lets in. */
  readonly allowedExtensions: readonly string[];
  /** True for a part of a load that is divided: without the reference image. */
  readonly planesOnly?: boolean;
}

/** What is known before the first sample is read. */
export interface PlannedLoad {
  /** Bytes of all planes, source and reference: 4 per sample. */
  readonly bytes: number;
  /** Bytes of one of the source planes. */
  readonly planeBytes: number;
  /** What decoding takes beside them. */
  readonly working: WorkingMemory;
  /** The wanted channels, where it pays that several workers decode some of them each; else `null`. */
  readonly apart: readonly number[] | null;
}

/** What a load gets to do. */
export interface Share {
  /** Planes to decode, from the first on. */
  readonly planes: number;
  /** Memory of released planes that may be used again. */
  readonly buffers: ArrayBuffer[];
}

/**
 * Called once before any plane is allocated; what it throws ends the load.
 *
 * @returns by default all planes, in new memory
 */
export type Reserve = (planned: PlannedLoad) => Promise<Share | void>;

/** Metadata of a {@linkcode LoadedAcquisition}; it can be cloned between threads. */
export interface AcquisitionSummary extends Omit<Acquisition, "plan" | "reference" | "warnings"> {
  /** Path of what was opened: the file, or the directory of the store. */
  readonly path: string;
  /** Short format name. */
  readonly format: string;
  /** Shape of the loaded planes. */
  readonly rows: number;
  readonly columns: number;
  /** Loaded channels, in requested order. */
  readonly loaded: readonly Channel[];
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  readonly warnings: readonly string[];
}

/** Metadata and planes. */
export interface LoadedAcquisition {
  readonly summary: AcquisitionSummary;
  /** One float32 plane per loaded channel that was decoded, row-major. */
  readonly planes: Float32Array<ArrayBuffer>[];
  /** One float32 plane per reference channel, row-major. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[];
}

/**
 * Loads an acquisition. The caller closes `files` afterwards.
 *
 * @throws {ReaderError} with a message that names the file
 */
export async function loadAcquisition(
  request: LoadRequest,
  files: FileAccess,
  reserve: Reserve,
): Promise<LoadedAcquisition> {
  try {
    return await load(request, files, reserve);
  } catch (error) {
    if (error instanceof DecodeFailed) {
      throw new DecodeFailed(`Cannot read "${basename(request.path)}": ${error.message}`, { cause: error });
    }
    if (error instanceof RangeError && error.message === "Maximum call stack size exceeded") {
      throw new DecodeFailed(
        `Cannot read "${basename(request.path)}": a text in it is too long or too deep`,
        {
          cause: error,
        },
      );
    }
    if (error instanceof RangeError && error.message.includes("rray buffer allocation failed")) {
      throw new DecodeFailed(
        `Cannot read "${basename(request.path)}": the machine has too little memory for it`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

async function load(
  request: LoadRequest,
  files: FileAccess,
  reserve: Reserve,
): Promise<LoadedAcquisition> {
  const chosen = chooseFormat(request.path, request.allowedExtensions, files);
  const { format, path } = chosen;
  const acquisition = await openChosen(chosen, files);
  const wanted = wantedChannels(basename(path), acquisition.channels, request.channelIndices);
  const indices = wanted.map((channel) => channel.index);
  const plan = await acquisition.plan(indices, FIRST_POSITION);
  const warnings = [...acquisition.warnings, ...plan.warnings];
  const reference = request.planesOnly ? null : await planReference(acquisition.reference, warnings);

  const bytes = planeBytes(plan) * wanted.length +
    (reference ? planeBytes(reference.plan) * reference.image.channels.length : 0);
  const share = await reserve({
    bytes,
    planeBytes: planeBytes(plan),
    working: largerMemory(plan.working ?? NO_WORKING_MEMORY, reference?.plan.working ?? NO_WORKING_MEMORY),
    apart: plan.divisible && wanted.length > 1 ? indices : null,
  });

  const own = indices.slice(0, share?.planes);
  const planes = own.map(() => newPlane(plan.rows * plan.columns, share?.buffers ?? []));
  await (own.length === indices.length ? plan : await acquisition.plan(own, FIRST_POSITION)).decode(planes);
  const referencePlanes = reference ? await decodeReference(reference, warnings) : null;

  const { plan: _plan, reference: _reference, ...metadata } = acquisition;
  return {
    summary: {
      ...metadata,
      path,
      format: format.name,
      rows: plan.rows,
      columns: plan.columns,
      loaded: wanted,
      warnings,
      reference: reference && referencePlanes
        ? {
          axes: reference.image.axes,
          channels: reference.image.channels,
          lineRoi: reference.image.lineRoi,
          scanPath: reference.image.scanPath,
          rows: reference.plan.rows,
          columns: reference.plan.columns,
        }
        : null,
    },
    planes,
    referencePlanes: referencePlanes ?? [],
  };
}

const planeBytes = (plan: PlanePlan) => 4 * plan.rows * plan.columns;

/**
 * The channels to load, in requested order.
 *
 * @throws {ChannelOutOfRange} an index that the file does not have
 * @throws {InvalidChannelIndices} the channels differ in shape
 */
export function wantedChannels(
  name: string,
  channels: readonly Channel[],
  indices: readonly number[] | null,
): Channel[] {
  const wanted = indices === null ? [...channels] : indices.map((index) => {
    const channel = channels[index];
    if (!channel) {
      const range = channels.length === 1 ? "only channel 0" : `channels 0 to ${channels.length - 1}`;
      throw new ChannelOutOfRange(`Channel ${index} does not exist: "${name}" has ${range}`);
    }
    return channel;
  });
  const first = wanted[0];
  if (first && wanted.some((c) => c.rows !== first.rows || c.columns !== first.columns)) {
    const shapes = wanted.map((c) => `channel ${c.index} is ${c.rows} x ${c.columns}`).join(", ");
    const fitting = wanted.filter((c) => c.rows === first.rows && c.columns === first.columns);
    throw new InvalidChannelIndices(
      `The channels of "${name}" differ in shape (${shapes}); open them apart, for example ` +
        `"channelIndices": [${fitting.map((c) => c.index).join(", ")}]`,
    );
  }
  return wanted;
}

interface PlannedReference {
  readonly image: Reference;
  readonly plan: PlanePlan;
}

/** A reference image that cannot be decoded becomes a warning; it does not refuse the acquisition. */
async function planReference(image: Reference | null, warnings: string[]): Promise<PlannedReference | null> {
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
  warnings: string[],
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

function referenceWarning(error: unknown): string {
  if (error instanceof ReaderError && error.tag === "DecodeFailed") {
    return `The reference image cannot be decoded: ${error.message}`;
  }
  throw error;
}
