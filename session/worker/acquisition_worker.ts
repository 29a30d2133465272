/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** Entry point of a decode worker. It has read permission only, and transfers its samples to the server. */
import { Buffer } from "node:buffer";
import { dropDecoders } from "../../readers/codecs/wasm_decoder.ts";
import { AcquisitionChanged, toWire } from "../../readers/errors.ts";
import {
  collectAfter,
  collectGarbage,
  keepGarbage,
  reportCompiled,
} from "../../readers/io/runtime_internals.ts";
import { countLastChunkBytes, dropLastChunks } from "../../readers/io/last_chunks.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";
import type { MetadataDocument } from "../../readers/io/document_list.ts";
import { limitTexts } from "../../readers/io/limits.ts";
import { requireEncodedMarks } from "../../readers/io/paths.ts";
import { filesOf, OpenAcquisition } from "./open_acquisition.ts";
import type { Answers, Asked, EncodedDocuments, FromWorker, Question, ToWorker } from "./orders.ts";

/** Number of acquisitions whose files stay open between questions: those used last. */
const MAX_AWAKE = 4;

/** Open acquisitions by key, the last used one last. */
const open = new Map<string, OpenAcquisition>();

const encoder = new TextEncoder();

reportCompiled((code, bytes) => postToServer({ type: "compiled", code, bytes }));

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "ask") void answer(data);
  else if (data.type === "forget") close(data.key);
  else {
    for (const acquisition of open.values()) acquisition.rest();
    dropDecoders();
    dropLastChunks();
    collectGarbage();
  }
};

/** Answers a question. If files of its acquisition changed, closes the acquisition. */
async function answer(asked: Asked): Promise<void> {
  const { key } = asked;
  keepGarbage();
  let bytes = 0;
  const indexBytes = () => {
    const own = open.get(key)?.indexBytes;
    // Kept chunks belong to the acquisition that was used last.
    return own === undefined ? null : own + countLastChunkBytes();
  };
  try {
    const [answer, views = []] = await answerQuestion(asked);
    const buffers = views.map(({ buffer }) => buffer);
    bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    self.postMessage({ type: "answered", answer, indexBytes: indexBytes() } satisfies FromWorker, buffers);
  } catch (error) {
    if (error instanceof AcquisitionChanged) close(key);
    postToServer({ type: "failed", error: limitTexts(toWire(error)), indexBytes: indexBytes() });
  } finally {
    collectAfter(bytes);
  }
}

/** The answer to a question, with views of the memory to transfer. */
async function answerQuestion(
  asked: Asked,
): Promise<[answer: Answers[Question["type"]], views?: ArrayBufferView<ArrayBuffer>[]]> {
  const { question } = asked;
  if (question.type === "parse") {
    const { parseOrder } = await import("../archive/content/parsed_order.ts");
    return [parseOrder(question.bytes)];
  }
  if (question.type === "compare") {
    for (const seen of question.seen) requireEncodedMarks(seen, new StopFlag(asked.stop));
    return [null];
  }
  if (question.type === "parts") {
    const { arePartsOf } = await import("./named_parts.ts");
    return [await arePartsOf(question.named, question.roots, new StopFlag(asked.stop))];
  }
  const acquisition = await findOrOpen(asked);
  switch (question.type) {
    case "open":
      return [await acquisition.describe()];
    case "decode": {
      const decoded = await acquisition.decode(question.order);
      return [decoded, [...decoded.planes ?? [], ...decoded.referencePlanes ?? []]];
    }
    case "run": {
      const decoded = await acquisition.run(question.order);
      return [decoded, decoded.block === null ? [] : [decoded.block]];
    }
    case "pack": {
      const packed = await acquisition.pack(question.order);
      return [packed, (packed.planes ?? []).flatMap((chunks) => chunks ?? [])];
    }
    case "check": {
      const checked = await acquisition.checkMembers(question.recording, question.members);
      return [checked, [checked.seen]];
    }
    case "write": {
      const files = await acquisition.write(question);
      return [files, files.map(({ content }) => content)];
    }
    case "documents": {
      const encoded = encodeDocuments(await acquisition.documents(), question.most);
      return [encoded, encoded.json === null ? [] : [encoded.json]];
    }
  }
}

async function findOrOpen({ key, source, stop }: Asked): Promise<OpenAcquisition> {
  if (key !== [...open.keys()].at(-1)) {
    dropLastChunks();
    // A WebAssembly decoder is reused only for the same acquisition.
    if (dropDecoders()) collectGarbage();
  }
  let acquisition = open.get(key);
  if (acquisition) {
    acquisition.follow(stop);
    open.delete(key);
  } else {
    const files = filesOf(source!.request, new StopFlag(stop));
    acquisition = await OpenAcquisition.open(source!, files);
  }
  open.set(key, acquisition);
  [...open.values()].at(-1 - MAX_AWAKE)?.rest();
  return acquisition;
}

/**
 * Documents as a JSON array in one block, which returns to the system when freed; the allocator would keep small blocks. Control
 * characters take six bytes each, so the array is measured before it is made.
 */
function encodeDocuments(documents: readonly MetadataDocument[], most: number): EncodedDocuments {
  let size = 0;
  for (const piece of writeJsonPieces(documents)) size += Buffer.byteLength(piece);
  // The worker holds the texts, with two bytes for each character.
  const needed = size + documents.reduce((sum, { text }) => sum + 2 * text.length, 0);
  if (needed > most) return { json: null, needed };
  const json = new Uint8Array(size);
  let length = 0;
  for (const piece of writeJsonPieces(documents)) {
    length += encoder.encodeInto(piece, json.subarray(length)).written;
  }
  return { json, needed };
}

/**
 * Number of characters that are encoded at a time. V8 writes JSON into a block that it doubles, with six bytes for a control
 * character. This block stays below 128 KiB; larger ones raise the amount of free memory that glibc keeps per thread.
 */
const TEXT_PIECE = 1 << 14;

/** A JSON array in pieces, since a single text could exceed the longest string. */
function* writeJsonPieces(documents: readonly MetadataDocument[]): Generator<string> {
  for (const [i, { text, ...named }] of documents.entries()) {
    yield `${i === 0 ? "[" : ","}${JSON.stringify(named).slice(0, -1)},"text":"`;
    for (let at = 0; at < text.length; at += TEXT_PIECE) {
      // The halves of a split surrogate pair become two escapes, which parsers join.
      yield JSON.stringify(text.slice(at, at + TEXT_PIECE)).slice(1, -1);
    }
    yield '"}';
  }
  yield documents.length === 0 ? "[]" : "]";
}

function close(key: string): void {
  if (key === [...open.keys()].at(-1)) dropLastChunks();
  open.get(key)?.close();
  open.delete(key);
}

function postToServer(message: FromWorker): void {
  self.postMessage(message);
}
