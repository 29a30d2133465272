/** Changes that turn a good file into one that an instrument never wrote. */
import type { Random } from "./random.ts";

type Mutation = (bytes: Uint8Array, random: Random, donor: Uint8Array) => Uint8Array;

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function replaced(bytes: Uint8Array, start: number, end: number, inserted: Uint8Array): Uint8Array {
  const out = new Uint8Array(start + inserted.length + (bytes.length - end));
  out.set(bytes.subarray(0, start));
  out.set(inserted, start);
  out.set(bytes.subarray(end), start + inserted.length);
  return out;
}

function piece(bytes: Uint8Array, random: Random): [start: number, end: number] {
  const start = random.below(bytes.length);
  const longest = random.oneIn(4) ? bytes.length : 64;
  return [start, Math.min(bytes.length, start + 1 + random.below(longest))];
}

/** Numbers at the edges of the widths that files use, and some that depend on the file. */
function edge(random: Random, size: number): bigint {
  const base = BigInt(random.of([
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0x100,
    0x7fff,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    2 ** 40,
    2 ** 53 - 1,
    size,
    size - 1,
    size + 1,
    size >> 1,
    random.below(size),
    random.below(4096),
  ]));
  return random.oneIn(20) ? BigInt.asUintN(64, -base) : base;
}

const flipBytes: Mutation = (bytes, random) => {
  const out = Uint8Array.from(bytes);
  for (let n = 1 + random.below(8); n > 0; n -= 1) out[random.below(out.length)] = random.below(256);
  return out;
};

const flipBit: Mutation = (bytes, random) => {
  const out = Uint8Array.from(bytes);
  const at = random.below(out.length);
  out[at] = out[at]! ^ (1 << random.below(8));
  return out;
};

/** Offsets, lengths and counts are words; most lie at even places, and the structure of a file near its ends. */
const setWord: Mutation = (bytes, random) => {
  const width = random.of([1, 2, 2, 4, 4, 4, 8]);
  if (bytes.length < width) return flipBytes(bytes, random, bytes);
  const out = Uint8Array.from(bytes);
  const near = random.oneIn(2) ? Math.min(out.length, 512) : out.length;
  let at = Math.min(out.length - width, random.below(near));
  if (random.oneIn(4)) at = Math.max(0, out.length - width - random.below(Math.min(out.length, 512)));
  if (!random.oneIn(4)) at -= at % 2;
  let value = edge(random, bytes.length);
  const little = random.oneIn(2);
  for (let i = 0; i < width; i += 1) {
    out[at + (little ? i : width - 1 - i)] = Number(value & 255n);
    value >>= 8n;
  }
  return out;
};

const truncate: Mutation = (bytes, random) =>
  bytes.slice(0, random.oneIn(3) ? bytes.length - 1 - random.below(64) : random.below(bytes.length));

const cut: Mutation = (bytes, random) => replaced(bytes, ...piece(bytes, random), new Uint8Array());

const repeat: Mutation = (bytes, random) => {
  const [start, end] = piece(bytes, random);
  return replaced(bytes, end, end, bytes.subarray(start, end));
};

/** A piece of another file, or of this one, over or between what is there. */
const splice: Mutation = (bytes, random, donor) => {
  const from = random.oneIn(2) ? donor : bytes;
  const [start, end] = piece(from, random);
  const at = random.below(bytes.length);
  const over = random.oneIn(2) ? Math.min(bytes.length, at + end - start) : at;
  return replaced(bytes, at, over, from.subarray(start, end));
};

const TOKENS = [
  "",
  "0",
  "-1",
  "1e999",
  "NaN",
  "null",
  "[]",
  "{}",
  '""',
  "true",
  "<",
  ">",
  "&",
  "&#0;",
  "]]>",
  "<!DOCTYPE a>",
  "\n",
  "\0",
  "é",
  "/",
  "..",
  "9007199254740993",
  "4294967296",
  "1e308",
  "5e-324",
];

/** Numbers written as text: XML, JSON, ImageJ descriptions. */
const setTextNumber: Mutation = (bytes, random) => {
  const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;
  const from = random.below(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) {
    const start = (from + i) % bytes.length;
    if (!isDigit(bytes[start]) || isDigit(bytes[start - 1])) continue;
    let end = start;
    while (isDigit(bytes[end])) end += 1;
    const text = random.oneIn(3) ? random.of(TOKENS) : String(edge(random, bytes.length));
    return replaced(bytes, start, end, ascii(text));
  }
  return flipBytes(bytes, random, bytes);
};

/** A word of a text replaced by another word or a token. */
const setTextWord: Mutation = (bytes, random, donor) => {
  const isLetter = (byte: number | undefined) =>
    byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a));
  const wordAt = (text: Uint8Array): [number, number] | null => {
    const from = random.below(text.length);
    for (let i = 0; i < Math.min(text.length, 4096); i += 1) {
      const start = (from + i) % text.length;
      if (!isLetter(text[start]) || isLetter(text[start - 1])) continue;
      let end = start;
      while (isLetter(text[end])) end += 1;
      if (end - start > 2) return [start, end];
    }
    return null;
  };
  const word = wordAt(bytes);
  const other = wordAt(donor);
  if (word === null) return flipBytes(bytes, random, bytes);
  const text = other && random.oneIn(2) ? donor.subarray(...other) : ascii(random.of(TOKENS));
  return replaced(bytes, ...word, text);
};

const MUTATIONS: readonly Mutation[] = [
  flipBytes,
  flipBit,
  setWord,
  setWord,
  setWord,
  truncate,
  cut,
  repeat,
  splice,
  setTextNumber,
  setTextNumber,
  setTextWord,
];

/** One to four changes; now and then only a truncation, whose outcome can be judged further. */
export function mutate(
  bytes: Uint8Array,
  random: Random,
  donor: Uint8Array,
): { bytes: Uint8Array; truncatedOnly: boolean } {
  if (bytes.length === 0) return { bytes: Uint8Array.of(random.below(256)), truncatedOnly: false };
  if (random.oneIn(12)) return { bytes: truncate(bytes, random, donor), truncatedOnly: true };
  let out = bytes;
  for (let n = 1 + random.below(random.oneIn(3) ? 4 : 1); n > 0 && out.length > 0; n -= 1) {
    out = random.of(MUTATIONS)(out, random, donor.length > 0 ? donor : out);
  }
  return { bytes: out, truncatedOnly: false };
}
