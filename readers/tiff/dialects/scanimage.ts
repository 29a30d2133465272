/**
 * ScanImage: how pages become time points, slices and channels. Frame stamps decide (`scanimage_stamps.ts`), then the header
 * (`scanimage_header.ts`), then the number of pages. Channels change fastest; `scanimage_axes.ts` has the order of frames.
 */
import { basename } from "node:path";
import { calibrationsOf } from "../../metadata/axes.ts";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Opened } from "../opened.ts";
import { type PageLayout, readPage } from "../page.ts";
import type { PlaneIndex, PlaneSource, Stack } from "../stack.ts";
import { StoredPlanes } from "../stored_planes.ts";
import { averagedFrames, FrameAxes, type FrameOrder, frameOrder, sliceStep } from "./scanimage_axes.ts";
import { addScanImageDocuments, ScanImageHeader } from "./scanimage_header.ts";
import { joinedLines, lineScanOf, lineScanReason, lineScanWarnings } from "./scanimage_lines.ts";
import { AcquiredFrames } from "./scanimage_parts.ts";
import { regionsOf } from "./scanimage_regions.ts";
import { FileFrames } from "./scanimage_stamps.ts";
import { framesOfSlice, frameTiming, storedPeriod } from "./scanimage_times.ts";

/** The stack of a ScanImage file and of the other parts of its acquisition, or `null`. */
export function openScanImage(opened: Opened): Stack | null {
  const header = ScanImageHeader.read(opened);
  if (header === null) return null;
  const lines = lineScanReason(opened, header);
  if (lines !== null) {
    throw new DecodeFailed(
      `it belongs to a recording of ScanImage along arbitrary lines (${lines}): its samples are in the .pmt.dat file, ` +
        "which is not read, and its pages are no image",
    );
  }
  return new ScanImageStack(opened, header).stack();
}

/** Puts together what header, stamps and files say. */
class ScanImageStack {
  readonly #opened: Opened;
  readonly #header: ScanImageHeader;
  readonly #file: FileFrames;
  readonly #layout: PageLayout;
  readonly #order: FrameOrder;
  readonly #acquired: AcquiredFrames;
  readonly #axes: FrameAxes;
  readonly #warnings: Warning[] = [];
  readonly #saved: readonly number[] | null;

  constructor(opened: Opened, header: ScanImageHeader) {
    this.#opened = opened;
    this.#header = header;
    this.#saved = header.savedChannels();
    this.#layout = readPage(opened.first);
    const averaged = averagedFrames(header);
    const file = new FileFrames(opened.tiff, this.#saved?.length ?? null, averaged);
    this.#file = file;
    this.#order = framesOfSlice(frameOrder(header), file);
    const { fast, slices } = this.#order;
    const slow = !fast && slices !== 1;
    this.#acquired = new AcquiredFrames(opened, { header, frames: file, averaged, slow });
    this.#axes = new FrameAxes(this.#order, this.#acquired.span);
    this.#warnings.push(
      ...this.#assumptions(),
      ...file.warnings,
      ...this.#order.warnings,
      ...this.#acquired.warnings,
      ...this.#countWarnings(),
    );
  }

  stack(): Stack {
    const header = this.#header;
    const { width, height } = this.#layout;
    const timing = frameTiming({
      header,
      order: this.#order,
      axes: this.#axes,
      acquired: this.#acquired,
      file: this.#file,
    });
    const regions = regionsOf(header);
    const pixel = regions === null ? header.pixelSize(width, height) : regions.pixel;
    const lineScan = lineScanOf(header);
    const secondsPerLine = lineScan?.secondsPerLine ?? null;
    const joins = secondsPerLine !== null && !this.#acquired.isSplit && this.#axes.slices === 1;
    const joined = joins ? joinedLines(this.#file, this.#layout, secondsPerLine) : null;
    const lines = lineScan === null || joined !== null ? [] : lineScanWarnings(lineScan, height, {
      frames: this.#axes.times,
      period: storedPeriod(header, this.#order, this.#file),
    });
    const zWarnings: Warning[] = [];
    const zStep = sliceStep(header, this.#axes.slices, zWarnings);
    const { channels } = this.#file;
    return {
      sizes: { T: joined ? 1 : this.#axes.times, C: channels, Z: this.#axes.slices },
      layout: joined?.layout ?? this.#layout,
      calibrations: calibrationsOf({
        X: [pixel?.x, "um"],
        Y: lineScan === null ? [pixel?.y, "um"] : [secondsPerLine, "s"],
        Z: [zStep, "um"],
        T: [timing.step, "s"],
      }),
      names: this.#saved?.length === channels ? header.namesOf(this.#saved) : [],
      times: joined ? null : timing.times,
      lineScan,
      documents: (list) => addScanImageDocuments(list, this.#opened),
      moment: header.moment(this.#opened),
      fileSize: this.#acquired.fileSize,
      files: () => this.#acquired.paths,
      warnings: [
        ...this.#warnings,
        ...joined ? [] : timing.warnings,
        ...zWarnings,
        ...lines,
        ...regions?.warning ? [regions.warning] : [],
      ],
      indexBytes: this.#acquired.indexBytes,
      holds: (index) => joined !== null || this.#page(index) !== null,
      plane: (index) => joined?.plane(index.channel) ?? this.#plane(index),
    };
  }

  /** File, path and number of the page of a plane; `null` where it is not stored. */
  #page({ t, z, channel }: PlaneIndex) {
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
        `plane ${number} is missing: no file that is here holds T=${t} C=${channel} Z=${z}`,
      );
    }
    const { file, path, page } = found;
    const name = path === this.#opened.path ? {} : { name: basename(path) };
    return { ...name, ...StoredPlanes.listed(file.tiff, this.#layout, file.offsets).plane(page) };
  }

  #assumptions(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#saved === null) {
      const { channels } = this.#file;
      const read = channels === 1 ? "those of one" : `those of ${channels}, as frame stamps show`;
      const text =
        `The metadata of ScanImage do not say which channels were saved; pages are read as ${read}`;
      warnings.push(warning("axes_assumed", text));
    }
    if (this.#order.counted === true && this.#acquired.span > 1) {
      const text = "The header of ScanImage says neither how many frames nor how many slices there are";
      warnings.push(warning("axes_assumed", `${text}; pages are time points`));
    }
    return warnings;
  }

  /** One warning where the header announces more than is stored, or the last volume is cut. */
  #countWarnings(): Warning[] {
    const { times, slices } = this.#axes;
    const { span } = this.#acquired;
    const { announced, perVolume } = this.#order;
    const { channels } = this.#file;
    if (announced !== null && announced > span) {
      const parts = perVolume === null || span % perVolume !== 0
        ? [announced, span, "frames"]
        : [announced / perVolume, span / perVolume, "volumes"];
      const [more, there, unit] = parts;
      return [warning("planes_missing", `The header announces ${more} ${unit}, ${there} are stored here`)];
    }
    const { unproven } = this.#axes;
    if (unproven > 0) {
      const text = `The header declares a volume of ${perVolume} frames, the file ends after ${span}`;
      return [
        warning(
          "metadata_disagree",
          `${text}; ${unproven} behind the slices are taken as those of the way back`,
        ),
      ];
    }
    const isLong = this.#acquired.isSplit && span * channels > MAX_TIMES;
    if (this.#acquired.warnings.length > 0 || isLong) return [];
    const planes = channels * slices * times;
    const stored = this.#storedPlanes();
    if (stored === planes) return [];
    const text = `The description declares ${planes} planes, but the file holds ${stored}`;
    return [warning("planes_missing", text)];
  }

  /** Planes within the sizes that are stored. */
  #storedPlanes(): number {
    const { times, slices } = this.#axes;
    const { channels } = this.#file;
    let stored = 0;
    for (let t = 0; t < times; t += 1) {
      for (let z = 0; z < slices; z += 1) {
        for (let channel = 0; channel < channels; channel += 1) {
          if (this.#page({ t, z, l: 0, channel }) !== null) stored += 1;
        }
      }
    }
    return stored;
  }
}
