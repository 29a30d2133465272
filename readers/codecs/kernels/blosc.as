// What takes most of the time in chunks of Blosc: LZ4, and the shuffles of bytes and bits. `.ci/kernels.ts` builds
// blosc.wasm from this file. The caller keeps every length within the memory that is declared here; what a stream says is
// checked here.

/** Most bytes of a stream, and of what is decoded from streams: the largest block that c-blosc chooses. */
export const CAPACITY: i32 = 4 << 20;

/** Most bytes of joined elements. */
export const PIECE: i32 = 1 << 16;

/** Vectors are read and written whole: up to this many bytes after an end may be touched. */
const MARGIN: i32 = 64;

/** Takes a stream. */
export const stream: usize = memory.data(CAPACITY + MARGIN, 16);

/** Takes what streams decode to: the planes of shuffled elements. */
export const planes: usize = memory.data(CAPACITY + MARGIN, 16);

/** Planes of bytes, made from planes of bits. */
const bytePlanes: usize = memory.data(PIECE + MARGIN, 16);

/** Takes joined elements. */
export const joined: usize = memory.data(PIECE + MARGIN, 16);

/**
 * Decodes an LZ4 block, the first `length` bytes of `stream`, to at most `size` bytes from `start` on.
 *
 * Gives the number of decoded bytes; where the block is damaged, the complement (`~`) of the place up to which it was read.
 */
export function decodeLz4(length: i32, start: usize, size: i32): i32 {
  const end = stream + length;
  const full = start + size;
  let from = stream;
  let to = start;
  while (from < end) {
    const token: u32 = load<u8>(from++);
    let count: usize = token >> 4;
    if (count == 15) {
      let byte: u32 = 255;
      while (byte == 255) {
        if (from >= end) return damagedAt(from);
        byte = load<u8>(from++);
        count += byte;
      }
    }
    if (from + count > end || to + count > full) return damagedAt(from);
    copyVectors(from, to, count);
    from += count;
    to += count;
    if (from == end) break;
    if (from + 2 > end) return damagedAt(from);
    const distance: usize = load<u16>(from);
    from += 2;
    count = token & 15;
    const long: u32 = u32(count == 15);
    let byte: u32 = load<u8>(from) & (0 - long);
    from += long;
    if (from > end) return damagedAt(end);
    count += byte;
    if (byte == 255) {
      while (byte == 255) {
        if (from >= end) return damagedAt(from);
        byte = load<u8>(from++);
        count += byte;
      }
    }
    count += 4;
    if (distance == 0 || distance > to - start || to + count > full) return damagedAt(from);
    copyMatch(to, distance, count);
    to += count;
  }
  return <i32> (to - start);
}

/** Longest distance of a short BloscLZ match; longer ones add it to a number of 16 bits. */
const NEAR: usize = 8191;

/** Decodes a BloscLZ block as `decodeLz4` does an LZ4 block. */
export function decodeBloscLz(length: i32, start: usize, size: i32): i32 {
  const end = stream + length;
  const full = start + size;
  let from = stream;
  let to = start;
  if (from >= end) return damagedAt(from);
  // The first control byte is always a run of literals; its upper bits tell the version.
  let control: usize = load<u8>(from++) & 31;
  while (true) {
    let count = control + 1;
    if (control < 32) {
      if (from + count > end || to + count > full) return damagedAt(from);
      copyVectors(from, to, count);
      from += count;
    } else {
      count = (control >> 5) + 2;
      if (count == 9) {
        let byte: u32 = 255;
        while (byte == 255) {
          if (from >= end) return damagedAt(from);
          byte = load<u8>(from++);
          count += byte;
        }
      }
      if (from >= end) return damagedAt(from);
      const low: usize = load<u8>(from++);
      let distance = ((control & 31) << 8) + low + 1;
      if (low == 255 && (control & 31) == 31) {
        if (from + 2 > end) return damagedAt(end);
        distance = <usize> bswap<u16>(load<u16>(from)) + NEAR + 1;
        from += 2;
      }
      if (distance > to - start || to + count > full) return damagedAt(from);
      copyMatch(to, distance, count);
    }
    to += count;
    if (from >= end) break;
    control = load<u8>(from++);
  }
  return <i32> (to - start);
}

// @ts-ignore: decorators of functions
@inline
function damagedAt(from: usize): i32 {
  return ~(<i32> (from - stream));
}

/** Copies bytes, those of each vector at once. */
// @ts-ignore: decorators of functions
@inline
function copyVectors(from: usize, to: usize, count: usize): void {
  v128.store(to, v128.load(from));
  for (let i: usize = 16; i < count; i += 32) {
    v128.store(to + i, v128.load(from + i));
    v128.store(to + i, v128.load(from + i, 16), 16);
  }
}

/** For each distance below sixteen, and for sixteen, which byte before it each byte of a vector repeats. */
const repeats: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
  0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0,
  0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0,
  0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
], 16);

/** For each distance up to sixteen its least multiple from sixteen on. */
const multiples: usize = memory.data<u8>([0, 16, 16, 18, 16, 20, 18, 21, 16, 18, 20, 22, 24, 26, 28, 30, 16]);

/** Repeats what stands a distance before. From the second vector on a multiple of a short distance does the same. */
// @ts-ignore: decorators of functions
@inline
function copyMatch(to: usize, distance: usize, count: usize): void {
  const short = min(distance, 16);
  v128.store(to, i8x16.swizzle(v128.load(to - distance), v128.load(repeats + 16 * short)));
  const far = distance < 16 ? <usize> load<u8>(multiples + short) : distance;
  v128.store(to, v128.load(to + 16 - far), 16);
  v128.store(to, v128.load(to + 32 - far), 32);
  v128.store(to, v128.load(to + 48 - far), 48);
  for (let i: usize = 64; i < count; i += 32) {
    v128.store(to + i, v128.load(to + i - far));
    v128.store(to + i, v128.load(to + i + 16 - far), 16);
  }
}

/** Joins elements of `width` bytes, as many as `joined` takes: the bytes of each lie `stride` bytes apart from `from` on. */
export function joinBytes(from: usize, stride: usize, count: usize, width: usize): void {
  let i: usize = 0;
  if (width == 2) {
    for (; i + 16 <= count; i += 16) joinTwo(joined + 2 * i, from + i, stride);
  } else if (width == 4) {
    for (; i + 16 <= count; i += 16) joinFour(joined + 4 * i, from + i, stride);
  } else if (width == 8) {
    for (; i + 16 <= count; i += 16) joinEight(joined + 8 * i, from + i, stride);
  }
  for (let b: usize = 0; b < width; b += 1) {
    for (let k = i; k < count; k += 1) store<u8>(joined + k * width + b, load<u8>(from + b * stride + k));
  }
}

/** Elements of two bytes, sixteen at once. */
// @ts-ignore: decorators of functions
@inline
function joinTwo(to: usize, from: usize, stride: usize): void {
  const a = v128.load(from), b = v128.load(from + stride);
  v128.store(to, lowBytes(a, b));
  v128.store(to, highBytes(a, b), 16);
}

/** Elements of four bytes: pairs of bytes are interleaved as two bytes are. */
// @ts-ignore: decorators of functions
@inline
function joinFour(to: usize, from: usize, stride: usize): void {
  const a = v128.load(from), b = v128.load(from + stride);
  const c = v128.load(from + 2 * stride), d = v128.load(from + 3 * stride);
  const ab = lowBytes(a, b), AB = highBytes(a, b), cd = lowBytes(c, d), CD = highBytes(c, d);
  v128.store(to, lowPairs(ab, cd));
  v128.store(to, highPairs(ab, cd), 16);
  v128.store(to, lowPairs(AB, CD), 32);
  v128.store(to, highPairs(AB, CD), 48);
}

/** Elements of eight bytes: halves of four are interleaved in turn. */
// @ts-ignore: decorators of functions
@inline
function joinEight(to: usize, from: usize, stride: usize): void {
  const a = v128.load(from), b = v128.load(from + stride);
  const c = v128.load(from + 2 * stride), d = v128.load(from + 3 * stride);
  const e = v128.load(from + 4 * stride), f = v128.load(from + 5 * stride);
  const g = v128.load(from + 6 * stride), h = v128.load(from + 7 * stride);
  storeEights(to, a, b, c, d, e, f, g, h);
}

// @ts-ignore: decorators of functions
@inline
function storeFours(to: usize, a: v128, b: v128): void {
  v128.store(to, v128.shuffle<i32>(a, b, 0, 4, 1, 5));
  v128.store(to, v128.shuffle<i32>(a, b, 2, 6, 3, 7), 16);
}

// @ts-ignore: decorators of functions
@inline
function lowBytes(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorators of functions
@inline
function highBytes(a: v128, b: v128): v128 {
  return v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// @ts-ignore: decorators of functions
@inline
function lowPairs(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-ignore: decorators of functions
@inline
function highPairs(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/**
 * Joins elements of which each bit lies apart: `stride` bytes from one bit to the next, eight elements to a byte, the lowest
 * bit first. `count` is a multiple of eight.
 */
export function joinBits(from: usize, stride: usize, count: usize, width: usize): void {
  for (let b: usize = 0; b < width; b += 1) gatherBits(from + 8 * b * stride, stride, bytePlanes + b * count, count >> 3);
  joinBytes(bytePlanes, count, count, width);
}

/** Makes a plane of bytes from its eight planes of bits, of `bytes` bytes each. */
function gatherBits(from: usize, stride: usize, to: usize, bytes: usize): void {
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) gatherVectors(from + i, stride, to + 8 * i);
  for (; i < bytes; i += 1) {
    let bits: u64 = 0;
    for (let n: usize = 0; n < 8; n += 1) bits |= load<u8>(from + n * stride + i) as u64 << (8 * n);
    store<u64>(to + 8 * i, transposed(bits));
  }
}

/** An 8 x 8 bit transposition (Hacker's Delight, section 7-3): bit i of byte n goes to bit n of byte i. */
// @ts-ignore: decorators of functions
@inline
function transposed(x: u64): u64 {
  let t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
  return x ^ t ^ (t << 28);
}

/** The same of sixteen columns at once, each of which is a byte of eight vectors; then their bytes are interleaved. */
// @ts-ignore: decorators of functions
@inline
function gatherVectors(from: usize, stride: usize, to: usize): void {
  let a = v128.load(from), b = v128.load(from + stride);
  let c = v128.load(from + 2 * stride), d = v128.load(from + 3 * stride);
  let e = v128.load(from + 4 * stride), f = v128.load(from + 5 * stride);
  let g = v128.load(from + 6 * stride), h = v128.load(from + 7 * stride);
  const ones = i8x16.splat(0x55), twos = i8x16.splat(0x33), fours = i8x16.splat(0x0f);
  let t = moved(a, b, 1, ones); b = v128.xor(b, t); a = v128.xor(a, i64x2.shl(t, 1));
  t = moved(c, d, 1, ones); d = v128.xor(d, t); c = v128.xor(c, i64x2.shl(t, 1));
  t = moved(e, f, 1, ones); f = v128.xor(f, t); e = v128.xor(e, i64x2.shl(t, 1));
  t = moved(g, h, 1, ones); h = v128.xor(h, t); g = v128.xor(g, i64x2.shl(t, 1));
  t = moved(a, c, 2, twos); c = v128.xor(c, t); a = v128.xor(a, i64x2.shl(t, 2));
  t = moved(b, d, 2, twos); d = v128.xor(d, t); b = v128.xor(b, i64x2.shl(t, 2));
  t = moved(e, g, 2, twos); g = v128.xor(g, t); e = v128.xor(e, i64x2.shl(t, 2));
  t = moved(f, h, 2, twos); h = v128.xor(h, t); f = v128.xor(f, i64x2.shl(t, 2));
  t = moved(a, e, 4, fours); e = v128.xor(e, t); a = v128.xor(a, i64x2.shl(t, 4));
  t = moved(b, f, 4, fours); f = v128.xor(f, t); b = v128.xor(b, i64x2.shl(t, 4));
  t = moved(c, g, 4, fours); g = v128.xor(g, t); c = v128.xor(c, i64x2.shl(t, 4));
  t = moved(d, h, 4, fours); h = v128.xor(h, t); d = v128.xor(d, i64x2.shl(t, 4));
  storeEights(to, a, b, c, d, e, f, g, h);
}

/** Bits of `a` that change places with those of `b`, which lie `by` lower. */
// @ts-ignore: decorators of functions
@inline
function moved(a: v128, b: v128, by: i32, mask: v128): v128 {
  return v128.and(v128.xor(i64x2.shr_u(a, by), b), mask);
}

/** Interleaves the bytes of eight vectors. */
// @ts-ignore: decorators of functions
@inline
function storeEights(to: usize, a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): void {
  let ab = lowBytes(a, b), cd = lowBytes(c, d), ef = lowBytes(e, f), gh = lowBytes(g, h);
  storeFours(to, lowPairs(ab, cd), lowPairs(ef, gh));
  storeFours(to + 32, highPairs(ab, cd), highPairs(ef, gh));
  ab = highBytes(a, b), cd = highBytes(c, d), ef = highBytes(e, f), gh = highBytes(g, h);
  storeFours(to + 64, lowPairs(ab, cd), lowPairs(ef, gh));
  storeFours(to + 96, highPairs(ab, cd), highPairs(ef, gh));
}
