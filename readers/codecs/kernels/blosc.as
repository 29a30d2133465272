// What takes most of the time in a chunk of Blosc. `.ci/kernels.ts` builds blosc.wasm from this file.

/** Most bytes of what is decoded at once, and of what it is decoded from. */
export const CAPACITY: i32 = 1 << 20;

/** Here the caller writes what is to be decoded. */
export const input: usize = memory.data(CAPACITY);

/** Here it finds the result. */
export const output: usize = memory.data(CAPACITY);

/** Undoes the byte shuffle of elements of two bytes: all first bytes, then all second ones. */
export function unshuffle2(elements: usize): void {
  let i: usize = 0;
  for (; i + 16 <= elements; i += 16) {
    const low = v128.load(input + i);
    const high = v128.load(input + elements + i);
    v128.store(output + 2 * i, i8x16.shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(output + 2 * i, i8x16.shuffle(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
  }
}
