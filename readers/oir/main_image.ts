/** The main image: its channels, frames, rows and planes. */
import { DecodeFailed } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type Warning, warning } from "../warning.ts";
import type { FileScan } from "./file_scan.ts";
import type { FrameGeometry } from "./frame_documents.ts";
import { type ImageProperties, lineLength } from "./image_properties.ts";
import { assemblePlane, type PlanePart, type StoredPlane } from "./plane_chunks.ts";
import type { StoredFrames } from "./stored_frames.ts";

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

/** Ids of the channels that have pixels: described ones in their order, then the others sorted as text. */
export function orderedIds(withPixels: ReadonlySet<string>, properties: ImageProperties): string[] {
  const described = [...properties.channels.keys()].filter((id) => withPixels.has(id));
  const rest = [...withPixels].filter((id) => !properties.channels.has(id)).sort();
  return [...described, ...rest];
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
  /** What the user should know about the rows. */
  readonly warnings: readonly Warning[];
}

/** Evidence that distinguishes a line scan from a frame. */
export interface ScanEvidence {
  /** Complete rows of each channel in the first frame. */
  readonly stored: readonly number[];
  /** Whether the chunks of a channel state the same place twice, as those of two frames with one name do. */
  readonly repeated: boolean;
  /** Frames that are stored. */
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
    return Number.isFinite(fewest) && fewest > height && !repeated
      ? {
        lineScan: false,
        rows: fewest,
        plannedRows: fewest,
        warnings: [
          warning(
            "metadata_disagree",
            `The planes hold ${fewest} rows, more than the ${height} of their frame`,
          ),
        ],
      }
      : { lineScan: false, rows: height, plannedRows: height, warnings: [] };
  }
  const warnings: Warning[] = [];
  const { line } = properties;
  if (line !== null && !widthFits(width, line)) {
    warnings.push(
      warning(
        "metadata_disagree",
        `The scanned line is ${lineLength(line).toFixed(1)} pixels long but the rows have ${width}: ` +
          "the reference image may show another zoom or another line",
      ),
    );
  }
  const plannedRows = Math.max(most, properties.axes.get("TIMELAPSE")?.maxSize ?? 0);
  return { lineScan: true, rows: most, plannedRows, warnings };
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
  if (!time || frames.t.length > 1 || most === 0) return false;
  const lines = time.maxSize;
  if (lines === most || (line !== null && widthFits(width, line))) return true;
  if (lines === null || lines <= 1 || frames.l.length > 1 || frames.z.length > 1) return false;
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
