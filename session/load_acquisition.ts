/** Opens an acquisition in a worker and decodes the planes that its session begins with. */
import { basename } from "node:path";
import { AcquisitionChanged, DecodeFailed, quoted } from "../readers/errors.ts";
import type { AcquisitionSource, AcquisitionSummary, OpenRequest } from "../readers/open_acquisition.ts";
import type { Division, WorkingMemory } from "../readers/reader.ts";
import { decodePlanes, type DecodeResources } from "./decoding.ts";
import type { Reservation } from "./memory_budget.ts";
import type { PlaneParts } from "./plane_buffer.ts";

/** A described acquisition with its planes. */
export interface LoadedAcquisition {
  /** Everything but the samples. */
  readonly summary: AcquisitionSummary;
  /** One plane per loaded channel. */
  readonly planes: readonly PlaneParts[];
  /** One float32 plane per reference channel, row-major. */
  readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
  /** Covers the planes, and a rest where a reference image could not be decoded. */
  readonly reservation: Reservation;
  /** Where it is, and what its files were. */
  readonly source: AcquisitionSource;
  /** What decoding took beside the planes. */
  readonly working: WorkingMemory;
  /** How its planes can be divided among workers. */
  readonly division: Division | null;
}

/**
 * Describes an acquisition without decoding a sample. No worker keeps it open.
 *
 * @throws as {@linkcode loadAcquisition}
 */
export async function describeAcquisition(
  key: string,
  request: OpenRequest,
  { pool }: DecodeResources,
  signal: AbortSignal,
): Promise<AcquisitionSummary> {
  const worker = await pool.takeForOpen(key, signal);
  try {
    return (await worker.open(key, request, signal)).summary;
  } finally {
    pool.forget(key);
    void worker.quiet.then(() => pool.giveBack(worker, key));
  }
}

/**
 * Loads an acquisition. Workers keep it open under its key until the pool forgets it.
 *
 * @param signal its abort stops the load; the promise is rejected with its reason at once
 * @throws {TooManyOpens | ShuttingDown} no worker can be had
 * @throws {ReaderError | SessionMemoryExceeded} as the load fails
 * @throws the reason of `signal`
 */
export async function loadAcquisition(
  key: string,
  request: OpenRequest,
  resources: DecodeResources,
  signal: AbortSignal,
): Promise<LoadedAcquisition> {
  const { pool, budget } = resources;
  let reservation: Reservation | null = null;
  let quiet: Promise<void> | null = null;
  const worker = await pool.takeForOpen(key, signal);
  try {
    const { summary, bytes, working, division, marks } = await worker.open(key, request, signal);
    reservation = budget.reserve(bytes);
    const source = { request: { ...request, scene: summary.scene }, marks };
    const wanted = {
      key,
      source,
      channels: summary.loaded.map(({ index }) => index),
      position: summary.position,
      shape: summary,
      rows: null,
      reference: summary.reference !== null,
      decode: true,
      working,
      division,
    };
    const work = decodePlanes(wanted, worker, resources, signal);
    quiet = work.quiet;
    const { planes, referencePlanes, warnings } = await work.decoded;
    return {
      summary: {
        ...summary,
        reference: referencePlanes && summary.reference,
        warnings: [...summary.warnings, ...warnings],
      },
      planes,
      referencePlanes: referencePlanes ?? [],
      reservation,
      source,
      working,
      division,
    };
  } catch (error) {
    pool.forget(key);
    const held = reservation;
    // The planes were given up; a worker that does not stop at once uses their memory for a while.
    void (quiet ?? worker.quiet.then(() => pool.giveBack(worker, key))).then(() => held?.release());
    if (!(error instanceof AcquisitionChanged)) throw error;
    const name = quoted(basename(request.path));
    throw new DecodeFailed(`Cannot read ${name}: it was changed while it was read`, { cause: error });
  }
}
