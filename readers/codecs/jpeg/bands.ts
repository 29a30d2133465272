/** Pictures of three components, of which rows are finished as soon as their MCUs are decoded. */
import * as kernel from "../kernels/jpeg.wasm";
import { blankSamples, type HeldBlocks, quantizationOf, type Samples, samplesAt } from "./dct.ts";
import type { Component, Frame } from "./stream.ts";

const { buffer } = kernel.memory;

/** Free samples after each row of a band, for the neighbours of its ends and of those of the next row. */
const APART = 8;

/** A component between its blocks and the rows of the picture: a row of MCUs, and the last row before it. */
interface Band {
  /** Address of its first row. */
  readonly place: number;
  /** Samples from one row to the next. */
  readonly stride: number;
  readonly width: number;
  readonly height: number;
  /** Rows of it in a row of MCUs. */
  readonly rows: number;
  /** Whether it has half of the columns of the picture. */
  readonly halfWide: boolean;
  /** Whether it has half of its rows. */
  readonly halfHigh: boolean;
}

/** What a picture needs beside its frame and its scans. */
export interface PictureKind {
  /** Whether three components are full-range YCbCr, which becomes RGB (JFIF 1.02). */
  readonly chroma: boolean;
  /** Where its samples go if they fit. */
  readonly room: Uint8Array | null;
}

/** Interleaved samples of a picture of three components, which its rows of MCUs fill from top to bottom. */
export class PictureBands {
  /** Row after row; of 16 bits when the frame has more than 8. */
  readonly samples: Samples;
  readonly #frame: Frame;
  readonly #bands: readonly Band[];
  readonly #chroma: boolean;
  /** Finished samples in the decoder, those of as many rows as it holds. */
  readonly #finished: Samples;
  readonly #rows: number;

  /** Begins a picture; `null` unless it has three components with ratios of 1 and 2 that fit into the decoder. */
  static of(frame: Frame, kind: PictureKind): PictureBands | null {
    const bands = bandsOf(frame);
    return bands && new PictureBands(frame, bands, kind);
  }

  private constructor(frame: Frame, bands: readonly Band[], { chroma, room }: PictureKind) {
    const { width, height } = frame;
    this.#frame = frame;
    this.#bands = bands;
    this.#chroma = chroma;
    this.#rows = rowsAtOnce(frame);
    this.samples = blankSamples(3 * width * height, frame.precision, room);
    this.#finished = samplesAt(kernel.finishedRows, 3 * width * this.#rows, this.samples);
    for (const [i, band] of bands.entries()) {
      const { place, stride, rows, halfWide, halfHigh } = band;
      new Int32Array(buffer, kernel.bands + i * kernel.BAND_BYTES, 6).set(
        [
          place,
          stride * sizeOf(frame),
          rows,
          band.width,
          band.height,
          Number(halfWide) | Number(halfHigh) << 8,
        ],
      );
    }
  }

  /**
   * Transforms blocks that the decoder holds; the quantization table of a component has its index.
   *
   * @param row in which row of blocks of the row of MCUs they stand
   * @param column in which column the first of them stands
   */
  paint({ from, count, table }: HeldBlocks, row: number, column: number): void {
    const { place, stride } = this.#bands[table]!;
    kernel.transform(
      kernel.coefficients + 128 * from,
      count,
      quantizationOf(table),
      place + sizeOf(this.#frame) * ((8 * row + 1) * stride + 8 * column),
      stride,
      this.#frame.precision,
    );
  }

  /** Finishes what rows of the picture have all their neighbours when a row of MCUs is painted: all but its last one. */
  finish(row: number): void {
    const { width, height, v, precision } = this.#frame;
    const next = 8 * v * (row + 1);
    const end = next < height ? next - 1 : height;
    for (let y = Math.max(0, 8 * v * row - 1); y < end; y += this.#rows) {
      const to = Math.min(end, y + this.#rows);
      kernel.finishRows(row, y, to, width, this.#chroma ? 1 : 0, precision);
      this.samples.set(this.#finished.subarray(0, 3 * width * (to - y)), 3 * width * y);
    }
    kernel.keepLast();
  }
}

const sizeOf = ({ precision }: Frame): 1 | 2 => precision > 8 ? 2 : 1;

/** Bytes of rows that are finished at once, few enough to stay in a fast cache. */
const FINISHED_BYTES = 1 << 15;

const rowsAtOnce = (frame: Frame): number =>
  Math.max(1, Math.floor(FINISHED_BYTES / (3 * frame.width * sizeOf(frame))));

function bandsOf(frame: Frame): Band[] | null {
  if (frame.components.length !== 3) return null;
  const bands: Band[] = [];
  let place = kernel.BANDS + APART * sizeOf(frame);
  for (const component of frame.components) {
    const band = bandOf(component, frame, place);
    if (!band) return null;
    place += sizeOf(frame) * band.stride * (band.rows + 1);
    bands.push(band);
  }
  return place <= kernel.BANDS + kernel.BANDS_BYTES ? bands : null;
}

function bandOf({ h, v }: Component, frame: Frame, place: number): Band | null {
  const width = Math.ceil(frame.width * h / frame.h);
  const height = Math.ceil(frame.height * v / frame.v);
  const [halfWide, halfHigh] = [frame.h === 2 * h, frame.v === 2 * v];
  const whole = frame.h === h && frame.v === v;
  // Other ratios, and components of one or two columns, are brought to size by repetition.
  const smooth = (halfWide || frame.h === h) && (halfHigh || frame.v === v) && width > 2;
  const stride = 8 * h * Math.ceil(frame.width / (8 * frame.h)) + APART;
  return whole || smooth ? { place, stride, width, height, rows: 8 * v, halfWide, halfHigh } : null;
}
