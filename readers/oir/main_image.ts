/** The main image: its channels, frames, rows and planes. */
import { DecodeFailed, quoted } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { buildChannels, COLOURS } from "../metadata/channels.ts";
import type { Channel, SampleType } from "../reader.ts";
import { listed, warnIf, type Warning, warning } from "../warning.ts";
import { type FileScan, findDamage, type FrameIndex, makePlaneKey, MAX_PLANES } from "./file_scan.ts";
import type { FrameGeometry } from "./frame_documents.ts";
import type { ImageProperties, Line } from "./image_properties.ts";
import type { OirMetadata } from "./metadata.ts";
import { assemblePlane, countCompleteRows, type StoredPlane } from "./plane_chunks.ts";

/** Sample type for a number of bytes; 0 means a camera image whose components have 8 bits. @throws {DecodeFailed} another number */
export function chooseTypeOfBytes(depth: number | null): SampleType {
  const types: Record<number, SampleType> = { 0: "uint8", 1: "uint8", 2: "uint16", 4: "float32" };
  const type = types[depth ?? -1];
  if (type) return type;
  throw new DecodeFailed(`samples of ${depth ?? "an unknown number of"} bytes are not supported`);
}

/** The first frame in all files, and the numbers of time points, wavelengths and depths; a frame within may have no planes. */
export interface StoredFrames {
  readonly first: FrameIndex;
  readonly count: FrameIndex;
}

/**
 * The frames for which any file holds a plane; `null` if there are no pixels. An acquisition numbers its frames from 1.
 *
 * @param apart true for a continuation file that was opened without its acquisition; its numbers continue those of another file
 * @throws {DecodeFailed} a number exceeds {@linkcode MAX_PLANES}
 */
export function listStoredFrames(scans: readonly FileScan[], apart: boolean): StoredFrames | null {
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
export const orderIds = (withPixels: ReadonlySet<string>, { channels }: ImageProperties): string[] => [
  ...channels.keys().filter((id) => withPixels.has(id)),
  ...[...withPixels].filter((id) => !channels.has(id)).sort(),
];

/** The main image, with the locations of its planes. */
export interface MainImage {
  readonly scans: readonly FileScan[];
  readonly frames: StoredFrames;
  readonly channels: readonly Channel[];
  /** Ids of the channels in the names of their chunks. */
  readonly ids: readonly string[];
  readonly layout: RowLayout;
  /** Why planes may have been lost from the file, or `null`. */
  readonly lost: string | null;
  readonly warnings: readonly Warning[];
}

/** The channels of the main image and the rows of their planes. @throws {DecodeFailed} a component or channel is lost */
export function describeMainImage(
  scans: readonly FileScan[],
  frames: StoredFrames,
  geometry: FrameGeometry,
  metadata: OirMetadata,
): MainImage {
  const { properties, colors } = metadata;
  const { width } = geometry;
  const sampleType = chooseTypeOfBytes(geometry.depth);
  const withPixels = new Set(scans.flatMap(({ planes }) => [...planes.keys()]));
  const ids = orderIds(withPixels, properties);
  const lost = findDamage(scans);
  const { names, warnings } = geometry.rgb
    ? colourComponents(ids, metadata)
    : nameOirChannels(ids, properties, lost);
  const planes = ids.map((id) => collectPlane(scans, makePlaneKey(frames.first), id));
  const stored = planes.map((plane) => countCompleteRows(plane, { columns: width, sampleType }));
  const [fewest, most] = [Math.min(...stored), Math.max(...stored)];
  const hasReference = scans.some((scan) => scan.reference.size > 0);
  const layout = isLineScan({ frames, geometry, properties, hasReference }, most)
    ? countLines(most, geometry, properties)
    : countFrameRows(planes.some(({ repeated }) => repeated) ? 0 : fewest, geometry);
  if (layout.rows * width > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${layout.rows} x ${width} has more than ${MAX_PLANE_SAMPLES} samples`);
  }
  const named = ids.map((id, i) => ({ name: names[i], color: colors.get(id) ?? null }));
  const channels = buildChannels(named, { sampleType, rows: layout.rows, columns: width });
  return { scans, frames, channels, ids, layout, lost, warnings: [...warnings, ...layout.warnings] };
}

interface ChannelNames {
  readonly names: readonly (string | null)[];
  readonly warnings: readonly Warning[];
}

function nameOirChannels(
  ids: readonly string[],
  { channels }: ImageProperties,
  lost: string | null,
): ChannelNames {
  const empty = [...channels]
    .filter(([id, { recorded, components }]) => recorded && components.length === 0 && !ids.includes(id))
    .map(([id, { name }]) => quoted(name ?? id));
  if (lost !== null && empty.length > 0) {
    throw new DecodeFailed(`channel ${listed(empty)} has no readable pixels: ${lost}`);
  }
  const text = `Channels are listed as recorded and have no pixels: ${listed(empty)}`;
  return {
    names: ids.map((id) => channels.get(id)?.name || null),
    warnings: warnIf(empty.length > 0, "channel_missing", text),
  };
}

/** The components of a colour image, named by the camera documents or else in the order of their ids. */
function colourComponents(ids: readonly string[], { properties, camera }: OirMetadata): ChannelNames {
  if (ids.length < COLOURS.length) {
    throw new DecodeFailed(
      `${ids.length} of the ${COLOURS.length} components of a colour image have pixels`,
    );
  }
  const names = ids.map((id) => camera.names.get(id) ?? properties.channels.get(id)?.name ?? null);
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) return { names, warnings: [] };
  const text =
    "The file does not state the colours of its components, which are named in the order of their ids";
  return { names: COLOURS, warnings: [warning("metadata_missing", text)] };
}

/** The plane of a channel in all files; may be empty. @param key from {@linkcode makePlaneKey} */
export function collectPlane(scans: readonly FileScan[], key: string, channel: string): StoredPlane {
  return assemblePlane(
    scans.map(({ file, planes }) => ({ file, chunks: planes.get(channel)?.get(key) ?? [] })),
  );
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

/** A frame has the rows of its document, or more if every channel stores more. */
function countFrameRows(stored: number, { height }: FrameGeometry): RowLayout {
  const rows = Math.max(height, stored);
  const text = `The planes hold ${rows} rows, more than the ${height} of their frame`;
  const warnings = warnIf(rows > height, "metadata_disagree", text);
  return { lineScan: false, rows, plannedRows: rows, warnings };
}

/** A line scan, whose document repeats the height of the overview, has the stored rows. */
function countLines(rows: number, { width }: FrameGeometry, { axes, line }: ImageProperties): RowLayout {
  const text =
    `The scanned line is ${line && measureLine(line).toFixed(1)} pixels long but the rows have ${width}: ` +
    "the reference image may show another zoom or another line";
  const warnings = warnIf(line !== null && !lineFits(line, width), "metadata_disagree", text);
  return { lineScan: true, rows, plannedRows: Math.max(rows, axes.get("TIMELAPSE")?.maxSize ?? 0), warnings };
}

/**
 * A line scan is one time point whose planned number of time steps equals the number of rows. An interrupted line scan has
 * fewer rows. It is recognised by a drawn line as long as a row, by rows beyond the frame, or, if the rows
 * do not fill a frame, by anything that a frame of a time series does not have.
 */
function isLineScan(
  { frames: { count }, geometry: { width, height }, properties, hasReference }: {
    readonly frames: StoredFrames;
    readonly geometry: FrameGeometry;
    readonly properties: ImageProperties;
    readonly hasReference: boolean;
  },
  most: number,
): boolean {
  const { overview, line, region } = properties;
  const time = properties.axes.get("TIMELAPSE");
  if (!time || count.t > 1 || most === 0) return false;
  const lines = time.maxSize;
  if (lines === most || (line !== null && lineFits(line, width))) return true;
  if (lines === null || lines <= 1 || count.l > 1 || count.z > 1) return false;
  if (lines > height && most > height) return true;
  const narrow = overview !== null && width !== overview.width;
  return most < height
    ? narrow || hasReference || region || lines >= height
    : narrow && height === overview.height;
}

/** Length of a line in pixels. */
const measureLine = ([x1, y1, x2, y2]: Line) => Math.hypot(x2 - x1, y2 - y1);

/** Whether a line fits the row: a line scan has one pixel more than the line is long. Overviews at another zoom do not fit. */
const lineFits = (line: Line, width: number) => Math.abs(width - (Math.round(measureLine(line)) + 1)) <= 2;
