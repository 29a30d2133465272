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
const THUMBNAIL_SIDE = 8;
const ENTRIES = 11;

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

function record({ side, channels, planes }: LsmShape): DataView {
  const view = new DataView(new ArrayBuffer(RECORD_BYTES));
  const words = [0x0400494c, RECORD_BYTES, side, side, 1, channels, planes];
  words.forEach((word, i) => view.setUint32(4 * i, word, true));
  view.setUint16(88, 3, true);
  return view;
}

/** Writes the file of a shape. */
export function writeLsm(path: string, shape: LsmShape): void {
  const { side, channels, planes, compressed } = shape;
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  let at = 0;
  const put = (bytes: Uint8Array): number => {
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    at += bytes.length;
    return at - bytes.length;
  };
  put(new Uint8Array(RECORD_AT));
  put(new Uint8Array(record(shape).buffer));
  const strips = Array.from({ length: channels }, (_, c) => strip(side, c));
  const stored = strips.map((bytes) => compressed ? lzw(bytes) : bytes);
  const words = (values: readonly number[]) => put(new Uint8Array(Uint32Array.from(values).buffer));
  const shorts = (values: readonly number[]) => put(new Uint8Array(Uint16Array.from(values).buffer));
  const directory = (thumbnail: boolean, own: number, page: number): void => {
    const width = thumbnail ? THUMBNAIL_SIDE : side;
    const samples = thumbnail ? 3 : channels;
    const bytes = thumbnail ? [64, 64, 64] : strips.map(({ length }) => length);
    const lengths = thumbnail ? bytes : stored.map(({ length }) => length);
    const starts = lengths.map((_, i) => own + lengths.slice(0, i).reduce((sum, length) => sum + length, 0));
    // A single value stands in the entry itself.
    const many = (values: readonly number[], write: typeof words) =>
      values.length === 1 ? values[0]! : write(values);
    const fields: [tag: number, type: number, count: number, value: number][] = [
      [254, 4, 1, thumbnail ? 1 : 0],
      [256, 4, 1, width],
      [257, 4, 1, width],
      [258, 3, samples, many(lengths.map(() => thumbnail ? 8 : 16), shorts)],
      [259, 3, 1, compressed && !thumbnail ? 5 : 1],
      [262, 3, 1, samples > 1 ? 2 : 1],
      [273, 4, samples, many(starts, words)],
      [277, 3, 1, samples],
      [279, 4, samples, many(bytes, words)],
      [284, 3, 1, 2],
      page === 0 && !thumbnail ? [34412, 1, RECORD_BYTES, RECORD_AT] : [65_000, 4, 1, 0],
    ];
    const view = new DataView(new ArrayBuffer(2 + 12 * ENTRIES + 4));
    view.setUint16(0, ENTRIES, true);
    fields.forEach(([tag, type, count, value], i) => {
      view.setUint16(2 + 12 * i, tag, true);
      view.setUint16(4 + 12 * i, type, true);
      view.setUint32(6 + 12 * i, count, true);
      view.setUint32(10 + 12 * i, value, true);
    });
    const last = thumbnail && page === planes - 1;
    view.setUint32(2 + 12 * ENTRIES, last ? 0 : nextAt(at, thumbnail, stored), true);
    put(new Uint8Array(view.buffer));
  };
  /** Where the directory after this one will begin: behind the samples of its page and the values of its tags. */
  function nextAt(from: number, thumbnail: boolean, next: readonly Uint8Array[]): number {
    const samples = thumbnail ? next.reduce((sum, { length }) => sum + length, 0) : 192;
    const count = thumbnail ? channels : 3;
    return from + 2 + 12 * ENTRIES + 4 + samples + (count === 1 ? 0 : count * 10);
  }
  const firstAt = at + stored.reduce((sum, { length }) => sum + length, 0) +
    (channels === 1 ? 0 : channels * 10);
  for (let page = 0; page < planes; page += 1) {
    const own = at;
    for (const bytes of stored) put(bytes);
    directory(false, own, page);
    directory(true, put(new Uint8Array(192)), page);
  }
  file.seekSync(0, Deno.SeekMode.Start);
  const head = new DataView(new ArrayBuffer(8));
  head.setUint32(0, 0x002a4949, true);
  head.setUint32(4, firstAt, true);
  put(new Uint8Array(head.buffer));
}
