/** What an order to export, and its archive, take of the memory of sessions. */
import type { MemoryShare } from "../memory_budget.ts";

/** The memory of an order and of its archive, and the memory shares of its recordings. */
export class OrderMemory implements Disposable {
  readonly shares = new Set<MemoryShare>();
  #held = new DisposableStack();

  /** Takes `bytes` of a memory share. @throws {SessionMemoryExceeded} */
  reserve(bytes: number, share: MemoryShare): void {
    this.shares.add(share);
    this.#held.adopt(share.reserveExport(bytes), (held) => held.release());
  }

  /** Takes `bytes` of a memory share in place of all that was taken. @throws {SessionMemoryExceeded} */
  move(bytes: number, share: MemoryShare): void {
    this[Symbol.dispose]();
    this.#held = new DisposableStack();
    this.shares.clear();
    this.reserve(bytes, share);
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }
}
