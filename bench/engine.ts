/** Loads planes as a server does, without HTTP. What the benches use of the engine is in this file alone. */
import { systemClock } from "../session/clock.ts";
import { DecodePool } from "../session/decode_pool.ts";
import { loadAcquisition } from "../session/opener.ts";
import { MemoryBudget } from "../session/memory_budget.ts";
import { PlaneMemory } from "../session/plane_memory.ts";
import { openHere, requestOf } from "../tests/load_here.ts";

/** Workers that stay warm from one load to the next. */
export class Engine implements Disposable {
  readonly #resources = {
    pool: new DecodePool(systemClock, new MemoryBudget(0)),
    budget: new MemoryBudget(2 ** 40),
    memory: new PlaneMemory(systemClock),
  };

  /** Opens a file by a worker, decodes the first plane of some channels, and gives its memory back as the end of a session does. */
  async load(path: string, channels: readonly number[] | null): Promise<void> {
    const { pool, memory } = this.#resources;
    const request = requestOf(path, { channelIndices: channels });
    const { planes, reservation } = await loadAcquisition(
      path,
      { request, marks: new Map() },
      this.#resources,
      new AbortController().signal,
    );
    pool.forget(path);
    for (const { buffer, byteLength } of planes.flat()) memory.give(buffer.transfer(), byteLength);
    reservation.release();
  }

  [Symbol.dispose](): void {
    this.#resources.pool.close();
  }
}

/** Opens a file in this thread and decodes channel 0 of its plane at a position. */
export const loadPlane = (path: string, at: { readonly t?: number; readonly z?: number }): Promise<void> =>
  openHere(path, async (acquisition) => {
    const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0, ...at });
    await plan.decode([new Float32Array(plan.rows * plan.columns)]);
  });
