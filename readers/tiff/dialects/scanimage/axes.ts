/**
 * The time point and slice of a ScanImage frame. Frames of a slice come first, then slices, then volumes. A volume scanned with
 * fast focusing ends with frames of the flyback, which are not slices.
 */
import { differsByPercent } from "../../../metadata/text.ts";
import { MAX_TIMES } from "../../../metadata/time_stamps.ts";
import type { ScanImageHeader } from "./header.ts";
import type { FileFrames } from "./stamps.ts";

/** The order of frames. All numbers count stored frames. */
export interface FrameOrder {
  /** Whether fast focusing scans volumes; false for a slow stack and a time series. */
  readonly fast: boolean;
  /** `null` if all frames belong to one slice. */
  readonly perSlice: number | null;
  /** Slices per volume; `null` if the header does not state it. */
  readonly slices: number | null;
  /** Frames from one volume to the next, including the flyback; `null` without volumes. */
  readonly perVolume: number | null;
  readonly averaged: number;
  readonly announced: number | null;
  /** Whether the header states neither the number of frames nor that of slices. */
  readonly counted: boolean;
}

/** Frames per slice before averaging. */
const PER_SLICE = ["hStackManager.framesPerSlice", "acqNumFrames", "acq.numberOfFrames"];

const VOLUMES = ["hStackManager.actualNumVolumes", "hStackManager.numVolumes"];

/** Frames per volume without the flyback. */
const PER_VOLUME = "hStackManager.numFramesPerVolume";

/** The order of frames according to the header. */
export function readFrameOrder(header: ScanImageHeader): FrameOrder {
  const mode = readStackMode(header);
  const scanner = /res/i.test(header.fields.get("imagingSystem") ?? "") ? "hResScan" : "hLinScan";
  const averaged = header.count([
    "hScan2D.logAverageFactor",
    `${scanner}.logAverageFactor`,
    "acqNumAveragedFramesSaved",
    "acqNumAveragedFrames",
    "acq.numAvgFramesSave",
  ]);
  const series: FrameOrder = {
    fast: mode === "fast",
    perSlice: null,
    slices: 1,
    perVolume: null,
    averaged: averaged ?? 1,
    announced: null,
    counted: false,
  };
  return mode === "fast" ? readFastOrder(header, series) : readSlowOrder(header, series, mode === "frames");
}

/** The mode by the header's switches. In older headers, counts distinguish a slow stack from a series of frames. */
function readStackMode(header: ScanImageHeader): "fast" | "slow" | "frames" {
  const enabled = header.flag("hStackManager.enable");
  const fastZ = header.flag("hFastZ.enable", "fastZEnable") === true;
  const mode = header.fields.get("hStackManager.stackMode") ?? "";
  if (enabled === true) return /slow/.test(mode) || !fastZ && !/fast/.test(mode) ? "slow" : "fast";
  if (!fastZ) return enabled === false ? "frames" : "slow";
  if (enabled === null) return "fast";
  if ((header.count([PER_VOLUME, "hFastZ.numFramesPerVolume"]) ?? 1) <= 1) return "frames";
  const text = `The header has "hFastZ.enable" on and "hStackManager.enable" off; its volumes count`;
  header.warn("metadata_disagree", text);
  return "fast";
}

function readSlowOrder(header: ScanImageHeader, series: FrameOrder, isSeries: boolean): FrameOrder {
  const { averaged } = series;
  const raw = header.count(PER_SLICE);
  // Before version 3.7, a switch states that all frames of a slice are averaged.
  const isSwitched = header.flag("acq.averaging") === true && !header.fields.has("acq.numAvgFramesSave");
  const perSlice = isSwitched ? 1 : raw === null ? null : Math.max(1, Math.floor(raw / averaged));
  const slices = isSeries ? 1 : countSlices(header, raw, header.count([PER_VOLUME]));
  if (slices !== null && slices <= 1) return { ...series, announced: perSlice };
  if (!isSwitched && raw !== null && raw % averaged !== 0) {
    const text = `The header declares ${raw} frames a slice, averaged by ${averaged}`;
    header.warn("axes_assumed", `${text}; ${perSlice} are taken as stored`);
  }
  const perVolume = perSlice === null || slices === null ? null : perSlice * slices;
  const announced = perVolume && perVolume * (header.count(VOLUMES) ?? 1);
  const counted = slices === null && !PER_SLICE.some((key) => header.fields.has(key));
  return { ...series, perSlice, slices, perVolume, announced, counted };
}

function readFastOrder(header: ScanImageHeader, series: FrameOrder): FrameOrder {
  const { averaged } = series;
  // In 2015 and 2016 the frame count of a volume includes the flyback.
  const older = header.count(["hFastZ.numFramesPerVolume"]);
  const back = header.count(["hFastZ.numDiscardFlybackFrames", "fastZNumDiscardFrames"], 0) ?? 0;
  const recent = header.count([PER_VOLUME]);
  const focused = recent ?? (older !== null && older > back ? older - back : null);
  // Earlier versions took one frame per slice, regardless of that setting.
  const declared = header.fields.has(PER_VOLUME) ? header.count(["hStackManager.framesPerSlice"]) : 1;
  const slices = countSlices(header, focused === null ? null : declared ?? 1, focused) ?? 1;
  const perSlice = declared ?? Math.max(1, Math.floor((focused ?? slices) / slices));
  const whole = header.count(["hStackManager.numFramesPerVolumeWithFlyback"]) ?? older ??
    slices * perSlice + back;
  const volume = Math.max(whole, slices * perSlice);
  if (perSlice % averaged !== 0 || volume % averaged !== 0) {
    const text = `The header declares ${perSlice} frames a slice and ${volume} a volume, not multiples of`;
    header.warn("axes_assumed", `${text} the ${averaged} averaged ones; pages are time points`);
    return series;
  }
  const perVolume = volume / averaged;
  const volumes = header.count([...VOLUMES, "hFastZ.numVolumes", "fastZNumVolumes"]);
  const announced = volumes && volumes * perVolume;
  return { ...series, perSlice: perSlice / averaged, slices, perVolume, announced };
}

/**
 * Slices per volume. The declared number is compared with the frames of a volume (`focused`) and with the positions of the lens.
 * If both agree on another number, that number counts. `numSlices` may be left over from another recording, so there one is
 * enough.
 */
function countSlices(
  header: ScanImageHeader,
  perSlice: number | null,
  focused: number | null,
): number | null {
  const actual = header.count(["hStackManager.actualNumSlices"]);
  const declared = actual ?? header.count([
    "hStackManager.slicesPerAcq",
    "hStackManager.numSlices",
    "stackNumSlices",
    "acq.numberOfZSlices",
  ]);
  const zs = header.list("hStackManager.zs");
  const positions = zs.length > 1 ? new Set(zs).size : null;
  const isWhole = focused !== null && perSlice !== null && focused % perSlice === 0;
  const counted = isWhole ? focused / perSlice : null;
  const other = counted ?? positions;
  if (other === null || other === declared) return declared;
  if (declared === null) return other;
  const counts = actual === null || counted === positions ? other : declared;
  const source = counted === null ? "positions of the lens" : "frames of its volumes";
  const text = `The header declares ${declared} slices, the ${source} make ${other}; ${counts} counts`;
  header.warn("metadata_disagree", text);
  return counts;
}

/** The order with the frames per slice from the stamps: in a slow stack each slice is an acquisition. */
export function orderByStamps(header: ScanImageHeader, order: FrameOrder, file: FileFrames): FrameOrder {
  const { perSlice, slices, fast } = order;
  if (fast || slices === 1 || !file.stamped || file.count > MAX_TIMES) return order;
  const numbers = Array.from({ length: file.count }, (_, i) => file.stamp(i)!.acquisition);
  const starts = numbers.flatMap((number, i) => i > 0 && number !== numbers[i - 1] ? [i] : []);
  const [first] = starts;
  if (first === undefined || Number.isNaN(numbers[0])) return order;
  const runs = starts.slice(1).map((start, i) => start - starts[i]!);
  // The first slice of a later part may have begun in the previous part.
  const stamped = runs[0] ?? first;
  const isEven = runs.every((run) => run === stamped) && first <= stamped &&
    file.count - starts.at(-1)! <= stamped;
  if (!isEven) {
    const text = "The frame stamps show slices of different numbers of frames; pages are time points";
    header.warn("axes_assumed", text);
    return { ...order, perSlice: null, slices: 1, perVolume: null, announced: null };
  }
  if (stamped === perSlice) return order;
  const declared = `The header declares ${perSlice ?? "any number of"} stored frames a slice`;
  const text = `${declared}, the frame stamps show ${stamped}, which counts`;
  header.warn("metadata_disagree", text);
  return { ...order, perSlice: stamped, perVolume: slices && stamped * slices, announced: null };
}

/** The positions of frames along T and Z. */
export class FrameAxes {
  /** Number of time points: volumes times frames per slice. */
  readonly times: number;
  readonly slices: number;
  readonly perSlice: number;
  readonly volumes: number;
  readonly #perVolume: number;

  /** `span` is the number of frames from the first to the last stored one, including lost ones. */
  constructor({ perSlice, slices, perVolume }: FrameOrder, span: number) {
    this.perSlice = Math.min(perSlice ?? span, span);
    const stored = Math.ceil(span / this.perSlice);
    this.#perVolume = perVolume ?? (slices === null ? span : this.perSlice * slices);
    this.volumes = Math.ceil(span / this.#perVolume);
    this.slices = this.volumes > 1 ? slices ?? stored : Math.min(slices ?? stored, stored);
    this.times = this.volumes * this.perSlice;
  }

  /** Number of a frame, from 0, counting flyback frames. */
  frame(t: number, z: number): number {
    const volume = Math.floor(t / this.perSlice);
    return volume * this.#perVolume + z * this.perSlice + t % this.perSlice;
  }

  timeOf(frame: number): number {
    const volume = Math.floor(frame / this.#perVolume);
    return volume * this.perSlice + frame % this.#perVolume % this.perSlice;
  }

  /** Whether all neighbouring time points are the same number of frames apart. */
  get isEven(): boolean {
    return this.perSlice === 1 || this.volumes === 1 || this.#perVolume === this.perSlice;
  }
}

/** Micrometres between slices; `null` if there is no single step. */
export function readSliceStep(header: ScanImageHeader, slices: number): number | null {
  if (slices < 2) return null;
  const listed = header.list("hStackManager.zs");
  const distinct = [...new Set(listed)];
  const declared = header.number(
    "hStackManager.actualStackZStepSize",
    "hStackManager.stackZStepSize",
    "stackZStepSize",
    "acq.zStepSize",
  );
  const size = declared && Math.abs(declared);
  if (distinct.length < 2) return size;
  // The list may have an entry per frame of a volume, and two slices may share a position.
  const perSlice = listed.length / slices;
  const zs = distinct.length === slices || !Number.isInteger(perSlice)
    ? distinct
    : listed.filter((_, i) => i % perSlice === 0);
  const rises = zs.slice(1).map((z, i) => z - zs[i]!);
  const steps = rises.map(Math.abs);
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  let unevenness = "";
  if (most > 1.01 * least) unevenness = `Slices are ${least} to ${most} um apart`;
  else if (most === 0) unevenness = "All slices are at one position";
  else if (rises.some((rise) => rise * rises[0]! < 0)) unevenness = "Slices go forth and back";
  if (unevenness !== "") {
    header.warn("step_uneven", `${unevenness}; Z has no one step`);
    return null;
  }
  const step = steps[0]!;
  const text = `The header declares a step of ${size} um between slices, its positions are ${step} um apart`;
  if (size && differsByPercent(size, step)) header.warn("metadata_disagree", `${text}, which counts`);
  return step;
}
