/** What a measurement measures in a picture, and what holds of the results that are kept. Nothing of the page. */
import { type Band, completeSettings, type Measurement } from "../../../measure/measurement.ts";
import { selectPlacedEdits } from "../../../measure/edits.ts";
import {
  followOrders,
  isRefusal,
  isSameOf,
  makeBand,
  type Recording,
  type RecordingRegion,
  type Refusal,
  type RegionOrder,
  wholeLines,
} from "../../../measure/recording.ts";
import { describeScanPlace, findShape, makeRecording, type Scan } from "../drawing/scan.ts";
import { ALL_BANDS, type BandRegion } from "../drawing/region.ts";
import { makeMeasuredRegion } from "./band_traces.ts";
import type { KeptMeasurement } from "../drawing/measurement_piece.ts";
import type { Of, Result } from "../../../measure/result.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";
import type { Traced } from "./traced.ts";

/** Samples that results were measured in; what is restored has none before it is shown. */
export type MeasuredIn = WeakMap<Result, Samples>;

/** A scan with its bands, to be measured by one measurement. */
export class Measurable {
  readonly #measurement;
  readonly scan: Scan<Samples>;
  readonly bands: readonly BandRegion[];
  /** How traces of the bands are made. */
  readonly trace: TraceSettings;
  readonly #measuredIn;

  /** @param measuredIn of the picture */
  constructor(
    measurement: Measurement,
    { scan, bands }: Traced,
    trace: TraceSettings,
    measuredIn: MeasuredIn,
  ) {
    this.#measurement = measurement;
    this.#measuredIn = measuredIn;
    this.scan = scan;
    this.bands = bands;
    this.trace = trace;
  }

  get recording(): Recording {
    return makeRecording(this.scan);
  }

  /** Of all channels. */
  get samples(): Samples[] {
    return this.scan.group.channels.map(({ samples }) => samples);
  }

  get place(): string {
    return describeScanPlace(this.scan);
  }

  /** What can be chosen: whole lines, a band, and all of several bands. */
  get choices(): { value: string; name: string }[] {
    const { bands, scan: { noun } } = this;
    const whole = this.#measurement.isOfBands ? [] : [{ value: "", name: "whole lines" }];
    const all = bands.length < 2 ? [] : [{ value: ALL_BANDS, name: `all ${noun}s` }];
    return [...whole, ...bands.map(({ id, name }) => ({ value: id, name })), ...all];
  }

  /** The bands that a choice stands for; whole lines are a region, too. */
  #regions(chosen: string): RecordingRegion[] {
    const bands = this.bands.filter(({ id }) => chosen === ALL_BANDS || id === chosen);
    return chosen === "" && bands.length === 0 ? [this.#whole] : bands.map(makeMeasuredRegion);
  }

  get #whole() {
    return wholeLines({ shape: findShape(this.scan) });
  }

  /** The chosen part, the first of several. */
  bandOf(chosen: string): Band {
    const { columns } = this.#regions(chosen)[0] ?? this.#whole;
    return makeBand(this.recording, columns, this.trace);
  }

  /** What is chosen as orders, or why nothing can be measured. */
  orders({ band, channel, settings }: KeptMeasurement): RegionOrder[] | string {
    const { scan: { group, noun }, bands } = this;
    if (group.channels.length === 0) return "There is no channel";
    if (this.#measurement.isOfBands && bands.length === 0) return `Draw a ${noun} first.`;
    return this.#regions(band).map((region) => this.#order(region, channel, settings));
  }

  #order(region: RecordingRegion, channel: string, settings: KeptMeasurement["settings"]): RegionOrder {
    return { measurement: this.#measurement, region, channel: Number(channel), settings, trace: this.trace };
  }

  /** Orders for results again: of the chosen ones by the present settings, else by their own. */
  ordersAgain(value: KeptMeasurement, results: readonly Result[]): RegionOrder[] {
    const chosen = this.orders(value);
    const regions = [...this.bands.map(makeMeasuredRegion), this.#whole];
    return results.flatMap(({ of, settings }) => {
      const region = regions.find(({ id }) => id === of.band);
      if (region === undefined) return [];
      const isOf = (order: RegionOrder) =>
        order.region.id === of.band && String(order.channel) === of.channel;
      const own = typeof chosen === "string" ? undefined : chosen.find(isOf);
      return [own ?? this.#order(region, of.channel, settings)];
    });
  }

  /** Completes what is chosen: a band and a channel that are there, and all settings. */
  complete(value: KeptMeasurement): KeptMeasurement {
    const { channels, shown } = this.scan.group;
    const bands = this.choices.map(({ value }) => value);
    // Of all bands one may be left.
    const other = value.band === ALL_BANDS ? this.bands[0]?.id ?? "" : bands[0] ?? "";
    const band = bands.includes(value.band) ? value.band : other;
    // While no channel is shown, it stays.
    const isChosen = value.followsShown !== true || shown.length === 0;
    const isThere = channels[Number(value.channel || NaN)] !== undefined;
    const first = Math.max(0, channels.findIndex((channel) => channel === shown[0]));
    return {
      ...value,
      band,
      channel: isChosen && isThere ? value.channel : String(first),
      settings: completeSettings(this.#measurement, value.settings, this.bandOf(band)),
      edits: selectPlacedEdits(value.edits, this.place),
    };
  }

  /** Whether results are of the present samples, and the channel is the one that it follows. */
  isCurrent({ results, channel, followsShown }: KeptMeasurement): boolean {
    const { channels, shown: [first] } = this.scan.group;
    const isOfSamples = (result: Result) => this.#samplesOf(result) === this.#measuredIn.get(result);
    return results.every(isOfSamples) &&
      (followsShown !== true || first === undefined || channels[Number(channel)] === first);
  }

  #samplesOf({ of }: Pick<Result, "of">): Samples | undefined {
    return this.scan.group.channels[Number(of.channel)]?.samples;
  }

  /**
   * Drops results of other samples, of bands that are gone, and of another place.
   *
   * @returns `again` has the results that a quick measurement makes again, because samples, band or trace are others
   */
  settle(value: KeptMeasurement): { kept: KeptMeasurement; again: Result[] } {
    const isHere = value.place === null || value.place === this.place;
    const { isQuick, isOfBands } = this.#measurement;
    const again: Result[] = [];
    const left = value.results.filter((result) => {
      const band = this.bands.find(({ id }) => id === result.of.band);
      if (band === undefined && (result.of.band !== "" || isOfBands)) return false;
      const [samples, former] = [this.#samplesOf(result), this.#measuredIn.get(result)];
      if (former === undefined && !isHere) return false;
      if (former === undefined && samples !== undefined) this.#measuredIn.set(result, samples);
      const isOther = former !== undefined && former !== samples;
      if (isQuick && (isOther || this.#isMoved(result, band))) again.push(result);
      return !isOther;
    });
    return { kept: this.withResults(value, left), again };
  }

  /** Whether a band, or how its trace is made, differs from that of a result. */
  #isMoved({ columns, settings }: Result, band: BandRegion | undefined) {
    const order = [band ? [band.from, band.to] : columns, this.trace];
    return JSON.stringify(order) !== JSON.stringify([columns, settings.trace]);
  }

  /** Other results, with their place. */
  withResults(value: KeptMeasurement, results: readonly Result[]): KeptMeasurement {
    return { ...value, results, place: results.length === 0 ? "" : this.place };
  }

  /** Follows orders in this thread. */
  follow(orders: readonly RegionOrder[]): (Result | Refusal)[] {
    return followOrders(this.recording, orders);
  }

  /** What is kept, with what was measured in place of the former results of the same regions and channels. */
  withMade(value: KeptMeasurement, made: readonly (Result | Refusal)[]): KeptMeasurement {
    const results = made.filter((one): one is Result => !isRefusal(one));
    for (const result of results) this.#measuredIn.set(result, this.#samplesOf(result)!);
    const others = value.results.filter(({ of }) => !results.some((result) => isSameOf(result.of, of)));
    const [only] = made.length === 1 ? results : [];
    const isChosen = only !== undefined && isSameOf(only.of, value);
    return {
      ...this.withResults(value, [...others, ...results]),
      // What was measured was chosen.
      ...results.length > 0 && value.followsShown && { followsShown: false },
      ...isChosen && {
        settings: completeSettings(this.#measurement, only.settings, this.bandOf(value.band)),
      },
    };
  }

  /** Why orders were refused, in sentences; empty if none was. */
  explainRefusals(made: readonly (Result | Refusal)[]): string {
    const isOne = made.length === 1;
    return made.filter(isRefusal).map(({ of, fault }) => isOne ? fault : `${this.nameOf(of)}: ${fault}`)
      .join(" ");
  }

  nameOf({ band }: Of): string {
    const own = this.bands.find(({ id }) => id === band)?.name;
    return own ?? (band === "" ? "whole lines" : "");
  }
}
