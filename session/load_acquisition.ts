/**
 * One load by one worker, or by several where the planes of a large file are compressed apart from one another: each
 * opens the file and decodes some of the channels.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import type { AcquisitionSummary, LoadRequest } from "../readers/load.ts";
import { SessionMemoryExceeded } from "./errors.ts";
import type { Reservation } from "./memory_budget.ts";
import { type Conversation, dropPlanes, type Loaded, type Planned } from "./decode_worker_client.ts";

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** One load for the pool. */
export interface DecodeJob {
  readonly request: LoadRequest;
  readonly roots: readonly string[] | null;
  /** Reserves memory; `what` names its use in the message. @throws {SessionMemoryExceeded} */
  reserve(bytes: number, what?: string): Reservation;
  /** Memory of released planes for `count` new ones. */
  buffers(planeBytes: number, count: number): ArrayBuffer[];
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
  /** Takes a free worker that may help, or `null`. */
  spare(): Worker | null;
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
  const start = (worker: Worker, request: LoadRequest, working: Working, planned: Part["planned"]) => {
    running += 1;
    const part = workers.start(worker, { request, roots, signal, planned }, () => {
      running -= 1;
      working.reservation?.release();
      giveBack();
    });
    part.catch((error) => failed.abort(error));
    parts.push(part);
  };
  const reserveWorking = ({ working }: Planned) =>
    job.reserve(working.bytes, "The decoders, beside the planes,");
  const own: Working = { reservation: null };
  start(worker, request, own, (plan) => {
    const { bytes, planeBytes, apart, files } = plan;
    reservation = job.reserve(bytes);
    own.reservation = reserveWorking(plan);
    const shareOf = (planes: number) => ({ planes, buffers: job.buffers(planeBytes, planes) });
    if (apart === null || bytes < MIN_DIVIDED_BYTES) return shareOf(Math.floor(bytes / planeBytes));
    const helpers: { readonly worker: Worker; readonly reservation: Reservation }[] = [];
    while (helpers.length < apart.length - 1) {
      const memory = attempt(() => reserveWorking(plan));
      const helper = memory && workers.spare();
      if (memory === null || helper === null) {
        memory?.release();
        break;
      }
      helpers.push({ worker: helper, reservation: memory });
    }
    const [first, ...shares] = sharesOf(apart, helpers.length + 1);
    for (const [i, { worker, reservation }] of helpers.entries()) {
      const part = { ...request, channelIndices: shares[i]!, planesOnly: true };
      start(worker, part, { reservation }, (plan) => {
        requireSameFiles(request.path, files, plan.files);
        return shareOf(part.channelIndices.length);
      });
    }
    return shareOf(first!.length);
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

/** What a part takes beside the planes, from its plan until its worker is done. */
interface Working {
  reservation: Reservation | null;
}

/** A reservation that a load can do without, or `null`. */
function attempt(reserve: () => Reservation): Reservation | null {
  try {
    return reserve();
  } catch (error) {
    if (error instanceof SessionMemoryExceeded) return null;
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
