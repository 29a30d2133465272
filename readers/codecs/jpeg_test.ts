/** Markers of JPEG streams by hand (ITU-T T.81, annex B): what does not fit the strip is refused before the decoder sees it. */
import { deepEqual, rejects } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { jpeg } from "./jpeg.ts";

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];

const segment = (
  code: number,
  ...body: number[]
) => [0xff, code, (body.length + 2) >> 8, (body.length + 2) & 255, ...body];

const times = (count: number, ...values: number[]) => new Array<number[]>(count).fill(values).flat();

/** A Huffman table: how many codes there are of each length, from 1 on, and their symbols. */
const huffman = (id: number, counts: number[], ...symbols: number[]) => [
  ...[id, ...counts, ...times(16 - counts.length, 0)],
  ...symbols,
];

/** Code 0 stands for no bits, 10 for four of them; code 0 of the second ends a block. */
const TABLES = segment(0xc4, ...huffman(0x00, [1, 1], 0, 4), ...huffman(0x10, [1], 0));
const QUANTIZATION = segment(0xdb, 0, ...times(64, 8));
const FRAME = [8, 0, 8, 0, 8, 1, 1, 0x11, 0];
const SCAN = [1, 1, 0x00, 0, 63, 0];
/** Code 10, the bits 1001, code 0, a bit of padding: coefficient 0 is 9. Times 8, divided by 8, plus 128 that is 137. */
const DATA = [0b10100101];

interface Parts {
  readonly start?: number[];
  readonly tables?: number[];
  readonly frame?: number[];
  readonly before?: number[];
  readonly scan?: number[];
  readonly data?: number[];
  readonly end?: number[];
}

const stream = (parts: Parts = {}) =>
  Uint8Array.from([
    ...parts.start ?? SOI,
    ...parts.tables ?? [...QUANTIZATION, ...TABLES],
    ...parts.frame ?? segment(0xc0, ...FRAME),
    ...parts.before ?? [],
    ...parts.scan ?? segment(0xda, ...SCAN),
    ...parts.data ?? DATA,
    ...parts.end ?? EOI,
  ]);

const decoded = async (parts: Parts, change: Parameters<typeof strip>[2] = {}) => [
  ...await jpeg.decode(stream(parts), strip(8, 8, change)),
];

const READ: Readonly<Record<string, Parts>> = {
  "all in order": {},
  "fill bytes before a marker": { before: [0xff, 0xff, 0xff] },
  "a comment with an end marker in it": { before: segment(0xfe, ...times(20, 1), ...EOI, 1) },
  "an empty comment": { before: [0xff, 0xfe, 0, 2] },
  "bytes after its end": { end: [...EOI, 1, 2, 0xff] },
  "an extended frame": { frame: segment(0xc1, ...FRAME) },
};

for (const [name, parts] of Object.entries(READ)) {
  Deno.test(`reads JPEG with ${name}`, async () => deepEqual(await decoded(parts), times(64, 137)));
}

const NOT_READ = "which is not read \\(docs/formats/tiff.md#what-is-refused\\)$";

const REFUSED: readonly (readonly [string, Parts, RegExp])[] = [
  ["another first byte", { start: [0xfe, 0xd8] }, /does not start/],
  ["another second byte", { start: [0xff, 0xd7] }, /does not start/],
  ["a second start", { before: SOI }, /starts twice/],
  ["no end", { end: [] }, /no end marker/],
  ["half an end", { end: [0xff] }, /no end marker/],
  ["a segment of 1 byte", { before: [0xff, 0xfe, 0, 1] }, /fe ends early/],
  ["a segment that ends after the stream", { end: segment(0xfe, 1, 2, 3).slice(0, -1) }, /fe ends early/],
  ["a segment without its length", { end: [0xff, 0xfe] }, /fe ends early/],
  ["no tables", { tables: [] }, /decoder finds the data damaged/],
  ["three codes of one bit", { tables: segment(0xc4, ...huffman(0, [3], 0, 1, 2)) }, /decoder finds/],
  ["two frames", { before: segment(0xc0, ...FRAME) }, /two frames/],
  ["no frame", { frame: [] }, /before its frame/],
  ["no scan", { scan: [], data: [] }, /ends without a scan/],
  ["no content", { tables: [], frame: [], scan: [], data: [] }, /ends without a scan/],
  ["a frame header of 5 bytes", { frame: segment(0xc0, 8, 0, 8, 0, 8) }, /frame header/],
  ["a frame header of no components", { frame: segment(0xc0, 8, 0, 8, 0, 8, 0) }, /frame header/],
  ["a frame header that is too long", { frame: segment(0xc0, ...FRAME, 0) }, /frame header/],
  ["a scan of another component", { scan: segment(0xda, 1, 2, 0, 0, 63, 0) }, /1 of its components have no/],
  ["half of its data", { data: [] }, /decoder finds the data damaged/],
  ["hierarchical coding", { frame: segment(0xc5, ...FRAME) }, new RegExp(`coding c5, ${NOT_READ}`)],
  ["arithmetic coding", { frame: segment(0xc9, ...FRAME) }, new RegExp(`coding c9, ${NOT_READ}`)],
  [
    "12 bits",
    { frame: segment(0xc1, 12, ...FRAME.slice(1)) },
    new RegExp(`^strip 0 is JPEG of 12 bits a sample, ${NOT_READ}`),
  ],
  [
    "16 bits without loss",
    { frame: segment(0xc3, 16, ...FRAME.slice(1)) },
    new RegExp(`^strip 0 is JPEG of 16 bits a sample, ${NOT_READ}`),
  ],
];

for (const [name, parts, message] of REFUSED) {
  Deno.test(`rejects JPEG with ${name}`, async () => {
    await rejects(
      () => decoded(parts),
      (error: Error) => /^strip 0 is (damaged )?JPEG/.test(error.message) && message.test(error.message),
    );
  });
}

Deno.test("requires the size and bit depth of the strip in a JPEG", async () => {
  const read = (width: number, rows: number, fullRows: number, samples = 1, bits = 8) =>
    jpeg.decode(stream(), strip(width, rows, { fullRows, samples, settings: { bits: [bits] } }));
  for (const [rows, fullRows] of [[8, 8], [7, 8], [1, 9], [8, 7]] as const) await read(8, rows, fullRows);
  for (const [width, rows, fullRows] of [[7, 8, 8], [9, 8, 8], [8, 9, 9], [8, 6, 7]] as const) {
    await rejects(async () => await read(width, rows, fullRows), /it is 8 x 8 x 1, not/);
  }
  await read(8, 8, 8, 1, 6);
  await rejects(async () => await read(8, 8, 8, 1, 9), /8 bits per sample, the page 9/);
});

Deno.test("bounds the scans of a JPEG by its size, since its decoder cannot be stopped", async () => {
  // 2^29 samples are 8 scans of 8192 x 8192.
  const large = (scans: number) =>
    stream({
      frame: segment(0xc2, 8, 32, 0, 32, 0, 1, 1, 0x11, 0),
      before: times(scans - 1, ...segment(0xda, 1, 1, 0, 0, 0, 0), ...DATA),
    });
  const read = async (scans: number) => await jpeg.decode(large(scans), strip(8192, 8192));
  await rejects(
    () => read(9),
    /damaged JPEG: its decoder cannot be stopped, so at most 8 scans of this size/,
  );
  await rejects(() => read(8), /its decoder finds the data damaged/);
});

Deno.test("rejects JPEG of two and of four components", async () => {
  for (const samples of [2, 4]) {
    const ids = Array.from({ length: samples }, (_, i) => i + 1);
    const frame = segment(0xc0, 8, 0, 8, 0, 8, samples, ...ids.flatMap((id) => [id, 0x11, 0]));
    const scan = segment(0xda, samples, ...ids.flatMap((id) => [id, 0]), 0, 63, 0);
    await rejects(
      () => decoded({ frame, scan, data: times(samples, 0b10100101) }, { samples }),
      new RegExp(`^DecodeFailed: strip 0 is JPEG of ${samples} components, ${NOT_READ}`),
    );
  }
});

Deno.test("merges the tables of a page into its JPEG streams", async () => {
  const tables = Uint8Array.from([...SOI, ...QUANTIZATION, ...TABLES, ...EOI]);
  const settings = { jpegTables: tables };
  deepEqual(await decoded({ tables: [] }, { settings }), times(64, 137));
  // Tables of the stream itself replace them: steps of 16 in place of 8.
  const own = segment(0xdb, 0, ...times(64, 16));
  deepEqual(await decoded({ tables: own }, { settings }), times(64, 146));
  await rejects(
    () => decoded({ tables: [] }, { settings: { jpegTables: tables.slice(0, 40) } }),
    /db ends early/,
  );
});
