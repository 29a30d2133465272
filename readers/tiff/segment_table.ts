/** The locations of the strips or tiles of one plane, checked against its file. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { RowRange } from "../reader.ts";
import { type PageLayout, UNCOMPRESSED } from "./page.ts";
import type { PlaneSource, StripPlaces } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Largest size of a compressed strip or tile after decoding: a whole plane of 2^28 float64 samples in one strip. */
const MAX_SEGMENT_BYTES = 2 ** 31 - 1;

/** Bytes per row: samples are packed, rows padded to a whole byte (TIFF 6.0, section 9). */
export function countRowBytes(width: number, bits: readonly number[]): number {
  let pixel = 0;
  for (const b of bits) pixel += b;
  return Math.ceil(width * pixel / 8);
}

/** Bits of each interleaved sample in a strip or tile; in planar pages, those of its one sample. */
export function countBlockBits(page: PageLayout, sample: number): readonly number[] {
  return page.planar ? page.bits.slice(sample, sample + 1) : page.bits;
}

/** A wanted sample of each pixel, by its index among those of a pixel, and the index of its plane among the decoded ones. */
export type WantedSample = Readonly<Record<"sample" | "target", number>>;

/** The strips or tiles of a plane, by index. */
export class SegmentTable {
  readonly tiff: TiffFile;
  readonly page: PageLayout;
  readonly wanted: readonly WantedSample[];
  /** The wanted rows. Strips and tiles without wanted rows are neither checked nor read. */
  readonly shown: RowRange;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;

  /**
   * Checks each wanted strip or tile.
   *
   * @throws {PlaneNotFound} it is not stored
   * @throws {DecodeFailed} it is outside the file, too short for its size, or too large
   */
  constructor(
    { tiff, page, strips }: PlaneSource,
    wanted: readonly WantedSample[],
    codec: Codec | null,
    rows: RowRange = { start: 0, end: page.height },
  ) {
    this.tiff = tiff;
    this.page = page;
    this.wanted = wanted;
    this.shown = rows;
    ({ offsets: this.offsets, lengths: this.lengths } = strips ?? this.#storedRanges(codec));
    for (const index of this.holding()) this.#check(index, codec);
  }

  /** Indices of the strips or tiles with wanted samples and rows. */
  *holding(): Generator<number> {
    const { across, down, planar, segmentHeight } = this.page;
    const sets = planar ? new Set(this.wanted.map(({ sample }) => sample)) : [0];
    const first = Math.floor(this.shown.start / segmentHeight) * across;
    const end = Math.ceil(this.shown.end / segmentHeight) * across;
    for (const set of sets) for (let i = first; i < end; i += 1) yield set * across * down + i;
  }

  /** The wanted ones of the first `rows` rows of a strip or tile. */
  wantedRows(index: number, rows: number): RowRange {
    const { top } = this.place(index);
    return { start: Math.max(0, this.shown.start - top), end: Math.min(rows, this.shown.end - top) };
  }

  name(index: number): string {
    return `${this.page.tiled ? "tile" : "strip"} ${index}`;
  }

  bits(index: number): readonly number[] {
    return countBlockBits(this.page, this.place(index).set);
  }

  rowBytes(index: number): number {
    return countRowBytes(this.page.segmentWidth, this.bits(index));
  }

  /** Number of rows in a strip or tile; a tile is always whole. */
  rows(index: number): number {
    const { tiled, segmentHeight, height, down } = this.page;
    return tiled ? segmentHeight : Math.min(segmentHeight, height - (index % down) * segmentHeight);
  }

  /** Its position in the plane and, in planar pages, the index of its sample. */
  place(index: number): { readonly top: number; readonly left: number; readonly set: number } {
    const { across, down, segmentHeight, segmentWidth } = this.page;
    return {
      top: Math.floor(index % (across * down) / across) * segmentHeight,
      left: index % across * segmentWidth,
      set: Math.floor(index / (across * down)),
    };
  }

  #check(index: number, codec: Codec | null): void {
    const [offset, length] = [this.offsets[index]!, this.lengths[index]!];
    const row = this.rowBytes(index);
    const needed = row * this.rows(index);
    // Programs write 0 for what they have not stored; the header lies there.
    if (offset === 0) throw new PlaneNotFound(`${this.name(index)} is not stored: its offset is 0`);
    const { headerBytes } = this.tiff;
    if (offset < headerBytes) throw new DecodeFailed(`${this.name(index)} at ${offset} lies in the header`);
    // The bytes of an uncompressed strip after its rows are never read.
    this.tiff.file.require(offset, codec ? length : Math.min(length, needed), this.name(index));
    if (needed > length * (codec?.maxExpansion ?? 1)) {
      const place = `${this.name(index)} at ${offset}`;
      throw new DecodeFailed(
        codec
          ? `${place} + ${length} is too short for ${needed} bytes of ${codec.title}`
          : `${place} holds ${length} bytes, ${needed} are needed`,
      );
    }
    if (codec && row * this.page.segmentHeight > MAX_SEGMENT_BYTES) {
      throw new DecodeFailed(`${this.name(index)} declares ${needed} bytes, more than ${MAX_SEGMENT_BYTES}`);
    }
  }

  #storedRanges(codec: Codec | null): StripPlaces {
    const { page: { directory, ...page }, tiff } = this;
    const own = page.tiled && directory.has(TAG.TileOffsets);
    const lengthTag = own ? TAG.TileByteCounts : TAG.StripByteCounts;
    const segments = page.across * page.down * (page.planar ? page.samples : 1);
    // Surplus values are ignored; `readPage` has counted the needed ones.
    const values = (tag: number) => directory.numbers(tag, tiff.file.size).subarray(0, segments);
    const offsets = values(own ? TAG.TileOffsets : TAG.StripOffsets);
    const bytes = (index: number) => this.rowBytes(index) * this.rows(index);
    if (directory.has(lengthTag)) {
      const lengths = values(lengthTag);
      if (lengths.length < segments) {
        throw new DecodeFailed(`${tagName(lengthTag)} has ${lengths.length} values, ${segments} are needed`);
      }
      // Some writers state a length of 0 for their only strip.
      const open = segments === 1 && lengths[0] === 0 && page.compression === UNCOMPRESSED;
      return { offsets, lengths: open ? Float64Array.of(bytes(0)) : lengths };
    }
    if (codec !== null) {
      throw new DecodeFailed(`${tagName(lengthTag)} is missing, which ${codec.title} needs`);
    }
    return { offsets, lengths: Float64Array.from(offsets, (_, i) => bytes(i)) };
  }
}
