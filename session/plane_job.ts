/** The decoding of one plane, which several requests may wait for. */
import type { PlaneBuffer } from "./plane_buffer.ts";
import { waitUnlessAborted } from "./waits.ts";

/** A plane, or some of its rows, that stays in memory until the lease ends. */
export interface LeasedPlane {
  /** The samples from `firstRow` on. */
  readonly plane: PlaneBuffer;
  readonly firstRow: number;
  endLease(): void;
}

/** Decodes a plane. */
export type Decode = (signal: AbortSignal) => Promise<LeasedPlane>;

/** Decoding that is abandoned when the last request leaves. */
export class PlaneJob {
  readonly #abort = new AbortController();
  readonly #end: Promise<LeasedPlane>;
  /** The decoded plane; the job holds its lease until the last waiter has its own. */
  #decoded: LeasedPlane | null = null;
  #waiters = 0;

  /** Begins to decode. Once the plane is decoded or the job is abandoned, `ended` is called, and no further request may join. */
  constructor(decode: Decode, ended: () => void) {
    const { signal } = this.#abort;
    signal.addEventListener("abort", ended);
    const decoded = decode(signal).then((leased) => {
      this.#decoded = leased;
      ended();
      if (this.isIdle) leased.endLease();
      return leased;
    });
    decoded.catch((error) => this.abandon(error));
    this.#end = waitUnlessAborted(decoded, signal);
    this.#end.catch(() => {});
  }

  /** True if no request waits, as for a plane that is read ahead. */
  get isIdle(): boolean {
    return this.#waiters === 0;
  }

  /** Waits for the plane, and takes a lease of it. @throws what the decoding throws, or the reason of `signal` */
  async wait(signal: AbortSignal): Promise<LeasedPlane> {
    this.#waiters += 1;
    try {
      const { plane, firstRow } = await waitUnlessAborted(this.#end, signal);
      return { plane, firstRow, endLease: plane.lease() };
    } finally {
      this.#waiters -= 1;
      if (this.isIdle && this.#decoded === null) this.abandon(signal.reason);
      else if (this.isIdle) this.#decoded?.endLease();
    }
  }

  abandon(reason: unknown): void {
    this.#abort.abort(reason);
  }
}
