/** ND2 files of generated samples, large enough to be timed. */
import { deflateSync } from "node:zlib";
import { attributes, chunk, concat, level, number, words } from "../tests/fixtures/nd2_writer.ts";

/** What a file holds. */
export interface Nd2Shape {
  /** Rows and columns of a plane. */
  readonly side: number;
  /** Interleaved channels of 16 bits. */
  readonly channels: number;
  /** Focus planes. */
  readonly frames: number;
  /** True for zlib streams. */
  readonly zlib: boolean;
}

const ALIGNMENT = 4096;
const ascii = (text: string) => new TextEncoder().encode(text);

/** A chunk whose name field ends where its data begin, at a multiple of 4096, as programs write frames. */
function padded(name: string, data: Uint8Array): Uint8Array {
  const field = ALIGNMENT - 16 - 8;
  const rest = (ALIGNMENT - (16 + field + data.length) % ALIGNMENT) % ALIGNMENT;
  const head = concat(words(0x0abeceda, field, BigInt(data.length)), ascii(name.padEnd(field, "\0")));
  return concat(head, data, new Uint8Array(rest));
}

/** Values of a noisy gradient, 12 bits in 16. */
function samples({ side, channels }: Nd2Shape): Uint8Array {
  const values = new Uint16Array(side * side * channels);
  let noise = 1;
  for (let i = 0; i < values.length; i += 1) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    values[i] = ((i % side >> 2) + (noise >> 24) & 31) & 4095;
  }
  return new Uint8Array(values.buffer);
}

/** Picture metadata of some channels, with what readers ask for. */
function picture(channels: number): Uint8Array {
  const plane = (name: string) =>
    level(name, [
      number("uiCompCount", 1),
      number("uiColor", 0xff),
      level("pFluorescentProbe", [number("a", 0)]),
    ]);
  const planes = Array.from({ length: channels }, (_, i) => plane(`a${i}`));
  return level("SLxPictureMetadata", [
    number("bCalibrated", 0),
    number("dCalibration", 1),
    level("sPicturePlanes", [number("uiCount", channels), level("sPlaneNew", planes)]),
  ]);
}

/** Writes the file of a shape. */
export function writeNd2(path: string, shape: Nd2Shape): void {
  const { side, channels, frames, zlib } = shape;
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  const entries: Uint8Array[] = [];
  let at = 0;
  const put = (bytes: Uint8Array, name?: string): void => {
    if (name) entries.push(concat(ascii(name), words(BigInt(at), 0n)));
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    at += bytes.length;
  };
  const signature = chunk("ND2 FILE SIGNATURE CHUNK NAME01!", ascii("Ver3.0".padEnd(64, "\0")));
  put(concat(signature, new Uint8Array(ALIGNMENT - signature.length)));
  const raw = samples(shape);
  const pixels = concat(new Uint8Array(8), zlib ? deflateSync(raw) : raw);
  for (let i = 0; i < frames; i += 1) {
    put(padded(`ImageDataSeq|${i}!`, pixels), `ImageDataSeq|${i}!`);
  }
  const stated = {
    ...{ uiWidth: side, uiWidthBytes: 2 * side * channels, uiHeight: side, uiComp: channels },
    ...{ uiSequenceCount: frames, eCompression: zlib ? 0 : 2 },
  };
  const loop = level("SLxExperiment", [number("eType", 4), level("uLoopPars", [number("uiCount", frames)])]);
  for (
    const [name, data] of [
      ["ImageAttributesLV!", attributes(stated)],
      ["ImageMetadataSeqLV|0!", picture(channels)],
      ["ImageMetadataLV!", loop],
    ] as const
  ) put(padded(name, data), name);
  const tail = concat(ascii("ND2 CHUNK MAP SIGNATURE 0000001!"), words(BigInt(at)));
  put(chunk("ND2 FILEMAP SIGNATURE NAME 0001!", concat(...entries, tail)));
}
