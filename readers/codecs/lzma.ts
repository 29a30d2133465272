/**
 * LZMA in the .xz container (compression 34925), as liblzma writes it: one or more blocks of LZMA2, with the delta
 * filter before it. The .xz file format, section 5; LZMA specification by I. Pavlov.
 */
import type { StopFlag } from "../io/stop_flag.ts";
import { type Codec, damaged, oneBuffer, type Segment, short, SURPLUS } from "./segment.ts";
import { LzmaDecoder } from "./lzma_decoder.ts";
import { readXzStream, type XzFilter, type XzInput } from "./xz_stream.ts";

const FILTER_DELTA = 3;
const FILTER_LZMA2 = 0x21;

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const blocks = new Blocks(segment);
  try {
    readXzStream(input, (stream, filters) => blocks.read(stream, filters));
  } catch (cause) {
    throw damaged(segment, "LZMA", cause);
  }
  const output = blocks.decoded();
  if (output.length < segment.bytes) throw short(segment, "LZMA", output.length);
  return output;
}

/** Decodes the blocks of a stream in turn. */
class Blocks {
  readonly #output: Uint8Array;
  readonly #stop: StopFlag;
  #filled = 0;

  constructor({ mostBytes, stop }: Segment) {
    this.#output = new Uint8Array(mostBytes + SURPLUS);
    this.#stop = stop;
  }

  decoded(): Uint8Array {
    return this.#output.subarray(0, this.#filled);
  }

  read(stream: XzInput, filters: readonly XzFilter[]): Uint8Array {
    let distance = 0;
    let coded = false;
    for (const { id, properties } of filters) {
      const [property] = properties;
      const known = property !== undefined && properties.length === 1 && !coded;
      if (id === FILTER_DELTA && known) distance = property + 1;
      else if (id === FILTER_LZMA2 && known) coded = true;
      else throw new Error(`its filter ${id} is not supported`);
    }
    if (!coded) throw new Error("its block holds no LZMA2");
    const end = this.#readChunks(stream);
    const block = this.#output.subarray(this.#filled, end);
    if (distance > 0) {
      for (let i = distance; i < block.length; i += 1) block[i]! += block[i - distance]!;
    }
    this.#filled = end;
    return block;
  }

  /** Chunks of LZMA2 (.xz file format, section 5.3.1; the control bytes as xz writes them); gives where they end. */
  #readChunks(stream: XzInput): number {
    const decoder = new LzmaDecoder(this.#output, this.#filled);
    for (;;) {
      this.#stop.check();
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
