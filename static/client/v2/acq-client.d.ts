/// <reference lib="esnext.disposable" />
/**
 * Types of `acq-client.js`: opens microscope files through acq-server (HTTP API v2) and reads their planes as
 * 32-bit floats.
 */

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
  cause?: unknown;
}

/** A failed call. */
export class AcqError extends Error {
  constructor(code: AcqErrorCode, message: string, info?: AcqErrorInfo);
  /** Stable; branch on it. */
  readonly code: AcqErrorCode;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Faults of the request, if the server lists them. */
  readonly details: ValidationDetail[] | null;
  /** Seconds after which to try again, or null. */
  readonly retryAfter: number | null;
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
  /** Whether the caller may open by path; absent in older servers. */
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

/** Geometry shared by the planes of a group. */
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
  apiVersion: string;
  sessionId: string;
  source: {
    path: string;
    name: string;
    format: string;
    fingerprint?: string | null;
    sourceDtype: string;
    numChannels: number;
  };
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
  /** `collection` for a folder with `collection.json`. */
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
  apiVersion: string;
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

/** A point in pixels of the reference plane, before any transposition: x counts columns, y rows. */
export interface Point {
  x: number;
  y: number;
}

/** The reference (overview) image of a line scan. */
export class Reference {
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
  /** Samples of one channel. */
  plane(channel: number, options?: CallOptions & { onProgress?: OnProgress | undefined }): Promise<Plane>;
}

/** An opened acquisition: one session of the server. */
export class Acquisition implements AsyncDisposable {
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
  /**
   * Samples of one channel at a position.
   *
   * @param channel index in the file
   */
  plane(channel: number, options?: PlaneOptions): Promise<Plane>;
  /** Samples of several channels at one position, by default all loaded ones. Progress counts them together. */
  planes(channels?: readonly number[] | null, options?: PlaneOptions): Promise<Plane[]>;
  /** Opens the same acquisition, or another scene of it, in a session of its own; this one stays open. */
  reopen(options?: OpenOptions): Promise<Acquisition>;
  /** State of the session: remaining lifetime and contents. */
  state(options?: CallOptions): Promise<SessionInfo>;
  /** The metadata documents of the file, unchanged. */
  metadata(options?: CallOptions): Promise<MetadataDocument[]>;
  /** Ends the session and those of its scenes, even if they have expired. `keepalive` lets the request outlive the page. */
  close(options?: CallOptions & { keepalive?: boolean }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A connected server. */
export class Server {
  /** Address without a slash at its end, such as `http://127.0.0.1:8767`. */
  readonly base: string;
  /** Health at the time of connecting. */
  readonly health: Health;
  /** Capabilities at the time of connecting. */
  readonly capabilities: Capabilities;
  /** Version of the program. */
  readonly version: string;
  /** Requests `/api/v2/health` again. */
  readHealth(options?: CallOptions): Promise<Health>;
  /** Requests `/api/v2/capabilities` again. */
  readCapabilities(options?: CallOptions): Promise<Capabilities>;
  /** Shows the file dialog on the server's machine and opens the chosen file; fails with `cancelled` if none is chosen. */
  pick(options?: PickOptions): Promise<Acquisition>;
  /**
   * Opens a file by its path. Fails with `origin_not_allowed` on pages of other sites that the server does not permit.
   *
   * @param path absolute path on the server's machine
   */
  open(path: string, options?: OpenOptions): Promise<Acquisition>;
  /**
   * Lists a folder: one entry for each acquisition, collection and folder, recognized by its name only. Needs the same
   * permission as `open`.
   *
   * @param path absolute path on the server's machine
   */
  list(path: string, options?: CallOptions): Promise<FolderListing>;
  /**
   * Prepares an archive: OME-Zarr images, reference images, regions, analyses and tables in a ZIP file.
   *
   * @param members paths, open acquisitions, or members in the form of `POST /api/v2/export`
   * @returns address of the archive, which can be fetched once and within ten minutes
   */
  export(
    members: readonly (string | Acquisition | ExportMember)[],
    options?: ExportOptions,
  ): Promise<ExportLink>;
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

/** Options of a connection. */
export interface ConnectOptions extends CallOptions {
  /** Number of retries when the server sends `Retry-After`; 3 by default, 0 for none. */
  retries?: number;
  /** Longest `Retry-After` to wait for, in seconds; 10 by default. Dialogs are never retried. */
  longestWait?: number;
}

/**
 * Connects to a server and requests its health and capabilities.
 *
 * @param base address; by default the server that this module came from, else `http://127.0.0.1:8767`
 */
export function connect(base?: string | URL | null, options?: ConnectOptions): Promise<Server>;

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
): Point[];
