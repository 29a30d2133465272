/** LSM files of generated samples, large enough to be timed: planes with a thumbnail behind each. */
import { lzw } from "../tests/fixtures/tiff_writer.ts";

/** What a file holds. */
export interface LsmShape {
  /** Rows and columns of a plane. */
  readonly side: number;
  /** Channels, each a strip of 16 bits. */
  readonly channels: number;
  /** Time points. */
  readonly planes: number;
  /** True for LZW, whose stored lengths are those of the samples as they are. */
  readonly compressed: boolean;
}

const RECORD_BYTES = 464;
const RECORD_AT = 8;
const THUMBNAIL = { side: 8, bits: 8, strips: [64, 64, 64] };

/** Values of a noisy gradient, 12 bits in 16. */
function strip(side: number, seed: number): Uint8Array<ArrayBuffer> {
  const samples = new Uint16Array(side * side);
  let noise = seed + 1;
  for (let i = 0; i < samples.length; i += 1) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    samples[i] = ((i % side >> 2) + (noise >> 24) & 31) + seed & 4095;
  }
  return new Uint8Array(samples.buffer);
}

/** CZ_LSMINFO of a time series. */
function record({ side, channels, planes }: LsmShape): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(RECORD_BYTES));
  const words = [0x0400494c, RECORD_BYTES, side, side, 1, channels, planes];
  words.forEach((word, i) => view.setUint32(4 * i, word, true));
  view.setUint16(88, 3, true);
  return new Uint8Array(view.buffer);
}

/** A page whose strips follow each other. */
interface WrittenPage {
  readonly thumbnail: boolean;
  readonly side: number;
  readonly bits: number;
  readonly compression: number;
  /** First byte of the first strip. */
  readonly at: number;
  /** Bytes of each strip, as stored and as declared. */
  readonly stored: readonly number[];
  readonly declared: readonly number[];
}

/** Writes one part behind the other. */
class Writer {
  readonly #file: Deno.FsFile;
  #at = 0;
  /** Where the offset of the next directory belongs. */
  #link = 4;
  #first = true;

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Returns where the bytes begin. */
  put(bytes: Uint8Array): number {
    for (let done = 0; done < bytes.length;) done += this.#file.writeSync(bytes.subarray(done));
    this.#at += bytes.length;
    return this.#at - bytes.length;
  }

  page({ thumbnail, side, bits, compression, at, stored, declared }: WrittenPage): void {
    const samples = stored.length;
    const starts = stored.map((_, i) => stored.slice(0, i).reduce((sum, length) => sum + length, at));
    const fields: [tag: number, type: number, count: number, value: number][] = [
      [254, 4, 1, thumbnail ? 1 : 0],
      [256, 4, 1, side],
      [257, 4, 1, side],
      [258, 3, samples, this.#values(new Uint16Array(samples).fill(bits))],
      [259, 3, 1, compression],
      [262, 3, 1, samples > 1 ? 2 : 1],
      [273, 4, samples, this.#values(Uint32Array.from(starts))],
      [277, 3, 1, samples],
      [279, 4, samples, this.#values(Uint32Array.from(declared))],
      [284, 3, 1, 2],
    ];
    if (this.#first) fields.push([34412, 1, RECORD_BYTES, RECORD_AT]);
    this.#first = false;
    const view = new DataView(new ArrayBuffer(2 + 12 * fields.length + 4));
    view.setUint16(0, fields.length, true);
    fields.forEach(([tag, type, count, value], i) => {
      view.setUint16(2 + 12 * i, tag, true);
      view.setUint16(4 + 12 * i, type, true);
      view.setUint32(6 + 12 * i, count, true);
      view.setUint32(10 + 12 * i, value, true);
    });
    this.#linkTo(this.#at);
    this.#link = this.put(new Uint8Array(view.buffer)) + view.byteLength - 4;
  }

  /** A single value stands in its entry; LSM puts two of 16 bits elsewhere as well. */
  #values(values: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): number {
    return values.length === 1 ? values[0]! : this.put(new Uint8Array(values.buffer));
  }

  #linkTo(directory: number): void {
    this.#file.seekSync(this.#link, Deno.SeekMode.Start);
    this.#file.writeSync(new Uint8Array(Uint32Array.of(directory).buffer));
    this.#file.seekSync(this.#at, Deno.SeekMode.Start);
  }
}

/** Writes the file of a shape. */
export function writeLsm(path: string, shape: LsmShape): void {
  const { side, channels, planes, compressed } = shape;
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  const writer = new Writer(file);
  writer.put(Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0));
  writer.put(record(shape));
  const strips = Array.from({ length: channels }, (_, c) => strip(side, c));
  const stored = strips.map((bytes) => compressed ? lzw(bytes) : bytes);
  for (let page = 0; page < planes; page += 1) {
    const [at] = stored.map((bytes) => writer.put(bytes));
    writer.page({
      thumbnail: false,
      side,
      bits: 16,
      compression: compressed ? 5 : 1,
      at: at!,
      stored: stored.map(({ length }) => length),
      declared: strips.map(({ length }) => length),
    });
    const thumbnail = writer.put(new Uint8Array(192));
    const { strips: parts, ...rest } = THUMBNAIL;
    writer.page({ thumbnail: true, ...rest, compression: 1, at: thumbnail, stored: parts, declared: parts });
  }
}
