/**
 * ScanImage: how pages become time points, slices and channels. Frame stamps decide (`scanimage_stamps.ts`), then the header
 * (`scanimage_header.ts`), then the number of pages. Channels change fastest; `scanimage_axes.ts` has the order of frames.
 */
import { basename } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Opened } from "../opened.ts";
import { type PageLayout, readPage } from "../page.ts";
import type { PlaneIndex, PlaneSource, Stack } from "../stack.ts";
import { listedPlanes } from "../stored_planes.ts";
import {
  averagedFrames,
  FrameAxes,
  type FrameOrder,
  frameOrder,
  sliceStep,
  stampedOrder,
} from "./scanimage_axes.ts";
import { addScanImageDocuments, ScanImageHeader } from "./scanimage_header.ts";
import { joinedLines, lineScanOf, lineScanReason, lineScanWarnings } from "./scanimage_lines.ts";
import { AcquiredFrames } from "./scanimage_parts.ts";
import { regionsOf } from "./scanimage_regions.ts";
import { FileFrames } from "./scanimage_stamps.ts";
import { frameTiming, storedPeriod } from "./scanimage_times.ts";

/** The stack of a ScanImage file and of the other parts of its acquisition, or `null`. */
export function openScanImage(opened: Opened): Stack | null {
  const header = ScanImageHeader.read(opened);
  if (header === null) return null;
  const reason = lineScanReason(opened, header);
  if (reason !== null) {
    throw new DecodeFailed(
      `it belongs to a recording of ScanImage along arbitrary lines (${reason}): its samples are in the .pmt.dat file, ` +
        "which is not read, and its pages do not show the sample",
    );
  }
  return new ScanImageStack(opened, header).stack();
}

/** Combines header, stamps and files. */
class ScanImageStack {
  readonly #opened: Opened;
  readonly #header: ScanImageHeader;
  readonly #file: FileFrames;
  readonly #layout: PageLayout;
  readonly #order: FrameOrder;
  readonly #acquired: AcquiredFrames;
  readonly #axes: FrameAxes;
  readonly #saved: readonly number[] | null;

  constructor(opened: Opened, header: ScanImageHeader) {
    this.#opened = opened;
    this.#header = header;
    this.#saved = header.savedChannels();
    this.#layout = readPage(opened.first);
    const averaged = averagedFrames(header);
    this.#file = new FileFrames(opened.tiff, this.#saved?.length ?? null, averaged);
    this.#order = stampedOrder(frameOrder(header), this.#file);
    const slow = !this.#order.fast && this.#order.slices !== 1;
    this.#acquired = new AcquiredFrames(opened, { header, frames: this.#file, averaged, slow });
    this.#axes = new FrameAxes(this.#order, this.#acquired.span);
  }

  stack(): Stack {
    const header = this.#header;
    const [order, axes, acquired, file] = [this.#order, this.#axes, this.#acquired, this.#file];
    const { width, height } = this.#layout;
    const timing = frameTiming({ header, order, axes, acquired, file });
    const regions = regionsOf(header);
    const pixel = regions === null ? header.pixelSize(width, height) : regions.pixel;
    const lineScan = lineScanOf(header);
    const secondsPerLine = lineScan?.secondsPerLine ?? null;
    const joins = secondsPerLine !== null && !acquired.isSplit && axes.slices === 1;
    const joined = joins ? joinedLines(file, this.#layout, secondsPerLine) : null;
    const period = storedPeriod(header, order, file);
    const lines = lineScan === null || joined !== null
      ? []
      : lineScanWarnings(lineScan, height, { frames: axes.times, period });
    const zWarnings: Warning[] = [];
    const zStep = sliceStep(header, axes.slices, zWarnings);
    return {
      sizes: { T: joined ? 1 : axes.times, C: file.channels, Z: axes.slices },
      layout: joined?.layout ?? this.#layout,
      calibrations: calibrationsOf({
        X: [pixel?.x, "um"],
        Y: lineScan === null ? [pixel?.y, "um"] : [secondsPerLine, "s"],
        Z: [zStep, "um"],
        T: [timing.step, "s"],
      }),
      names: this.#saved?.length === file.channels ? header.namesOf(this.#saved) : [],
      times: joined ? null : timing.times,
      lineScan,
      documents: (list) => addScanImageDocuments(list, this.#opened),
      moment: header.moment(this.#opened),
      fileSize: acquired.fileSize,
      files: () => acquired.paths,
      warnings: [
        ...this.#assumptions(),
        ...file.warnings,
        ...order.warnings,
        ...acquired.warnings,
        ...this.#countWarnings(),
        ...joined ? [] : timing.warnings,
        ...zWarnings,
        ...lines,
        ...regions?.warning ? [regions.warning] : [],
      ],
      indexBytes: acquired.indexBytes,
      holds: (index) => joined !== null || this.#page(index) !== null,
      plane: (index) => joined?.plane(index.channel) ?? this.#plane(index),
    };
  }

  /** File, path and number of the page of a plane; `null` where it is not stored. */
  #page({ t, z, channel }: Omit<PlaneIndex, "l">) {
    const found = this.#acquired.find(this.#axes.frame(t, z));
    if (found === null) return null;
    const { file, frame, path } = found;
    const page = frame * file.channels + channel;
    return page < file.offsets.length || page === 0 ? { file, path, page } : null;
  }

  #plane(index: PlaneIndex): PlaneSource {
    const found = this.#page(index);
    if (found === null) {
      const { t, z, channel } = index;
      const number = this.#axes.frame(t, z) * this.#file.channels + channel;
      throw new PlaneNotFound(
        `plane ${number} is missing: no existing file holds T=${t} C=${channel} Z=${z}`,
      );
    }
    const { file, path, page } = found;
    const name = path === this.#opened.path ? {} : { name: basename(path) };
    return { ...name, ...listedPlanes(file.tiff, this.#layout, file.offsets)(page) };
  }

  #assumptions(): Warning[] {
    const { channels } = this.#file;
    const read = channels === 1 ? "those of one" : `those of ${channels}, as frame stamps show`;
    const unsaved =
      `The metadata of ScanImage do not say which channels were saved; pages are read as ${read}`;
    const uncounted =
      "The header of ScanImage says neither how many frames nor how many slices there are; pages are time points";
    return [
      ...this.#saved === null ? [warning("axes_assumed", unsaved)] : [],
      ...this.#order.counted && this.#acquired.span > 1 ? [warning("axes_assumed", uncounted)] : [],
    ];
  }

  /** Warns when the header announces more than is stored, or a volume is cut. */
  #countWarnings(): Warning[] {
    const { announced, perVolume } = this.#order;
    const { span } = this.#acquired;
    if (announced !== null && announced > span) {
      const isWhole = perVolume !== null && span % perVolume === 0;
      const [unit, size] = isWhole ? ["volumes", perVolume] : ["frames", 1];
      const text = `The header announces ${announced / size} ${unit}, ${span / size} are stored here`;
      return [warning("planes_missing", text)];
    }
    const { unproven } = this.#axes;
    if (unproven > 0) {
      const text = `The header declares a volume of ${perVolume} frames, the file ends after ${span}`;
      const rest = `${unproven} after the slices are taken as those of the way back`;
      return [warning("metadata_disagree", `${text}; ${rest}`)];
    }
    const { channels } = this.#file;
    const isLong = this.#acquired.isSplit && span * channels > MAX_TIMES;
    if (this.#acquired.warnings.length > 0 || isLong) return [];
    const planes = channels * this.#axes.slices * this.#axes.times;
    const stored = this.#storedPlanes();
    if (stored === planes) return [];
    const text = `The description declares ${planes} planes, but the file holds ${stored}`;
    return [warning("planes_missing", text)];
  }

  /** Stored planes within the sizes. */
  #storedPlanes(): number {
    const { times, slices } = this.#axes;
    let stored = 0;
    for (let t = 0; t < times; t += 1) {
      for (let z = 0; z < slices; z += 1) {
        for (let channel = 0; channel < this.#file.channels; channel += 1) {
          if (this.#page({ t, z, channel }) !== null) stored += 1;
        }
      }
    }
    return stored;
  }
}
