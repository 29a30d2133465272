// What takes most of the time in a DCT frame of JPEG (ITU-T T.81): Huffman codes into coefficients (annexes F and G),
// coefficients into samples (annex A), planes into interleaved colours. `.ci/kernels.ts` builds jpeg.wasm from this file.
//
// Nothing is allocated here. The caller writes into the places below and keeps to their sizes.

/** Bytes of the stream that are here at once. */
export const INPUT_BYTES: i32 = 1 << 16;
/** Here the caller writes them. */
export const input: usize = memory.data(INPUT_BYTES);

/** Blocks of 64 coefficients that are here at once. */
export const BLOCKS: i32 = 1024;
/** Their coefficients, int16 in rows of eight. */
export const coefficients: usize = memory.data(BLOCKS * 128, 16);
/** Their samples, uint8 or uint16. */
export const samples: usize = memory.data(BLOCKS * 128, 16);

/** Bytes of a Huffman table: 16 counts and up to 4080 values as a stream has them, then what is made of them. */
export const TABLE_BYTES: i32 = 8352;
/** Eight of them. */
export const tables: usize = memory.data(8 * TABLE_BYTES, 16);

/** Bytes of a quantization table: 64 int32 in rows of eight, then what is made of them. */
export const QUANTIZATION_BYTES: i32 = 400;
/** Those of up to four components. */
export const quantization: usize = memory.data(4 * QUANTIZATION_BYTES, 16);

/** Bytes of a component of a scan: six int32, see {@link Part}. */
export const PART_BYTES: i32 = 32;
/** Components of a scan, four at most. */
export const parts: usize = memory.data(4 * PART_BYTES, 16);

@unmanaged
class Part {
  /** Address of the coefficients of its first block. */
  blocks: usize;
  /** Blocks from one row of them to the next. */
  stride: i32;
  /** Columns of blocks in an MCU. */
  across: i32;
  /** Rows of blocks in an MCU. */
  down: i32;
  /** Address of its table of differences, 0 for none. */
  dc: usize;
  /** Address of its table of other coefficients, 0 for none. */
  ac: usize;
  /** Coefficient 0 of the block before. */
  previous: i32;
}

/** What can be wrong with the data of a scan; the caller has the sentences. */
const ENDS_EARLY: i32 = -1;
const NO_CODE: i32 = -2;
const NO_TABLE: i32 = -3;
const BLOCK_FULL: i32 = -4;
const SCAN_FULL: i32 = -5;

/** Place in rows of eight of each coefficient in the order of the zigzag. */
export const ZIGZAG: usize = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);

/** Next byte, end of the bytes, and where the caller must supply more before the next MCU. */
let at: usize = 0;
let end: usize = 0;
let limit: usize = 0;
/** Bits that are loaded, the next one highest; below them are zeros. */
let pool: u64 = 0;
let count: i32 = 0;
/** Bits that were taken since the last code began. */
let sinceCode: i32 = 0;
/** Blocks that follow without a coefficient of this band. */
let run: i32 = 0;
let failure: i32 = 0;

/** Says where the data stand; bits that are loaded stay. */
export function window(from: usize, to: usize, more: usize): void {
  at = from;
  end = to;
  limit = more;
}

/** Where the next byte stands. */
export function position(): usize {
  return at;
}

/** Resets the loaded bits and the state between blocks, at the start of a scan and after a restart marker. */
export function restart(): void {
  pool = 0;
  count = 0;
  sinceCode = 1 << 20;
  run = 0;
  for (let i = 0; i < 4; i += 1) changetype<Part>(parts + i * PART_BYTES).previous = 0;
}

/**
 * Goes back to where a decoder stands that loads one byte after the other, and only for a code with fewer than 8 bits at hand
 * or for bits that are not there: a restart marker has to follow there.
 */
export function rewind(): usize {
  const unread = min(count, count + sinceCode - 8) >> 3;
  for (let i = 0; i < unread; i += 1) at -= load<u8>(at - 1) === 0 && load<u8>(at - 2) === 0xff ? 2 : 1;
  pool = 0;
  count = 0;
  return at;
}

/** Loads whole bytes until there are more than 56 bits, or a marker or the end follows. */
function refill(): void {
  while (count <= 56 && at < end) {
    const byte = load<u8>(at);
    if (byte === 0xff) {
      if (at + 1 >= end || load<u8>(at + 1) !== 0) return;
      at += 1;
    }
    at += 1;
    pool |= <u64>byte << (56 - count);
    count += 8;
  }
}

function take(bits: i32): i32 {
  const value = <i32>(pool >> 1 >> (63 - bits));
  pool <<= bits;
  count -= bits;
  return value;
}

function bit(): i32 {
  return bits(1);
}

/** Up to 16 bits. */
function bits(length: i32): i32 {
  if (count < length) {
    refill();
    if (count < length) {
      failure = ENDS_EARLY;
      return 0;
    }
  }
  sinceCode += length;
  return take(length);
}

/** A difference of so many bits with its sign (T.81, EXTEND). */
function signed(category: i32): i32 {
  return extended(bits(category), category);
}

@inline
function extended(value: i32, category: i32): i32 {
  return category > 0 && value < 1 << (category - 1) ? value - (1 << category) + 1 : value;
}

const LOOKUP = 10;
/** Behind 16 counts and the values. */
const MOST = 4096;
const OFFSET = MOST + 80;
const ENTRIES = OFFSET + 80;
/** Bit of an entry that holds a coefficient. */
const COMPLETE = 0x80;

/**
 * Makes of the counts and values of a table what {@link code} needs. Of each 10 bits an entry has: bits 0 to 6 the length of the
 * code; bits 8 to 15 its value. Where the bits of the difference or coefficient follow within the ten: COMPLETE, the length of
 * both, and the difference or coefficient in the upper 16 bits. A longer code has the entry 0.
 */
export function makeTable(table: usize): void {
  memory.fill(table + ENTRIES, 0, 4 << LOOKUP);
  let code = 0;
  let k = 0;
  for (let length = 1; length <= 16; length += 1) {
    store<i32>(table + 4 * length, k - code, OFFSET);
    const many = <i32>load<u8>(table + length - 1);
    for (let i = 0; i < many; i += 1, k += 1, code += 1) {
      if (length > LOOKUP) continue;
      const rest = LOOKUP - length;
      const value = <i32>load<u8>(table + k, 16);
      const size = value & 15;
      for (let j = 0; j < 1 << rest; j += 1) {
        let entry = value << 8 | length;
        if (size > 0 && size <= rest) {
          entry = extended(j >> (rest - size), size) << 16 | value << 8 | COMPLETE | (length + size);
        }
        store<i32>(table + 4 * ((code << rest) + j), entry, ENTRIES);
      }
    }
    store<i32>(table + 4 * length, code - 1, MOST);
    code <<= 1;
  }
}

/** The value of the next code. */
function code(table: usize): i32 {
  if (count < 16) refill();
  const entry = load<i32>(table + 4 * <usize>(pool >> (64 - LOOKUP)), ENTRIES);
  if (entry !== 0) {
    const value = entry >> 8 & 0xff;
    const length = (entry & 0x7f) - (entry & COMPLETE ? value & 15 : 0);
    if (length <= count) {
      take(length);
      sinceCode = length;
      return value;
    }
  }
  const next = <i32>(pool >> 48);
  for (let length = 1; length <= 16; length += 1) {
    if (length > count) {
      failure = ENDS_EARLY;
      return 0;
    }
    const code = next >> (16 - length);
    if (code <= load<i32>(table + 4 * length, MOST)) {
      take(length);
      sinceCode = length;
      return load<u8>(table + code + load<i32>(table + 4 * length, OFFSET), 16);
    }
  }
  failure = NO_CODE;
  return 0;
}

@inline
function place(block: usize, k: i32, value: i32): void {
  store<i16>(block + 2 * <usize>load<u8>(ZIGZAG + k), value);
}

function difference(part: Part): i32 {
  if (part.dc === 0) {
    failure = NO_TABLE;
    return 0;
  }
  if (count < 32) refill();
  const entry = load<i32>(part.dc + 4 * <usize>(pool >> (64 - LOOKUP)), ENTRIES);
  const length = entry & 0x7f;
  if (entry & COMPLETE && length <= count) {
    take(length);
    sinceCode = length;
    part.previous += entry >> 16;
    return part.previous;
  }
  const category = code(part.dc) & 15;
  if (failure !== 0) return 0;
  if (category > 0) part.previous += signed(category);
  return part.previous;
}

function baselineBlock(block: usize, part: Part): void {
  const first = difference(part);
  if (failure !== 0) return;
  store<i16>(block, first);
  const ac = part.ac;
  if (ac === 0) {
    failure = NO_TABLE;
    return;
  }
  let k = 1;
  // While 31 bits are at hand, which are the most that a coefficient takes, nothing has to be asked.
  let ready = pool;
  let left = count;
  let since = sinceCode;
  while (k < 64) {
    if (left < 32) {
      const four = bswap<u32>(load<u32>(at));
      // None of the four bytes is 0xff.
      if (at + 4 <= end && ((~four - 0x01010101) & four & 0x80808080) === 0) {
        ready |= <u64>four << (32 - left);
        left += 32;
        at += 4;
      } else {
        pool = ready;
        count = left;
        refill();
        ready = pool;
        left = count;
        if (left < 32) break;
      }
    }
    const entry = load<i32>(ac + 4 * <usize>(ready >> (64 - LOOKUP)), ENTRIES);
    const length = entry & 0x7f;
    ready <<= length;
    left -= length;
    since = length;
    if (entry & COMPLETE) {
      k += entry >> 12 & 15;
      if (k > 63) {
        failure = BLOCK_FULL;
        return;
      }
      place(block, k, entry >> 16);
      k += 1;
    } else if (entry !== 0) {
      const size = entry >> 8 & 15;
      const zeros = entry >> 12 & 15;
      if (size === 0) {
        k = zeros < 15 ? 64 : k + 16;
        continue;
      }
      k += zeros;
      if (k > 63) {
        failure = BLOCK_FULL;
        return;
      }
      place(block, k, extended(<i32>(ready >> (64 - size)), size));
      ready <<= size;
      left -= size;
      since = length + size;
      k += 1;
    } else {
      pool = ready;
      count = left;
      k = coefficient(block, k, code(ac));
      ready = pool;
      left = count;
      since = sinceCode;
    }
  }
  pool = ready;
  count = left;
  sinceCode = since;
  // Near a marker or the end, one bit after the other.
  while (k < 64) k = coefficient(block, k, code(ac));
}

/** Takes the bits of a coefficient after its code; returns the place of the next one, 64 after the last and after a failure. */
function coefficient(block: usize, from: i32, symbol: i32): i32 {
  if (failure !== 0) return 64;
  const size = symbol & 15;
  const zeros = symbol >> 4;
  if (size === 0) return zeros < 15 ? 64 : from + 16;
  const k = from + zeros;
  if (k > 63) {
    failure = BLOCK_FULL;
    return 64;
  }
  const value = signed(size);
  if (failure !== 0) return 64;
  place(block, k, value);
  return k + 1;
}

/** What scans of a progressive frame say of all of their blocks. */
let start: i32 = 0;
let last: i32 = 0;
let low: i32 = 0;

function firstDirect(block: usize, part: Part): void {
  const value = difference(part);
  if (failure === 0) store<i16>(block, value << low);
}

function refineDirect(block: usize, part: Part): void {
  const value = bit() << low;
  if (failure === 0) store<i16>(block, <i32>load<i16>(block) | value);
}

function firstBlock(block: usize, part: Part): void {
  if (run > 0) {
    run -= 1;
    return;
  }
  const ac = part.ac;
  if (ac === 0) {
    failure = NO_TABLE;
    return;
  }
  for (let k = start; k <= last; k += 1) {
    const symbol = code(ac);
    if (failure !== 0) return;
    const size = symbol & 15;
    const zeros = symbol >> 4;
    if (size === 0) {
      if (zeros < 15) {
        run = (1 << zeros) - 1 + bits(zeros);
        return;
      }
      k += 15;
      continue;
    }
    k += zeros;
    if (k > last) {
      failure = SCAN_FULL;
      return;
    }
    const value = signed(size);
    if (failure !== 0) return;
    place(block, k, value << low);
  }
}

/** Refines coefficients from `from` on that are not zero by a bit each, up to the zero after `zeros` others; returns its place. */
function refine(block: usize, from: i32, zeros: i32): i32 {
  const unit = 1 << low;
  let left = zeros;
  let k = from;
  for (; k <= last; k += 1) {
    const place = block + 2 * <usize>load<u8>(ZIGZAG + k);
    const value = <i32>load<i16>(place);
    if (value === 0) {
      if (left === 0) break;
      left -= 1;
    } else if (bit() && (value & unit) === 0) {
      store<i16>(place, value > 0 ? value + unit : value - unit);
    }
    if (failure !== 0) return k;
  }
  return k;
}

/** Refines coefficients that are not zero, and places new ones between them. */
function refineBlock(block: usize, part: Part): void {
  const ac = part.ac;
  if (ac === 0) {
    failure = NO_TABLE;
    return;
  }
  let k = start;
  if (run === 0) {
    for (; k <= last; k += 1) {
      const symbol = code(ac);
      if (failure !== 0) return;
      const zeros = symbol >> 4;
      let value = 0;
      if ((symbol & 15) === 0) {
        if (zeros < 15) {
          run = (1 << zeros) + bits(zeros);
          break;
        }
      } else {
        value = bit() ? 1 << low : -(1 << low);
      }
      if (failure !== 0) return;
      k = refine(block, k, zeros);
      if (failure !== 0) return;
      if (value !== 0) {
        if (k > last) {
          failure = SCAN_FULL;
          return;
        }
        place(block, k, value);
      }
    }
  }
  if (failure === 0 && run > 0) {
    refine(block, k, 64);
    run -= 1;
  }
}

/** Ways to read a block. */
export const BASELINE: i32 = 0;
export const FIRST_DIRECT: i32 = 1;
export const REFINE_DIRECT: i32 = 2;
export const FIRST: i32 = 3;
export const REFINE: i32 = 4;
/** Not blocks, but differences of a lossless frame (annex H). */
export const LOSSLESS: i32 = 5;

let way: i32 = 0;
let partCount: i32 = 0;

/** Begins a scan: how its blocks are read, how many components it has, first and last coefficient, bits of shift. */
export function begin(reading: i32, components: i32, first: i32, end: i32, shift: i32): void {
  way = reading;
  partCount = components;
  start = first;
  last = end;
  low = shift;
  restart();
}

/** Clears the coefficients of the first so many blocks. */
export function clear(blocks: i32): void {
  memory.fill(coefficients, 0, 128 * blocks);
}

/** Reads differences of pixels as uint16, which stand interleaved from {@link coefficients} on. */
function differences(from: i32, to: i32): i32 {
  let target = coefficients + 2 * partCount * from;
  for (let pixel = from; pixel < to; pixel += 1) {
    if (at > limit) return pixel;
    for (let i = 0; i < partCount; i += 1, target += 2) {
      const table = changetype<Part>(parts + i * PART_BYTES).dc;
      if (table === 0) return NO_TABLE;
      if (count < 32) refill();
      const entry = load<i32>(table + 4 * <usize>(pool >> (64 - LOOKUP)), ENTRIES);
      const length = entry & 0x7f;
      if (entry & COMPLETE && length <= count) {
        take(length);
        sinceCode = length;
        store<i16>(target, entry >> 16);
        continue;
      }
      const category = code(table);
      if (failure !== 0) return failure;
      store<i16>(target, category === 16 ? 32768 : signed(category));
      if (failure !== 0) return failure;
    }
  }
  return to;
}

/** Reads the MCUs from one up to another; the first that needs more data to be brought, or what is wrong. */
export function decode(from: i32, to: i32): i32 {
  failure = 0;
  if (way === LOSSLESS) return differences(from, to);
  for (let mcu = from; mcu < to; mcu += 1) {
    if (at > limit) return mcu;
    for (let i = 0; i < partCount; i += 1) {
      const part = changetype<Part>(parts + i * PART_BYTES);
      for (let y = 0; y < part.down; y += 1) {
        for (let x = 0; x < part.across; x += 1) {
          const block = part.blocks + 128 * <usize>(y * part.stride + mcu * part.across + x);
          if (way === BASELINE) baselineBlock(block, part);
          else if (way === FIRST_DIRECT) firstDirect(block, part);
          else if (way === REFINE_DIRECT) refineDirect(block, part);
          else if (way === FIRST) firstBlock(block, part);
          else refineBlock(block, part);
          if (failure !== 0) return failure;
        }
      }
    }
  }
  return to;
}

const BITS = 13;
/** Bits that are kept between the passes, in pictures of 8 bits. */
const GUARD = 2;

const F0298 = 2446;
const F0390 = 3196;
const F0541 = 4433;
const F0765 = 6270;
const F0899 = 7373;
const F1175 = 9633;
const F1501 = 12299;
const F1847 = 15137;
const F1961 = 16069;
const F2053 = 16819;
const F2562 = 20995;
const F3072 = 25172;

/** Between the passes, 64 int32. */
const between: usize = memory.data(64 * 4, 16);

/** Behind a quantization table: it once more as int16, and the bits that coefficients must not have for that; 0 where it has more. */
const SHORT = 256;
const TOO_LARGE = 384;

/** Makes of a quantization table what {@link transform} needs. */
export function makeQuantization(table: usize): void {
  let most: u32 = 1;
  for (let i = 0; i < 64; i += 1) {
    const step = load<u32>(table + 4 * i);
    most = max(most, step);
    store<i16>(table + 2 * i, step, SHORT);
  }
  // Products with coefficients of up to 2^n are 32767 at most.
  store<i32>(table, most > 0x7fff ? 0 : -(1 << (31 - clz<u32>(0x7fff / most))), TOO_LARGE);
}

@inline
function times(a: v128, b: i32): v128 {
  return i32x4.mul(a, i32x4.splat(b));
}

/** Puts the halves of a transform together; results are stored `step` bytes apart. */
@inline
function results(
  t10: v128, t11: v128, t12: v128, t13: v128, o0: v128, o1: v128, o2: v128, o3: v128, to: usize, step: usize, shift: i32,
): void {
  v128.store(to, i32x4.shr_s(i32x4.add(t10, o3), shift));
  v128.store(to + step, i32x4.shr_s(i32x4.add(t11, o2), shift));
  v128.store(to + 2 * step, i32x4.shr_s(i32x4.add(t12, o1), shift));
  v128.store(to + 3 * step, i32x4.shr_s(i32x4.add(t13, o0), shift));
  v128.store(to + 4 * step, i32x4.shr_s(i32x4.sub(t13, o0), shift));
  v128.store(to + 5 * step, i32x4.shr_s(i32x4.sub(t12, o1), shift));
  v128.store(to + 6 * step, i32x4.shr_s(i32x4.sub(t11, o2), shift));
  v128.store(to + 7 * step, i32x4.shr_s(i32x4.sub(t10, o3), shift));
}

/** Four transforms of eight values, one in each lane, modulo 2^32. */
@inline
function pass(
  s0: v128, s1: v128, s2: v128, s3: v128, s4: v128, s5: v128, s6: v128, s7: v128, to: usize, step: usize, shift: i32,
): void {
  const even = times(i32x4.add(s2, s6), F0541);
  const e2 = i32x4.sub(even, times(s6, F1847));
  const e3 = i32x4.add(even, times(s2, F0765));
  const half = i32x4.splat(1 << (shift - 1));
  const e0 = i32x4.add(i32x4.shl(i32x4.add(s0, s4), BITS), half);
  const e1 = i32x4.add(i32x4.shl(i32x4.sub(s0, s4), BITS), half);
  const t10 = i32x4.add(e0, e3);
  const t13 = i32x4.sub(e0, e3);
  const t11 = i32x4.add(e1, e2);
  const t12 = i32x4.sub(e1, e2);

  const s73 = i32x4.add(s7, s3);
  const s51 = i32x4.add(s5, s1);
  const z5 = times(i32x4.add(s73, s51), F1175);
  const z1 = times(i32x4.add(s7, s1), -F0899);
  const z2 = times(i32x4.add(s5, s3), -F2562);
  const z3 = i32x4.add(times(s73, -F1961), z5);
  const z4 = i32x4.add(times(s51, -F0390), z5);
  const o0 = i32x4.add(i32x4.add(times(s7, F0298), z1), z3);
  const o1 = i32x4.add(i32x4.add(times(s5, F2053), z2), z4);
  const o2 = i32x4.add(i32x4.add(times(s3, F3072), z2), z3);
  const o3 = i32x4.add(i32x4.add(times(s1, F1501), z1), z4);

  results(t10, t11, t12, t13, o0, o1, o2, o3, to, step, shift);
}

/** Four coefficients of a row, dequantized. */
@inline
function dequantized(block: usize, steps: usize, i: usize): v128 {
  return i32x4.mul(v128.load16x4_s(block + 2 * i), v128.load(steps + 4 * i));
}

/** The transform of columns from `column` on. */
@inline
function columns(block: usize, steps: usize, column: usize, shift: i32): void {
  pass(
    dequantized(block, steps, column),
    dequantized(block, steps, column + 8),
    dequantized(block, steps, column + 16),
    dequantized(block, steps, column + 24),
    dequantized(block, steps, column + 32),
    dequantized(block, steps, column + 40),
    dequantized(block, steps, column + 48),
    dequantized(block, steps, column + 56),
    between + 4 * column,
    32,
    shift,
  );
}

// prettier-ignore
@inline
function low4(a: v128, b: v128): v128 { return i32x4.shuffle(a, b, 0, 4, 1, 5); }
@inline
function high4(a: v128, b: v128): v128 { return i32x4.shuffle(a, b, 2, 6, 3, 7); }
@inline
function lows(a: v128, b: v128): v128 { return i64x2.shuffle(a, b, 0, 2); }
@inline
function highs(a: v128, b: v128): v128 { return i64x2.shuffle(a, b, 1, 3); }

/** The transform of four rows from `row` on; what was written by rows is then by columns. */
@inline
function rows(row: usize, shift: i32): void {
  const from = between + 32 * row;
  const a = v128.load(from), b = v128.load(from, 32), c = v128.load(from, 64), d = v128.load(from, 96);
  const e = v128.load(from, 16), f = v128.load(from, 48), g = v128.load(from, 80), h = v128.load(from, 112);
  const ab0 = low4(a, b), ab1 = high4(a, b), cd0 = low4(c, d), cd1 = high4(c, d);
  const ef0 = low4(e, f), ef1 = high4(e, f), gh0 = low4(g, h), gh1 = high4(g, h);
  pass(
    lows(ab0, cd0), highs(ab0, cd0), lows(ab1, cd1), highs(ab1, cd1),
    lows(ef0, gh0), highs(ef0, gh0), lows(ef1, gh1), highs(ef1, gh1), from, 16, shift,
  );
}

/** Bits of a sample of uint8 or uint16. */
@inline
function precisionOf<T>(): i32 {
  return sizeof<T>() > 1 ? 12 : 8;
}

/** Writes four rows of int16 of a block as samples. */
@inline
function write<T>(to: usize, stride: usize, r0: v128, r1: v128, r2: v128, r3: v128): void {
  const middle = i16x8.splat(<i16>((<i32>1) << (precisionOf<T>() - 1)));
  const a = i16x8.add(r0, middle), b = i16x8.add(r1, middle), c = i16x8.add(r2, middle), d = i16x8.add(r3, middle);
  if (sizeof<T>() > 1) {
    const most = i16x8.splat(<i16>(((<i32>1) << precisionOf<T>()) - 1));
    v128.store(to, clamped(a, most));
    v128.store(to + 2 * stride, clamped(b, most));
    v128.store(to + 4 * stride, clamped(c, most));
    v128.store(to + 6 * stride, clamped(d, most));
  } else {
    const ab = i8x16.narrow_i16x8_u(a, b);
    const cd = i8x16.narrow_i16x8_u(c, d);
    v128.store64_lane(to, ab, 0);
    v128.store64_lane(to + stride, ab, 1);
    v128.store64_lane(to + 2 * stride, cd, 0);
    v128.store64_lane(to + 3 * stride, cd, 1);
  }
}

/** The transform of a block, whatever its coefficients are. */
function wideBlock<T>(block: usize, steps: usize, to: usize, stride: usize): void {
  const guard = sizeof<T>() > 1 ? 1 : GUARD;
  columns(block, steps, 0, BITS - guard);
  columns(block, steps, 4, BITS - guard);
  rows(0, BITS + guard + 3);
  rows(4, BITS + guard + 3);
  for (let y: usize = 0; y < 8; y += 4) {
    const four = between + 32 * y;
    const a = v128.load(four), b = v128.load(four, 16), c = v128.load(four, 32), d = v128.load(four, 48);
    const e = v128.load(four, 64), f = v128.load(four, 80), g = v128.load(four, 96), h = v128.load(four, 112);
    const ab0 = low4(a, b), ab1 = high4(a, b), cd0 = low4(c, d), cd1 = high4(c, d);
    const ef0 = low4(e, f), ef1 = high4(e, f), gh0 = low4(g, h), gh1 = high4(g, h);
    write<T>(
      to + sizeof<T>() * y * stride, stride,
      i16x8.narrow_i32x4_s(lows(ab0, cd0), lows(ef0, gh0)),
      i16x8.narrow_i32x4_s(highs(ab0, cd0), highs(ef0, gh0)),
      i16x8.narrow_i32x4_s(lows(ab1, cd1), lows(ef1, gh1)),
      i16x8.narrow_i32x4_s(highs(ab1, cd1), highs(ef1, gh1)),
    );
  }
}

/** The sum of products of two int16 with two factors, in each of four lanes. */
@inline
function both(pairs: v128, first: i32, second: i32): v128 {
  return i32x4.dot_i16x8_s(pairs, i32x4.splat(second << 16 | first & 0xffff));
}

/** What {@link pass} makes, of pairs of int16. All is linear modulo 2^32, so that sums of factors serve for factors of sums. */
@inline
function pairPass(p04: v128, p26: v128, p17: v128, p35: v128, to: usize, shift: i32): void {
  const half = i32x4.splat((<i32>1) << (shift - 1));
  const e0 = i32x4.add(both(p04, 1 << BITS, 1 << BITS), half);
  const e1 = i32x4.add(both(p04, 1 << BITS, -(1 << BITS)), half);
  const e2 = both(p26, F0541, F0541 - F1847);
  const e3 = both(p26, F0541 + F0765, F0541);
  const t10 = i32x4.add(e0, e3), t13 = i32x4.sub(e0, e3), t11 = i32x4.add(e1, e2), t12 = i32x4.sub(e1, e2);
  const o0 = i32x4.add(
    both(p17, F1175 - F0899, F1175 + F0298 - F0899 - F1961),
    both(p35, F1175 - F1961, F1175),
  );
  const o1 = i32x4.add(both(p17, F1175 - F0390, F1175), both(p35, F1175 - F2562, F1175 + F2053 - F2562 - F0390));
  const o2 = i32x4.add(both(p17, F1175, F1175 - F1961), both(p35, F1175 + F3072 - F2562 - F1961, F1175 - F2562));
  const o3 = i32x4.add(both(p17, F1175 + F1501 - F0899 - F0390, F1175 - F0899), both(p35, F1175, F1175 - F0390));
  results(t10, t11, t12, t13, o0, o1, o2, o3, to, 32, shift);
}

/** The same where values 4 to 7 are 0. */
@inline
function quarterPass(p02: v128, p13: v128, to: usize, shift: i32): void {
  const half = i32x4.splat((<i32>1) << (shift - 1));
  results(
    i32x4.add(both(p02, 1 << BITS, F0541 + F0765), half),
    i32x4.add(both(p02, 1 << BITS, F0541), half),
    i32x4.add(both(p02, 1 << BITS, -F0541), half),
    i32x4.add(both(p02, 1 << BITS, -F0541 - F0765), half),
    both(p13, F1175 - F0899, F1175 - F1961),
    both(p13, F1175 - F0390, F1175 - F2562),
    both(p13, F1175, F1175 + F3072 - F2562 - F1961),
    both(p13, F1175 + F1501 - F0899 - F0390, F1175),
    to, 32, shift,
  );
}

@inline
function low8(a: v128, b: v128): v128 { return i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
@inline
function high8(a: v128, b: v128): v128 { return i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
@inline
function lowPairs(a: v128, b: v128): v128 { return i32x4.shuffle(a, b, 0, 4, 1, 5); }
@inline
function highPairs(a: v128, b: v128): v128 { return i32x4.shuffle(a, b, 2, 6, 3, 7); }

/** A row of what {@link pairPass} left, as int16. */
@inline
function narrow(row: usize): v128 {
  return i16x8.narrow_i32x4_s(v128.load(between + 32 * row), v128.load(between + 32 * row, 16));
}

/** The first four of a row and those of the next. */
@inline
function narrowTwo(row: usize): v128 {
  return i16x8.narrow_i32x4_s(v128.load(between + 32 * row), v128.load(between + 32 * row, 32));
}

/** Dequantized coefficients of a row. */
@inline
function short(block: usize, steps: usize, row: usize): v128 {
  return i16x8.mul(v128.load(block + 16 * row), v128.load(steps + 16 * row, SHORT));
}

/** The bits in which a row of coefficients differs from its signs. */
@inline
function magnitude(block: usize, row: usize): v128 {
  const values = v128.load(block + 16 * row);
  return v128.xor(values, i16x8.shr_s(values, 15));
}

/** Writes what the second pass left, by columns, as rows of samples. */
@inline
function finish(to: usize, stride: usize): void {
  const i = narrow(0), j = narrow(1), k = narrow(2), l = narrow(3);
  const m = narrow(4), n = narrow(5), o = narrow(6), p = narrow(7);
  const ij0 = low8(i, j), kl0 = low8(k, l), mn0 = low8(m, n), op0 = low8(o, p);
  const ij1 = high8(i, j), kl1 = high8(k, l), mn1 = high8(m, n), op1 = high8(o, p);
  const ijkl0 = lowPairs(ij0, kl0), ijkl1 = highPairs(ij0, kl0), ijkl2 = lowPairs(ij1, kl1), ijkl3 = highPairs(ij1, kl1);
  const mnop0 = lowPairs(mn0, op0), mnop1 = highPairs(mn0, op0), mnop2 = lowPairs(mn1, op1), mnop3 = highPairs(mn1, op1);
  write<u8>(to, stride, lows(ijkl0, mnop0), highs(ijkl0, mnop0), lows(ijkl1, mnop1), highs(ijkl1, mnop1));
  write<u8>(
    to + 4 * stride, stride,
    lows(ijkl2, mnop2), highs(ijkl2, mnop2), lows(ijkl3, mnop3), highs(ijkl3, mnop3),
  );
}

/** Whether a product of one of these coefficients may have more than 16 bits. */
@inline
function tooLarge(magnitudes: v128, steps: usize): bool {
  const bits = load<i32>(steps, TOO_LARGE);
  return bits === 0 || v128.any_true(v128.and(magnitudes, i16x8.splat(<i16>bits)));
}

/** Whether one of these rows does not fit 16 bits, or is about not to: packing leaves the outermost values then. */
@inline
function saturated(a: v128, b: v128, c: v128, d: v128): bool {
  const most = i16x8.max_u(i16x8.max_u(i16x8.abs(a), i16x8.abs(b)), i16x8.max_u(i16x8.abs(c), i16x8.abs(d)));
  return v128.any_true(i16x8.ge_u(most, i16x8.splat(0x7fff)));
}

/** {@link shortBlock} where the coefficients of rows and columns 4 to 7 are 0. */
@inline
function quarterBlock(block: usize, steps: usize, to: usize, stride: usize): bool {
  const magnitudes = v128.or(
    v128.or(magnitude(block, 0), magnitude(block, 1)),
    v128.or(magnitude(block, 2), magnitude(block, 3)),
  );
  if (tooLarge(magnitudes, steps)) return false;
  quarterPass(
    low8(short(block, steps, 0), short(block, steps, 2)),
    low8(short(block, steps, 1), short(block, steps, 3)),
    between,
    BITS - GUARD,
  );
  const r01 = narrowTwo(0), r23 = narrowTwo(2), r45 = narrowTwo(4), r67 = narrowTwo(6);
  if (saturated(r01, r23, r45, r67)) return false;
  const r02 = low8(r01, r23), r13 = high8(r01, r23), r46 = low8(r45, r67), r57 = high8(r45, r67);
  const c01 = low8(r02, r13), c23 = high8(r02, r13), d01 = low8(r46, r57), d23 = high8(r46, r57);
  const t0 = lows(c01, d01), t1 = highs(c01, d01), t2 = lows(c23, d23), t3 = highs(c23, d23);
  quarterPass(low8(t0, t2), low8(t1, t3), between, BITS + GUARD + 3);
  quarterPass(high8(t0, t2), high8(t1, t3), between + 16, BITS + GUARD + 3);
  finish(to, stride);
  return true;
}

/**
 * The transform of a block of 8 bits whose values have 16 bits up to the second pass, as those that encoders write have.
 *
 * @returns false when they have more: then nothing is written
 */
@inline
function shortBlock(block: usize, steps: usize, to: usize, stride: usize): bool {
  const magnitudes = v128.or(
    v128.or(v128.or(magnitude(block, 0), magnitude(block, 1)), v128.or(magnitude(block, 2), magnitude(block, 3))),
    v128.or(v128.or(magnitude(block, 4), magnitude(block, 5)), v128.or(magnitude(block, 6), magnitude(block, 7))),
  );
  if (tooLarge(magnitudes, steps)) return false;
  const s0 = short(block, steps, 0), s1 = short(block, steps, 1), s2 = short(block, steps, 2), s3 = short(block, steps, 3);
  const s4 = short(block, steps, 4), s5 = short(block, steps, 5), s6 = short(block, steps, 6), s7 = short(block, steps, 7);
  const first = BITS - GUARD;
  pairPass(low8(s0, s4), low8(s2, s6), low8(s1, s7), low8(s3, s5), between, first);
  pairPass(high8(s0, s4), high8(s2, s6), high8(s1, s7), high8(s3, s5), between + 16, first);
  const a = narrow(0), b = narrow(1), c = narrow(2), d = narrow(3);
  const e = narrow(4), f = narrow(5), g = narrow(6), h = narrow(7);
  if (saturated(a, b, c, d) || saturated(e, f, g, h)) return false;
  // Columns 0 and 4 of the rows in pairs, and so on: half of a transposition.
  const ab0 = low8(a, b), cd0 = low8(c, d), ef0 = low8(e, f), gh0 = low8(g, h);
  const ab1 = high8(a, b), cd1 = high8(c, d), ef1 = high8(e, f), gh1 = high8(g, h);
  const abcd0 = lowPairs(ab0, cd0), abcd1 = highPairs(ab0, cd0), abcd2 = lowPairs(ab1, cd1), abcd3 = highPairs(ab1, cd1);
  const efgh0 = lowPairs(ef0, gh0), efgh1 = highPairs(ef0, gh0), efgh2 = lowPairs(ef1, gh1), efgh3 = highPairs(ef1, gh1);
  const t0 = lows(abcd0, efgh0), t1 = highs(abcd0, efgh0), t2 = lows(abcd1, efgh1), t3 = highs(abcd1, efgh1);
  const t4 = lows(abcd2, efgh2), t5 = highs(abcd2, efgh2), t6 = lows(abcd3, efgh3), t7 = highs(abcd3, efgh3);
  const second = BITS + GUARD + 3;
  pairPass(low8(t0, t4), low8(t2, t6), low8(t1, t7), low8(t3, t5), between, second);
  pairPass(high8(t0, t4), high8(t2, t6), high8(t1, t7), high8(t3, t5), between + 16, second);
  finish(to, stride);
  return true;
}

/** The transform of a block of which coefficient 0 alone is not 0: all samples are the same. */
@inline
function evenBlock<T>(block: usize, steps: usize, to: usize, stride: usize): void {
  const guard = sizeof<T>() > 1 ? 1 : GUARD;
  const first = BITS - guard;
  const second = BITS + guard + 3;
  const direct = <i32>load<i16>(block) * load<i32>(steps);
  const column = ((direct << BITS) + (1 << (first - 1))) >> first;
  const row = i16x8.splat(<i16>(((column << BITS) + (1 << (second - 1))) >> second));
  write<T>(to, stride, row, row, row, row);
  write<T>(to + 4 * sizeof<T>() * stride, stride, row, row, row, row);
}

/**
 * Dequantizes and transforms blocks that stand in a row into eight rows of samples, which stand `stride` samples apart: uint8 of 8
 * bits, uint16 of 12.
 */
export function transform(from: usize, blocks: i32, steps: usize, to: usize, stride: usize, precision: i32): void {
  // Apart, so that shifts are by constants, which are faster.
  if (precision > 8) transformAll<u16>(from, blocks, steps, to, stride);
  else transformAll<u8>(from, blocks, steps, to, stride);
}

function transformAll<T>(from: usize, blocks: i32, steps: usize, to: usize, stride: usize): void {
  for (let i = 0; i < blocks; i += 1) {
    const block = from + 128 * <usize>i;
    const target = to + 8 * sizeof<T>() * <usize>i;
    const upper = v128.or(
      v128.or(v128.load(block, 16), v128.load(block, 32)),
      v128.or(v128.load(block, 48), i16x8.replace_lane(v128.load(block), 0, 0)),
    );
    const lower = v128.or(
      v128.or(v128.load(block, 64), v128.load(block, 80)),
      v128.or(v128.load(block, 96), v128.load(block, 112)),
    );
    if (!v128.any_true(v128.or(upper, lower))) evenBlock<T>(block, steps, target, stride);
    else if (sizeof<T>() > 1) wideBlock<T>(block, steps, target, stride);
    else if (
      v128.any_true(lower) || i64x2.extract_lane(upper, 1) !== 0
        ? !shortBlock(block, steps, target, stride)
        : !quarterBlock(block, steps, target, stride)
    ) wideBlock<T>(block, steps, target, stride);
  }
}

/** Eight samples as uint16. */
@inline
function eight<T>(at: usize): v128 {
  return sizeof<T>() === 1 ? v128.load8x8_u(at) : v128.load(at);
}

/** Stores two samples of each lane, one of `a` before one of `b`. */
@inline
function storePairs<T>(to: usize, a: v128, b: v128): void {
  if (sizeof<T>() === 1) {
    v128.store(to, v128.or(a, i16x8.shl(b, 8)));
  } else {
    v128.store(to, low8(a, b));
    v128.store(to, high8(a, b), 16);
  }
}

@inline
function threeAndOne(near: v128, far: v128): v128 {
  return i16x8.add(i16x8.mul(near, i16x8.splat(3)), far);
}

/** Eight samples as uint16, of two rows brought together where `high`. */
@inline
function near8<T>(near: usize, far: usize, high: bool): v128 {
  return high ? threeAndOne(eight<T>(near), eight<T>(far)) : eight<T>(near);
}

@inline
function doubled<T>(near: usize, far: usize, to: usize, count: usize, high: bool): void {
  const one = sizeof<T>();
  const shift = high ? 4 : 2;
  const even = i16x8.splat(high ? 8 : 1);
  const odd = i16x8.splat(high ? 7 : 2);
  let last = near8<T>(near - 8 * one, far - 8 * one, high);
  let own = near8<T>(near, far, high);
  for (let i: usize = 0; i < count; i += 8) {
    const next = near8<T>(near + one * (i + 8), far + one * (i + 8), high);
    const before = i16x8.shuffle(last, own, 7, 8, 9, 10, 11, 12, 13, 14);
    const after = i16x8.shuffle(own, next, 1, 2, 3, 4, 5, 6, 7, 8);
    storePairs<T>(
      to + 2 * one * i,
      i16x8.shr_u(i16x8.add(threeAndOne(own, before), even), shift),
      i16x8.shr_u(i16x8.add(threeAndOne(own, after), odd), shift),
    );
    last = own;
    own = next;
  }
}

/**
 * Factors of pairs of int16, times 2^16, the first in the lower half. Red is Y + Cr + 0.402 Cr, blue Y + 2 Cb - 0.228 Cb and green
 * Y - Cr - 0.34414 Cb + 0.28586 Cr, in which what stands last is rounded: of the pair with -1 the second factor is -0.5. Where they
 * are read from memory, they stay in registers.
 */
const FACTORS: usize = memory.data<i32>([
  -2147457303, // 26345, -32768
  1227794406, // -22554, 18734
  32768,
], 16);
/** Of four bytes a pixel, the first three. */
const THREE: usize = memory.data<u8>([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0], 16);
/** The same factors times 2^15. That of red is 13172.5, which of 8 bits gives what 13172 gives. */
const RED: i16 = 13172;
const BLUE: i16 = -7471;

@inline
function clamped(value: v128, most: v128): v128 {
  return i16x8.min_s(i16x8.max_s(value, i16x8.splat(0)), most);
}

@inline
function interleaved<T>(first: usize, second: usize, third: usize, to: usize, count: usize, rgb: bool): void {
  const middle = i16x8.splat(<i16>((<i32>1) << (precisionOf<T>() - 1)));
  const most = i16x8.splat(<i16>(((<i32>1) << precisionOf<T>()) - 1));
  const ofRed = v128.load32_splat(FACTORS);
  const ofGreen = v128.load32_splat(FACTORS, 4);
  const half = v128.load32_splat(FACTORS, 8);
  const three = v128.load(THREE);
  const less = i16x8.splat(-1);
  const one = sizeof<T>();
  for (let i: usize = 0; i < count; i += 8) {
    let a = eight<T>(first + one * i);
    let b = eight<T>(second + one * i);
    let c = eight<T>(third + one * i);
    if (rgb) {
      const cb = i16x8.sub(b, middle);
      const cr = i16x8.sub(c, middle);
      const red = one === 1 ? i16x8.q15mulr_sat_s(cr, i16x8.splat(RED)) : i16x8.narrow_i32x4_s(
        i32x4.shr_s(i32x4.dot_i16x8_s(low8(cr, less), ofRed), 16),
        i32x4.shr_s(i32x4.dot_i16x8_s(high8(cr, less), ofRed), 16),
      );
      const green = i16x8.narrow_i32x4_s(
        i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low8(cb, cr), ofGreen), half), 16),
        i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high8(cb, cr), ofGreen), half), 16),
      );
      const blue = i16x8.q15mulr_sat_s(cb, i16x8.splat(BLUE));
      b = i16x8.add(i16x8.sub(a, cr), green);
      c = i16x8.add(i16x8.add(a, i16x8.add(cb, cb)), blue);
      a = i16x8.add(i16x8.add(a, cr), red);
    }
    const at = to + 3 * one * i;
    if (one === 1) {
      // Four bytes a pixel, of which the last is dropped.
      const ab = i8x16.shuffle(
        i8x16.narrow_i16x8_u(a, a), i8x16.narrow_i16x8_u(b, b), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
      );
      c = clamped(c, most);
      v128.store(at, i8x16.swizzle(low8(ab, c), three));
      v128.store(at, i8x16.swizzle(high8(ab, c), three), 12);
    } else {
      a = clamped(a, most);
      b = clamped(b, most);
      c = clamped(c, most);
      const low = low8(a, b);
      const high = high8(a, b);
      const between = i16x8.shuffle(low, high, 6, 7, 8, 9, 10, 11, 12, 13);
      v128.store(at, i16x8.shuffle(low, c, 0, 1, 8, 2, 3, 9, 4, 5));
      v128.store(at, i16x8.shuffle(between, c, 10, 0, 1, 11, 2, 3, 12, 4), 16);
      v128.store(at, i16x8.shuffle(high, c, 3, 13, 4, 5, 14, 6, 7, 15), 32);
    }
  }
}

/** Largest number of columns of a JPEG. */
const MAX_COLUMNS: i32 = 0xffff;
/** Bytes for a row of the picture, with the pixels that are overwritten after it. */
const ROW_BYTES: i32 = 6 * (MAX_COLUMNS + 17);
/** Finished rows, interleaved. */
export const finishedRows: usize = memory.data(ROW_BYTES, 16);
/** A row of each component, as large as the picture. */
const fullRows: usize = memory.data(ROW_BYTES, 16);

/** Room for the bands of three components, without what is read after the last. */
export const BANDS_BYTES: i32 = 1 << 21;
/** Place of the bands. */
export const BANDS: usize = memory.data(BANDS_BYTES + 64, 16);

/** Bytes of a band: seven int32, see {@link Band}. */
export const BAND_BYTES: i32 = 32;
/** Those of three components. */
export const bands: usize = memory.data(3 * BAND_BYTES, 16);

/** The last finished row of a component, followed by those of a row of MCUs. */
@unmanaged
class Band {
  /** Address of its first sample; one more may be written before it. */
  place: usize;
  /** Bytes from one row to the next. */
  stride: usize;
  /** Rows of a row of MCUs. */
  rows: i32;
  /** Columns of the component; one more sample may be written after them. */
  width: i32;
  /** Rows of the component. */
  height: i32;
  /** Whether it has half of the columns of the picture. */
  wide: bool;
  /** Whether it has half of its rows. */
  high: bool;
}

/** Address of a row of a component, of which {@link Band.place} is `first`; beyond the edges the outermost row. */
@inline
function rowOf(band: Band, y: i32, first: i32): usize {
  return band.place + band.stride * (max(0, min(y, band.height - 1)) - first);
}

/** Repeats the first and the last sample of a row outside of it, as their neighbours. */
@inline
function widen<T>(row: usize, width: i32): void {
  store<T>(row - sizeof<T>(), load<T>(row));
  const end = row + sizeof<T>() * width;
  store<T>(end, load<T>(end - sizeof<T>()));
}

/** Brings two rows together with weights 3 and 1. */
@inline
function blended<T>(near: usize, far: usize, to: usize, count: usize, odd: bool): void {
  const one = sizeof<T>();
  const half = i16x8.splat(odd ? 2 : 1);
  for (let i: usize = 0; i < count; i += 8) {
    const sum = i16x8.shr_u(i16x8.add(threeAndOne(eight<T>(near + one * i), eight<T>(far + one * i)), half), 2);
    if (one === 1) v128.store64_lane(to + i, i8x16.narrow_i16x8_u(sum, sum), 0);
    else v128.store(to + 2 * i, sum);
  }
}

/** Where a row of the picture of one component stands as large as the picture: in its band, or at `room`. */
function fullRow<T>(band: Band, y: i32, first: i32, room: usize): usize {
  const near = rowOf(band, y >> <i32>band.high, first);
  const far = band.high ? rowOf(band, (y >> 1) + (y & 1 ? 1 : -1), first) : 0;
  if (!band.wide) {
    if (!band.high) return near;
    blended<T>(near, far, room, band.width, (y & 1) !== 0);
    return room;
  }
  widen<T>(near, band.width);
  if (band.high) {
    widen<T>(far, band.width);
    doubled<T>(near, far, room, band.width, true);
  } else doubled<T>(near, 0, room, band.width, false);
  return room;
}

function finished<T>(row: i32, from: i32, to: i32, width: i32, rgb: bool): void {
  for (let y = from, target = finishedRows; y < to; y += 1, target += 3 * sizeof<T>() * width) {
    let first: usize = 0, second: usize = 0, third: usize = 0;
    for (let i = 0; i < 3; i += 1) {
      const band = changetype<Band>(bands + i * BAND_BYTES);
      const at = fullRow<T>(band, y, band.rows * row - 1, fullRows + i * (ROW_BYTES / 3 & ~15));
      if (i === 0) first = at;
      else if (i === 1) second = at;
      else third = at;
    }
    interleaved<T>(first, second, third, target, width, rgb);
  }
}

/**
 * Makes rows of the picture of the bands of a row of MCUs and of the last row before it, brought to full size with weights 3 and 1
 * and interleaved from {@link finishedRows} on; as RGB if they are full-range YCbCr (JFIF 1.02), in fixed point of 16 bits.
 */
export function finishRows(row: i32, from: i32, to: i32, width: i32, rgb: bool, precision: i32): void {
  if (precision > 8) finished<u16>(row, from, to, width, rgb);
  else finished<u8>(row, from, to, width, rgb);
}

/** Keeps the last row of each band for the next row of MCUs. */
export function keepLast(): void {
  for (let i = 0; i < 3; i += 1) {
    const band = changetype<Band>(bands + i * BAND_BYTES);
    memory.copy(band.place, band.place + band.stride * band.rows, band.stride);
  }
}
