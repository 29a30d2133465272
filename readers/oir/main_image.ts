/** The main image: its channels, frames, rows and planes. */
import { DecodeFailed, quoted } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { COLOURS } from "../metadata/channels.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { listed, warnIf, type Warning, warning } from "../warning.ts";
import { damageWithin, type FileScan, type FrameIndex, MAX_PLANES } from "./file_scan.ts";
import type { FrameGeometry } from "./frame_documents.ts";
import { type ImageProperties, lineLength } from "./image_properties.ts";
import type { Metadata } from "./metadata.ts";
import { assemblePlane, type PlanePart, type StoredPlane } from "./plane_chunks.ts";

/**
 * Sample type for a number of bytes per sample; 0 means a camera image whose components have 8 bits.
 *
 * @throws {DecodeFailed} any other number
 */
export function sampleTypeOf(depth: number | null): SampleType {
  switch (depth) {
    case 0:
    case 1:
      return "uint8";
    case 2:
      return "uint16";
    case 4:
      return "float32";
    default:
      throw new DecodeFailed(`samples of ${depth ?? "an unknown number of"} bytes are not supported`);
  }
}

/** Range of the frames in all files; a frame within it may have no planes. */
export interface StoredFrames {
  /** The frame at the start of every axis. */
  readonly first: FrameIndex;
  /** Numbers of time points, wavelengths and depths. */
  readonly count: FrameIndex;
}

/**
 * The frames for which any file holds a plane; `null` if there are no pixels. An acquisition numbers its frames from 1.
 *
 * @param apart true for a continuation file that was opened without its acquisition; its numbers continue those of another file
 * @throws {DecodeFailed} a number exceeds {@linkcode MAX_PLANES}
 */
export function storedFrames(scans: readonly FileScan[], apart: boolean): StoredFrames | null {
  const [first, count] = [{ t: 1, l: 1, z: 1 }, { t: 0, l: 0, z: 0 }];
  for (const axis of ["t", "l", "z"] as const) {
    let [lowest, highest] = [Infinity, 0];
    for (const number of scans.values().flatMap(({ frameNumbers }) => frameNumbers[axis])) {
      lowest = Math.min(lowest, number);
      highest = Math.max(highest, number);
    }
    if (highest === 0) return null;
    if (apart) first[axis] = lowest;
    count[axis] = highest - first[axis] + 1;
    if (count[axis] > MAX_PLANES) {
      throw new DecodeFailed(`frame ${axis}${highest} exceeds ${MAX_PLANES} frames`);
    }
  }
  return { first, count };
}

/** Ids of the channels with pixels: described channels in their order, then the others sorted as text. */
export function orderedIds(withPixels: ReadonlySet<string>, properties: ImageProperties): string[] {
  const described = [...properties.channels.keys()].filter((id) => withPixels.has(id));
  const rest = [...withPixels].filter((id) => !properties.channels.has(id)).sort();
  return [...described, ...rest];
}

/** Channels by index. */
export interface ChannelList {
  /** Ids of the channels in the names of their chunks. */
  readonly ids: readonly string[];
  /** Names; `null` if the file has none. */
  readonly names: readonly (string | null)[];
  /** Warnings about the channels. */
  readonly warnings: readonly Warning[];
}

/**
 * Channels of the main image.
 *
 * @param rgb whether they are the components of a colour image
 * @throws {DecodeFailed} a colour image lacks a component, or a damaged file lacks the pixels of a recorded channel
 */
export function channelList(
  scans: readonly FileScan[],
  metadata: Metadata,
  rgb: boolean,
): ChannelList {
  const withPixels = new Set(scans.flatMap((scan) => [...scan.channelSlots.keys()]));
  const ids = orderedIds(withPixels, metadata.properties);
  if (rgb) return colourComponents(ids, metadata);
  const described = metadata.properties.channels;
  const empty = [...described]
    .filter(([id, { recorded, components }]) => recorded && components.length === 0 && !withPixels.has(id))
    .map(([id, { name }]) => quoted(name ?? id));
  const lost = damageWithin(scans);
  if (lost !== null && empty.length > 0) {
    throw new DecodeFailed(`channel ${listed(empty)} has no readable pixels: ${lost}`);
  }
  return {
    ids,
    names: ids.map((id) => described.get(id)?.name || null),
    warnings: warnIf(
      empty.length > 0,
      "channel_missing",
      `Channels are listed as recorded and have no pixels: ${listed(empty)}`,
    ),
  };
}

/** The components of a colour image, named by the camera documents or else in the order of their ids. */
function colourComponents(ids: readonly string[], { properties, camera }: Metadata): ChannelList {
  if (ids.length < COLOURS.length) {
    throw new DecodeFailed(
      `${ids.length} of the ${COLOURS.length} components of a colour image have pixels`,
    );
  }
  const names = ids.map((id) => camera.names.get(id) ?? properties.channels.get(id)?.name ?? null);
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) {
    return { ids, names, warnings: [] };
  }
  return {
    ids,
    names: COLOURS,
    warnings: [
      warning(
        "metadata_missing",
        "The file does not state the colours of its components, which are named in the order of their ids",
      ),
    ],
  };
}

/** The plane of a channel in all files; may be empty. @param key from {@linkcode planeKey} */
export function planeOf(scans: readonly FileScan[], key: string, channel: string): StoredPlane {
  const parts: PlanePart[] = [];
  for (const scan of scans) {
    const chunks = scan.planes.get(key)?.[scan.channelSlots.get(channel) ?? -1];
    if (chunks) parts.push({ file: scan.file, chunks });
  }
  return assemblePlane(parts);
}

/** The meaning and number of the planes' rows. */
export interface RowLayout {
  /** True if rows are the lines of a line scan, so that Y is time. */
  readonly lineScan: boolean;
  /** Number of rows of the whole array; for a line scan, the largest number of any channel. */
  readonly rows: number;
  /** Number of planned lines of a line scan, else `rows`. */
  readonly plannedRows: number;
  readonly warnings: readonly Warning[];
}

/** Evidence that distinguishes a line scan from a frame. */
export interface ScanEvidence {
  /** Number of complete rows of each channel in the first frame. */
  readonly stored: readonly number[];
  /** Whether chunks of a channel state the same offset twice, as for two frames with the same name. */
  readonly repeated: boolean;
  readonly frames: StoredFrames;
  /** Columns, rows and bytes per sample from a frame document. */
  readonly geometry: FrameGeometry;
  /** The image properties of the file. */
  readonly properties: ImageProperties;
  /** Whether a reference image is stored. */
  readonly reference: boolean;
}

/**
 * Number of rows per plane. The frame document of a line scan repeats the height of the overview, so its rows are
 * counted from the stored bytes. Frames have the number of rows in their document, or more if every channel stores
 * more.
 */
export function rowLayout(evidence: ScanEvidence): RowLayout {
  const { stored, repeated, geometry, properties } = evidence;
  const { width, height } = geometry;
  const fewest = stored.reduce((least, rows) => Math.min(least, rows), Infinity);
  const most = stored.reduce((greatest, rows) => Math.max(greatest, rows), 0);
  if (!isLineScan(evidence, most)) {
    if (!Number.isFinite(fewest) || fewest <= height || repeated) {
      return { lineScan: false, rows: height, plannedRows: height, warnings: [] };
    }
    const text = `The planes hold ${fewest} rows, more than the ${height} of their frame`;
    return {
      lineScan: false,
      rows: fewest,
      plannedRows: fewest,
      warnings: [warning("metadata_disagree", text)],
    };
  }
  const { line } = properties;
  const plannedRows = Math.max(most, properties.axes.get("TIMELAPSE")?.maxSize ?? 0);
  if (line === null || widthFits(width, line)) {
    return { lineScan: true, rows: most, plannedRows, warnings: [] };
  }
  const text = `The scanned line is ${lineLength(line).toFixed(1)} pixels long but the rows have ${width}: ` +
    "the reference image may show another zoom or another line";
  return { lineScan: true, rows: most, plannedRows, warnings: [warning("metadata_disagree", text)] };
}

/**
 * A line scan is one time point whose planned number of time steps equals the number of rows. An interrupted line scan has
 * fewer rows. It is recognised by a drawn line as long as a row, by rows beyond the frame, or, if the rows
 * do not fill a frame, by anything that a frame of a time series does not have.
 */
function isLineScan(
  { frames, geometry: { width, height }, properties, reference }: ScanEvidence,
  most: number,
): boolean {
  const { overview, line } = properties;
  const time = properties.axes.get("TIMELAPSE");
  if (!time || frames.count.t > 1 || most === 0) return false;
  const lines = time.maxSize;
  if (lines === most || (line !== null && widthFits(width, line))) return true;
  if (lines === null || lines <= 1 || frames.count.l > 1 || frames.count.z > 1) return false;
  if (lines > height && most > height) return true;
  const narrow = overview !== null && width !== overview.width;
  return most < height
    ? narrow || reference || properties.region || lines >= height
    : narrow && height === overview.height;
}

/** Whether a line fits the row: a line scan has one pixel more than the line is long. Overviews at another zoom do not fit. */
function widthFits(width: number, line: NonNullable<ImageProperties["line"]>): boolean {
  return Math.abs(width - (Math.round(lineLength(line)) + 1)) <= 2;
}

/** Checks the size of a plane. @throws {DecodeFailed} more than {@linkcode MAX_PLANE_SAMPLES} samples */
export function checkPlaneSize(rows: number, columns: number): void {
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${rows} x ${columns} has more than ${MAX_PLANE_SAMPLES} samples`);
  }
}

/** Number of complete rows of a stored plane. */
export function completeRows(stored: StoredPlane, columns: number, sampleType: SampleType): number {
  return Math.floor(stored.bytes / (columns * SAMPLE_BYTES[sampleType]));
}
