/**
 * One load by one worker, or by several where the planes of a large file are compressed apart from one another: each
 * opens the file and decodes some of the channels.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import type { AcquisitionSummary, LoadRequest } from "../readers/load.ts";
import type { Reservation } from "./memory_budget.ts";
import { type Conversation, dropPlanes, type Loaded, type Planned } from "./worker_conversation.ts";

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** One load for the pool. */
export interface DecodeJob {
  readonly request: LoadRequest;
  readonly roots: readonly string[] | null;
  /** Reserves the memory of the planes. @throws {SessionMemoryExceeded} */
  reserve(bytes: number): Reservation;
  /** Its abort stops the load; the promise is rejected with its reason at once. */
  readonly signal: AbortSignal;
}

/** What a job gives. */
export interface DecodedAcquisition {
  readonly summary: AcquisitionSummary;
  readonly planes: readonly Float32Array<ArrayBuffer>[];
  readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
  /** Covers the planes, and a rest where a reference image could not be decoded. */
  readonly reservation: Reservation;
}

/** What a worker is to do. */
export type Part = Pick<Conversation, "request" | "roots" | "signal" | "planned">;

/** The workers of the pool. */
export interface Workers {
  /** Lets a worker do a part; `ended` is called when the worker is done with it, also after a stop. */
  start(worker: Worker, part: Part, ended: () => void): Promise<Loaded>;
  /** Takes as many free workers as may help, `most` at most. */
  spare(most: number): Worker[];
}

/**
 * Does a load by `worker` and those that are free when its plan is known. A fault in one part stops all.
 *
 * @throws {ReaderError | SessionMemoryExceeded} as the load fails
 * @throws the reason of `job.signal`
 */
export async function loadInParts(
  job: DecodeJob,
  worker: Worker,
  workers: Workers,
): Promise<DecodedAcquisition> {
  const { request, roots } = job;
  const failed = new AbortController();
  const signal = AbortSignal.any([job.signal, failed.signal]);
  const parts: Promise<Loaded>[] = [];
  let reservation: Reservation | null = null;
  let running = 0;
  // What was reserved is in use until the last worker is done, also where the caller has its answer already.
  const giveBack = () => {
    if (failed.signal.aborted && running === 0) reservation?.release();
  };
  const start = (worker: Worker, request: LoadRequest, planned: Part["planned"]) => {
    running += 1;
    const part = workers.start(worker, { request, roots, signal, planned }, () => {
      running -= 1;
      giveBack();
    });
    part.catch((error) => failed.abort(error));
    parts.push(part);
  };
  start(worker, request, ({ bytes, apart, files }) => {
    reservation = job.reserve(bytes);
    if (apart === null || bytes < MIN_DIVIDED_BYTES) return Infinity;
    const helpers = workers.spare(apart.length - 1);
    const [own, ...shares] = sharesOf(apart, helpers.length + 1);
    for (const [i, helper] of helpers.entries()) {
      start(helper, { ...request, channelIndices: shares[i]!, planesOnly: true }, (plan) => {
        requireSameFiles(request.path, files, plan.files);
        return Infinity;
      });
    }
    return own!.length;
  });
  try {
    const first = await parts[0]!;
    const planes = (await Promise.all(parts)).flatMap((part) => part.planes);
    if (planes.some(({ length }) => length !== planes[0]!.length)) throw changed(request.path);
    return { ...first, planes, reservation: reservation! };
  } catch (error) {
    failed.abort(error);
    for (const part of parts) void part.then(dropPlanes, () => {});
    giveBack();
    throw error;
  }
}

/** Channels of each part, in order; the first parts may have one more than the last. */
function sharesOf(channels: readonly number[], parts: number): number[][] {
  let from = 0;
  return Array.from(
    { length: parts },
    (_, i) => channels.slice(from, from += Math.ceil((channels.length - i) / parts)),
  );
}

/** Parts of one acquisition must come from the same files. @throws {DecodeFailed} one was replaced or changed */
function requireSameFiles(path: string, first: Planned["files"], other: Planned["files"]): void {
  for (const [file, mark] of first) if ((other.get(file) ?? mark) !== mark) throw changed(path);
}

const changed = (path: string) =>
  new DecodeFailed(`Cannot read ${quoted(basename(path))}: it was changed while it was read`);
