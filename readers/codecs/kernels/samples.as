// Samples on their way from a file into a plane. `.ci/kernels.ts` builds samples.wasm from this file. The caller keeps every
// length within the memory that is declared here.

/** Most bytes of one read: `MAX_READ_STEP`. */
export const STORED_BYTES: i32 = 1 << 20;

/** Samples that are converted at once. */
export const BLOCK: i32 = 1 << 14;

/** Vectors are read and written whole: up to this many bytes after an end may be touched. */
const MARGIN: i32 = 64;

/** Takes what is read. */
export const stored: usize = memory.data(STORED_BYTES + MARGIN, 64);

/** Takes the samples of a block that were read elsewhere, two of 16 bits for each at most. */
export const staged: usize = memory.data(4 * BLOCK + MARGIN, 16);

/** Takes the samples of a block as float32. */
export const floats: usize = memory.data(4 * BLOCK + MARGIN, 16);

/** Converts unsigned samples of 8 bits. */
export function widenUint8(from: usize, count: i32): void {
  const end = from + count;
  for (let to = floats; from < end; from += 8, to += 32) store8(to, v128.load64_zero(from));
}

// @ts-ignore: decorators of functions
@inline
function store8(to: usize, bytes: v128): void {
  store16(to, i16x8.extend_low_i8x16_u(bytes));
}

// @ts-ignore: decorators of functions
@inline
function store16(to: usize, words: v128): void {
  storeFloats(to, i32x4.extend_low_i16x8_u(words), i32x4.extend_high_i16x8_u(words));
}

// @ts-ignore: decorators of functions
@inline
function storeFloats(to: usize, low: v128, high: v128): void {
  v128.store(to, f32x4.convert_i32x4_s(low));
  v128.store(to, f32x4.convert_i32x4_s(high), 16);
}

/** Converts unsigned samples of 16 bits. */
export function widenUint16(from: usize, count: i32): void {
  const end = from + 2 * count;
  for (let to = floats; from < end; from += 16, to += 32) store16(to, v128.load(from));
}

/** Converts signed samples of 16 bits. */
export function widenInt16(from: usize, count: i32): void {
  const end = from + 2 * count;
  for (let to = floats; from < end; from += 16, to += 32) {
    const words = v128.load(from);
    storeFloats(to, i32x4.extend_low_i16x8_s(words), i32x4.extend_high_i16x8_s(words));
  }
}

/** Converts every second of unsigned samples of 16 bits: the first of two interleaved channels, or from the second sample on the other one. */
export function widenSecondUint16(from: usize, count: i32): void {
  const end = from + 4 * count;
  const low = i32x4.splat(0xffff);
  for (let to = floats; from < end; from += 32, to += 32) {
    storeFloats(to, v128.and(v128.load(from), low), v128.and(v128.load(from, 16), low));
  }
}

/** Reverses the bytes of each word of two bytes. */
export function swapPairs(from: usize, length: i32): void {
  const end = from + length;
  for (; from + 16 <= end; from += 16) {
    const bytes = v128.load(from);
    v128.store(from, v128.or(i16x8.shl(bytes, 8), i16x8.shr_u(bytes, 8)));
  }
  for (; from + 2 <= end; from += 2) store<u16>(from, bswap<u16>(load<u16>(from)));
}

/** Reverses the bytes of each word of four bytes. */
export function swapFours(from: usize, length: i32): void {
  const end = from + length;
  for (; from + 16 <= end; from += 16) {
    const bytes = v128.load(from);
    v128.store(from, i8x16.swizzle(bytes, i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
  }
  for (; from + 4 <= end; from += 4) store<u32>(from, bswap<u32>(load<u32>(from)));
}
