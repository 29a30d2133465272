/** Draws a plane in a terminal of 256 colours, two pixels a character. */

const WIDTH = 96;
const HEIGHT = 20;

/** True for a terminal with room and colours for a picture. */
export function hasPictures(): boolean {
  if (!Deno.stdout.isTerminal() || Deno.noColor) return false;
  const { columns } = Deno.consoleSize();
  return columns >= WIDTH + 4 && /256color|truecolor|24bit|kitty|alacritty/.test(terminal());
}

const terminal = () => `${Deno.env.get("TERM")} ${Deno.env.get("COLORTERM")}`;

/**
 * The plane transposed, as lines of text: rows of the plane run to the right, columns down.
 *
 * @param plane float32, row-major, `rows * columns` samples
 */
export function drawPlane(plane: Float32Array, rows: number, columns: number): string {
  const cells = shrink(plane, rows, columns, Math.min(WIDTH, rows), Math.min(HEIGHT, columns));
  const lines: string[] = [];
  for (let top = 0; top < cells.length; top += 2) {
    const text = cells[top]!.map((upper, i) =>
      `\x1b[38;5;${grey(upper)};48;5;${grey(cells[top + 1]?.[i] ?? 0)}m\u2580`
    ).join("");
    lines.push(`  ${text}\x1b[0m`);
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

/** Colour 232 to 255 of the 256 is a ramp of greys. */
const grey = (value: number) => 232 + Math.round(value * 23);
