/** Rows of a strip or tile on their way into the planes. */
import { DecodeFailed } from "../errors.ts";
import { unpredict } from "./predictor.ts";
import { unpack, type Wanted } from "./samples.ts";
import type { SegmentTable } from "./segment_table.ts";
import { TAG, tagName } from "./tags.ts";

/** Some rows of one strip or tile, without compression. */
export interface SegmentRows {
  /** Which strip or tile. */
  readonly index: number;
  /** Its first of these rows, and how many they are. */
  readonly first: number;
  /** How many rows. */
  readonly count: number;
  /** Each row begins at a whole byte; scratch, changed in place. */
  readonly bytes: Uint8Array;
  /** Bits of each interleaved sample. */
  readonly bits: readonly number[];
  /** Byte order of the samples. */
  readonly littleEndian: boolean;
}

/** Undoes the predictor of a page in place. @throws {DecodeFailed} it is unknown, or not defined for such samples */
export function withoutPredictor({ page }: SegmentTable, rows: SegmentRows): SegmentRows {
  const { bits } = rows;
  if (page.predictor === 1) return rows;
  if (bits.some((width) => width !== bits[0])) {
    throw new DecodeFailed(
      `${tagName(TAG.Predictor)} is ${page.predictor} with samples of ${bits.join(", ")} bits, which differ`,
    );
  }
  unpredict(page.predictor, {
    bytes: rows.bytes,
    rows: rows.count,
    rowSamples: page.segmentWidth * bits.length,
    samples: bits.length,
    bits: bits[0]!,
    float: page.kind === "float",
    littleEndian: rows.littleEndian,
  });
  return { ...rows, littleEndian: true };
}

/** Writes wanted rows into the wanted planes, which begin with the first row that is wanted; what lies beyond is left out. */
export function placeRows(table: SegmentTable, rows: SegmentRows, wanted: readonly Wanted[]): void {
  const { page } = table;
  const { top, left, set } = table.place(rows.index);
  const from = top + rows.first;
  if (from >= page.height) return;
  const held = page.planar
    ? wanted.filter(({ sample }) => sample === set).map(({ plane }) => ({ sample: 0, plane }))
    : wanted;
  unpack({
    bytes: rows.bytes,
    littleEndian: rows.littleEndian,
    width: page.segmentWidth,
    bits: rows.bits,
    kind: page.kind,
    rows: Math.min(rows.count, page.height - from),
    columns: Math.min(page.segmentWidth, page.width - left),
    at: (from - table.shown.start) * page.width + left,
    stride: page.width,
  }, held);
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) reversed |= 0x80 >> bit;
  return reversed;
});

/** Reverses the bits of each byte in place (FillOrder 2). */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = REVERSED[bytes[i]!]!;
}
