/**
 * Which time point and slice a frame of ScanImage belongs to. Frames of a slice come first, then slices, then volumes; a volume
 * that is scanned fast ends with frames that are taken while the lens returns, which are no slices.
 */
import { type Warning, warning } from "../../warning.ts";
import type { ScanImageHeader } from "./scanimage_header.ts";

/** How frames follow each other, counted in stored frames. */
export interface FrameOrder {
  /** True where a volume is scanned by a fast lens, false for a slow stack and a plain time series. */
  readonly fast: boolean;
  /** Frames of a slice; `null` where all of them are. */
  readonly perSlice: number | null;
  /** Slices of a volume; `null` where the header does not say. */
  readonly slices: number | null;
  /** Frames from one volume to the next, those of the way back included; `null` without volumes. */
  readonly perVolume: number | null;
  /** Frames that are averaged into a stored one. */
  readonly averaged: number;
  /** Frames that the header announces in all; `null` where it does not. */
  readonly announced: number | null;
  /** True where the header says neither how many frames nor how many slices there are. */
  readonly counted?: boolean;
  /** Where the header contradicts itself. */
  readonly warnings: readonly Warning[];
}

/** Frames that are averaged into a stored one. */
export function averagedFrames(header: ScanImageHeader): number {
  return header.count(["hScan2D.logAverageFactor", ...scannerKeys(header, "logAverageFactor")]) ??
    header.count(["acqNumAveragedFramesSaved", "acqNumAveragedFrames", "acq.numAvgFramesSave"]) ?? 1;
}

/** A key of the scanner in use, as version 2015 names it. */
function scannerKeys({ fields }: ScanImageHeader, key: string): string[] {
  const resonant = /res/i.test(fields.get("imagingSystem") ?? "");
  return [`${resonant ? "hResScan" : "hLinScan"}.${key}`];
}

/** Frames of a slice before averaging. */
const PER_SLICE = ["hStackManager.framesPerSlice", "acqNumFrames", "acq.numberOfFrames"];

/** Slices, as set before a recording. */
const SLICES = [
  "hStackManager.slicesPerAcq",
  "hStackManager.numSlices",
  "stackNumSlices",
  "acq.numberOfZSlices",
];

const VOLUMES = ["hStackManager.actualNumVolumes", "hStackManager.numVolumes"];

const FAST_VOLUMES = [...VOLUMES, "hFastZ.numVolumes", "fastZNumVolumes"];

/** The order of frames that the header describes. */
export function frameOrder(header: ScanImageHeader): FrameOrder {
  const warnings: Warning[] = [];
  const averaged = averagedFrames(header);
  const enabled = header.flag("hStackManager.enable");
  const mode = stackMode(header, enabled, warnings);
  if (mode === "fast") return fastOrder(header, averaged, warnings);
  const raw = header.count(PER_SLICE);
  // Before version 3.7 a switch said that all frames of a slice are averaged.
  const switched = header.flag("acq.averaging") === true && !header.fields.has("acq.numAvgFramesSave");
  const perSlice = switched ? 1 : raw === null ? null : Math.max(1, Math.floor(raw / averaged));
  const slices = mode === "frames" ? 1 : slicesOf(header, raw, warnings);
  if (slices !== null && slices <= 1) {
    return {
      fast: false,
      perSlice: null,
      slices: 1,
      perVolume: null,
      averaged,
      announced: perSlice,
      warnings,
    };
  }
  if (!switched && raw !== null && raw % averaged !== 0) {
    warnings.push(warning(
      "axes_assumed",
      `The header declares ${raw} frames a slice, averaged by ${averaged}; ${perSlice} are taken as stored`,
    ));
  }
  const perVolume = perSlice === null || slices === null ? null : perSlice * slices;
  const announced = perVolume && perVolume * (header.count(VOLUMES) ?? 1);
  const counted = slices === null && !PER_SLICE.some((key) => header.fields.has(key));
  return { fast: false, perSlice, slices, perVolume, averaged, announced, counted, warnings };
}

/** What the switches say that was run; `null` where an older header leaves it to the counts. */
function stackMode(header: ScanImageHeader, enabled: boolean | null, warnings: Warning[]) {
  const fastZ = header.flag("hFastZ.enable", "fastZEnable") === true;
  const mode = header.fields.get("hStackManager.stackMode") ?? "";
  if (enabled === true) return /slow/.test(mode) || !fastZ && !/fast/.test(mode) ? "slow" : "fast";
  if (!fastZ) return enabled === false ? "frames" : "slow";
  if (enabled === null) return "fast";
  const several = (header.count(["hStackManager.numFramesPerVolume", "hFastZ.numFramesPerVolume"]) ?? 1) > 1;
  if (!several) return "frames";
  warnings.push(warning(
    "metadata_disagree",
    `The header has "hFastZ.enable" on and "hStackManager.enable" off; its volumes count`,
  ));
  return "fast";
}

function fastOrder(header: ScanImageHeader, averaged: number, warnings: Warning[]): FrameOrder {
  // In 2015 and 2016 the count of a volume includes the way back.
  const older = header.count(["hFastZ.numFramesPerVolume"]);
  const back = header.count(["hFastZ.numDiscardFlybackFrames", "fastZNumDiscardFrames"], 0) ?? 0;
  const focused = header.count(["hStackManager.numFramesPerVolume"]) ??
    (older !== null && older > back ? older - back : null);
  // Earlier versions took one frame a slice whatever that setting was.
  const isRecent = header.fields.has("hStackManager.numFramesPerVolume");
  const declared = isRecent ? header.count(["hStackManager.framesPerSlice"]) : 1;
  const slices = slicesOf(header, focused === null ? null : declared ?? 1, warnings, focused) ?? 1;
  const perSlice = declared ?? Math.max(1, Math.floor((focused ?? slices) / slices));
  const whole = header.count(["hStackManager.numFramesPerVolumeWithFlyback"]) ?? older ??
    slices * perSlice + back;
  const volume = Math.max(whole, slices * perSlice);
  const volumes = header.count(FAST_VOLUMES);
  if (perSlice % averaged !== 0 || volume % averaged !== 0) {
    warnings.push(warning(
      "axes_assumed",
      `The header declares ${perSlice} frames a slice and ${volume} a volume, averaged by ${averaged}, which divides not both; pages are time points`,
    ));
    return { fast: true, perSlice: null, slices: 1, perVolume: null, averaged, announced: null, warnings };
  }
  const perVolume = volume / averaged;
  return {
    fast: true,
    perSlice: perSlice / averaged,
    slices,
    perVolume,
    averaged,
    announced: volumes && volumes * perVolume,
    warnings,
  };
}

/**
 * Slices of a volume. The declared number is compared with the frames of a volume and with the positions of the lens. Where both
 * of these agree on another number they count; `numSlices` alone is a setting that may be of another recording, so one of
 * them is enough against it.
 */
function slicesOf(
  header: ScanImageHeader,
  perSlice: number | null,
  warnings: Warning[],
  focused: number | null = header.count(["hStackManager.numFramesPerVolume"]),
): number | null {
  const actual = header.count(["hStackManager.actualNumSlices"]);
  const declared = actual ?? header.count(SLICES);
  const zs = header.list("hStackManager.zs");
  const positions = zs.length > 1 ? new Set(zs).size : null;
  const counted = focused !== null && perSlice !== null && focused % perSlice === 0
    ? focused / perSlice
    : null;
  const other = counted ?? positions;
  if (other === null || other === declared) return declared;
  const counts = declared === null || actual === null || counted === positions ? other : declared;
  if (declared !== null) {
    warnings.push(warning(
      "metadata_disagree",
      `The header declares ${declared} slices, the ${
        counted === null ? "positions of the lens" : "frames of its volumes"
      } make ${other}; ${counts} counts`,
    ));
  }
  return counts;
}

/** Where frames are along T and Z. */
export class FrameAxes {
  /** Time points: volumes times frames of a slice. */
  readonly times: number;
  /** Slices. */
  readonly slices: number;
  /** Stored frames of a slice. */
  readonly perSlice: number;
  readonly #perVolume: number;
  readonly #span: number;

  /** `span` counts the stored frames from the first to the last, lost ones included. */
  constructor({ perSlice, slices, perVolume }: FrameOrder, span: number) {
    this.#span = span;
    this.perSlice = Math.min(perSlice ?? span, span);
    const stored = Math.ceil(span / this.perSlice);
    this.#perVolume = perVolume ?? (slices === null ? span : this.perSlice * slices);
    const volumes = Math.ceil(span / this.#perVolume);
    this.slices = volumes > 1 ? slices ?? stored : Math.min(slices ?? stored, stored);
    this.times = volumes * this.perSlice;
  }

  /** Volumes. */
  get volumes(): number {
    return this.times / this.perSlice;
  }

  /** Number of a frame, from 0, among those stored and those of the way back. */
  frame(t: number, z: number): number {
    const volume = Math.floor(t / this.perSlice);
    return volume * this.#perVolume + z * this.perSlice + t % this.perSlice;
  }

  /** Frames behind the slices of the only volume, all of which are taken as those of the way back. */
  get unproven(): number {
    const rest = this.#span - this.slices * this.perSlice;
    return this.volumes === 1 && this.#span < this.#perVolume ? rest : 0;
  }

  /** Time point of a frame. */
  timeOf(frame: number): number {
    const volume = Math.floor(frame / this.#perVolume);
    return volume * this.perSlice + frame % this.#perVolume % this.perSlice;
  }

  /** Whether neighbouring time points are always as many frames apart. */
  get isEven(): boolean {
    return this.perSlice === 1 || this.volumes === 1 || this.#perVolume === this.perSlice;
  }
}

/** Micrometres between slices, `null` where no one step is known. */
export function sliceStep(header: ScanImageHeader, slices: number, warnings: Warning[]): number | null {
  if (slices < 2) return null;
  const listed = header.list("hStackManager.zs");
  const distinct = [...new Set(listed)];
  // A list has one entry for each frame of a volume; a slice may be listed at the position of another one.
  const perSlice = listed.length / slices;
  const zs = distinct.length === slices || !Number.isInteger(perSlice)
    ? distinct
    : listed.filter((_, i) => i % perSlice === 0);
  const declared = header.number(
    "hStackManager.actualStackZStepSize",
    "hStackManager.stackZStepSize",
    "stackZStepSize",
    "acq.zStepSize",
  );
  const size = declared === null ? null : Math.abs(declared);
  if (distinct.length < 2) return size;
  const rises = zs.slice(1).map((z, i) => z - zs[i]!);
  const steps = rises.map(Math.abs);
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  if (most > 1.01 * least) {
    warnings.push(warning("step_uneven", `Slices are ${least} to ${most} um apart; Z has no one step`));
    return null;
  }
  if (most === 0 || rises.some((rise) => rise * rises[0]! < 0)) {
    const text = most === 0 ? "All slices are at one position" : "Slices go forth and back";
    warnings.push(warning("step_uneven", `${text}; Z has no one step`));
    return null;
  }
  const step = steps[0]!;
  if (size !== null && size > 0 && Math.abs(size / step - 1) > 0.01) {
    warnings.push(warning(
      "metadata_disagree",
      `The header declares a step of ${size} um between slices, its positions are ${step} um apart, which counts`,
    ));
  }
  return step;
}
