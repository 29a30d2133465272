/**
 * Inverse of the byte shuffle (numcodecs `shuffle`, Blosc flag 1) and of the bit shuffle (Blosc flag 4), in WebAssembly: by
 * pieces, so that its memory stays as it is.
 */
import * as kernel from "./kernels/blosc.wasm";

const memory = new Uint8Array(kernel.memory.buffer);

/** Takes shuffled bytes until the next call; up to the largest block that c-blosc chooses they are where they are joined. */
export function shuffledBytes(length: number): Uint8Array {
  if (length > kernel.CAPACITY) return new Uint8Array(length);
  return memory.subarray(kernel.planes, kernel.planes + length);
}

/**
 * Undoes the byte shuffle: byte `b` of element `i` stands at `b * elements + i`; what does not fill an element
 * stands unchanged at the end.
 */
export function unshuffleBytes(source: Uint8Array, target: Uint8Array, width: number): void {
  const whole = source.length - source.length % width;
  joinBytePlanes(source, 0, target.subarray(0, whole), width);
  copyRest(source, target, whole);
}

/** The same for the elements from index `from` on that fill the target. */
export function joinBytePlanes(source: Uint8Array, from: number, target: Uint8Array, width: number): void {
  const stride = Math.floor(source.length / width);
  const elements = target.length / width;
  const most = Math.floor(kernel.PIECE / width);
  for (let at = 0; at < elements; at += most) {
    const count = Math.min(most, elements - at);
    const rows = placeForKernel(source, { first: from + at, stride, count, rows: width });
    kernel.joinBytes(rows.start, rows.stride, count, width);
    target.set(memory.subarray(kernel.joined, kernel.joined + count * width), at * width);
  }
}

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
  const most = Math.floor(kernel.PIECE / width) & ~7;
  for (let first = 0; first < elements; first += most) {
    const count = Math.min(most, elements - first);
    const rows = placeForKernel(source, {
      first: first / 8,
      stride: elements / 8,
      count: count / 8,
      rows: 8 * width,
    });
    kernel.joinBits(rows.start, rows.stride, count, width);
    target.set(memory.subarray(kernel.joined, kernel.joined + count * width), first * width);
  }
  copyRest(source, target, elements * width);
}

/** Some bytes of each plane. */
interface Rows {
  /** The first byte of the first plane. */
  readonly first: number;
  /** From one plane to the next. */
  readonly stride: number;
  /** Bytes of each. */
  readonly count: number;
  /** How many planes. */
  readonly rows: number;
}

/** Where the kernel finds them; what is not in its memory is copied there. */
function placeForKernel(
  source: Uint8Array,
  { first, stride, count, rows }: Rows,
): { start: number; stride: number } {
  if (source.buffer === memory.buffer) return { start: source.byteOffset + first, stride };
  for (let row = 0; row < rows; row += 1) {
    const from = row * stride + first;
    memory.set(source.subarray(from, from + count), kernel.planes + row * count);
  }
  return { start: kernel.planes, stride: count };
}

function copyRest(source: Uint8Array, target: Uint8Array, from: number): void {
  if (from < source.length) target.set(source.subarray(from), from);
}
