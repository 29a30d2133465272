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
import { buildAxes, type Calibration, convertStep, statedStep, UNCALIBRATED } from "../metadata/axes.ts";
import { DecodeFailed } from "../errors.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { findMoment } from "../metadata/moment.ts";
import { type Acquisition, type AxisLetter, oneScene, type Scenes, type Source } from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import { describeMainImage, listStoredFrames, type StoredFrames } from "./main_image.ts";
import type { FileScan } from "./file_scan.ts";
import { isContinuationName, scanFileSet } from "./file_set.ts";
import { addOirDocuments, DocumentParser } from "./documents.ts";
import { FrameDocuments, type PositionAxis } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import { type OirMetadata, readOirMetadata } from "./metadata.ts";
import { planOirPlanes, warnAboutMissingFrames } from "./plane_plan.ts";
import { readOirReference } from "./reference_image.ts";

/** Opens an OIR file with its continuation files. @throws {DecodeFailed} it is damaged or not supported */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => oneScene(describeOir(source)));
}

function describeOir({ path, files }: Source): Acquisition {
  const set = scanFileSet(path, files);
  const { scans } = set;
  const parser = new DocumentParser(files.stop);
  const documents = new FrameDocuments(scans, parser);
  const frames = listStoredFrames(scans, isContinuationName(scans[0]?.file.path ?? path));
  // If the main file lost its pixels, the first frame of a continuation file is not the first of the acquisition.
  if (frames === null || scans[0]?.planes.size === 0) {
    throw new DecodeFailed(explainNoPixels(scans, documents));
  }
  const { count } = frames;
  const geometry = documents.geometry();
  const metadata = readOirMetadata(scans, parser);
  const { properties } = metadata;
  const image = describeMainImage(scans, frames, geometry, metadata);
  const { channels, layout } = image;
  const missing = layout.lineScan
    ? []
    : warnAboutMissingFrames(image, countIntendedFrames(frames, properties), files.stop);
  const stamps = documents.stamps(frames.first, count.t);
  const steps = readAxisSteps(frames, documents, metadata, {
    lineScan: layout.lineScan,
    isStamped: stamps !== null,
  });
  const reference = readOirReference(scans, geometry, metadata, files.stop);
  const sizes = { T: count.t, L: count.l, C: channels.length, Z: count.z, Y: layout.rows, X: geometry.width };
  return {
    axes: buildAxes(sizes, steps.calibrations),
    channels,
    ...findMoment(properties.created),
    files: () => scans.map(({ file }) => file.path),
    fileSize: scans.reduce((sum, scan) => sum + scan.file.size, 0),
    reference: reference.reference,
    lineScan: layout.lineScan
      ? {
        ...buildLineScan(steps.calibrations.Y, convertStep(properties.pixelTime, "us")),
        bidirectional: properties.roundtrip,
      }
      : null,
    warnings: [
      ...set.warnings,
      ...scans.flatMap(({ warnings }) => warnings),
      ...parser.warnings,
      ...image.warnings,
      ...missing,
      ...steps.warnings,
      ...reference.warnings,
    ],
    stamps,
    indexBytes: scans.reduce((sum, { bytes }) => sum + bytes, 0),
    documents: (list) => addOirDocuments(list, scans),
    plan: (...wanted) => Promise.try(() => planOirPlanes(image, wanted, files.stop)),
  };
}

function explainNoPixels(scans: readonly FileScan[], documents: FrameDocuments): string {
  const damage = scans.map((scan) => scan.damage.text).find((text) => text !== null);
  if (damage) return `the main image has no readable pixels: ${damage}`;
  if (scans[0]?.frames.length === 0) return "the main image has no pixels";
  const { width, height } = documents.geometry();
  return `the file describes ${width} x ${height} pixels without storing them, as overview maps do`;
}

/** Number of planned frames of the acquisition. */
function countIntendedFrames({ count: { t, l, z } }: StoredFrames, { axes }: ImageProperties): number {
  const along = (axis: string, stored: number) => Math.max(axes.get(axis)?.maxSize ?? 1, stored);
  return along("TIMELAPSE", t) * along("LAMBDA", l) * along("ZSTACK", z);
}

/** Milliseconds from which on intervals are those of frames: 30 frames per second take 33 ms. An unused scanner states such ones. */
const LONGEST_LINE_INTERVAL = 30;

/** Milliseconds per line: the interval of the scanner in use, else the shortest in the file; `null` if it states none. */
function findLinePeriod({ properties, channelIntervals }: OirMetadata): number | null {
  const ofLine = (v: number | null) => v !== null && v > 0 && v < LONGEST_LINE_INTERVAL;
  if (ofLine(properties.seriesInterval)) return properties.seriesInterval;
  return [...properties.seriesIntervals, ...channelIntervals()].filter(ofLine).sort((a, b) => a - b)[0] ??
    null;
}

/**
 * Stated steps along all axes. Those of L and Z come from the positions of the first two frames along the axis, else from the
 * configured axis. That of T is not used if frames have times, since an unused scanner states one, too; nor if the axis does not run
 * freely, since its step then has no known unit.
 */
function readAxisSteps(
  { first, count }: StoredFrames,
  documents: FrameDocuments,
  metadata: OirMetadata,
  { lineScan, isStamped }: { readonly lineScan: boolean; readonly isStamped: boolean },
): { calibrations: Partial<Record<AxisLetter, Calibration>>; warnings: Warning[] } {
  const { axes, pixel, seriesInterval } = metadata.properties;
  const between = (letter: "l" | "z", axis: PositionAxis): number | null => {
    if (count[letter] < 2) return null;
    const from = documents.position(first, axis);
    const to = documents.position({ ...first, [letter]: first[letter] + 1 }, axis);
    return from === null || to === null || from === to ? null : Math.abs(to - from);
  };
  const step = (axis: PositionAxis) => axes.get(axis)?.step ?? null;
  const doubts: Warning[] = [];
  const time = !isStamped && !step("TIMELAPSE") ? seriesInterval : null;
  const period = lineScan ? findLinePeriod(metadata) : null;
  const text = "The file does not state the time of a line: rows have the spatial step instead";
  return {
    calibrations: {
      T: statedStep("T", time, "ms", doubts) ?? UNCALIBRATED,
      L: convertStep(between("l", "LAMBDA") ?? Math.abs(step("LAMBDA") ?? 0), "nm"),
      Z: statedStep("Z", between("z", "ZSTACK") ?? step("ZSTACK"), "um", doubts) ?? UNCALIBRATED,
      Y: period === null ? pixel.y : convertStep(period, "ms"),
      X: pixel.x,
    },
    warnings: [
      ...warnIf(lineScan && period === null, "step_unknown", text),
      ...metadata.properties.warnings,
      ...doubts,
    ],
  };
}
