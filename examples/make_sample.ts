/**
 * Writes `line_scan.oir` beside this file. Its pixels are generated: no microscope made them and no vessel is real.
 * It shows what a line scan along a capillary looks like: in the first channel a dye in the plasma, in which blood
 * cells pass as dark slanted streaks, faster and slower with the heart beat; in the second the slow calcium
 * transients of three cells beside it. The reference image shows the vessel, the cells and the scanned line.
 *
 *     deno run --allow-write=examples examples/make_sample.ts
 */
import { fileURLToPath } from "node:url";
import { writeOir } from "../tests/fixtures/oir_writer.ts";

const LINES = 600;
const COLUMNS = 48;
const SIDE = 128;
/** Pixel size in micrometres. */
const PIXEL = 0.45;
/** Seconds per line. */
const LINE_PERIOD = 0.002118;
/** Start and end of the scanned line; it is 47.2 pixels long, so it has 48 columns. */
const LINE = [40, 30, 80, 55] as const;
const [CHANNEL_1, CHANNEL_2] = [
  "b54866ff-fe56-4f6c-b06d-856ebd10d64c",
  "c1b42c00-0601-4ae3-a131-841e4ffdc21e",
] as const;
const HIGHEST = 4095;

/** A seeded stream of numbers between 0 and 1 (mulberry32), so that the file is the same every time. */
function* uniform(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

const bump = (distance: number, width: number) => Math.exp(-0.5 * (distance / width) ** 2);

/** Samples as a detector of 12 bits gives them: shot noise that grows with the light, and some of its own. */
function detected(light: Float64Array, seed: number): Uint16Array {
  const random = uniform(seed);
  return Uint16Array.from(light, (value) => {
    // Twelve uniform numbers make one that is close to normal.
    let normal = -6;
    for (let i = 0; i < 12; i += 1) normal += random.next().value;
    return Math.min(
      HIGHEST,
      Math.max(0, Math.round(value + normal * (12 + 2.4 * Math.sqrt(Math.max(0, value))))),
    );
  });
}

function image(rows: number, columns: number, light: (row: number, column: number) => number): Float64Array {
  return Float64Array.from({ length: rows * columns }, (_, i) => light(Math.floor(i / columns), i % columns));
}

/** How far the blood has moved at each line, in pixels: 0.3 mm/s, a quarter more or less with 7 beats a second. */
function bloodPath(): number[] {
  const path: number[] = [];
  let moved = 0;
  for (let line = 0; line < LINES; line += 1) {
    path.push(moved);
    const beat = Math.sin(2 * Math.PI * 7 * line * LINE_PERIOD);
    moved += (300 / PIXEL) * LINE_PERIOD * (1 + 0.25 * beat + 0.1 * beat * Math.abs(beat));
  }
  return path;
}

/** Blood cells by their place in the flow, in pixels, with how dark and how long each is. */
function bloodCells(length: number): { at: number; depth: number; width: number }[] {
  const random = uniform(7);
  const cells = [];
  for (let at = -COLUMNS; at < length; at += 12 + 22 * random.next().value) {
    cells.push({ at, depth: 0.5 + 0.3 * random.next().value, width: 2.2 + 1.4 * random.next().value });
  }
  return cells;
}

function plasma(): Float64Array {
  const path = bloodPath();
  const cells = bloodCells(path.at(-1)! + COLUMNS);
  return image(LINES, COLUMNS, (line, column) => {
    const vessel = 0.86 + 0.1 * Math.sin(0.11 * column + 0.6) + 0.04 * Math.sin(0.35 * column);
    let shadow = 0;
    for (const { at, depth, width } of cells) shadow += depth * bump(column - (path[line]! - at), width);
    return 260 + 2300 * vessel * (1 - Math.min(0.85, shadow));
  });
}

/** Cells along the line: column, extent in columns, and when they are active, in seconds. */
const ACTIVE = [
  { column: 8, width: 3.6, onsets: [0.18, 0.86] },
  { column: 24, width: 4.6, onsets: [0.34] },
  { column: 40, width: 3.2, onsets: [0.25, 0.62, 0.99] },
] as const;

/** A calcium transient: fast rise, slow decay. */
const transient = (t: number) => t <= 0 ? 0 : (1 - Math.exp(-t / 0.025)) * Math.exp(-t / 0.16);

function calcium(): Float64Array {
  return image(LINES, COLUMNS, (line, column) => {
    let light = 210;
    for (const cell of ACTIVE) {
      const activity = cell.onsets.reduce((sum, onset) => sum + transient(line * LINE_PERIOD - onset), 0);
      light += bump(column - cell.column, cell.width) * (330 + 2300 * activity);
    }
    return light;
  });
}

/** Distance along the scanned line and beside it, in pixels, of a point of the reference image. */
function lineCoordinates(x: number, y: number): { along: number; beside: number } {
  const [x0, y0, x1, y1] = LINE;
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  return { along: (x - x0) * ux + (y - y0) * uy, beside: (y - y0) * ux - (x - x0) * uy };
}

/** The vessel follows the line and bends away beyond its ends; a thin branch leaves it in the lower right. */
function vessels(): Float64Array {
  const random = uniform(11);
  const cells = Array.from({ length: 22 }, () => ({
    along: -70 + 190 * random.next().value,
    beside: 3 * (random.next().value - 0.5),
  }));
  return image(SIDE, SIDE, (y, x) => {
    const { along, beside } = lineCoordinates(x, y);
    const outside = Math.max(0, -along, along - 47);
    const centre = (along < 0 ? 0.016 : -0.013) * outside ** 2;
    const across = beside - centre;
    const wall = 1 / (1 + Math.exp((Math.abs(across) - 4.6) / 0.7));
    let shadow = 0;
    for (const cell of cells) shadow += 0.5 * bump(along - cell.along, 2.4) * bump(across - cell.beside, 2.6);
    const branch = bump(x - 96 + 0.2 * (y - 68) + 5 * Math.sin(y / 13), 1.7) / (1 + Math.exp((66 - y) / 2));
    const deep = 0.16 * bump(y - 100 - 0.25 * x + 0.004 * (x - 50) ** 2, 6);
    return 230 + 2500 * wall * (1 - Math.min(0.75, shadow)) + 1300 * branch + 1100 * deep;
  });
}

/** Cell bodies: those that the line passes, at their columns, and some others; each with a darker nucleus. */
function cellBodies(): Float64Array {
  const [x0, y0, x1, y1] = LINE;
  const passed = ACTIVE.map(({ column, width }) => ({
    x: x0 + (x1 - x0) * column / (COLUMNS - 1),
    y: y0 + (y1 - y0) * column / (COLUMNS - 1),
    radius: width * 1.5,
    light: 1,
  }));
  const others = [[20, 74, 6.5, 0.8], [34, 104, 5.5, 0.55], [104, 26, 7, 0.9], [88, 100, 6, 0.7], [
    112,
    84,
    4.5,
    0.45,
  ], [62, 84, 5, 0.4]]
    .map(([x, y, radius, light]) => ({ x: x!, y: y!, radius: radius!, light: light! }));
  return image(SIDE, SIDE, (y, x) => {
    let light = 210 + 60 * Math.sin(x / 19) * Math.cos(y / 23);
    for (const cell of [...passed, ...others]) {
      const distance = Math.hypot(x - cell.x, 1.15 * (y - cell.y));
      const body = 1 / (1 + Math.exp((distance - cell.radius) / 0.9));
      light += 1500 * cell.light * body * (1 - 0.45 * bump(distance, cell.radius * 0.45));
    }
    return light;
  });
}

/** The bytes of the sample. */
export function sampleLineScan(): Uint8Array<ArrayBuffer> {
  return writeOir({
    width: COLUMNS,
    height: SIDE,
    depth: 2,
    channels: [{ id: CHANNEL_1, name: "CH1" }, { id: CHANNEL_2, name: "CH2" }],
    frames: [{ axes: "t001", planes: [detected(plasma(), 1), detected(calcium(), 2)] }],
    stripBytes: 11_264,
    pixel: { x: PIXEL, y: PIXEL },
    created: "2025-10-30T14:54:36.454-07:00",
    system: "generated by examples/make_sample.ts, no microscope",
    axes: [{ type: "TIMELAPSE", maxSize: LINES }],
    scanners: { Galvano: 1000 * LINE_PERIOD, Resonant: 33.3 },
    overview: { width: SIDE, height: SIDE },
    line: LINE,
    reference: {
      width: SIDE,
      height: SIDE,
      planes: { [CHANNEL_1]: detected(vessels(), 3), [CHANNEL_2]: detected(cellBodies(), 4) },
    },
  });
}

if (import.meta.main) {
  await Deno.writeFile(fileURLToPath(new URL("./line_scan.oir", import.meta.url)), sampleLineScan());
}
