/**
 * Bounds the memory of decoders in WebAssembly. Their modules ask for more by `WebAssembly.Memory.grow`, up to 2 GiB,
 * whatever was reserved for them; the bound enforces what was estimated from the headers. Such a memory never shrinks, so
 * a worker ends after the load that made one, and the bound with it.
 */

let allowed = 0;
let refused: string | null = null;

const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  const bytes = this.buffer.byteLength + pages * 65_536;
  refused = bytes > allowed
    ? `its decoder needs more than the ${allowed} bytes of memory that its size accounts for`
    : null;
  if (refused !== null) throw new RangeError(refused);
  return grow.call(this, pages);
};

/** Allows each memory of this thread so many bytes; an earlier, larger bound stays. */
export function allowMemory(bytes: number): void {
  allowed = Math.max(allowed, Math.ceil(bytes));
  refused = null;
}

/** Why the last growth since {@linkcode allowMemory} was refused, or `null`; modules try smaller steps before they give up. */
export function memoryRefused(): string | null {
  return refused;
}
