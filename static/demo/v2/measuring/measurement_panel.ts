/** The panel of a measurement of bands (measurement.ts): its settings, its results, and edits by hand. */
import { formatCount } from "../../../measure/axes.ts";
import { concernsResult, type Edit, isHere, isSameItemPlace, withEdit } from "../../../measure/edits.ts";
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
  isSameOf,
  makeBand,
  measureBy,
  type Refusal,
  type RegionOrder,
  requirePlane,
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
import { Measurable, type MeasuredIn } from "./measurable.ts";
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
import { isDoneAtOnce, measureAt, measureTogether, runBy } from "./workers.ts";
import { ALL_BANDS } from "../drawing/region.ts";
import type { Traced } from "./traced.ts";
import type { Trace } from "./band_traces.ts";
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
  /** What is measured; null without lines over time. */
  #measurable: Measurable | null = null;
  /** Of the shown picture: what another document has restored counts as measured in it. */
  #measuredIn: MeasuredIn = new WeakMap();
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
  /** Items whose distribution is drawn. */
  #drawn: readonly (readonly Item[])[] = [];
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
  follow(traced: Traced, trace: TraceSettings): void {
    const [{ scan, bands }, former] = [traced, this.#measurable];
    const isOther = scan !== this.scan;
    if (!isOther && bands === former?.bands && trace === former.trace) return;
    this.scan = scan;
    this.#measurable = scan.isLineScan
      ? new Measurable(this.measurement, traced, trace, this.#measuredIn)
      : null;
    this.#fields.timeUnit = this.timeUnit;
    this.#fields.lineUnit = scan.noun === "band" ? "lines" : "images";
    this.#update();
    // Regions that were moved have lost their results.
    if (isOther && former !== null && this.#measurable !== null) this.#measureAgain();
  }

  /** Leaves the picture: ends what is being measured in it. */
  leave(): void {
    this.scan = this.#measurable = this.#filled = null;
    this.#measuredIn = new WeakMap();
    this.#forget();
  }

  /** Shows the piece, without results that do not hold. */
  #update() {
    const [{ value }, measurable] = [this.#piece, this.#measurable];
    if (measurable !== null) this.#settle(measurable, value);
    else if (this.scan !== null && value.results.length > 0) {
      this.#piece.amend({ ...value, results: [], place: "" });
    }
    const wasFilled = this.isFilled;
    this.#show();
    if (wasFilled || this.isFilled) this.changed();
  }

  /** Drops results that do not hold; what is quick is measured again. Both belong to the step before. */
  #settle(measurable: Measurable, value: KeptMeasurement) {
    const { kept, again } = measurable.settle(measurable.complete(value));
    if (kept.results.length < value.results.length) this.#status.textContent = "";
    this.#piece.amend(kept);
    if (again.length > 0) this.#makeAgain(measurable, measurable.ordersAgain(kept, again));
  }

  /** Measures again; many lines later, in workers. */
  #makeAgain(measurable: Measurable, orders: readonly RegionOrder[]) {
    if (isDoneAtOnce(orders, findShape(measurable.scan)[0])) {
      return this.#piece.amend(this.#withMade(measurable, measurable.follow(orders)));
    }
    this.#run(async (signal) => {
      const made = await this.#measureInWorkers(measurable, orders, signal);
      this.#piece.amend(this.#withMade(measurable, made));
      this.#show();
    });
  }

  /** Changes the piece as the user wants it. @param field of the list that is being typed in, and stays */
  #write(change: Partial<KeptMeasurement>, field: HTMLInputElement | null = null) {
    this.#piece.write({ ...this.#piece.value, ...change }, field);
    this.#show(field === null);
    this.changed();
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
    const [orders, measurable] = [this.#orders(), this.#measurable];
    if (typeof orders === "string" || measurable === null) return;
    if (!isDoneAtOnce(orders, findShape(measurable.scan)[0])) return this.#makeAgain(measurable, orders);
    this.#write(this.#withMade(measurable, measurable.follow(orders)));
  }

  /** Describes what the settings can measure. */
  #explain() {
    const [measurable, { explain }] = [this.#measurable, this.measurement];
    if (measurable === null || explain === undefined) return;
    const { settings, band } = this.#piece.value;
    this.#range.textContent = explain(settings, measurable.bandOf(band));
  }

  /** Call when samples or shown channels may have changed: samples of another time or focus make earlier results invalid. */
  refresh(): void {
    if (this.#measurable?.isCurrent(this.#piece.value) === false) this.#update();
  }

  /** Removes the shown results with their edits. */
  #clear() {
    const [shown, measurable] = [this.#shown, this.#measurable];
    if (measurable === null) return;
    this.#work.end();
    this.#status.textContent = "";
    const isOfShown = (edit: Edit) =>
      isHere(edit, this.#place) && shown.some(({ result: { of } }) => concernsResult(edit, of));
    const { value } = this.#piece;
    const left = value.results.filter((result) => !shown.some((one) => one.result === result));
    const edits = value.edits.filter((edit) => !isOfShown(edit));
    this.#write(measurable.withResults({ ...value, edits }, left));
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

  get #place(): string | null {
    return this.scan && describeScanPlace(this.scan);
  }

  get #noun() {
    return this.scan?.noun ?? "band";
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
    const orders = this.#measurable?.orders(this.#piece.value) ?? "There is no channel";
    return typeof orders === "string" ? orders : this.#fields.fault || orders;
  }

  /** Measures with the settings of the fields. */
  async measure(): Promise<void> {
    const [orders, measurable] = [this.#orders(), this.#measurable];
    if (typeof orders === "string" || measurable === null) {
      return void (this.#status.textContent = String(orders));
    }
    if (isDoneAtOnce(orders, findShape(measurable.scan)[0])) {
      this.#write(this.#withMade(measurable, measurable.follow(orders)));
      return this.#tell();
    }
    await this.#run(async (signal) => {
      const made = await this.#measureInWorkers(measurable, orders, signal);
      if (this.scan !== measurable.scan) return;
      this.#write(this.#withMade(measurable, made));
      this.#tell();
    });
  }

  /** Follows orders in workers, and shows their progress. */
  async #measureInWorkers(measurable: Measurable, orders: readonly RegionOrder[], signal: AbortSignal) {
    const { recording, samples } = measurable;
    const say = (value: number) => Object.assign(this.#work.progress, { max: orders.length, value });
    let before = 0;
    const run = runBy(signal, (items, done, of) => {
      say(before + done / of);
      this.#arriving = items;
      this.changed();
    });
    const runNext: typeof run = async (...order) => {
      const found = await run(...order);
      before += 1;
      return found;
    };
    const made = this.measurement.isQuick
      ? await measureTogether(signal, recording, orders, say)
      : await measureBy(runNext, recording, orders);
    // What was measured in another image must not stand for this one.
    if (measurable.samples.every((one, i) => one === samples[i])) return made;
    throw new RangeError("Another position is shown meanwhile: measure again");
  }

  /** Emits `results` if there is a result. */
  #tell() {
    if (this.#shown.length > 0) this.emit("results");
  }

  /** What is kept, with what was measured; says what was refused. */
  #withMade(measurable: Measurable, made: readonly (Result | Refusal)[]): KeptMeasurement {
    this.#status.textContent = measurable.explainRefusals(made);
    return measurable.withMade(this.#piece.value, made);
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
    const trace = this.#measurable?.trace ?? NEW_TRACE;
    const of = [all, trace, this.#place];
    const former = this.#edited.get(result);
    if (former?.of.every((part, i) => part === of[i])) return former.edited;
    const edits = all.filter((edit) => isHere(edit, this.#place));
    const edited = editResult(makeRecording(scan), this.measurement, result, edits, trace);
    this.#edited.set(result, { of, edited });
    return edited;
  }

  /** Shows in the fields what is chosen. */
  #fill() {
    const measurable = this.#measurable;
    if (measurable === null) return;
    const { band, channel, settings } = this.#piece.value;
    this.#channel.offer(
      measurable.scan.group.channels.map(({ name }, i) => ({ value: String(i), name })),
      channel,
    );
    this.#band.offer(measurable.choices, band);
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
      region: this.#measurable?.nameOf(result.of) ?? "",
      channel: channels[Number(result.of.channel)]!.name,
      color: this.#measurable?.bands.find(({ id }) => id === result.of.band)?.color ?? "",
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
    const items = this.#shown.map(({ items }) => items);
    if (items.length !== this.#drawn.length || items.some((one, i) => one !== this.#drawn[i])) {
      this.#drawn = items;
      this.#histogram.replaceChildren(...makeDistribution(measurement, this.#shown, scan.axes));
    }
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
