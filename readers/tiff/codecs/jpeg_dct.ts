/** Coefficients of DCT frames and their transform into samples (ITU-T T.81, annexes A, F and G). */
import type { StopFlag } from "../../stop_flag.ts";
import { type HuffmanTable, ScanBits } from "./jpeg_bits.ts";
import type { Component, Frame, Scan } from "./jpeg_stream.ts";

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

const ZIGZAG = Uint8Array.of(
  ...[
    0,
    1,
    8,
    16,
    9,
    2,
    3,
    10,
    17,
    24,
    32,
    25,
    18,
    11,
    4,
    5,
    12,
    19,
    26,
    33,
    40,
    48,
    41,
    34,
    27,
    20,
    13,
    6,
    7,
    14,
    21,
  ],
  ...[
    28,
    35,
    42,
    49,
    56,
    57,
    50,
    43,
    36,
    29,
    22,
    15,
    23,
    30,
    37,
    44,
    51,
    58,
    59,
    52,
    45,
    38,
    31,
    39,
    46,
    53,
    60,
    61,
  ],
  ...[54, 47, 55, 62, 63],
);

/** Samples of one component, rows of whole blocks. */
export interface SamplePlane {
  readonly stride: number;
  /** Samples that are meant, without the padding of blocks. */
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array | Uint16Array;
}

/** Dequantizes and transforms all blocks of a component. */
export function transform(
  own: Coefficients,
  quantization: Uint16Array | undefined,
  frame: Frame,
  stop: StopFlag,
): SamplePlane {
  if (!quantization) throw new Error("a quantization table is missing");
  const [h, v] = [
    Math.max(...frame.components.map((c) => c.h)),
    Math.max(...frame.components.map((c) => c.v)),
  ];
  const stride = own.wide * 8;
  const most = 2 ** frame.precision - 1;
  const size = stride * own.high * 8;
  const samples = frame.precision > 8 ? new Uint16Array(size) : new Uint8Array(size);
  const block = new Int32Array(64);
  for (let row = 0; row < own.high; row += 1) {
    stop.check();
    for (let column = 0; column < own.wide; column += 1) {
      const at = (row * own.storedWide + column) * 64;
      block.fill(0);
      for (let k = 0; k < 64; k += 1) block[ZIGZAG[k]!] = own.values[at + k]! * quantization[k]!;
      inverse(block, frame.precision > 8 ? 1 : 2);
      const to = row * 8 * stride + column * 8;
      const middle = (most + 1) / 2;
      for (let i = 0; i < 64; i += 1) {
        const value = block[i]! + middle;
        samples[to + (i >> 3) * stride + (i & 7)] = value < 0 ? 0 : value > most ? most : value;
      }
    }
  }
  return {
    stride,
    width: Math.ceil(frame.width * own.component.h / h),
    height: Math.ceil(frame.height * own.component.v / v),
    samples,
  };
}

const BITS = 13;
const fix = (x: number) => Math.round(x * (1 << BITS));
const [F0298, F0390, F0541, F0765, F0899] = [
  fix(0.298631336),
  fix(0.390180644),
  fix(0.541196100),
  fix(0.765366865),
  fix(0.899976223),
];
const [F1175, F1501, F1847, F1961, F2053] = [
  fix(1.175875602),
  fix(1.501321110),
  fix(1.847759065),
  fix(1.961570560),
  fix(2.053119869),
];
const [F2562, F3072] = [fix(2.562915447), fix(3.072711026)];

/**
 * The inverse transform in integers after Loeffler, Ligtenberg and Moschytz (1989), with the constants and roundings that
 * are usual for it, so that samples agree with other decoders to the last bit. `guard` bits are kept between the passes.
 */
function inverse(b: Int32Array, guard: number): void {
  for (let column = 0; column < 8; column += 1) pass(b, column, 8, BITS - guard);
  for (let row = 0; row < 64; row += 8) pass(b, row, 1, BITS + guard + 3);
}

function pass(b: Int32Array, at: number, step: number, shift: number): void {
  const s0 = b[at]!, s1 = b[at + step]!, s2 = b[at + 2 * step]!, s3 = b[at + 3 * step]!;
  const s4 = b[at + 4 * step]!, s5 = b[at + 5 * step]!, s6 = b[at + 6 * step]!, s7 = b[at + 7 * step]!;

  const even = (s2 + s6) * F0541;
  const e2 = even - s6 * F1847;
  const e3 = even + s2 * F0765;
  const e0 = (s0 + s4) * (1 << BITS);
  const e1 = (s0 - s4) * (1 << BITS);
  const t10 = e0 + e3, t13 = e0 - e3, t11 = e1 + e2, t12 = e1 - e2;

  const z5 = (s7 + s3 + s5 + s1) * F1175;
  const z1 = -(s7 + s1) * F0899;
  const z2 = -(s5 + s3) * F2562;
  const z3 = -(s7 + s3) * F1961 + z5;
  const z4 = -(s5 + s1) * F0390 + z5;
  const o0 = s7 * F0298 + z1 + z3;
  const o1 = s5 * F2053 + z2 + z4;
  const o2 = s3 * F3072 + z2 + z3;
  const o3 = s1 * F1501 + z1 + z4;

  const half = 1 << (shift - 1);
  b[at] = (t10 + o3 + half) >> shift;
  b[at + 7 * step] = (t10 - o3 + half) >> shift;
  b[at + step] = (t11 + o2 + half) >> shift;
  b[at + 6 * step] = (t11 - o2 + half) >> shift;
  b[at + 2 * step] = (t12 + o1 + half) >> shift;
  b[at + 5 * step] = (t12 - o1 + half) >> shift;
  b[at + 3 * step] = (t13 + o0 + half) >> shift;
  b[at + 4 * step] = (t13 - o0 + half) >> shift;
}
