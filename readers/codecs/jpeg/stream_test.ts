/** JPEG streams by hand (ITU-T T.81, annex B): each bound of each segment at its value and one beyond. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { strip } from "../../../tests/fixtures/strip.ts";
import { jpeg } from "./mod.ts";

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

/** Code 0 stands for no bits, 10 for four of them. */
const DC = huffman(0x00, [1, 1], 0, 4);
/** Code 0 ends a block. */
const AC = huffman(0x10, [1], 0);
const QUANTIZATION = segment(0xdb, 0, ...times(64, 8));
const FRAME = [8, 0, 8, 0, 8, 1, 1, 0x11, 0];
const SCAN = [1, 1, 0x00, 0, 63, 0];
/** Code 10, the bits 1001, code 0, a bit of padding: coefficient 0 is 9. Times 8, divided by 8, plus 128 that is 137. */
const DATA = [0b10100101];

interface Parts {
  readonly start?: number[];
  readonly quantization?: number[];
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
    ...parts.quantization ?? QUANTIZATION,
    ...parts.tables ?? segment(0xc4, ...DC, ...AC),
    ...parts.frame ?? segment(0xc0, ...FRAME),
    ...parts.before ?? [],
    ...parts.scan ?? segment(0xda, ...SCAN),
    ...parts.data ?? DATA,
    ...parts.end ?? EOI,
  ]);

const decoded = (parts: Parts, change: Parameters<typeof strip>[2] = {}) =>
  jpeg.decode(stream(parts), strip(8, 8, change)) as Uint8Array;

const progressive = (start: number, end: number, approximation: number, data = [0b01111111]) => ({
  frame: segment(0xc2, ...FRAME),
  scan: segment(0xda, 1, 1, 0, start, end, approximation),
  data,
});
const scans = (count: number) =>
  Array.from({ length: count - 1 }, () => [...segment(0xda, ...SCAN), ...DATA]).flat();

const READ: Readonly<Record<string, Parts>> = {
  "all in order": {},
  "no end": { end: [] },
  "fill bytes before a marker": { before: [0xff, 0xff, 0xff] },
  "markers without a segment": { before: [0xff, 0x01, 0xff, 0xd0, 0xff, 0xd7] },
  "a comment of 300 bytes with an end marker in it": {
    before: segment(0xfe, ...times(280, 1), ...EOI, ...times(16, 1)),
  },
  "an empty comment": { before: [0xff, 0xfe, 0, 2] },
  "a reserved extension": { before: segment(0xc8, 1, 2) },
  "a comment that ends with the bytes": { end: segment(0xfe, 1, 2, 3) },
  "bytes that are left over between segments": { end: [1, 2, ...EOI] },
  "two quantization tables in a segment": {
    quantization: segment(0xdb, 3, ...times(64, 1), 0, ...times(64, 8)),
  },
  "the last quantization table": {
    quantization: segment(0xdb, 3, ...times(64, 8)),
    frame: segment(0xc0, ...FRAME.slice(0, -1), 3),
  },
  "a quantization table of 16 bits": { quantization: segment(0xdb, 0x10, ...times(64, 0, 8)) },
  "the last Huffman tables": {
    tables: segment(0xc4, ...huffman(0x03, [1, 1], 0, 4), ...huffman(0x13, [1], 0)),
    scan: segment(0xda, 1, 1, 0x33, 0, 63, 0),
  },
  "a Huffman table in which each code of its length is used": {
    tables: segment(0xc4, ...huffman(0x00, [0, 4], 0, 0, 4, 0), ...AC),
    // Code 10, bits 1001, code 0.
    data: [0b10100101],
  },
  "a difference of 16 bits in a table": {
    tables: segment(0xc4, ...huffman(0x00, [1, 1, 1], 0, 4, 16), ...AC),
  },
  // Code 1 of 7, 8, 9 and 16 bits, followed by zeros; then 1001 and 0.
  "a code of 7 bits": {
    tables: segment(0xc4, ...huffman(0x00, [1, 0, 0, 0, 0, 0, 1], 0, 4), ...AC),
    data: [0b1000_0001, 0b0010_1111],
  },
  "a code of 8 bits": {
    tables: segment(0xc4, ...huffman(0x00, [1, 0, 0, 0, 0, 0, 0, 1], 0, 4), ...AC),
    data: [0b1000_0000, 0b1001_0111],
  },
  "a code of 9 bits": {
    tables: segment(0xc4, ...huffman(0x00, [1, 0, 0, 0, 0, 0, 0, 0, 1], 0, 4), ...AC),
    data: [0b1000_0000, 0b0100_1011],
  },
  "a code of 16 bits": {
    tables: segment(0xc4, ...huffman(0x00, [1, ...times(14, 0), 1], 0, 4), ...AC),
    data: [0x80, 0x00, 0b1001_0111],
  },
  "an extended frame": { frame: segment(0xc1, ...FRAME) },
  "one component with the largest factors": {
    // The blocks of a scan of one component follow each other: one here.
    frame: segment(0xc0, ...FRAME.slice(0, -2), 0x44, 0),
  },
  "500 scans": { before: scans(500), end: [] },
  "a progressive scan": progressive(0, 0, 0x00, DATA),
};

for (const [name, parts] of Object.entries(READ)) {
  Deno.test(`reads JPEG with ${name}`, () => deepEqual([...decoded(parts)], times(64, 137)));
}

/** Of all coefficients 0. */
const GREY: Readonly<Record<string, Parts>> = {
  "shifted by 13 bits": progressive(0, 0, 0x0d),
  "that refines": progressive(0, 0, 0x10),
  "of one coefficient, the last": progressive(63, 63, 0x00),
  "of all coefficients but the first": progressive(1, 63, 0x00),
  "that refines other coefficients": progressive(1, 63, 0xdc),
};

for (const [name, parts] of Object.entries(GREY)) {
  Deno.test(`reads JPEG with a progressive scan ${name}`, () =>
    deepEqual([...decoded(parts)], times(64, 128)));
}

const lossless = (parameters: number[]) => ({
  frame: segment(0xc3, ...FRAME),
  scan: segment(0xda, 1, 1, 0, ...parameters),
  data: times(8, 0),
});

for (let predictor = 1; predictor <= 7; predictor += 1) {
  Deno.test(`reads lossless JPEG with predictor ${predictor} and no differences as grey`, () => {
    deepEqual([...decoded(lossless([predictor, 0, 0]))], times(64, 128));
  });
}

Deno.test("restores the low bits that lossless JPEG was coded without", () => {
  // Of 8 bits 7 are left out: predictions begin at half of the range of 1 bit, which is 2^0.
  deepEqual([...decoded(lossless([1, 0, 7]))], times(64, 128));
});

const NONSENSE = /parameters/;

const REFUSED: readonly (readonly [string, Parts, RegExp])[] = [
  ["another first byte", { start: [0xfe, 0xd8] }, /does not start/],
  ["another second byte", { start: [0xff, 0xd7] }, /does not start/],
  ["a second start", { before: SOI }, /starts twice/],
  ["the lowest reserved marker", { before: segment(0x02) }, /marker 2, which/],
  ["the highest reserved marker", { before: segment(0xbf) }, /marker bf, which/],
  ["a segment of 1 byte", { before: [0xff, 0xfe, 0, 1] }, /fe ends early/],
  [
    "a segment that ends a byte after the last",
    { end: segment(0xfe, 1, 2, 3).slice(0, -1) },
    /fe ends early/,
  ],
  ["a segment without its length", { end: [0xff, 0xfe] }, /fe ends early/],
  [
    "a fifth quantization table",
    { quantization: segment(0xdb, 4, ...times(64, 8)) },
    /quantization table is d/,
  ],
  [
    "a short quantization table",
    { quantization: segment(0xdb, 0, ...times(63, 8)) },
    /quantization table is d/,
  ],
  [
    "a short quantization table of 16 bits",
    { quantization: segment(0xdb, 0x10, ...times(127, 8)) },
    /quantization table is d/,
  ],
  ["no quantization table", { quantization: [] }, /quantization table is missing/],
  ["a fifth Huffman table", { tables: segment(0xc4, ...huffman(0x04, [1], 0)) }, /Huffman table is d/],
  ["a Huffman table without all counts", { tables: segment(0xc4, 0, ...times(15, 0)) }, /Huffman table is d/],
  [
    "a Huffman table without its last symbol",
    { tables: segment(0xc4, ...huffman(0, [1, 1], 0)) },
    /Huffman table is d/,
  ],
  ["a difference of 17 bits", { tables: segment(0xc4, ...huffman(0, [1], 17)) }, /Huffman table is d/],
  ["three codes of one bit", { tables: segment(0xc4, ...huffman(0, [3], 0, 1, 2)) }, /too many codes/],
  ["no table of differences", { tables: segment(0xc4, ...AC) }, /Huffman table is missing/],
  ["no table of other coefficients", { tables: segment(0xc4, ...DC) }, /Huffman table is missing/],
  ["a code that no table has", { data: [0xff, 0, 0xff, 0, 0xff, 0] }, /not in its table/],
  ["a restart interval of one byte", { before: segment(0xdd, 0) }, /restart interval/],
  ["a restart interval of three bytes", { before: segment(0xdd, 0, 0, 0) }, /restart interval/],
  ["hierarchical coding", { frame: segment(0xc5, ...FRAME) }, /coding c5/],
  ["arithmetic coding", { frame: segment(0xcf, ...FRAME) }, /coding cf/],
  ["two frames", { before: segment(0xc0, ...FRAME) }, /two frames/],
  ["no frame", { frame: [] }, /before its frame/],
  ["no scan", { scan: [], data: [] }, /ends without a scan/],
  ["501 scans", { before: scans(501) }, /more than 500/],
  ["a frame header of 5 bytes", { frame: segment(0xc0, 8, 0, 8, 0, 8) }, /frame header/],
  ["a frame header of no components", { frame: segment(0xc0, 8, 0, 8, 0, 8, 0) }, /frame header/],
  ["a frame header that is too long", { frame: segment(0xc0, ...FRAME, 0) }, /frame header/],
  ["a frame header that is too short", { frame: segment(0xc0, ...FRAME.slice(0, -1)) }, /frame header/],
  ...[0x01, 0x10, 0x51, 0x15].map((factors) =>
    [
      `sampling factors ${factors >> 4} and ${factors & 15}`,
      { frame: segment(0xc0, ...FRAME.slice(0, -2), factors, 0) },
      /sampling factors/,
    ] as const
  ),
  ["an empty scan header", { scan: segment(0xda) }, /scan header/],
  ["a scan of no components", { scan: segment(0xda, 0, 0, 63, 0) }, /scan header/],
  [
    "a scan of five components",
    { scan: segment(0xda, 5, ...times(5, 1, 0), 0, 63, 0) },
    /scan header/,
  ],
  ["a scan header that is too long", { scan: segment(0xda, ...SCAN, 0) }, /scan header/],
  ["a scan header that is too short", { scan: segment(0xda, ...SCAN.slice(0, -1)) }, /scan header/],
  ["a scan of another component", { scan: segment(0xda, 1, 2, 0, 0, 63, 0) }, /names component 2/],
  ["a scan up to coefficient 64", { scan: segment(0xda, 1, 1, 0, 0, 64, 0) }, /coefficients 0 to 64/],
  ["a scan that starts after its end", { scan: segment(0xda, 1, 1, 0, 5, 4, 0) }, /coefficients 5 to 4/],
  ["a progressive scan up to coefficient 64", progressive(1, 64, 0), NONSENSE],
  ["a progressive scan of the first coefficient and another", progressive(0, 1, 0), NONSENSE],
  ["a progressive scan that starts after its end", progressive(2, 1, 0), NONSENSE],
  ["a progressive scan shifted by 14 bits", progressive(0, 0, 0x0e), NONSENSE],
  ["a progressive scan that refines by two bits", progressive(0, 0, 0x20), NONSENSE],
  ["a progressive scan that refines by none", progressive(0, 0, 0x11), NONSENSE],
  ["predictor 0", lossless([0, 0, 0]), NONSENSE],
  ["predictor 8", lossless([8, 0, 0]), NONSENSE],
  ["a lossless scan with an end", lossless([1, 1, 0]), NONSENSE],
  ["a lossless scan that refines", lossless([1, 0, 0x10]), NONSENSE],
  ["a lossless scan without any bits", lossless([1, 0, 8]), NONSENSE],
  ["data that end early", { data: [], end: EOI }, /entropy-coded data end early/],
];

for (const [name, parts, message] of REFUSED) {
  Deno.test(`rejects JPEG with ${name}`, () => {
    throws(
      () => decoded(parts),
      (error: Error) => error.message.startsWith("strip 0 is damaged JPEG") && message.test(error.message),
    );
  });
}

/** Two components, of which a scan names both. */
const pair = (kind: number, ...parameters: number[]) => ({
  frame: segment(kind, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0),
  scan: segment(0xda, 2, 1, 0, 2, 0, ...parameters),
});

Deno.test("rejects AC coefficients in a progressive scan of two components", () => {
  // Differences of 9 and of 0: code 10, bits 1001, code 0.
  const read = decoded({ ...pair(0xc2, 0, 0, 0), data: [0b10100101] }, { samples: 2 });
  deepEqual([...read], times(64, 137, 128));
  throws(() => decoded({ ...pair(0xc2, 1, 63, 0), data: [0] }, { samples: 2 }), NONSENSE);
});

Deno.test("requires a scan of each component of a JPEG", () => {
  const { frame } = pair(0xc0);
  throws(() => decoded({ frame }, { samples: 2 }), /1 of its components have no scan/);
  const second = [...segment(0xda, 1, 2, 0, 0, 63, 0), 0b00111111];
  deepEqual([...decoded({ frame, end: [...second, ...EOI] }, { samples: 2 })], times(64, 137, 128));
});

Deno.test("requires the size of the strip in a JPEG", () => {
  const read = (width: number, rows: number, fullRows: number, samples = 1) =>
    jpeg.decode(stream(), strip(width, rows, { fullRows, samples }));
  for (const [rows, fullRows] of [[8, 8], [7, 8], [1, 9], [8, 7]] as const) read(8, rows, fullRows);
  for (
    const [width, rows, fullRows, samples] of [[7, 8, 8], [9, 8, 8], [8, 9, 9], [8, 6, 7], [
      8,
      8,
      8,
      2,
    ]] as const
  ) {
    throws(() => read(width, rows, fullRows, samples), /it is 8 x 8 x 1, not/);
  }
});

Deno.test("reads a lossless JPEG whose columns are folded into components", () => {
  const folded = { ...pair(0xc3, 1, 0, 0), data: times(16, 0) };
  deepEqual([...jpeg.decode(stream(folded), strip(16, 8)) as Uint8Array], times(128, 128));
  throws(() => jpeg.decode(stream(folded), strip(8, 8)), /it is 8 x 8 x 2, not/);
  // Of a DCT they may not.
  throws(() => jpeg.decode(stream(pair(0xc0, 0, 63, 0)), strip(16, 8)), /it is 8 x 8 x 2, not/);
});

Deno.test("requires the bit depth of the page in a JPEG, up to whole bytes", () => {
  const read = (kind: number, precision: number, declared: number) =>
    decoded(
      kind === 0xc3
        ? { ...lossless([1, 0, 0]), frame: segment(kind, precision, ...FRAME.slice(1)) }
        : { frame: segment(kind, precision, ...FRAME.slice(1)) },
      { settings: { bits: [declared] } },
    );
  const good = [[0xc1, 8, 8], [0xc1, 8, 6], [0xc1, 12, 9], [0xc1, 12, 16], [0xc3, 2, 8], [0xc3, 8, 2], [
    0xc3,
    9,
    16,
  ], [0xc3, 16, 9]];
  for (const [kind, precision, declared] of good) read(kind!, precision!, declared!);
  const bad = [
    [0xc1, 7, 8],
    [0xc1, 9, 16],
    [0xc1, 13, 16],
    [0xc1, 12, 8],
    [0xc1, 8, 9],
    [0xc3, 1, 8],
    [0xc3, 17, 16],
    [0xc3, 9, 8],
    [0xc3, 8, 9],
    [0xc3, 16, 17],
  ];
  for (const [kind, precision, declared] of bad) {
    throws(
      () => read(kind!, precision!, declared!),
      new RegExp(`it has ${precision} bits per sample, the page ${declared}`),
    );
  }
});

/** Three components of one block each, whose first coefficients are 9, 9 and 9. */
const threes = (jfif: boolean) =>
  stream({
    start: [...SOI, ...segment(0xe0, ...new TextEncoder().encode(jfif ? "JFIF" : "JFXX"), 0)],
    frame: segment(0xc0, 8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0),
    scan: segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0),
    // 1010010 three times.
    data: [0b10100101, 0b01001010, 0b10010111],
  });

Deno.test("converts three components to RGB if the container or JFIF says YCbCr", () => {
  // JFIF 1.02: R = 137 + 1.402 * 9 = 149.6, G = 137 - 0.34414 * 9 - 0.71414 * 9 = 127.5, B = 137 + 1.772 * 9 = 152.9.
  const read = (
    jfif: boolean,
    colours: "ycbcr" | "rgb" | null,
  ) => [...jpeg.decode(threes(jfif), strip(8, 8, { samples: 3, settings: { colours } })) as Uint8Array];
  const rgb = times(64, 150, 127, 153);
  const stored = times(64, 137, 137, 137);
  deepEqual(read(false, "ycbcr"), rgb);
  deepEqual(read(true, "ycbcr"), rgb);
  deepEqual(read(true, "rgb"), rgb);
  deepEqual(read(false, "rgb"), stored);
  deepEqual(read(true, null), stored);
});

Deno.test("requires restart markers at their places, and nowhere else", () => {
  // Two blocks in a row: 137, then the difference 0 from the start, or from the block before.
  const blocks = (interval: number, ...data: number[]) =>
    jpeg.decode(
      stream({
        frame: segment(0xc0, 8, 0, 8, 0, 16, 1, 1, 0x11, 0),
        before: segment(0xdd, 0, interval),
        data,
      }),
      strip(16, 8),
    ) as Uint8Array;
  const row = (bytes: Uint8Array) => [bytes[0], bytes[8]];
  deepEqual(row(blocks(0, 0b10100100, 0b01111111)), [137, 137]);
  deepEqual(row(blocks(2, 0b10100100, 0b01111111)), [137, 137]);
  for (const marker of [0xd0, 0xd7]) {
    deepEqual(row(blocks(1, 0b10100101, 0xff, marker, 0b00111111)), [137, 128]);
    deepEqual(row(blocks(1, 0b10100101, 0xff, 0xff, 0xff, marker, 0b00111111)), [137, 128]);
  }
  for (const wrong of [[0xff, 0xcf], [0xff, 0xd8], [0xfe, 0xd0], [0xff], []]) {
    throws(() => blocks(1, 0b10100101, ...wrong, 0b00111111), /a restart marker is missing/, wrong.join());
  }
});

Deno.test("reads tables from a separate stream", () => {
  const jpegTables = Uint8Array.from([...SOI, ...QUANTIZATION, ...segment(0xc4, ...DC, ...AC), ...EOI]);
  const apart = stream({ quantization: [], tables: [] });
  const read = (tables: Uint8Array | null) =>
    jpeg.decode(apart, strip(8, 8, { settings: { jpegTables: tables } }));
  deepEqual([...read(jpegTables) as Uint8Array], times(64, 137));
  throws(() => read(null), /Huffman table is missing/);
  throws(() => read(Uint8Array.of(1, 2, 3)), /does not start with a JPEG marker/);
  // Of one or two bytes there are no tables.
  throws(() => read(Uint8Array.of(1, 2)), /Huffman table is missing/);
});

Deno.test("upsamples components to the size of the picture", () => {
  // Four, two and one block, of which the first is 9 (1010010) and the others no different (00).
  const data = [0b10100100, 0b00000101, 0b00100010, 0b10010111];
  for (const [turn, width, height] of [[0, 32, 8], [4, 8, 32]] as const) {
    const factors = [0x41, 0x21, 0x11].map((value) => turn === 0 ? value : value >> 4 | (value & 15) << 4);
    const parts = {
      frame: segment(0xc0, 8, 0, height, 0, width, 3, ...factors.flatMap((factor, i) => [i + 1, factor, 0])),
      scan: segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0),
      data,
    };
    const bytes = jpeg.decode(stream(parts), strip(width, height, { samples: 3 })) as Uint8Array;
    deepEqual([...bytes], times(256, 137, 137, 137));
  }
});

Deno.test("rejects a lossless JPEG with components of different sizes", () => {
  for (const factors of [0x21, 0x12]) {
    const frame = segment(0xc3, ...FRAME.slice(0, -2), factors, 0);
    throws(() => decoded({ ...lossless([1, 0, 0]), frame }), /components differ in size/);
  }
});

Deno.test("a restart marker resets the predictions of a lossless JPEG", () => {
  // 4 x 2 samples; the first differs by 9 from 128 (10, 1001), the others by nothing (0); predictor 2 is the sample above.
  const picture = (interval: number, data: number[]) => [
    ...jpeg.decode(
      stream({
        frame: segment(0xc3, 8, 0, 2, 0, 4, 1, 1, 0x11, 0),
        before: segment(0xdd, 0, interval),
        scan: segment(0xda, 1, 1, 0, 2, 0, 0),
        data,
      }),
      strip(4, 2),
    ) as Uint8Array,
  ];
  const [first, marker] = [0b10100100, [0xff, 0xd0]];
  deepEqual(picture(0, [first, 0b00000111]), times(8, 137));
  deepEqual(picture(8, [first, 0b00000111]), times(8, 137));
  deepEqual(picture(4, [first, 0b01111111, ...marker, 0b00001111]), [...times(4, 137), ...times(4, 128)]);
  // Within a row, where the recommendation has none, the rest of the row begins anew as well.
  const halves = [0b10100101, ...marker, 0b00111111, ...marker, 0b00111111, ...marker, 0b00111111];
  deepEqual(picture(2, halves), [137, 137, 128, 128, 128, 128, 128, 128]);
});

Deno.test("rejects a refining scan that places a coefficient on an existing one", () => {
  // Code 0 ends a block, 10 is a new coefficient of one bit, which follows.
  const tables = segment(0xc4, ...DC, ...huffman(0x10, [1, 1], 0, 1));
  const { frame, scan, data } = progressive(0, 0, 0x00);
  const first = [...scan, ...data, ...progressive(1, 1, 0x01).scan, 0b10111111];
  const refined = (...bits: number[]) =>
    decoded({ tables, frame, before: first, scan: progressive(1, 1, 0x10).scan, data: bits });
  refined(0b01111111);
  throws(() => refined(0b10111111), /more coefficients than its scan/);
});

Deno.test("accepts up to four components in a scan", () => {
  const parts = {
    frame: segment(0xc0, 8, 0, 8, 0, 8, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0x11, 0])),
    scan: segment(0xda, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0]), 0, 63, 0),
    data: [0b10100101, 0b01001010, 0b10010101, 0b00101111],
  };
  deepEqual([...decoded(parts, { samples: 4 })], times(64, 137, 137, 137, 137));
});

/** Entropy-coded data of some bits, filled up with ones. */
const packed = (bits: string) =>
  bits.match(/.{1,8}/g)!.flatMap((text) => {
    const byte = Number.parseInt(text.padEnd(8, "1"), 2);
    return byte === 0xff ? [byte, 0] : [byte];
  });

/** Bits of blocks of one value each: differences by codes of 4 bits, and a code of 16 bits that ends the block if `ac`. */
const bitsOf = (values: readonly number[], ac: boolean) =>
  values.map((value, i) => {
    const difference = value - (i > 0 ? values[i - 1]! : 0);
    const size = difference === 0 ? 0 : Math.abs(difference).toString(2).length;
    const stored = difference < 0 ? difference + 2 ** size - 1 : difference;
    const own = size === 0 ? "" : stored.toString(2).padStart(size, "0");
    return size.toString(2).padStart(4, "0") + own + (ac ? "1111111100000000" : "");
  }).join("");

Deno.test("reads pictures larger than the buffer of the decoder", () => {
  // Category n has the code n; blocks end with the only code of 16 bits that begins with a stuffed byte.
  const codes = [...times(7, 0), 255, ...times(7, 0), 1];
  const tables = segment(
    0xc4,
    ...huffman(0, [0, 0, 0, 12], ...Array.from({ length: 12 }, (_, i) => i)),
    ...huffman(0x10, codes, ...times(255, 1), 0),
  );
  const [wide, high] = [1500, 16];
  // 128 and the values come out, since the first coefficient is eight times the mean and the step is 8.
  const values = Array.from({ length: wide * high }, (_, i) => (i * i * 7 + i * 13) % 251 - 125);
  const [width, height] = [8 * wide, 8 * high];
  for (const [kind, end] of [[0xc0, 63], [0xc2, 0]] as const) {
    for (const restart of [0, 7, 1500]) {
      const interval = restart || values.length;
      const data = Array.from({ length: Math.ceil(values.length / interval) }, (_, i) => {
        const some = values.slice(i * interval, (i + 1) * interval);
        return [...packed(bitsOf(some, kind === 0xc0)), 0xff, 0xd0 + i % 8];
      }).flat();
      const bytes = jpeg.decode(
        stream({
          tables,
          frame: segment(kind, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
          before: segment(0xdd, restart >> 8, restart & 255),
          scan: segment(0xda, 1, 1, 0, 0, end, 0),
          data,
        }),
        strip(width, height),
      ) as Uint8Array;
      const wrong = bytes.findIndex((sample, i) =>
        sample !== 128 + values[(Math.floor(i / width) >> 3) * wide + (i % width >> 3)]!
      );
      equal(wrong, -1, `kind ${kind}, restart after ${restart}`);
    }
  }
});
