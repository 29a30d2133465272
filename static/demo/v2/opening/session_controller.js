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
import { AcqError, connect } from "../../../client/v2/acq-client.js";
import { Emitter } from "../controls/emitter.js";
import { loadPlanes, openSample } from "./loaded_planes.js";

/** @import { Acquisition, OpenResponse, Position, Server } from "../../../client/v2/acq-client.d.ts" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */

/**
 * @typedef {"dialog" | "path" | "scene" | "again" | "sample"} Kind how something is opened
 * @typedef {import("./kept_work.js").Recalled} Recalled
 * @typedef {{kind: Kind, position?: Position}} How
 * @typedef {object} Loaded
 * @property {Kind} kind
 * @property {OpenResponse} info
 * @property {LoadedGroup} source
 * @property {LoadedGroup | null} reference
 * @property {{t: number, z: number, l: number}} position of the source planes
 * @property {boolean} isSample without session and server
 * @property {Recalled | null} work earlier work on the recording
 */

/** Least time between two automatic reopenings of a changing file. */
const AGAIN_AFTER_MS = 1000;

const systemClock = {
  now: () => performance.now(),
  /** @type {(milliseconds: number) => Promise<unknown>} */
  sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
};

/** Where a file without positions is. */
const START = { t: 0, z: 0, l: 0 };

/** Emits the events that the first comment of this module lists. */
export class SessionController extends Emitter {
  #recall;
  #connect;
  #clock;
  /** @type {Promise<Server> | null} */
  #connection = null;
  /** The open one, even after its session has ended; null before the first file and for the sample. @type {Acquisition | null} */
  acquisition = null;
  /** @type {AbortController | null} */
  #opening = null;
  /** @type {Promise<Acquisition> | null} */
  #renewal = null;
  #renewedAt = -Infinity;
  /** The scene requested last while scenes open. @type {{scene: number} | null} */
  #wantedScene = null;

  /**
   * @param {(acquisition: Acquisition) => Promise<Recalled | null>} recall earlier work on a recording
   * @param {() => Promise<Server>} [connectTo]
   * @param {typeof systemClock} [clock] moved by hand in tests
   */
  constructor(recall, connectTo = connect, clock = systemClock) {
    super();
    this.#recall = recall;
    this.#connect = connectTo;
    this.#clock = clock;
  }

  /** The server; a failed connection is tried again. */
  server() {
    this.#connection ??= this.#connect().catch((error) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  /** Asks whether the server answers. @param {AbortSignal} signal */
  async readHealth(signal) {
    return await (await this.server()).readHealth({ signal });
  }

  get isOpening() {
    return this.#opening !== null;
  }

  cancel() {
    this.#opening?.abort();
  }

  /** Shows the dialog of the server's machine. */
  pick() {
    return this.#run("dialog", async (signal) => {
      const opened = (await this.server()).pick({ signal });
      await this.#loadOpened(opened, { kind: "dialog" }, signal);
    });
  }

  /** Opens a path; without a position, at the one that was shown last. @param {string} path @param {{scene?: number | null, position?: Position}} [options] */
  openPath(path, { scene = null, position = {} } = {}) {
    return this.#run("path", async (signal) => {
      const opened = (await this.server()).open(path, { scene, signal });
      await this.#loadOpened(opened, { kind: "path", position }, signal);
    }, path);
  }

  /** Opens another scene of the open file. A scene requested meanwhile replaces it. @param {number} scene */
  async openScene(scene) {
    const isFirst = this.#wantedScene === null;
    if (isFirst && this.#opening !== null) return;
    this.#wantedScene = { scene };
    if (!isFirst) return this.#opening?.abort();
    await this.#run("scene", async () => {
      let wanted = null;
      while (wanted !== this.#wantedScene) {
        wanted = this.#wantedScene;
        const { scene } = /** @type {{scene: number}} */ (wanted);
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

  /** Fetches the planes of the open file again, such as after the file has changed. @param {Position} position */
  loadAgain(position) {
    return this.#run("again", async (signal) => {
      const acquisition = this.acquisition;
      if (acquisition === null) throw new AcqError("session_not_found", "Nothing is open");
      await this.#load(acquisition, { kind: "again", position }, signal);
    });
  }

  /** Shows the sample, which comes with the page. */
  openSample() {
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
   * @template T
   * @param {(acquisition: Acquisition) => Promise<T>} work
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   * @throws {AcqError} `session_not_found` after `lost`
   */
  async live(work, signal) {
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
      return await work(/** @type {Acquisition} */ (renewed));
    }
  }

  /** Samples of all channels at a position. @param {Position} position @param {AbortSignal} signal */
  planesAt(position, signal) {
    return this.live(
      async (acquisition) =>
        (await acquisition.planes(null, { ...position, signal })).map(({ samples }) => samples),
      signal,
    );
  }

  /** Opens the acquisition again through its session if that expires within `seconds`. @param {number} seconds */
  async renewExpiring(seconds) {
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
  close() {
    this.acquisition?.close({ keepalive: true }).catch(() => {});
  }

  #leave() {
    // An old session would cost memory until it expires.
    this.acquisition?.close().catch(() => {});
    this.acquisition = null;
    this.#renewal = null;
  }

  /** @param {Promise<Acquisition>} opened @param {How} how @param {AbortSignal} signal */
  async #loadOpened(opened, how, signal) {
    const acquisition = await opened;
    try {
      await this.#load(acquisition, how, signal);
    } catch (error) {
      acquisition.close().catch(() => {});
      throw error;
    }
  }

  /** Fetches the planes, then closes the previous acquisition. @param {Acquisition} acquisition @param {How} how @param {AbortSignal} signal */
  async #load(acquisition, { kind, position = {} }, signal) {
    const { info } = acquisition;
    this.emit("opened", { kind, info });
    const onProgress = (/** @type {number} */ received, /** @type {number} */ total) =>
      this.emit("progress", { received, total });
    const work = await this.#recall(acquisition);
    const former = work === null || work.isOther ? {} : work.work.position;
    const { sizes } = acquisition;
    const wanted = { ...START, ...info.position, ...former, ...position };
    // 0 for indices that the acquisition lacks.
    const inside = (/** @type {number} */ index, size = 1) =>
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

  /** Runs work and emits its events, unless other work is in progress. @param {Kind} kind @param {(signal: AbortSignal) => Promise<void>} work @param {string} [path] if known */
  async #run(kind, work, path = "") {
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

  /** Renews the session, once for all callers. @param {() => Promise<Acquisition>} renew */
  #once(renew) {
    return this.#renewal ??= renew().finally(() => this.#renewal = null);
  }

  /** @param {Acquisition} former @param {string} why */
  async #openAgain(former, why) {
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

  /** @param {Acquisition} former @param {Acquisition} renewed @param {string} why */
  #replace(former, renewed, why) {
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
