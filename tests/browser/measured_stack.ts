/** A time series to make a kymograph of: a bright spot that moves by one pixel an image along row 24. */
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";

/** Rows, columns and images. */
export const [STACK_ROWS, STACK_COLUMNS, IMAGES] = [48, 64, 40] as const;

/** Row of the spot, and its column in the first image. */
export const [SPOT_ROW, SPOT_START] = [24, 12] as const;

/** A line along the row of the spot from column 4 to 59, as fractions of the upright image. */
export const SPOT_LINE = [place(4), place(59)] as const;

function place(column: number): [x: number, y: number] {
  return [(column + 0.5) / STACK_COLUMNS, (SPOT_ROW + 0.5) / STACK_ROWS];
}

export function spot(x: number, y: number, t: number): number {
  const square = (x - SPOT_START - t) ** 2 + (y - SPOT_ROW) ** 2;
  return Math.round(20 + 200 * Math.exp(-square / 8));
}

const TIMED = ' TimeIncrement="0.1"';

const document = (timed: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>` +
  `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="spot">` +
  `<Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint8" SizeX="${STACK_COLUMNS}" SizeY="${STACK_ROWS}" ` +
  `SizeZ="1" SizeC="1" SizeT="${IMAGES}" PhysicalSizeX="0.5" PhysicalSizeY="0.5"${timed}>` +
  `<Channel ID="Channel:0:0" Name="GCaMP"/><TiffData IFD="0" PlaneCount="${IMAGES}"/></Pixels></Image></OME>`;

/** The bytes of an OME-TIFF: 0.5 µm a pixel, 0.1 s an image, or nothing known about the time. */
export function measuredStack({ isTimed = true } = {}): Uint8Array {
  return tiffBytes(
    { ...grayLayout(STACK_COLUMNS, STACK_ROWS, 8), rowsPerStrip: STACK_ROWS },
    (x, y, _sample, page) => BigInt(spot(x, y, page)),
    IMAGES,
    (page) => page === 0 ? [[270, 2, document(isTimed ? TIMED : "")]] : [],
  );
}
