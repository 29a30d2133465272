/** Large stacks of planes to step through, written without holding them. */
import { join } from "node:path";
import { deflateSync } from "node:zlib";

/** Planes of `side` x `side` uint16 samples. */
export interface StackShape {
  readonly planes: number;
  readonly side: number;
}

/** A smooth picture with some noise; plane `n` has `n` as its first sample. */
function picture(side: number): Uint16Array<ArrayBuffer> {
  let state = 1;
  return Uint16Array.from({ length: side * side }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 900 + 800 * Math.sin(i % side / 90) * Math.cos(i / side / 70) + (state >>> 28);
  });
}

type Entry = readonly [tag: number, type: number, count: number, value: number];

/** A directory of a little-endian classic TIFF; `next` is the offset of the following one. */
function directory(entries: readonly Entry[], next: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(6 + 12 * entries.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, entries.length, true);
  entries.forEach(([tag, type, count, value], i) => {
    view.setUint16(2 + 12 * i, tag, true);
    view.setUint16(4 + 12 * i, type, true);
    view.setUint32(6 + 12 * i, count, true);
    view.setUint32(10 + 12 * i, value, true);
  });
  view.setUint32(2 + 12 * entries.length, next, true);
  return bytes;
}

const entriesOf = (side: number, compression: number, offset: number, length: number): Entry[] => [
  [256, 4, 1, side],
  [257, 4, 1, side],
  [258, 3, 1, 16],
  [259, 3, 1, compression],
  [262, 3, 1, 1],
  [273, 4, 1, offset],
  [277, 3, 1, 1],
  [278, 4, 1, side],
  [279, 4, 1, length],
];

const header = (first: number) => {
  const bytes = new Uint8Array(8);
  bytes.set([0x49, 0x49, 42, 0]);
  new DataView(bytes.buffer).setUint32(4, first, true);
  return bytes;
};

/** A file with a directory for each plane, in one strip each. */
export function writePages(path: string, { planes, side }: StackShape, deflate = false): void {
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  const samples = picture(side);
  const directoryBytes = 6 + 12 * 9;
  file.writeSync(header(8));
  let at = 8;
  for (let plane = 0; plane < planes; plane += 1) {
    samples[0] = plane;
    const raw = new Uint8Array(samples.buffer);
    const stored = deflate ? deflateSync(raw, { level: 1 }) : raw;
    const pad = stored.length % 2;
    const end = at + directoryBytes + stored.length + pad;
    const entries = entriesOf(side, deflate ? 8 : 1, at + directoryBytes, stored.length);
    file.writeSync(directory(entries, plane === planes - 1 ? 0 : end));
    for (let done = 0; done < stored.length;) done += file.writeSync(stored.subarray(done));
    if (pad) file.writeSync(new Uint8Array(1));
    at = end;
  }
}

/** An ImageJ stack: one directory, the planes one after the other. */
export function writeImageJ(path: string, { planes, side }: StackShape): void {
  const text = new TextEncoder().encode(`ImageJ=1.53t\nimages=${planes}\nframes=${planes}\n\0`);
  const own = 6 + 12 * 10;
  const first = 8 + own + text.length + text.length % 2;
  const entries = entriesOf(side, 1, first, 2 * side * side);
  entries.splice(5, 0, [270, 2, text.length, 8 + own]);
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  file.writeSync(header(8));
  file.writeSync(directory(entries, 0));
  file.writeSync(text);
  if (text.length % 2) file.writeSync(new Uint8Array(1));
  const samples = picture(side);
  for (let plane = 0; plane < planes; plane += 1) {
    samples[0] = plane;
    const bytes = new Uint8Array(samples.buffer);
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
  }
}

/** An OME-Zarr 0.5 image with a raw chunk for each plane. */
export function writeChunks(path: string, { planes, side }: StackShape): void {
  const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  const ome = { version: "0.5", multiscales: [{ axes, datasets: [{ path: "0" }] }] };
  const array = {
    zarr_format: 3,
    node_type: "array",
    shape: [planes, side, side],
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, side, side] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  const samples = picture(side);
  for (let plane = 0; plane < planes; plane += 1) {
    samples[0] = plane;
    const folder = join(path, `0/c/${plane}/0`);
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeFileSync(join(folder, "0"), new Uint8Array(samples.buffer));
  }
  Deno.writeTextFileSync(
    join(path, "zarr.json"),
    JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { ome } }),
  );
  Deno.writeTextFileSync(join(path, "0/zarr.json"), JSON.stringify(array));
}
