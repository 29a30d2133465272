/** Streams archives, whose planes workers decode and pack; bounds the planes that all archives hold together. */
import { basename } from "node:path";
import { quoted } from "../../readers/errors.ts";
import type { Clock } from "../clock.ts";
import type { DecodeResources } from "../decoding.ts";
import { ClientGone } from "../errors.ts";
import type { Reservation } from "../memory_budget.ts";
import { makeSessionId } from "../store.ts";
import { type Waits, waitUnlessAborted } from "../waits.ts";
import type { Archive, ExportedRecording, Packed, Packer } from "./archive.ts";
import type { PackOrder } from "./content/archive_orders.ts";

/** Bytes of planes that all archives may hold together; a further archive waits. One archive alone may hold more. */
const MAX_PLANE_BYTES = 128 << 20;

/** The stream of an archive was cut, as its message says. */
export class StreamCut extends Error {}

/** Streams of all clients. */
export class ArchiveStreams {
  readonly #clock: Clock;
  readonly #resources: DecodeResources;
  readonly #waits: Waits;
  /** Bytes of planes that archives hold. */
  #held = 0;
  /** Settles when an archive gives bytes back. */
  #freed = Promise.withResolvers<void>();

  /** `waits` limits the decoding of one position, not that of a whole archive. */
  constructor(clock: Clock, resources: DecodeResources, waits: Waits) {
    this.#clock = clock;
    this.#resources = resources;
    this.#waits = waits;
  }

  /**
   * The ZIP file of an archive. Its first part is made before this returns, so that a failure until then is thrown; not if it must
   * wait for other archives.
   *
   * @param over called when the stream has ended, with the error that ended it, if any; a {@linkcode ClientGone} if its reader left
   * @param written called with the number of planes that are in the archive
   * @param stallMs the stream is cut if its reader waits for this long. Slow decoding does not cut it.
   */
  async start(
    archive: Archive,
    client: AbortSignal,
    over: (fault: unknown) => void,
    written: (planes: number) => void = () => {},
    stallMs = Infinity,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const stopped = new AbortController();
    const signal = AbortSignal.any([client, stopped.signal]);
    /** Settles when the planes must wait for those of other archives. */
    const waits = Promise.withResolvers<void>();
    const gone = () => new ClientGone("The client left before the end of the archive");
    const opened = new OneAcquisition(this.#resources.pool);
    const packer = this.#packerOf(archive, opened, signal, waits.resolve);
    const { streamZip } = await import("./archive.ts");
    const reader = streamZip(archive, packer, written).getReader();
    let cancelWatch = () => {};
    let isOver = false;
    const end = (fault: unknown) => {
      if (isOver) return;
      isOver = true;
      opened.close();
      over(fault);
    };
    const fail = (error: unknown): never => {
      end(error);
      throw error;
    };
    /** Stops the work before it waits for its end. */
    const stop = async (reason: unknown, fault: unknown) => {
      cancelWatch();
      stopped.abort(reason);
      await reader.cancel(reason).catch(() => {});
      end(fault);
    };
    const first = reader.read();
    let next: typeof first | null = first;
    await Promise.race([first, waits.promise]).catch(fail);
    const leave = () => void stop(client.reason, gone());
    client.addEventListener("abort", leave, { once: true });
    return new ReadableStream({
      pull: async (controller) => {
        cancelWatch();
        const { done, value } = await (next ?? reader.read()).catch(fail);
        next = null;
        if (done) {
          controller.close();
          return end(null);
        }
        controller.enqueue(value);
        cancelWatch = this.#clock.after(stallMs, () => {
          const fault = new StreamCut(`it moved no byte for ${stallMs / 1000} s`);
          controller.error(fault);
          void stop(fault, fault);
        });
      },
      cancel: (reason) => stop(reason, gone()),
    }, { highWaterMark: 0 });
  }

  /** @param waits called when planes must wait for those of other archives */
  #packerOf(archive: Archive, opened: OneAcquisition, signal: AbortSignal, waits: () => void): Packer {
    const { pool, budget } = this.#resources;
    return {
      pack: (recording, order) => this.#pack(recording, opened.keyOf(recording), order, signal, waits),
      write: async ({ recording, number, id, name, json }, part, { missing = [], contrasts = [] }) => {
        using wait = this.#waits.begin(`The documents of ${quoted(name)}`, signal);
        const about = { key: opened.keyOf(recording), source: recording.source };
        const member = { index: number - 1, id, name, json };
        const { archived } = recording;
        const order = { recording: archived, member, part, missing, contrasts, version: archive.version };
        return await pool.ask(about, { type: "write", ...order }, wait.signal);
      },
      hold: (bytes) => {
        const held = budget.reserve(bytes, "The documents of the archive");
        return () => held.release();
      },
    };
  }

  async #pack(
    { summary, source, working: known }: ExportedRecording,
    key: string,
    order: Omit<PackOrder, "working">,
    client: AbortSignal,
    waits: () => void,
  ): Promise<Packed> {
    const { pool, budget } = this.#resources;
    const { rows, columns } = order.layout;
    // The samples, and as many bytes again for the packed planes.
    const planeBytes = 8 * rows * columns * order.channels.length;
    const giveBack = await this.#turn(planeBytes, client, waits);
    using wait = this.#waits.begin(`The archive of ${quoted(basename(summary.path))}`, client);
    const worker = await pool.takeForPlane({ key, source }, wait.signal).catch((error: unknown) => {
      giveBack(planeBytes);
      throw error;
    });
    let memory: Reservation | null = null;
    try {
      for (let working = known;;) {
        const held = budget.reserve(planeBytes + working.bytes, "The planes of the archive");
        memory = held;
        const packed = await worker.ask(
          { key, source },
          { type: "pack", order: { ...order, working } },
          wait.signal,
        );
        if (packed.planes !== null) {
          const bytes = packed.planes.flatMap((chunks) => chunks ?? []).reduce(
            (sum, { length }) => sum + length,
            0,
          );
          held.release(held.bytes - bytes);
          giveBack(planeBytes - bytes);
          const release = () => {
            giveBack(bytes);
            held.release();
          };
          return { planes: packed.planes, contrasts: packed.contrasts, release };
        }
        held.release();
        working = packed.working;
      }
    } catch (error) {
      void worker.quiet.then(() => {
        memory?.release();
        giveBack(planeBytes);
      });
      throw error;
    } finally {
      void pool.giveBack(worker, key);
    }
  }

  /**
   * Waits until the archives hold few enough planes for `bytes` more, and returns a function that gives bytes back. No time-out
   * applies: the archive of a client that stalls is cut off, and that of a slow client goes on.
   */
  async #turn(bytes: number, client: AbortSignal, waits: () => void): Promise<(bytes: number) => void> {
    while (this.#held > 0 && this.#held + bytes > MAX_PLANE_BYTES) {
      waits();
      await waitUnlessAborted(this.#freed.promise, client);
    }
    this.#held += bytes;
    return (part) => {
      this.#held -= part;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    };
  }
}

/** Keeps the acquisition of one recording open at a time. */
class OneAcquisition {
  readonly #pool;
  #current: { readonly recording: ExportedRecording; readonly key: string } | null = null;

  constructor(pool: DecodeResources["pool"]) {
    this.#pool = pool;
  }

  keyOf(recording: ExportedRecording): string {
    if (this.#current?.recording === recording) return this.#current.key;
    this.close();
    const key = makeSessionId();
    this.#current = { recording, key };
    this.#pool.retain(key);
    return key;
  }

  close(): void {
    if (this.#current !== null) this.#pool.forget(this.#current.key);
    this.#current = null;
  }
}
