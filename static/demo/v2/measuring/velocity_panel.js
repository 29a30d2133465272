/** Velocity over time: part of the lines, windows and results. */
import { tableUnit } from "../../../measure/axes.js";
import { columnName, pulseOf } from "../../../measure/measurement.js";
import { isNumber, velocitySummary } from "../../../measure/velocity_summary.js";
import {
  METHODS,
  physicalVelocity,
  resolvable,
  SHORTEST_WINDOW,
  velocityUnit,
} from "../../../measure/velocity.js";
import { firstWindow } from "../../../measure/window_choice.js";
import { element, unbroken } from "../controls/element.js";
import { button, choiceField, countField, fieldRow, numberField } from "../controls/fields.js";
import { help } from "../controls/help.js";
import { bandChoices, nearestTo, Panel, plotOver, velocityColumn } from "./panel.js";
import {
  lineTimeOf,
  placeOf,
  quantitiesText,
  quantity,
  rounded,
  shapeOf,
  significant,
  velocityText,
} from "./scan.js";
import { rangeOf, SERIES_RANGE } from "./trace_charts.js";
import { measureVelocities } from "./velocities.js";

/** @import { VelocityAt } from "../../../measure/velocity.js" */
/** @import { Band } from "./bands.js" */
/** @import { Scan } from "./scan.js" */

/** Colour of a saved plot. */
const COLOR = "#0072b2";

/** Emits `change` when velocities change. */
export class VelocityPanel extends Panel {
  /** @type {readonly Band[]} */
  #bands = [];
  /** @type {readonly VelocityAt[]} */
  #found = [];
  /** Measured velocities in the axes' units. @type {import("./trace_charts.js").Series["points"]} */
  points = [];
  /** Windows without a number and those left out. @type {import("./trace_charts.js").Series["gaps"]} */
  #gaps = [];
  /** The measured samples. @type {Float32Array | null} */
  #samples = null;
  /** Describes the measurement. @type {import("./panel.js").About} */
  #about = [];
  /** @type {AbortController | null} */
  #running = null;
  #band = choiceField("In", "velocity-band", [], () => this.#chosen());
  #channel = choiceField("Channel", "velocity-channel", [], () => this.#chosen());
  /** Whether the measurement chooses the window: until the user does. */
  #isAutomatic = true;
  #window = numberField("Window", "velocity-window", 1, (window) => this.#typed(window), {
    min: SHORTEST_WINDOW,
    step: 1,
    unit: "lines",
  });
  #step = countField("every", "velocity-step", 1, "lines", () => this.#typed());
  #pixelTime = numberField("Time per pixel", "velocity-pixel-time", 0, () => this.#chosen(), {
    min: 0,
    unit: "µs",
  });
  #method = choiceField(
    "Method",
    "velocity-method",
    [
      { value: "autocorrelation", name: "autocorrelation" },
      { value: "radon", name: "Radon, as published" },
      { value: "piv", name: "PIV, as published" },
    ],
    () => this.#chosen(),
  );
  #range = element("p", { className: "hint" });
  #result = element("p", { className: "result", role: "status" });
  #progress = element("progress", { hidden: true, "aria-label": "Velocities" });
  #start = button("Measure velocities", () => this.#toggle(), { id: "velocity-start" });

  /** @param {() => number | null} [cursor] line of the cursor */
  constructor(cursor = () => null) {
    super();
    const leaveOut = button("Leave out at the cursor", () => {
      const line = cursor();
      if (line !== null) this.toggle(line);
    }, { title: "Leaves the window at the cursor out, or takes it in again; as a click in the chart does" });
    const fields = [this.#band, this.#channel, this.#window, this.#step, this.#pixelTime, this.#method].map((
      { label },
    ) => label);
    this.#window.label.append(help("window", "window"));
    this.#pixelTime.label.append(help("time-along-the-line", "time per pixel"));
    this.#method.label.append(help("methods", "method"));
    this.element = element(
      "div",
      { className: "panel" },
      fieldRow(...fields),
      this.#range,
      fieldRow(this.#start, this.#progress),
      this.#result,
      element(
        "p",
        { className: "hint" },
        "Summary ",
        help("summary-of-velocities", "summary"),
        " Verdicts ",
        help("verdicts", "verdicts"),
        " Confidence ",
        help("confidence", "confidence"),
        " Standard error ",
        help("standard-error", "standard error"),
      ),
      fieldRow(leaveOut),
    );
  }

  /** To be kept as JSON; null for images. @returns {import("./drawn.js").KeptVelocities | null} */
  get kept() {
    if (!this.scan?.isLineScan) return null;
    return {
      band: this.#band.select.value,
      channel: this.#channel.select.value,
      window: this.#window.number,
      step: this.#step.number,
      isAutomatic: this.#isAutomatic,
      pixelTime: this.#pixelTime.number,
      method: this.#windows.method,
      found: this.#found,
      about: this.#about,
      place: this.#found.length === 0 ? "" : placeOf(this.scan),
    };
  }

  /** Starts with another picture. @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn measured in it before */
  begin(scan, drawn) {
    this.#forget();
    this.scan = scan;
    if (scan.isLineScan) {
      this.#isAutomatic = true;
      this.#setWindow(firstWindow(lineTimeOf(scan), shapeOf(scan)[0]));
      this.#pixelTime.number = 1e6 * scan.pixelTime;
      this.#method.select.value = "autocorrelation";
      this.#channel.offer(scan.group.channels.map(({ name }, i) => ({ value: String(i), name })), "0");
      this.listBands(drawn?.bands ?? []);
      if (drawn?.velocities) this.#take(drawn.velocities, scan);
    }
    this.changed();
  }

  /** @param {import("./drawn.js").KeptVelocities} kept @param {Scan} scan */
  #take({ band, channel, window, step, isAutomatic, pixelTime, method, found, about, place }, scan) {
    for (const [{ select }, value] of /** @type {const} */ ([[this.#band, band], [this.#channel, channel]])) {
      if ([...select.options].some((option) => option.value === value)) select.value = value;
    }
    this.#window.number = window;
    this.#step.number = step;
    this.#isAutomatic = isAutomatic ?? false;
    this.#pixelTime.number = pixelTime ?? 0;
    this.#method.select.value = method ?? "autocorrelation";
    this.#explain();
    // Another time point or focus has other velocities.
    if (found.length === 0 || (place !== null && place !== placeOf(scan))) return;
    this.#samples = scan.group.channels[0]?.samples ?? null;
    this.#about = about;
    this.#show(found, scan);
  }

  /** @param {number} window lines */
  #setWindow(window) {
    this.#window.number = window;
    this.#step.number = Math.max(1, Math.floor(window / 2));
  }

  /** @param {number} [window] lines, half of which are a new step */
  #typed(window) {
    this.#isAutomatic = false;
    if (window !== undefined) this.#setWindow(window);
    this.#chosen();
  }

  #chosen() {
    this.#explain();
    this.changed();
  }

  /** Samples of another time or focus make earlier velocities invalid. */
  refresh() {
    const isThere = this.scan?.group.channels.some(({ samples }) => samples === this.#samples) ?? false;
    if (this.#samples === null || isThere) return;
    this.#forget();
    this.changed();
  }

  #forget() {
    this.#running?.abort();
    this.#samples = null;
    this.#found = [];
    this.#about = [];
    this.points = [];
    this.#gaps = [];
    this.#result.textContent = "";
  }

  /** @param {readonly Band[]} bands */
  listBands(bands) {
    this.#bands = bands.map((band) => ({ ...band }));
    this.#band.offer(bandChoices(bands));
    this.#explain();
  }

  /** Describes the result of the window around a line; empty without one. @param {number} line */
  textAt(line) {
    const one = this.#found[nearestTo(this.#found, line)];
    if (one === undefined || this.scan === null) return "";
    const { axes } = this.scan;
    const { velocity, error } = one;
    if (!isNumber(one)) return verdictOf(one);
    const text = velocityText(physicalVelocity(velocity, axes), axes);
    if (!(error >= 0) || error === null) return text;
    return `${text} ± ${(100 * error).toFixed(error < 0.001 ? 2 : 1)} %`;
  }

  get title() {
    return this.scan === null ? "" : `Velocity (${velocityUnit(this.scan.axes)})`;
  }

  /** Velocities over time for a chart. @returns {import("./trace_charts.js").Series} */
  get series() {
    return { title: this.title, points: this.points, gaps: this.#gaps };
  }

  get settings() {
    return this.#about;
  }

  /** @returns {import("./panel.js").About} */
  get about() {
    const pulse = this.#pulse.map((
      quantity,
    ) => /** @type {[string, string | number]} */ ([columnName(quantity), quantity.value]));
    return [...this.#about, ...pulse];
  }

  /** Heart rate and pulsatility of what is counted. */
  get #pulse() {
    if (this.#found.length === 0 || this.scan === null) return [];
    const velocities = Float64Array.from(
      this.#found,
      (one) => isNumber(one) ? physicalVelocity(one.velocity, /** @type {Scan} */ (this.scan).axes) : NaN,
    );
    return pulseOf("velocity", this.#found, velocities, this.scan.axes[0]);
  }

  get columns() {
    const [{ scan }, found] = [this, this.#found];
    if (scan === null) return [];
    const { axes } = scan;
    return [
      { name: "Time", unit: tableUnit(axes[0]), values: found.map(({ line }) => line * axes[0].step) },
      velocityColumn(scan, found.map((one) => physicalVelocity(isNumber(one) ? one.velocity : NaN, axes))),
      { name: "Confidence", values: found.map(({ confidence }) => confidence) },
      { name: "Estimated standard error", unit: "%", values: found.map(({ error }) => 100 * error) },
      { name: "Verdict", values: found.map(verdictOf) },
    ];
  }

  /** @param {import("./panel.js").Span} span */
  plot(span) {
    const { scan, title, points, timeStep } = this;
    if (scan === null || points.length === 0) return null;
    const [x, y] = [points.map(({ line }) => line * timeStep), points.map(({ value }) => value)];
    const range = rangeOf({
      curves: [],
      points,
      level: null,
      least: SERIES_RANGE,
    }, span);
    const trace = { name: "", color: COLOR, x, y };
    return { ...plotOver(scan, span), y: { ...range, title }, traces: [trace, { ...trace, isDots: true }] };
  }

  /** @returns {import("../../../measure/velocity.js").Windows & {method: import("../../../measure/velocity.js").Method}} */
  get #windows() {
    const band = this.#bands.find(({ id }) => String(id) === this.#band.select.value);
    const columns = this.scan === null ? 0 : shapeOf(this.scan)[1];
    return {
      window: this.#window.input.valueAsNumber,
      step: this.#step.input.valueAsNumber,
      columns: band === undefined ? [0, columns] : [band.from, band.to],
      method: /** @type {keyof typeof METHODS} */ (this.#method.select.value),
      pixelTime: this.scan === null ? 0 : this.#pixelTime.number / 1e6 / (lineTimeOf(this.scan) ?? Infinity),
    };
  }

  /** Describes what the window can measure. */
  #explain() {
    if (!this.scan?.isLineScan) return;
    const { axes } = this.scan;
    const windows = this.#windows;
    const [from, to] = windows.columns;
    const [slow, fast] = resolvable(windows).map((velocity) =>
      velocityText(significant(physicalVelocity(velocity, axes), 2), axes)
    );
    const time = quantity(significant(windows.window * axes[0].step, 3), axes[0]);
    this.#range.textContent = to - from < SHORTEST_WINDOW
      ? `Too narrow: a velocity needs at least ${SHORTEST_WINDOW} columns.`
      : Number.isFinite(windows.window)
      ? `${time}: measures velocities from ${slow} to ${fast}.${
        this.#isAutomatic ? " The window adapts." : ""
      }`
      : "";
  }

  #toggle() {
    if (this.#running !== null) return this.#running.abort();
    return this.measure(new AbortController());
  }

  /**
   * Measures by the fields.
   *
   * @param {AbortController} running cancels it
   * @returns {Promise<string>} why there are no velocities; empty where there are
   */
  async measure(running) {
    const { scan } = this;
    const channel = scan?.group.channels[Number(this.#channel.select.value)];
    if (scan === null || channel === undefined) return "There is no channel";
    const windows = this.#windows;
    if (![windows.window, windows.step].every(Number.isInteger)) {
      return this.#result.textContent = "Window and step must be whole numbers of lines.";
    }
    // A wrong number in the field is not what would be chosen.
    const isAutomatic = this.#isAutomatic && windows.window === this.#window.number;
    this.#running = running;
    this.#start.textContent = "Cancel";
    this.#progress.hidden = false;
    this.#progress.removeAttribute("value");
    try {
      this.#samples = channel.samples;
      const plane = { samples: channel.samples, shape: shapeOf(scan) };
      const lineTime = lineTimeOf(scan);
      const { found, window, step } = await measureVelocities(plane, {
        ...windows,
        window: isAutomatic ? null : windows.window,
        lineTime,
      }, {
        signal: running.signal,
        onFound: (found, of) => {
          Object.assign(this.#progress, { max: of, value: found.length });
          this.#plotted(found, scan);
          this.changed();
        },
      });
      if (isAutomatic) this.#setWindow(window);
      this.#explain();
      const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
      this.#about = [
        ["Method", METHODS[windows.method]],
        ["Channel", channel.name],
        ["Part of the lines", `${part}, columns ${windows.columns[0]} to ${windows.columns[1] - 1}`],
        ["Window (lines)", window],
        ["Window chosen", isAutomatic ? "automatically" : "by hand"],
        ["Step (lines)", step],
        ["Time along the line", this.#alongLine(scan)],
      ];
      this.#show(found, scan);
      const { cycle } = velocitySummary(found, window);
      if (cycle !== null) this.#about.push(["Cycles", cycleText(cycle, scan)]);
      return "";
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      // What was found so far is not kept.
      if (this.scan === scan) this.#plotted(this.#found, scan);
      return this.#result.textContent = running.signal.aborted ? "Cancelled" : message;
    } finally {
      if (this.#running === running) this.#running = null;
      this.#start.textContent = "Measure velocities";
      this.#progress.hidden = true;
      this.changed();
    }
  }

  /** @param {Scan} scan */
  #alongLine(scan) {
    const { number } = this.#pixelTime;
    if (number === 0 || lineTimeOf(scan) === null) return "not corrected";
    const isFromFile = number === 1e6 * scan.pixelTime && !scan.isTyped;
    return `corrected for ${significant(number, 6)} us per pixel (${isFromFile ? "from the file" : "typed"})`;
  }

  /** @param {readonly VelocityAt[]} found @param {Scan} scan */
  #show(found, scan) {
    this.#found = found;
    this.#plotted(found, scan);
    this.#result.replaceChildren(...unbroken(this.#summary(scan)));
  }

  /** @param {readonly VelocityAt[]} found @param {Scan} scan */
  #plotted(found, { axes }) {
    this.points = found.filter(isNumber).map(({ line, velocity, confidence }) => ({
      line,
      value: physicalVelocity(velocity, axes),
      // The least certain points stay visible.
      opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, confidence)),
    }));
    this.#gaps = found.filter((one) => !isNumber(one)).map(({ line, velocity }) => ({
      line,
      value: physicalVelocity(velocity ?? NaN, axes),
    }));
  }

  /** Leaves the window around a line out, or takes it in again. @param {number} line */
  toggle(line) {
    const place = nearestTo(this.#found, line);
    const one = this.#found[place];
    if (this.#running !== null || this.scan === null || !Number.isFinite(one?.velocity)) return;
    this.#show(this.#found.with(place, { ...one, isLeftOut: !one.isLeftOut }), this.scan);
    this.changed();
  }

  /** @param {Scan} scan */
  #summary(scan) {
    const { axes } = scan;
    const { length } = this.#found;
    if (length === 0) return "The recording is shorter than the window.";
    const { numbers, median, cycle } = velocitySummary(this.#found, this.#window.number);
    const verdicts = this.#found.map(verdictOf);
    const rest = [...new Set(verdicts)].filter((verdict) => verdict !== "measured").sort()
      .map((verdict) => `${verdicts.filter((other) => other === verdict).length} ${verdict}`);
    const middle = numbers === 0 ? [] : [`median ${velocityText(physicalVelocity(median, axes), axes)}`];
    const cycles = cycle === null ? [] : [cycleText(cycle, scan)];
    const pulse = this.#pulse.some(({ value }) => value === "clear") ? [quantitiesText(this.#pulse)] : [];
    return [`${numbers} of ${length} windows measured`, ...middle, ...cycles, ...pulse, ...rest].join(" · ");
  }
}

/** @param {import("../../../measure/velocity_summary.js").Cycle} cycle @param {Scan} scan */
function cycleText({ cycles, period, mean }, { axes }) {
  if (cycles < 1) return "part of one cycle: not the mean of the flow";
  const each = quantity(significant(period * axes[0].step, 3), axes[0]);
  const whole = velocityText(physicalVelocity(mean, axes), axes);
  return `${rounded(cycles)} cycles of about ${each}, mean of the whole ones ${whole}`;
}

/** @param {VelocityAt} found */
const verdictOf = ({ verdict, isLeftOut = false }) =>
  isLeftOut ? "left out" : verdict === "too slow" ? "too slow for this window" : verdict;
