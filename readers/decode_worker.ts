/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Entry of a decode worker: one load at a time, read permission only. Samples leave it by transfer, never by
 * a copy.
 */
import { Stopped, toWire } from "./errors.ts";
import { collectAfter, collectGarbage, keepGarbage } from "./garbage.ts";
import { loadAcquisition, type Share } from "./load.ts";
import { FileAccess } from "./random_access.ts";
import { StopFlag } from "./stop_flag.ts";
import type { FromWorker, ToWorker } from "./worker_protocol.ts";

/** Takes what to decode, or `null` to give up. */
let answerReservation: ((share: Share | null) => void) | null = null;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "load") void load(data);
  else answerReservation?.(data.type === "decode" ? data.share : null);
};

async function load({ request, roots, stop }: Extract<ToWorker, { type: "load" }>): Promise<void> {
  const files = new FileAccess(roots, new StopFlag(stop));
  let planned = 0;
  // The server ends this worker with its answer. What it has not freed itself would stay with the allocator.
  let isLast = false;
  keepGarbage();
  try {
    const { summary, planes, referencePlanes } = await loadAcquisition(request, files, async (plan) => {
      const answer = new Promise<Share | null>((resolve) => answerReservation = resolve);
      planned = plan.bytes;
      isLast = plan.working.endsWithWorker;
      post({ type: "planned", files: files.marks, ...plan });
      const wanted = await answer;
      if (wanted === null) throw new Stopped();
      return wanted;
    });
    const buffers = [...planes, ...referencePlanes].map((plane) => plane.buffer);
    if (isLast) collectGarbage();
    post({ type: "loaded", summary, planes, referencePlanes }, buffers);
  } catch (error) {
    if (isLast) collectGarbage();
    post({ type: "failed", error: toWire(error) });
  } finally {
    files.close();
    collectAfter(planned);
  }
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}
