/** A two-channel line scan over a slanted line of a 128 x 128 reference, each sample a function of its place. */
import { CHANNEL_A, CHANNEL_B, lineScan } from "../fixtures/oir_files.ts";
import { oirBlocks, oirFile } from "../fixtures/oir_writer.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";

/** Rows (time) and columns (space). */
export const SHAPE = [200, 64] as const;

/** Start (x, y) and end (x, y) of the line in reference pixels. */
export const LINE = [100, 20, 30, 110] as const;

/** Sample of a channel, unique for every place. */
export const sample = (channel: number, row: number, column: number): number =>
  1000 * channel + 10 * row + 7 * column;

export const referenceSample = (channel: number, row: number, column: number): number =>
  500 * channel + 4 * row + column;

function plane(
  rows: number,
  columns: number,
  value: (row: number, column: number) => number,
): Uint16Array<ArrayBuffer> {
  return Uint16Array.from(
    { length: rows * columns },
    (_, i) => value(Math.floor(i / columns), i % columns),
  );
}

/**
 * The bytes of a line scan of two channels.
 *
 * @param line start (x, y) and end (x, y) in pixels of the reference, which has `referenceRows` rows of 128
 */
export function scanFile(
  [rows, columns]: readonly [number, number],
  planes: readonly Uint16Array<ArrayBuffer>[],
  references: readonly Uint16Array[],
  line: readonly [number, number, number, number],
  referenceRows = 128,
): Uint8Array {
  const size = { width: 128, height: referenceRows };
  return oirFile(oirBlocks(lineScan(rows, {
    width: columns,
    height: 128,
    frames: [{ axes: "t001", planes }],
    stripBytes: 40 * columns * 2,
    overview: size,
    line,
    reference: { ...size, planes: { [CHANNEL_A]: references[0]!, [CHANNEL_B]: references[1]! } },
  })));
}

/** The bytes of the file, with a reference of `referenceRows` x 128. */
export function lineScanFile(referenceRows = 128): Uint8Array {
  const planes = [0, 1].map((channel) => plane(...SHAPE, (row, column) => sample(channel, row, column)));
  const references = [0, 1].map((channel) =>
    plane(referenceRows, 128, (row, column) => referenceSample(channel, row, column))
  );
  return scanFile(SHAPE, planes, references, LINE, referenceRows);
}

export function floatTiff(rows: number, columns: number, samples: readonly number[]): Uint8Array {
  const bits = new Uint32Array(Float32Array.from(samples).buffer);
  return tiffBytes(
    { ...grayLayout(columns, rows, 32), kind: "float" },
    (x, y) => BigInt(bits[y * columns + x]!),
  );
}
