/**
 * Opens microscope files through acq-server (HTTP API v2) and reads their planes as 32-bit floats. One file without
 * dependencies, for browsers, Node and Deno:
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
  /** @param {Types.AcqErrorCode} code @param {string} message @param {Types.AcqErrorInfo} [info] */
  constructor(code, message, { status = 0, details = null, retryAfter = null, cause } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "AcqError";
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** Default address of a server. */
const DEFAULT_BASE = "http://127.0.0.1:8767";

/** Path of this module on a server. */
const OWN_PATH = /^(\/static\/\w+)?\/client\/v2\/acq-client\.js$/;

/** Connects to a server. @type {typeof Types.connect} */
export async function connect(base, { signal, retries = 3, longestWait = 10 } = {}) {
  const http = new Http(String(base ?? ownServer()).replace(/\/+$/, ""), { retries, longestWait });
  const [health, capabilities] = await Promise.all([
    /** @type {Promise<Types.Health>} */ (http.json("/api/v2/health", { signal })),
    /** @type {Promise<Types.Capabilities>} */ (http.json("/api/v2/capabilities", { signal })),
  ]);
  if (typeof health.server_version !== "string") {
    throw new AcqError("no_acq_server", `${http.base} is not an acq-server`);
  }
  return new Server(http, health, capabilities);
}

/** The server that this module came from, or the default. */
function ownServer() {
  const { protocol, origin, pathname } = new URL(import.meta.url);
  return /^https?:$/.test(protocol) && OWN_PATH.test(pathname) ? origin : DEFAULT_BASE;
}

/** A connected server. @implements {Types.Server} */
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

  /** @type {Types.Server["readHealth"]} */
  readHealth({ signal } = {}) {
    return this.#http.json("/api/v2/health", { signal });
  }

  /** @type {Types.Server["readCapabilities"]} */
  readCapabilities({ signal } = {}) {
    return this.#http.json("/api/v2/capabilities", { signal });
  }

  /** Opens what the user chooses in the server's file dialog. @type {Types.Server["pick"]} */
  pick({ signal, ...chosen } = {}) {
    // A retry would open the dialog again unexpectedly.
    return opened(this.#http, "/api/v2/pick-and-open", chosen, { signal, retries: 0 });
  }

  /** Opens a file by its path. @type {Types.Server["open"]} */
  open(path, { signal, ...chosen } = {}) {
    return opened(this.#http, "/api/v2/open", { path, ...chosen }, { signal });
  }

  /** Lists the acquisitions and folders in a folder. @type {Types.Server["list"]} */
  list(path, { signal } = {}) {
    return this.#http.json("/api/v2/list", posted({ path }, { signal }));
  }

  /** Prepares an archive of recordings. @type {Types.Server["export"]} */
  async export(members, { signal, sessionId, ...order } = {}) {
    const named = members.map((member) =>
      typeof member === "string"
        ? { path: member }
        : member instanceof Acquisition
        ? { sessionId: member.sessionId }
        : member
    );
    const session = sessionId ?? named.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
    const request = posted({ members: named, ...order }, { signal });
    if (session !== undefined) request.headers = { ...request.headers, "X-Acq-Session": session };
    const { downloadUrl, warnings } = await this.#http.json("/api/v2/export", request);
    return { url: this.base + downloadUrl, warnings };
  }
}

/** @param {Http} http @param {string} url @param {object} body @param {Request_} request @returns {Promise<Acquisition>} */
async function opened(http, url, body, request) {
  const info = await http.json(url, posted(body, request));
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

/** A request with a JSON body. @param {object} body @param {Request_} request @returns {Request_} */
const posted = (body, request) => ({
  ...request,
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Older runtimes lack this symbol. @type {typeof Symbol.asyncDispose} */
const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** An opened acquisition: one session of the server. @implements {Types.Acquisition} */
export class Acquisition {
  #http;
  /** Other scenes that planes were read from. @type {Map<number, Promise<Types.Acquisition>>} */
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
    this.collection = info.collection ?? null;
    this.warnings = info.warnings ?? [];
    this.warningCodes = info.warningCodes ?? [];
    this.reference = info.reference ? new Reference(http, info.reference) : null;
  }

  /** Samples of one channel at a position. @type {Types.Acquisition["plane"]} */
  async plane(channel, options = {}) {
    const { scene = this.scene, ...rest } = options;
    if (scene === this.scene) {
      const { plane, channels } = this.info;
      return await readPlane(this.#http, plane, channelOf(channels, channel, "channel_not_found"), rest);
    }
    const other = await this.#scene(scene, rest.signal);
    return await other.plane(channel, rest);
  }

  /** Samples of several channels at one position; progress counts them together. @type {Types.Acquisition["planes"]} */
  async planes(channels = null, { onProgress = () => {}, signal, ...options } = {}) {
    const wanted = channels ?? this.channels.map(({ index }) => index);
    /** @type {Map<number, [received: number, total: number]>} */
    const counts = new Map();
    const sum = (/** @type {0 | 1} */ part) =>
      [...counts.values()].reduce((all, count) => all + count[part], 0);
    // The first failure cancels the others.
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
    const plane = (/** @type {number} */ index) =>
      this.plane(index, {
        ...options,
        signal: ending.signal,
        onProgress(received, total) {
          counts.set(index, [received, total]);
          if (counts.size === wanted.length) onProgress(sum(0), sum(1));
        },
      });
    try {
      return await Promise.all(wanted.map(plane));
    } catch (error) {
      ending.abort();
      throw error;
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  /** Opens the same acquisition, or another scene of it, in a session of its own. @type {Types.Acquisition["reopen"]} */
  reopen({ signal, ...chosen } = {}) {
    return opened(this.#http, `${this.#url}/open`, chosen, { signal });
  }

  /** State of the session. @type {Types.Acquisition["state"]} */
  state({ signal } = {}) {
    return this.#http.json(this.#url, { signal });
  }

  /** Metadata documents of the file. @type {Types.Acquisition["metadata"]} */
  metadata({ signal } = {}) {
    return this.#http.json(`${this.#url}/metadata`, { signal });
  }

  /** Ends the session and those of its scenes. @type {Types.Acquisition["close"]} */
  async close({ signal, keepalive = false } = {}) {
    const others = [...this.#others.values()].map(async (other) => {
      // A scene that failed to open has no session.
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

  /** Opens a scene once; later callers share its session, even if the first one cancels. @param {number} scene @param {AbortSignal | null} [signal] */
  async #scene(scene, signal) {
    let other = this.#others.get(scene);
    if (other === undefined) {
      other = this.reopen({ scene });
      this.#others.set(scene, other);
      other.catch(() => this.#others.delete(scene));
    }
    return await untilAborted(other, signal, this.#http.base);
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

  /** Samples of one channel. @type {Types.Reference["plane"]} */
  async plane(index, options = {}) {
    const { plane, channels } = this.info;
    const channel = channelOf(channels, index, "reference_channel_not_found");
    return await readPlane(this.#http, plane, channel, options);
  }
}

/** Points of the scanned path. @type {typeof Types.pathPoints} */
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

/** @param {Types.ChannelInfo[]} channels @param {number} index @param {string} code */
function channelOf(channels, index, code) {
  const channel = channels.find((channel) => channel.index === index);
  if (channel === undefined) {
    const loaded = channels.map((channel) => channel.index).join(", ");
    throw new AcqError(code, `Channel ${index} is not loaded, only ${loaded}`);
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
    throw new AcqError("range_not_satisfiable", `Rows ${first} to ${end} do not lie within 0 to ${shape[0]}`);
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
    samples: new Float32Array(bytes),
    shape: [end - first, columns],
    axes,
    firstRow: first,
    channel,
  };
}

/**
 * @param {Types.PlaneInfo} plane
 * @param {Types.ChannelInfo} channel
 * @throws {AcqError} the description breaks the contract
 */
function checkPlane({ shape, axes, servedDtype, encoding, layout }, { index, byteLength }) {
  /** @param {string} fault */
  const bad = (fault) => new AcqError("no_acq_server", `Channel ${index}: ${fault}`);
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
    throw bad(`byteLength is ${byteLength}, not ${4 * rows * columns} for ${rows} x ${columns} floats`);
  }
}

/**
 * @typedef {Pick<RequestInit, "method" | "headers" | "body" | "keepalive"> & {
 *   signal?: AbortSignal | null | undefined, retries?: number}} Request_
 * @typedef {{retries: number, longestWait: number}} Patience
 */

/** Sends requests and turns every failure into an {@linkcode AcqError}. */
class Http {
  #patience;

  /** @param {string} base @param {Patience} patience */
  constructor(base, patience) {
    this.base = base;
    this.#patience = patience;
  }

  /**
   * Requests JSON: an object with `ok`, or a list.
   *
   * @param {string} url
   * @param {Request_} request
   * @returns {Promise<any>} as the contract promises
   */
  async json(url, request) {
    const response = await this.#answer(url, request);
    const body = await response.json().catch((error) => {
      throw asAcqError(error, this.base, error instanceof SyntaxError ? "The answer is not JSON" : undefined);
    });
    if (Array.isArray(body)) return body;
    // If the user closes the dialog, the answer is HTTP 200 with ok = false.
    if (body?.ok !== true) throw serverError(response, body, "The answer lacks ok");
    return body;
  }

  /**
   * Requests exactly `byteLength` bytes.
   *
   * @param {string} url
   * @param {number} byteLength
   * @param {Request_ & {onProgress?: Types.OnProgress | undefined, status: number}} request
   */
  async bytes(url, byteLength, { onProgress = () => {}, status, ...request }) {
    const response = await this.#answer(url, request);
    if (response.status !== status || response.body === null) {
      await response.body?.cancel();
      throw new AcqError("no_acq_server", `${url} answered HTTP ${response.status}`);
    }
    const bytes = new Uint8Array(byteLength);
    let filled = 0;
    onProgress(0, byteLength);
    // Some browsers cannot iterate over a stream.
    const reader = response.body.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (filled + next.value.length > byteLength) {
          throw new AcqError("wrong_size", `${url} sent more than its ${byteLength} bytes`);
        }
        bytes.set(next.value, filled);
        filled += next.value.length;
        onProgress(filled, byteLength);
      }
    } catch (error) {
      await reader.cancel().catch(() => {});
      throw asAcqError(error, this.base);
    }
    if (filled !== byteLength) {
      throw new AcqError("wrong_size", `${url} sent ${filled} bytes instead of ${byteLength}`);
    }
    return bytes.buffer;
  }

  /** Requests a successful answer; retries after the time in `Retry-After`. @param {string} url @param {Request_} request */
  async #answer(url, { retries = this.#patience.retries, signal = null, ...request }) {
    // Omits cookies of other programs on this host: the server accepts only 64 KiB of headers.
    const init = /** @type {RequestInit} */ ({ cache: "no-store", credentials: "omit", ...request, signal });
    for (let tries = 0;; tries += 1) {
      const response = await fetch(this.base + url, init).catch((error) => {
        throw asAcqError(error, this.base);
      });
      if (response.ok) return response;
      const error = serverError(response, await response.json().catch(() => null), response.statusText);
      const wait = error.retryAfter;
      if (wait === null || wait > this.#patience.longestWait || tries >= retries) throw error;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const over = new Promise((done) => timer = setTimeout(done, 1000 * wait));
      await untilAborted(over, signal, this.base).finally(() => clearTimeout(timer));
    }
  }
}

/** @param {Response} response @param {any} body unchecked @param {string} otherwise message if the body has no JSON error */
function serverError({ status, headers }, body, otherwise) {
  if (typeof body?.error !== "string") {
    return new AcqError("no_acq_server", `HTTP ${status} ${otherwise}`, { status });
  }
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  const retryAfter = Number.isNaN(seconds) ? null : seconds;
  return new AcqError(body.error, String(body.message), {
    status,
    details: body.details ?? null,
    retryAfter,
  });
}

/** @param {any} error @param {string} base address of the server @param {string} [message] of an unexpected answer */
function asAcqError(error, base, message) {
  if (error instanceof AcqError) return error;
  if (error?.name === "AbortError") return new AcqError("cancelled", "Cancelled", { cause: error });
  if (message !== undefined) return new AcqError("no_acq_server", message, { cause: error });
  const isLate = error?.name === "TimeoutError";
  const why = isLate ? "did not answer in time" : "does not answer";
  return new AcqError("server_unreachable", `The server at ${base} ${why}`, { cause: error });
}

/**
 * Waits for a promise until the signal aborts; `base` is the address of the server.
 *
 * @type {<T>(promise: Promise<T>, signal: AbortSignal | null | undefined, base: string) => Promise<T>}
 */
async function untilAborted(promise, signal, base) {
  if (!signal) return await promise;
  /** @type {() => void} */
  let stop = () => {};
  /** @type {Promise<never>} */
  const aborted = new Promise((_, reject) => {
    stop = () =>
      reject(
        asAcqError(signal.reason?.name === "TimeoutError" ? signal.reason : { name: "AbortError" }, base),
      );
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
