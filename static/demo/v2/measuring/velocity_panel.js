/**
 * Velocity over time: part of the lines, windows and results.
 *
 * Tested in `tests/browser/measure_test.ts`.
 */
import { tableUnit } from "../../../measure/axes.js";
import { element, unbroken } from "../controls/element.js";
import { button, choiceField, numberField } from "../controls/fields.js";
import { quantity, shapeOf, velocityText } from "./scan.js";
import { physicalVelocity, resolvable, SHORTEST_WINDOW, velocityUnit } from "../../../measure/velocity.js";
import { measureVelocities } from "./velocities.js";

/** @import { Band } from "./bands.js" */
/** @import { Scan } from "./scan.js" */
/** @import { VelocityAt } from "../../../measure/velocity.js" */

/** Initial number of lines per window. */
const WINDOW = 100;

/** Emits `change` when velocities change. */
export class VelocityPanel extends EventTarget {
  /** @type {Scan | null} */
  #scan = null;
  /** @type {readonly Band[]} */
  #bands = [];
  /** @type {readonly VelocityAt[]} */
  #found = [];
  /** @type {readonly {line: number, velocity: number, confidence: number}[]} */
  #points = [];
  /** The measured samples. @type {Float32Array | null} */
  #samples = null;
  /** Describes the measurement. @type {[string, string | number][]} */
  #about = [];
  /** @type {AbortController | null} */
  #running = null;
  #window;
  #step;
  #band;
  #channel;
  #range = element("p", { className: "hint" });
  #result = element("p", { className: "result", role: "status" });
  #progress = element("progress", { hidden: true, "aria-label": "Velocities" });
  #start;

  constructor() {
    super();
    const told = () => this.#say();
    this.#band = choiceField("In", [], told, "velocity-band");
    this.#channel = choiceField("Channel", [], told, "velocity-channel");
    this.#window = numberField("Window", {
      value: WINDOW,
      min: SHORTEST_WINDOW,
      step: 1,
      unit: "lines",
      id: "velocity-window",
    }, told);
    this.#step = numberField("every", {
      value: WINDOW / 2,
      min: 1,
      step: 1,
      unit: "lines",
      id: "velocity-step",
    }, told);
    this.#start = button("Measure velocities", () => this.#toggle(), { id: "velocity-start" });
    this.element = element(
      "div",
      { className: "panel" },
      element(
        "div",
        { className: "fields" },
        this.#band.label,
        this.#channel.label,
        this.#window.label,
        this.#step.label,
      ),
      this.#range,
      element("div", { className: "fields" }, this.#start, this.#progress),
      this.#result,
    );
  }

  /** @param {Scan | null} scan */
  begin(scan) {
    this.#forget();
    this.#scan = scan;
    if (scan === null || !scan.isLineScan) return this.#changed();
    const [lines] = shapeOf(scan);
    const window = Math.max(SHORTEST_WINDOW, Math.min(WINDOW, Math.floor(lines / 4)));
    this.#window.input.value = String(window);
    this.#step.input.value = String(Math.max(1, Math.floor(window / 2)));
    this.#channel.offer(scan.group.channels.map(({ name }, i) => ({ value: String(i), name })), "0");
    this.listBands([]);
    this.#changed();
  }

  /** Samples of another time or focus make earlier velocities invalid. */
  refresh() {
    const isThere = this.#scan?.group.channels.some(({ samples }) => samples === this.#samples) ?? false;
    if (this.#samples === null || isThere) return;
    this.#forget();
    this.#changed();
  }

  #forget() {
    this.#running?.abort();
    this.#samples = null;
    this.#found = [];
    this.#points = [];
    this.#result.textContent = "";
  }

  /** @param {readonly Band[]} bands */
  listBands(bands) {
    this.#bands = bands.map((band) => ({ ...band }));
    this.#band.offer([
      { value: "", name: "whole lines" },
      ...bands.map(({ id, name }) => ({ value: String(id), name })),
    ]);
    this.#say();
  }

  /** Measured velocities in the axes' units; the same array until they change. */
  get points() {
    return this.#points;
  }

  /** Describes the result of the window around a line; empty without one. @param {number} line */
  textAt(line) {
    const [first, second] = this.#found;
    const scan = this.#scan;
    if (first === undefined || scan === null) return "";
    const step = second === undefined ? Infinity : second.line - first.line;
    const place = Math.min(this.#found.length - 1, Math.max(0, Math.round((line - first.line) / step)));
    const { verdict, velocity, error } = this.#found[place];
    if (verdict === "measured") {
      const value = velocityText(physicalVelocity(velocity, scan.axes), scan.axes);
      return `${value} ± ${(100 * error).toFixed(error < 0.001 ? 2 : 1)} %`;
    }
    return verdict === "too slow" ? "too slow for this window" : verdict;
  }

  get title() {
    return this.#scan === null ? "" : `Velocity (${velocityUnit(this.#scan.axes)})`;
  }

  /** @returns {[string, string | number][]} */
  get about() {
    return this.#about;
  }

  /** Columns of the saved table. */
  get columns() {
    const axes = this.#scan?.axes;
    if (axes === undefined) return [];
    const found = this.#found;
    return [
      { name: "Time", unit: tableUnit(axes[0]), values: found.map(({ line }) => line * axes[0].step) },
      {
        name: "Velocity",
        unit: velocityUnit(axes).replace("µ", "u"),
        values: found.map(({ velocity }) => physicalVelocity(velocity, axes)),
      },
      { name: "Confidence", values: found.map(({ confidence }) => confidence) },
      { name: "Estimated standard error", unit: "%", values: found.map(({ error }) => 100 * error) },
      {
        name: "Verdict",
        values: found.map(({ verdict }) => verdict === "too slow" ? "too slow for this window" : verdict),
      },
    ];
  }

  /** @returns {import("../../../measure/velocity.js").Windows} */
  get #windows() {
    const band = this.#bands.find(({ id }) => String(id) === this.#band.select.value);
    const columns = this.#scan === null ? 0 : shapeOf(this.#scan)[1];
    return {
      window: this.#window.input.valueAsNumber,
      step: this.#step.input.valueAsNumber,
      columns: band === undefined ? [0, columns] : [band.from, band.to],
    };
  }

  /** Describes what the window can measure. */
  #say() {
    if (this.#scan === null || !this.#scan.isLineScan) return;
    const { axes } = this.#scan;
    const windows = this.#windows;
    const [from, to] = windows.columns;
    if (to - from < SHORTEST_WINDOW) {
      this.#range.textContent = `Too narrow: a velocity needs ${SHORTEST_WINDOW} columns at least.`;
      return;
    }
    const [slow, fast] = resolvable(windows).map((velocity) =>
      velocityText(Number(physicalVelocity(velocity, axes).toPrecision(2)), axes)
    );
    const time = quantity(Number((windows.window * axes[0].step).toPrecision(3)), axes[0]);
    this.#range.textContent = Number.isFinite(windows.window)
      ? `${time}: tells velocities from ${slow} to ${fast}.`
      : "";
  }

  async #toggle() {
    if (this.#running !== null) return this.#running.abort();
    const scan = this.#scan;
    if (scan === null) return;
    const windows = this.#windows;
    if (![windows.window, windows.step].every(Number.isInteger)) {
      this.#result.textContent = "Type whole numbers of lines for the window and its step.";
      return;
    }
    const channel = scan.group.channels[Number(this.#channel.select.value)];
    if (channel === undefined) return;
    const running = this.#running = new AbortController();
    this.#start.textContent = "Cancel";
    this.#progress.hidden = false;
    this.#progress.removeAttribute("value");
    try {
      this.#samples = channel.samples;
      const plane = { samples: channel.samples, shape: shapeOf(scan) };
      const found = await measureVelocities(plane, windows, {
        signal: running.signal,
        onProgress: (done, of) => {
          this.#progress.max = of;
          this.#progress.value = done;
        },
      });
      this.#found = found;
      this.#points = found.filter(({ verdict }) => verdict === "measured").map((
        { line, velocity, confidence },
      ) => ({
        line,
        velocity: physicalVelocity(velocity, scan.axes),
        confidence,
      }));
      const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
      this.#about = [
        ["Method", "Radon transform (Drew et al. 2010) by autocorrelation"],
        ["Channel", channel.name],
        ["Part of the lines", `${part}, columns ${windows.columns[0]} to ${windows.columns[1] - 1}`],
        ["Window (lines)", windows.window],
        ["Step (lines)", windows.step],
      ];
      this.#result.replaceChildren(...unbroken(this.#summary()));
    } catch (error) {
      const isCancelled = running.signal.aborted;
      this.#result.textContent = isCancelled ? "Cancelled" : /** @type {Error} */ (error).message;
    } finally {
      if (this.#running === running) this.#running = null;
      this.#start.textContent = "Measure velocities";
      this.#progress.hidden = true;
      this.#changed();
    }
  }

  #summary() {
    const { length } = this.#found;
    if (length === 0) return "The recording is shorter than the window.";
    const axes = /** @type {Scan} */ (this.#scan).axes;
    const speeds = this.points.map(({ velocity }) => velocity).sort((a, b) => a - b);
    const rest = ["too slow", "too fast", "unclear"].flatMap((verdict) => {
      const count = this.#found.filter((found) => found.verdict === verdict).length;
      const words = verdict === "too slow" ? "too slow for this window" : verdict;
      return count === 0 ? [] : [`${count} ${words}`];
    });
    // An even count has the mean of both middle values.
    const middle = (speeds[Math.floor((speeds.length - 1) / 2)] + speeds[Math.floor(speeds.length / 2)]) / 2;
    const median = speeds.length === 0 ? [] : [`median ${velocityText(middle, axes)}`];
    return [`${speeds.length} of ${length} windows measured`, ...median, ...rest].join(" · ");
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
