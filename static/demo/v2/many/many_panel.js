/** Controls to carry regions and settings to the next recording, and to measure all recordings with them. */
import { csv } from "../../../measure/csv.js";
import { MEASUREMENTS } from "../../../measure/measurements.js";
import { element, saveFile, sayIn } from "../controls/element.js";
import { button, checkField, choiceField, fieldRow } from "../controls/fields.js";
import { measureAll } from "./measure_all.js";
import { panel } from "../measuring/panel.js";
import { Work } from "../measuring/work.js";

/** @import { ExportMember } from "../../../client/v2/acq-client.d.ts" */
/** @import { Carried } from "./carried.js" */
/** @import { Run, Target } from "./measure_all.js" */
/** @import { Drawn } from "../measuring/drawn.js" */
/** @import { Row } from "./measurer.js" */
/** @import { About } from "../measuring/scan.js" */

/**
 * @typedef {{carried: Carried, drawn: Drawn}} Open the open recording, with regions and settings for others
 *
 * @typedef {{id: string, name: string, stem: string, targets: readonly Target[]}} Group recordings that can be measured
 *   together, with a name for files about them
 *
 * @typedef {object} Needs
 * @property {() => Open | null} open null while nothing is open
 * @property {() => readonly Group[]} groups
 * @property {(carried: Carried) => string} carry to the next recording; returns a message for the user
 * @property {Run["recall"]} recall
 * @property {Run["work"]} work
 * @property {() => boolean} mayArchive whether the server opens files by path
 * @property {(members: readonly ExportMember[], images: "all" | "none", name: string) => Promise<string[]>} archive saves an
 *   archive, and returns warnings
 * @property {(open: Open, measured: Drawn | null) => void} onMeasured called with the results of the recording that was open
 *   at the start, or null; others may have new work
 */

export class ManyPanel {
  #needs;
  /** @type {readonly Row[]} */
  #rows = [];
  /** Start of the names of saved files. */
  #stem = "";
  /** Facts about the rows, above the saved table. @type {About} */
  #about = [];
  #group = choiceField("Recordings", "many-group", []);
  #measurements = MEASUREMENTS.map(({ key, title, isUsual = false }) => ({
    key,
    ...checkField(title, `many-${key}`, isUsual),
  }));
  /** What is measured in line scans. */
  #what = fieldRow(...this.#measurements.map(({ label }) => label));
  #ofImages = element("p", {
    className: "hint",
    textContent:
      "Measures the whole image, the line and the rectangles as under “Images over time or focus”.",
  });
  #own = choiceField("With work of their own", "many-own", [
    { value: "measure", name: "measure with it" },
    { value: "skip", name: "leave out" },
  ]);
  #start = button("Measure all with these settings", () => this.#toggle(), { id: "many-start" });
  #count = element("p", { className: "hint" });
  #status = element("p", { className: "result", role: "status" });
  #work = new Work("Recordings", this.#status, [this.#start]);
  #save = button("Save table", () => this.#saveTable(), { id: "many-csv" });
  /** @type {readonly ExportMember[]} */
  #members = [];
  #images = choiceField("Images", "many-images", [
    { value: /** @type {const} */ ("none"), name: "without" },
    { value: /** @type {const} */ ("all"), name: "with" },
  ]);
  #archive = button("Save archive", () => this.#saveArchive(), { id: "many-archive" });
  #results = fieldRow(this.#save, this.#archive, this.#images.label);
  #next = element("p", { className: "result", role: "status" });
  #all = panel(
    fieldRow(this.#group.label),
    this.#what,
    this.#ofImages,
    fieldRow(this.#own.label),
    fieldRow(this.#start, this.#work.progress),
    this.#count,
    this.#status,
    this.#results,
  );

  /** @param {Needs} needs */
  constructor(needs) {
    this.#needs = needs;
    const content = panel(
      fieldRow(button("Use in next recording", () => this.#carry(), { id: "use-next" })),
      this.#next,
      this.#all,
    );
    this.#results.hidden = true;
    this.element = element(
      "details",
      { id: "measure-many", hidden: true },
      element("summary", { textContent: "Many recordings" }),
      content,
    );
  }

  /** Call when another recording is open, or the list beside it has changed. */
  refresh() {
    const groups = this.#needs.groups();
    const open = this.#needs.open();
    this.element.hidden = open === null;
    this.#what.hidden = open?.drawn.isLineScan === false;
    this.#ofImages.hidden = !this.#what.hidden;
    this.#group.offer(groups.map(({ id, name, targets: { length } }) => ({
      value: id,
      name: `${name} (${length.toLocaleString("en")})`,
    })));
    this.#all.hidden = groups.length === 0 && !this.isRunning;
    this.#next.textContent = "";
  }

  get isRunning() {
    return this.#work.isRunning;
  }

  #carry() {
    const open = this.#needs.open();
    if (open !== null) sayIn(this.#next, this.#needs.carry(open.carried), true);
  }

  async #toggle() {
    if (this.isRunning) return this.#work.cancel();
    const open = this.#needs.open();
    const group = this.#needs.groups().find(({ id }) => id === this.#group.select.value);
    if (open === null || group === undefined) return;
    const what = new Set(this.#measurements.filter(({ input }) => input.checked).map(({ key }) => key));
    if (open.drawn.isLineScan && what.size === 0) {
      return sayIn(this.#status, "Choose what is measured.");
    }
    this.#results.hidden = true;
    sayIn(this.#status, "", true);
    let found = /** @type {Drawn | null} */ (null);
    await this.#work.run(async (signal) => {
      found = await this.#measure(open, group, what, signal);
    });
    this.refresh();
    this.#needs.onMeasured(open, found);
  }

  /** @type {(open: Open, group: Group, what: ReadonlySet<string>, signal: AbortSignal) => Promise<Drawn | null>} */
  async #measure(open, group, what, signal) {
    const { length } = group.targets;
    this.#work.progress.max = length;
    const { rows, measured, members, open: shown } = await measureAll(group.targets, {
      ...open,
      what,
      signal,
      skipsOwn: this.#own.select.value === "skip",
      recall: this.#needs.recall,
      work: this.#needs.work,
      onProgress: (done, name) => {
        this.#work.progress.value = done;
        this.#count.textContent = `${done + 1} of ${length}: ${name}`;
      },
    });
    this.#rows = rows;
    this.#stem = group.stem;
    this.#members = members;
    this.#about = [
      ["Regions and settings", open.carried.name],
      ["Recordings", length],
      ["Measured", measured],
    ];
    this.#count.textContent = "";
    this.#results.hidden = rows.length === 0;
    // An error of one band or region is no failure of its recording.
    const faults = rows.filter(({ Band, Region }) => Band === undefined && Region === undefined).length;
    sayIn(
      this.#status,
      [
        `${signal.aborted ? "Cancelled: " : ""}${measured} of ${length} measured`,
        ...(faults === 0 ? [] : [`${faults} failed: the table says why`]),
      ].join(" · "),
      true,
    );
    const canArchive = members.length > 0 && this.#needs.mayArchive();
    for (const part of [this.#archive, this.#images.label]) part.hidden = !canArchive;
    return shown;
  }

  async #saveArchive() {
    const images = this.#images.select.value === "all" ? "all" : "none";
    sayIn(this.#status, "Preparing …", true);
    this.#archive.disabled = true;
    try {
      const warnings = await this.#needs.archive(this.#members, images, this.#stem);
      sayIn(this.#status, ["The browser saves the file", ...warnings].join(" · "), true);
    } catch (error) {
      const { message, details } = /** @type {Error & {details?: {message: string}[] | null}} */ (error);
      sayIn(this.#status, `Not saved: ${details?.[0]?.message ?? message}`, true);
    } finally {
      this.#archive.disabled = false;
    }
  }

  #saveTable() {
    const text = recordingsTable(this.#about, this.#rows);
    saveFile(`${this.#stem}-recordings.csv`, new Blob([text], { type: "text/csv;charset=utf-8" }));
  }
}

/** Columns that always stand at the end. */
const LAST = ["Note", "Error"];

/** The table of recordings, whose rows may have columns of their own, such as velocities in other units. @param {About} about @param {readonly Row[]} rows */
export function recordingsTable(about, rows) {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const ordered = [...[...names].filter((name) => !LAST.includes(name)), ...LAST];
  return csv(about, ordered.map((name) => ({ name, values: rows.map((row) => row[name] ?? null) })));
}
