/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** Entry of a decode worker. It has read permission only; samples leave it by transfer. */
import { dropDecoders } from "./codecs/wasm_decoder.ts";
import { AcquisitionChanged, toWire } from "./errors.ts";
import { FileAccess } from "./io/random_access.ts";
import { collectAfter, collectGarbage, keepGarbage, reportCompiled } from "./io/runtime_internals.ts";
import { StopFlag } from "./io/stop_flag.ts";
import { OpenAcquisition } from "./opened/open_acquisition.ts";
import type { Answers, Asked, FromWorker, Question, ToWorker } from "./opened/orders.ts";

/** Acquisitions whose files stay open between questions: the ones used last. */
const MAX_AWAKE = 4;

/** Open acquisitions by key, the last used one last. */
const open = new Map<string, OpenAcquisition>();

/** The documents of the last question, as a JSON array in pieces. */
let encoded: readonly Uint8Array<ArrayBuffer>[] = [];

reportCompiled((code, bytes) => post({ type: "compiled", code, bytes }));

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "ask") void answer(data);
  else if (data.type === "forget") close(data.key);
  else {
    for (const acquisition of open.values()) acquisition.rest();
    dropDecoders();
    collectGarbage();
  }
};

/** Answers a question. An acquisition whose files changed is closed. */
async function answer(asked: Asked): Promise<void> {
  const { key, question } = asked;
  keepGarbage();
  let bytes = 0;
  if (question.type !== "documents") encoded = [];
  try {
    const acquisition = await opened(asked);
    const [answer, views = []] = await answerTo(acquisition, question);
    const buffers = views.map(({ buffer }) => buffer);
    bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    post({ type: "answered", answer, indexBytes: acquisition.indexBytes }, buffers);
  } catch (error) {
    if (error instanceof AcquisitionChanged) close(key);
    post({ type: "failed", error: toWire(error), indexBytes: open.get(key)?.indexBytes ?? null });
  }
  collectAfter(bytes);
}

/** The answer to a question, with views of the memory to transfer. */
async function answerTo(
  acquisition: OpenAcquisition,
  question: Question,
): Promise<[Answers[Question["type"]], ArrayBufferView<ArrayBuffer>[]?]> {
  switch (question.type) {
    case "open":
      return [await acquisition.describe()];
    case "decode": {
      const decoded = await acquisition.decode(question.order);
      return [decoded, [...decoded.planes ?? [], ...decoded.referencePlanes ?? []]];
    }
    case "pack": {
      const packed = await acquisition.pack(question.order);
      return [packed, (packed.planes ?? []).flatMap((chunks) => chunks ?? [])];
    }
    case "survey":
      await acquisition.survey(question.channels);
      return [null];
    case "encode":
      encoded = encodedArray(await acquisition.documents());
      return [encoded.reduce((sum, { length }) => sum + length, 0)];
    case "documents": {
      const pieces = encoded;
      encoded = [];
      return [pieces, [...pieces]];
    }
  }
}

/** The acquisition of a question, opened if it is not open. */
async function opened({ key, source, stop }: Asked): Promise<OpenAcquisition> {
  // A WebAssembly decoder is only used again for the same acquisition.
  if (key !== [...open.keys()].at(-1) && dropDecoders()) collectGarbage();
  let acquisition = open.get(key);
  if (acquisition) {
    acquisition.follow(stop);
    open.delete(key);
  } else {
    const files = new FileAccess(source!.request.roots, new StopFlag(stop));
    acquisition = await OpenAcquisition.open(source!, files);
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

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}
