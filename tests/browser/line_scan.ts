/** A two-channel line scan whose samples tell their place, over a slanted line of a 128 x 128 reference. */
import { lineScan } from "../fixtures/oir_files.ts";
import { oirBlocks, oirFile } from "../fixtures/oir_writer.ts";

/** Rows (time) and columns (space). */
export const SHAPE = [200, 64] as const;

/** Start (x, y) and end (x, y) of the line in reference pixels. */
export const LINE = [100, 20, 30, 110] as const;

/** Sample of a channel: a number of its own for every place. */
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

/** The bytes of the file. */
export function lineScanFile(): Uint8Array {
  const [rows, columns] = SHAPE;
  const planes = [0, 1].map((channel) => plane(rows, columns, (row, column) => sample(channel, row, column)));
  const reference = [0, 1].map((channel) =>
    plane(128, 128, (row, column) => referenceSample(channel, row, column))
  );
  const described = lineScan(rows);
  const [first, second] = described.channels;
  return oirFile(oirBlocks({
    ...described,
    width: columns,
    height: 128,
    frames: [{ axes: "t001", planes }],
    stripBytes: 40 * columns * 2,
    overview: { width: 128, height: 128 },
    line: LINE,
    reference: {
      width: 128,
      height: 128,
      planes: { [first!.id]: reference[0]!, [second!.id]: reference[1]! },
    },
  }));
}
