/**
 * LZMA in the .xz container (compression 34925), as liblzma writes it: one or more blocks of LZMA2, with the delta
 * filter before it. The .xz file format, sections 2 to 5; LZMA specification by I. Pavlov.
 */
import { type Codec, damaged, oneBuffer, type Segment, short, SURPLUS } from "./codec.ts";
import { LzmaDecoder } from "./lzma_decoder.ts";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const FILTER_DELTA = 3;
const FILTER_LZMA2 = 0x21;

/** Bytes of the integrity check by its kind (.xz file format, section 2.1.1.2). */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

class Input {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new Error("it ends early");
    this.at += 1;
    return value;
  }

  /** An integer of seven bits per byte, lowest first. */
  variable(): number {
    let value = 0;
    for (let i = 0; i < 7; i += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new Error("a number in it is too large");
  }
}

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const output = new Uint8Array(segment.mostBytes + SURPLUS);
  let filled = 0;
  try {
    const stream = new Input(input);
    if (MAGIC.some((byte) => stream.byte() !== byte)) throw new Error("it does not start as .xz");
    stream.byte();
    const check = CHECK_BYTES[stream.byte() & 15]!;
    stream.at += 4;
    // A zero in place of a block header begins the index.
    while (filled < segment.bytes && stream.at < input.length && input[stream.at] !== 0) {
      segment.stop.check();
      filled = readBlock(stream, output, filled, segment);
      while (stream.at % 4 !== 0) stream.at += 1;
      stream.at += check;
    }
  } catch (cause) {
    if ((cause as { tag?: string }).tag) throw cause;
    throw damaged(segment, "LZMA", cause);
  }
  if (filled < segment.bytes) throw short(segment, "LZMA", filled);
  return output.subarray(0, filled);
}

function readBlock(stream: Input, output: Uint8Array, from: number, segment: Segment): number {
  const start = stream.at;
  const headerEnd = start + (stream.byte() + 1) * 4;
  const flags = stream.byte();
  if (flags & 0x40) stream.variable();
  if (flags & 0x80) stream.variable();
  let distance = 0;
  let coded = false;
  for (let i = 0; i <= (flags & 3); i += 1) {
    const filter = stream.variable();
    const size = stream.variable();
    if (filter === FILTER_DELTA && size === 1 && !coded) distance = stream.byte() + 1;
    else if (filter === FILTER_LZMA2 && size === 1) coded = stream.byte() >= 0;
    else throw new Error(`its filter ${filter} is not read`);
  }
  if (!coded) throw new Error("its block holds no LZMA2");
  stream.at = headerEnd;
  const end = readChunks(stream, output, from, segment);
  if (distance > 0) {
    for (let i = from + distance; i < end; i += 1) output[i] = output[i]! + output[i - distance]!;
  }
  return end;
}

/** Chunks of LZMA2 (.xz file format, section 5.3.1; the control bytes as xz writes them). */
function readChunks(stream: Input, output: Uint8Array, from: number, segment: Segment): number {
  const decoder = new LzmaDecoder(output, from);
  for (;;) {
    segment.stop.check();
    const control = stream.byte();
    if (control === 0) return decoder.at;
    if (control === 1 || control === 2) {
      const size = (stream.byte() << 8 | stream.byte()) + 1;
      if (stream.at + size > stream.bytes.length) throw new Error("it ends early");
      decoder.copy(stream.bytes.subarray(stream.at, stream.at + size), control === 1);
      stream.at += size;
      continue;
    }
    if (control < 0x80) throw new Error(`its chunk begins with ${control}`);
    const size = ((control & 0x1f) << 16 | stream.byte() << 8 | stream.byte()) + 1;
    const packed = (stream.byte() << 8 | stream.byte()) + 1;
    const reset = (control >> 5) & 3;
    if (reset >= 2) decoder.properties(stream.byte());
    else if (reset === 1) decoder.resetState();
    if (stream.at + packed > stream.bytes.length) throw new Error("it ends early");
    if (reset === 3) decoder.forget();
    decoder.decode(stream.bytes.subarray(stream.at, stream.at + packed), size);
    stream.at += packed;
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
