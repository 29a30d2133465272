/** Reads samples that are equally spaced along rows and columns. */
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { SampleType } from "../reader.ts";
import { borrowScratch, SAMPLE_BYTES, SampleArray } from "./to_float32.ts";

/** Number of samples, and bytes from one to the next. */
export interface Stride {
  readonly count: number;
  readonly step: number;
}

/** Samples of some channels. */
export interface StridedSamples {
  readonly file: ByteSource;
  /** Type of the samples, which are little-endian. */
  readonly sampleType: SampleType;
  /** Offset of the first sample of each channel. */
  readonly offsets: readonly number[];
  readonly rows: Stride;
  readonly columns: Stride;
  readonly what: string;
  readonly stop: StopFlag;
}

/** Largest gap between two lines that are read together, as a multiple of the bytes of a line. */
const MOST_GAP = 4;

/** A stride, with the distance between neighbours in the plane. */
type TargetStride = Stride & { readonly target: number };

/** Reads each channel into its plane, of `width` samples per row, from index `at` on. @throws {DecodeFailed | Stopped} */
export function readStrided(
  samples: StridedSamples,
  planes: readonly Float32Array[],
  at: number,
  width: number = samples.columns.count,
): void {
  const { rows, columns, offsets } = samples;
  const along = { ...columns, target: 1 };
  const down = { ...rows, target: width };
  // Samples run along the axis with the smaller distance.
  const across = rows.count > 1 && rows.step < columns.step && columns.count > 1;
  const [outer, inner] = across ? [along, down] : [down, along];
  const interleaved = Math.max(...offsets) - Math.min(...offsets) < inner.step;
  if (interleaved) return readLines(samples, outer, inner, planes, at);
  offsets.forEach((one, i) => readLines({ ...samples, offsets: [one] }, outer, inner, [planes[i]!], at));
}

function readLines(
  { file, sampleType, offsets, what, stop }: StridedSamples,
  lines: TargetStride,
  samples: TargetStride,
  planes: readonly Float32Array[],
  at: number,
): void {
  const width = SAMPLE_BYTES[sampleType];
  const first = Math.min(...offsets);
  const pixel = Math.max(...offsets) - first + width;
  const runBytes = (samples.count - 1) * samples.step + pixel;
  const together = lines.count > 1 && lines.step <= MOST_GAP * runBytes;
  const perRead = together ? Math.max(1, Math.floor((MAX_READ_STEP - runBytes) / lines.step) + 1) : 1;
  // Long lines are read in parts.
  const most = runBytes <= MAX_READ_STEP
    ? samples.count
    : Math.max(1, Math.floor(MAX_READ_STEP / samples.step));
  for (let line = 0; line < lines.count; line += perRead) {
    const count = Math.min(perRead, lines.count - line);
    for (let start = 0; start < samples.count; start += most) {
      const length = Math.min(most, samples.count - start);
      stop.check();
      const bytes = borrowScratch((count - 1) * lines.step + (length - 1) * samples.step + pixel);
      file.readInto(first + line * lines.step + start * samples.step, bytes, what);
      const array = new SampleArray({ bytes, sampleType, littleEndian: true });
      const to = at + line * lines.target + start * samples.target;
      const part = { lines: { ...lines, count }, samples: { ...samples, count: length }, width };
      offsets.forEach((offset, i) => convertLines(array, (offset - first) / width, part, planes[i]!, to));
    }
  }
}

/** Converts lines of a channel whose first sample has the index `first`. */
function convertLines(
  array: SampleArray,
  first: number,
  { lines, samples, width }: {
    readonly lines: TargetStride;
    readonly samples: TargetStride;
    readonly width: number;
  },
  plane: Float32Array,
  at: number,
): void {
  const step = samples.step / width;
  const packed = samples.count * samples.step === lines.step && samples.target === 1 &&
    lines.target === samples.count;
  if (packed) {
    array.convert({ from: first, step, count: lines.count * samples.count }, plane, at);
    return;
  }
  const scattered = samples.target === 1 ? null : new Float32Array(samples.count);
  for (let line = 0; line < lines.count; line += 1) {
    const run = { from: first + line * lines.step / width, step, count: samples.count };
    const start = at + line * lines.target;
    if (scattered === null) {
      array.convert(run, plane, start);
      continue;
    }
    array.convert(run, scattered, 0);
    for (let i = 0; i < samples.count; i += 1) plane[start + i * samples.target] = scattered[i]!;
  }
}
