/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Entry of a decode worker: one load at a time, read permission only. Samples leave it by transfer, never by
 * a copy.
 */
import { toWire } from "./errors.ts";
import { collectAfter, collectGarbage, keepGarbage } from "./garbage.ts";
import { type LoadRequest, planLoad, type PlannedLoad, type Share } from "./load.ts";
import { FileAccess } from "./random_access.ts";
import { StopFlag } from "./stop_flag.ts";
import type { FromWorker, ToWorker } from "./worker_protocol.ts";

/** What is open between `plan` and `close`. */
let files: FileAccess | null = null;
let planned: PlannedLoad | null = null;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "plan") void plan(data.request, data.stop);
  else if (data.type === "decode") void decode(data.share);
  else close();
};

async function plan(request: LoadRequest, stop: SharedArrayBuffer): Promise<void> {
  keepGarbage();
  try {
    files = new FileAccess(request.roots, new StopFlag(stop));
    planned = await planLoad(request, files);
    post({ type: "planned", plan: planned.plan });
  } catch (error) {
    post({ type: "failed", error: toWire(error) });
  }
}

async function decode(share: Share): Promise<void> {
  try {
    const loaded = await planned!.decode(share);
    collectIfLast();
    post(
      { type: "decoded", loaded },
      [...loaded.planes, ...loaded.referencePlanes].map(({ buffer }) => buffer),
    );
  } catch (error) {
    collectIfLast();
    post({ type: "failed", error: toWire(error) });
  }
}

function close(): void {
  files?.close();
  collectAfter(planned?.plan.bytes ?? 0);
  files = null;
  planned = null;
}

/** The server ends this worker with its answer. What it has not freed itself would stay with the allocator. */
function collectIfLast(): void {
  if (planned?.plan.working.endsWithWorker) collectGarbage();
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}
