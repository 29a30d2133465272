/**
 * Decoders in WebAssembly of packages: their instances, their memory and their machine code.
 *
 * The modules ask for more memory by `WebAssembly.Memory.grow`, up to 2 GiB, whatever was reserved for them; the bound enforces what
 * was estimated from the headers. Such a memory never shrinks, and a damaged file may have written anywhere in it, so an instance
 * is dropped with its load.
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

/** Allows each memory of this thread so many bytes; an earlier, larger bound of the same load stays. */
export function allowMemory(bytes: number): void {
  allowed = Math.max(allowed, Math.ceil(bytes));
  refused = null;
}

/** Why the last growth since {@linkcode allowMemory} was refused, or `null`; modules try smaller steps before they give up. */
export function memoryRefused(): string | null {
  return refused;
}

const inUse = new Set<WasmDecoder<unknown>>();

/** One decoder, whose instance is made when it is first asked for. */
export class WasmDecoder<Instance> {
  readonly #make: () => Promise<Instance>;
  #instance: Promise<Instance> | null = null;

  /** `make` gives an instance with memory of its own each time. */
  constructor(make: () => Promise<Instance>) {
    this.#make = make;
  }

  /** The instance of this load, which may grow to so many bytes. */
  instance(bytes: number): Promise<Instance> {
    allowMemory(bytes);
    inUse.add(this);
    return this.#instance ??= this.#make();
  }

  /** Has the next strip or tile get a new instance: one that aborted cannot be used again. */
  drop(): void {
    this.#instance = null;
  }
}

/** Drops all instances after a load, and what was allowed to it; tells whether there were any. A collection frees their memory. */
export function dropDecoders(): boolean {
  const some = inUse.size > 0;
  for (const decoder of inUse) decoder.drop();
  inUse.clear();
  allowed = 0;
  return some;
}

/**
 * Tells of each module that this thread compiles from now on. The machine code that V8 makes of it, first quickly and while it
 * runs well, belongs to the process: who compiles the same bytes again has it at once, as long as anyone holds a module of them.
 *
 * @param told takes the module, which may be sent to another thread, and the length of its bytes
 */
export function tellCompiled(told: (code: WebAssembly.Module, bytes: number) => void): void {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource | WebAssembly.Module, imports) => {
    if (source instanceof WebAssembly.Module) return instantiate(source, imports);
    const made = await instantiate(source, imports);
    told(made.module, source.byteLength);
    return made;
  }) as typeof instantiate;
}
