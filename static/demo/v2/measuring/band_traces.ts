/** Traces of the bands of a line scan. */
import { makeTrace } from "../../../measure/light/band_trace.ts";
import type { RecordingRegion as MeasuredRegion } from "../../../measure/recording.ts";
import type { BandRegion } from "../drawing/region.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { Baseline, TraceSettings } from "../../../measure/light/baseline.ts";

/** The trace of a band in one channel, one value per line. */
export interface Trace {
  name: string;
  band: BandRegion;
  channel: string;
  color: string;
  dash: string;
  values: Float64Array;
  baseline: number;
  f0: Baseline;
}

/** The band as measurements take it. */
export const makeMeasuredRegion = ({ id, name, from, to, place }: BandRegion): MeasuredRegion => ({
  id,
  name,
  columns: [from, to],
  ...place !== undefined && { place },
});

/** Dashes distinguish channels, colours distinguish bands. */
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

/** Makes traces like {@linkcode makeTrace}. */
export type MakeTrace = typeof makeTrace;

/** Makes traces, but those of the round before only once: moving one of many bands makes one trace. */
export class TraceMemory {
  #former: Map<unknown, Map<string, ReturnType<MakeTrace>>> = new Map();
  #own: Map<unknown, Map<string, ReturnType<MakeTrace>>> = new Map();

  /** Begins a round. */
  begin(): void {
    [this.#former, this.#own] = [this.#own, new Map()];
  }

  readonly make: MakeTrace = (plane, columns, settings, step) => {
    const { samples } = plane;
    const order = JSON.stringify([columns, settings, step]);
    const made = this.#former.get(samples)?.get(order) ?? makeTrace(plane, columns, settings, step);
    const ofSamples = this.#own.get(samples) ?? new Map();
    this.#own.set(samples, ofSamples.set(order, made));
    return made;
  };
}

/** Traces of all bands and shown channels, with colours for bands and dashes for channels; one value per line. */
export function makeBandTraces(
  { plane: { shape, axes }, shown }: {
    plane: { shape: readonly [number, number]; axes: readonly { step: number }[] };
    shown: readonly { name: string; samples: Samples }[];
  },
  bands: readonly BandRegion[],
  settings: TraceSettings,
  make: MakeTrace = makeTrace,
): Trace[] {
  return bands.flatMap((band) =>
    shown.map(({ name: channel, samples }, i) => {
      const { values, baseline, f0 } = make(
        { samples, shape },
        [band.from, band.to],
        settings,
        axes[0]!.step,
      );
      const dash = DASHES[i % DASHES.length] as string;
      const name = shown.length > 1 ? `${band.name} · ${channel}` : band.name;
      return { name, band, channel, color: band.color, dash, values, baseline, f0 };
    })
  );
}
