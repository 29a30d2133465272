/**
 * Writes `time_series.ome.tif` beside this file, an OME-TIFF of generated pixels with two scenes: three cells whose calcium rises
 * one after the other, at twelve time points half a second apart, and an overview.
 *
 *     deno run --allow-write=examples examples/make_stack.ts
 */
import { fileURLToPath } from "node:url";
import { grayLayout, tiffBytes } from "../tests/fixtures/tiff_writer.ts";

const [WIDTH, HEIGHT, FRAMES] = [64, 48, 12];

/** Column, row and radius of each cell in pixels, and the frame in which it is brightest. */
const CELLS = [[16, 14, 6, 3], [42, 18, 8, 5], [28, 36, 5, 8]] as const;

/** Brightness from 0 to 255. */
function light(x: number, y: number, frame: number): number {
  const cells = CELLS.map(([column, row, radius, peak]) => {
    const far = ((x - column) ** 2 + (y - row) ** 2) / radius ** 2;
    const inside = Math.exp(-far * far);
    const calcium = frame < peak ? 0 : Math.exp(-(frame - peak) / 2);
    return inside * (40 + 180 * calcium);
  });
  return Math.round(12 + cells.reduce((sum, cell) => sum + cell, 0));
}

const pixels = (frames: number, steps: string, data: string) =>
  `<Pixels ID="Pixels:${data}" DimensionOrder="XYCZT" Type="uint8" SizeX="${WIDTH}" SizeY="${HEIGHT}" SizeZ="1" ` +
  `SizeC="1" SizeT="${frames}" ${steps}><Channel ID="Channel:${data}:0" Name="GCaMP" Color="16711935"/>` +
  `<TiffData IFD="${data}" PlaneCount="${frames}"/></Pixels>`;

const DOCUMENT = `<?xml version="1.0" encoding="UTF-8"?>` +
  `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">` +
  `<Image ID="Image:0" Name="cells"><AcquisitionDate>2025-10-30T14:54:36</AcquisitionDate>` +
  pixels(FRAMES, `PhysicalSizeX="0.5" PhysicalSizeY="0.5" TimeIncrement="0.5"`, "0") +
  `</Image><Image ID="Image:1" Name="overview">` +
  pixels(1, `PhysicalSizeX="2" PhysicalSizeY="2"`, String(FRAMES)) + `</Image></OME>`;

/** The file: the planes of the first scene, then that of the second, in which the cells are small. */
export function sampleStack(): Uint8Array {
  return tiffBytes(
    { ...grayLayout(WIDTH, HEIGHT, 8), rowsPerStrip: HEIGHT },
    (x, y, _sample, page) =>
      BigInt(page < FRAMES ? light(x, y, page) : light(4 * (x - 24), 4 * (y - 18), CELLS[0][3])),
    FRAMES + 1,
    (page) => page === 0 ? [[270, 2, DOCUMENT]] : [],
  );
}

if (import.meta.main) {
  await Deno.writeFile(fileURLToPath(new URL("./time_series.ome.tif", import.meta.url)), sampleStack());
}
