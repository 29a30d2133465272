/** The panel of a measurement of a band (measurement.ts): its settings, what was found, and edits by hand. */
import { significant } from "../../../measure/axes.ts";
import {
  type Band as MeasuredBand,
  columnName,
  factsOf,
  type Found,
  type Item,
  measured,
  type Measurement,
  type Quantity,
  type Settings,
  settingsOf,
  summaryOf,
} from "../../../measure/measurement.ts";
import { NEW_TRACE, PLAIN_TRACE } from "../../../measure/band_trace.ts";
import { element, unbroken } from "../controls/element.ts";
import { button, choiceField, fieldRow } from "../controls/fields.ts";
import { help } from "../controls/help.ts";
import { type Drawn, type KeptMeasurement, MOST_ROWS } from "./drawn.ts";
import { ItemList } from "./item_list.ts";
import { nearestTo, Panel, panel, plotOver, type Span } from "./panel.ts";
import { ParameterFields } from "./parameter_fields.ts";
import { type About, placeOf, quantitiesText, type Scan, shapeOf } from "./scan.ts";
import { BASELINE_COLOR, type ChartCurve } from "./trace_curves.ts";
import {
  counts,
  outlineMarks,
  rangeOf,
  type Series,
  SERIES_RANGE,
  seriesOf,
  valueText,
} from "./values_over_time.ts";
import { Work } from "./work.ts";
import { measuredAt, measuredInWorkers, type OnFound } from "./workers.ts";
import type { Channel } from "../picture/channel.ts";
import type { Plane } from "../../../measure/velocity.ts";
import { type Band, bandsOf } from "../drawing/region.ts";
import type { Trace } from "./band_traces.ts";
import type { TraceSettings } from "../../../measure/baseline.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Mark } from "../picture/marks.ts";

interface Ordered {
  scan: Scan;
  channel: Channel;
  /** Name of the measured part of the lines. */
  part: string;
  of: KeptMeasurement["of"];
  order: { plane: Plane; band: MeasuredBand; settings: Settings };
}

type Result = Pick<KeptMeasurement, "of" | "columns" | "measured" | "about"> & {
  samples: Float32Array | null;
};

const NO_RESULT: Result = {
  of: { band: "", channel: "" },
  columns: [0, 0],
  measured: {},
  about: [],
  samples: null,
};

/** What a measurement of events adds to its settings. */
type Threshold = { trace?: TraceSettings; f0: number; height: number };

/** Dash of a threshold above an F₀ that moves. */
const THRESHOLD_DASH = "4 6";

/** Emits `change` when settings or results change. */
export class MeasurementPanel extends Panel {
  #bands: readonly Band[] = [];
  /** How the traces of the bands are made. */
  #trace = NEW_TRACE;
  #found: readonly Item[] = [];
  /** What a measurement has found so far, for the chart. */
  #arriving: readonly Item[] | null = null;
  /** The last threshold above an F₀ that moves, and what it was made of. */
  #threshold: { of: unknown[]; curve: ChartCurve | null } = { of: [], curve: null };
  /** Summary of `#found`. */
  quantities: readonly Quantity[] = [];
  /** How `#found` was measured. */
  #result: Result = NO_RESULT;
  readonly #band;
  readonly #channel;
  readonly #fields;
  readonly #range = element("p", { className: "hint" });
  readonly #status = element("p", { className: "result", role: "status" });
  readonly #list;
  readonly #start;
  readonly #work;
  readonly #cursor;
  readonly measurement: Measurement;
  readonly element: HTMLDivElement;

  constructor(measurement: Measurement, cursor: () => { x: number; y: number } | null = () => null) {
    super();
    const { key, title, hint, parameters, overTime, at, help: sections = [] } = measurement;
    this.measurement = measurement;
    this.#cursor = cursor;
    this.#band = choiceField("In", `${key}-band`, [], () => this.#typed());
    this.#channel = choiceField("Channel", `${key}-channel`, [], () => this.#typed());
    this.#fields = new ParameterFields(key, parameters, (key) => this.#typed(key));
    this.#list = new ItemList(measurement, {
      onNote: (i, note) => {
        this.#found = this.#found.with(i, { ...this.#found[i]!, note });
        this.changed();
      },
      onRemove: (i) => {
        this.#edit(this.#found.toSpliced(i, 1));
        this.changed();
      },
    });
    this.#start = button("Measure", () => this.#work.isRunning ? this.#work.cancel() : this.measure(), {
      id: `${key}-start`,
    });
    this.#work = new Work(title, this.#status, [this.#start]);
    const edits = [
      ...overTime
        ? [button("Leave out at the cursor", () => {
          const line = cursor()?.x;
          if (line !== undefined) this.toggle(line);
        }, {
          title: "Leaves the value at the cursor out, or takes it in again; as a click in the chart does",
        })]
        : [],
      ...at
        ? [
          button("Add at cursor", () => this.#add(), { id: `${key}-add` }),
          button("Clear", () => this.#clear(), { id: `${key}-clear` }),
        ]
        : [],
    ];
    this.element = panel(
      element("p", { className: "hint", textContent: hint }),
      fieldRow(this.#band.label, this.#channel.label, ...this.#fields.labels),
      this.#range,
      fieldRow(this.#start, this.#work.progress, ...edits),
      this.#status,
      ...sections.length === 0 ? [] : [
        element(
          "p",
          { className: "hint" },
          ...sections.flatMap(([anchor, name]) => [`${name} `, help(anchor, name), " "]),
        ),
      ],
      this.#list.element,
    );
  }

  /** Settings and results, to be stored as JSON; null for images. */
  get kept(): KeptMeasurement | null {
    if (!this.scan?.isLineScan) return null;
    const { samples: _, ...result } = this.#result;
    return {
      ...this.#chosen,
      settings: this.#fields.settings,
      ...result,
      found: this.#found,
      place: this.#found.length === 0 ? "" : placeOf(this.scan),
    };
  }

  /** Starts with another picture. @param drawn measured in it before */
  begin(scan: Scan, drawn: Drawn | null): void {
    this.#forget();
    this.scan = scan;
    if (scan.isLineScan) {
      const kept = drawn?.measured?.[this.measurement.key];
      const { channels, shown } = scan.group;
      this.#channel.offer(
        channels.map(({ name }, i) => ({ value: String(i), name })),
        kept?.channel ?? String(Math.max(0, channels.findIndex((channel) => channel === shown[0]))),
      );
      this.listBands(bandsOf(drawn?.regions ?? []), drawn?.traces ?? NEW_TRACE);
      if ([...this.#band.select.options].some(({ value }) => value === (kept?.band ?? ""))) {
        this.#band.select.value = kept?.band ?? "";
      }
      this.#fields.timeUnit = this.timeUnit;
      this.#fields.settings = settingsOf(this.measurement, kept?.settings ?? {}, this.#bandOf(scan));
      this.#explain();
      // Another time point or focus has other results.
      if (kept && kept.found.length > 0 && (kept.place === null || kept.place === placeOf(scan))) {
        const { of, columns, measured, about, found } = kept;
        const samples = channels[Number(of.channel)]?.samples ?? null;
        this.#result = { of, columns, measured, about, samples };
        this.#show(found);
      }
    }
    this.changed();
  }

  /** Values of the fields for band and channel. */
  get #chosen() {
    return { band: this.#band.select.value, channel: this.#channel.select.value };
  }

  /** A setting has changed. */
  #typed(key?: string) {
    const { typed } = this.measurement;
    if (key !== undefined && typed !== undefined) {
      this.#fields.settings = typed(this.#fields.settings, key);
    }
    this.#explain();
    this.changed();
    this.#measureAgain();
  }

  /** Measures again after the order has changed, if the measurement is quick and was run before. */
  #measureAgain() {
    if (!this.measurement.isQuick || this.#result.about.length === 0) return;
    const ordered = this.#order();
    if (typeof ordered !== "string") this.#measureNow(ordered);
  }

  /** Describes what the settings can measure. */
  #explain() {
    const { scan, measurement: { explain } } = this;
    if (!scan?.isLineScan || explain === undefined) return;
    this.#range.textContent = explain(this.#fields.settings, this.#bandOf(scan));
  }

  /** The chosen part of a line scan. */
  #bandOf(scan: Scan) {
    const band = this.#bands.find(({ id }) => String(id) === this.#band.select.value);
    const [lines, columns] = shapeOf(scan);
    const { from = 0, to = columns } = band ?? {};
    return {
      columns: [from, to] as const,
      axes: scan.axes,
      lines,
      pixelTime: scan.pixelTime,
      isTyped: scan.isTyped,
      trace: this.#trace,
    };
  }

  /** Samples of another time or focus make earlier results invalid: measures again, or drops them. */
  refresh(): void {
    const { samples: measured } = this.#result;
    const isThere = this.scan?.group.channels.some(({ samples }) => samples === measured) ?? false;
    if (measured === null || isThere) return;
    if (this.measurement.isQuick) return this.#measureAgain();
    this.#clear();
  }

  #clear() {
    this.#forget();
    this.changed();
  }

  #forget() {
    this.#work.end();
    this.#result = NO_RESULT;
    this.#status.textContent = "";
    this.#found = [];
    this.#arriving = null;
    this.quantities = [];
    this.#list.clear();
  }

  /** @param trace how their traces are made */
  listBands(bands: readonly Band[], trace: TraceSettings): void {
    const { isQuick, isOfBands } = this.measurement;
    this.#bands = bands.map((band) => ({ ...band }));
    this.#trace = trace;
    const chosen = this.#band.select.value;
    const whole = isOfBands ? [] : [{ value: "", name: "whole lines" }];
    this.#band.offer([...whole, ...bands.map(({ id, name }) => ({ value: String(id), name }))]);
    this.#explain();
    const { about, columns, measured } = this.#result;
    if (!isQuick || about.length === 0 || this.scan === null) return;
    const order = [this.#bandOf(this.scan).columns, trace];
    if (this.#band.select.value !== chosen) this.#clear();
    else if (JSON.stringify(order) !== JSON.stringify([columns, measured.trace])) this.#measureAgain();
  }

  /** Chooses a band by its id. */
  choose(band: string): void {
    this.#band.select.value = band;
  }

  get found(): readonly Item[] {
    return this.#found;
  }

  /** Lines of the results and their threshold, a curve if F₀ moves, if a trace of their channel is shown. */
  inTraces(traces: readonly Trace[]): {
    events: number[];
    level: number;
    threshold: null;
  } | {
    events: number[];
    level: null;
    threshold: ChartCurve | null;
  } {
    const channel = this.scan?.group.channels[Number(this.#channel.select.value)]?.name;
    const { about } = this.#result;
    const isShown = about.length > 0 && traces.some((trace) => trace.channel === channel);
    if (!isShown) return { events: [], level: null, threshold: null };
    const { of: { band }, measured } = this.#result;
    const { trace, f0, height } = measured as Threshold;
    const own = traces.find((one) => one.channel === channel && String(one.band.id) === band);
    const course = trace?.isChange ? null : own?.f0.course ?? null;
    const events = this.#found.map(({ line }) => line);
    if (own === undefined || course === null) return { events, level: height, threshold: null };
    const of = [course, height - f0];
    if (of.some((part, i) => part !== this.#threshold.of[i])) {
      const values = course.map((value) => value + height - f0);
      this.#threshold = { of, curve: { color: BASELINE_COLOR, dash: THRESHOLD_DASH, values } };
    }
    return { events, level: null, threshold: this.#threshold.curve };
  }

  get settings(): About {
    return this.#result.about;
  }

  get hasPlot(): boolean {
    return this.measurement.overTime !== undefined;
  }

  get about(): About {
    const facts = this.quantities.map((quantity) => {
      const { value } = quantity;
      return [columnName(quantity), typeof value === "number" ? significant(value, 6) : value];
    });
    return [...this.settings, ...(facts as About)];
  }

  get columns(): Column[] {
    return this.scan === null ? [] : this.measurement.columns(this.#found, this.scan.axes);
  }

  /** Values over time for a chart; null without any. */
  get series(): Series | null {
    const [{ scan, measurement: { overTime } }, found] = [this, this.#arriving ?? this.#found];
    return scan === null || overTime === undefined || found.length === 0
      ? null
      : seriesOf(overTime, found, scan.axes);
  }

  /** Describes the value nearest to a line; empty without one. */
  textAt(line: number): string {
    const { scan, measurement: { overTime } } = this;
    const item = this.#found[nearestTo(this.#found, line)];
    return item === undefined || scan === null || overTime === undefined
      ? ""
      : valueText(overTime, item, scan.axes);
  }

  plot(span: Span): {
    y: {
      title: string;
      low: number;
      high: number;
    };
    traces: ({
      name: string;
      color: string;
      x: number[];
      y: number[];
    } | {
      isDots: boolean;
      name: string;
      color: string;
      x: number[];
      y: number[];
    })[];
    width: number;
    height: number;
    x: {
      low: number;
      high: number;
      title: string;
    };
    note: string;
  } | null {
    const { scan, series, timeStep } = this;
    if (scan === null || series === null || series.points.length === 0) return null;
    const { points, title } = series;
    const trace = {
      name: "",
      color: "#0072b2",
      x: points.map(({ line }) => line * timeStep),
      y: points.map(({ value }) => value),
    };
    const y = { ...rangeOf({ curves: [], points, level: null, least: SERIES_RANGE }, span), title };
    return { ...plotOver(scan, span), y, traces: [trace, { ...trace, isDots: true }] };
  }

  marks(toScreen: (x: number, y: number) => [number, number]): Mark[] {
    return this.scan === null ? [] : outlineMarks(this.measurement, this.#found, this.scan.axes, toScreen);
  }

  /** What the fields order, or why nothing can be measured. */
  #order(): Ordered | string {
    const { scan, measurement: { isOfBands } } = this;
    const channel = scan?.group.channels[Number(this.#channel.select.value)];
    if (scan === null || channel === undefined) return "There is no channel";
    if (isOfBands && this.#bands.length === 0) return "Draw a band first.";
    const { fault, settings } = this.#fields;
    if (fault !== "") return fault;
    const plane = { samples: channel.samples, shape: shapeOf(scan) };
    const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
    return { scan, channel, part, of: this.#chosen, order: { plane, band: this.#bandOf(scan), settings } };
  }

  /**
   * Measures with the settings of the fields.
   *
   * @param outer cancels it, besides the button
   * @returns why nothing was measured; empty after success
   */
  async measure(outer?: AbortSignal): Promise<string> {
    const ordered = this.#order();
    if (typeof ordered === "string") return this.#status.textContent = ordered;
    if (this.measurement.isQuick) return this.#measureNow(ordered);
    return await this.#run(async (signal) => {
      const onFound: OnFound = (found, done, of) => {
        Object.assign(this.#work.progress, { max: of, value: done });
        this.#arriving = found;
        this.changed();
      };
      const measured = await measuredInWorkers(this.measurement, ordered.order, { signal, onFound });
      if (this.scan === ordered.scan) this.#keep(measured, ordered);
    }, outer);
  }

  /** Runs a quick measurement, without workers. @returns why nothing was measured; empty after success */
  #measureNow(ordered: Ordered): string {
    const { plane, band, settings } = ordered.order;
    try {
      this.#keep(measured(this.measurement, plane, band, settings), ordered);
      this.changed();
      return "";
    } catch (error) {
      return this.#status.textContent = (error as Error).message;
    }
  }

  /** @throws {RangeError} too many items */
  #keep({ found, settings }: Found, { channel, part, of, order: { band } }: Ordered) {
    const { at, noun } = this.measurement;
    if (at !== undefined && found.length > MOST_ROWS) {
      throw new RangeError(`${found.length} ${noun}s are more than ${MOST_ROWS}: raise the threshold`);
    }
    const { columns } = band;
    this.#fields.settings = settings;
    this.#explain();
    const [method, ...facts] = factsOf(this.measurement, settings, band);
    const about = [
      method,
      ["Channel", channel.name],
      ["Part of the lines", `${part}, columns ${columns[0]} to ${columns[1] - 1}`],
      ...facts,
    ] as About;
    this.#result = { of, columns, measured: settings, about, samples: channel.samples };
    const notes = this.#found.filter(({ note = "" }) => note !== "");
    const noted = notes.length === 0
      ? found
      : found.map((item) => ({ ...item, note: notes.find(isSamePlace(item))?.note } as Item));
    const byHand = this.#found.filter((item) => item.isByHand && !found.some(isSamePlace(item)));
    if (byHand.length === 0) this.#show(noted);
    else this.#edit([...noted, ...byHand]);
  }

  /** Adds the item nearest to the cursor. */
  async #add() {
    const [ordered, place] = [this.#order(), this.#cursor()];
    if (typeof ordered === "string" || place === null) {
      this.#status.textContent = typeof ordered === "string"
        ? ordered
        : "Point at the line scan or move its cursor with the arrow keys, then add what is there.";
      return;
    }
    const { measurement, scan } = this;
    if (this.#result.about.length === 0) await this.measure();
    const at = { line: Math.floor(place.x), column: Math.floor(place.y) };
    await this.#run(async (signal) => {
      const { plane, band, settings } = ordered.order;
      const item = measurement.isQuick
        ? measurement.at?.(plane, band, settings, at) ?? null
        : await measuredAt(measurement, { ...ordered.order, at }, signal);
      if (this.scan !== scan) return;
      const isThere = item !== null && this.#found.some(isSamePlace(item));
      if (item === null || isThere) {
        this.#status.textContent = isThere ? "It is listed already." : "Nothing rises there.";
      } else this.#edit([...this.#found, { ...item, isByHand: true }]);
    });
  }

  /** Shows items after some were added or removed. */
  #edit(found: readonly Item[]) {
    const { scan, measurement: { again } } = this;
    const { samples, columns, measured: { trace = PLAIN_TRACE } } = this.#result;
    if (again === undefined || scan === null || samples === null) return this.#show(found);
    this.#show(again({ samples, shape: shapeOf(scan) }, { ...this.#bandOf(scan), columns, trace }, found));
  }

  /** @returns why it failed; empty after success */
  async #run(work: (signal: AbortSignal) => Promise<void>, outer?: AbortSignal): Promise<string> {
    const fault = await this.#work.run(work, outer);
    // Partial results are shown only during the work.
    if (fault !== null) this.#arriving = null;
    if (fault !== null) this.changed();
    return fault ?? "";
  }

  /** @param found in any order */
  #show(found: readonly Item[]) {
    this.#found = found.toSorted((a, b) => a.line - b.line);
    const { columns, measured } = this.#result;
    const band = { ...this.#bandOf(this.scan as Scan), columns };
    this.quantities = summaryOf(this.measurement, this.#found, band, measured);
    this.#status.replaceChildren(...unbroken(quantitiesText(this.quantities)));
    if (this.measurement.at !== undefined) this.#list.show(this.#found, band.axes);
  }

  /** Excludes the value nearest to a line, or includes it again. */
  toggle(line: number): void {
    const { scan, measurement: { overTime } } = this;
    const place = nearestTo(this.#found, line);
    const item = this.#found[place];
    if (this.#work.isRunning || item === undefined || scan === null || overTime === undefined) return;
    if (!counts(overTime, { ...item, isLeftOut: false }, scan.axes)) return;
    this.#show(this.#found.with(place, { ...item, isLeftOut: !item.isLeftOut }));
    this.changed();
  }
}

type Placed = { line: number; column?: number };

/** Whether another item lies at the same place; items of traces have no column. */
const isSamePlace = ({ line, column = 0 }: Placed): (other: Placed) => boolean => (other) =>
  other.line === line && Math.abs((other.column ?? 0) - column) < 1;
