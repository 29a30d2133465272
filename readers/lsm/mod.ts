/**
 * Zeiss LSM, as written by AIM and ZEN: a little-endian TIFF whose first page has a Zeiss record.
 *
 *   header      8 bytes, as in any TIFF; then one directory per page
 *   pages       planes, each followed by a thumbnail (NewSubfileType 1), which is never read
 *   plane       its samples are channels, each in its own strips; raw, or LZW without stated lengths
 *   CZ_LSMINFO  in the first page: sizes, scan type, pixel size, offsets of the parts below
 *   parts       colours and names, time stamps, events, drawings, a tree that describes the recording
 *
 * The scan type determines whether rows are space, focus (sections) or time (line scans), and along which axes the planes
 * are counted: tiles and positions, each a scene, then time, then focus. Offsets above 4 GB wrap around.
 *
 * Not supported: sizes other than those of the first page, compression other than LZW, tiles, samples of other than 8, 16 or
 * 32 bits. Planes that were never written are missing, unwritten lines are left out; a damaged part causes a warning.
 */
import { convertStep, selectCalibrations } from "../metadata/axes.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { chooseMoment } from "../metadata/moment.ts";
import { scaleStamps } from "../metadata/time_stamps.ts";
import { type Acquisition, type Scenes, sizesOf, type Source } from "../reader.ts";
import { describeStack } from "../tiff/acquisition.ts";
import { type Stack, tagMoment } from "../tiff/stack.ts";
import { warnAboutPlaneCount } from "../tiff/stored_planes.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { unlessLost, warnIf, type Warning } from "../warning.ts";
import { arrangeDimensions, type InfoRecord, orderAsWritten, readInfoRecord } from "./info_record.ts";
import {
  addLsmDocuments,
  collectRecording,
  readChannelColors,
  readLsmStamps,
  readScanInformation,
} from "./parts.ts";
import { hasOwnStrips, LsmPlanes, PageList, readLsmPage } from "./planes.ts";

/** Smallest step along Z in metres; for an unused axis programs write less. */
const LEAST_DEPTH = 1e-12;

/** Opens an LSM file. @throws {DecodeFailed} it is damaged or not supported */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => {
    const lsm = openLsm(source);
    const { P, M, T, Z } = lsm.dimensions;
    const declared = P * M;
    // Positions are stored one after the other, so missing pages are those of the last positions.
    const count = Math.min(declared, Math.max(1, Math.ceil(lsm.held / (T * Z))));
    const first = openLsmScene(lsm, 0);
    const sizes = sizesOf(first.axes);
    const text = `${declared - count} of ${declared} declared positions hold no planes and are left out`;
    return {
      count,
      own: 0,
      warnings: warnIf(count < declared, "scenes_left_out", text),
      entries: (most) => Array.from({ length: Math.min(count, most) }, () => ({ name: null, sizes })),
      open: (scene) => Promise.try(() => scene === 0 ? first : openLsmScene(lsm, scene)),
    };
  });
}

type OpenedLsm = ReturnType<typeof openLsm>;

function openLsm({ path, files }: Source) {
  const tiff = new TiffFile(files.open(path), files);
  const { first } = tiff;
  const record = readInfoRecord(tiff, first);
  const page = readLsmPage(tiff, first);
  const { M, P, T, Z } = record.sizes;
  const pages = new PageList(tiff, M * P * T * Z);
  const held = pages.planes.length;
  const dimensions = arrangeDimensions(record, page, held);
  pages.unwrap(orderAsWritten(dimensions), files.stop);
  const planes = new LsmPlanes(tiff, pages, page, dimensions);
  const declared = M * P * dimensions.T * dimensions.Z;
  const warnings = [
    ...dimensions.warnings,
    ...pages.warnings,
    ...warnAboutPlaneCount(tagName(TAG.CZ_LSMINFO), declared, held),
  ];
  // A part that the record points to; `null` if it is absent, or if it is damaged, with a warning.
  const part = <T>(
    what: string,
    name: keyof InfoRecord["offsets"],
    read: (tiff: TiffFile, offset: number) => T,
  ): T | null => {
    const offset = record.offsets[name];
    return offset === 0 ? null : unlessLost(warnings, what, () => read(tiff, offset));
  };
  const { colors, names } = part("The channel colours", "channelColors", readChannelColors) ??
    { colors: [], names: [] };
  const isTimed = dimensions.rows === "T" || dimensions.T > 1;
  const absent = [...isTimed ? ["timeStamps"] as const : [], "scanInformation" as const].filter((name) =>
    record.offsets[name] === 0 && record.holds(name)
  );
  const lacking = absent.map((name) => name === "timeStamps" ? "time stamps" : "scan information").join(
    " and no ",
  );
  const text = `${tagName(TAG.CZ_LSMINFO)} points to no ${lacking}`;
  warnings.push(...warnIf(absent.length > 0, "metadata_missing", text));
  const stamps = part("The time stamps", "timeStamps", readLsmStamps);
  const recording = collectRecording(part("The scan information", "scanInformation", readScanInformation));
  return {
    tiff,
    stop: files.stop,
    record,
    page,
    held,
    dimensions,
    planes,
    warnings,
    colors,
    names: names.some((name) => name !== "") ? names : recording.channelNames,
    stamps,
    recording,
    indexBytes: tiff.indexBytes + pages.indexBytes,
  };
}

function openLsmScene(lsm: OpenedLsm, scene: number): Acquisition {
  const { tiff, record, page, dimensions: { T, Z, rows }, planes, recording } = lsm;
  const isLine = rows === "T";
  const layout = planes.layout(scene);
  const doubts: Warning[] = [];
  const calibrations = readLsmSteps(lsm, doubts);
  const stack: Stack = {
    sizes: { T, Z, C: hasOwnStrips(page) ? page.samples.length : 1 },
    layout,
    calibrations,
    ...isLine && {
      lineScan: {
        ...buildLineScan(calibrations.Y, convertStep(recording.pixelTime, "us")),
        bidirectional: recording.bidirectional,
      },
      plannedLines: page.height,
    },
    names: page.samples.map((_, i) => lsm.names[i] ?? null),
    colors: page.samples.map((_, i) => lsm.colors[i] ?? null),
    moment: chooseMoment(recording.start, tagMoment(tiff.first)),
    fileSize: tiff.file.size,
    warnings: [
      ...lsm.warnings,
      ...doubts,
      ...warnIf(
        isLine && calibrations.Y === undefined && page.height > 1 && !lsm.stamps?.length,
        "step_unknown",
        "The file does not state the line time",
      ),
    ],
    indexBytes: lsm.indexBytes,
    documents: (list) => addLsmDocuments(list, tiff, record),
    plane: ({ t, z, channel }) => planes.plane({ scene, t, z }, channel),
  };
  const whole = describeStack(stack, tiff.first, lsm.stop);
  const channels = whole.channels.map((channel, index) => ({
    ...channel,
    sampleType: page.samples[index]?.sampleType ?? channel.sampleType,
  }));
  // An interrupted line scan has a stamp for each planned line.
  const isPlanned = isLine && lsm.stamps?.length === page.height;
  const stamps = isPlanned ? lsm.stamps!.subarray(0, layout.height) : lsm.stamps;
  return { ...whole, channels, stamps: scaleStamps(stamps) };
}

/** Steps of all axes. The rows of a line scan have steps in seconds. */
function readLsmSteps(
  { record, dimensions: { rows }, recording }: OpenedLsm,
  warnings: Warning[],
): Stack["calibrations"] {
  const { voxel, timeInterval, sizes } = record;
  const between = rows === "T" ? recording.timeBetweenStacks : null;
  const seconds = timeInterval > 0 ? timeInterval : between;
  const height = Math.abs(voxel.z);
  const depth = sizes.Z > 1 && (height > LEAST_DEPTH || height === 0) ? height : null;
  return selectCalibrations({
    T: [seconds, "s"],
    Z: [depth, "m"],
    Y: rows === "T" ? [seconds, "s"] : [rows === "Z" ? depth : voxel.y, "m"],
    X: [voxel.x, "m"],
  }, warnings);
}
