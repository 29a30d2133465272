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
 * Every failure is an {@linkcode AcqError}.
 */
/// <reference lib="esnext.disposable" preserve="true" />

/** Code of a failure, from the server or one of four from this client. Branch on it, never on the message. */
export type AcqErrorCode =
  /** No answer, or none before the signal timed out. */
  | "server_unreachable"
  /** The answer breaks the contract. */
  | "no_acq_server"
  /** A plane has another size than the server said. */
  | "wrong_size"
  /** A signal aborted the call, or the user closed the dialog without choosing. */
  | "cancelled"
  | "request_validation_failed"
  | "unsupported_media_type"
  | "payload_too_large"
  | "path_not_found"
  | "path_not_allowed"
  | "unsupported_format"
  | "invalid_channel_indices"
  | "channel_out_of_range"
  | "scene_out_of_range"
  | "position_out_of_range"
  | "plane_not_found"
  | "acquisition_changed"
  | "decode_failed"
  | "load_timeout"
  | "session_not_found"
  | "channel_not_found"
  | "reference_channel_not_found"
  | "export_not_found"
  | "too_many_exports"
  | "session_memory_exceeded"
  | "too_many_opens"
  | "dialog_unavailable"
  | "dialog_busy"
  | "origin_not_allowed"
  | "host_not_allowed"
  | "range_not_satisfiable"
  | "not_found"
  | "method_not_allowed"
  | "shutting_down"
  | "internal_error"
  // Later servers may send more.
  | (string & Record<never, never>);

/** One fault of a request that failed with `request_validation_failed`. */
export interface ValidationDetail {
  location: string[];
  message: string;
  type: string;
}

/** Details of a failure. */
export interface AcqErrorInfo {
  status?: number;
  details?: ValidationDetail[] | null;
  retryAfter?: number | null;
  missing?: PositionInfo[] | null;
  cause?: unknown;
}

/** Receives the number of bytes received and expected. */
export type OnProgress = (received: number, total: number) => void;

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call: the server stops decoding and closes its dialog. */
  signal?: AbortSignal | null | undefined;
}

/** Answer of `GET /api/v2/health`. */
export interface Health {
  ok: true;
  api_version: "v2";
  server_version: string;
}

/** Answer of `GET /api/v2/capabilities`. */
export interface Capabilities {
  ok: true;
  apiVersion: "v2";
  supportedImportExtensions: string[];
  allowedImportExtensions: string[];
  binary: PlaneEncoding;
  sessionTtlSeconds: number;
  /** Whether the server's machine can show a file dialog; absent in older servers. */
  dialogAvailable?: boolean;
  /** Whether the caller may open by path; absent in older servers. */
  openByPath?: boolean;
}

/** How the server sends planes. */
export interface PlaneEncoding {
  servedDtype: "float32";
  encoding: "raw-f32-le";
  layout: "row-major";
  mediaType: "application/octet-stream";
}

/** Type of the samples in a file. */
export type SampleType =
  | "bool"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "float16"
  | "float32"
  | "float64";

/** One axis of a plane: sample i sits at `i * step`. */
export interface Axis {
  /** 0 for rows, 1 for columns. */
  arrayDimension: 0 | 1;
  name: "Y" | "X";
  size: number;
  step: number;
  /** `um`, `seconds`, `Pixels` without calibration, or as the file writes it. */
  unit: string;
}

/** Geometry shared by the planes of a group. */
export interface PlaneInfo extends PlaneEncoding {
  /** `[rows, columns]` */
  shape: [number, number];
  /** Rows, then columns. In a line scan rows are time and columns are space. */
  axes: [Axis, Axis];
}

/** One channel. */
export interface ChannelInfo {
  /** Index in the file. */
  index: number;
  name: string;
  /** `#rrggbb`, if the file defines one. */
  color?: string | null;
  byteLength: number;
  dataUrl: string;
}

/** Reference image in an open response. */
export interface ReferenceInfo {
  plane: PlaneInfo;
  channels: ChannelInfo[];
  lineRoi?: [number, number, number, number] | null;
  scanPath?: { x: number[]; y: number[] } | null;
}

/** One scene (series, position, image) of a file. */
export interface SceneInfo {
  index: number;
  name: string;
  /** Length of each axis; empty if known only after opening the scene. */
  sizes: Record<string, number>;
}

/** Index along each axis, from 0. */
export interface PositionInfo {
  t: number;
  z: number;
  l: number;
}

/** Timing of a line scan; null if the file does not state it. */
export interface LineScanInfo {
  /** Seconds from one line to the next. */
  secondsPerLine: number | null;
  /** Dwell time of a pixel in seconds. */
  secondsPerPixel: number | null;
  /** Whether every second line was scanned backwards. */
  bidirectional: boolean | null;
}

/** Answer of every open. */
export interface OpenResponse {
  ok: true;
  apiVersion: "v2";
  sessionId: string;
  source: {
    path: string;
    name: string;
    format: string;
    fingerprint?: string | null;
    sourceDtype: SampleType;
    numChannels: number;
  };
  header: {
    shape: number[];
    dims: ("T" | "L" | "C" | "Z" | "Y" | "X")[];
    sizes: Record<string, number>;
    dtype: SampleType;
    numChannels: number;
    physicalUnits: number[];
    physicalUnitsLabels: string[];
    date: string;
    time: string;
    fileSize: string;
  };
  scene?: number;
  sceneCount?: number;
  scenes?: SceneInfo[];
  times?: number[] | null;
  plane: PlaneInfo;
  channels: ChannelInfo[];
  reference: ReferenceInfo | null;
  position?: PositionInfo;
  lineScan?: LineScanInfo | null;
  collection?: CollectionInfo | null;
  warnings?: string[];
  warningCodes?: string[];
}

/** The collection that an image is a member of. */
export interface CollectionInfo {
  id: string;
  name: string;
  /** The opened image; `accepted` is null if it has no image document. */
  member: { id: string; name: string; accepted: boolean | null };
}

/** Answer of `GET /api/v2/sessions/<id>`. */
export interface SessionInfo {
  ok: true;
  sessionId: string;
  ttlSecondsRemaining: number;
  channelIndices: number[];
  referenceChannelIndices: number[];
  totalBytes: number;
}

/** One metadata document of a file. */
export interface MetadataDocument {
  name: string;
  mediaType: string;
  text: string;
}

/** Entry of a listed folder: an acquisition, a collection or a subfolder. */
export interface FolderEntry {
  /** Name in the folder; for an acquisition of several files, the name of the file to open. */
  name: string;
  /** Absolute path, to open or, for a folder, to list. */
  path: string;
  /** `collection` for a folder with `collection.json`, or with a list of images of acqstore. */
  kind: "folder" | "image" | "collection";
  /** Short name of the format, as in `source.format`; null for folders. */
  format: string | null;
  /** Bytes of all files together; null if the path is a folder. */
  bytes: number | null;
  /** Last change of any of the files, RFC 3339. */
  modified: string;
}

/** Answer of `POST /api/v2/list`. */
export interface FolderListing {
  ok: true;
  apiVersion: "v2";
  /** Absolute path of the folder with links resolved. */
  path: string;
  /** Sorted by name, at most 10,000. */
  entries: FolderEntry[];
  /** Whether the folder has more entries. */
  truncated: boolean;
  /** What is left out of the list. */
  warnings: string[];
  /** A stable identifier for each of the warnings. */
  warningCodes: string[];
}

/** Options of a list. */
export interface ListOptions extends CallOptions {
  /** Lists only what has this text in its name; case does not matter. */
  contains?: string | undefined;
}

/** Options of an open. */
export interface OpenOptions extends CallOptions {
  /** Channels to load, in this order; all by default. */
  channelIndices?: readonly number[] | null | undefined;
  /** Scene to open; by default the one that the file belongs to. */
  scene?: number | null | undefined;
}

/** Options of a dialog. */
export interface PickOptions extends OpenOptions {
  /** Extensions to show, with a leading dot; all by default. */
  extensions?: readonly string[] | null | undefined;
}

/** Position along the axes other than rows and columns. */
export interface Position {
  /** Time point, from 0. */
  t?: number | undefined;
  /** Focus plane, from 0. */
  z?: number | undefined;
  /** Wavelength, from 0. */
  l?: number | undefined;
}

/** Options for reading a plane. */
export interface PlaneOptions extends CallOptions, Position {
  /** Scene; by default the opened one. Another scene is opened once and kept until the acquisition is closed. */
  scene?: number | undefined;
  /** `[first, end]`: only these rows, end excluded. The server reads only their part of the file. */
  rows?: readonly [number, number] | undefined;
  /** Called for each chunk that arrives. */
  onProgress?: OnProgress | undefined;
}

/** Samples of one channel at one position. */
export interface Plane {
  /** Row-major, never transposed: the sample at (row, column) is `samples[row * shape[1] + column]`. */
  samples: Float32Array<ArrayBuffer>;
  /** `[rows, columns]` of `samples`. */
  shape: [number, number];
  /** Rows, then columns. */
  axes: [Axis, Axis];
  /** Row of the plane at which `samples` starts; 0 unless rows were requested. */
  firstRow: number;
  channel: ChannelInfo;
}

/** Options for reading a run of planes. */
export interface RunOptions extends CallOptions, Position {
  /** The axis that the planes follow. Its index in the position does not matter. */
  along: "t" | "z" | "l";
  /** First index along it; 0 by default. */
  first?: number | undefined;
  /** Last index along it; by default the last of the axis. */
  last?: number | undefined;
  /** Whether planes that the file lacks are left out; by default they fail with `plane_not_found`. */
  skipsMissing?: boolean | undefined;
}

/** One plane of a run. */
export interface RunPlane extends Plane {
  /** Index along the axis of the run. */
  index: number;
}

/** A point in pixels of the reference plane, before any transposition: x counts columns, y rows. */
export interface Point {
  x: number;
  y: number;
}

/** One recording of an archive, by its session or its path. */
export interface ExportMember {
  sessionId?: string;
  path?: string;
  scene?: number | null;
  id?: string;
  name?: string;
  accepted?: boolean;
  rois?: readonly object[];
  axisDisplay?: object;
  experimentMetadata?: object;
  imageMetadata?: object;
  analyses?: readonly object[];
}

/** Options of an export. */
export interface ExportOptions extends CallOptions {
  /** Id of the collection; a new one by default. */
  id?: string;
  /** Name of the collection and of the file. */
  name?: string;
  /** All positions (the default), the opened time point and focus plane, or documents and tables only. */
  images?: "all" | "opened" | "none";
  /** A live session, which raises the limit of the request from 1 to 32 MiB; by default the session of a member. */
  sessionId?: string;
}

/** A prepared archive. */
export interface ExportLink {
  /** Address of the ZIP file, which can be fetched once. */
  url: string;
  /** What the archive lacks or changes. */
  warnings: string[];
}

/** How far the download of an archive is. */
export interface ExportState {
  ok: true;
  apiVersion: "v2";
  /** `waiting` for its download; `done` when all bytes were handed over; the ZIP file of a `failed` one is incomplete. */
  state: "waiting" | "streaming" | "done" | "failed";
  /** Why it failed, or null. */
  message: string | null;
}

/** Options of a connection. */
export interface ConnectOptions extends CallOptions {
  /** Number of retries when the server sends `Retry-After`; 3 by default, 0 for none. */
  retries?: number;
  /** Longest `Retry-After` to wait for, in seconds; 10 by default. Dialogs are never retried. */
  longestWait?: number;
}

/** A call that failed. */
export class AcqError extends Error {
  /** Stable; branch on it. */
  readonly code: AcqErrorCode;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Faults of the request, if the server lists them. */
  readonly details: ValidationDetail[] | null;
  /** Seconds after which to try again, or null. */
  readonly retryAfter: number | null;
  /** Positions of a run that the file has no planes for, at most 100; null for other failures. */
  readonly missing: PositionInfo[] | null;

  constructor(
    code: AcqErrorCode,
    message: string,
    { status = 0, details = null, retryAfter = null, missing = null, cause }: AcqErrorInfo = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "AcqError";
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
    this.missing = missing;
  }
}

/** Default address of a server. */
const DEFAULT_BASE = "http://127.0.0.1:8767";

/** Path of this module on a server. */
const OWN_PATH = /^(\/static\/\w+)?\/client\/v2\/acq-client\.[jt]s$/;

/**
 * Connects to a server and requests its health and capabilities.
 *
 * @param base address; by default the server that this module came from, else `http://127.0.0.1:8767`
 */
export async function connect(
  base?: string | URL | null,
  { signal, retries = 3, longestWait = 10 }: ConnectOptions = {},
): Promise<Server> {
  const http = new Http(String(base ?? findOwnServer()).replace(/\/+$/, ""), { retries, longestWait });
  const [health, capabilities] = await Promise.all([
    http.json<Health>("/api/v2/health", { signal }),
    http.json<Capabilities>("/api/v2/capabilities", { signal }),
  ]);
  if (typeof health.server_version !== "string") {
    throw new AcqError("no_acq_server", `${http.base} is not an acq-server`);
  }
  return new Server(http, health, capabilities);
}

/** The server that this module came from, or the default. */
function findOwnServer() {
  const { protocol, origin, pathname } = new URL(import.meta.url);
  return /^https?:$/.test(protocol) && OWN_PATH.test(pathname) ? origin : DEFAULT_BASE;
}

/** A connected server. */
export class Server {
  readonly #http;
  /** Address without a slash at its end, such as `http://127.0.0.1:8767`. */
  readonly base: string;
  /** Health at the time of connecting. */
  readonly health: Health;
  /** Capabilities at the time of connecting. */
  readonly capabilities: Capabilities;
  /** Version of the program. */
  readonly version: string;

  constructor(http: Http, health: Health, capabilities: Capabilities) {
    this.#http = http;
    this.base = http.base;
    this.health = health;
    this.capabilities = capabilities;
    this.version = health.server_version;
  }

  /** Requests `/api/v2/health` again. */
  readHealth({ signal }: CallOptions = {}): Promise<Health> {
    return this.#http.json("/api/v2/health", { signal });
  }

  /** Requests `/api/v2/capabilities` again. */
  readCapabilities({ signal }: CallOptions = {}): Promise<Capabilities> {
    return this.#http.json("/api/v2/capabilities", { signal });
  }

  /** Shows the file dialog on the server's machine and opens the chosen file; fails with `cancelled` if none is chosen. */
  pick({ signal, ...chosen }: PickOptions = {}): Promise<Acquisition> {
    // A retry would open the dialog again unexpectedly.
    return openBy(this.#http, "/api/v2/pick-and-open", chosen, { signal, retries: 0 });
  }

  /**
   * Opens a file by its path. Fails with `origin_not_allowed` on pages of other sites that the server does not permit.
   *
   * @param path absolute path on the server's machine
   */
  open(path: string, { signal, ...chosen }: OpenOptions = {}): Promise<Acquisition> {
    return openBy(this.#http, "/api/v2/open", { path, ...chosen }, { signal });
  }

  /**
   * Lists a folder: one entry for each acquisition, collection and folder, recognized by its name only. Needs the same
   * permission as `open`.
   *
   * @param path absolute path on the server's machine
   */
  list(path: string, { signal, contains }: ListOptions = {}): Promise<FolderListing> {
    return this.#http.json("/api/v2/list", makePost({ path, contains }, { signal }));
  }

  /**
   * Prepares an archive: OME-Zarr images, reference images, regions, analyses and tables in a ZIP file.
   *
   * @param members paths, open acquisitions, or members in the form of `POST /api/v2/export`
   * @returns address of the archive, which can be fetched once and within ten minutes
   */
  async export(
    members: readonly (string | Acquisition | ExportMember)[],
    { signal, sessionId, ...order }: ExportOptions = {},
  ): Promise<ExportLink> {
    const named = members.map((member) =>
      typeof member === "string"
        ? { path: member }
        : member instanceof Acquisition
        ? { sessionId: member.sessionId }
        : member
    );
    const session = sessionId ?? named.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
    const request = makePost({ members: named, ...order }, { signal });
    if (session !== undefined) request.headers = { ...request.headers, "X-Acq-Session": session };
    const { downloadUrl, warnings } = await this.#http.json<{ downloadUrl: string; warnings: string[] }>(
      "/api/v2/export",
      request,
    );
    return { url: this.base + downloadUrl, warnings };
  }

  /**
   * Tells how far the download of an archive is: a page that lets the browser save it never sees its bytes.
   *
   * @param link as `export` returned it
   */
  exportState({ url }: Pick<ExportLink, "url">, { signal }: CallOptions = {}): Promise<ExportState> {
    return this.#http.json(`${url.slice(this.base.length)}/state`, { signal });
  }
}

async function openBy(http: Http, url: string, body: object, request: Request_): Promise<Acquisition> {
  const info = await http.json<OpenResponse>(url, makePost(body, request));
  try {
    for (const group of [info, info.reference]) {
      for (const channel of group?.channels ?? []) checkPlane(group!.plane, channel);
    }
  } catch (error) {
    await http.json(`/api/v2/sessions/${info.sessionId}`, { method: "DELETE" }).catch(() => {});
    throw error;
  }
  return new Acquisition(http, info);
}

/** A request with a JSON body. */
const makePost = (body: object, request: Request_): Request_ => ({
  ...request,
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Older runtimes lack this symbol. */
const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** An opened acquisition: one session of the server. */
export class Acquisition {
  readonly #http;
  /** Other scenes that planes were read from. */
  readonly #others: Map<number, Promise<Acquisition>> = new Map();
  /** The open response. */
  readonly info: OpenResponse;
  readonly sessionId: string;
  /** Absolute path on the server's machine. */
  readonly path: string;
  /** File name. */
  readonly name: string;
  /** 32 hexadecimal digits that identify the content, unchanged by copying or moving; null if a file cannot be read. */
  readonly fingerprint: string | null;
  /** `[rows, columns]` of every plane. */
  readonly shape: [number, number];
  readonly axes: [Axis, Axis];
  /** Loaded channels, in the requested order. */
  readonly channels: ChannelInfo[];
  /** Length of each axis of the acquisition, by letter (T L C Z Y X), without axes of length 1. */
  readonly sizes: Record<string, number>;
  /** Index of the opened scene. */
  readonly scene: number;
  /** The scenes of the file, at most the first 10,000. */
  readonly scenes: SceneInfo[];
  /** Seconds from the first time point to each, or null. */
  readonly times: number[] | null;
  /** Position of the opened planes, the default of `t`, `z` and `l`. */
  readonly position: PositionInfo;
  /** Timing of a line scan, or null for other images. */
  readonly lineScan: LineScanInfo | null;
  /** The collection that the image is a member of, or null. */
  readonly collection: CollectionInfo | null;
  /** Warnings to show to the user. */
  readonly warnings: string[];
  /** A stable code for each warning. */
  readonly warningCodes: string[];
  readonly reference: Reference | null;

  constructor(http: Http, info: OpenResponse) {
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

  /**
   * Samples of one channel at a position.
   *
   * @param channel index in the file
   */
  async plane(channel: number, options: PlaneOptions = {}): Promise<Plane> {
    const { scene = this.scene, ...rest } = options;
    if (scene === this.scene) {
      const { plane, channels } = this.info;
      return await fetchPlane(
        this.#http,
        plane,
        requireChannel(channels, channel, "channel_not_found"),
        rest,
      );
    }
    const other = await this.#scene(scene, rest.signal);
    return await other.plane(channel, rest);
  }

  /** Samples of several channels at one position, by default all loaded ones. Progress counts them together. */
  async planes(
    channels: readonly number[] | null = null,
    { onProgress = () => {}, signal, ...options }: PlaneOptions = {},
  ): Promise<Plane[]> {
    const wanted = channels ?? this.channels.map(({ index }) => index);
    const counts: Map<number, [received: number, total: number]> = new Map();
    const sum = (part: 0 | 1) => [...counts.values()].reduce((all, count) => all + count[part], 0);
    // The first failure cancels the others.
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
    const plane = (index: number) =>
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

  /**
   * Consecutive planes of a channel along one axis, as they arrive: one request for many planes is several times as fast as a
   * request for each. At most two runs of an acquisition may be read at the same time.
   *
   * @param channel index in the file
   */
  async *run(
    channel: number,
    { along, first = 0, last, skipsMissing = false, signal, t, z, l }: RunOptions,
  ): AsyncGenerator<RunPlane, void, undefined> {
    const info = requireChannel(this.channels, channel, "channel_not_found");
    const end = last ?? (this.sizes[along.toUpperCase()] ?? 1) - 1;
    const position = { ...this.position, ...dropUndefined({ t, z, l }) };
    const plane = { shape: this.shape, axes: this.axes, firstRow: 0, channel: info };
    const missing: Set<number> = new Set();
    for (let index = first; index <= end;) {
      if (missing.delete(index)) {
        index += 1;
        continue;
      }
      const to = Math.min(end, ...[...missing].map((one) => one - 1));
      const query = new URLSearchParams(Object.entries({ ...position, [along]: `${index}-${to}` }) as never);
      const count = to - index + 1;
      try {
        const url = `${info.dataUrl}?${query}`;
        for await (const samples of this.#http.planes(url, count, info.byteLength, { signal })) {
          yield { ...plane, samples, index };
          index += 1;
        }
      } catch (error) {
        if (!(error instanceof AcqError)) throw error;
        const isShort = error.status === 0 && error.code !== "cancelled";
        if (!isShort && (!skipsMissing || error.code !== "plane_not_found")) throw error;
        if (isShort) {
          // The plane alone tells why, or is there after all.
          const found = await this.plane(channel, { ...position, [along]: index, signal })
            .catch((error: AcqError) => {
              if (!skipsMissing || error.code !== "plane_not_found") throw error;
              return null;
            });
          if (found !== null) yield { ...found, index };
          index += 1;
        } else {
          // Some files tell only when a plane is read.
          const places = error.missing?.map((place) => place[along]) ?? [];
          for (const one of places.length === 0 ? [index] : places) missing.add(one);
        }
      }
    }
  }

  /** Opens the same acquisition, or another scene of it, in a session of its own; this one stays open. */
  reopen({ signal, ...chosen }: OpenOptions = {}): Promise<Acquisition> {
    return openBy(this.#http, `${this.#url}/open`, chosen, { signal });
  }

  /** State of the session: remaining lifetime and contents. */
  state({ signal }: CallOptions = {}): Promise<SessionInfo> {
    return this.#http.json(this.#url, { signal });
  }

  /** The metadata documents of the file, unchanged. */
  metadata({ signal }: CallOptions = {}): Promise<MetadataDocument[]> {
    return this.#http.json(`${this.#url}/metadata`, { signal });
  }

  /** Ends the session and those of its scenes, even if they have expired. `keepalive` lets the request outlive the page. */
  async close({ signal, keepalive = false }: CallOptions & { keepalive?: boolean } = {}): Promise<void> {
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

  /** Opens a scene once; later callers share its session, even if the first one cancels. */
  async #scene(scene: number, signal?: AbortSignal | null) {
    let other = this.#others.get(scene);
    if (other === undefined) {
      other = this.reopen({ scene });
      this.#others.set(scene, other);
      other.catch(() => this.#others.delete(scene));
    }
    return await raceWithAbort(other, signal, this.#http.base);
  }
}

/** The reference (overview) image of a line scan. */
export class Reference {
  readonly #http;
  /** From the open response. */
  readonly info: ReferenceInfo;
  readonly shape: [number, number];
  readonly axes: [Axis, Axis];
  readonly channels: ChannelInfo[];
  /**
   * The scanned path: `scanPath` if its arrays are equally long and not empty, otherwise the two ends of `lineRoi`,
   * otherwise empty.
   */
  readonly path: Point[];

  constructor(http: Http, info: ReferenceInfo) {
    this.#http = http;
    this.info = info;
    this.shape = info.plane.shape;
    this.axes = info.plane.axes;
    this.channels = info.channels;
    this.path = pathPoints(info);
  }

  /** Samples of one channel. */
  async plane(
    index: number,
    options: CallOptions & { onProgress?: OnProgress | undefined } = {},
  ): Promise<Plane> {
    const { plane, channels } = this.info;
    const channel = requireChannel(channels, index, "reference_channel_not_found");
    return await fetchPlane(this.#http, plane, channel, options);
  }
}

/**
 * Points of the scanned path of a reference image, in its pixels: x counts columns, y rows. They come from `scanPath`, or
 * from `lineRoi` if there is no valid `scanPath`.
 */
export function pathPoints(
  reference:
    | {
      readonly scanPath?: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
      readonly lineRoi?: readonly number[] | null;
    }
    | null
    | undefined,
): Point[] {
  const { scanPath, lineRoi } = reference ?? {};
  if (scanPath && scanPath.x?.length > 0 && scanPath.x.length === scanPath.y?.length) {
    const { x: columns, y: rows } = scanPath;
    return columns.map((x, i) => ({ x, y: Number(rows[i]) }));
  }
  if (lineRoi?.length !== 4) return [];
  const [x0, y0, x1, y1] = lineRoi as [number, number, number, number];
  return [{ x: x0, y: y0 }, { x: x1, y: y1 }];
}

function requireChannel(channels: ChannelInfo[], index: number, code: string) {
  const channel = channels.find((channel) => channel.index === index);
  if (channel === undefined) {
    const loaded = channels.map((channel) => channel.index).join(", ");
    throw new AcqError(code, `Channel ${index} is not loaded, only ${loaded}`);
  }
  return channel;
}

async function fetchPlane(
  http: Http,
  { shape, axes }: PlaneInfo,
  channel: ChannelInfo,
  { t, z, l, rows, signal, onProgress }: Omit<PlaneOptions, "scene">,
): Promise<Plane> {
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

/** A copy without undefined values, which would replace others. */
const dropUndefined = (position: Position): Partial<PositionInfo> =>
  Object.fromEntries(Object.entries(position).filter(([, index]) => index !== undefined));

/** @throws {AcqError} the description breaks the contract */
function checkPlane(
  { shape, axes, servedDtype, encoding, layout }: PlaneInfo,
  { index, byteLength }: ChannelInfo,
) {
  const bad = (fault: string) => new AcqError("no_acq_server", `Channel ${index}: ${fault}`);
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

type Request_ = Pick<RequestInit, "method" | "headers" | "body" | "keepalive"> & {
  signal?: AbortSignal | null | undefined;
  retries?: number;
};

type Patience = { retries: number; longestWait: number };

/** Sends requests and turns every failure into an {@linkcode AcqError}. */
class Http {
  readonly #patience;
  readonly base: string;

  constructor(base: string, patience: Patience) {
    this.base = base;
    this.#patience = patience;
  }

  /** Requests JSON: an object with `ok`, or a list. @returns as the contract promises */
  async json<Answer>(url: string, request: Request_): Promise<Answer> {
    const response = await this.#answer(url, request);
    const body = await response.json().catch((error) => {
      throw asAcqError(error, this.base, error instanceof SyntaxError ? "The answer is not JSON" : undefined);
    });
    if (Array.isArray(body)) return body as Answer;
    // If the user closes the dialog, the answer is HTTP 200 with ok = false.
    if (body?.ok !== true) throw makeServerError(response, body, "The answer lacks ok");
    return body as Answer;
  }

  /** Requests exactly `byteLength` bytes. */
  async bytes(
    url: string,
    byteLength: number,
    { onProgress = () => {}, status, ...request }: Request_ & {
      onProgress?: OnProgress | undefined;
      status: number;
    },
  ) {
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

  /** Requests `count` planes of `byteLength` bytes each, as they arrive. */
  async *planes(
    url: string,
    count: number,
    byteLength: number,
    request: Request_,
  ): AsyncGenerator<Float32Array<ArrayBuffer>, void, undefined> {
    const response = await this.#answer(url, request);
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new AcqError("no_acq_server", `${url} answered HTTP ${response.status}`);
    }
    const stated = Number(response.headers.get("Content-Length") ?? count * byteLength);
    if (stated !== count * byteLength) {
      await response.body.cancel();
      const text = `${url} sends ${stated} bytes instead of ${count} planes of ${byteLength}`;
      throw new AcqError("wrong_size", text, { status: 200 });
    }
    const reader = response.body.getReader();
    let [plane, filled] = [new Uint8Array(byteLength), 0];
    try {
      for (let next = await this.#read(reader); !next.done; next = await this.#read(reader)) {
        for (let at = 0; at < next.value.length;) {
          const part = next.value.subarray(at, at + byteLength - filled);
          plane.set(part, filled);
          [at, filled] = [at + part.length, filled + part.length];
          if (filled < byteLength) continue;
          yield new Float32Array(plane.buffer);
          [plane, filled, count] = [new Uint8Array(byteLength), 0, count - 1];
        }
      }
      if (count > 0) throw new AcqError("server_unreachable", `${url} ended ${count} planes early`);
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
    return await reader.read().catch((error: unknown) => {
      throw asAcqError(error, this.base);
    });
  }

  /** Requests a successful answer; retries after the time in `Retry-After`. */
  async #answer(url: string, { retries = this.#patience.retries, signal = null, ...request }: Request_) {
    // Omits cookies of other programs on this host: the server accepts only 64 KiB of headers.
    const init = { cache: "no-store", credentials: "omit", ...request, signal } as RequestInit;
    for (let tries = 0;; tries += 1) {
      const response = await fetch(this.base + url, init).catch((error) => {
        throw asAcqError(error, this.base);
      });
      if (response.ok) return response;
      const error = makeServerError(response, await response.json().catch(() => null), response.statusText);
      const wait = error.retryAfter;
      if (wait === null || wait > this.#patience.longestWait || tries >= retries) throw error;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const over = new Promise((done) => timer = setTimeout(done, 1000 * wait));
      await raceWithAbort(over, signal, this.base).finally(() => clearTimeout(timer));
    }
  }
}

/** Body of an answer without success, as the contract promises it. */
interface FailedAnswer {
  error?: unknown;
  message?: unknown;
  details?: ValidationDetail[] | null;
  missing?: PositionInfo[];
}

/**
 * @param body unchecked
 * @param otherwise message if the body has no JSON error
 */
function makeServerError({ status, headers }: Response, body: FailedAnswer | null, otherwise: string) {
  if (typeof body?.error !== "string") {
    return new AcqError("no_acq_server", `HTTP ${status} ${otherwise}`, { status });
  }
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  const retryAfter = Number.isNaN(seconds) ? null : seconds;
  return new AcqError(body.error, String(body.message), {
    status,
    details: body.details ?? null,
    retryAfter,
    missing: body.missing ?? null,
  });
}

/**
 * @param base address of the server
 * @param message of an unexpected answer
 */
function asAcqError(error: unknown, base: string, message?: string) {
  if (error instanceof AcqError) return error;
  const { name } = (error ?? {}) as { name?: unknown };
  if (name === "AbortError") return new AcqError("cancelled", "Cancelled", { cause: error });
  if (message !== undefined) return new AcqError("no_acq_server", message, { cause: error });
  const isLate = name === "TimeoutError";
  const why = isLate ? "did not answer in time" : "does not answer";
  return new AcqError("server_unreachable", `The server at ${base} ${why}`, { cause: error });
}

/** Waits for a promise until the signal aborts; `base` is the address of the server. */
async function raceWithAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal | null | undefined,
  base: string,
): Promise<T> {
  if (!signal) return await promise;
  let stop = (): void => {};
  const aborted: Promise<never> = new Promise((_, reject) => {
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
