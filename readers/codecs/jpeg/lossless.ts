/** Lossless JPEG: each sample is the difference from a prediction (ITU-T T.81, annex H). */
import type { StopFlag } from "../../stop_flag.ts";
import { type HuffmanTable, ScanBits } from "./bits.ts";
import type { Frame, Picture, Scan } from "./stream.ts";

/** A lossless picture while its scans are decoded. */
export class LosslessPicture implements Picture {
  /** Interleaved. */
  readonly samples: Uint16Array;
  readonly #bytes: Uint8Array;
  readonly #frame: Frame;
  readonly #stop: StopFlag;

  /** Makes room for the samples of a frame, whose scans stand in `bytes`. */
  constructor(bytes: Uint8Array, frame: Frame, stop: StopFlag) {
    this.samples = new Uint16Array(frame.width * frame.height * frame.components.length);
    this.#bytes = bytes;
    this.#frame = frame;
    this.#stop = stop;
  }

  scan(scan: Scan): number {
    const { samples } = this;
    const { width, height, precision, components } = this.#frame;
    const count = components.length;
    if (components.some(({ h, v }) => h !== 1 || v !== 1)) {
      throw new Error("its lossless components differ in size, which is not read");
    }
    const predictor = scan.start;
    const bits = new ScanBits(this.#bytes, scan.at);
    const initial = 2 ** (precision - scan.low - 1);
    let left = scan.restart;
    let restarted = true;
    for (let y = 0; y < height; y += 1) {
      this.#stop.check();
      let firstRow = restarted;
      restarted = false;
      for (let x = 0; x < width; x += 1) {
        if (scan.restart > 0 && left === 0) {
          bits.restart();
          left = scan.restart;
          // Predictions begin anew, as in the first row.
          firstRow = true;
        }
        left -= 1;
        const fresh = firstRow && (x === 0 || (scan.restart > 0 && left === scan.restart - 1));
        for (const { index, dc } of scan.components) {
          const difference = readDifference(bits, dc);
          const at = (y * width + x) * count + index;
          const predicted = fresh
            ? initial
            : firstRow
            ? samples[at - count]!
            : x === 0
            ? samples[at - width * count]!
            : predict(
              predictor,
              samples[at - count]!,
              samples[at - width * count]!,
              samples[at - (width + 1) * count]!,
            );
          samples[at] = predicted + difference;
        }
      }
    }
    this.#shift(scan);
    return bits.at;
  }

  /** Puts samples back to their place that were coded without their lowest bits. */
  #shift({ components, low }: Scan): void {
    if (low === 0) return;
    const count = this.#frame.components.length;
    for (const { index } of components) {
      for (let i = index; i < this.samples.length; i += count) this.samples[i]! <<= low;
    }
  }
}

function readDifference(bits: ScanBits, table: HuffmanTable | undefined): number {
  if (!table) throw new Error("a Huffman table is missing");
  const category = bits.code(table);
  if (category > 16) throw new Error(`a difference has ${category} bits`);
  return category === 16 ? 32768 : bits.signed(category);
}

function predict(predictor: number, a: number, b: number, c: number): number {
  switch (predictor) {
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return c;
    case 4:
      return a + b - c;
    case 5:
      return a + ((b - c) >> 1);
    case 6:
      return b + ((a - c) >> 1);
    default:
      return (a + b) >> 1;
  }
}
