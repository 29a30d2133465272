/**
 * A line scan to measure in: channel 1 has streaks that move by 0.5 pixels a line, channel 2 calcium transients in columns 30
 * to 49. 2.118 ms a line, 0.45 µm a pixel.
 */
import { scanFile } from "./line_scan.ts";
import { normalNumbers, randomNumbers, streaks } from "./streaks.ts";

/** Rows (time) and columns (space). */
export const SCAN_SHAPE = [600, 80] as const;

/** Seconds a line and micrometres a pixel. */
export const [LINE_TIME, PIXEL_SIZE] = [0.002118, 0.45] as const;

/** Pixels a line. */
export const STREAK_VELOCITY = 0.5;

/** Lines at which the transients begin. */
export const TRANSIENTS = [120, 380] as const;

export const ACTIVE = [30, 50] as const;

/** Brightness of channel 2 without noise: 100, and in the active columns three times that at a transient's beginning. */
export function calcium(line: number, column: number): number {
  if (column < ACTIVE[0] || column >= ACTIVE[1]) return 100;
  return TRANSIENTS.reduce((sum, start) => {
    const t = line - start;
    return t <= 0 ? sum : sum + 200 * (1 - Math.exp(-t / 8)) * Math.exp(-t / 60);
  }, 100);
}

export function scanPlanes(
  columns: number = SCAN_SHAPE[1],
): [Uint16Array<ArrayBuffer>, Uint16Array<ArrayBuffer>] {
  const [lines] = SCAN_SHAPE;
  const moving = streaks({ lines, columns, velocity: STREAK_VELOCITY, noise: 0.5, seed: 4 });
  const normal = normalNumbers(randomNumbers(12));
  return [
    Uint16Array.from(moving, (value) => Math.max(0, Math.round(10 * value))),
    Uint16Array.from(
      { length: lines * columns },
      (_, i) => Math.round(10 * calcium(Math.floor(i / columns), i % columns) + 30 * normal()),
    ),
  ];
}

/** The bytes of the file, with so many columns and the first lines. */
export function measuredScan(
  columns: number = SCAN_SHAPE[1],
  planes: readonly Uint16Array<ArrayBuffer>[] = scanPlanes(columns),
  lines: number = SCAN_SHAPE[0],
): Uint8Array {
  const reference = Uint16Array.from({ length: 128 * 128 }, (_, i) => {
    const [row, column] = [Math.floor(i / 128), i % 128];
    return 200 + 1500 * Math.exp(-(((row - 20 - (column - 20) * 0.806) / 9) ** 2));
  });
  // The line is 79.6 pixels long, as the line scan is wide.
  const first = planes.map((plane) => plane.subarray(0, lines * columns));
  return scanFile([lines, columns], first, [reference, reference], [20, 20, 82, 70]);
}
