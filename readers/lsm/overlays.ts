/**
 * Drawings that a user made on an LSM image, the scanned line among them. A list has 200 bytes before its elements: i32
 * elements, i32 bytes of the list, and how to draw. An element: i32 shape, i32 bytes of the element, and how to draw; the
 * last bytes of a shape of points are i32 points and two f64 (column, row) for each.
 */
import { DecodeFailed } from "../errors.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** One drawing. */
export interface Drawing {
  /** Name of the shape, or its number where none is known. */
  readonly shape: string;
  /** `[column, row]` in pixels of the image; empty for shapes that are no points. */
  readonly points: readonly (readonly [number, number])[];
}

const HEAD_BYTES = 200;

/** Bytes of one list; a drawing by hand has some thousand points. */
const MAX_LIST_BYTES = 4 << 20;

/** Elements of one list. */
const MAX_ELEMENTS = 10_000;

/** Shapes of points. */
const SHAPES: Readonly<Record<number, string>> = {
  13: "text",
  14: "line",
  15: "scale bar",
  16: "open arrow",
  17: "closed arrow",
  18: "rectangle",
  19: "ellipse",
  20: "closed polyline",
  21: "open polyline",
  22: "closed Bezier curve",
  23: "open Bezier curve",
  24: "circle",
  25: "palette",
  26: "polyline with arrow",
  27: "Bezier curve with arrow",
  28: "angle",
  29: "circle by three points",
};

/** Those that are no points. */
const WITHOUT_POINTS = new Set([13, 15, 16, 17, 25]);

/** Bytes of an element before its geometry, at least: how to draw, and the name of the font. */
const ELEMENT_BYTES = 164;

/** Reads a list. @throws {DecodeFailed} it does not lie in the file, or its elements do not fill it */
export function readDrawings(tiff: TiffFile, offset: number, name: string): Drawing[] {
  const head = tiff.window.view(offset, 8, name);
  const [count, size] = [head.getInt32(0, true), head.getInt32(4, true)];
  if (count < 0 || count > MAX_ELEMENTS || size < HEAD_BYTES || size > MAX_LIST_BYTES) {
    throw new DecodeFailed(`${name} at ${offset} has ${count} elements in ${size} bytes`);
  }
  const view = new DataView(tiff.file.read(offset, size, name).buffer);
  const drawings: Drawing[] = [];
  let at = HEAD_BYTES;
  for (let i = 0; i < count; i += 1) {
    const length = at + 8 <= size ? view.getInt32(at + 4, true) : 0;
    if (length < ELEMENT_BYTES || at + length > size) {
      throw new DecodeFailed(`element ${i} of ${name} at ${offset + at} has ${length} bytes of ${size - at}`);
    }
    drawings.push(drawingOf(new DataView(view.buffer, at, length)));
    at += length;
  }
  return drawings;
}

function drawingOf(element: DataView): Drawing {
  const shape = element.getInt32(0, true);
  return {
    shape: SHAPES[shape] ?? String(shape),
    points: WITHOUT_POINTS.has(shape) ? [] : pointsAtEnd(element),
  };
}

/** The points whose number stands just before them; programs differ in what comes before it. */
function pointsAtEnd(element: DataView): [number, number][] {
  const most = Math.floor((element.byteLength - ELEMENT_BYTES) / 16);
  for (let count = 2; count <= most; count += 1) {
    const at = element.byteLength - 4 - 16 * count;
    if (element.getInt32(at, true) !== count) continue;
    const points = Array.from({ length: count }, (_, i): [number, number] => [
      element.getFloat64(at + 4 + 16 * i, true),
      element.getFloat64(at + 12 + 16 * i, true),
    ]);
    if (points.flat().every(Number.isFinite)) return points;
  }
  return [];
}
