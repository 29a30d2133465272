/** Lossless JPEG: each sample is the difference from a prediction (ITU-T T.81, annex H). */
import type { StopFlag } from "../../stop_flag.ts";
import { ScanBits } from "./bits.ts";
import type { Frame, Scan } from "./stream.ts";

/** Decodes a scan into interleaved samples; returns where its data end. */
export function decodeLossless(
  bytes: Uint8Array,
  scan: Scan,
  frame: Frame,
  samples: Uint16Array,
  stop: StopFlag,
): number {
  const count = frame.components.length;
  if (frame.components.some(({ h, v }) => h !== 1 || v !== 1)) {
    throw new Error("its lossless components differ in size, which is not read");
  }
  const predictor = scan.start;
  if (predictor < 1 || predictor > 7) throw new Error(`its predictor is ${predictor}`);
  const bits = new ScanBits(bytes, scan.at);
  const { width, height } = frame;
  const initial = 2 ** (frame.precision - scan.low - 1);
  let left = scan.restart;
  let restarted = true;
  for (let y = 0; y < height; y += 1) {
    stop.check();
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
      for (const { index, dc } of scan.components) {
        if (!dc) throw new Error("a Huffman table is missing");
        const category = bits.code(dc);
        if (category > 16) throw new Error(`a difference has ${category} bits`);
        const difference = category === 16 ? 32768 : bits.signed(category);
        const at = (y * width + x) * count + index;
        const fresh = firstRow && (x === 0 || (scan.restart > 0 && left === scan.restart - 1));
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
  if (scan.low > 0) {
    for (const { index } of scan.components) {
      for (let i = index; i < samples.length; i += count) samples[i] = samples[i]! << scan.low;
    }
  }
  return bits.at;
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
