/** Reads samples that are equally spaced along rows and columns. */
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { SAMPLE_BYTES, SampleArray, scratchBytes } from "../samples/to_float32.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { SampleType } from "../reader.ts";

/** Equally spaced samples. */
export interface Stride {
  /** Number of samples. */
  readonly count: number;
  /** Bytes from one sample to the next. */
  readonly step: number;
}

/** Some rows of one channel. */
export interface StridedSamples {
  /** Offset of the first sample. */
  readonly offset: number;
  readonly rows: Stride;
  readonly columns: Stride;
}

/** The file to read samples from. */
export interface SampleFile {
  readonly file: ByteSource;
  /** Type of the samples, which are little-endian. */
  readonly sampleType: SampleType;
  readonly stop: StopFlag;
  /** Name of the samples in messages. */
  readonly what: string;
}

/** Largest gap between two lines that are read together, as a multiple of the bytes of a line. */
const MOST_GAP = 4;

/** A stride, with the distance between neighbours in the plane. */
type Run = Stride & { readonly target: number };

/** Lines of samples: `samples` run along the axis with the smaller distance, `lines` along the other. */
interface Lines {
  readonly offset: number;
  readonly lines: Run;
  readonly samples: Run;
}

/** Planes to fill. */
export interface Targets {
  /** One plane per channel. */
  readonly planes: readonly Float32Array[];
  /** Index of the first sample to fill. */
  readonly at: number;
}

/** Reads several channels into planes; interleaved channels are read only once. */
export class StridedReader {
  readonly #from: SampleFile;
  readonly #width: number;
  #line = new Float32Array(0);

  constructor(from: SampleFile) {
    this.#from = from;
    this.#width = SAMPLE_BYTES[from.sampleType];
  }

  /**
   * Reads each channel into its plane, from index `at` on.
   *
   * @param offsets bytes from `samples.offset` to the first sample of each channel
   * @throws {DecodeFailed | Stopped}
   */
  read(samples: StridedSamples, offsets: readonly number[], { planes, at }: Targets): void {
    const { rows, columns, offset } = samples;
    const along = { ...columns, target: 1 };
    const down = { ...rows, target: columns.count };
    const across = rows.count > 1 && rows.step < columns.step && columns.count > 1;
    const lines = across ? { offset, lines: along, samples: down } : { offset, lines: down, samples: along };
    const spread = Math.max(...offsets) - Math.min(...offsets);
    if (spread < lines.samples.step) return this.#channels(lines, offsets, { planes, at });
    offsets.forEach((one, i) => this.#channels(lines, [one], { planes: planes.slice(i, i + 1), at }));
  }

  #channels({ offset, lines, samples }: Lines, offsets: readonly number[], { planes, at }: Targets): void {
    const first = Math.min(...offsets);
    const inner = offsets.map((one) => (one - first) / this.#width);
    const pixel = Math.max(...offsets) - first + this.#width;
    const runBytes = (samples.count - 1) * samples.step + pixel;
    const perRead = linesAtOnce(lines, runBytes);
    for (let line = 0; line < lines.count; line += perRead) {
      const count = Math.min(perRead, lines.count - line);
      // Long lines are read in parts.
      const most = runBytes <= MAX_READ_STEP
        ? samples.count
        : Math.max(1, Math.floor(MAX_READ_STEP / samples.step));
      for (let start = 0; start < samples.count; start += most) {
        const length = Math.min(most, samples.count - start);
        const bytes = (count - 1) * lines.step + (length - 1) * samples.step + pixel;
        const array = this.#bytes(offset + first + line * lines.step + start * samples.step, bytes);
        const from = at + line * lines.target + start * samples.target;
        inner.forEach((index, i) =>
          this.#place(array, planes[i]!, {
            index,
            at: from,
            lines: { ...lines, count },
            samples: { ...samples, count: length },
          })
        );
      }
    }
  }

  #bytes(offset: number, length: number): SampleArray {
    const { file, sampleType, stop, what } = this.#from;
    stop.check();
    const bytes = scratchBytes(length);
    file.readInto(offset, bytes, what);
    return new SampleArray({ bytes, sampleType, littleEndian: true });
  }

  #place(
    array: SampleArray,
    plane: Float32Array,
    { index, at, lines, samples }: Omit<Lines, "offset"> & { readonly index: number; readonly at: number },
  ): void {
    const step = samples.step / this.#width;
    const packed = samples.count * samples.step === lines.step && samples.target === 1 &&
      lines.target === samples.count;
    if (packed) {
      array.convert({ from: index, step, count: lines.count * samples.count }, plane, at);
      return;
    }
    for (let line = 0; line < lines.count; line += 1) {
      const from = index + line * lines.step / this.#width;
      const start = at + line * lines.target;
      if (samples.target === 1) {
        array.convert({ from, step, count: samples.count }, plane, start);
        continue;
      }
      if (this.#line.length < samples.count) this.#line = new Float32Array(samples.count);
      array.convert({ from, step, count: samples.count }, this.#line, 0);
      for (let i = 0; i < samples.count; i += 1) plane[start + i * samples.target] = this.#line[i]!;
    }
  }
}

/** Number of lines per read. */
function linesAtOnce(lines: Stride, runBytes: number): number {
  if (lines.count === 1 || lines.step > MOST_GAP * runBytes) return 1;
  return Math.max(1, Math.floor((MAX_READ_STEP - runBytes) / lines.step) + 1);
}
