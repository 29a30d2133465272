/** Where the strips or tiles of one plane lie, checked against its file. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import type { RowRange } from "../reader.ts";
import { MAX_SEGMENT_BYTES } from "./bounds.ts";
import { type PageLayout, UNCOMPRESSED } from "./page.ts";
import { blockBits, rowBytes } from "./samples.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Offsets and lengths in the file. */
interface Ranges {
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** The strips or tiles of a plane by their index. */
export class SegmentTable {
  /** File that holds the plane. */
  readonly tiff: TiffFile;
  /** The page; for a plane in a run, as if each sample had one strip. */
  readonly page: PageLayout;
  /** The wanted rows; strips and tiles without any of them are neither checked nor read. */
  readonly shown: RowRange;
  readonly #ranges: Ranges;
  /** One stored row, by the index of the sample in planar pages. */
  readonly #rows: { readonly bits: readonly number[]; readonly bytes: number }[] = [];

  /**
   * Reads offsets and lengths.
   *
   * @param codec of compressed samples, else `null`
   * @param rows wanted rows; all by default
   * @throws {DecodeFailed} values are missing
   */
  constructor({ tiff, page, run, strips }: PlaneSource, codec: Codec | null, rows?: RowRange) {
    this.tiff = tiff;
    this.shown = rows ?? { start: 0, end: page.height };
    this.page = run === null ? page : { ...page, segmentHeight: page.height, down: 1 };
    this.#ranges = strips ?? (run === null ? this.#storedRanges(codec) : this.#runRanges(run));
  }

  /** Indices of the strips or tiles with wanted samples and rows. */
  *holding(wanted: readonly { sample: number }[]): Generator<number> {
    const { across, down, planar, segmentHeight } = this.page;
    const sets = planar ? new Set(wanted.map(({ sample }) => sample)) : [0];
    const first = Math.floor(this.shown.start / segmentHeight) * across;
    const end = Math.ceil(this.shown.end / segmentHeight) * across;
    for (const set of sets) for (let i = first; i < end; i += 1) yield set * across * down + i;
  }

  /** The wanted ones among the first `rows` rows of a strip or tile. */
  wantedRows(index: number, rows: number): RowRange {
    const { top } = this.place(index);
    return { start: Math.max(0, this.shown.start - top), end: Math.min(rows, this.shown.end - top) };
  }

  /** First byte in the file. */
  offset(index: number): number {
    return this.#ranges.offsets[index]!;
  }

  /** Stored bytes. */
  length(index: number): number {
    return this.#ranges.lengths[index]!;
  }

  /** `strip 3` */
  name(index: number): string {
    return `${this.kind} ${index}`;
  }

  /** For messages. */
  get kind(): "tile" | "strip" {
    return this.page.tiled ? "tile" : "strip";
  }

  /** Stored bits of each interleaved sample. */
  bits(index: number): readonly number[] {
    return this.#row(index).bits;
  }

  /** Bytes of one stored row before compression. */
  rowBytes(index: number): number {
    return this.#row(index).bytes;
  }

  #row(index: number) {
    const set = this.#set(index);
    const known = this.#rows[set];
    if (known !== undefined) return known;
    const bits = blockBits(this.page, set);
    return this.#rows[set] = { bits, bytes: rowBytes(this.page.segmentWidth, bits) };
  }

  /** Rows that it holds; a tile is always whole. */
  rows(index: number): number {
    const { tiled, segmentHeight, height, down } = this.page;
    return tiled ? segmentHeight : Math.min(segmentHeight, height - (index % down) * segmentHeight);
  }

  /** Where it lies in the plane, and in planar pages the index of its sample. */
  place(index: number): { readonly top: number; readonly left: number; readonly set: number } {
    const { across, down, segmentHeight, segmentWidth } = this.page;
    return {
      top: Math.floor(index % (across * down) / across) * segmentHeight,
      left: index % across * segmentWidth,
      set: this.#set(index),
    };
  }

  #set(index: number): number {
    return Math.floor(index / (this.page.across * this.page.down));
  }

  /**
   * Checks the strips or tiles of the wanted samples; `codec` is `null` where they are not compressed.
   *
   * @throws {DecodeFailed} one lies outside the file, is too short for what it declares, or too large
   */
  check(wanted: readonly { sample: number }[], codec: Codec | null): void {
    const { file } = this.tiff;
    for (const index of this.holding(wanted)) {
      const [offset, length] = [this.offset(index), this.length(index)];
      const needed = this.rowBytes(index) * this.rows(index);
      // Bytes of an uncompressed strip beyond its rows are never read.
      file.require(offset, codec ? length : Math.min(length, needed), this.name(index));
      if (needed > length * (codec?.maxExpansion ?? 1)) {
        const place = `${this.name(index)} at ${offset}`;
        throw new DecodeFailed(
          codec
            ? `${place} + ${length} is too short for ${needed} bytes of ${codec.title}`
            : `${place} holds ${length} bytes, ${needed} are needed`,
        );
      }
      if (codec && this.rowBytes(index) * this.page.segmentHeight > MAX_SEGMENT_BYTES) {
        throw new DecodeFailed(
          `${this.name(index)} declares ${needed} bytes, more than ${MAX_SEGMENT_BYTES}`,
        );
      }
    }
  }

  /** Checks the places of compressed strips or tiles alone. @throws {DecodeFailed} one lies outside the file */
  checkPlaces(): void {
    this.#ranges.offsets.forEach((offset, i) => this.tiff.file.require(offset, this.length(i), this.name(i)));
  }

  #storedRanges(codec: Codec | null): Ranges {
    const { page, tiff } = this;
    const { directory } = page;
    const own = page.tiled && directory.has(TAG.TileOffsets);
    const offsetTag = own ? TAG.TileOffsets : TAG.StripOffsets;
    const lengthTag = own ? TAG.TileByteCounts : TAG.StripByteCounts;
    const segments = page.across * page.down * (page.planar ? page.samples : 1);
    // Surplus values mean nothing; `readPage` has counted the needed ones.
    const offsets = directory.numbers(offsetTag, tiff.file.size).subarray(0, segments);
    const bytes = (index: number) => this.rowBytes(index) * this.rows(index);
    if (directory.lists(lengthTag)) {
      const lengths = directory.numbers(lengthTag, tiff.file.size).subarray(0, segments);
      if (lengths.length < segments) {
        throw new DecodeFailed(`${tagName(lengthTag)} has ${lengths.length} values, ${segments} are needed`);
      }
      // Some writers leave the length of their only strip at 0.
      const open = segments === 1 && lengths[0] === 0 && page.compression === UNCOMPRESSED;
      return { offsets, lengths: open ? Float64Array.of(bytes(0)) : lengths };
    }
    if (codec !== null) {
      throw new DecodeFailed(`${tagName(lengthTag)} is missing, which ${codec.title} needs`);
    }
    return { offsets, lengths: Float64Array.from(offsets, (_, i) => bytes(i)) };
  }

  /** Plane `run` of a run of planes that begins at the first strip. */
  #runRanges(run: number): Ranges {
    const { page } = this;
    if (page.tiled) throw new DecodeFailed(`a run of planes with one directory is stored in tiles`);
    const sets = page.planar ? page.samples : 1;
    const first = page.directory.number(TAG.StripOffsets) ?? 0;
    const lengths = Float64Array.from(
      { length: sets },
      (_, s) => rowBytes(page.width, blockBits(page, s)) * page.height,
    );
    const planeBytes = lengths.reduce((sum, length) => sum + length, 0);
    const offsets = new Float64Array(sets);
    for (let s = 0, at = first + run * planeBytes; s < sets; at += lengths[s]!, s += 1) offsets[s] = at;
    return { offsets, lengths };
  }
}

/** Checks that every strip or tile of a plane lies in its file. @throws {DecodeFailed} */
export function requireStored(source: PlaneSource): void {
  const { page } = source;
  const table = new SegmentTable(source, null);
  if (page.compression !== UNCOMPRESSED) return table.checkPlaces();
  table.check(page.bits.map((_, sample) => ({ sample })), null);
}
