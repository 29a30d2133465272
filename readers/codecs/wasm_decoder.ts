/**
 * Instances and memory of decoders in WebAssembly from packages. Such a module asks for up to 2 GiB whatever its input needs, so
 * its growth is bounded by what the headers account for. Its memory never shrinks, and a damaged file may have written
 * anywhere in it, so an instance ends with its load.
 */
import { checkGrowth } from "../io/runtime_internals.ts";

let allowed = 0;
let refused: string | null = null;

checkGrowth((bytes) => {
  refused = bytes > allowed
    ? `its decoder needs more than the ${allowed} bytes of memory that its size accounts for`
    : null;
  if (refused !== null) throw new RangeError(refused);
});

/** Allows each memory of this thread this many bytes; a larger bound of the same load stays. */
export function allowMemory(bytes: number): void {
  allowed = Math.max(allowed, Math.ceil(bytes));
  refused = null;
}

/** Why the last growth since {@linkcode allowMemory} was refused, or `null`; modules try smaller steps before they give up. */
export function memoryRefused(): string | null {
  return refused;
}

const inUse = new Set<WasmDecoder<unknown>>();

/** A decoder whose instance is made when first asked for. */
export class WasmDecoder<Instance> {
  readonly #make: () => Promise<Instance>;
  #instance: Promise<Instance> | null = null;

  /** `make` gives an instance with memory of its own each time. */
  constructor(make: () => Promise<Instance>) {
    this.#make = make;
  }

  /** The instance of this load, which may grow to this many bytes. */
  instance(bytes: number): Promise<Instance> {
    allowMemory(bytes);
    inUse.add(this);
    return this.#instance ??= this.#make();
  }

  /** Discards the instance, which is unusable after it aborted; the next strip or tile gets a new one. */
  drop(): void {
    this.#instance = null;
  }
}

/** Drops all instances and the allowed memory after a load; returns whether any were in use. */
export function dropDecoders(): boolean {
  const some = inUse.size > 0;
  for (const decoder of inUse) decoder.drop();
  inUse.clear();
  allowed = 0;
  return some;
}
