/**
 * Events of a trace above a threshold in an editable table: the user removes rows, adds them at the cursor and comments
 * on them.
 *
 * Tested in `tests/browser/measure_test.ts`.
 *
 * @typedef {import("../../../measure/events.js").TraceEvent & {note: string, isByHand: boolean}} Row
 */
import { formatAt, tableUnit } from "../../../measure/axes.js";
import { element } from "../controls/element.js";
import { findEvents, highestNear, measureEvent } from "../../../measure/events.js";
import { button, choiceField, numberField, table } from "../controls/fields.js";
import { MOST_ROWS } from "./drawn.js";
import { rounded } from "./scan.js";

/** @import { Trace } from "./band_traces.js" */
/** @import { Scan } from "./scan.js" */

/** Rows shown at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** Search range in lines around the cursor for a peak added by hand, at least a fiftieth of the trace. */
const REACH = 3;

/** Emits `change`. */
export class EventPanel extends EventTarget {
  /** @type {Scan | null} */
  #scan = null;
  /** @type {readonly Trace[]} */
  #traces = [];
  /** @type {Row[]} */
  #rows = [];
  #trace;
  #height;
  #prominence;
  #distance;
  /** Number of found events, including those beyond the table; null before a search. @type {number | null} */
  #found = null;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;
  /** Key and length of the measured trace. */
  #measured = "";
  #length = 0;
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
    const again = () => this.#found !== null && this.#find();
    // A threshold does not apply to another trace, such as that of another channel.
    const other = () => {
      if (this.#chosen !== null) this.#propose(this.#chosen);
      if (this.#found !== null) this.#find();
      else if (this.#chosen !== null && this.#rows.length > 0) this.#measure(this.#chosen);
    };
    this.#trace = choiceField("Trace", [], other, "event-trace");
    this.#height = numberField("Threshold", { value: 0, id: "event-threshold" }, () => {
      again();
      this.#changed();
    });
    this.#prominence = numberField("Amplitude at least", { value: 0, min: 0, id: "event-amplitude" }, again);
    this.#distance = numberField("Apart", { value: 0, min: 0, unit: "s", id: "event-distance" }, again);
    this.element = element(
      "div",
      { className: "panel" },
      element(
        "div",
        { className: "fields" },
        this.#trace.label,
        this.#height.label,
        this.#prominence.label,
        this.#distance.label,
      ),
      element(
        "div",
        { className: "fields" },
        button("Find events", () => this.#find(), { id: "event-find" }),
        button("Add at cursor", () => this.#add(), { id: "event-add" }),
        button("Clear", () => {
          this.#kept = null;
          this.#clear();
        }, { id: "event-clear" }),
      ),
      this.#status,
      this.#table,
    );
  }

  /** To be kept as JSON; null without events. @returns {import("./drawn.js").KeptEvents | null} */
  get kept() {
    if (this.#kept !== null) return this.#kept;
    if (this.#rows.length === 0) return null;
    const [height, prominence, distance] = this.#numbers;
    return {
      trace: keyOf(this.#chosen),
      title: this.#title,
      height,
      prominence,
      distance,
      found: this.#found,
      length: this.#length,
      rows: this.#rows.map(({ peak, value, note, isByHand }) => ({ peak, value, note, isByHand })),
    };
  }

  /** @param {Scan | null} scan @param {import("./drawn.js").Drawn | null} drawn what it has already */
  begin(scan, drawn) {
    this.#scan = scan;
    this.#distance.unitText.data = this.#unit;
    this.#traces = [];
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
    this.#trace.offer(
      traces.map((trace) => ({ value: keyOf(trace), name: trace.name })),
      kept?.trace ?? this.#trace.select.value,
    );
    const trace = this.#chosen;
    if (trace === null) return;
    if (isOther) this.#propose(trace);
    if (kept !== null) this.#take(kept, trace);
    // Rows belong to one trace and are measured again when its values change.
    if (this.#rows.length > 0) this.#measure(trace);
  }

  /** Events of a hidden channel return with it; those of a removed band do not. @param {readonly Trace[]} traces the current ones */
  #hide(traces) {
    if (this.#rows.length > 0 && !traces.some((trace) => keyOf(trace) === this.#trace.select.value)) {
      const [hidden, name] = [this.kept, this.#chosen?.name ?? ""];
      this.#clear();
      this.#kept = hidden;
      this.#status.textContent = `The events of ${name} are hidden with its trace.`;
    }
    const isGone = traces.length > 0 &&
      !traces.some(({ band }) => this.#kept?.trace.startsWith(`${band.id} `));
    if (this.#kept === null || !isGone) return;
    this.#kept = null;
    this.#status.textContent = "";
  }

  /** @returns {readonly Row[]} */
  get rows() {
    return this.#rows;
  }

  /** The threshold while events are shown; null otherwise. */
  get level() {
    return this.#found === null ? null : this.#height.number;
  }

  /** @returns {[string, string | number][]} */
  get about() {
    return [
      ["Trace", this.#chosen?.name ?? ""],
      ["Threshold", this.#height.number],
      ["Least amplitude", this.#prominence.number],
      [`Least distance (${this.#unit})`, this.#distance.number],
      [`Found (${MOST_ROWS} at most are listed)`, this.#found ?? "none"],
    ];
  }

  /** Columns of the saved table. */
  get columns() {
    const step = this.#scan?.axes[0].step ?? 1;
    const times = (/** @type {(row: Row) => number} */ of) => this.#rows.map((row) => of(row) * step);
    const unit = this.#unit;
    return [
      { name: "Time", unit, values: times(({ peak }) => peak) },
      { name: "Value", values: this.#rows.map(({ value }) => value) },
      { name: "Amplitude", values: this.#rows.map(({ amplitude }) => amplitude) },
      { name: "Half width", unit, values: times(({ halfWidth }) => halfWidth) },
      { name: "Rise 10-90 %", unit, values: times(({ rise }) => rise) },
      { name: "Decay to 1/e", unit, values: times(({ decay }) => decay) },
      { name: "By hand", values: this.#rows.map(({ isByHand }) => isByHand ? "yes" : "") },
      { name: "Note", values: this.#rows.map(({ note }) => note) },
    ];
  }

  /** Unit of times in tables. */
  get #unit() {
    return tableUnit(this.#scan?.axes[0] ?? { unit: "seconds" });
  }

  get #chosen() {
    return this.#traces.find((trace) => keyOf(trace) === this.#trace.select.value) ?? this.#traces[0] ?? null;
  }

  /** Halfway from the median to the maximum. @param {Trace} trace */
  #propose({ values }) {
    const sorted = values.filter((value) => Number.isFinite(value)).sort();
    if (sorted.length === 0) return;
    const [middle, top] = [sorted[Math.floor(sorted.length / 2)], sorted[sorted.length - 1]];
    this.#height.number = Number(((middle + top) / 2).toPrecision(3));
    this.#prominence.number = Number(((top - middle) / 4).toPrecision(2));
  }

  /** Threshold, least amplitude and least distance. */
  get #numbers() {
    return [this.#height, this.#prominence, this.#distance].map(({ number }) => number);
  }

  /** @param {import("./drawn.js").KeptEvents} kept @param {Trace} trace */
  #take({ height, prominence, distance, found, length, rows }, trace) {
    this.#kept = null;
    this.#status.textContent = "";
    for (
      const [field, value] of /** @type {const} */ ([
        [this.#height, height],
        [this.#prominence, prominence],
        [this.#distance, distance],
      ])
    ) field.number = value ?? field.number;
    this.#found = found;
    [this.#measured, this.#length] = [keyOf(trace), length];
    this.#rows = rows.map((row) => ({ ...measureEvent(trace.values, row.peak), ...row }));
  }

  #find() {
    const trace = this.#chosen;
    if (trace === null || this.#scan === null) {
      this.#status.textContent = "Draw a band first: events are found in its trace.";
      return;
    }
    const [height, prominence, distance] = this.#numbers;
    this.#kept = null;
    const found = findEvents(trace.values, {
      height,
      prominence,
      distance: Math.max(1, distance / this.#scan.axes[0].step),
    });
    this.#found = found.length;
    [this.#measured, this.#length] = [keyOf(trace), trace.values.length];
    const notes = new Map(this.#rows.map(({ peak, note }) => [peak, note]));
    const rows = found.map((event) => ({ ...event, note: notes.get(event.peak) ?? "", isByHand: false }));
    const byHand = this.#rows.filter((row) => row.isByHand && !found.some(({ peak }) => peak === row.peak))
      .map((row) => ({ ...row, ...measureEvent(trace.values, row.peak) }));
    this.#rows = [...rows, ...byHand].sort((a, b) => a.peak - b.peak).slice(0, MOST_ROWS);
    this.#status.textContent = found.length > MOST_ROWS
      ? `${found.length} events, more than a table can hold: the first ${MOST_ROWS} are shown.`
      : `${this.#rows.length} ${this.#rows.length === 1 ? "event" : "events"} in ${trace.name}`;
    this.#list();
  }

  /** Measures the same peaks in a trace with new values. @param {Trace} trace */
  #measure(trace) {
    const isSame = this.#measured === keyOf(trace) && this.#length === trace.values.length &&
      this.#rows.every(({ peak, value }) => trace.values[peak] === value);
    // Searching again would bring back rows removed by hand.
    if (this.#found !== null && this.#measured === keyOf(trace) && !isSame) return this.#find();
    this.#rows = this.#rows.map((row) => ({ ...row, ...measureEvent(trace.values, row.peak) }));
    this.#list();
  }

  #add() {
    const [trace, line] = [this.#chosen, this.#cursor()];
    if (trace === null || line === null) {
      this.#status.textContent = trace === null
        ? "Draw a band first."
        : "Point at the line scan, or move its cursor by the arrow keys, and add the event there.";
      return;
    }
    this.#kept = null;
    const peak = highestNear(trace.values, line, Math.max(REACH, Math.round(trace.values.length / 50)));
    if (Number.isFinite(trace.values[peak]) && !this.#rows.some((row) => row.peak === peak)) {
      this.#rows = [...this.#rows, { ...measureEvent(trace.values, peak), note: "", isByHand: true }]
        .sort((a, b) => a.peak - b.peak);
    }
    this.#list();
  }

  #clear() {
    this.#kept = null;
    this.#rows = [];
    this.#most = ROWS_AT_ONCE;
    this.#found = null;
    this.#status.textContent = "";
    this.#list();
  }

  #list() {
    const step = this.#scan?.axes[0].step ?? 1;
    const isInSeconds = this.#unit === "s";
    const rows = this.#rows.slice(0, this.#most).map((row, i) => {
      const number = i + 1;
      const note = element("input", {
        type: "text",
        value: row.note,
        "aria-label": `Note on event ${number}`,
        maxLength: 200,
      });
      note.addEventListener("input", () => row.note = note.value);
      const remove = button("×", () => {
        this.#rows = this.#rows.filter((other) => other !== row);
        this.#list();
      }, { className: "icon", "aria-label": `Remove event ${number}` });
      // Widths are accurate to about a line.
      const ms = (/** @type {number} */ lines) =>
        rounded(Number((lines * step * (isInSeconds ? 1000 : 1)).toPrecision(3)));
      return [
        // With the resolution of lines.
        formatAt(row.peak * step, step),
        rounded(row.amplitude),
        ms(row.halfWidth),
        ms(row.rise),
        ms(row.decay),
        note,
        remove,
      ];
    });
    const [unit, short] = [this.#unit, isInSeconds ? "ms" : this.#unit];
    const heads = [
      `Time (${unit})`,
      // Heads may break: the note needs the room.
      "Ampli\u00adtude",
      ...["Half width", "Rise", "Decay"].map((name) => `${name} (${short})`),
      "Note",
      "",
    ];
    const left = this.#rows.length - rows.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.#list();
    }, { id: "event-more" });
    this.#table.replaceChildren(
      ...(rows.length === 0 ? [] : [table("Events", heads, rows)]),
      ...(left === 0 ? [] : [more]),
    );
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** Band and channel identify a trace, whatever its name. @param {Trace | null} trace */
const keyOf = (trace) => trace === null ? "" : `${trace.band.id} ${trace.channel}`;
