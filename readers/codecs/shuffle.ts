/**
 * Inverse of the byte shuffle (numcodecs `shuffle`, Blosc flag 1) and of the bit shuffle (Blosc flag 4).
 */

/**
 * Undoes the byte shuffle: byte `b` of element `i` stands at `b * elements + i`; what does not fill an element
 * stands unchanged at the end.
 */
export function unshuffleBytes(source: Uint8Array, target: Uint8Array, width: number): void {
  const elements = Math.floor(source.length / width);
  if (width === 2) return joinPairs(source, target, elements);
  if (width === 4) return joinFours(source, target, elements);
  for (let b = 0; b < width; b += 1) {
    const plane = b * elements;
    for (let i = 0, to = b; i < elements; i += 1, to += width) target[to] = source[plane + i]!;
  }
  const whole = elements * width;
  target.set(source.subarray(whole), whole);
}

/** Elements of two bytes, four at once: of 16 bits in a word each byte is moved to its place, then both planes are put together. */
function joinPairs(source: Uint8Array, target: Uint8Array, elements: number): void {
  const [from, to] = [viewOf(source), viewOf(target)];
  const four = elements & ~3;
  for (let i = 0; i < four; i += 4) {
    const low = from.getUint32(i, true);
    const high = from.getUint32(elements + i, true);
    to.setInt32(2 * i, spread(low & 0xffff) | spread(high & 0xffff) << 8, true);
    to.setInt32(2 * i + 4, spread(low >>> 16) | spread(high >>> 16) << 8, true);
  }
  for (let i = four; i < elements; i += 1) {
    target[2 * i] = source[i]!;
    target[2 * i + 1] = source[elements + i]!;
  }
  target.set(source.subarray(2 * elements), 2 * elements);
}

/** Two bytes as the lower ones of two pairs. */
const spread = (bytes: number) => (bytes | bytes << 8) & 0xff00ff;

/** Elements of four bytes. */
function joinFours(source: Uint8Array, target: Uint8Array, elements: number): void {
  const to = viewOf(target);
  for (let i = 0; i < elements; i += 1) {
    const low = source[i]! | source[elements + i]! << 8;
    const high = source[2 * elements + i]! | source[3 * elements + i]! << 8;
    to.setInt32(4 * i, low | high << 16, true);
  }
  target.set(source.subarray(4 * elements), 4 * elements);
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

/**
 * Undoes the bit shuffle: plane `8 * b + n` holds bit `n` of byte `b` of all elements, eight elements to a byte,
 * the lowest bit first. c-blosc shuffles only blocks whose element count is a multiple of eight.
 */
export function unshuffleBits(source: Uint8Array, target: Uint8Array, width: number): void {
  const elements = Math.floor(source.length / width);
  if (elements % 8 !== 0) {
    target.set(source);
    return;
  }
  const rowBytes = elements / 8;
  for (let b = 0; b < width; b += 1) {
    const plane = 8 * b * rowBytes;
    for (let k = 0; k < rowBytes; k += 1) {
      // An 8 x 8 bit transposition in two 32-bit halves (Hacker's Delight, section 7-3).
      const at = plane + k;
      let high = source[at + 7 * rowBytes]! << 24 | source[at + 6 * rowBytes]! << 16 |
        source[at + 5 * rowBytes]! << 8 | source[at + 4 * rowBytes]!;
      let low = source[at + 3 * rowBytes]! << 24 | source[at + 2 * rowBytes]! << 16 |
        source[at + rowBytes]! << 8 | source[at]!;
      let t = (low ^ (low >>> 7)) & 0x00aa00aa;
      low = low ^ t ^ (t << 7);
      t = (high ^ (high >>> 7)) & 0x00aa00aa;
      high = high ^ t ^ (t << 7);
      t = (low ^ (low >>> 14)) & 0x0000cccc;
      low = low ^ t ^ (t << 14);
      t = (high ^ (high >>> 14)) & 0x0000cccc;
      high = high ^ t ^ (t << 14);
      const swapped = (low & 0x0f0f0f0f) | ((high & 0x0f0f0f0f) << 4);
      high = ((low >>> 4) & 0x0f0f0f0f) | (high & 0xf0f0f0f0);
      let to = 8 * k * width + b;
      for (let i = 0; i < 4; i += 1, to += width) target[to] = swapped >>> (8 * i);
      for (let i = 0; i < 4; i += 1, to += width) target[to] = high >>> (8 * i);
    }
  }
  const whole = elements * width;
  target.set(source.subarray(whole), whole);
}
