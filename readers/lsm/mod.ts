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
import { calibrated, calibrationsOf } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import { firstMoment } from "../metadata/moment.ts";
import { meanStep, timesFrom } from "../metadata/time_stamps.ts";
import { type Acquisition, type Scenes, sizesOf, type Source } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { type Stack, tagMoment } from "../tiff/stack.ts";
import { countWarnings } from "../tiff/stored_planes.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { unlessLost, type Warning, warning } from "../warning.ts";
import {
  type Dimensions,
  dimensionsOf,
  type InfoRecord,
  planeCount,
  readInfoRecord,
  writtenOrder,
} from "./info_record.ts";
import { hasOwnStrips, type LsmPage, readLsmPage } from "./lsm_page.ts";
import { addDocuments, type ChannelColors, readChannelColors, readTimeStamps } from "./parts.ts";
import { LsmPlanes, PageList, StripOffsets } from "./planes.ts";
import { readScanInformation, type Recording, recordingOf, UNKNOWN_RECORDING } from "./scan_information.ts";

/** Opens an LSM file. @throws {DecodeFailed} it is damaged or not supported */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => new LsmFile(source).scenes());
}

/** One opened file. */
class LsmFile {
  readonly #source: Source;
  readonly #tiff: TiffFile;
  readonly #record: InfoRecord;
  readonly #dimensions: Dimensions;
  readonly #page: LsmPage;
  readonly #planes: LsmPlanes;
  /** Number of planes, including those that were never written. */
  readonly #held: number;
  readonly #colors: ChannelColors;
  readonly #stamps: Float64Array | null;
  readonly #recording: Recording;
  /** Heap of the page list. */
  readonly #indexBytes: number;
  readonly #warnings: Warning[] = [];

  constructor(source: Source) {
    const { path, files } = source;
    const tiff = new TiffFile(files.open(path), files);
    const { first } = tiff;
    const record = readInfoRecord(tiff, first);
    const page = readLsmPage(tiff, first);
    const { M, P, T, Z } = record.sizes;
    const pages = new PageList(tiff, M * P * T * Z);
    const dimensions = dimensionsOf(record, page, pages.planes.length);
    const offsets = new StripOffsets(tiff, pages, () => writtenOrder(dimensions), files.stop);
    this.#source = source;
    this.#tiff = tiff;
    this.#record = record;
    this.#dimensions = dimensions;
    this.#page = page;
    this.#held = pages.planes.length;
    this.#planes = new LsmPlanes(tiff, { pages, offsets, first: page, dimensions });
    this.#warnings.push(
      ...dimensions.warnings,
      ...pages.warnings,
      ...countWarnings(tagName(TAG.CZ_LSMINFO), planeCount(dimensions), pages.planes.length),
    );
    this.#colors = this.#part("The channel colours", "channelColors", readChannelColors) ??
      { colors: [], names: [] };
    const stamps = this.#part("The time stamps", "timeStamps", readTimeStamps);
    // There must be one stamp per time point, or per line of a line scan.
    const expected = dimensions.rows === "T" ? page.height : dimensions.T;
    this.#stamps = stamps?.length === expected ? stamps : null;
    const scan = this.#part("The scan information", "scanInformation", readScanInformation);
    this.#recording = scan ? recordingOf(scan) : UNKNOWN_RECORDING;
    this.#indexBytes = tiff.indexBytes + pages.indexBytes + offsets.indexBytes + this.#planes.indexBytes;
  }

  /** Reads a part that the record points to; `null` if it is absent, or if it is damaged, with a warning. */
  #part<T>(
    what: string,
    name: keyof InfoRecord["offsets"],
    read: (tiff: TiffFile, offset: number) => T,
  ): T | null {
    const offset = this.#record.offsets[name];
    return offset === 0 ? null : unlessLost(this.#warnings, what, () => read(this.#tiff, offset));
  }

  scenes(): Scenes {
    const { P, M, T, Z } = this.#dimensions;
    const declared = P * M;
    // Positions are stored one after the other, so missing pages are those of the last positions.
    const count = Math.min(declared, Math.max(1, Math.ceil(this.#held / (T * Z))));
    const first = this.#open(0);
    const sizes = sizesOf(first.axes);
    const text = `${declared - count} of ${declared} declared positions hold no planes and are left out`;
    return {
      count,
      own: 0,
      warnings: count < declared ? [warning("scenes_left_out", text)] : [],
      entries: (most) => Array.from({ length: Math.min(count, most) }, () => ({ name: null, sizes })),
      open: (scene) => Promise.try(() => scene === 0 ? first : this.#open(scene)),
    };
  }

  #open(scene: number): Acquisition {
    const stack = this.#stack(scene);
    const whole = acquisitionOf(stack, this.#tiff.first, this.#source.files.stop);
    const stamps = this.#dimensions.rows === "T"
      ? this.#stamps?.subarray(0, stack.layout.height) ?? null
      : this.#stamps;
    const channels = whole.channels.map((channel, index) => ({
      ...channel,
      sampleType: this.#page.samples[index]?.sampleType ?? channel.sampleType,
    }));
    return { ...whole, channels, times: timesFrom(stamps) };
  }

  #stack(scene: number): Stack {
    const record = this.#record;
    const { T, Z, rows } = this.#dimensions;
    const page = this.#page;
    const { pixelTime, bidirectional, channelNames, start } = this.#recording;
    const calibrations = this.#steps();
    const names = this.#colors.names.some((name) => name !== "") ? this.#colors.names : channelNames;
    const { height, samples } = page;
    const isUnknown = rows === "T" && calibrations.Y === undefined && height > 1;
    const unknown = warning("step_unknown", "The file does not state the line time");
    return {
      sizes: { T, Z, C: hasOwnStrips(page) ? samples.length : 1 },
      layout: this.#planes.layout(scene),
      calibrations,
      ...rows === "T" && {
        lineScan: { ...lineScanOf(calibrations.Y, calibrated(pixelTime, "us")), bidirectional },
        plannedLines: height,
      },
      names: samples.map((_, i) => names[i] ?? null),
      colors: samples.map((_, i) => this.#colors.colors[i] ?? null),
      moment: firstMoment(start, tagMoment(this.#tiff.first)),
      fileSize: this.#tiff.file.size,
      warnings: [...this.#warnings, ...isUnknown ? [unknown] : []],
      indexBytes: this.#indexBytes,
      documents: (list) => addDocuments(list, this.#tiff, record),
      plane: ({ t, z, channel }) => this.#planes.plane({ scene, t, z }, channel),
    };
  }

  /** Steps of all axes. The rows of a line scan have steps in seconds. */
  #steps(): Stack["calibrations"] {
    const { voxel, timeInterval, sizes } = this.#record;
    const { rows } = this.#dimensions;
    const between = rows === "T" ? this.#recording.timeBetweenStacks : null;
    const seconds = meanStep(this.#stamps) ?? (timeInterval > 0 ? timeInterval : between);
    const depth = sizes.Z > 1 && voxel.z > LEAST_DEPTH ? voxel.z : null;
    return calibrationsOf({
      T: [seconds, "s"],
      Z: [depth, "m"],
      Y: rows === "T" ? [seconds, "s"] : [rows === "Z" ? depth : voxel.y, "m"],
      X: [voxel.x, "m"],
    });
  }
}

/** Smallest step along Z in metres; for an unused axis programs write less. */
const LEAST_DEPTH = 1e-12;
