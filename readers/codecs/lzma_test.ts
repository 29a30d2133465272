/** .xz streams by hand (.xz file format 1.1), each statement of the container right and wrong. */
import { deepEqual, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { strip } from "../../tests/fixtures/strip.ts";
import { lzma } from "./lzma.ts";

const checked = (bytes: number[]) => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(Uint8Array.from(bytes)));
  return [...bytes, ...sum];
};
const padded = (
  bytes: number[],
  value = 0,
) => [...bytes, ...new Array<number>((4 - bytes.length % 4) % 4).fill(value)];

/** A number of seven bits a byte, lowest first. */
const variable = (value: number): number[] =>
  value < 128 ? [value] : [value & 127 | 128, ...variable(value >> 7)];

interface Block {
  /** Bits of the header: 0x40 packed, 0x80 decoded size, number of filters less 1. */
  readonly flags?: number;
  /** Sizes that the header states. */
  readonly sizes?: number[];
  readonly filters?: number[];
  readonly headerPadding?: number[];
  /** Bytes of the header beyond what it needs. */
  readonly data?: number[];
  readonly padding?: number;
  readonly check?: number[];
}

interface Stream {
  readonly magic?: number[];
  readonly flags?: number[];
  readonly headerSum?: number[];
  readonly blocks?: Block[];
  readonly decoded?: number[];
  readonly count?: number;
  readonly unpadded?: number;
  readonly indexPadding?: number;
  readonly backward?: number;
  readonly footerFlags?: number[];
  readonly footerMagic?: number[];
  readonly footerSum?: number[];
  readonly after?: number[];
}

/** A chunk of LZMA2 that is stored, with a new dictionary (1), and the end (0). */
const DATA = [1, 0, 4, 10, 20, 30, 40, 50, 0];
const LZMA2 = [0x21, 1, 0];

function blockOf(
  { flags = 0, sizes = [], filters = LZMA2, headerPadding, data = DATA, padding = 0, check = [] }: Block,
) {
  const fields = [0, flags, ...sizes.flatMap(variable), ...filters];
  const header = headerPadding ? [...fields, ...headerPadding] : padded(fields);
  header[0] = header.length / 4;
  const start = checked(header);
  return {
    bytes: [...padded([...start, ...data], padding), ...check],
    unpadded: start.length + data.length + check.length,
  };
}

function streamOf(parts: Stream = {}): Uint8Array {
  const { blocks = [{}], flags = [0, 0], decoded = blocks.map(() => 5) } = parts;
  const head = checked(flags).slice(2);
  const made = blocks.map(blockOf);
  const list = made.flatMap((
    { unpadded },
    i,
  ) => [...variable(parts.unpadded ?? unpadded), ...variable(decoded[i]!)]);
  const index = checked(padded([0, ...variable(parts.count ?? blocks.length), ...list], parts.indexPadding));
  const backward = Buffer.alloc(4);
  backward.writeUInt32LE(parts.backward ?? index.length / 4 - 1);
  const foot = [...backward, ...parts.footerFlags ?? flags];
  return Uint8Array.from([
    ...parts.magic ?? [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
    ...[...flags, ...parts.headerSum ?? head],
    ...made.flatMap(({ bytes }) => bytes),
    ...index,
    ...parts.footerSum ?? checked(foot).slice(6),
    ...foot,
    ...parts.footerMagic ?? [0x59, 0x5a],
    ...parts.after ?? [],
  ]);
}

const decoded = (
  parts: Stream,
  bytes = 5,
  mostBytes = bytes,
) => [...lzma.decode(streamOf(parts), strip(bytes, 1, { bytes, mostBytes })) as Uint8Array];

const FIVE = [10, 20, 30, 40, 50];
const block = (change: Block) => ({ blocks: [change] });
const SUM = checked(FIVE).slice(5);

const READ: Readonly<Record<string, Stream>> = {
  "one block": {},
  "a check of its data": { flags: [0, 1], blocks: [{ check: SUM }] },
  "both sizes in the header of a block": block({ flags: 0xc0, sizes: [DATA.length, 5] }),
  "the packed size alone": block({ flags: 0x40, sizes: [DATA.length] }),
  "the decoded size alone": block({ flags: 0x80, sizes: [5] }),
  "a longer header of a block": block({ headerPadding: [0, 0, 0, 0, 0, 0, 0] }),
  "zeros after its footer": { after: [0, 0, 0] },
  "two chunks": block({ data: [1, 0, 1, 10, 20, 2, 0, 2, 30, 40, 50, 0] }),
};

for (const [name, parts] of Object.entries(READ)) {
  Deno.test(`reads .xz with ${name}`, () => deepEqual(decoded(parts), FIVE));
}

Deno.test("reads consecutive .xz blocks, each with its own filters", () => {
  deepEqual(decoded({ blocks: [{}, {}] }, 10), [...FIVE, ...FIVE]);
  // Delta of a distance of 1 (property 0) and of 2.
  const delta = (property: number) => block({ flags: 1, filters: [3, 1, property, ...LZMA2] });
  deepEqual(decoded(delta(0)), [10, 30, 60, 100, 150]);
  deepEqual(decoded(delta(1)), [10, 20, 40, 60, 90]);
  deepEqual(decoded({ blocks: [{}, delta(0).blocks[0]!] }, 10), [...FIVE, 10, 30, 60, 100, 150]);
});

Deno.test("reads an index with two-byte sizes, and a stream without a block", () => {
  const many = Array.from({ length: 200 }, (_, i) => i);
  const parts = { blocks: [{ data: [1, 0, 199, ...many, 0] }], decoded: [200] };
  deepEqual(decoded(parts, 200), many);
  throws(() => decoded({ blocks: [] }), /gives 0 bytes of LZMA, 5 are needed/);
});

Deno.test("requires what a strip needs from LZMA, and at most three bytes more than it may hold", () => {
  deepEqual(decoded({}, 2, 2), FIVE);
  throws(() => decoded({}, 1, 1), /more than the 4 bytes/);
  throws(() => decoded({}, 6), /gives 5 bytes of LZMA, 6 are needed/);
});

const REFUSED: readonly (readonly [string, Stream, RegExp])[] = [
  ["another first byte", { magic: [0xfc, 0x37, 0x7a, 0x58, 0x5a, 0] }, /does not start as .xz/],
  ["another last byte of its start", { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 1] }, /does not start as .xz/],
  ["reserved flags", { flags: [1, 0] }, /its flags are 1 0/],
  ["a kind of check above 15", { flags: [0, 16] }, /its flags are 0 16/],
  ["a reserved kind of check", { flags: [0, 15] }, /integrity check 15 is not supported/],
  ["a wrong checksum of its header", { headerSum: [0, 0, 0, 0] }, /the checksum of its header/],
  ...[0x04, 0x08, 0x10, 0x20].map((flags) =>
    [
      `the reserved flag ${flags} of a block`,
      block({ flags }),
      new RegExp(`the flags of a block are ${flags}`),
    ] as const
  ),
  ["a wrong packed size", block({ flags: 0x40, sizes: [8] }), /the sizes of a block do not fit/],
  ["a wrong decoded size", block({ flags: 0x80, sizes: [6] }), /the sizes of a block do not fit/],
  ["a wrong packed and a right decoded size", block({ flags: 0xc0, sizes: [8, 5] }), /the sizes of a block/],
  ["padding of a block header", block({ headerPadding: [0, 0, 1] }), /its padding is not zero/],
  ["padding of a block", block({ padding: 1 }), /its padding is not zero/],
  ["a wrong check", { flags: [0, 1], blocks: [{ check: [0, 0, 0, 0] }] }, /integrity check of a block/],
  [
    "two filters of LZMA2",
    block({ flags: 1, filters: [...LZMA2, ...LZMA2] }),
    /its filter 33 is not supported/,
  ],
  ["delta after LZMA2", block({ flags: 1, filters: [...LZMA2, 3, 1, 0] }), /its filter 3 is not supported/],
  [
    "delta without its distance",
    block({ flags: 1, filters: [3, 0, ...LZMA2] }),
    /its filter 3 is not supported/,
  ],
  [
    "delta of two distances",
    block({ flags: 1, filters: [3, 2, 0, 0, ...LZMA2] }),
    /its filter 3 is not supported/,
  ],
  ["another filter", block({ filters: [4, 1, 0] }), /its filter 4 is not supported/],
  ["delta alone", block({ filters: [3, 1, 0] }), /holds no LZMA2/],
  [
    "a number that is padded",
    block({ flags: 0x80, sizes: [], filters: [0x85, 0, ...LZMA2] }),
    /a number in it is padded/,
  ],
  [
    "a number of eight bytes",
    block({ flags: 0x80, filters: [...new Array<number>(7).fill(0x81), 1, ...LZMA2] }),
    /a number in it is too large/,
  ],
  ["a count of one block too many", { count: 2 }, /its index lists 2 blocks of 1/],
  ["a count of one block too few", { count: 0 }, /its index lists 0 blocks of 1/],
  ["another size of a block in the index", { unpadded: 22 }, /the sizes in its index/],
  ["another decoded size in the index", { decoded: [6] }, /the sizes in its index/],
  ["another size of its index", { backward: 2 }, /declares an index of 12 bytes/],
  ["other flags in its footer", { footerFlags: [0, 1] }, /its header and its footer differ/],
  ["another last byte", { footerMagic: [0x59, 0x5b] }, /it has no footer/],
  ["another last byte but one", { footerMagic: [0x58, 0x5a] }, /it has no footer/],
  ["a wrong checksum of its footer", { footerSum: [0, 0, 0, 0] }, /the checksum of its footer/],
  ["bytes after its footer", { after: [0, 1] }, /something follows its footer/],
  ["a chunk that begins with 3", block({ data: [3, 0, 4, ...FIVE, 0] }), /its chunk begins with 3/],
  ["a chunk that begins with 127", block({ data: [0x7f, 0, 4, ...FIVE, 0] }), /its chunk begins with 127/],
  [
    "a first chunk without properties",
    block({ data: [0x80, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0] }),
    /has no properties/,
  ],
  ["properties of 225", block({ data: [0xe0, 0, 4, 0, 4, 225, 0, 0, 0, 0, 0, 0] }), /its properties are 225/],
  // lc 1 and lp 4 (9 * 4 + 1), more than 4 together.
  [
    "more than four bits of literals",
    block({ data: [0xe0, 0, 4, 0, 4, 37, 0, 0, 0, 0, 0, 0] }),
    /its properties are 37/,
  ],
  [
    "a chunk of four bytes",
    block({ data: [0xe0, 0, 4, 0, 3, 0x5d, 0, 0, 0, 0, 0] }),
    /does not begin with 0/,
  ],
  [
    "a chunk that begins with 1",
    block({ data: [0xe0, 0, 4, 0, 4, 0x5d, 1, 0, 0, 0, 0, 0] }),
    /does not begin with 0/,
  ],
];

for (const [name, parts, message] of REFUSED) {
  Deno.test(`rejects .xz with ${name}`, () => throws(() => decoded(parts), message));
}

Deno.test("rejects .xz truncated at any byte", () => {
  const stream = streamOf({ flags: [0, 1], blocks: [{ check: SUM }] });
  for (let length = 0; length < stream.length; length += 1) {
    throws(() => lzma.decode(stream.subarray(0, length), strip(5, 1)), /is damaged LZMA/, `${length} bytes`);
  }
});

/**
 * The literal 0 once, by the range coder: with each probability at one half, a code of 0 decodes zeros. The first bits, of
 * isMatch and eight of the literal, halve the range nine times, so that one byte more is taken.
 */
const zero = (...rest: number[]) => [0xe0, 0, 0, 0, 4 + rest.length, 0x5d, 0, 0, 0, 0, 0, ...rest, 0];

Deno.test("requires an LZMA chunk to use all of its bytes and to end with code 0", () => {
  const read = (...rest: number[]) => decoded({ blocks: [{ data: zero(...rest) }], decoded: [1] }, 1);
  deepEqual(read(0), [0]);
  throws(() => read(), /does not end with its data/);
  throws(() => read(0, 0), /does not end with its data/);
  throws(() => read(1), /does not end with its data/);
});

Deno.test("rejects .xz with non-zero padding in its index", () => {
  // 0, the count and four sizes are six bytes.
  throws(() => decoded({ blocks: [{}, {}], indexPadding: 1 }, 10), /its padding is not zero/);
});

/** The range coder of the LZMA specification. Each bit has a probability of its own, one half. */
function ranged(bits: string): number[] {
  let [low, range, bytes] = [0n, 0xffffffffn, 5];
  for (const bit of bits) {
    const bound = (range >> 11n) * 1024n;
    if (bit === "1") low += bound;
    range = bit === "1" ? range - bound : bound;
    if (range >= 1n << 24n) continue;
    [low, range, bytes] = [low << 8n, range << 8n, bytes + 1];
  }
  return low.toString(16).padStart(2 * bytes, "0").match(/../g)!.map((text) => Number.parseInt(text, 16));
}

/** A chunk that gives `size` bytes: its control byte, sizes, and properties (lc 3, lp 0, pb 2) if it has some. */
function chunk(control: number, size: number, bits: string): number[] {
  const data = ranged(bits);
  return [control, 0, size - 1, 0, data.length - 1, ...control >= 0xc0 ? [0x5d] : [], ...data];
}

/** A match (1) that is no repetition (0), of 2 bytes (0 000), so many back: slots 0 to 3 are the distance less 1. */
const match = (back: number) => "10" + "0000" + (back - 1).toString(2).padStart(6, "0");

Deno.test("resets dictionary, properties and state as the first byte of an LZMA chunk says", () => {
  const read = (length: number, ...chunks: number[][]) =>
    decoded({ blocks: [{ data: [...chunks.flat(), 0] }], decoded: [length] }, length);
  const [stored, more, fresh] = [[1, 0, 4, ...FIVE], [2, 0, 0, 7], [1, 0, 0, 7]];
  deepEqual(read(7, stored, chunk(0xc0, 2, match(2))), [...FIVE, 40, 50]);
  deepEqual(read(8, stored, more, chunk(0xc0, 2, match(2))), [...FIVE, 7, 50, 7]);
  deepEqual(read(8, stored, fresh, chunk(0xc0, 2, match(1))), [...FIVE, 7, 7, 7]);
  const before = /a match lies \d bytes back, before the start/;
  throws(() => read(8, stored, fresh, chunk(0xc0, 2, match(2))), before);
  throws(() => read(7, stored, chunk(0xe0, 2, match(1))), before);
  // All probabilities are one half again; without that they are not.
  const again = [chunk(0xc0, 2, match(2)), chunk(0xa0, 2, match(2))];
  deepEqual(read(9, stored, ...again), [...FIVE, 40, 50, 40, 50]);
  throws(() => read(9, stored, again[0]!, chunk(0x80, 2, match(2))), /is damaged LZMA/);
  throws(() => read(7, stored, chunk(0xa0, 2, match(1))), /has no properties/);
  // Two bytes are more than a chunk of one.
  throws(() => read(6, stored, chunk(0xc0, 1, match(2))), /goes beyond its chunk/);
});
