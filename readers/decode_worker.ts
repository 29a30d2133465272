/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Entry of a decode worker: one load at a time, and acquisitions that it keeps open; read permission only. Samples leave it
 * by transfer, never by a copy.
 */
import { dropDecoders, tellCompiled } from "./wasm_decoder.ts";
import { prepareReaders } from "./choose_format.ts";
import { AcquisitionChanged, toWire } from "./errors.ts";
import { collectAfter, collectGarbage, keepGarbage } from "./garbage.ts";
import { KeptAcquisition, type KeptSource } from "./kept_acquisition.ts";
import { type LoadRequest, planLoad, type PlannedLoad, type Share } from "./load.ts";
import { FileAccess } from "./random_access.ts";
import { StopFlag } from "./stop_flag.ts";
import type { Compiled, FromWorker, ToWorker } from "./worker_protocol.ts";

/** What is open between `plan` and `close`. */
let files: FileAccess | null = null;
let planned: PlannedLoad | null = null;

/** Kept acquisitions whose files stay open between planes; those that were not asked for longest rest. */
const MAX_AWAKE = 4;

/** Acquisitions for planes at other positions, by their keys; the one that was asked last is the last. */
const kept = new Map<string, KeptAcquisition>();

/** Where the acquisitions are, until they are forgotten. */
const sources = new Map<string, KeptSource>();

tellCompiled((code, bytes) => post({ type: "compiled", code, bytes }));

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case "prepare":
      return prepareReaders(data.formats);
    case "plan":
      return void plan(data.request, data.stop);
    case "decode":
      return void decode(data.share);
    case "close":
      return close();
    case "plane":
    case "documents":
      return void answer(data);
    case "forget":
      return data.keys.forEach(forget);
    case "rest":
      for (const acquisition of kept.values()) acquisition.rest();
      dropDecoders();
      return collectGarbage();
  }
};

async function plan(request: LoadRequest, stop: SharedArrayBuffer): Promise<void> {
  keepGarbage();
  try {
    files = new FileAccess(request.roots, new StopFlag(stop));
    planned = await planLoad(request, files);
    post({ type: "planned", plan: planned.plan });
  } catch (error) {
    post({ type: "failed", error: toWire(error), indexBytes: null });
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
    post({ type: "failed", error: toWire(error), indexBytes: null });
  }
}

/** Answers what is asked of a kept acquisition; one whose files are others now is given up. */
async function answer(question: Extract<ToWorker, { type: "plane" | "documents" }>): Promise<void> {
  const { key, stop } = question;
  keepGarbage();
  try {
    if (question.source) sources.set(key, question.source);
    // A decoder in WebAssembly is used again for planes of one acquisition only.
    if (key !== [...kept.keys()].at(-1) && dropDecoders()) collectGarbage();
    const acquisition = kept.get(key) ?? await KeptAcquisition.open(sources.get(key)!, stop);
    kept.delete(key);
    kept.set(key, acquisition);
    [...kept.values()].at(-1 - MAX_AWAKE)?.rest();
    if (question.type === "documents") {
      const documents = acquisition.documents(stop);
      return post({ type: "documents", documents, indexBytes: acquisition.indexBytes });
    }
    const plane = await acquisition.plane(question.order, stop);
    const { indexBytes } = acquisition;
    post({ type: "plane", plane, indexBytes }, plane.samples ? [plane.samples.buffer] : []);
  } catch (error) {
    if (error instanceof AcquisitionChanged) closeKept(key);
    post({ type: "failed", error: toWire(error), indexBytes: kept.get(key)?.indexBytes ?? null });
  }
}

function closeKept(key: string): void {
  kept.get(key)?.close();
  kept.delete(key);
}

function forget(key: string): void {
  closeKept(key);
  sources.delete(key);
}

function close(): void {
  files?.close();
  if (dropDecoders()) collectGarbage();
  else collectAfter(planned?.plan.bytes ?? 0);
  files = null;
  planned = null;
}

/** The server ends this worker with its answer. What it has not freed itself would stay with the allocator. */
function collectIfLast(): void {
  if (planned?.plan.working.endsWithWorker) collectGarbage();
}

function post(message: FromWorker | Compiled, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}
