/**
 * Events of a trace above a threshold in an editable table: the user removes rows, adds them at the cursor and comments
 * on them.
 *
 * @typedef {import("../../../measure/events.js").TraceEvent & {note: string, isByHand: boolean}} Row
 */
import { formatAt, rounded, significant } from "../../../measure/axes.js";
import { findEvents, highestNear, measureEvents, proposedThreshold } from "../../../measure/events.js";
import { element } from "../controls/element.js";
import {
  button,
  choiceField,
  fieldRow,
  numberField,
  removeButton,
  tables,
  textField,
} from "../controls/fields.js";
import { MOST_ROWS } from "./drawn.js";
import { Panel } from "./panel.js";

/** @import { Trace } from "./bands.js" */
/** @import { Scan } from "./scan.js" */

/** Rows shown at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** Search range in lines around the cursor for a peak added by hand, at least a fiftieth of the trace. */
const REACH = 3;

export class EventPanel extends Panel {
  /** @type {readonly Trace[]} */
  #traces = [];
  /** @type {readonly Row[]} */
  rows = [];
  // A threshold does not apply to another trace, such as that of another channel.
  #trace = choiceField("Trace", "event-trace", [], () => {
    if (this.#chosen === null) return;
    this.#propose(this.#chosen);
    this.changed();
    if (this.#found !== null) this.find();
    else if (this.rows.length > 0) this.#measure(this.#chosen);
  });
  #height = numberField("Threshold", "event-threshold", 0, () => this.#typed());
  #prominence = numberField("Minimum prominence", "event-amplitude", 0, () => this.#typed(), { min: 0 });
  #distance = numberField(
    "Minimum distance",
    "event-distance",
    0,
    () => this.#typed(),
    { min: 0, unit: "s" },
  );
  /** Whether the numbers were typed, not proposed. */
  #isTyped = false;
  /** Number of found events, including those beyond the table; null before a search. @type {number | null} */
  #found = null;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;
  /** Key and length of the measured trace. */
  #measured = { key: "", length: 0 };
  /** Kept events of this picture until its traces arrive. @type {import("./drawn.js").KeptEvents | null} */
  #kept = null;
  /** Title of the traces' values; thresholds for other values do not apply. */
  #title = "";
  #status = element("p", { className: "result", role: "status" });
  #table = element("div", { className: "scrolled" });
  /** Line of the cursor. @type {() => number | null} */
  #cursor;

  /** @param {() => number | null} cursor line that the cursor is at */
  constructor(cursor) {
    super();
    this.#cursor = cursor;
    const fields = [this.#trace, this.#height, this.#prominence, this.#distance];
    const buttons = [
      button("Find events", () => this.find(), { id: "event-find" }),
      button("Add at cursor", () => this.#add(), { id: "event-add" }),
      button("Clear", () => this.#clear(), { id: "event-clear" }),
    ];
    this.element = element(
      "div",
      { className: "panel" },
      fieldRow(...fields.map(({ label }) => label)),
      fieldRow(...buttons),
      this.#status,
      this.#table,
    );
  }

  /** To be kept as JSON; null without events and typed numbers. @returns {import("./drawn.js").KeptEvents | null} */
  get kept() {
    const isOwn = this.rows.length > 0 || this.#found !== null || this.#isTyped;
    if (this.#kept !== null || !isOwn || this.#chosen === null) return this.#kept;
    const [height, prominence, distance] = this.#numbers;
    return {
      trace: keyOf(this.#chosen),
      title: this.#title,
      height,
      prominence,
      distance,
      found: this.#found,
      length: this.#measured.length,
      rows: this.rows.map(({ peak, value, note, isByHand }) => ({ peak, value, note, isByHand })),
    };
  }

  /** @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn found in it before */
  begin(scan, drawn) {
    this.scan = scan;
    this.#distance.unitText.data = this.timeUnit;
    this.#traces = [];
    this.#isTyped = false;
    this.#clear();
    this.#kept = drawn?.events ?? null;
  }

  /** Sets other traces, or the same ones with other values. @param {readonly Trace[]} traces @param {string} title of the values */
  listTraces(traces, title) {
    this.#hide(traces);
    const kept = traces.some((trace) => keyOf(trace) === this.#kept?.trace) ? this.#kept : null;
    const isOther = kept?.title !== title && (this.#title !== title || this.#chosen === null);
    this.#title = title;
    this.#traces = traces;
    this.#trace.offer(traces.map((trace) => ({ value: keyOf(trace), name: trace.name })), kept?.trace);
    const trace = this.#chosen;
    if (trace === null) return;
    if (isOther) this.#propose(trace);
    if (kept !== null) this.#take(kept, trace);
    // Rows belong to one trace and are measured again when its values change.
    if (this.rows.length > 0) this.#measure(trace);
  }

  /** Events of a hidden channel return with it; those of a removed band do not. @param {readonly Trace[]} traces the current ones */
  #hide(traces) {
    if (this.rows.length > 0 && !traces.some((trace) => keyOf(trace) === this.#trace.select.value)) {
      const [hidden, name] = [this.kept, this.#chosen?.name ?? ""];
      this.#clear();
      this.#kept = hidden;
      this.#status.textContent = `The events of ${name} are hidden along with its trace.`;
    }
    const isGone = traces.length > 0 &&
      !traces.some(({ band }) => this.#kept?.trace.startsWith(`${band.id} `));
    if (this.#kept === null || !isGone) return;
    this.#kept = null;
    this.#status.textContent = "";
  }

  /** The threshold while events are shown; null otherwise. */
  get level() {
    return this.#found === null ? null : this.#height.number;
  }

  /** @returns {import("./panel.js").About} */
  get about() {
    return [
      ["Trace", this.#chosen?.name ?? ""],
      ["Threshold", this.#height.number],
      ["Minimum prominence", this.#prominence.number],
      [`Minimum distance (${this.timeUnit})`, this.#distance.number],
      [`Found (${MOST_ROWS} at most are listed)`, this.#found ?? "none"],
    ];
  }

  get columns() {
    const { rows, timeUnit: unit } = this;
    const times = (/** @type {(row: Row) => number} */ of) => rows.map((row) => of(row) * this.timeStep);
    return [
      { name: "Time", unit, values: times(({ peak }) => peak) },
      { name: "Value", values: rows.map(({ value }) => value) },
      { name: "Baseline", values: rows.map(({ baseline }) => baseline) },
      { name: "Standard deviation of the baseline", values: rows.map(({ deviation }) => deviation) },
      { name: "Amplitude", values: rows.map(({ amplitude }) => amplitude) },
      { name: "Prominence", values: rows.map(({ prominence }) => prominence) },
      { name: "Onset", unit, values: times(({ onset }) => onset) },
      { name: "Rise 10-90 %", unit, values: times(({ rise }) => rise) },
      { name: "Duration at half maximum", unit, values: times(({ duration }) => duration) },
      { name: "Decay to 1/e", unit, values: times(({ decay }) => decay) },
      { name: "Measured on", values: rows.map(({ by }) => by === "fitted" ? "fitted transient" : "samples") },
      { name: "Overlap", values: rows.map(({ overlap }) => overlap) },
      { name: "By hand", values: rows.map(({ isByHand }) => isByHand ? "yes" : "") },
      { name: "Note", values: rows.map(({ note }) => note) },
    ];
  }

  get #chosen() {
    return this.#traces.find((trace) => keyOf(trace) === this.#trace.select.value) ?? this.#traces[0] ?? null;
  }

  /** @param {Trace} trace */
  #propose({ values }) {
    const { height, prominence } = proposedThreshold(values);
    if (Number.isNaN(height)) return;
    this.#isTyped = false;
    this.#height.number = significant(height, 3);
    this.#prominence.number = significant(prominence, 2);
  }

  /** Threshold, minimum amplitude and minimum distance. */
  get #numbers() {
    return [this.#height, this.#prominence, this.#distance].map(({ number }) => number);
  }

  /** @param {import("./drawn.js").KeptEvents} kept @param {Trace} trace */
  #take({ height, prominence, distance, found, length, rows }, trace) {
    this.#kept = null;
    this.#status.textContent = "";
    this.#height.number = height;
    this.#prominence.number = prominence;
    this.#distance.number = distance;
    this.#isTyped = true;
    this.#found = found;
    this.#measured = { key: keyOf(trace), length };
    this.rows = measured(trace, rows);
  }

  #typed() {
    this.#isTyped = true;
    if (this.#found !== null) this.find();
    else this.changed();
  }

  /** Finds the events of the chosen trace by the fields; those added by hand stay. */
  find() {
    const trace = this.#chosen;
    if (trace === null) {
      this.#status.textContent = "Draw a band first: events are found in its trace.";
      return;
    }
    const [height, prominence, distance] = this.#numbers;
    this.#kept = null;
    const options = { height, prominence, distance: Math.max(1, distance / this.timeStep) };
    const found = findEvents(trace.values, options);
    this.#found = found.length;
    this.#measured = { key: keyOf(trace), length: trace.values.length };
    const notes = new Map(this.rows.map(({ peak, note }) => [peak, note]));
    const byHand = this.rows.filter((row) => row.isByHand && !found.some(({ peak }) => peak === row.peak));
    const rows = found.map((event) => ({ ...event, note: notes.get(event.peak) ?? "", isByHand: false }));
    this.#set(byHand.length === 0 ? rows : measured(trace, [...rows, ...byHand]));
    this.#status.textContent = found.length > MOST_ROWS
      ? `${found.length} events: the first ${MOST_ROWS} are listed`
      : `${this.rows.length} ${this.rows.length === 1 ? "event" : "events"} in ${trace.name}`;
  }

  /** Measures the same peaks in a trace with new values. @param {Trace} trace */
  #measure(trace) {
    const { key, length } = this.#measured;
    const isSame = length === trace.values.length &&
      this.rows.every(({ peak, value }) => trace.values[peak] === value);
    // Searching again would bring back rows removed by hand.
    if (this.#found !== null && key === keyOf(trace) && !isSame) return this.find();
    this.#set(measured(trace, this.rows));
  }

  #add() {
    const [trace, line] = [this.#chosen, this.#cursor()];
    if (trace === null || line === null) {
      this.#status.textContent = trace === null
        ? "Draw a band first."
        : "Point at the line scan or move its cursor with the arrow keys, then add the event.";
      return;
    }
    this.#kept = null;
    const peak = highestNear(trace.values, line, Math.max(REACH, Math.round(trace.values.length / 50)));
    if (!Number.isFinite(trace.values[peak]) || this.rows.some((row) => row.peak === peak)) return;
    this.#set(measured(trace, [...this.rows, { peak, note: "", isByHand: true }]));
  }

  /** @param {Row} row */
  #remove(row) {
    const [trace, rows] = [this.#chosen, this.rows.filter((other) => other !== row)];
    this.#set(trace === null ? rows : measured(trace, rows));
  }

  #clear() {
    this.#kept = null;
    this.#most = ROWS_AT_ONCE;
    this.#found = null;
    this.#status.textContent = "";
    this.#set([]);
  }

  /** @param {readonly Row[]} rows in any order */
  #set(rows) {
    this.rows = [...rows].sort((a, b) => a.peak - b.peak).slice(0, MOST_ROWS);
    this.#list();
  }

  #list() {
    const { timeStep, timeUnit } = this;
    const [scale, short] = timeUnit === "s" ? [1000, "ms"] : [1, timeUnit];
    // Widths are accurate to about a line.
    const width = (/** @type {number} */ lines) => rounded(significant(lines * timeStep * scale, 3));
    const rows = this.rows.slice(0, this.#most).map((row, i) => [
      // With the resolution of lines.
      formatAt(row.peak * timeStep, timeStep),
      `${rounded(row.amplitude)}${row.overlap === "overlaps" ? " *" : ""}`,
      ...[row.duration, row.rise, row.decay].map(width),
      textField(`Note on event ${i + 1}`, row.note, 200, (note) => {
        row.note = note;
        this.changed();
      }),
      removeButton(`event ${i + 1}`, () => this.#remove(row)),
    ]);
    const heads = [
      `Time (${timeUnit})`,
      // Heads may break: the note needs the room.
      "Ampli\u00adtude",
      ...["Dura\u00adtion", "Rise", "Decay"].map((name) => `${name} (${short})`),
      "Note",
      "",
    ];
    const left = this.rows.length - rows.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.#list();
    }, { id: "event-more" });
    this.#table.replaceChildren(...tables("Events", heads, rows), ...(left === 0 ? [] : [more]));
    this.changed();
  }
}

/**
 * Measures all events together: overlapping ones depend on each other.
 *
 * @param {Trace} trace
 * @param {readonly {peak: number, note: string, isByHand: boolean}[]} rows in any order
 * @returns {Row[]}
 */
function measured({ values }, rows) {
  const sorted = [...rows].sort((a, b) => a.peak - b.peak);
  const events = measureEvents(values, sorted.map(({ peak }) => peak));
  return sorted.map(({ note, isByHand }, i) => ({ ...events[i], note, isByHand }));
}

/** Band and channel identify a trace, whatever its name. @param {Trace | null} trace */
const keyOf = (trace) => trace === null ? "" : `${trace.band.id} ${trace.channel}`;
