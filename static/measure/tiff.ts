/**
 * Writes one plane as a baseline TIFF (TIFF 6.0) that ImageJ, tifffile and acq-server read: float32 in one strip, with the
 * resolution and an ImageJ description, which has a separate unit for the rows of a kymograph.
 */

import { findExtent } from "./traces.ts";

/** Types of fields. */
const [ASCII, SHORT, LONG, RATIONAL] = [2, 3, 4, 5];

/** ImageJ's names of units. */
const UNITS: Readonly<Record<string, string>> = { um: "micron", seconds: "sec", Pixels: "pixel" };

/** Denominator of a resolution: keeps eight digits of any step from 1e-5 to 1e5. */
const FINE = 1e9;

/**
 * The bytes of a TIFF file with one plane.
 *
 * @param samples row-major
 * @param shape rows and columns
 * @param axes of rows and columns
 * @param note origin of the samples; line breaks become spaces
 */
export function writeTiffFile(
  samples: Float32Array,
  [rows, columns]: readonly [number, number],
  [row, column]: readonly [{ step: number; unit: string }, { step: number; unit: string }],
  note = "",
): Uint8Array<ArrayBuffer> {
  const description = descriptionOf(findExtent(samples), row.unit, column.unit, note);
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, LONG, 1, columns],
    [257, LONG, 1, rows],
    [258, SHORT, 1, 32],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 1],
    [270, ASCII, description.length, 0],
    [273, LONG, 1, 0],
    [277, SHORT, 1, 1],
    [278, LONG, 1, rows],
    [279, LONG, 1, samples.byteLength],
    [282, RATIONAL, 1, 0],
    [283, RATIONAL, 1, 0],
    [296, SHORT, 1, 1],
    [339, SHORT, 1, 3],
  ];
  const directory = 8;
  const rationals = directory + 2 + 12 * entries.length + 4;
  const words = rationals + 16;
  const strip = Math.ceil((words + description.length) / 4) * 4;
  const offsets = new Map([[270, words], [273, strip], [282, rationals], [283, rationals + 8]]);
  const bytes = new Uint8Array(strip + samples.byteLength);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directory, true);
  view.setUint16(directory, entries.length, true);
  entries.forEach(([tag, type, count, value], i) => {
    const at = directory + 2 + 12 * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, count, true);
    view.setUint32(at + 8, offsets.get(tag) ?? value, true);
  });
  for (const [i, { step }] of [column, row].entries()) {
    const [over, under] = step >= 1 ? [FINE / step, FINE] : [FINE, FINE * step];
    view.setUint32(rationals + 8 * i, Math.round(over), true);
    view.setUint32(rationals + 8 * i + 4, Math.round(under), true);
  }
  bytes.set(description, words);
  for (let i = 0; i < samples.length; i += 1) view.setFloat32(strip + 4 * i, samples[i]!, true);
  return bytes;
}

/** The description by which ImageJ reads units and the display range. */
function descriptionOf(
  [low, high]: readonly [number, number],
  rowUnit: string,
  columnUnit: string,
  note: string,
): Uint8Array<ArrayBuffer> {
  const lines = [
    "ImageJ=1.54f",
    `unit=${UNITS[columnUnit] ?? columnUnit}`,
    ...rowUnit === columnUnit ? [] : [`yunit=${UNITS[rowUnit] ?? rowUnit}`],
    ...high >= low ? [`min=${low}`, `max=${high}`] : [],
    ...note === "" ? [] : [`Info=${note.replaceAll(/[\r\n=\\]+/g, " ")}`],
  ];
  // The field is ASCII: other characters are written as their code points.
  const text = `${lines.join("\n")}\n\0`.replaceAll(
    /[^\0-\x7f]/gu,
    (letter) => `\\u${letter.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
  return new TextEncoder().encode(text);
}
