/** A two-channel line scan over a slanted line of a 128 x 128 reference, each sample a function of its place. */
import { lineScan } from "../fixtures/oir_files.ts";
import { oirBlocks, oirFile } from "../fixtures/oir_writer.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";

/** Rows (time) and columns (space). */
export const SHAPE = [200, 64] as const;

/** Start (x, y) and end (x, y) of the line in reference pixels. */
export const LINE = [100, 20, 30, 110] as const;

/** Sample of a channel, unique for every place. */
export const sample = (channel: number, row: number, column: number): number =>
  1000 * channel + 10 * row + 7 * column;

/** Sample of the reference. */
export const referenceSample = (channel: number, row: number, column: number): number =>
  500 * channel + 4 * row + column;

function plane(rows: number, columns: number, value: (row: number, column: number) => number): Uint16Array {
  return Uint16Array.from(
    { length: rows * columns },
    (_, i) => value(Math.floor(i / columns), i % columns),
  );
}

/** The bytes of the file, with a reference of `referenceRows` x 128. */
export function lineScanFile(referenceRows = 128): Uint8Array {
  const [rows, columns] = SHAPE;
  const planes = [0, 1].map((channel) => plane(rows, columns, (row, column) => sample(channel, row, column)));
  const reference = [0, 1].map((channel) =>
    plane(referenceRows, 128, (row, column) => referenceSample(channel, row, column))
  );
  const described = lineScan(rows);
  const [first, second] = described.channels;
  return oirFile(oirBlocks({
    ...described,
    width: columns,
    height: 128,
    frames: [{ axes: "t001", planes }],
    stripBytes: 40 * columns * 2,
    overview: { width: 128, height: referenceRows },
    line: LINE,
    reference: {
      width: 128,
      height: referenceRows,
      planes: { [first!.id]: reference[0]!, [second!.id]: reference[1]! },
    },
  }));
}

/** A TIFF of 32-bit floats. */
export function floatTiff(rows: number, columns: number, samples: readonly number[]): Uint8Array {
  const bits = new Uint32Array(Float32Array.from(samples).buffer);
  return tiffBytes(
    { ...grayLayout(columns, rows, 32), kind: "float" },
    (x, y) => BigInt(bits[y * columns + x]!),
  );
}
