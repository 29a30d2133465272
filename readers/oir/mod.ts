/**
 * Olympus and Evident OIR, as written by FluoView and LEXT. Little-endian, uncompressed.
 *
 *     0              "OLYMPUSRAWFORMAT", at 32 u64 size when closed, at 40 u64 offset of the index   96 bytes
 *     96             blocks without gaps: u32 payload length, u32 kind, payload
 *                      0 XML documents, each after its u32 length    1 one frame document: width, height, depth
 *                      3 tag: u32 offset in the plane, u32 length, u32 name length, name of the chunk
 *                      4 pixels: the chunk named by the tag before it       2 thumbnail    5 separator
 *     index offset   u32 0xFFFFFFFF, then a u64 offset per block
 *
 * A plane (time, wavelength, depth, channel) is cut into chunks; chunks of several channels may alternate. Chunks named
 * `REF_` are those of the reference image. A line scan is one plane per channel with a row per line. Long acquisitions
 * continue in `<stem>_00001` and so on.
 *
 * Refused: overview maps without pixels; samples of other than 1, 2 or 4 bytes; a frame whose wanted plane is
 * incomplete; a continuation file without its main file; archives (POIR, MPOIR) and mosaics (OMP2INFO) of OIR files.
 */
import { basename } from "node:path";
import { axesOf, calibrated, type Calibration } from "../metadata/axes.ts";
import { DecodeFailed } from "../errors.ts";
import { channelsOf } from "../metadata/channels.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import { momentOf } from "../metadata/moment.ts";
import {
  type Acquisition,
  type LineScan,
  oneScene,
  type SampleType,
  type Scenes,
  type Source,
} from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { axisSteps } from "./calibration.ts";
import {
  channelList,
  checkPlaneSize,
  completeRows,
  planeOf,
  rowLayout,
  sampleTypeOf,
  type StoredFrames,
  storedFrames,
} from "./main_image.ts";
import { damageWithin, type FileScan, planeKey, scanBytes } from "./file_scan.ts";
import { isContinuationName, scanFileSet } from "./file_set.ts";
import { addDocuments, DocumentParser } from "./documents.ts";
import { FrameDocuments, type FrameGeometry } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { missingPlanes, planPlanes, type StoredImage } from "./plane_plan.ts";
import type { StoredPlane } from "./plane_chunks.ts";
import { referenceImage } from "./reference_image.ts";

/** Opens an OIR file with its continuation files. @throws {DecodeFailed} it is damaged or not supported */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => oneScene(describe(source)));
}

function describe({ path, files }: Source): Acquisition {
  const set = scanFileSet(path, files);
  const parser = new DocumentParser();
  const documents = new FrameDocuments(set.scans, parser, files.stop);
  const { scans } = set;
  const frames = storedFrames(scans, isContinuationName(scans[0]?.file.path ?? path));
  // If the main file lost its pixels, the first frame of a continuation file is not the first of the acquisition.
  if (frames === null || scans[0]?.planes.size === 0) throw new DecodeFailed(noPixels(scans, documents));
  const { count } = frames;
  const geometry = documents.geometry();
  const sampleType = sampleTypeOf(geometry.depth);
  checkPlaneSize(1, geometry.width);
  const metadata = readMetadata(scans, parser, files.stop);
  const image = mainImage({ scans, frames, geometry, metadata }, sampleType);
  const { ids, channels, layout } = image;
  const steps = axisSteps(frames, documents, metadata, layout.lineScan);
  const stored: StoredImage = {
    scans,
    channels: channels.map((channel, i) => ({ id: ids[i]!, channel })),
    frames,
    layout,
    lost: damageWithin(scans),
  };
  const missing = layout.lineScan
    ? []
    : missingPlanes(stored, intendedFrames(frames, metadata.properties), files.stop);
  const times = documents.times(frames.first, count.t);
  const reference = referenceImage(scans, { sampleType, geometry, metadata });
  return {
    axes: axesOf({
      T: count.t,
      L: count.l,
      C: channels.length,
      Z: count.z,
      Y: layout.rows,
      X: geometry.width,
    }, steps.calibrations),
    channels,
    ...momentOf(metadata.properties.created),
    files: () => scans.map(({ file }) => file.path),
    fileSize: scans.reduce((sum, scan) => sum + scan.file.size, 0),
    reference: reference.reference,
    lineScan: layout.lineScan ? lineScanIn(steps.calibrations.Y, metadata.properties) : null,
    warnings: [
      ...set.warnings,
      ...scans.flatMap(scanWarnings),
      ...metadata.warnings,
      ...image.warnings,
      ...missing,
      ...documents.warnings,
      ...steps.warnings,
      ...reference.warnings,
    ],
    times,
    indexBytes: scans.reduce((sum, scan) => sum + scanBytes(scan), 0),
    documents: (list) => addDocuments(list, scans),
    plan: (...wanted) => Promise.try(() => planPlanes(stored, wanted)),
  };
}

/** Sources of the main image. */
interface MainImageFacts {
  readonly scans: readonly FileScan[];
  readonly frames: StoredFrames;
  readonly geometry: FrameGeometry;
  readonly metadata: Metadata;
}

/** The channels of the main image and the rows of their planes. @throws {DecodeFailed} */
function mainImage({ scans, frames, geometry, metadata }: MainImageFacts, sampleType: SampleType) {
  const { properties } = metadata;
  const first = planeKey(frames.first);
  const planes = new Map<string, StoredPlane>();
  const stored = (id: string) => planes.getOrInsertComputed(id, () => planeOf(scans, first, id));
  const rowsOf = (id: string) => completeRows(stored(id), geometry.width, sampleType);
  const list = channelList(scans, metadata, geometry.rgb);
  const { ids } = list;
  const layout = rowLayout({
    stored: ids.map(rowsOf),
    repeated: ids.some((id) => stored(id).repeated),
    frames,
    geometry,
    properties,
    reference: scans.some((scan) => scan.reference.size > 0),
  });
  const named = ids.map((id, i) => ({ name: list.names[i] ?? null, color: metadata.colors.get(id) ?? null }));
  checkPlaneSize(layout.rows, geometry.width);
  const channels = channelsOf(named, { sampleType, rows: layout.rows, columns: geometry.width });
  return { ids, channels, layout, warnings: [...list.warnings, ...layout.warnings] };
}

const lineScanIn = (lines: Calibration | undefined, { pixelTime, roundtrip }: ImageProperties): LineScan => ({
  ...lineScanOf(lines, calibrated(pixelTime, "us")),
  bidirectional: roundtrip,
});

function noPixels(scans: readonly FileScan[], documents: FrameDocuments): string {
  const damage = scans.map((scan) => scan.damage.text).find((text) => text !== null);
  if (damage) return `the main image has no readable pixels: ${damage}`;
  if (scans[0]?.frames.length === 0) return "the main image has no pixels";
  const { width, height } = documents.geometry();
  return `the file describes ${width} x ${height} pixels without storing them, as overview maps do`;
}

function scanWarnings({ file, warnings, damage }: FileScan): Warning[] {
  return damage.text === null
    ? [...warnings]
    : [...warnings, warning("file_damaged", `"${basename(file.path)}" is damaged: ${damage.text}`)];
}

/** Number of planned frames of the acquisition. */
function intendedFrames({ count: { t, l, z } }: StoredFrames, { axes }: ImageProperties): number {
  const along = (axis: string, stored: number) => Math.max(axes.get(axis)?.maxSize ?? 1, stored);
  return along("TIMELAPSE", t) * along("LAMBDA", l) * along("ZSTACK", z);
}
