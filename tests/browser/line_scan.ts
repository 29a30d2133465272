/**
 * Files whose samples tell their place: a two-channel line scan over a slanted line of a 128 x 128 reference, and
 * a TIFF of floats.
 */
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

/** The bytes of the file, with a reference of so many rows and 128 columns. */
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

/** A TIFF of one strip of 32-bit floats, by TIFF 6.0: header, one directory, samples. */
export function floatTiff(rows: number, columns: number, samples: readonly number[]): Uint8Array {
  const [SHORT, LONG] = [3, 4];
  const start = 8 + 2 + 10 * 12 + 4;
  const entries: [tag: number, type: number, value: number][] = [
    [256, LONG, columns],
    [257, LONG, rows],
    [258, SHORT, 32],
    [259, SHORT, 1],
    [262, SHORT, 1],
    [273, LONG, start],
    [277, SHORT, 1],
    [278, LONG, rows],
    [279, LONG, 4 * samples.length],
    [339, SHORT, 3],
  ];
  const view = new DataView(new ArrayBuffer(start + 4 * samples.length));
  view.setUint16(0, 0x4949);
  view.setUint16(2, 42, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, entries.length, true);
  entries.forEach(([tag, type, value], i) => {
    view.setUint16(10 + 12 * i, tag, true);
    view.setUint16(12 + 12 * i, type, true);
    view.setUint32(14 + 12 * i, 1, true);
    if (type === SHORT) view.setUint16(18 + 12 * i, value, true);
    else view.setUint32(18 + 12 * i, value, true);
  });
  samples.forEach((sample, i) => view.setFloat32(start + 4 * i, sample, true));
  return new Uint8Array(view.buffer);
}
