/** Writes TIFF files of any size page by page, laid out as by microscopes: each directory before its own samples. */

/** A field of a directory: tag, type (1 BYTE, 2 ASCII, 3 SHORT, 4 LONG), values. */
export type Field = readonly [tag: number, type: 1 | 2 | 3 | 4, values: readonly number[]];

/** A page whose samples are coded already. */
export interface Page {
  readonly columns: number;
  readonly rows: number;
  /** By default 16. */
  readonly bits?: number;
  /** The strips of each channel; channels are planar. */
  readonly channels: readonly (readonly Uint8Array[])[];
  /** More fields, which replace its own. */
  readonly fields?: readonly Field[];
  /** Whether two values of 16 bits stand outside of their field, as LSM has it. */
  readonly isLsm?: boolean;
}

/** A smooth picture with noise in the lowest bits, as from a camera: little-endian uint16 samples. */
export function picture(columns: number, rows: number, seed = 0): Uint8Array<ArrayBuffer> {
  const samples = new Uint16Array(rows * columns);
  let state = 1 + seed;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = seed + 900 + 800 * Math.sin(i % columns / 90) * Math.cos(i / columns / 70) + (state >>> 28);
  }
  return new Uint8Array(samples.buffer);
}

/** Writes a file part by part. */
export function writeParts(path: string, parts: Iterable<Uint8Array>): void {
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  for (const part of parts) {
    for (let done = 0; done < part.length;) done += file.writeSync(part.subarray(done));
  }
}

const even = (length: number) => length + length % 2;

function fieldsOf({ columns, rows, bits = 16, channels, fields = [] }: Page): Field[] {
  const strips = channels.flat();
  const own: Field[] = [
    [256, 4, [columns]],
    [257, 4, [rows]],
    [258, 3, channels.map(() => bits)],
    [259, 3, [1]],
    [262, 3, [1]],
    [273, 4, strips.map(() => 0)],
    [277, 3, [channels.length]],
    [278, 4, [Math.ceil(rows / channels[0]!.length)]],
    [279, 4, strips.map(({ length }) => length)],
    [284, 3, [2]],
  ];
  return [...new Map([...own, ...fields].map((field) => [field[0], field])).values()].sort((a, b) =>
    a[0] - b[0]
  );
}

function stored([, type, values]: Field): Uint8Array {
  if (type === 4) return new Uint8Array(Uint32Array.from(values).buffer);
  return type === 3 ? new Uint8Array(Uint16Array.from(values).buffer) : Uint8Array.from(values);
}

/** A page at `start`: its directory with long values, and its strips, padded to an even length. */
function partsOf(page: Page, start: number, isLast: boolean): [directory: Uint8Array, ...rest: Uint8Array[]] {
  const [fields, strips] = [fieldsOf(page), page.channels.flat()];
  let at = 6 + 12 * fields.length;
  const isLong = (values: Uint8Array, count: number) => values.length > (page.isLsm && count > 1 ? 0 : 4);
  const long = fields.map((field) => isLong(stored(field), field[2].length) ? stored(field).length : 0);
  const bytes = new Uint8Array(long.reduce((sum, length) => sum + even(length), at));
  let end = start + bytes.length;
  const offsets = strips.map(({ length }) => (end += length) - length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, fields.length, true);
  view.setUint32(at - 4, isLast ? 0 : even(end), true);
  fields.forEach((field, i) => {
    const values = stored(field[0] === 273 ? [273, 4, offsets] : field);
    view.setUint16(2 + 12 * i, field[0], true);
    view.setUint16(4 + 12 * i, field[1], true);
    view.setUint32(6 + 12 * i, field[2].length, true);
    const outside = isLong(values, field[2].length);
    if (outside) view.setUint32(10 + 12 * i, start + at, true);
    bytes.set(values, outside ? at : 10 + 12 * i);
    if (outside) at += even(values.length);
  });
  return [bytes, ...strips, new Uint8Array(even(end) - end)];
}

/** Writes a little-endian TIFF. Returns the offset of the first strip of each page. */
export function writePages(path: string, pages: readonly Page[]): number[] {
  const parts: Uint8Array[] = [Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0)];
  let at = 8;
  const offsets = pages.map((page, i) => {
    const [directory, ...rest] = partsOf(page, at, i === pages.length - 1);
    parts.push(directory, ...rest);
    const offset = at + directory.length;
    at = rest.reduce((sum, { length }) => sum + length, offset);
    return offset;
  });
  writeParts(path, parts);
  return offsets;
}
