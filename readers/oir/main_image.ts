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
 * Sample type for a number of bytes per sample; 0 stands for a camera image whose components have 8 bits.
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

/** The frames that any file holds; a frame between others may have no planes. */
export interface StoredFrames {
  /** The frame at the start of every axis. */
  readonly first: FrameIndex;
  /** Number of time points, wavelengths and depths. */
  readonly count: FrameIndex;
}

/**
 * The frames for which any file holds a plane, or `null` without pixels. An acquisition numbers its frames from 1.
 *
 * @param apart a continuation file that was opened without its acquisition, whose numbers go on from another file
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

/** Ids of the channels that have pixels: described ones in their order, then the others sorted as text. */
export function orderedIds(withPixels: ReadonlySet<string>, properties: ImageProperties): string[] {
  const described = [...properties.channels.keys()].filter((id) => withPixels.has(id));
  const rest = [...withPixels].filter((id) => !properties.channels.has(id)).sort();
  return [...described, ...rest];
}

/** Channels by index. */
export interface ChannelList {
  /** Ids in the names of their chunks. */
  readonly ids: readonly string[];
  /** `null` where the file gives none. */
  readonly names: readonly (string | null)[];
  /** What the user should know about the channels. */
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

/** The components of a colour image, named by the camera documents, else in the order of their ids. */
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

/** The plane of a channel in all files, maybe empty. @param key that of {@linkcode planeKey} */
export function planeOf(scans: readonly FileScan[], key: string, channel: string): StoredPlane {
  const parts: PlanePart[] = [];
  for (const scan of scans) {
    const chunks = scan.planes.get(key)?.[scan.channelSlots.get(channel) ?? -1];
    if (chunks) parts.push({ file: scan.file, chunks });
  }
  return assemblePlane(parts);
}

/** How the rows of the planes are to be read. */
export interface RowLayout {
  /** Rows are the successive lines of a line scan, and Y is time. */
  readonly lineScan: boolean;
  /** Rows of the whole array; of a line scan, the most that any channel has. */
  readonly rows: number;
  /** Of a line scan the lines that were to be scanned, else `rows`. */
  readonly plannedRows: number;
  readonly warnings: readonly Warning[];
}

/** Evidence that distinguishes a line scan from a frame. */
export interface ScanEvidence {
  /** Complete rows of each channel in the first frame. */
  readonly stored: readonly number[];
  /** Whether the chunks of a channel state the same place twice, as those of two frames with one name do. */
  readonly repeated: boolean;
  readonly frames: StoredFrames;
  /** Columns, rows and bytes per sample of a frame document. */
  readonly geometry: FrameGeometry;
  /** What the image properties state. */
  readonly properties: ImageProperties;
  /** Whether a reference image is stored. */
  readonly reference: boolean;
}

/**
 * How many rows a plane has. The frame document of a line scan repeats the height of the overview, so rows are
 * counted from what is stored. Frames have the rows that their document states, or more where every channel stores
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
 * A line scan is one time point whose time axis was to have as many steps as there are rows. An interrupted one has
 * fewer rows; it is known by a drawn line of the width of a row, by rows that go past the frame, and, where the rows
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

/** A scan of a line has one pixel more than the line is long; overviews at another zoom do not fit. */
function widthFits(width: number, line: NonNullable<ImageProperties["line"]>): boolean {
  return Math.abs(width - (Math.round(lineLength(line)) + 1)) <= 2;
}

/** Checks the size of a plane. @throws {DecodeFailed} it exceeds {@linkcode MAX_PLANE_SAMPLES} */
export function checkPlaneSize(rows: number, columns: number): void {
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${rows} x ${columns} has more than ${MAX_PLANE_SAMPLES} samples`);
  }
}

/** Complete rows of a stored plane. */
export function completeRows(stored: StoredPlane, columns: number, sampleType: SampleType): number {
  return Math.floor(stored.bytes / (columns * SAMPLE_BYTES[sampleType]));
}
