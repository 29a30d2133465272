/** Draws a plane with characters: two pixels a character on a terminal of many colours, else shades of ASCII. */

/** A place in a plane: x counts columns, y counts rows. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const SHADES = " .:-=+*#%@";
const WIDTH = 96;
const HEIGHT = 40;

/**
 * The plane transposed, as lines of text: rows of the plane run to the right, columns down.
 *
 * @param plane float32, row-major, `rows * columns` samples
 * @param path drawn over it, in pixels of the plane
 */
export function drawPlane(
  plane: Float32Array,
  rows: number,
  columns: number,
  path: readonly Point[] = [],
): string {
  const colours = Deno.stdout.isTerminal();
  const width = Math.min(WIDTH, rows);
  const height = Math.min(HEIGHT, columns);
  const cells = shrink(plane, rows, columns, width, height);
  const marked = cells.map((line) => line.map(() => false));
  for (const { x, y } of along(path)) {
    const line = marked[Math.floor((x + 0.5) * cells.length / columns)];
    const at = Math.floor((y + 0.5) * width / rows);
    if (line && at >= 0 && at < width) line[at] = true;
  }
  const lines: string[] = [];
  for (let top = 0; top < cells.length; top += 2) {
    const text = cells[top]!.map((upper, i) => {
      const lower = cells[top + 1]?.[i] ?? 0;
      const on = [marked[top]![i]!, marked[top + 1]?.[i] ?? false] as const;
      if (!colours) {
        return on[0] || on[1] ? "o" : SHADES[Math.round((upper + lower) / 2 * (SHADES.length - 1))]!;
      }
      return `\x1b[38;5;${on[0] ? 226 : grey(upper)};48;5;${on[1] ? 226 : grey(lower)}m\u2580`;
    }).join("");
    lines.push(`  ${text}${colours ? "\x1b[0m" : ""}`);
  }
  return lines.join("\n");
}

/** Means of the transposed plane, scaled to 0..1 between its 1st and 99th percentile. */
function shrink(
  plane: Float32Array,
  rows: number,
  columns: number,
  width: number,
  height: number,
): number[][] {
  const part = (i: number, of: number, size: number) => {
    const start = Math.floor(i * size / of);
    return [start, Math.max(start + 1, Math.floor((i + 1) * size / of))] as const;
  };
  const mean = (u: number, v: number) => {
    const [firstRow, endRow] = part(u, width, rows);
    const [firstColumn, endColumn] = part(v, height, columns);
    let sum = 0;
    for (let r = firstRow; r < endRow; r += 1) {
      for (let c = firstColumn; c < endColumn; c += 1) sum += plane[r * columns + c]!;
    }
    return sum / ((endRow - firstRow) * (endColumn - firstColumn));
  };
  const cells = Array.from({ length: height }, (_, v) => Array.from({ length: width }, (_, u) => mean(u, v)));
  const sorted = cells.flat().filter(Number.isFinite).sort((a, b) => a - b);
  const low = sorted[Math.floor(sorted.length * 0.01)] ?? 0;
  const high = sorted[Math.floor(sorted.length * 0.99)] ?? 1;
  const scale = (value: number) => Math.min(1, Math.max(0, (value - low) / (high - low || 1))) || 0;
  return cells.map((line) => line.map(scale));
}

/** Points along a polyline, close enough to leave no gap. */
function* along(path: readonly Point[]): Generator<Point> {
  for (let i = 0; i + 1 < path.length; i += 1) {
    const [a, b] = [path[i]!, path[i + 1]!];
    const steps = Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) * 2) || 1;
    for (let s = 0; s <= steps; s += 1) {
      yield { x: a.x + (b.x - a.x) * s / steps, y: a.y + (b.y - a.y) * s / steps };
    }
  }
}

/** Colour 232 to 255 of the 256 is a ramp of greys. */
const grey = (value: number) => 232 + Math.round(value * 23);
