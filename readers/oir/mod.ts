/**
 * Olympus and Evident OIR, as FluoView and LEXT write it. Little-endian, nothing is compressed.
 *
 *     0              "OLYMPUSRAWFORMAT", at 32 u64 size when closed, at 40 u64 offset of the index   96 bytes
 *     96             blocks without gaps: u32 payload length, u32 kind, payload
 *                      0 XML documents, each after its u32 length    1 one frame document: width, height, depth
 *                      3 tag: u32 place in the plane, u32 length, u32 name length, name of the chunk
 *                      4 pixels: the chunk that the tag before it names       2 thumbnail    5 separator
 *     index offset   u32 0xFFFFFFFF, then a u64 offset per block
 *
 * A plane (time, wavelength, depth, channel) is cut into chunks, those of the channels may alternate. Chunks named
 * `REF_` are the reference image. A line scan is one plane per channel with a row per line. Long acquisitions go on
 * in `<stem>_00001` and so on.
 *
 * Refused: overview maps without pixels; samples of other than 1, 2 or 4 bytes; a frame whose wanted plane is
 * incomplete; a continuation file without its main file; archives (POIR, MPOIR) and mosaics (OMP2INFO) of OIR files.
 */
import { basename } from "node:path";
import { axesOf, type Calibration } from "../axes.ts";
import { DecodeFailed } from "../errors.ts";
import type { Acquisition, AxisLetter, OpenAcquisition, Source } from "../reader.ts";
import { SAMPLE_BYTES } from "../to_float32.ts";
import { frameSteps, linePeriod } from "./calibration.ts";
import { COLOURS } from "./camera_channels.ts";
import type { FileScan } from "./file_scan.ts";
import { scanFileSet } from "./file_set.ts";
import { DocumentParser } from "./documents.ts";
import { FrameDocuments, type FrameGeometry } from "./frame_documents.ts";
import {
  channelsOf,
  checkPlaneSize,
  completeRows,
  orderedIds,
  planeOf,
  type RowLayout,
  rowLayout,
  sampleTypeOf,
  type StoredFrames,
  storedFrames,
} from "./main_image.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { missingPlanes } from "./missing_planes.ts";
import { frameAt, planPlanes } from "./plane_plan.ts";
import { referenceImage } from "./reference_image.ts";

/** Opens an OIR file with its continuation files. @throws {DecodeFailed} it is damaged or refused */
export const open: OpenAcquisition = (source) => Promise.try(describe, source);

function describe({ path, files }: Source): Acquisition {
  const { scans, warnings } = scanFileSet(path, files);
  const parser = new DocumentParser();
  const documents = new FrameDocuments(scans, parser, files.stop);
  const frames = storedFrames(scans);
  // Where the main file lost its pixels, the first frame of a continuation file is not the first of the acquisition.
  const lost = scans[0]!.planes.size === 0;
  if (frames.t.length === 0 || lost) throw new DecodeFailed(noPixels(scans, documents));

  const geometry = documents.geometry();
  const sampleType = sampleTypeOf(geometry.depth);
  checkPlaneSize(1, geometry.width);
  const metadata = readMetadata(scans, parser, files.stop);
  const { properties } = metadata;
  const { ids, names, warning } = mainChannels(scans, geometry, metadata);

  const first = { t: frames.t[0]!, l: frames.l[0]!, z: frames.z[0]! };
  const storedRows = ids.map((id) => completeRows(planeOf(scans, first, id), geometry.width, sampleType));
  const layout = rowLayout({
    stored: storedRows,
    frames,
    geometry,
    properties,
    reference: scans.some((scan) => scan.reference.size > 0),
  });
  const channels = channelsOf(ids, names, sampleType, layout.rows, geometry.width);

  const period = layout.lineScan ? linePeriod(properties, metadata.channelIntervals()) : null;
  const calibrations: Partial<Record<AxisLetter, Calibration>> = {
    ...frameSteps(frames, documents, properties),
    Y: period ?? properties.pixel.y,
    X: properties.pixel.x,
  };
  const unknownPeriod = layout.lineScan && period === null
    ? ["The file does not say how long a line takes: rows have the spatial step instead of a time"]
    : [];
  const needed = layout.rows * geometry.width * SAMPLE_BYTES[sampleType];
  const missing = missingPlanes(scans, frames, ids, needed, files.stop);
  const reference = referenceImage(scans, {
    sampleType,
    camera: metadata.camera,
    properties,
    geometry,
    definitions: metadata.definitions,
  });
  return {
    axes: axesOf({
      T: frames.t.length,
      L: frames.l.length,
      C: ids.length,
      Z: frames.z.length,
      Y: layout.rows,
      X: geometry.width,
    }, calibrations),
    channels,
    ...dateAndTime(properties.created),
    fileSize: scans.reduce((sum, scan) => sum + scan.file.size, 0),
    reference: reference.reference,
    warnings: [
      ...warnings,
      ...scans.flatMap(scanWarnings),
      ...metadata.warnings,
      ...warning,
      ...layout.warnings,
      ...missingFrames(scans, frames, metadata, layout),
      ...(missing ? [missing] : []),
      ...unknownPeriod,
      ...reference.warnings,
    ],
    plan: (wanted, position) =>
      Promise.try(() => {
        const selected = wanted.map((index) => ({ id: ids[index]!, channel: channels[index]! }));
        return planPlanes(scans, selected, frameAt(frames, position), layout);
      }),
  };
}

function noPixels(scans: readonly FileScan[], documents: FrameDocuments): string {
  const damage = scans.map((scan) => scan.damage.text).find((text) => text !== null);
  if (damage) return `it holds no readable pixels of a main image: ${damage}`;
  if (scans[0]!.frames.length === 0) return "it holds no pixels of a main image";
  const { width, height } = documents.geometry();
  return `it describes ${width} x ${height} pixels and holds none, as overview maps do`;
}

interface MainChannels {
  readonly ids: readonly string[];
  readonly names: readonly (string | null)[];
  readonly warning: readonly string[];
}

function mainChannels(
  scans: readonly FileScan[],
  geometry: FrameGeometry,
  { properties, camera }: Metadata,
): MainChannels {
  const withPixels = new Set(scans.flatMap((scan) => [...scan.channelSlots.keys()]));
  const ids = orderedIds(withPixels, properties);
  const named = (id: string) => properties.channels.get(id) ?? null;
  if (!geometry.rgb) return { ids, names: ids.map(named), warning: [] };
  const names = ids.map((id) => camera.names.get(id) ?? named(id));
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) {
    return { ids, names, warning: [] };
  }
  return {
    ids,
    names: COLOURS,
    warning: [
      "The file does not say which component has which colour; they are named in the order of their ids",
    ],
  };
}

function scanWarnings({ file, warnings, damage }: FileScan): string[] {
  return damage.text === null
    ? [...warnings]
    : [...warnings, `"${basename(file.path)}" is damaged: ${damage.text}`];
}

/** Fewer frames than intended: the acquisition was interrupted, or a continuation file is missing. */
function missingFrames(
  scans: readonly FileScan[],
  frames: StoredFrames,
  { properties }: Metadata,
  { lineScan }: RowLayout,
): string[] {
  if (lineScan) return [];
  const along = (axis: string, stored: readonly number[]) =>
    Math.max(properties.axes.get(axis)?.maxSize ?? 1, stored.length);
  const intended = along("TIMELAPSE", frames.t) * along("LAMBDA", frames.l) * along("ZSTACK", frames.z);
  const stored = scans.reduce((sum, scan) => sum + scan.planes.size, 0);
  return stored < intended
    ? [
      `${stored} of ${intended} frames are stored: the acquisition was interrupted or a continuation file is missing`,
    ]
    : [];
}

/** `YYYYMMDD` and `HH:MM:SS` of an ISO 8601 text as written, without conversion of the time zone. */
function dateAndTime(created: string | null): { date: string; time: string } {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})/.exec(created ?? "");
  return match ? { date: `${match[1]}${match[2]}${match[3]}`, time: match[4]! } : { date: "", time: "" };
}
