/** Pictures of DCT frames, baseline and progressive (ITU-T T.81, annexes F and G). */
import * as kernel from "../kernels/jpeg.wasm";
import type { StopFlag } from "../../io/stop_flag.ts";
import { PictureBands, type PictureKind } from "./bands.ts";
import { interleave } from "./color.ts";
import { SamplePlane, type Samples, useQuantization } from "./dct.ts";
import { ScanData, type ScanPart, useParts } from "./scan_data.ts";
import type { Component, Frame, Picture, Scan, Tables } from "./stream.ts";

const held = new Int16Array(kernel.memory.buffer, kernel.coefficients, 64 * kernel.BLOCKS);

/** The blocks of a component. */
interface Blocks {
  readonly component: Component;
  /** Columns of blocks that hold samples. */
  readonly wide: number;
  /** Rows of blocks that hold samples. */
  readonly high: number;
  /** Blocks stored per row, up to whole MCUs. */
  readonly storedWide: number;
  /** Rows of blocks that are stored. */
  readonly storedHigh: number;
  /** Coefficients, block after block in rows, 64 of each in rows of eight; `null` while none are kept. */
  values: Int16Array<ArrayBuffer> | null;
}

/** A component within a scan. */
interface Part extends ScanPart {
  readonly own: Blocks;
  /** Which component of the frame. */
  readonly index: number;
}

/** How the MCUs of a scan come. */
interface Layout {
  readonly parts: readonly Part[];
  /** MCUs in a row. */
  readonly wide: number;
  /** Rows of MCUs. */
  readonly high: number;
  /** MCUs that the decoder holds at once. */
  readonly chunk: number;
  /** Blocks of an MCU. */
  readonly blocks: number;
}

/** MCUs that follow each other in a row. */
interface Chunk {
  readonly row: number;
  /** The first of them. */
  readonly column: number;
  readonly count: number;
}

/** What a picture is made of beside the bytes of its scans. */
interface Surroundings extends PictureKind {
  /** Tables of the stream up to where it is read. */
  readonly tables: Tables;
  /** Looked at while it is decoded. */
  readonly stop: StopFlag;
}

/** A picture of a DCT frame while its scans are decoded. */
export class DctPicture implements Picture {
  readonly frame: Frame;
  readonly #components: readonly Blocks[];
  readonly #bytes: Uint8Array;
  readonly #tables: Tables;
  readonly #kind: PictureKind;
  readonly #stop: StopFlag;
  /** Of a picture whose only scan gives its samples at once: all of them, or else each component. */
  #whole: PictureBands | SamplePlane[] | null = null;

  /** Begins the picture of a frame, whose scans stand in `bytes`. */
  constructor(bytes: Uint8Array, frame: Frame, { tables, stop, ...kind }: Surroundings) {
    this.frame = frame;
    this.#components = frame.components.map((component) => blocksOf(component, frame));
    this.#bytes = bytes;
    this.#tables = tables;
    this.#kind = kind;
    this.#stop = stop;
  }

  scan(scan: Scan): number {
    const { start, end, low, restart, at } = scan;
    if (start > end || end > 63) throw new Error(`a scan has coefficients ${start} to ${end}`);
    const layout = layoutOf(scan, this.frame, this.#components);
    const { parts, wide, high, chunk, blocks } = layout;
    const whole = this.#whole = this.#isWhole(layout, at) ? this.#blank() : null;
    if (whole) this.#useTables(scan.components);
    useParts(parts);
    kernel.begin(wayOf(this.frame, scan), parts.length, start, end, low);
    const data = new ScanData(this.#bytes, at, { blocks, restart });
    for (let row = 0; row < high; row += 1) {
      for (let column = 0; column < wide; column += chunk) {
        this.#stop.check();
        const some = { row, column, count: Math.min(chunk, wide - column) };
        if (whole) kernel.clear(blocks * chunk);
        else fetchKept(parts, some);
        data.decode(some.count);
        if (whole) paint(whole, parts, some);
        else keep(parts, some);
      }
      if (whole instanceof PictureBands) whole.finish(row);
    }
    return data.at;
  }

  /**
   * Interleaved samples; called at the end, since tables may follow the scan.
   *
   * @throws {Error} a quantization table is missing
   */
  samples(): Samples {
    const picture = this.#whole ?? this.#painted();
    return picture instanceof PictureBands ? picture.samples : interleave(picture, this.frame, this.#kind);
  }

  /** The picture of the coefficients that are kept. */
  #painted(): PictureBands | SamplePlane[] {
    const picture = this.#blank();
    const all = this.frame.components.map((_, index) => ({ index, dc: undefined, ac: undefined }));
    // Planes are painted one after the other, since the decoder has four quantization tables.
    for (const components of picture instanceof PictureBands ? [all] : all.map((one) => [one])) {
      this.#useTables(components);
      const { parts, wide, high, chunk } = layoutOf({ components }, this.frame, this.#components);
      for (let row = 0; row < high; row += 1) {
        this.#stop.check();
        for (let column = 0; column < wide; column += chunk) {
          const some = { row, column, count: Math.min(chunk, wide - column) };
          fetchKept(parts, some);
          paint(picture, parts, some);
        }
        if (picture instanceof PictureBands) picture.finish(row);
      }
    }
    return picture;
  }

  #useTables(components: Scan["components"]): void {
    for (const { index } of components) {
      const table = this.#tables.quantization[this.frame.components[index]!.quantization];
      if (!table) throw new Error("a quantization table is missing");
      useQuantization(tableOf(index), table);
    }
  }

  #blank(): PictureBands | SamplePlane[] {
    return PictureBands.of(this.frame, this.#kind) ?? this.#components.map((own) => this.#planeOf(own));
  }

  /** The plane of an only component is the result. */
  #planeOf({ component }: Blocks): SamplePlane {
    const room = this.#components.length === 1 ? this.#kind.room : null;
    return new SamplePlane(component, this.frame, room);
  }

  /** Whether a scan holds all there is: each component, with tables that are known, and neither scan nor table follows. */
  #isWhole({ parts }: Layout, at: number): boolean {
    const { kind, components } = this.frame;
    return kind !== 0xc2 && this.#components.every(({ values }) => values === null) &&
      new Set(parts.map(({ own }) => own)).size === components.length && parts.length === components.length &&
      components.every(({ quantization }) => this.#tables.quantization[quantization]) &&
      !hasMarker(this.#bytes, at, 0xda, 0xdb);
  }
}

const mcusOf = ({ width, height, h, v }: Frame) => ({
  mcusWide: Math.ceil(width / (8 * h)),
  mcusHigh: Math.ceil(height / (8 * v)),
});

function blocksOf(component: Component, frame: Frame): Blocks {
  const { mcusWide, mcusHigh } = mcusOf(frame);
  return {
    component,
    wide: Math.ceil(Math.ceil(frame.width * component.h / frame.h) / 8),
    high: Math.ceil(Math.ceil(frame.height * component.v / frame.v) / 8),
    storedWide: mcusWide * component.h,
    storedHigh: mcusHigh * component.v,
    values: null,
  };
}

function layoutOf({ components }: Pick<Scan, "components">, frame: Frame, all: readonly Blocks[]): Layout {
  const { mcusWide, mcusHigh } = mcusOf(frame);
  const owns = components.map(({ index }) => all[index]!);
  const [only] = owns;
  // The blocks of a scan of one component are not grouped into MCUs.
  const single = only !== undefined && owns.length === 1;
  const [wide, high] = single ? [only.wide, only.high] : [mcusWide, mcusHigh];
  const sizes = owns.map(({ component: { h, v } }) => single ? [1, 1] as const : [h, v] as const);
  const blocks = sizes.reduce((sum, [across, down]) => sum + across * down, 0);
  const chunk = Math.min(wide, Math.floor(kernel.BLOCKS / blocks));
  const places = new Map<Blocks, number>();
  let next = 0;
  const parts = components.map(({ index, dc, ac }, i): Part => {
    const own = owns[i]!;
    const [across, down] = sizes[i]!;
    // A component that is named twice is read twice into the same blocks.
    const first = places.get(own) ?? next;
    if (first === next) next += across * down * chunk;
    places.set(own, first);
    return { own, index, across, down, first, stride: across * chunk, dc, ac };
  });
  return { parts, wide, high, chunk, blocks };
}

/** The block procedure of a scan (T.81, annexes F and G). */
function wayOf({ kind }: Frame, { start, high }: Scan): number {
  if (kind !== 0xc2) return kernel.BASELINE;
  if (start === 0) return high > 0 ? kernel.REFINE_DIRECT : kernel.FIRST_DIRECT;
  return high > 0 ? kernel.REFINE : kernel.FIRST;
}

/** Coefficients that are kept, all of them 0 before the first scan. */
const coefficientsOf = (own: Blocks): Int16Array =>
  own.values ??= new Int16Array(64 * own.storedWide * own.storedHigh);

/** Each row of blocks of a chunk: what is kept of it, and where it begins in the decoder. */
function* rowsOf(parts: readonly Part[], { row, column, count }: Chunk) {
  for (const { own, across, down, first, stride } of parts) {
    for (let y = 0; y < down; y += 1) {
      const from = 64 * ((row * down + y) * own.storedWide + column * across);
      yield [
        coefficientsOf(own).subarray(from, from + 64 * count * across),
        64 * (first + y * stride),
      ] as const;
    }
  }
}

function fetchKept(parts: readonly Part[], chunk: Chunk): void {
  for (const [kept, at] of rowsOf(parts, chunk)) held.set(kept, at);
}

function keep(parts: readonly Part[], chunk: Chunk): void {
  for (const [kept, at] of rowsOf(parts, chunk)) kept.set(held.subarray(at, at + kept.length));
}

/** Place of the quantization table of a component in the decoder. */
const tableOf = (index: number) => index % 4;

/** Transforms the blocks of a chunk. */
function paint(
  whole: PictureBands | readonly SamplePlane[],
  parts: readonly Part[],
  { row, column, count }: Chunk,
): void {
  for (const { index, across, down, first, stride } of parts) {
    for (let y = 0; y < down; y += 1) {
      const blocks = { from: first + y * stride, count: count * across, table: tableOf(index) };
      if (whole instanceof PictureBands) whole.paint(blocks, y, column * across);
      else whole[index]!.paint(blocks, row * down + y, column * across);
    }
  }
}

/** Whether one of two markers stands anywhere after an offset. Entropy-coded data cannot contain either. */
function hasMarker(bytes: Uint8Array, from: number, ...codes: readonly number[]): boolean {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (codes.includes(bytes[at + 1] ?? 0)) return true;
  }
  return false;
}
