/** Coefficients of DCT frames, baseline and progressive (ITU-T T.81, annexes F and G). */
import { item } from "../../item.ts";
import type { StopFlag } from "../../stop_flag.ts";
import { type HuffmanTable, ScanBits } from "./bits.ts";
import type { Component, Frame, Picture, Scan } from "./stream.ts";

/** Coefficients of one component, block after block in rows, each in the order of the zigzag. */
export interface Coefficients {
  /** Which component of the frame. */
  readonly component: Component;
  /** Columns of blocks that hold samples. */
  readonly wide: number;
  /** Rows of blocks that hold samples. */
  readonly high: number;
  /** Blocks stored per row, up to whole MCUs. */
  readonly storedWide: number;
  /** 64 of each block. */
  readonly values: Int16Array;
}

/** A picture of a DCT frame while its scans are decoded. */
export class DctPicture implements Picture {
  /** Its header. */
  readonly frame: Frame;
  /** Of each component of the frame. */
  readonly coefficients: readonly Coefficients[];
  readonly #bytes: Uint8Array;
  readonly #stop: StopFlag;

  /** Makes room for the coefficients of a frame, whose scans stand in `bytes`. */
  constructor(bytes: Uint8Array, frame: Frame, stop: StopFlag) {
    this.frame = frame;
    this.coefficients = roomFor(frame);
    this.#bytes = bytes;
    this.#stop = stop;
  }

  scan(scan: Scan): number {
    const { start, end, low, restart } = scan;
    if (start > end || end > 63) throw new Error(`a scan has coefficients ${start} to ${end}`);
    const bits = new ScanBits(this.#bytes, scan.at);
    const band: Band = { bits, start, end, low, run: 0 };
    const readBlock = this.frame.kind === 0xc2 ? progressiveBlock(scan) : baselineBlock;
    const parts = scan.components.map(({ index, dc, ac }) => {
      const own = item(this.coefficients, index);
      return { own, values: own.values, dc, ac, previous: 0 };
    });
    const { mcusWide, mcusHigh } = mcusOf(this.frame);
    const [first] = parts;
    // The blocks of a scan of one component are not grouped into MCUs.
    const single = first && parts.length === 1 ? first.own : null;
    const [wide, high] = single ? [single.wide, single.high] : [mcusWide, mcusHigh];
    for (let mcu = 0; mcu < wide * high; mcu += 1) {
      if ((mcu & 1023) === 0) this.#stop.check();
      if (restart > 0 && mcu > 0 && mcu % restart === 0) {
        bits.restart();
        band.run = 0;
        for (const part of parts) part.previous = 0;
      }
      const column = mcu % wide;
      const row = Math.floor(mcu / wide);
      for (const part of parts) {
        const { component: { h, v }, storedWide } = part.own;
        const [across, down] = single ? [1, 1] : [h, v];
        for (let y = 0; y < down; y += 1) {
          for (let x = 0; x < across; x += 1) {
            readBlock(band, part, ((row * down + y) * storedWide + column * across + x) * 64);
          }
        }
      }
    }
    return bits.at;
  }
}

const mcusOf = ({ width, height, h, v }: Frame) => ({
  mcusWide: Math.ceil(width / (8 * h)),
  mcusHigh: Math.ceil(height / (8 * v)),
});

function roomFor(frame: Frame): Coefficients[] {
  const { mcusWide, mcusHigh } = mcusOf(frame);
  return frame.components.map((component) => ({
    component,
    wide: Math.ceil(Math.ceil(frame.width * component.h / frame.h) / 8),
    high: Math.ceil(Math.ceil(frame.height * component.v / frame.v) / 8),
    storedWide: mcusWide * component.h,
    values: new Int16Array(mcusWide * component.h * mcusHigh * component.v * 64),
  }));
}

/** A component within a scan. */
interface Part {
  readonly own: Coefficients;
  readonly values: Int16Array;
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
  /** Coefficient 0 of the block before. */
  previous: number;
}

/** The coefficients that a scan holds, with the position in its data. */
interface Band {
  readonly bits: ScanBits;
  readonly start: number;
  readonly end: number;
  /** Bits by which they are shifted. */
  readonly low: number;
  /** Blocks that follow without a coefficient of this band. */
  run: number;
}

/** Reads one block, whose coefficients begin at `at`. */
type ReadBlock = (band: Band, part: Part, at: number) => void;

function needed(table: HuffmanTable | undefined): HuffmanTable {
  if (!table) throw new Error("a Huffman table is missing");
  return table;
}

function baselineBlock({ bits }: Band, part: Part, at: number): void {
  const { values } = part;
  part.previous += bits.signed(bits.code(needed(part.dc)) & 15);
  values[at] = part.previous;
  const ac = needed(part.ac);
  for (let k = 1; k < 64; k += 1) {
    const symbol = bits.code(ac);
    const size = symbol & 15;
    const zeros = symbol >> 4;
    if (size === 0) {
      if (zeros < 15) return;
      k += 15;
      continue;
    }
    k += zeros;
    if (k > 63) throw new Error("a block has more than 64 coefficients");
    values[at + k] = bits.signed(size);
  }
}

/** The block procedure of a progressive scan (T.81, annex G). */
function progressiveBlock({ start, high }: Scan): ReadBlock {
  if (start === 0) return high > 0 ? refineDirect : firstDirect;
  return high > 0 ? refineBlock : firstBlock;
}

function firstDirect({ bits, low }: Band, part: Part, at: number): void {
  part.previous += bits.signed(bits.code(needed(part.dc)) & 15);
  part.values[at] = part.previous << low;
}

function refineDirect({ bits, low }: Band, { values }: Part, at: number): void {
  if (bits.bit()) values[at]! |= 1 << low;
}

function firstBlock(band: Band, { ac: table, values }: Part, at: number): void {
  if (band.run > 0) {
    band.run -= 1;
    return;
  }
  const { bits, end, low } = band;
  const ac = needed(table);
  for (let k = band.start; k <= end; k += 1) {
    const symbol = bits.code(ac);
    const size = symbol & 15;
    const zeros = symbol >> 4;
    if (size === 0) {
      if (zeros < 15) {
        band.run = (1 << zeros) - 1 + bits.bits(zeros);
        return;
      }
      k += 15;
      continue;
    }
    k += zeros;
    if (k > end) throw new Error("a block has more coefficients than its scan");
    values[at + k] = bits.signed(size) << low;
  }
}

/** Refines coefficients that are not zero by one bit, and places new ones between them. */
function refineBlock(band: Band, { ac: table, values }: Part, at: number): void {
  const { bits, end, low } = band;
  const unit = 1 << low;
  const ac = needed(table);
  const correct = (i: number, value: number) => {
    if (bits.bit() && (value & unit) === 0) values[i] = value + (value > 0 ? unit : -unit);
  };
  let k = band.start;
  if (band.run === 0) {
    for (; k <= end; k += 1) {
      const symbol = bits.code(ac);
      let zeros = symbol >> 4;
      let value = 0;
      if ((symbol & 15) === 0) {
        if (zeros < 15) {
          band.run = (1 << zeros) + bits.bits(zeros);
          break;
        }
      } else {
        value = bits.bit() ? unit : -unit;
      }
      for (; k <= end; k += 1) {
        const stored = values[at + k]!;
        if (stored !== 0) correct(at + k, stored);
        else if (zeros-- === 0) break;
      }
      if (value !== 0) {
        if (k > end) throw new Error("a block has more coefficients than its scan");
        values[at + k] = value;
      }
    }
  }
  if (band.run > 0) {
    for (; k <= end; k += 1) {
      const stored = values[at + k]!;
      if (stored !== 0) correct(at + k, stored);
    }
    band.run -= 1;
  }
}
