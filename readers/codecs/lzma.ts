/**
 * LZMA in the .xz container (compression 34925), as liblzma writes it: one or more blocks of LZMA2, with the delta
 * filter before it. The .xz file format, section 5; LZMA specification by I. Pavlov.
 */
import { type Codec, damaged, oneBuffer, type Segment, short, SURPLUS } from "./segment.ts";
import { LzmaDecoder } from "./lzma_decoder.ts";
import { readXzStream, type XzFilter, type XzInput } from "./xz_stream.ts";

const FILTER_DELTA = 3;
const FILTER_LZMA2 = 0x21;

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const output = new Uint8Array(segment.mostBytes + SURPLUS);
  let filled = 0;
  try {
    readXzStream(input, (stream, filters) => {
      segment.stop.check();
      const start = filled;
      filled = readBlock(stream, filters, output, start, segment);
      return output.subarray(start, filled);
    });
  } catch (cause) {
    throw damaged(segment, "LZMA", cause);
  }
  if (filled < segment.bytes) throw short(segment, "LZMA", filled);
  return output.subarray(0, filled);
}

function readBlock(
  stream: XzInput,
  filters: readonly XzFilter[],
  output: Uint8Array,
  from: number,
  segment: Segment,
): number {
  let distance = 0;
  let coded = false;
  for (const { id, properties } of filters) {
    if (id === FILTER_DELTA && properties.length === 1 && !coded) distance = properties[0]! + 1;
    else if (id === FILTER_LZMA2 && properties.length === 1 && !coded) coded = true;
    else throw new Error(`its filter ${id} is not read`);
  }
  if (!coded) throw new Error("its block holds no LZMA2");
  const end = readChunks(stream, output, from, segment);
  if (distance > 0) {
    for (let i = from + distance; i < end; i += 1) output[i] = output[i]! + output[i - distance]!;
  }
  return end;
}

/** Chunks of LZMA2 (.xz file format, section 5.3.1; the control bytes as xz writes them). */
function readChunks(stream: XzInput, output: Uint8Array, from: number, segment: Segment): number {
  const decoder = new LzmaDecoder(output, from);
  for (;;) {
    segment.stop.check();
    const control = stream.byte();
    if (control === 0) return decoder.at;
    if (control === 1 || control === 2) {
      const size = (stream.byte() << 8 | stream.byte()) + 1;
      decoder.copy(stream.take(size), control === 1);
      continue;
    }
    if (control < 0x80) throw new Error(`its chunk begins with ${control}`);
    const size = ((control & 0x1f) << 16 | stream.byte() << 8 | stream.byte()) + 1;
    const packed = (stream.byte() << 8 | stream.byte()) + 1;
    const reset = (control >> 5) & 3;
    if (reset >= 2) decoder.properties(stream.byte());
    else if (reset === 1) decoder.resetState();
    if (reset === 3) decoder.forget();
    decoder.decode(stream.take(packed), size);
  }
}

/** LZMA; a match of 273 bytes costs at least a fifth of a bit. */
export const lzma: Codec = {
  title: "LZMA",
  image: false,
  bitOrder: true,
  maxExpansion: 1 << 15,
  workingBytes: oneBuffer,
  decode,
};
