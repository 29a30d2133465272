/** A channel and its display: samples, look-up table, intensity range and visibility. */
import {
  chooseAutoRange,
  chooseDrawableRange,
  computePercentiles,
  countSamples,
} from "../../../measure/statistics.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { chooseDefaultLut, DISTINCT, findLutTable, withGamma } from "./lut.ts";

/** One fetched plane: index in the file, name, and samples row-major. */
export type LoadedChannel = { index: number; name: string; samples: Float32Array };

/** A loaded channel; emits `change` when its display changes and `samples` when its samples change. */
export class DisplayChannel extends Emitter<{ change: Plain; samples: Plain }> {
  /** Change it, gamma and visibility only with `set`. */
  lutName: string;
  /** Exponent applied before the look-up table; below 1 brightens dark parts. */
  gamma = 1;
  visible: boolean;
  /** `[min, max]`, min below max. */
  range: [number, number];
  /** Whether the range is automatic or initial. */
  isAuto = true;
  /** Reduced samples that Auto uses if a pixel shows more than one sample. */
  seen: (() => Float32Array) | null = null;
  #stats: ReturnType<typeof computePercentiles> | null = null;
  #isFinite: boolean | null = null;
  #bins: Uint32Array | null = null;
  readonly index: number;
  readonly name: string;
  samples: Float32Array;

  /**
   * @param position index among the loaded channels
   * @param count of them
   */
  constructor({ index, name, samples }: LoadedChannel, position: number, count: number) {
    super();
    this.index = index;
    this.name = name;
    this.samples = samples;
    // An alpha channel is not light that could be added.
    this.visible = position < DISTINCT.length && name !== "Alpha";
    this.lutName = chooseDefaultLut(position, name, count);
    this.range = chooseAutoRange(this.stats);
  }

  /** Statistics of all samples, computed on first use. */
  get stats(): {
    count: number;
    min: number;
    max: number;
    percentiles: number[];
  } {
    return this.#stats ??= computePercentiles(this.samples);
  }

  /** Whether all samples are finite. */
  get isFinite(): boolean {
    return this.#isFinite ??= this.#stats === null
      ? allFinite(this.samples)
      : this.#stats.count === this.samples.length;
  }

  /** Replaces the samples, such as by those of the next time point; keeps the display. */
  replaceSamples(samples: Float32Array): void {
    this.samples = samples;
    this.#stats = this.#bins = this.#isFinite = null;
    this.emit("samples");
  }

  set(display: { lutName?: string; gamma?: number; visible?: boolean }): void {
    Object.assign(this, display);
    this.emit("change");
  }

  /** Sets the range; separates ends that are equal as float32. @param isAuto not chosen by the user */
  setRange(min: number, max: number, isAuto = false): void {
    this.range = chooseDrawableRange(min, max);
    this.isAuto = isAuto;
    this.emit("change");
  }

  /** Sets one end (0: minimum, 1: maximum) and moves the other along if they would cross. */
  setEnd(end: number, value: number): void {
    const [min, max] = this.range;
    const width = max - min;
    if (end === 0) this.setRange(value, value < max ? max : value + width);
    else this.setRange(value > min ? min : value - width, value);
  }

  /** Sets the range to the 1st to 99.5th percentile of the samples, or of their reduced form. */
  autoRange(): void {
    this.setRange(
      ...chooseAutoRange(this.seen === null ? this.stats : computePercentiles(this.seen())),
      true,
    );
  }

  /** Everything that a renderer needs. */
  look(): {
    min: number;
    max: number;
    lut: Uint8Array<ArrayBufferLike>;
  } {
    const [min, max] = this.range;
    return { min, max, lut: withGamma(findLutTable(this.lutName), this.gamma) };
  }

  /** Histogram between the smallest and largest sample, computed once. */
  histogram(bins: number): Uint32Array<ArrayBufferLike> {
    return this.#bins ??= countSamples(this.samples, this.stats.min, this.stats.max, bins);
  }
}

function allFinite(samples: Float32Array) {
  for (let i = 0; i < samples.length; i += 1) if (samples[i]! - samples[i]! !== 0) return false;
  return true;
}
