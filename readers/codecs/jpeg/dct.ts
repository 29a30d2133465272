/** The transform of coefficients into samples (ITU-T T.81, annex A). */
import * as kernel from "../kernels/jpeg.wasm";
import type { Component, Frame } from "./stream.ts";

/** Samples of up to 8 bits, or of more. */
export type Samples = Uint8Array | Uint16Array;

const memory = kernel.memory.buffer;
const zigzag = new Uint8Array(memory, kernel.ZIGZAG, 64);
const bytes = new Uint8Array(memory, kernel.samples, 64 * kernel.BLOCKS);
const words = new Uint16Array(memory, kernel.samples, 64 * kernel.BLOCKS);

/** Samples in the memory of the decoder from a place on, of the type of others. */
export const samplesAt = (place: number, length: number, { BYTES_PER_ELEMENT: size }: Samples): Samples =>
  size === 1 ? new Uint8Array(memory, place, length) : new Uint16Array(memory, place, length);

/** Memory for samples of 16 bits, every one of which will be written: that of a result before, where its size fits. */
export const blankWords = (count: number, room: Uint8Array | null): Uint16Array =>
  room?.length === 2 * count && room.byteOffset % 2 === 0
    ? new Uint16Array(room.buffer, room.byteOffset, count)
    : new Uint16Array(count);

/** The same for samples of a precision. */
export const blankSamples = (count: number, precision: number, room: Uint8Array | null): Samples =>
  precision > 8 ? blankWords(count, room) : room?.length === count ? room : new Uint8Array(count);

/** Blocks that follow each other in the decoder. */
export interface HeldBlocks {
  /** Index of the first of them. */
  readonly from: number;
  /** How many. */
  readonly count: number;
  /** Which of its quantization tables they have. */
  readonly table: number;
}

/** Samples of one component. */
export class SamplePlane {
  /** Columns, without the padding of blocks. */
  readonly width: number;
  readonly height: number;
  /** Row after row; of 16 bits when the frame has more than 8. */
  readonly samples: Samples;
  readonly #precision: number;

  /** Makes room for the samples of a component, in `room` where they fit. */
  constructor({ h, v }: Component, frame: Frame, room: Uint8Array | null = null) {
    this.width = Math.ceil(frame.width * h / frame.h);
    this.height = Math.ceil(frame.height * v / frame.v);
    this.#precision = frame.precision;
    this.samples = blankSamples(this.width * this.height, frame.precision, room);
  }

  /**
   * Transforms blocks that the decoder holds, which stand in a row of them; what lies beyond the edges is dropped.
   *
   * @param row in which row of blocks they stand
   * @param column in which column the first of them stands
   */
  paint({ from, count, table }: HeldBlocks, row: number, column: number): void {
    const { width, samples } = this;
    const across = 8 * count;
    const [x, y] = [8 * column, 8 * row];
    const columns = Math.min(across, width - x);
    const rows = Math.min(8, this.height - y);
    if (columns <= 0 || rows <= 0) return;
    kernel.transform(
      kernel.coefficients + 128 * from,
      count,
      quantizationOf(table),
      kernel.samples,
      across,
      this.#precision,
    );
    const painted = samples instanceof Uint8Array ? bytes : words;
    if (across === width) samples.set(painted.subarray(0, rows * width), y * width);
    else {
      for (let i = 0; i < rows; i += 1) {
        samples.set(painted.subarray(i * across, i * across + columns), (y + i) * width + x);
      }
    }
  }
}

/** Address of one of the four quantization tables. */
export const quantizationOf = (index: number): number =>
  kernel.quantization + kernel.QUANTIZATION_BYTES * index;

/** Gives the decoder one of its four quantization tables, in the order of the zigzag. */
export function useQuantization(index: number, quantization: Uint16Array): void {
  const table = quantizationOf(index);
  const steps = new Int32Array(memory, table, 64);
  for (let k = 0; k < 64; k += 1) steps[zigzag[k]!] = quantization[k]!;
  kernel.makeQuantization(table);
}
