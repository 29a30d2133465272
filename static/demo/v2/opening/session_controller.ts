/**
 * The open acquisition and its session. Sessions expire and end with the server; loaded planes stay, and when more are
 * needed the file is opened again: through its session while that lives, then by its path if the server allows it.
 * Independent of the page, which listens:
 *
 * - `opening` `{kind, path}`, then `opened` `{info}` and `progress` `{received, total}` while planes come
 * - `loaded` a {@linkcode Loaded} to show
 * - `failed` `{kind, error}` and `cancelled` `{kind}`; the previous acquisition stays open
 * - `idle` after each of these three
 * - `renewed` `{info}` the same planes have a new session
 * - `lost` the user must choose the file again: its session has ended and the server does not open by path
 */
import {
  AcqError,
  type Acquisition,
  connect,
  type Health,
  type OpenResponse,
  type Position,
  type RunOptions,
  type RunPlane,
  type Server,
} from "../../../client/v2/acq-client.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { loadPlanes, openSample } from "./loaded_planes.ts";
import type { LoadedGroup } from "../picture/channel_group.ts";
import type { Recalled } from "./kept_work.ts";

/** How something is opened. */
export type OpenKind = "dialog" | "path" | "scene" | "again" | "sample";

type How = { kind: OpenKind; position?: Position };

/** An acquisition, or the sample, with its planes. */
export interface Loaded {
  kind: OpenKind;
  info: OpenResponse;
  source: LoadedGroup;
  reference: LoadedGroup | null;
  /** Position of the source planes. */
  position: { t: number; z: number; l: number };
  /** Whether it is the sample, which has neither session nor server. */
  isSample: boolean;
  /** Earlier work on the recording. */
  work: Recalled | null;
}

/** Least time between two automatic reopenings of a changing file. */
const AGAIN_AFTER_MS = 1000;

const systemClock = {
  now: (): number => performance.now(),
  sleep: (milliseconds: number): Promise<unknown> => new Promise((done) => setTimeout(done, milliseconds)),
};

/** Where a file without positions is. */
const START = { t: 0, z: 0, l: 0 };

/** Emits the events that the first comment of this module lists. */
export class SessionController extends Emitter<{
  opening: { kind: OpenKind; path: string };
  opened: { kind: OpenKind; info: OpenResponse };
  progress: { received: number; total: number };
  loaded: Loaded;
  failed: { error: unknown };
  cancelled: Plain;
  idle: Plain;
  lost: Plain;
  renewed: { info: OpenResponse; why: string };
}> {
  readonly #recall;
  readonly #connect;
  readonly #clock;
  #connection: Promise<Server> | null = null;
  /** The open one, even after its session has ended; null before the first file and for the sample. */
  acquisition: Acquisition | null = null;
  #opening: AbortController | null = null;
  #renewal: Promise<Acquisition> | null = null;
  #renewedAt = -Infinity;
  /** The scene requested last while scenes open. */
  #wantedScene: { scene: number } | null = null;

  /**
   * @param recall earlier work on a recording
   * @param clock moved by hand in tests
   */
  constructor(
    recall: (acquisition: Acquisition) => Promise<Recalled | null>,
    connectTo: () => Promise<Server> = connect,
    clock: typeof systemClock = systemClock,
  ) {
    super();
    this.#recall = recall;
    this.#connect = connectTo;
    this.#clock = clock;
  }

  /** The server; a failed connection is tried again. */
  server(): Promise<Server> {
    this.#connection ??= this.#connect().catch((error) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  /** Asks whether the server answers. */
  async readHealth(signal: AbortSignal): Promise<Health> {
    return await (await this.server()).readHealth({ signal });
  }

  get isOpening(): boolean {
    return this.#opening !== null;
  }

  cancel(): void {
    this.#opening?.abort();
  }

  /** Shows the dialog of the server's machine. */
  pick(): Promise<void> {
    return this.#run("dialog", async (signal) => {
      const opened = (await this.server()).pick({ signal });
      await this.#loadOpened(opened, { kind: "dialog" }, signal);
    });
  }

  /** Opens a path; without a position, at the one that was shown last. */
  openPath(
    path: string,
    { scene = null, position = {} }: { scene?: number | null; position?: Position } = {},
  ): Promise<void> {
    return this.#run("path", async (signal) => {
      const opened = (await this.server()).open(path, { scene, signal });
      await this.#loadOpened(opened, { kind: "path", position }, signal);
    }, path);
  }

  /** Opens another scene of the open file. A scene requested meanwhile replaces it. */
  async openScene(scene: number): Promise<void> {
    const isFirst = this.#wantedScene === null;
    if (isFirst && this.#opening !== null) return;
    this.#wantedScene = { scene };
    if (!isFirst) return this.#opening?.abort();
    await this.#run("scene", async () => {
      let wanted = null;
      while (wanted !== this.#wantedScene) {
        wanted = this.#wantedScene;
        const { scene } = wanted as { scene: number };
        const { signal } = this.#opening = new AbortController();
        const opened = this.live((acquisition) => acquisition.reopen({ scene, signal }), signal);
        try {
          await this.#loadOpened(opened, { kind: "scene" }, signal);
        } catch (error) {
          if (wanted === this.#wantedScene) throw error;
        }
      }
    });
    this.#wantedScene = null;
  }

  /** Fetches the planes of the open file again, such as after the file has changed. */
  loadAgain(position: Position): Promise<void> {
    return this.#run("again", async (signal) => {
      const acquisition = this.acquisition;
      if (acquisition === null) throw new AcqError("session_not_found", "Nothing is open");
      await this.#load(acquisition, { kind: "again", position }, signal);
    });
  }

  /** Shows the sample, which comes with the page. */
  openSample(): Promise<void> {
    return this.#run("sample", async (signal) => {
      const sample = await openSample(signal);
      const loaded = await loadPlanes(sample, START, { signal, onProgress: () => {} });
      this.#leave();
      const { info } = sample;
      this.emit("loaded", { kind: "sample", info, ...loaded, position: START, isSample: true, work: null });
    });
  }

  /**
   * Runs work with the session, or with a new one if it has ended or its file has changed.
   *
   * @throws {AcqError} `session_not_found` after `lost`
   */
  async live<T>(work: (acquisition: Acquisition) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const acquisition = this.acquisition;
    if (acquisition === null) throw new AcqError("session_not_found", "Nothing is open");
    try {
      return await work(acquisition);
    } catch (error) {
      if (!(error instanceof AcqError) || !/^(session_not_found|acquisition_changed)$/.test(error.code)) {
        throw error;
      }
      // Another caller may have renewed the session meanwhile.
      const renewed = this.acquisition === acquisition
        ? await this.#once(() => this.#openAgain(acquisition, error.code))
        : this.acquisition;
      signal?.throwIfAborted();
      return await work(renewed as Acquisition);
    }
  }

  /** Samples of all channels at a position. */
  planesAt(position: Position, signal: AbortSignal): Promise<Float32Array<ArrayBuffer>[]> {
    return this.live(
      async (acquisition) =>
        (await acquisition.planes(null, { ...position, signal })).map(({ samples }) => samples),
      signal,
    );
  }

  /** Planes of a channel along an axis, as they arrive. A session that ends meanwhile is renewed. */
  async *run(channel: number, options: RunOptions): AsyncGenerator<RunPlane, void, undefined> {
    let [first, isRenewed] = [options.first ?? 0, false];
    for (;;) {
      const { acquisition } = this;
      if (acquisition === null) throw new AcqError("session_not_found", "Nothing is open");
      try {
        for await (const plane of acquisition.run(channel, { ...options, first })) {
          yield plane;
          [first, isRenewed] = [plane.index + 1, false];
        }
        return;
      } catch (error) {
        if (isRenewed) throw error;
        isRenewed = true;
        await this.live((now) => now === acquisition ? Promise.reject(error) : Promise.resolve());
        options.signal?.throwIfAborted();
      }
    }
  }

  /** Opens the acquisition again through its session if that expires within `seconds`. */
  async renewExpiring(seconds: number): Promise<void> {
    const acquisition = this.acquisition;
    if (acquisition === null || this.isOpening) return;
    try {
      const { ttlSecondsRemaining } = await acquisition.state();
      if (ttlSecondsRemaining > seconds || this.acquisition !== acquisition) return;
      const channelIndices = acquisition.channels.map(({ index }) => index);
      const { scene } = acquisition;
      await this.#once(async () =>
        this.#replace(acquisition, await acquisition.reopen({ channelIndices, scene }), "expiring")
      );
    } catch {
      // The next step of the user meets the same failure and reports it.
    }
  }

  /** Closes the session as the user leaves the page; the request outlives the page. The file can be opened again if the page returns. */
  close(): void {
    this.acquisition?.close({ keepalive: true }).catch(() => {});
  }

  #leave() {
    // An old session would cost memory until it expires.
    this.acquisition?.close().catch(() => {});
    this.acquisition = null;
    this.#renewal = null;
  }

  async #loadOpened(opened: Promise<Acquisition>, how: How, signal: AbortSignal) {
    const acquisition = await opened;
    try {
      await this.#load(acquisition, how, signal);
    } catch (error) {
      acquisition.close().catch(() => {});
      throw error;
    }
  }

  /** Fetches the planes, then closes the previous acquisition. */
  async #load(acquisition: Acquisition, { kind, position = {} }: How, signal: AbortSignal) {
    const { info } = acquisition;
    this.emit("opened", { kind, info });
    const onProgress = (received: number, total: number) => this.emit("progress", { received, total });
    const work = await this.#recall(acquisition);
    const former = work === null || work.isOther ? {} : work.work.position;
    const { sizes } = acquisition;
    const wanted = { ...START, ...info.position, ...former, ...position };
    // 0 for indices that the acquisition lacks.
    const inside = (index: number, size = 1) =>
      Number.isInteger(index) && index >= 0 && index < size ? index : 0;
    const there = {
      t: inside(wanted.t ?? 0, sizes.T),
      z: inside(wanted.z ?? 0, sizes.Z),
      l: inside(wanted.l ?? 0, sizes.L),
    };
    const loaded = await loadPlanes(acquisition, there, { signal, onProgress });
    if (this.acquisition !== acquisition) this.#leave();
    this.acquisition = acquisition;
    this.emit("loaded", { kind, info, ...loaded, position: there, isSample: false, work });
  }

  /** Runs work and emits its events, unless other work is in progress. @param path if known */
  async #run(kind: OpenKind, work: (signal: AbortSignal) => Promise<void>, path = "") {
    if (this.#opening !== null) return;
    this.#opening = new AbortController();
    this.emit("opening", { kind, path });
    try {
      await work(this.#opening.signal);
    } catch (error) {
      const isCancelled = error instanceof AcqError && error.code === "cancelled" ||
        this.#opening.signal.aborted;
      this.emit(isCancelled ? "cancelled" : "failed", { kind, error });
    } finally {
      this.#opening = null;
      this.emit("idle");
    }
  }

  /** Renews the session, once for all callers. */
  #once(renew: () => Promise<Acquisition>) {
    return this.#renewal ??= renew().finally(() => this.#renewal = null);
  }

  async #openAgain(former: Acquisition, why: string) {
    const wait = this.#renewedAt + AGAIN_AFTER_MS - this.#clock.now();
    if (why === "acquisition_changed" && wait > 0) await this.#clock.sleep(wait);
    this.#renewedAt = this.#clock.now();
    const channelIndices = former.channels.map(({ index }) => index);
    const { scene } = former;
    const server = await this.server();
    const { openByPath = true } = await server.readCapabilities();
    // The session of a changed file cannot reopen it.
    if (!openByPath) {
      this.emit("lost");
      throw new AcqError("session_not_found", "The file must be chosen again");
    }
    const renewed = await server.open(former.path, { channelIndices, scene }).catch((error) => {
      if (/_not_allowed$/.test(error.code)) this.emit("lost");
      throw error;
    });
    return this.#replace(former, renewed, why);
  }

  #replace(former: Acquisition, renewed: Acquisition, why: string) {
    // Something else was opened meanwhile.
    if (this.acquisition !== former) {
      renewed.close().catch(() => {});
      throw new AcqError("cancelled", "Another file was opened");
    }
    former.close().catch(() => {});
    this.acquisition = renewed;
    this.emit("renewed", { info: renewed.info, why });
    return renewed;
  }
}
