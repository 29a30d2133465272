/** Lossless JPEG: each sample is the difference from a prediction (ITU-T T.81, annex H). */
import * as kernel from "../kernels/jpeg.wasm";
import type { StopFlag } from "../../io/stop_flag.ts";
import { blankWords } from "./dct.ts";
import { ScanData, useParts } from "./scan_data.ts";
import type { Frame, Picture, Scan } from "./stream.ts";

/** Differences that the decoder holds. */
const held = new Uint16Array(kernel.memory.buffer, kernel.coefficients, 64 * kernel.BLOCKS);

/** Columns of a row of which the decoder holds differences. */
interface Columns {
  readonly y: number;
  readonly x: number;
  readonly end: number;
}

/** A lossless picture while its scans are decoded. */
export class LosslessPicture implements Picture {
  /** Interleaved. */
  readonly samples: Uint16Array;
  readonly #bytes: Uint8Array;
  readonly #frame: Frame;
  readonly #stop: StopFlag;

  /** Makes room for the samples of a frame, whose scans stand in `bytes`; in that of a result before, where they fit. */
  constructor(bytes: Uint8Array, frame: Frame, { stop, room }: { stop: StopFlag; room: Uint8Array | null }) {
    this.samples = blankWords(frame.width * frame.height * frame.components.length, room);
    this.#bytes = bytes;
    this.#frame = frame;
    this.#stop = stop;
  }

  scan(scan: Scan): number {
    const { width, height, components } = this.#frame;
    if (components.some(({ h, v }) => h !== 1 || v !== 1)) {
      throw new Error("its lossless components differ in size, which is not supported");
    }
    const count = scan.components.length;
    useParts(scan.components.map((part) => ({ ...part, across: 1, down: 1, first: 0, stride: 0 })));
    kernel.begin(kernel.LOSSLESS, count, 0, 0, 0);
    const data = new ScanData(this.#bytes, scan.at, { blocks: count, restart: scan.restart });
    const most = Math.floor(held.length / count);
    for (let y = 0; y < height; y += 1) {
      this.#stop.check();
      for (let x = 0; x < width; x += most) {
        const end = Math.min(x + most, width);
        data.decode(end - x);
        for (const [i, { index }] of scan.components.entries()) {
          this.#add(scan, { index, differences: held.subarray(i) }, { y, x, end });
        }
      }
    }
    this.#shift(scan);
    return data.at;
  }

  /** Adds differences of a component, which are interleaved with those of others, to its predictions. */
  #add(
    { components: { length: count }, start, low, restart }: Scan,
    { index, differences }: { readonly index: number; readonly differences: Uint16Array },
    { y, x, end }: Columns,
  ): void {
    const { samples } = this;
    const { width, precision, components: { length: step } } = this.#frame;
    const [row, above] = [y * width, width * step];
    for (let from = x, d = 0; from < end;) {
      // After a restart marker, prediction starts anew and uses the left sample for the rest of that row.
      const since = restart > 0 ? (row + from) % restart : row + from;
      const next = restart > 0 ? Math.min(from + restart - since, end) : end;
      const byLeft = start === 1 || since <= from;
      let at = (row + from) * step + index;
      const first = since === 0
        ? 2 ** (precision - low - 1)
        : since > from && from === 0
        ? samples[at - above]!
        : predict(byLeft ? 1 : start, samples[at - step]!, samples[at - above]!, samples[at - above - step]!);
      let left = samples[at] = (first + differences[d]!) & 0xffff;
      const runEnd = (row + next) * step;
      for (at += step, d += count; at < runEnd; at += step, d += count) {
        // The sample to the left is at hand; to read it back takes time.
        const predicted = byLeft
          ? left
          : predict(start, left, samples[at - above]!, samples[at - above - step]!);
        left = samples[at] = (predicted + differences[d]!) & 0xffff;
      }
      from = next;
    }
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
