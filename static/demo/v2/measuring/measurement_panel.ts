/** The panel of a measurement of bands (measurement.ts): its settings, its results, and edits by hand. */
import { formatCount } from "../../../measure/axes.ts";
import {
  concernsResult,
  type Edit,
  isHere,
  isSameItemPlace,
  selectPlacedEdits,
  withEdit,
} from "../../../measure/edits.ts";
import {
  completeSettings,
  type Item,
  type Measurement,
  type Settings,
} from "../../../measure/measurement.ts";
import { NEW_TRACE } from "../../../measure/light/band_trace.ts";
import {
  type Edited,
  editResult,
  followOrders,
  isRefusal,
  isSameOf,
  makeBand,
  measureBy,
  type RecordingRegion,
  type Refusal,
  type RegionOrder,
  requirePlane,
  wholeLines,
} from "../../../measure/recording.ts";
import type { Of, Result } from "../../../measure/result.ts";
import {
  labelResult,
  listResultSummaries,
  makeResultColumns,
  mergeResultSettings,
  type NamedResult,
} from "../../../measure/result_tables.ts";
import { element } from "../controls/element.ts";
import { button, choiceField, fieldRow, settingsGrid } from "../controls/fields.ts";
import { makeHelpLink } from "../controls/help.ts";
import type { KeptMeasurement } from "../drawing/measurement_piece.ts";
import type { DocumentPiece } from "../drawing/piece.ts";
import { ItemList } from "./item_list.ts";
import { findNearestIndex, type LineSpan, Panel, panel, type ResultTable } from "./panel.ts";
import { ParameterFields } from "./parameter_fields.ts";
import { type About, describeScanPlace, findShape, makeRecording, type Scan } from "../drawing/scan.ts";
import {
  makeDistribution,
  makePeakFinder,
  makeRejectedTable,
  makeSummaryLines,
  makeSummaryTable,
  makeValuePlot,
  type PeaksInTraces,
  type ShownResult,
  writeSummary,
} from "./shown_results.ts";
import {
  type ChartSeries,
  countsAsValue,
  drawOutlines,
  formatItemValue,
  makeChartSeries,
} from "./values_over_time.ts";
import { Work } from "./work.ts";
import { measureAt, runBy } from "./workers.ts";
import { ALL_BANDS, type BandRegion } from "../drawing/region.ts";
import type { Traced } from "./traced.ts";
import { makeMeasuredRegion, type Trace } from "./band_traces.ts";
import type { Plain } from "../controls/emitter.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Mark } from "../picture/marks.ts";
import type { SvgPlot } from "./svg_plot.ts";
import type { Samples } from "../../../measure/line_scan.ts";

/** A line over the picture: x counts lines, y columns. */
export type Outline = readonly { x: number; y: number }[];

/** Where the picked item lies. */
export interface Picked {
  line: number;
  /** Null for an item of a whole band. */
  column: number | null;
  /** Measured columns; the end is not included. */
  columns: readonly [number, number];
  /** Its value over time; null without one. */
  value: number | null;
}

/**
 * Shows the piece of a measurement and writes what the user does to it. Emits `change` when what it shows has changed, `results`
 * when the user has measured, and `pick` when a row or mark was picked.
 */
export class MeasurementPanel extends Panel<{ results: Plain; pick: Plain }, Samples> {
  readonly #piece;
  /** The settings in the fields. */
  #filled: Settings | null = null;
  #bands: readonly BandRegion[] = [];
  /** How the traces of the bands are made. */
  #trace = NEW_TRACE;
  /** Samples that results were measured in. */
  readonly #samples: WeakMap<Result, Samples> = new WeakMap();
  /** Results with edits that were applied before. */
  readonly #edited: WeakMap<Result, { of: unknown[]; edited: Edited }> = new WeakMap();
  /** All results with their edits. */
  #all: readonly ShownResult[] = [];
  /** Those that the fields choose. */
  #shown: readonly ShownResult[] = [];
  /** What a measurement has found so far, for the chart. */
  #arriving: readonly Item[] | null = null;
  readonly #peaks = makePeakFinder();
  readonly #band;
  readonly #channel;
  readonly #fields;
  readonly #range = element("p", { className: "hint" });
  /** Says why nothing was measured. */
  readonly #status = element("p", { className: "result", role: "status" });
  /** The summary of a single result. */
  readonly #summary = element("p", { className: "result" });
  /** Summaries of several results. */
  readonly #table = element("div", { className: "summaries" });
  /** How the values are distributed. */
  readonly #histogram = element("div", { className: "distribution" });
  readonly #list;
  /** Candidates that were rejected. */
  readonly #rejected = element("div", { className: "rejected" });
  readonly #start;
  readonly #work;
  readonly #cursor;
  /** The item whose row and marks stand out. */
  #picked: { of: Of; item: Item } | null = null;
  readonly measurement: Measurement;
  /** Settings and buttons. */
  readonly element: HTMLDivElement;
  /** Summary and tables. */
  readonly output: HTMLDivElement;

  constructor(
    measurement: Measurement,
    piece: DocumentPiece<KeptMeasurement>,
    cursor: () => { x: number; y: number } | null = () => null,
  ) {
    super();
    this.#piece = piece;
    piece.on("change", () => {
      this.#forget();
      this.#update();
    });
    const { key, title, hint, parameters, help: sections = [] } = measurement;
    this.measurement = measurement;
    this.#cursor = cursor;
    this.#band = choiceField("In", `${key}-band`, [], () => this.#chose("band"));
    this.#channel = choiceField("Channel", `${key}-channel`, [], () => this.#chose("channel"));
    this.#fields = new ParameterFields(key, parameters, (key) => this.#typed(key));
    this.#list = new ItemList<ShownResult>(measurement, {
      onNote: (shown, item, note, field) => this.#edit(shown, item, { note }, field),
      onRemove: (shown, item) => this.#edit(shown, item, { isRemoved: true }),
      onLeaveOut: (shown, item) => this.#edit(shown, item, { isLeftOut: !item.isLeftOut }),
      onPick: (shown, item) => this.#pick(shown, item),
    });
    this.#start = button("Measure", () => this.#work.isRunning ? this.#work.cancel() : this.measure(), {
      id: `${key}-start`,
    });
    this.#work = new Work(title, this.#status, [this.#start]);
    this.element = panel(
      element("p", { className: "hint", textContent: hint }),
      settingsGrid(this.#band.label, this.#channel.label, ...this.#fields.labels),
      this.#range,
      fieldRow(this.#start, this.#work.progress, ...this.#editButtons()),
      this.#status,
      ...sections.length === 0 ? [] : [
        element(
          "p",
          { className: "hint" },
          ...sections.flatMap(([anchor, name]) => [`${name} `, makeHelpLink(anchor, name), " "]),
        ),
      ],
    );
    this.output = panel(
      element(
        "div",
        // Keys scroll it.
        {
          className: "summed",
          role: "group",
          tabIndex: 0,
          "aria-label": `Summary of ${title.toLowerCase()}`,
        },
        this.#summary,
        this.#table,
        this.#histogram,
      ),
      element("div", { className: "listed" }, this.#list.element, this.#rejected),
    );
  }

  /** Buttons that edit results. */
  #editButtons(): HTMLButtonElement[] {
    const { key, overTime, at } = this.measurement;
    const buttons: HTMLButtonElement[] = [];
    if (overTime) {
      const leaveOut = () => {
        const line = this.#cursor()?.x;
        if (line !== undefined) this.toggle(line);
      };
      const title =
        "Leaves the value at the cursor out, or takes it in again; as a double click in the chart does";
      buttons.push(button("Leave out at the cursor", leaveOut, { title }));
    }
    if (at) {
      buttons.push(
        button("Add at cursor", () => this.#add(), { id: `${key}-add` }),
        button("Clear", () => this.#clear(), { id: `${key}-clear` }),
      );
    }
    return buttons;
  }

  /**
   * Shows what was measured in a picture.
   *
   * @param traced other samples of the same picture, such as other means of its images, unless it was left before
   * @param trace how traces of its bands are made
   */
  follow({ scan, bands }: Traced, trace: TraceSettings): void {
    const isOther = scan !== this.scan;
    if (!isOther && bands === this.#bands && trace === this.#trace) return;
    const isRetaken = isOther && this.scan?.isLineScan === true && scan.isLineScan;
    this.scan = scan;
    this.#fields.timeUnit = this.timeUnit;
    this.#fields.lineUnit = scan.noun === "band" ? "lines" : "images";
    [this.#bands, this.#trace] = [bands, trace];
    this.#update();
    // Regions that were moved have lost their results.
    if (isRetaken) this.#measureAgain();
  }

  /** Leaves the picture: ends what is being measured in it. */
  leave(): void {
    this.scan = null;
    this.#filled = null;
    this.#forget();
  }

  /** Shows the piece, without results that do not hold. */
  #update() {
    const [{ scan }, { value }] = [this, this.#piece];
    if (scan?.isLineScan) this.#piece.amend(this.#settle(scan, this.#complete(scan, value)));
    else if (scan !== null && value.results.length > 0) {
      this.#piece.amend({ ...value, results: [], place: "" });
    }
    this.#show();
    this.changed();
  }

  /** Changes the piece as the user wants it. @param field of the list that is being typed in, and stays */
  #write(change: Partial<KeptMeasurement>, field: HTMLInputElement | null = null) {
    this.#piece.write({ ...this.#piece.value, ...change }, field);
    this.#show(field === null);
    this.changed();
  }

  /** Completes what is chosen: a band and a channel that are there, and all settings. */
  #complete(scan: Scan<Samples>, value: KeptMeasurement): KeptMeasurement {
    const { channels, shown } = scan.group;
    const bands = this.#choices.map(({ value }) => value);
    // Of all bands one may be left.
    const other = value.band === ALL_BANDS ? this.#bands[0]?.id ?? "" : bands[0] ?? "";
    const band = bands.includes(value.band) ? value.band : other;
    const followsShown = value.followsShown === true && value.results.length === 0;
    // While no channel is shown, it stays.
    const isKept = (!followsShown || shown.length === 0) &&
      channels[Number(value.channel || NaN)] !== undefined;
    const first = Math.max(0, channels.findIndex((channel) => channel === shown[0]));
    return {
      ...value,
      band,
      channel: isKept ? value.channel : String(first),
      ...value.followsShown !== undefined && { followsShown },
      settings: completeSettings(this.measurement, value.settings, this.#bandOf(scan, band)),
      edits: selectPlacedEdits(value.edits, describeScanPlace(scan)),
    };
  }

  /** Drops results of other samples, of bands that are gone, and of another place; what is quick is measured again. */
  #settle(scan: Scan<Samples>, value: KeptMeasurement): KeptMeasurement {
    const here = describeScanPlace(scan);
    const isHere = value.place === null || value.place === here;
    const { channels } = scan.group;
    const { isQuick, isOfBands } = this.measurement;
    const again: Result[] = [];
    const left = value.results.filter((result) => {
      const { of } = result;
      const band = this.#bands.find(({ id }) => id === of.band);
      if (band === undefined && (of.band !== "" || isOfBands)) return false;
      const samples = channels[Number(of.channel)]?.samples;
      const former = this.#samples.get(result);
      if (former === undefined && !isHere) return false;
      if (former === undefined && samples !== undefined) this.#samples.set(result, samples);
      const isOther = former !== undefined && former !== samples;
      if (isQuick && (isOther || this.#isMoved(result, band))) again.push(result);
      return !isOther;
    });
    const kept = { ...value, ...this.#placed(left) };
    if (again.length > 0) return this.#withMade(kept, this.#sameOrders(scan, again));
    if (left.length < value.results.length) this.#status.textContent = "";
    return kept;
  }

  /** Whether a band, or how its trace is made, differs from that of a result. */
  #isMoved({ columns, settings }: Result, band: BandRegion | undefined) {
    const order = [band ? [band.from, band.to] : columns, this.#trace];
    return JSON.stringify(order) !== JSON.stringify([columns, settings.trace]);
  }

  /** Another band or channel shows its own results; a quick measurement that was run before makes them. */
  #chose(field: "band" | "channel") {
    this.#list.clear();
    this.#status.textContent = "";
    const [band, channel] = [this.#band.select.value, this.#channel.select.value];
    this.#write(field === "band" ? { band } : { channel, followsShown: false });
    if (this.#shown.length === 0) this.#measureAgain();
  }

  /** A setting has changed. */
  #typed(key: string) {
    const { typed } = this.measurement;
    const { settings } = this.#fields;
    this.#filled = settings;
    this.#write({ settings: typed === undefined ? settings : typed(settings, key) });
    this.#measureAgain();
  }

  /** Measures again after the order has changed, if the measurement is quick and was run before. */
  #measureAgain() {
    if (!this.measurement.isQuick || this.#piece.value.results.length === 0) return;
    const orders = this.#orders();
    if (typeof orders !== "string") this.#write(this.#withMade(this.#piece.value, orders));
  }

  /** Describes what the settings can measure. */
  #explain() {
    const { scan, measurement: { explain } } = this;
    if (!scan?.isLineScan || explain === undefined) return;
    const { settings, band } = this.#piece.value;
    this.#range.textContent = explain(settings, this.#bandOf(scan, band));
  }

  /** The bands that a choice stands for; whole lines are a region, too. */
  #regions(scan: Scan<Samples>, chosen: string): RecordingRegion[] {
    const bands = this.#bands.filter(({ id }) => chosen === ALL_BANDS || id === chosen);
    return chosen === "" && bands.length === 0
      ? [wholeLines({ shape: findShape(scan) })]
      : bands.map(makeMeasuredRegion);
  }

  /** The chosen part of a line scan, the first of several. */
  #bandOf(scan: Scan<Samples>, chosen: string) {
    const { columns } = this.#regions(scan, chosen)[0] ?? wholeLines({ shape: findShape(scan) });
    return makeBand(makeRecording(scan), columns, this.#trace);
  }

  /** Call when samples or shown channels may have changed: samples of another time or focus make earlier results invalid. */
  refresh(): void {
    const channels = this.scan?.group.channels ?? [];
    const isSame = (result: Result) =>
      channels[Number(result.of.channel)]?.samples === this.#samples.get(result);
    const { results, channel, followsShown } = this.#piece.value;
    const [first] = this.scan?.group.shown ?? [];
    const isFollowed = followsShown !== true || first === undefined || channels[Number(channel)] === first;
    if (!results.every(isSame) || !isFollowed) this.#update();
  }

  /** Removes the shown results with their edits. */
  #clear() {
    const shown = this.#shown;
    this.#work.end();
    this.#status.textContent = "";
    const isOfShown = (edit: Edit) =>
      isHere(edit, this.#place) && shown.some(({ result: { of } }) => concernsResult(edit, of));
    const { edits, results } = this.#piece.value;
    const left = results.filter((result) => !shown.some((one) => one.result === result));
    this.#write({ edits: edits.filter((edit) => !isOfShown(edit)), ...this.#placed(left) });
  }

  /** Forgets what is being measured and picked. */
  #forget() {
    this.#picked = null;
    this.#work.end();
    this.#arriving = null;
    this.#status.textContent = "";
    this.#list.clear();
    this.#rejected.replaceChildren();
  }

  /** Results with their place. */
  #placed(results: readonly Result[]) {
    return { results, place: results.length === 0 ? "" : this.#place };
  }

  get #place(): string | null {
    return this.scan && describeScanPlace(this.scan);
  }

  get #noun() {
    return this.scan?.noun ?? "band";
  }

  /** What the field for bands offers. */
  get #choices() {
    const bands = this.#bands;
    const whole = this.measurement.isOfBands ? [] : [{ value: "", name: "whole lines" }];
    const all = bands.length < 2 ? [] : [{ value: ALL_BANDS, name: `all ${this.#noun}s` }];
    return [...whole, ...bands.map(({ id, name }) => ({ value: id, name })), ...all];
  }

  /** Peaks of the shown results and their threshold, a curve if F₀ moves, if a trace of their channel is shown. */
  inTraces(traces: readonly Trace[]): PeaksInTraces {
    const channel = this.scan?.group.channels[Number(this.#piece.value.channel)]?.name;
    return this.#peaks(this.#shown, traces.filter((trace) => trace.channel === channel));
  }

  get settings(): About {
    return mergeResultSettings(this.#all);
  }

  get hasPlot(): boolean {
    return this.measurement.overTime !== undefined;
  }

  get about(): About {
    return [...this.settings, ...listResultSummaries(this.#all)];
  }

  /** Number of items, 0 if a measurement found none; null before one. */
  get count(): number | null {
    return this.#all.length === 0 ? null : this.#all.reduce((sum, { items }) => sum + items.length, 0);
  }

  /** The table of all results. */
  get columns(): Column[] {
    return this.scan === null ? [] : makeResultColumns(this.measurement, this.#all, this.scan);
  }

  /** All results with their edits. */
  get edited(): readonly NamedResult[] {
    return this.#all;
  }

  /** A table of each result. */
  get tables(): ResultTable[] {
    const { scan, measurement } = this;
    if (scan === null) return [];
    return this.#all.map(({ result, items, quantities }) => ({
      result,
      columns: measurement.columns(items, scan.axes),
      quantities,
    }));
  }

  /** Values over time for a chart; null without any. */
  get series(): ChartSeries | null {
    const { scan, measurement: { overTime } } = this;
    if (scan === null || overTime === undefined) return null;
    const all = [
      ...this.#shown.filter((one) => this.#arriving === null || one.name !== ""),
      ...this.#arriving === null ? [] : [{ items: this.#arriving, name: "", color: "" }],
    ].filter(({ items }) => items.length > 0);
    return all.length === 0 ? null : makeChartSeries(overTime, all, scan.axes);
  }

  /** Describes the values nearest to a line; empty without one. */
  textAt(line: number): string {
    const { scan, measurement: { overTime } } = this;
    if (scan === null || overTime === undefined) return "";
    return this.#shown.flatMap(({ items, name }) => {
      const item = items[findNearestIndex(items, line)];
      return item === undefined ? [] : [`${name} ${formatItemValue(overTime, item, scan.axes)}`.trim()];
    }).join(" · ");
  }

  plot(span: LineSpan): SvgPlot | null {
    const { scan, measurement: { overTime } } = this;
    return scan === null || overTime === undefined ? null : makeValuePlot(this.#shown, overTime, scan, span);
  }

  marks(toScreen: (x: number, y: number) => [number, number]): Mark[] {
    const { scan, measurement } = this;
    if (scan === null) return [];
    return this.#shown.flatMap(({ items }) => drawOutlines(measurement, items, scan.axes, toScreen));
  }

  /** What the fields order, or why nothing can be measured. */
  #orders(): RegionOrder[] | string {
    const { scan, measurement } = this;
    if (scan === null || scan.group.channels.length === 0) return "There is no channel";
    if (measurement.isOfBands && this.#bands.length === 0) return `Draw a ${this.#noun} first.`;
    const { fault } = this.#fields;
    if (fault !== "") return fault;
    const { band, channel, settings } = this.#piece.value;
    return this.#regions(scan, band).map((region) => ({
      measurement,
      region,
      channel: Number(channel),
      settings,
      trace: this.#trace,
    }));
  }

  /** Orders for results again: of the shown ones by the fields, else by their own settings. */
  #sameOrders(scan: Scan<Samples>, results: readonly Result[]): RegionOrder[] {
    const chosen = this.#orders();
    return results.flatMap(({ of, settings }) => {
      const region = [...this.#bands.map(makeMeasuredRegion), wholeLines({ shape: findShape(scan) })]
        .find(({ id }) => id === of.band);
      if (region === undefined) return [];
      const own = typeof chosen === "string"
        ? undefined
        : chosen.find((order) => order.region.id === of.band && String(order.channel) === of.channel);
      const { measurement } = this;
      return [
        own ?? { measurement, region, channel: Number(of.channel), settings, trace: this.#trace },
      ];
    });
  }

  /** Measures with the settings of the fields. */
  async measure(): Promise<void> {
    const { scan } = this;
    const orders = this.#orders();
    if (typeof orders === "string" || scan === null) return void (this.#status.textContent = String(orders));
    if (this.measurement.isQuick) {
      this.#write(this.#withMade(this.#piece.value, orders));
      return this.#tell();
    }
    await this.#run(async (signal) => {
      let before = 0;
      const run = runBy(signal, (items, done, of) => {
        Object.assign(this.#work.progress, { max: orders.length, value: before + done / of });
        this.#arriving = items;
        this.changed();
      });
      const made = await measureBy(
        async (...order) => {
          const found = await run(...order);
          before += 1;
          return found;
        },
        makeRecording(scan),
        orders,
      );
      if (this.scan !== scan) return;
      this.#write(this.#withResults(this.#piece.value, made));
      this.#tell();
    });
  }

  /** Emits `results` if there is a result. */
  #tell() {
    if (this.#shown.length > 0) this.emit("results");
  }

  /** Like {@linkcode #withResults}, measured now: a quick measurement needs no workers. */
  #withMade(value: KeptMeasurement, orders: readonly RegionOrder[]) {
    return this.#withResults(value, followOrders(makeRecording(this.scan as Scan<Samples>), orders));
  }

  /** What is kept, with what was measured in place of the former results of the same regions and channels. */
  #withResults(value: KeptMeasurement, made: readonly (Result | Refusal)[]): KeptMeasurement {
    const scan = this.scan as Scan<Samples>;
    const results = made.filter((one) => !isRefusal(one)) as Result[];
    for (const result of results) {
      this.#samples.set(result, scan.group.channels[Number(result.of.channel)]!.samples);
    }
    const others = value.results.filter(({ of }) => !results.some((result) => isSameOf(result.of, of)));
    const [only] = made.length === 1 ? results : [];
    const isChosen = only !== undefined && isSameOf(only.of, value);
    const refused = made.filter(isRefusal);
    this.#status.textContent = refused.map(({ of, fault }) =>
      made.length === 1 ? fault : `${this.#nameOf(of)}: ${fault}`
    ).join(" ");
    return {
      ...value,
      ...isChosen && {
        settings: completeSettings(this.measurement, only.settings, this.#bandOf(scan, value.band)),
      },
      ...this.#placed([...others, ...results]),
    };
  }

  #nameOf({ band }: Of) {
    const own = this.#bands.find(({ id }) => String(id) === band)?.name;
    return own ?? (band === "" ? "whole lines" : "");
  }

  /** Adds the item nearest to the cursor. */
  async #add() {
    const [orders, place] = [this.#orders(), this.#cursor()];
    if (typeof orders === "string" || place === null) {
      this.#status.textContent = typeof orders === "string"
        ? orders
        : "Point at the line scan or move its cursor with the arrow keys, then add what is there.";
      return;
    }
    const at = { line: Math.floor(place.x), column: Math.floor(place.y) };
    const isAround = ({ region: { columns: [from, to] } }: RegionOrder) =>
      at.column >= from && at.column < to;
    const order = orders.find(isAround) ?? orders[0];
    if (order === undefined) return;
    const of = { band: order.region.id, channel: String(order.channel) };
    if (!this.#piece.value.results.some((result) => isSameOf(result.of, of))) await this.measure();
    await this.#addAt(order, at);
  }

  /** Adds what rises at a place, or a candidate that was rejected there. */
  #addAt(
    order: RegionOrder,
    at: { line: number; column: number },
    candidate: Item | null = null,
  ): Promise<void> {
    const { measurement, scan } = this;
    return this.#run(async (signal) => {
      if (scan === null) return;
      const recording = makeRecording(scan);
      const band = makeBand(recording, order.region.columns, order.trace);
      const plane = requirePlane(recording, order.channel);
      const settings = completeSettings(measurement, order.settings, band);
      const item = (measurement.isQuick
        ? measurement.at?.(plane, band, settings, at)
        : await measureAt(measurement, { plane, band, settings, at }, signal)) ?? candidate;
      const of = { band: order.region.id, channel: String(order.channel) };
      const shown = this.#shown.find(({ result }) =>
        isSameOf(result.of, of)
      );
      if (this.scan !== scan || shown === undefined) return;
      const isThere = item !== null && shown.items.some(isSameItemPlace(item));
      if (item === null || isThere) {
        this.#status.textContent = isThere ? "It is listed already." : "Nothing rises there.";
      } else this.#edit(shown, item, { added: { ...item, isByHand: true }, isRemoved: false });
    });
  }

  #edit(
    { result }: ShownResult,
    item: Item,
    change: Parameters<typeof withEdit>[4],
    field: HTMLInputElement | null = null,
  ) {
    const of = { result, place: this.#place };
    this.#write({ edits: withEdit(this.measurement, this.#piece.value.edits, of, item, change) }, field);
  }

  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (await this.#work.run(work) === null) return;
    // Partial results are shown only during the work.
    this.#arriving = null;
    this.changed();
  }

  /** The same object until the edits change. */
  #editedOf(scan: Scan<Samples>, result: Result): Edited {
    const { edits: all } = this.#piece.value;
    const of = [all, this.#trace, this.#place];
    const former = this.#edited.get(result);
    if (former?.of.every((part, i) => part === of[i])) return former.edited;
    const edits = all.filter((edit) => isHere(edit, this.#place));
    const edited = editResult(makeRecording(scan), this.measurement, result, edits, this.#trace);
    this.#edited.set(result, { of, edited });
    return edited;
  }

  /** Shows in the fields what is chosen. */
  #fill() {
    const { scan } = this;
    if (!scan?.isLineScan) return;
    const { band, channel, settings } = this.#piece.value;
    this.#channel.offer(scan.group.channels.map(({ name }, i) => ({ value: String(i), name })), channel);
    this.#band.offer(this.#choices, band);
    // What is typed and not valid stays until there are others.
    if (JSON.stringify(settings) !== JSON.stringify(this.#filled)) this.#fields.settings = settings;
    this.#filled = settings;
    this.#explain();
  }

  /** Applies the edits, and shows the results that the fields choose. */
  #show(isListed = true) {
    const { scan, measurement } = this;
    this.#fill();
    const { results: kept, band, channel } = this.#piece.value;
    const results = scan?.isLineScan ? kept : [];
    const channels = scan?.group.channels ?? [];
    const all = results.filter(({ of }) => channels[Number(of.channel)] !== undefined).map((result) => ({
      ...this.#editedOf(scan!, result),
      region: this.#nameOf(result.of),
      channel: channels[Number(result.of.channel)]!.name,
      color: this.#bands.find(({ id }) => String(id) === result.of.band)?.color ?? "",
      name: "",
    }));
    const isChosen = ({ result: { of } }: ShownResult) =>
      of.channel === channel && (of.band === band || band === ALL_BANDS && of.band !== "");
    const shown = all.filter(isChosen);
    this.#all = all;
    this.#shown = shown.length < 2 ? shown : shown.map((one) => ({ ...one, name: labelResult(one, shown) }));
    const [only, ...others] = this.#shown;
    const isOne = only !== undefined && others.length === 0;
    this.#summary.replaceChildren(...isOne ? makeSummaryLines(only.quantities) : []);
    this.#table.replaceChildren(...makeSummaryTable(measurement.title, this.#shown));
    // Keys scroll many bands.
    this.#table.tabIndex = this.#shown.length > 1 ? 0 : -1;
    if (!isListed || scan === null) return;
    this.#list.show(this.#shown, scan);
    this.#markRow();
    this.#histogram.replaceChildren(...makeDistribution(measurement, this.#shown, scan.axes));
    const isOpen = this.#rejected.querySelector("details")?.open ?? false;
    const take = (shown: ShownResult, item: Item) => this.#takeRejected(shown, item);
    this.#rejected.replaceChildren(...makeRejectedTable(measurement, this.#shown, scan, take));
    for (const details of this.#rejected.querySelectorAll("details")) details.open = isOpen;
  }

  #takeRejected({ result: { of } }: ShownResult, item: Item & { column?: number }) {
    const orders = this.#orders();
    if (typeof orders === "string") return void (this.#status.textContent = orders);
    const order = orders.find(({ region, channel }) =>
      region.id === of.band && String(channel) === of.channel
    );
    const at = { line: Math.round(item.line), column: Math.round(item.column ?? 0) };
    if (order !== undefined) this.#addAt(order, at, item);
  }

  /** Whether a chosen band has a result. */
  get isFilled(): boolean {
    return this.#shown.length > 0;
  }

  /** What the tables say of the summary, for a screen reader. */
  get words(): string {
    const [only, ...others] = this.#shown;
    const isOne = only !== undefined && others.length === 0;
    const count = `${formatCount(this.#shown.length)} ${this.#noun}s`;
    return `${this.measurement.title}: ${isOne ? writeSummary(only.quantities) : count}`;
  }

  /** The picked item; null without one. */
  get picked(): Picked | null {
    const [shown, item] = this.#found;
    if (shown === null || item === null || this.scan === null) return null;
    const { columns } = shown.result;
    const { overTime } = this.measurement;
    const column = (item as Item & { column?: number }).column ?? null;
    return { line: item.line, column, columns, value: overTime?.value(item, this.scan.axes) ?? null };
  }

  /** The picked item among the shown ones, which measuring again replaces. */
  get #found(): [ShownResult, Item] | [null, null] {
    const picked = this.#picked;
    const shown = picked && this.#shown.find(({ result }) => isSameOf(result.of, picked.of));
    const item = shown?.items.find(isSameItemPlace(picked!.item));
    return shown && item ? [shown, item] : [null, null];
  }

  #markRow() {
    const [shown, item] = this.#found;
    this.#list.mark(shown, item);
  }

  #pick({ result: { of } }: ShownResult, item: Item) {
    this.#picked = { of, item };
    this.#markRow();
    this.emit("pick");
  }

  unpick(): void {
    this.#picked = null;
    this.#markRow();
  }

  /** Picks the value nearest to a line of the chart. */
  pickAt(line: number): void {
    const [shown, item] = this.#nearest(line);
    if (shown !== undefined && item !== undefined) this.#pick(shown, item);
  }

  /** Picks the item whose line in the picture or peak in the chart is nearest, if one is near enough. @returns whether one is */
  pickNear(distance: (item: Item, outline: Outline) => number, reach: number): boolean {
    const { outline = () => [] } = this.measurement;
    const all = this.#shown.flatMap((shown) => shown.items.map((item) => ({ shown, item })));
    const away = all.map(({ item }) => distance(item, outline(item)));
    const least = away.reduce((best, one, i) => one < away[best]! ? i : best, 0);
    const nearest = all[least];
    if (nearest === undefined || !(away[least]! <= reach)) return false;
    this.#pick(nearest.shown, nearest.item);
    return true;
  }

  /** The value nearest to a line, of several results that of the band at the cursor. */
  #nearest(line: number): [ShownResult | undefined, Item | undefined] {
    const column = this.#cursor()?.y ?? -1;
    const isAround = ({ result: { columns: [from, to] } }: ShownResult) => column >= from && column < to;
    const shown = this.#shown.find(isAround) ?? this.#shown[0];
    return [shown, shown?.items[findNearestIndex(shown.items, line)]];
  }

  /** Leaves out the value nearest to a line, or takes it in again. */
  toggle(line: number): void {
    const { scan, measurement: { overTime } } = this;
    const [shown, item] = this.#nearest(line);
    if (this.#work.isRunning || shown === undefined || item === undefined || scan === null) return;
    if (overTime === undefined || !countsAsValue(overTime, { ...item, isLeftOut: false }, scan.axes)) return;
    this.#edit(shown, item, { isLeftOut: !item.isLeftOut });
  }
}
