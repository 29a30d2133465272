/** Coefficients of DCT frames, baseline and progressive (ITU-T T.81, annexes F and G). */
import type { StopFlag } from "../../stop_flag.ts";
import { type HuffmanTable, ScanBits } from "./bits.ts";
import type { Component, Frame, Scan } from "./stream.ts";

/** Coefficients of one component, block after block in rows, each in the order of the zigzag. */
export interface Coefficients {
  readonly component: Component;
  /** Blocks that hold samples, and blocks stored per row and column (whole MCUs). */
  readonly wide: number;
  readonly high: number;
  readonly storedWide: number;
  readonly values: Int16Array;
}

/** Room for the coefficients of each component. */
export function coefficientsOf(frame: Frame): Coefficients[] {
  const most = (pick: (component: Component) => number) => Math.max(...frame.components.map(pick));
  const [h, v] = [most((c) => c.h), most((c) => c.v)];
  const mcusWide = Math.ceil(frame.width / (8 * h));
  const mcusHigh = Math.ceil(frame.height / (8 * v));
  return frame.components.map((component) => ({
    component,
    wide: Math.ceil(Math.ceil(frame.width * component.h / h) / 8),
    high: Math.ceil(Math.ceil(frame.height * component.v / v) / 8),
    storedWide: mcusWide * component.h,
    values: new Int16Array(mcusWide * component.h * mcusHigh * component.v * 64),
  }));
}

function needed(table: HuffmanTable | undefined): HuffmanTable {
  if (!table) throw new Error("a Huffman table is missing");
  return table;
}

/** Decodes one scan into the coefficients; returns where its data end. */
export function decodeScan(
  bytes: Uint8Array,
  scan: Scan,
  frame: Frame,
  all: readonly Coefficients[],
  stop: StopFlag,
): number {
  const bits = new ScanBits(bytes, scan.at);
  const progressive = frame.kind === 0xc2;
  if (scan.start > scan.end || scan.end > 63) {
    throw new Error(`a scan has coefficients ${scan.start} to ${scan.end}`);
  }
  const parts = scan.components.map(({ index, dc, ac }) => ({ own: all[index]!, dc, ac, previous: 0 }));
  const run = { left: 0 };
  const block = progressive ? progressiveBlock(scan) : baselineBlock;
  const single = parts.length === 1 ? parts[0]!.own : null;
  const first = all[0]!;
  const wide = single ? single.wide : first.storedWide / first.component.h;
  const high = single
    ? single.high
    : Math.ceil(first.values.length / 64 / first.storedWide / first.component.v);
  const total = wide * high;
  for (let mcu = 0; mcu < total; mcu += 1) {
    if ((mcu & 1023) === 0) stop.check();
    if (scan.restart > 0 && mcu > 0 && mcu % scan.restart === 0) {
      bits.restart();
      run.left = 0;
      for (const part of parts) part.previous = 0;
    }
    const column = mcu % wide;
    const row = Math.floor(mcu / wide);
    for (const part of parts) {
      const { component, storedWide, values } = part.own;
      const [h, v] = single ? [1, 1] : [component.h, component.v];
      for (let y = 0; y < v; y += 1) {
        for (let x = 0; x < h; x += 1) {
          block(bits, part, values, ((row * v + y) * storedWide + column * h + x) * 64, run);
        }
      }
    }
  }
  return bits.at;
}

interface Part {
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
  previous: number;
}

type ReadBlock = (bits: ScanBits, part: Part, values: Int16Array, at: number, run: { left: number }) => void;

const baselineBlock: ReadBlock = (bits, part, values, at) => {
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
};

/** The block procedure of a progressive scan (T.81, annex G). */
function progressiveBlock({ start, end, high, low }: Scan): ReadBlock {
  if (start === 0) {
    if (high > 0) {
      return (bits, _part, values, at) => {
        if (bits.bit()) values[at] = values[at]! | (1 << low);
      };
    }
    return (bits, part, values, at) => {
      part.previous += bits.signed(bits.code(needed(part.dc)) & 15);
      values[at] = part.previous << low;
    };
  }
  if (high === 0) {
    return (bits, part, values, at, run) => {
      if (run.left > 0) {
        run.left -= 1;
        return;
      }
      const ac = needed(part.ac);
      for (let k = start; k <= end; k += 1) {
        const symbol = bits.code(ac);
        const size = symbol & 15;
        const zeros = symbol >> 4;
        if (size === 0) {
          if (zeros < 15) {
            run.left = (1 << zeros) - 1 + bits.bits(zeros);
            return;
          }
          k += 15;
          continue;
        }
        k += zeros;
        if (k > end) throw new Error("a block has more coefficients than its scan");
        values[at + k] = bits.signed(size) << low;
      }
    };
  }
  return (bits, part, values, at, run) =>
    refine(bits, needed(part.ac), values, at, run, start, end, 1 << low);
}

/** Refines coefficients that are not zero by one bit, and places new ones between them. */
function refine(
  bits: ScanBits,
  ac: HuffmanTable,
  values: Int16Array,
  at: number,
  run: { left: number },
  start: number,
  end: number,
  unit: number,
): void {
  const correct = (i: number) => {
    if (bits.bit() && (values[i]! & unit) === 0) values[i] = values[i]! + (values[i]! > 0 ? unit : -unit);
  };
  let k = start;
  if (run.left === 0) {
    for (; k <= end; k += 1) {
      const symbol = bits.code(ac);
      let zeros = symbol >> 4;
      let value = 0;
      if ((symbol & 15) === 0) {
        if (zeros < 15) {
          run.left = (1 << zeros) + bits.bits(zeros);
          break;
        }
      } else {
        value = bits.bit() ? unit : -unit;
      }
      for (; k <= end; k += 1) {
        if (values[at + k] !== 0) correct(at + k);
        else if (zeros-- === 0) break;
      }
      if (value !== 0) {
        if (k > end) throw new Error("a block has more coefficients than its scan");
        values[at + k] = value;
      }
    }
  }
  if (run.left > 0) {
    for (; k <= end; k += 1) if (values[at + k] !== 0) correct(at + k);
    run.left -= 1;
  }
}
