/** Writes the samples of boxes of an array into float32 planes. */
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { RowRange } from "../reader.ts";
import { type PackedSamples, SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";

/** A range of one axis. */
export interface AxisSpan {
  /** Index of its first sample. */
  readonly from: number;
  readonly size: number;
}

/** A span of stored samples. */
export interface PlacedSpan extends AxisSpan {
  /** Distance between neighbours along the axis, in samples. */
  readonly stride: number;
}

/** Samples of a box of the array, with a span per axis in the array's order. */
export interface BoxSamples extends Omit<PackedSamples, "bytes"> {
  readonly box: readonly PlacedSpan[];
  /** Returns some of its bytes, which may be changed and are valid until the next call. */
  bytesAt(offset: number, length: number): Uint8Array;
}

/** The location of the wanted planes in the array. */
export interface PlaneSelection {
  readonly rowAxis: number;
  readonly columnAxis: number;
  readonly channelAxis: number | null;
  /** Wanted rows, which are those of the planes. */
  readonly rows: RowRange;
  readonly columns: number;
  /** Wanted channels, in the order of the planes. */
  readonly channels: readonly number[];
  /** Index along every axis; ignored for the three axes above. */
  readonly fixed: readonly number[];
}

/** Fills some planes. */
export class PlaneSink {
  readonly #selection: PlaneSelection;
  readonly #fill: number | null;
  readonly #planes: readonly Float32Array[];
  readonly #name: string;

  /** Fills planes in the order of the selected channels; `name` is the path of the array. */
  constructor(selection: PlaneSelection, planes: readonly Float32Array[], fill: number | null, name: string) {
    this.#selection = selection;
    this.#fill = fill;
    this.#planes = planes;
    this.#name = name;
  }

  /** True if a wanted plane overlaps a span of an axis. A box is wanted if this holds for every axis. */
  wants(axis: number, span: AxisSpan): boolean {
    const { rowAxis, columnAxis, channelAxis, rows, columns, channels, fixed } = this.#selection;
    if (axis === rowAxis) return span.from < rows.end && span.from + span.size > rows.start;
    if (axis === columnAxis) return span.from < columns;
    if (axis !== channelAxis) return spanIncludes(span, fixed[axis]!);
    return channels.some((channel) => spanIncludes(span, channel));
  }

  /** Writes samples to the planes. If rows are contiguous, reads only the wanted rows. */
  put({ box, sampleType, littleEndian, bytesAt }: BoxSamples): void {
    const [row, column] = this.#place(box);
    const width = SAMPLE_BYTES[sampleType];
    const arrayAt = (offset: number, length: number) =>
      new SampleArray({ bytes: bytesAt(offset, length), sampleType, littleEndian });
    if (column.stride !== 1 || row.size > 1 && row.stride !== column.size) {
      const all = arrayAt(0, box.reduce((size, span) => size * span.size, width));
      this.#eachPlane(box, (plane, start) => {
        for (let y = 0; y < row.count; y += 1) {
          const from = start + (row.skipped + y) * row.stride;
          const run = { from, step: column.stride, count: column.count };
          all.convert(run, plane, this.#indexAt(row.target + y, column.from));
        }
      });
      return;
    }
    const rowBytes = column.size * width;
    const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / rowBytes));
    const whole = column.size === this.#selection.columns;
    this.#eachPlane(box, (plane, start) => {
      for (let y = 0; y < row.count; y += atOnce) {
        const count = Math.min(atOnce, row.count - y);
        const rows = arrayAt(start * width + (row.skipped + y) * rowBytes, count * rowBytes);
        const [runs, length] = whole ? [1, count * column.size] : [count, column.count];
        for (let i = 0; i < runs; i += 1) {
          const run = { from: i * column.size, step: 1, count: length };
          rows.convert(run, plane, this.#indexAt(row.target + y + i, column.from));
        }
      }
    });
  }

  /** Fills a box whose chunk is absent. @throws {DecodeFailed} the array defines no fill value */
  fill(box: readonly AxisSpan[]): void {
    const value = this.#fill;
    if (value === null) {
      const position = box.map(({ from }) => from).join(", ");
      throw new DecodeFailed(`array "${this.#name}" has no chunk at ${position} and defines no fill value`);
    }
    const placed = box.map((span) => ({ ...span, stride: 0 }));
    const [row, column] = this.#place(placed);
    this.#eachPlane(placed, (plane) => {
      for (let y = 0; y < row.count; y += 1) {
        const at = this.#indexAt(row.target + y, column.from);
        plane.fill(value, at, at + column.count);
      }
    });
  }

  #indexAt(row: number, column: number): number {
    return row * this.#selection.columns + column;
  }

  /**
   * Rows and columns of a box, with the numbers of wanted ones: chunks may extend beyond the array. `skipped` rows precede the
   * wanted ones; `target` is the plane's row for the first wanted row.
   */
  #place(box: readonly PlacedSpan[]) {
    const { rowAxis, columnAxis, rows, columns } = this.#selection;
    const [row, column] = [box[rowAxis]!, box[columnAxis]!];
    const first = Math.max(row.from, rows.start);
    const count = Math.min(row.from + row.size, rows.end) - first;
    return [
      { ...row, count, skipped: first - row.from, target: first - rows.start },
      { ...column, count: Math.min(column.size, columns - column.from) },
    ] as const;
  }

  /** Calls `take` with each plane that the box overlaps, and with the index in the box of that plane's first sample. */
  #eachPlane(box: readonly PlacedSpan[], take: (plane: Float32Array, start: number) => void): void {
    const { rowAxis, columnAxis, channelAxis, channels, fixed } = this.#selection;
    let start = 0;
    for (const [axis, { from, stride }] of box.entries()) {
      if (axis === rowAxis || axis === columnAxis || axis === channelAxis) continue;
      start += (fixed[axis]! - from) * stride;
    }
    const span = channelAxis === null ? null : box[channelAxis]!;
    for (const [i, plane] of this.#planes.entries()) {
      const channel = channels[i]!;
      if (span === null) take(plane, start);
      else if (spanIncludes(span, channel)) take(plane, start + (channel - span.from) * span.stride);
    }
  }
}

const spanIncludes = ({ from, size }: AxisSpan, index: number) => index >= from && index < from + size;
