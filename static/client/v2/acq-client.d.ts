/// <reference lib="esnext.disposable" />
/**
 * Types of `acq-client.js`: opens microscope files through acq-server (HTTP API v2) and reads their planes as
 * 32-bit floats.
 */

/** What a failure is called: a code of the server, or one of the three of this client. Branch on it, never on the message. */
export type AcqErrorCode =
  /** No answer at all, or none in the time that a signal allowed. */
  | "server_gone"
  /** The answer is not what the contract promises. */
  | "bad_answer"
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
  // A later server may know more.
  | (string & Record<never, never>);

/** One fault of a request, where `code` is `request_validation_failed`. */
export interface ValidationDetail {
  location: string[];
  message: string;
  type: string;
}

/** What went wrong besides code and message. */
export interface AcqErrorInfo {
  status?: number;
  details?: ValidationDetail[] | null;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A call that failed. */
export class AcqError extends Error {
  constructor(code: AcqErrorCode, message: string, info?: AcqErrorInfo);
  /** Stable; branch on it. */
  readonly code: AcqErrorCode;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Faults of the request, where the server lists them. */
  readonly details: ValidationDetail[] | null;
  /** Seconds after which the server wants to be asked again, or null. */
  readonly retryAfter: number | null;
}

/** Takes the bytes that have come and how many there will be. */
export type OnProgress = (received: number, total: number) => void;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: the server stops decoding and closes its dialog. */
  signal?: AbortSignal | null | undefined;
}

/** Answer of `GET /api/v2/health`. */
export interface Health {
  ok: true;
  api_version: string;
  server_version: string;
}

/** Answer of `GET /api/v2/capabilities`. */
export interface Capabilities {
  ok: true;
  apiVersion: string;
  supportedImportExtensions: string[];
  allowedImportExtensions: string[];
  binary: { servedDtype: string; encoding: string; layout: string; mediaType: string };
  sessionTtlSeconds: number;
  /** Whether the server's machine can show a file dialog; absent in older servers. */
  dialogAvailable?: boolean;
  /** Whether who asked may open by path; absent in older servers. */
  openByPath?: boolean;
}

/** One axis of a plane: sample i sits at `i * step`. */
export interface Axis {
  /** 0 for rows, 1 for columns. */
  arrayDimension: number;
  name: string;
  size: number;
  step: number;
  /** `um`, `seconds`, `Pixels` without calibration, or as the file writes it. */
  unit: string;
}

/** Geometry that the planes of a group share. */
export interface PlaneInfo {
  /** `[rows, columns]` */
  shape: [number, number];
  /** Rows, then columns. In a line scan rows are time and columns are space. */
  axes: [Axis, Axis];
  servedDtype: string;
  encoding: string;
  layout: string;
  mediaType: string;
}

/** One channel. */
export interface ChannelInfo {
  /** Index in the file. */
  index: number;
  name: string;
  /** `#rrggbb` where the file says one. */
  color?: string | null;
  byteLength: number;
  dataUrl: string;
}

/** Reference image as the open response has it. */
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
  /** Length of each axis; empty where it is known only when the scene is opened. */
  sizes: Record<string, number>;
}

/** Index along each axis, from 0. */
export interface PositionInfo {
  t: number;
  z: number;
  l: number;
}

/** How a line scan was made; null where the file does not say. */
export interface LineScanInfo {
  /** Seconds from one line to the next. */
  secondsPerLine: number | null;
  /** Seconds that the laser stays on a pixel. */
  secondsPerPixel: number | null;
  /** Whether every second line was scanned backwards. */
  bidirectional: boolean | null;
}

/** Answer of every open. */
export interface OpenResponse {
  ok: true;
  apiVersion: string;
  sessionId: string;
  source: { path: string; name: string; format: string; sourceDtype: string; numChannels: number };
  header: {
    shape: number[];
    dims: string[];
    sizes: Record<string, number>;
    dtype: string;
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
  warnings?: string[];
  warningCodes?: string[];
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

/** What an open takes. */
export interface OpenOptions extends CallOptions {
  /** Channels to load, in this order; all by default. */
  channelIndices?: readonly number[] | null | undefined;
  /** Scene to open; by default the one that the file belongs to. */
  scene?: number | null | undefined;
}

/** What a dialog takes. */
export interface PickOptions extends OpenOptions {
  /** Extensions that the dialog shows, with a leading dot; all by default. */
  extensions?: readonly string[] | null | undefined;
}

/** A place along the axes that a plane does not have itself. */
export interface Position {
  /** Time point, from 0. */
  t?: number | undefined;
  /** Focus plane, from 0. */
  z?: number | undefined;
  /** Wavelength, from 0. */
  l?: number | undefined;
}

/** What reading a plane takes. */
export interface PlaneOptions extends CallOptions, Position {
  /** Scene; by default the opened one. Another one is opened once and kept until the acquisition is closed. */
  scene?: number | undefined;
  /** `[first, end]`: these rows alone, the end excluded. The server reads no more of the file than they need. */
  rows?: readonly [number, number] | undefined;
  /** Called for each piece that arrives. */
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
  /** Row of the whole plane that the first row of `samples` is; 0 unless rows were asked for. */
  firstRow: number;
  channel: ChannelInfo;
}

/** A point in pixels of the reference plane, before any transposition: x counts columns, y rows. */
export interface Point {
  x: number;
  y: number;
}

/** The reference (overview) image of a line scan. */
export class Reference {
  /** As the open response has it. */
  readonly info: ReferenceInfo;
  readonly shape: [number, number];
  readonly axes: [Axis, Axis];
  readonly channels: ChannelInfo[];
  /**
   * The scanned path: `scanPath` where its arrays are equally long and not empty, otherwise the two ends of `lineRoi`,
   * otherwise empty.
   */
  readonly path: Point[];
  /** Samples of one channel. */
  plane(channel: number, options?: CallOptions & { onProgress?: OnProgress | undefined }): Promise<Plane>;
}

/** An opened acquisition: one session of the server. */
export class Acquisition implements AsyncDisposable {
  /** The open response as it came. */
  readonly info: OpenResponse;
  readonly sessionId: string;
  /** Absolute path on the server's machine. */
  readonly path: string;
  /** File name. */
  readonly name: string;
  /** `[rows, columns]` of every plane. */
  readonly shape: [number, number];
  readonly axes: [Axis, Axis];
  /** Loaded channels, in the order that was asked for. */
  readonly channels: ChannelInfo[];
  /** Length of each axis of the whole acquisition, by its letter (T L C Z Y X); axes of length 1 are left out. */
  readonly sizes: Record<string, number>;
  /** Index of the opened scene. */
  readonly scene: number;
  /** The scenes of the file, at most the first 10,000. */
  readonly scenes: SceneInfo[];
  /** Seconds of each time point from the first, or null. */
  readonly times: number[] | null;
  /** Where the planes of the open lie, which an omitted `t`, `z` or `l` means. */
  readonly position: PositionInfo;
  /** How a line scan was made, or null for other images. */
  readonly lineScan: LineScanInfo | null;
  /** What the user should know although the open succeeded. */
  readonly warnings: string[];
  /** A stable code for each of the warnings, for programs. */
  readonly warningCodes: string[];
  readonly reference: Reference | null;
  /**
   * Samples of one channel at a position.
   *
   * @param channel index in the file
   */
  plane(channel: number, options?: PlaneOptions): Promise<Plane>;
  /** Samples of several channels at one position, all loaded ones by default. Progress counts them together. */
  planes(channels?: readonly number[] | null, options?: PlaneOptions): Promise<Plane[]>;
  /** Opens the same acquisition once more, such as another scene, into a session of its own; this one stays. */
  reopen(options?: OpenOptions): Promise<Acquisition>;
  /** State of the session: how long it lives, what it holds. */
  state(options?: CallOptions): Promise<SessionInfo>;
  /** The metadata documents of the file, as they are. */
  metadata(options?: CallOptions): Promise<MetadataDocument[]>;
  /**
   * Ends the session and those of its scenes. A session that has ended already is no error.
   *
   * @param options.keepalive lets the request outlive the page
   */
  close(options?: CallOptions & { keepalive?: boolean }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server that answers. */
export class Server {
  /** Address without a slash at its end, such as `http://127.0.0.1:8767`. */
  readonly base: string;
  /** As it was when the connection was made. */
  readonly health: Health;
  /** As they were when the connection was made. */
  readonly capabilities: Capabilities;
  /** Version of the program. */
  readonly version: string;
  /** Asks for `/api/v2/health` again. */
  readHealth(options?: CallOptions): Promise<Health>;
  /** Asks for `/api/v2/capabilities` again. */
  readCapabilities(options?: CallOptions): Promise<Capabilities>;
  /** Shows the file dialog on the server's machine and opens what the user chooses; `cancelled` when that is nothing. */
  pick(options?: PickOptions): Promise<Acquisition>;
  /**
   * Opens a file by its path. Pages of other sites may not (`origin_not_allowed`) unless the server was told so.
   *
   * @param path absolute, as the server's machine sees it
   */
  open(path: string, options?: OpenOptions): Promise<Acquisition>;
}

/** How to connect. */
export interface ConnectOptions extends CallOptions {
  /** How often a call is made again where the server says `Retry-After`; 3 by default, 0 for never. */
  retries?: number;
  /** Longest `Retry-After`, in seconds, that is waited for; 10 by default. A dialog is never asked for again. */
  longestWait?: number;
}

/**
 * Connects to a server: asks for its health and capabilities.
 *
 * @param base address; by default the server that this module came from, else `http://127.0.0.1:8767`
 */
export function connect(base?: string | URL | null, options?: ConnectOptions): Promise<Server>;

/** Points of the scanned path of a reference image, in its pixels; empty where there are none. */
export function pathPoints(
  reference:
    | {
      readonly scanPath?: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
      readonly lineRoi?: readonly number[] | null;
    }
    | null
    | undefined,
): Point[];
