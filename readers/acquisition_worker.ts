/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** Entry of a decode worker. It has read permission only; samples leave it by transfer. */
import { dropDecoders } from "./codecs/wasm_decoder.ts";
import { AcquisitionChanged, toWire } from "./errors.ts";
import { collectAfter, collectGarbage, keepGarbage, reportCompiled } from "./io/runtime_internals.ts";
import { type AcquisitionSource, OpenAcquisition } from "./open_acquisition.ts";
import { FileAccess } from "./io/random_access.ts";
import { StopFlag } from "./io/stop_flag.ts";
import type { Compiled, FromWorker, Question, ToWorker } from "./worker_protocol.ts";

/** Acquisitions whose files stay open between questions: the ones used last. */
const MAX_AWAKE = 4;

/** Open acquisitions by key, the last used one last. */
const open = new Map<string, OpenAcquisition>();

/** Where the acquisitions are, until they are forgotten. */
const sources = new Map<string, AcquisitionSource>();

/** The documents of the last question, as a JSON array in pieces. */
let encoded: readonly Uint8Array<ArrayBuffer>[] = [];

reportCompiled((code, bytes) => post({ type: "compiled", code, bytes }));

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "forget") {
    close(data.key);
    sources.delete(data.key);
  } else if (data.type === "rest") {
    for (const acquisition of open.values()) acquisition.rest();
    dropDecoders();
    collectGarbage();
  } else void answer(data);
};

/** Answers a question. An acquisition whose files changed is closed. */
async function answer(question: Extract<ToWorker, Question>): Promise<void> {
  const { key } = question;
  keepGarbage();
  let bytes = 0;
  if (question.type !== "documents") encoded = [];
  try {
    const acquisition = await opened(question);
    if (question.type === "open") {
      const description = await acquisition.describe();
      const { request } = sources.get(key)!;
      const { summary: { scene }, marks } = description;
      sources.set(key, { request: { ...request, scene }, marks });
      post({ type: "opened", description, indexBytes: acquisition.indexBytes });
    } else if (question.type === "pack") {
      const packed = await acquisition.pack(question.order);
      const buffers = (packed.planes ?? []).flatMap((chunks) => chunks ?? []).map(({ buffer }) => buffer);
      bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
      post({ type: "packed", packed, indexBytes: acquisition.indexBytes }, buffers);
    } else if (question.type === "survey") {
      await acquisition.survey(question.channels);
      post({ type: "surveyed", indexBytes: acquisition.indexBytes });
    } else if (question.type === "encode") {
      encoded = encodedArray(acquisition.documents());
      const size = encoded.reduce((sum, { length }) => sum + length, 0);
      post({ type: "encoded", bytes: size, indexBytes: acquisition.indexBytes });
    } else if (question.type === "documents") {
      const [pieces, { indexBytes }] = [encoded, acquisition];
      encoded = [];
      post({ type: "documents", pieces, indexBytes }, pieces.map(({ buffer }) => buffer));
    } else {
      const decoded = await acquisition.decode(question.order);
      const buffers = [...decoded.planes ?? [], ...decoded.referencePlanes ?? []].map(({ buffer }) => buffer);
      bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
      post({ type: "decoded", decoded, indexBytes: acquisition.indexBytes }, buffers);
    }
  } catch (error) {
    if (error instanceof AcquisitionChanged) close(key);
    post({ type: "failed", error: toWire(error), indexBytes: open.get(key)?.indexBytes ?? null });
  }
  collectAfter(bytes);
}

/** The acquisition of a question, opened if it is not open. */
async function opened({ key, source, stop }: Question): Promise<OpenAcquisition> {
  if (source) sources.set(key, source);
  // A WebAssembly decoder is only used again for the same acquisition.
  if (key !== [...open.keys()].at(-1) && dropDecoders()) collectGarbage();
  let acquisition = open.get(key);
  if (acquisition) {
    acquisition.follow(stop);
    open.delete(key);
  } else {
    const known = sources.get(key)!;
    const files = new FileAccess(known.request.roots, new StopFlag(stop));
    acquisition = await OpenAcquisition.open(known, files);
  }
  open.set(key, acquisition);
  [...open.values()].at(-1 - MAX_AWAKE)?.rest();
  return acquisition;
}

/** A JSON array, an item a piece: one text of all of them could exceed what a string can hold. */
function encodedArray(items: readonly unknown[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const pieces = items.map((item, i) => encoder.encode(`${i === 0 ? "[" : ","}${JSON.stringify(item)}`));
  return [...pieces, encoder.encode(items.length === 0 ? "[]" : "]")];
}

function close(key: string): void {
  open.get(key)?.close();
  open.delete(key);
}

function post(message: FromWorker | Compiled, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}
