/** Takes samples of boxes of the array and puts those of the wanted planes into float32 planes. */
import { DecodeFailed } from "../errors.ts";
import { convertSamples, SAMPLE_BYTES } from "../to_float32.ts";
import { MAX_READ_STEP } from "../limits.ts";
import type { Box, Samples, SampleSink, StoredSamples } from "./chunk_decoder.ts";

/** Where the wanted planes lie in the array. */
export interface PlaneSelection {
  /** Axes of rows and columns, and of channels where there is one. */
  readonly rowAxis: number;
  readonly columnAxis: number;
  readonly channelAxis: number | null;
  readonly rows: number;
  readonly columns: number;
  /** Wanted channels in the order of the planes. */
  readonly channels: readonly number[];
  /** Index on every other axis; those of the three above are not looked at. */
  readonly fixed: readonly number[];
}

/** The sink for some planes. */
export class PlaneSink implements SampleSink {
  readonly #selection: PlaneSelection;
  readonly #planes: readonly Float32Array[];
  readonly #fill: number | null;
  /** Wanted channels in ascending order, each with the place of its plane. */
  readonly #channels: readonly (readonly [channel: number, plane: number])[];
  /** Array by its path, for messages. */
  readonly #name: string;
  /** For samples on their way from the file. */
  #scratch = new Uint8Array(0);

  constructor(selection: PlaneSelection, planes: readonly Float32Array[], fill: number | null, name: string) {
    this.#selection = selection;
    this.#planes = planes;
    this.#fill = fill;
    this.#channels = selection.channels.map((channel, plane) => [channel, plane] as const)
      .sort(([a], [b]) => a - b);
    this.#name = name;
  }

  wants({ origin, shape }: Box): boolean {
    const { rowAxis, columnAxis, channelAxis, rows, columns, fixed } = this.#selection;
    for (let axis = 0; axis < origin.length; axis += 1) {
      const from = origin[axis]!;
      const to = from + shape[axis]!;
      if (axis === rowAxis) {
        if (from >= rows) return false;
      } else if (axis === columnAxis) {
        if (from >= columns) return false;
      } else if (axis === channelAxis) {
        const next = this.#channels[this.#firstFrom(from)];
        if (next === undefined || next[0] >= to) return false;
      } else if (fixed[axis]! < from || fixed[axis]! >= to) return false;
    }
    return true;
  }

  put(samples: Samples): void {
    const { rowAxis, columnAxis, columns } = this.#selection;
    const { origin, strides, bytes, sampleType, littleEndian } = samples;
    const width = SAMPLE_BYTES[sampleType];
    const rowStride = strides[rowAxis]!;
    const columnStride = strides[columnAxis]!;
    const count = this.#count(columnAxis, samples);
    const scratch = columnStride === 1 ? null : new Uint8Array(count * width);
    this.#eachPlane(samples, (plane, start) => {
      for (let row = 0; row < this.#count(rowAxis, samples); row += 1) {
        const from = start + row * rowStride;
        const line = scratch
          ? gather(bytes, from, columnStride, count, width, scratch)
          : bytes.subarray(from * width, (from + count) * width);
        convertSamples(
          line,
          sampleType,
          littleEndian,
          plane,
          (origin[rowAxis]! + row) * columns + origin[columnAxis]!,
        );
      }
    });
  }

  putStored(samples: StoredSamples): boolean {
    const { rowAxis, columnAxis, columns } = this.#selection;
    const { origin, shape, strides, sampleType, littleEndian, read } = samples;
    const width = SAMPLE_BYTES[sampleType];
    const rowBytes = shape[columnAxis]! * width;
    const rowsFollow = shape[rowAxis] === 1 || strides[rowAxis] === shape[columnAxis];
    if (strides[columnAxis] !== 1 || !rowsFollow) return false;
    const rows = this.#count(rowAxis, samples);
    const rowsAtOnce = Math.min(rows, Math.max(1, Math.floor(MAX_READ_STEP / rowBytes)));
    if (this.#scratch.length < rowsAtOnce * rowBytes) this.#scratch = new Uint8Array(rowsAtOnce * rowBytes);
    // What of a row lies in the plane; whole rows of the plane are converted at once.
    const kept = this.#count(columnAxis, samples) * width;
    this.#eachPlane(samples, (plane, start) => {
      for (let row = 0; row < rows; row += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, rows - row);
        const bytes = this.#scratch.subarray(0, count * rowBytes);
        read(start * width + row * rowBytes, bytes);
        const at = (origin[rowAxis]! + row) * columns + origin[columnAxis]!;
        if (rowBytes === columns * width) {
          convertSamples(bytes, sampleType, littleEndian, plane, at);
          continue;
        }
        for (let i = 0; i < count; i += 1) {
          const from = i * rowBytes;
          convertSamples(
            bytes.subarray(from, from + kept),
            sampleType,
            littleEndian,
            plane,
            at + i * columns,
          );
        }
      }
    });
    return true;
  }

  fill(box: Box): void {
    const { rowAxis, columnAxis, columns } = this.#selection;
    if (this.#fill === null) {
      throw new DecodeFailed(
        `array "${this.#name}" has no chunk at ${box.origin.join(", ")} and defines no fill value`,
      );
    }
    const value = this.#fill;
    const count = this.#count(columnAxis, box);
    this.#eachPlane({ ...box, strides: box.shape.map(() => 0) }, (plane) => {
      for (let row = 0; row < this.#count(rowAxis, box); row += 1) {
        const at = (box.origin[rowAxis]! + row) * columns + box.origin[columnAxis]!;
        plane.fill(value, at, at + count);
      }
    });
  }

  /** Rows or columns of a box that lie in the plane; chunks at the edge are larger than what is left. */
  #count(axis: number, { origin, shape }: Box): number {
    const { rowAxis, rows, columns } = this.#selection;
    return Math.min(shape[axis]!, (axis === rowAxis ? rows : columns) - origin[axis]!);
  }

  /** Calls `take` with each plane that the box has a part of, and the index of its first sample. */
  #eachPlane(
    { origin, shape, strides }: Box & { readonly strides: readonly number[] },
    take: (plane: Float32Array, start: number) => void,
  ): void {
    const { rowAxis, columnAxis, channelAxis, fixed } = this.#selection;
    let start = 0;
    for (let axis = 0; axis < origin.length; axis += 1) {
      if (axis === rowAxis || axis === columnAxis || axis === channelAxis) continue;
      start += (fixed[axis]! - origin[axis]!) * strides[axis]!;
    }
    if (channelAxis === null) {
      for (const plane of this.#planes) take(plane, start);
      return;
    }
    const from = origin[channelAxis]!;
    for (let i = this.#firstFrom(from); i < this.#channels.length; i += 1) {
      const [channel, plane] = this.#channels[i]!;
      if (channel >= from + shape[channelAxis]!) break;
      take(this.#planes[plane]!, start + (channel - from) * strides[channelAxis]!);
    }
  }

  /** Index of the first wanted channel that is not below `channel`. */
  #firstFrom(channel: number): number {
    let [low, high] = [0, this.#channels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#channels[middle]![0] < channel) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function gather(
  bytes: Uint8Array,
  from: number,
  stride: number,
  count: number,
  width: number,
  line: Uint8Array,
): Uint8Array {
  for (let i = 0, at = from * width; i < count; i += 1, at += stride * width) {
    for (let b = 0; b < width; b += 1) line[i * width + b] = bytes[at + b]!;
  }
  return line;
}
