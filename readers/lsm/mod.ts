/**
 * Zeiss LSM, as AIM and ZEN write it: a little-endian TIFF whose first page has a record of its own.
 *
 *   header      8 bytes, as of any TIFF; then directories, each of a page
 *   pages       planes, each followed by a thumbnail (NewSubfileType 1), which is never read
 *   plane       its samples are channels, each in its own strips; raw, or LZW without stated lengths
 *   CZ_LSMINFO  in the first page: sizes, scan type, pixel size, offsets of the parts below
 *   parts       colours and names, time stamps, events, drawings, a tree that describes the recording
 *
 * The scan type decides what the rows are: space, focus (sections) or time (line scans), and along which axes the planes
 * are counted: tiles and positions, each a scene, then time, then focus. Offsets above 4 GB wrap around.
 *
 * Refused: sizes that differ from those of the first page, compression other than LZW, tiles, samples of other than 8, 16 or
 * 32 bits. Planes that were never written are missing, lines that were not are left out; a damaged part gives a warning.
 */
import { DecodeFailed, reasonOf } from "../errors.ts";
import { calibrated, calibrationsOf } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import { firstMoment } from "../metadata/moment.ts";
import { meanStep, timesFrom } from "../metadata/time_stamps.ts";
import { type Acquisition, type Scenes, sizesOf, type Source } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { tagMoment } from "../tiff/opened.ts";
import type { Stack } from "../tiff/stack.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { type Warning, warning } from "../warning.ts";
import { type Dimensions, dimensionsOf, planeCount, writtenOrder } from "./dimensions.ts";
import { type InfoRecord, readInfoRecord } from "./info_record.ts";
import { readLsmPage } from "./lsm_page.ts";
import { PageList, StripOffsets } from "./page_list.ts";
import { addDocuments, type ChannelColors, readChannelColors, readTimeStamps } from "./parts.ts";
import { LsmPlanes } from "./planes.ts";
import { readScanInformation, type Recording, recordingOf, UNKNOWN_RECORDING } from "./scan_information.ts";

/** Opens an LSM file. @throws {DecodeFailed} it is damaged or refused */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => new LsmFile(source).scenes());
}

/** Metadata beside the record. */
interface Parts {
  readonly colors: ChannelColors;
  readonly stamps: Float64Array | null;
  readonly recording: Recording;
}

/** One opened file. */
class LsmFile {
  readonly #source: Source;
  readonly #tiff: TiffFile;
  readonly #record: InfoRecord;
  readonly #dimensions: Dimensions;
  readonly #planes: LsmPlanes;
  readonly #parts: Parts;
  /** Heap of the list of pages. */
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
    const offsets = StripOffsets.of(tiff, pages, () => writtenOrder(dimensions), files.stop);
    this.#source = source;
    this.#tiff = tiff;
    this.#record = record;
    this.#dimensions = dimensions;
    this.#planes = new LsmPlanes(tiff, { pages, offsets, first: page, dimensions });
    this.#warnings.push(
      ...dimensions.warnings,
      ...pages.warnings,
      ...countWarnings(dimensions, pages.planes.length),
    );
    this.#parts = this.#readParts();
    this.#indexBytes = tiff.indexBytes + pages.indexBytes + offsets.indexBytes + this.#planes.indexBytes;
  }

  scenes(): Scenes {
    const { P, M, T, Z } = this.#dimensions;
    const declared = P * M;
    // Positions are stored one after the other, so the last ones lack pages.
    const count = Math.min(declared, Math.max(1, Math.ceil(this.#planes.held / (T * Z))));
    const single = count === 1 ? this.#open(0) : null;
    const sizes = sizesOf((single ?? this.#open(0)).axes);
    return {
      count,
      own: 0,
      warnings: count < declared
        ? [
          warning(
            "scenes_left_out",
            `${declared - count} of ${declared} declared positions hold no planes and are left out`,
          ),
        ]
        : [],
      entries: (most) => Array.from({ length: Math.min(count, most) }, () => ({ name: null, sizes })),
      open: (scene) => Promise.try(() => single ?? this.#open(scene)),
    };
  }

  /** Reads the structures that the record points to. */
  #readParts(): Parts {
    const { channelColors, timeStamps, scanInformation } = this.#record.offsets;
    const tiff = this.#tiff;
    const colors = this.#noted(
      "The channel colours",
      channelColors,
      () => readChannelColors(tiff, channelColors),
    );
    const stamps = this.#noted("The time stamps", timeStamps, () => readTimeStamps(tiff, timeStamps));
    const scan = this.#noted(
      "The scan information",
      scanInformation,
      () => readScanInformation(tiff, scanInformation),
    );
    return {
      colors: colors ?? { colors: [], names: [] },
      stamps,
      recording: scan ? recordingOf(scan) : UNKNOWN_RECORDING,
    };
  }

  /** Reads a part; `null` if it is absent, and with a warning if it is damaged. */
  #noted<T>(what: string, offset: number, read: () => T): T | null {
    if (offset === 0) return null;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      this.#warnings.push(warning("metadata_damaged", `${what} cannot be read: ${reasonOf(error)}`));
      return null;
    }
  }

  #open(scene: number): Acquisition {
    const planes = this.#planes;
    const stack = this.#stack(scene);
    const stamps = this.#stamps();
    const whole = acquisitionOf(stack, this.#tiff.first, this.#source.files.stop);
    const held = this.#dimensions.rows === "T" ? stamps?.subarray(0, stack.layout.height) ?? null : stamps;
    const channels = whole.channels.map((channel, index) => ({
      ...channel,
      sampleType: planes.samples[index]?.sampleType ?? channel.sampleType,
    }));
    return { ...whole, channels, times: timesFrom(held) };
  }

  #stack(scene: number): Stack {
    const record = this.#record;
    const { T, Z, rows } = this.#dimensions;
    const planes = this.#planes;
    const { colors, recording } = this.#parts;
    const { calibrations, warnings } = this.#steps(planes.first.height);
    const { first } = this.#tiff;
    const names = colors.names.some((name) => name !== "") ? colors.names : recording.channelNames;
    return {
      sizes: { T, Z, C: planes.separate ? planes.samples.length : 1 },
      layout: planes.layout(scene),
      calibrations,
      lineScan: rows === "T"
        ? {
          ...lineScanOf(calibrations.Y, calibrated(recording.pixelTime, "us")),
          bidirectional: recording.bidirectional,
        }
        : null,
      ...rows === "T" && { plannedLines: planes.first.height },
      names: planes.samples.map((_, i) => names[i] ?? null),
      colors: planes.samples.map((_, i) => colors.colors[i] ?? null),
      moment: firstMoment(recording.start, tagMoment(first)),
      fileSize: this.#tiff.file.size,
      warnings: [...this.#warnings, ...warnings],
      indexBytes: this.#indexBytes,
      documents: (list) => addDocuments(list, this.#tiff, record),
      plane: ({ t, z, channel }) => planes.plane({ scene, t, z }, channel),
    };
  }

  /** Time stamps, if there is one for each time point, or for each line of a line scan. */
  #stamps(): Float64Array | null {
    const { rows, T } = this.#dimensions;
    const { stamps } = this.#parts;
    return stamps?.length === (rows === "T" ? this.#planes.first.height : T) ? stamps : null;
  }

  /** Steps of all axes; `lines` is the number of time points of a line scan. */
  #steps(lines: number): { calibrations: Stack["calibrations"]; warnings: Warning[] } {
    const { voxel, timeInterval, sizes } = this.#record;
    const { rows } = this.#dimensions;
    const between = rows === "T" ? this.#parts.recording.timeBetweenStacks : null;
    const seconds = meanStep(this.#stamps()) ?? (timeInterval > 0 ? timeInterval : between);
    const depth = sizes.Z > 1 && voxel.z > LEAST_DEPTH ? voxel.z : null;
    const row: readonly [number | null, string] = rows === "T"
      ? [seconds, "s"]
      : [rows === "Z" ? depth : voxel.y, "m"];
    const unknown = rows === "T" && seconds === null && lines > 1
      ? [warning("step_unknown", "The file does not state the line time")]
      : [];
    return {
      calibrations: calibrationsOf({ T: [seconds, "s"], Z: [depth, "m"], Y: row, X: [voxel.x, "m"] }),
      warnings: unknown,
    };
  }
}

/** Metres; an unused axis has less. */
const LEAST_DEPTH = 1e-12;

function countWarnings(dimensions: Dimensions, held: number): Warning[] {
  const declared = planeCount(dimensions);
  if (held === declared) return [];
  const planes = declared === 1 ? "one plane" : `${declared} planes`;
  const found = held > declared ? "more" : held === 1 ? "one" : held;
  const text = `${tagName(TAG.CZ_LSMINFO)} declares ${planes}, but the file holds ${found}`;
  return [warning("planes_missing", text)];
}
