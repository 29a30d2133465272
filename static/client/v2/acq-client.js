/**
 * Opens microscope files through acq-server (HTTP API v2) and reads their planes as 32-bit floats. One file without any
 * dependency, for browsers, Node and Deno:
 *
 *     import { connect } from "http://127.0.0.1:8767/client/v2/acq-client.js";
 *
 *     const server = await connect();
 *     await using scan = await server.open("/data/scan.oir");
 *     const { samples, shape, axes } = await scan.plane(0);
 *
 * Every failure is an {@linkcode AcqError}. `acq-client.d.ts` beside this file has all types.
 */

/** @import * as Types from "./acq-client.d.ts" */

/** A call that failed. @implements {Types.AcqError} */
export class AcqError extends Error {
  /**
   * @param {Types.AcqErrorCode} code
   * @param {string} message
   * @param {Types.AcqErrorInfo} [info]
   */
  constructor(code, message, { status = 0, details = null, retryAfter = null, cause } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "AcqError";
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** Where a server listens unless it was told otherwise. */
const DEFAULT_BASE = "http://127.0.0.1:8767";

/** Where a server has this module. */
const OWN_PATH = /^(\/static\/\w+)?\/client\/v2\/acq-client\.js$/;

/**
 * Connects to a server: asks for its health and capabilities.
 *
 * @param {string | URL | null} [base] address; by default the server that this module came from, else `http://127.0.0.1:8767`
 * @param {Types.ConnectOptions} [options]
 * @returns {Promise<Server>}
 */
export async function connect(base, { signal, retries = 3, longestWait = 10 } = {}) {
  const http = new Http(String(base ?? ownServer()).replace(/\/+$/, ""), { retries, longestWait });
  const [health, capabilities] = await Promise.all([
    /** @type {Promise<Types.Health>} */ (http.json("/api/v2/health", { signal })),
    /** @type {Promise<Types.Capabilities>} */ (http.json("/api/v2/capabilities", { signal })),
  ]);
  if (typeof health.server_version !== "string") {
    throw new AcqError("bad_answer", `${http.base} is no acq-server`);
  }
  return new Server(http, health, capabilities);
}

/** The server that this module came from, if it came from one. */
function ownServer() {
  const { protocol, origin, pathname } = new URL(import.meta.url);
  return /^https?:$/.test(protocol) && OWN_PATH.test(pathname) ? origin : DEFAULT_BASE;
}

/** A server that answers. @implements {Types.Server} */
export class Server {
  #http;

  /** @param {Http} http @param {Types.Health} health @param {Types.Capabilities} capabilities */
  constructor(http, health, capabilities) {
    this.#http = http;
    this.base = http.base;
    this.health = health;
    this.capabilities = capabilities;
    this.version = health.server_version;
  }

  /** @param {Types.CallOptions} [options] @returns {Promise<Types.Health>} */
  readHealth({ signal } = {}) {
    return this.#http.json("/api/v2/health", { signal });
  }

  /** @param {Types.CallOptions} [options] @returns {Promise<Types.Capabilities>} */
  readCapabilities({ signal } = {}) {
    return this.#http.json("/api/v2/capabilities", { signal });
  }

  /**
   * Shows the file dialog on the server's machine and opens what the user chooses; `cancelled` when that is nothing.
   *
   * @param {Types.PickOptions} [options]
   * @returns {Promise<Acquisition>}
   */
  pick({ signal, ...chosen } = {}) {
    // Asked again, the dialog would open by itself while nobody expects it.
    return opened(this.#http, "/api/v2/pick-and-open", chosen, { signal, retries: 0 });
  }

  /**
   * Opens a file by its path.
   *
   * @param {string} path absolute, as the server's machine sees it
   * @param {Types.OpenOptions} [options]
   * @returns {Promise<Acquisition>}
   */
  open(path, { signal, ...chosen } = {}) {
    return opened(this.#http, "/api/v2/open", { path, ...chosen }, { signal });
  }
}

/**
 * @param {Http} http
 * @param {string} url
 * @param {object} body
 * @param {Request_} request
 * @returns {Promise<Acquisition>}
 */
async function opened(http, url, body, request) {
  const info = await http.json(url, {
    ...request,
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  try {
    for (const group of [info, info.reference]) {
      for (const channel of group?.channels ?? []) checkPlane(group.plane, channel);
    }
  } catch (error) {
    await http.json(`/api/v2/sessions/${info.sessionId}`, { method: "DELETE" }).catch(() => {});
    throw error;
  }
  return new Acquisition(http, info);
}

/** Older runtimes have no such symbol. @type {typeof Symbol.asyncDispose} */
const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** An opened acquisition: one session of the server. @implements {Types.Acquisition} */
export class Acquisition {
  #http;
  /** Other scenes that planes were asked of. @type {Map<number, Promise<Acquisition>>} */
  #others = new Map();

  /** @param {Http} http @param {Types.OpenResponse} info */
  constructor(http, info) {
    this.#http = http;
    this.info = info;
    this.sessionId = info.sessionId;
    this.path = info.source.path;
    this.name = info.source.name;
    this.fingerprint = info.source.fingerprint ?? null;
    this.shape = info.plane.shape;
    this.axes = info.plane.axes;
    this.channels = info.channels;
    this.sizes = info.header.sizes;
    this.scene = info.scene ?? 0;
    this.scenes = info.scenes ?? [];
    this.times = info.times ?? null;
    this.position = info.position ?? { t: 0, z: 0, l: 0 };
    this.lineScan = info.lineScan ?? null;
    this.warnings = info.warnings ?? [];
    this.warningCodes = info.warningCodes ?? [];
    this.reference = info.reference ? new Reference(http, info.reference) : null;
  }

  /**
   * Samples of one channel at a position.
   *
   * @param {number} channel index in the file
   * @param {Types.PlaneOptions} [options]
   * @returns {Promise<Types.Plane>}
   */
  async plane(channel, options = {}) {
    const { scene = this.scene, ...rest } = options;
    if (scene === this.scene) {
      const { plane, channels } = this.info;
      return await readPlane(this.#http, plane, channelOf(channels, channel, "channel_not_found"), rest);
    }
    const other = await this.#scene(scene, rest.signal);
    return await other.plane(channel, rest);
  }

  /**
   * Samples of several channels at one position; progress counts them together.
   *
   * @param {readonly number[] | null} [channels] indices in the file; all that are loaded by default
   * @param {Types.PlaneOptions} [options]
   * @returns {Promise<Types.Plane[]>}
   */
  planes(channels = null, { onProgress = () => {}, ...options } = {}) {
    const wanted = channels ?? this.channels.map(({ index }) => index);
    /** @type {Map<number, [received: number, total: number]>} */
    const counts = new Map();
    const sum = (/** @type {0 | 1} */ part) =>
      [...counts.values()].reduce((all, count) => all + count[part], 0);
    // Whoever fails first ends the others, or their bytes would go on coming.
    return together(options.signal, wanted, (index, signal) =>
      this.plane(index, {
        ...options,
        signal,
        onProgress(received, total) {
          counts.set(index, [received, total]);
          if (counts.size === wanted.length) onProgress(sum(0), sum(1));
        },
      }));
  }

  /**
   * Opens the same acquisition once more, such as another scene, into a session of its own.
   *
   * @param {Types.OpenOptions} [options]
   * @returns {Promise<Acquisition>}
   */
  reopen({ signal, ...chosen } = {}) {
    return opened(this.#http, `${this.#url}/open`, chosen, { signal });
  }

  /** State of the session. @param {Types.CallOptions} [options] @returns {Promise<Types.SessionInfo>} */
  state({ signal } = {}) {
    return this.#http.json(this.#url, { signal });
  }

  /** Metadata documents of the file. @param {Types.CallOptions} [options] @returns {Promise<Types.MetadataDocument[]>} */
  metadata({ signal } = {}) {
    return this.#http.json(`${this.#url}/metadata`, { signal });
  }

  /**
   * Ends the session and those of its scenes. A session that has ended already is no error.
   *
   * @param {Types.CallOptions & {keepalive?: boolean}} [options] `keepalive` lets the request outlive the page
   */
  async close({ signal, keepalive = false } = {}) {
    const others = [...this.#others.values()].map(async (other) => {
      // One that could not be opened has no session.
      const acquisition = await other.catch(() => null);
      await acquisition?.close({ signal, keepalive });
    });
    this.#others.clear();
    const own = this.#http.json(this.#url, { method: "DELETE", signal, keepalive }).catch((error) => {
      if (error.code !== "session_not_found") throw error;
    });
    await Promise.all([own, ...others]);
  }

  async [ASYNC_DISPOSE]() {
    await this.close();
  }

  get #url() {
    return `/api/v2/sessions/${encodeURIComponent(this.sessionId)}`;
  }

  /**
   * Opens a scene once. Whoever asks again meanwhile waits for the same session, whatever becomes of the first who asked.
   *
   * @param {number} scene
   * @param {AbortSignal | null} [signal]
   */
  async #scene(scene, signal) {
    let other = this.#others.get(scene);
    if (other === undefined) {
      other = this.reopen({ scene });
      this.#others.set(scene, other);
      other.catch(() => this.#others.delete(scene));
    }
    return await untilAborted(other, signal);
  }
}

/** The reference (overview) image of a line scan. @implements {Types.Reference} */
export class Reference {
  #http;

  /** @param {Http} http @param {Types.ReferenceInfo} info */
  constructor(http, info) {
    this.#http = http;
    this.info = info;
    this.shape = info.plane.shape;
    this.axes = info.plane.axes;
    this.channels = info.channels;
    this.path = pathPoints(info);
  }

  /**
   * Samples of one channel.
   *
   * @param {number} channel
   * @param {Types.CallOptions & {onProgress?: Types.OnProgress | undefined}} [options]
   * @returns {Promise<Types.Plane>}
   */
  async plane(channel, options = {}) {
    const { plane, channels } = this.info;
    return await readPlane(
      this.#http,
      plane,
      channelOf(channels, channel, "reference_channel_not_found"),
      options,
    );
  }
}

/**
 * Points of the scanned path: `scanPath` where its arrays are equally long and not empty, otherwise the two ends of `lineRoi`,
 * otherwise none. They are pixels of the reference plane before any transposition: x counts columns, y rows.
 *
 * @param {Parameters<typeof Types.pathPoints>[0]} reference
 * @returns {Types.Point[]}
 */
export function pathPoints(reference) {
  const { scanPath, lineRoi } = reference ?? {};
  if (scanPath && scanPath.x?.length > 0 && scanPath.x.length === scanPath.y?.length) {
    const { x: columns, y: rows } = scanPath;
    return columns.map((x, i) => ({ x, y: Number(rows[i]) }));
  }
  if (lineRoi?.length !== 4) return [];
  const [x0, y0, x1, y1] = /** @type {[number, number, number, number]} */ (lineRoi);
  return [{ x: x0, y: y0 }, { x: x1, y: y1 }];
}

/**
 * @param {Types.ChannelInfo[]} channels
 * @param {number} index
 * @param {string} code
 */
function channelOf(channels, index, code) {
  const channel = channels.find((channel) => channel.index === index);
  if (channel === undefined) {
    const loaded = channels.map((channel) => channel.index).join(", ");
    throw new AcqError(code, `Channel ${index} is not loaded; loaded are ${loaded}`);
  }
  return channel;
}

/**
 * @param {Http} http
 * @param {Types.PlaneInfo} info
 * @param {Types.ChannelInfo} channel
 * @param {Omit<Types.PlaneOptions, "scene">} options
 * @returns {Promise<Types.Plane>}
 */
async function readPlane(http, { shape, axes }, channel, { t, z, l, rows, signal, onProgress }) {
  const columns = shape[1];
  const [first, end] = rows ?? [0, shape[0]];
  if (!Number.isInteger(first) || !Number.isInteger(end) || first < 0 || end > shape[0] || first >= end) {
    throw new AcqError("range_not_satisfiable", `Rows ${first} to ${end} are none of 0 to ${shape[0]}`);
  }
  const query = new URLSearchParams();
  for (const [name, index] of Object.entries({ t, z, l })) {
    if (index !== undefined && index !== 0) query.set(name, String(index));
  }
  const url = query.size === 0 ? channel.dataUrl : `${channel.dataUrl}?${query}`;
  const byteLength = 4 * columns * (end - first);
  const bytes = await http.bytes(url, byteLength, {
    signal,
    onProgress,
    headers: rows ? { Range: `bytes=${4 * columns * first}-${4 * columns * end - 1}` } : {},
    status: rows ? 206 : 200,
  });
  return {
    samples: littleEndianFloats(bytes),
    shape: [end - first, columns],
    axes,
    firstRow: first,
    channel,
  };
}

/**
 * @param {Types.PlaneInfo} plane
 * @param {Types.ChannelInfo} channel
 * @throws {AcqError} the description is not what the contract promises
 */
function checkPlane({ shape, axes, servedDtype, encoding, layout }, { index, byteLength }) {
  /** @param {string} fault */
  const bad = (fault) => new AcqError("bad_answer", `Channel ${index}: ${fault}`);
  if (shape?.length !== 2 || !shape.every((size) => Number.isInteger(size) && size > 0)) {
    throw bad(`plane.shape is [${shape}], not two positive integers`);
  }
  if (axes?.length !== 2 || !axes.every(({ step }) => Number.isFinite(step) && step > 0)) {
    throw bad("plane.axes are not two axes with a positive step");
  }
  const form = `${servedDtype} ${encoding} ${layout}`;
  if (form !== "float32 raw-f32-le row-major") throw bad(`the plane encoding "${form}" is unknown`);
  const [rows, columns] = shape;
  if (byteLength !== 4 * rows * columns) {
    throw bad(`byteLength is ${byteLength}, ${rows} x ${columns} floats are ${4 * rows * columns}`);
  }
}

/** The machine's own byte order. */
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The samples in some bytes, which are swapped in place where the machine is not little-endian. @param {ArrayBuffer} bytes */
function littleEndianFloats(bytes) {
  if (!HOST_IS_LITTLE_ENDIAN) {
    const view = new DataView(bytes);
    for (let at = 0; at < bytes.byteLength; at += 4) view.setUint32(at, view.getUint32(at, true), false);
  }
  return new Float32Array(bytes);
}

/**
 * @typedef {Pick<RequestInit, "method" | "headers" | "body" | "keepalive"> & {
 *   signal?: AbortSignal | null | undefined, retries?: number}} Request_
 * @typedef {{retries: number, longestWait: number}} Patience
 */

/** The requests, with everything that can go wrong with them. */
class Http {
  #patience;

  /** @param {string} base @param {Patience} patience */
  constructor(base, patience) {
    this.base = base;
    this.#patience = patience;
  }

  /**
   * A JSON answer that says ok, or a list.
   *
   * @param {string} url
   * @param {Request_} request
   * @returns {Promise<any>} what the contract promises at this place
   */
  async json(url, request) {
    const response = await this.#answer(url, request);
    const body = await response.json().catch((error) => {
      throw asAcqError(error, error instanceof SyntaxError ? "The answer is not JSON" : undefined);
    });
    if (Array.isArray(body)) return body;
    // A dialog that was closed is HTTP 200 with ok = false.
    if (body?.ok !== true) throw asServerSays(response, body, "The answer has no ok");
    return body;
  }

  /**
   * Exactly `byteLength` bytes.
   *
   * @param {string} url
   * @param {number} byteLength
   * @param {Request_ & {onProgress?: Types.OnProgress | undefined, status: number}} request
   */
  async bytes(url, byteLength, { onProgress = () => {}, status, ...request }) {
    const response = await this.#answer(url, request);
    if (response.status !== status || response.body === null) {
      await response.body?.cancel();
      throw new AcqError("bad_answer", `${url} answered HTTP ${response.status}`);
    }
    const bytes = new Uint8Array(byteLength);
    let filled = 0;
    onProgress(0, byteLength);
    try {
      // Leaving the loop early ends the transfer.
      for await (const piece of piecesOf(response.body)) {
        if (filled + piece.length > byteLength) {
          throw new AcqError("bad_answer", `${url} sent more than its ${byteLength} bytes`);
        }
        bytes.set(piece, filled);
        filled += piece.length;
        onProgress(filled, byteLength);
      }
    } catch (error) {
      throw asAcqError(error);
    }
    if (filled !== byteLength) {
      throw new AcqError("bad_answer", `${url} sent ${filled} bytes instead of ${byteLength}`);
    }
    return bytes.buffer;
  }

  /**
   * A successful answer; asked for again where the server says when.
   *
   * @param {string} url
   * @param {Request_} request
   */
  async #answer(url, { retries = this.#patience.retries, ...request }) {
    for (let tries = 0;; tries += 1) {
      const response = await this.#send(url, request);
      if (response.ok) return response;
      const error = asServerSays(response, await response.json().catch(() => null), response.statusText);
      const wait = error.retryAfter;
      if (wait === null || wait > this.#patience.longestWait || tries >= retries) throw error;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const over = new Promise((done) => timer = setTimeout(done, 1000 * wait));
      await untilAborted(over, request.signal).finally(() => clearTimeout(timer));
    }
  }

  /** @param {string} url @param {Omit<Request_, "retries">} request */
  async #send(url, { signal = null, ...request }) {
    try {
      // Cookies of other programs on this host would go along, and the server takes 64 KiB of headers.
      return await fetch(this.base + url, { cache: "no-store", credentials: "omit", ...request, signal });
    } catch (error) {
      throw asAcqError(error);
    }
  }
}

/** Not every browser iterates over a stream by itself. @param {ReadableStream<Uint8Array>} stream */
async function* piecesOf(stream) {
  const reader = stream.getReader();
  let isAtEnd = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isAtEnd = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isAtEnd) await reader.cancel().catch(() => {});
  }
}

/**
 * @param {Response} response
 * @param {any} body of whatever kind
 * @param {string} otherwise message where there is none
 */
function asServerSays({ status, headers }, body, otherwise) {
  if (typeof body?.error !== "string") {
    return new AcqError("bad_answer", `HTTP ${status} ${otherwise}`, { status });
  }
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  const retryAfter = Number.isNaN(seconds) ? null : seconds;
  return new AcqError(body.error, String(body.message), {
    status,
    details: body.details ?? null,
    retryAfter,
  });
}

/** @param {any} error whatever was thrown @param {string} [message] */
function asAcqError(error, message) {
  if (error instanceof AcqError) return error;
  if (error?.name === "AbortError") return new AcqError("cancelled", "Cancelled", { cause: error });
  if (message !== undefined) return new AcqError("bad_answer", message, { cause: error });
  const isLate = error?.name === "TimeoutError";
  const why = isLate ? "The server did not answer in time" : "The server does not answer";
  return new AcqError("server_gone", why, { cause: error });
}

/**
 * The same promise, given up when the signal aborts.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | null | undefined} signal
 * @returns {Promise<T>}
 */
async function untilAborted(promise, signal) {
  if (!signal) return await promise;
  /** @type {() => void} */
  let stop = () => {};
  const aborted = new Promise((_, reject) => {
    stop = () =>
      reject(asAcqError(signal.reason?.name === "TimeoutError" ? signal.reason : { name: "AbortError" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  try {
    return /** @type {T} */ (await Promise.race([promise, aborted]));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Does the work for all items at once; the first that fails ends the others.
 *
 * @template I, T
 * @param {AbortSignal | null | undefined} signal
 * @param {readonly I[]} items
 * @param {(item: I, signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T[]>}
 */
async function together(signal, items, work) {
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  try {
    return await Promise.all(items.map((item) => work(item, ending.signal)));
  } catch (error) {
    ending.abort();
    throw error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
