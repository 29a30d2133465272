/** The transform of coefficients into samples (ITU-T T.81, annex A). */
import type { StopFlag } from "../../stop_flag.ts";
import type { Coefficients } from "./coefficients.ts";
import type { Frame } from "./stream.ts";

const ZIGZAG = Uint8Array.from(
  ("0 1 8 16 9 2 3 10 17 24 32 25 18 11 4 5 12 19 26 33 40 48 41 34 27 20 13 6 7 14 21 28 35 42 49 56 57 50 43 36 29 22 " +
    "15 23 30 37 44 51 58 59 52 45 38 31 39 46 53 60 61 54 47 55 62 63").split(" "),
  Number,
);

/** Samples of one component, rows of whole blocks. */
export interface SamplePlane {
  /** Samples per stored row. */
  readonly stride: number;
  /** Columns that are meant, without the padding of blocks. */
  readonly width: number;
  /** Rows that are meant. */
  readonly height: number;
  /** Row after row; of 16 bits when the frame has more than 8. */
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
  const stride = own.wide * 8;
  const most = 2 ** frame.precision - 1;
  const size = stride * own.high * 8;
  const samples = frame.precision > 8 ? new Uint16Array(size) : new Uint8Array(size);
  const block = new Int32Array(64);
  const guard = frame.precision > 8 ? 1 : 2;
  for (let row = 0; row < own.high; row += 1) {
    stop.check();
    for (let column = 0; column < own.wide; column += 1) {
      block.fill(0);
      dequantize(own.values, (row * own.storedWide + column) * 64, quantization, block);
      inverse(block, guard);
      place(block, samples, row * 8 * stride + column * 8, { stride, most });
    }
  }
  return {
    stride,
    width: Math.ceil(frame.width * own.component.h / frame.h),
    height: Math.ceil(frame.height * own.component.v / frame.v),
    samples,
  };
}

/** Most coefficients of a block are 0, and those of one that ends early are all so from there on. */
function dequantize(values: Int16Array, at: number, quantization: Uint16Array, block: Int32Array): void {
  for (let k = 0; k < 64; k += 1) {
    const value = values[at + k]!;
    if (value !== 0) block[ZIGZAG[k]!] = Math.imul(value, quantization[k]!);
  }
}

/** Writes a block as samples from 0 to `most`, eight rows from `to` on. */
function place(
  block: Int32Array,
  samples: Uint8Array | Uint16Array,
  to: number,
  { stride, most }: { readonly stride: number; readonly most: number },
): void {
  const middle = (most + 1) / 2;
  for (let i = 0, row = to; i < 64; row += stride) {
    for (let at = row; at < row + 8; at += 1, i += 1) {
      const value = block[i]! + middle;
      samples[at] = value < 0 ? 0 : value > most ? most : value;
    }
  }
}

const { imul } = Math;

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

// Products and sums are exact modulo 2^32 at every step, of which a shift takes no more.
function pass(b: Int32Array, at: number, step: number, shift: number): void {
  const s0 = b[at]!, s1 = b[at + step]!, s2 = b[at + 2 * step]!, s3 = b[at + 3 * step]!;
  const s4 = b[at + 4 * step]!, s5 = b[at + 5 * step]!, s6 = b[at + 6 * step]!, s7 = b[at + 7 * step]!;

  // Only coefficient 0: all eight are the same.
  if ((s1 | s2 | s3 | s4 | s5 | s6 | s7) === 0) {
    const value = (s0 << BITS) + (1 << (shift - 1)) >> shift;
    for (let i = at; i < at + 8 * step; i += step) b[i] = value;
    return;
  }
  const even = imul(s2 + s6, F0541);
  const e2 = even - imul(s6, F1847) | 0;
  const e3 = even + imul(s2, F0765) | 0;
  const e0 = s0 + s4 << BITS;
  const e1 = s0 - s4 << BITS;
  const t10 = e0 + e3 | 0, t13 = e0 - e3 | 0, t11 = e1 + e2 | 0, t12 = e1 - e2 | 0;

  const z5 = imul(s7 + s3 + s5 + s1, F1175);
  const z1 = imul(s7 + s1, -F0899);
  const z2 = imul(s5 + s3, -F2562);
  const z3 = imul(s7 + s3, -F1961) + z5 | 0;
  const z4 = imul(s5 + s1, -F0390) + z5 | 0;
  const o0 = imul(s7, F0298) + z1 + z3 | 0;
  const o1 = imul(s5, F2053) + z2 + z4 | 0;
  const o2 = imul(s3, F3072) + z2 + z3 | 0;
  const o3 = imul(s1, F1501) + z1 + z4 | 0;

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
