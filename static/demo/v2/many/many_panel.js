/** Controls to carry regions and settings to the next recording, and to measure all recordings with them. */
import { MEASUREMENTS } from "../../../measure/measurements.js";
import { element, saveFile, sayIn } from "../controls/element.js";
import { button, checkField, choiceField, fieldRow } from "../controls/fields.js";
import { measureAll } from "./measure_all.js";
import { recordingsTable } from "./recordings_table.js";
import { panel } from "../measuring/panel.js";

/** @import { ExportMember } from "../../../client/v2/acq-client.d.ts" */
/** @import { Carried } from "./carried.js" */
/** @import { Run, Target } from "./measure_all.js" */
/** @import { Row } from "./measurer.js" */

/**
 * @typedef {object} Open the open recording
 * @property {Carried} carried its regions and settings
 * @property {import("../measuring/drawn.js").Drawn} drawn
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
 * @property {(open: Open, measured: Open["drawn"] | null) => void} onMeasured called with the results of the recording that
 *   was open at the start, or null; others may have new work
 */

export class ManyPanel {
  #needs;
  /** @type {AbortController | null} */
  #running = null;
  /** @type {readonly Row[]} */
  #rows = [];
  /** Start of the names of saved files. */
  #stem = "";
  /** Facts about the rows, above the saved table. @type {import("../measuring/scan.js").About} */
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
  #progress = element("progress", { hidden: true, "aria-label": "Recordings" });
  #count = element("p", { className: "hint" });
  #status = element("p", { className: "result", role: "status" });
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
    fieldRow(this.#start, this.#progress),
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
    this.#all.hidden = groups.length === 0 && this.#running === null;
    this.#next.textContent = "";
  }

  get isRunning() {
    return this.#running !== null;
  }

  #carry() {
    const open = this.#needs.open();
    if (open !== null) sayIn(this.#next, this.#needs.carry(open.carried), true);
  }

  async #toggle() {
    if (this.#running !== null) return this.#running.abort();
    const open = this.#needs.open();
    const group = this.#needs.groups().find(({ id }) => id === this.#group.select.value);
    if (open === null || group === undefined) return;
    const what = new Set(this.#measurements.filter(({ input }) => input.checked).map(({ key }) => key));
    if (open.drawn.isLineScan && what.size === 0) {
      return sayIn(this.#status, "Choose what is measured.");
    }
    const running = this.#running = new AbortController();
    const { length } = group.targets;
    this.#start.textContent = "Cancel";
    this.#results.hidden = true;
    sayIn(this.#status, "", true);
    Object.assign(this.#progress, { hidden: false, max: length, value: 0 });
    const { rows, measured, members, open: shown } = await measureAll(group.targets, {
      ...open,
      what,
      running,
      skipsOwn: this.#own.select.value === "skip",
      recall: this.#needs.recall,
      work: this.#needs.work,
      onProgress: (done, name) => {
        this.#progress.value = done;
        this.#count.textContent = `${done + 1} of ${length}: ${name}`;
      },
    });
    this.#running = null;
    this.#rows = rows;
    this.#stem = group.stem;
    this.#members = members;
    this.#about = [
      ["Regions and settings", open.carried.name],
      ["Recordings", length],
      ["Measured", measured],
    ];
    this.#start.textContent = "Measure all with these settings";
    this.#progress.hidden = true;
    this.#count.textContent = "";
    this.#results.hidden = rows.length === 0;
    // An error of one band or region is no failure of its recording.
    const faults = rows.filter(({ Band, Region }) => Band === undefined && Region === undefined).length;
    sayIn(
      this.#status,
      [
        `${running.signal.aborted ? "Cancelled: " : ""}${measured} of ${length} measured`,
        ...(faults === 0 ? [] : [`${faults} failed: the table says why`]),
      ].join(" · "),
      true,
    );
    const canArchive = members.length > 0 && this.#needs.mayArchive();
    for (const part of [this.#archive, this.#images.label]) part.hidden = !canArchive;
    this.refresh();
    this.#needs.onMeasured(open, shown);
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
