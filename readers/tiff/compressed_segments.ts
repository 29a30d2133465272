/** Strips and tiles that a codec stores. */
import type { Codec, Extent, Segment } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { settingsOf } from "./compression.ts";
import { rowBytes, type Wanted } from "./samples.ts";
import { placeRows, reverseBits, withoutPredictor } from "./segment_rows.ts";
import type { SegmentTable } from "./segment_table.ts";

/** The strips or tiles of one plane and their codec. */
export class CompressedSegments {
  readonly #table: SegmentTable;
  readonly #codec: Codec;
  readonly #settings: ReturnType<typeof settingsOf>;

  /** `codec` is that of the page's Compression. */
  constructor(table: SegmentTable, codec: Codec) {
    this.#table = table;
    this.#codec = codec;
    this.#settings = settingsOf(table.page);
  }

  /**
   * The largest of those that hold the wanted samples.
   *
   * @throws {DecodeFailed} it is more than a decoder in WebAssembly gets in one call
   */
  largest(wanted: readonly { sample: number }[]): Extent {
    const { segmentWidth: width, segmentHeight: rows } = this.#table.page;
    let [stored, rowLength, samples] = [0, 0, 0];
    for (const index of this.#table.holding(wanted)) {
      const bits = this.#decodedBits(index);
      stored = Math.max(stored, this.#table.length(index));
      rowLength = Math.max(rowLength, rowBytes(width, bits));
      samples = Math.max(samples, bits.length);
    }
    this.#checkWebAssembly(stored, width * rows * samples);
    return { stored, width, rows, samples, bytes: rowLength * rows };
  }

  #checkWebAssembly(stored: number, samples: number): void {
    const { webAssembly, title } = this.#codec;
    if (webAssembly === undefined) return;
    const { maxSamples, maxStored } = webAssembly;
    if (samples > maxSamples || stored > maxStored) {
      throw new DecodeFailed(
        `a ${this.#table.kind} of ${title} has ${samples} samples in ${stored} bytes; at most ${maxSamples} in ` +
          `${maxStored} are decoded at once, since nothing can stop this decoder`,
      );
    }
  }

  /** Decodes those that hold the wanted samples into their planes. @throws {DecodeFailed | Stopped} */
  async decode(wanted: readonly Wanted[], stop: StopFlag): Promise<void> {
    let room: Uint8Array | null = null;
    for (const index of this.#table.holding(wanted)) {
      stop.check();
      const decoded = await this.#decodeOne(index, wanted, { stop, room });
      room = this.#codec.refills ? decoded : null;
    }
  }

  /** Gives what was decoded, which is in the planes then. */
  async #decodeOne(
    index: number,
    wanted: readonly Wanted[],
    { stop, room }: { readonly stop: StopFlag; readonly room: Uint8Array | null },
  ): Promise<Uint8Array> {
    const codec = this.#codec;
    const { page, tiff } = this.#table;
    const input = tiff.file.read(
      this.#table.offset(index),
      this.#table.length(index),
      this.#table.name(index),
    );
    if (page.reversedBits && codec.bitOrder) reverseBits(input);
    const segment = this.#segment(index, stop);
    const decoded = await codec.decode(input, { ...segment, room });
    // Typed views need an aligned start.
    const output = decoded.byteOffset % 8 === 0 ? decoded : decoded.slice();
    const row = segment.bytes / segment.rows;
    const { start, end } = this.#table.wantedRows(index, segment.rows);
    // A few rows at a time, so that a plane in one strip can be stopped.
    const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / row));
    for (let first = start; first < end; first += atOnce) {
      stop.check();
      const count = Math.min(atOnce, end - first);
      const bytes = output.subarray(first * row, (first + count) * row);
      const littleEndian = codec.image || tiff.encoding.littleEndian;
      const some = { index, first, count, bytes, bits: this.#decodedBits(index), littleEndian };
      placeRows(this.#table, codec.image ? some : withoutPredictor(this.#table, some), wanted);
    }
    return decoded;
  }

  #segment(index: number, stop: StopFlag): Segment {
    const table = this.#table;
    const { segmentWidth: width, segmentHeight: fullRows } = table.page;
    const bits = this.#decodedBits(index);
    const row = rowBytes(width, bits);
    const rows = table.rows(index);
    return {
      width,
      rows,
      samples: bits.length,
      fullRows,
      bytes: row * rows,
      mostBytes: row * fullRows,
      settings: { ...this.#settings, bits: table.bits(index) },
      what: `${table.name(index)} at ${table.offset(index)} + ${table.length(index)}`,
      stop,
    };
  }

  /** Bits of each interleaved sample as the codec gives them: codecs of samples give whole bytes, the next machine width. */
  #decodedBits(index: number): readonly number[] {
    const bits = this.#table.bits(index);
    return this.#codec.image ? bits.map((b) => b <= 8 ? 8 : b <= 16 ? 16 : b <= 32 ? 32 : 64) : bits;
  }
}
