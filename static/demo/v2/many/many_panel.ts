/** Controls to carry regions and settings to the next recording, and to measure all recordings with them. */
import { formatCount } from "../../../measure/axes.ts";
import type { Column, Row } from "../../../measure/csv.ts";
import { makeRecordingColumns } from "../../../measure/result_tables.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { byId, element, sayIn } from "../controls/element.ts";
import { readKept, writeKept } from "../controls/kept.ts";
import { button, checkField, choiceField, fieldRow } from "../controls/fields.ts";
import { type Drawn, lookOf, summarizeDrawing } from "../drawing/drawn.ts";
import { panel } from "../measuring/panel.ts";
import { type About, makeScan, type Scan, typedPlanes } from "../drawing/scan.ts";
import { saveSettings, saveTable, saveTogether, type TableToSave } from "../measuring/saved_tables.ts";
import { Work } from "../measuring/work.ts";
import { saveArchive } from "../saving/archive_download.ts";
import { addToOwn, type Carried, carryFrom, type CarryingPage, offerWaiting, wait } from "./carried.ts";
import { measureAll, type MeasureOrder, type Target } from "./measure_all.ts";
import { RecordingsView } from "./recordings_view.ts";
import type { ExportMember } from "../../../client/v2/acq-client.ts";
import type { Drawer } from "../panels/drawer.ts";
import type { KeptWork } from "../opening/kept_work.ts";
import type { SavingParts } from "../opening/saving.ts";
import { chooseTyped, type TypedScan } from "../../../measure/typed_scan.ts";

/** The open recording, with regions and settings for others. */
type OpenRecording = { carried: Carried; drawn: Drawn };

/** Recordings that can be measured together, with a name for files about them. */
interface RecordingChoice {
  id: string;
  /** With the number of recordings, if it is known before they are listed. */
  name: string;
  stem: string;
  list: () => Promise<{ targets: readonly Target[]; isCut: boolean }>;
}

/** What was measured last, for recordings in which nothing was measured yet. */
const CHOSEN = "acq-server many";

/** The panel "Many recordings". */
export class ManyPanel {
  readonly #parts;
  #rows: readonly Row[] = [];
  /** Start of the names of saved files. */
  #stem = "";
  /** Facts about the rows, above the saved table. */
  #about: About = [];
  readonly #group = choiceField("Recordings", "many-group", []);
  readonly #measurements = MEASUREMENTS.map(({ key, title }) => ({
    key,
    ...checkField(title, `many-${key}`, false, () => writeKept(CHOSEN, [...this.#chosen])),
  }));
  /** The measurements that the open recording asks for, at the last look. */
  #asked = "";
  /** Whether there have been recordings to measure together. */
  #wasOffered = false;
  /** What is measured in line scans. */
  readonly #what = fieldRow(...this.#measurements.map(({ label }) => label));
  readonly #ofImages = element("p", {
    className: "hint",
    textContent:
      "Measures the whole image, the line and the rectangles as under “Images over time or focus”, and over time:",
  });
  readonly #own = choiceField("With work of their own", "many-own", [
    { value: "measure", name: "measure with it" },
    { value: "skip", name: "leave out" },
  ]);
  readonly #start = button("Measure all with these settings", () => this.#toggle(), { id: "many-start" });
  readonly #count = element("p", { className: "hint" });
  readonly #status = element("p", { className: "result", role: "status" });
  readonly #work = new Work("Recordings", this.#status, [this.#start]);
  readonly #saveAll = button("Save table and figure", () => this.#saveTogether(), {
    id: "many-all",
    title: "Saves one ZIP file: the table with its settings, and the figure of “Recordings”",
  });
  readonly #save = button("CSV", () => saveTable(this.#table), {
    id: "many-csv",
    ariaLabel: "Save the table alone as CSV",
  });
  readonly #settings = button("JSON", () => saveSettings(this.#table), {
    id: "many-json",
    ariaLabel: "Save settings of the table as JSON",
  });
  #members: readonly ExportMember[] = [];
  readonly #images = choiceField("Images", "many-images", [
    { value: "none" as const, name: "without" },
    { value: "all" as const, name: "with" },
  ]);
  readonly #archive = button("Save archive", () => this.#saveArchive(), { id: "many-archive" });
  readonly #results = fieldRow(
    this.#saveAll,
    this.#save,
    this.#settings,
    this.#archive,
    this.#images.label,
  );
  readonly #next = element("p", { className: "result", role: "status" });
  readonly #view: RecordingsView;
  readonly #all = panel(
    fieldRow(this.#group.label),
    this.#what,
    this.#ofImages,
    fieldRow(this.#own.label),
    fieldRow(this.#start, this.#work.progress),
    this.#count,
    this.#status,
    this.#results,
  );
  readonly element: HTMLDetailsElement;

  /** @param parts `opening` listens to the controller already */
  constructor(parts: SavingParts & { work: KeptWork; recall: MeasureOrder["recall"]; drawer: Drawer }) {
    this.#parts = parts;
    const { viewer, controller, opening, measured, work, page } = parts;
    const show: CarryingPage["show"] = (drawn, typed) => {
      if (typed !== null) measured.treat(typed);
      measured.adopt(addToOwn(drawn, this.#look?.drawn), false);
    };
    this.#view = new RecordingsView(
      (path) => opening.recordings.open(path.replace(/#\d+$/, "")),
      parts.drawer,
    );
    this.#results.hidden = true;
    this.element = element(
      "details",
      { id: "measure-many", hidden: true },
      element("summary", { textContent: "Many recordings" }),
      panel(
        fieldRow(button("Use in next recording", () => this.#carry(), { id: "use-next" })),
        this.#next,
        this.#all,
      ),
    );
    byId("measure").append(this.element);
    addEventListener("beforeunload", (event) => this.#work.isRunning && event.preventDefault());
    opening.recordings.list.on("changed", () => this.refresh());
    viewer.on("shown", () => this.refresh());
    controller.on("loaded", ({ isSample }) => {
      this.refresh();
      if (isSample) return;
      const scanAs = (typed: TypedScan | null) => (this.#shownAs(typed) as Scan);
      const notice: CarryingPage["notice"] = (...texts) => page.notice(...texts);
      offerWaiting({ show, notice }, scanAs, work.key, summarizeDrawing(this.#look?.drawn));
    });
  }

  get #look() {
    return lookOf(this.#parts.viewer);
  }

  /** The shown picture, an image as a line scan with the typed calibration; null before the first file. */
  #shownAs(typed: TypedScan | null) {
    const { info, groups, note } = this.#parts.viewer;
    if (info === null || groups === null) return null;
    const { source: file, lineScan = null } = info;
    const { source } = groups;
    const calibration = chooseTyped(info, typed);
    const { plane, channels } = calibration !== null
      ? typedPlanes({ plane: info.plane, channels: source.channels }, calibration)
      : source;
    const group = { plane, channels, shown: source.shown } as typeof source;
    return makeScan({ group, file, lineScan, place: () => [], note });
  }

  /** @returns null while nothing is open */
  get #open(): OpenRecording | null {
    const [scan, look, { work }] = [this.#shownAs(null), this.#look, this.#parts];
    if (scan === null || !look?.drawn) return null;
    return { carried: carryFrom(look.drawn, scan, work.key, look.typed), drawn: look.drawn };
  }

  /** The recordings of the folder and of those beside it, and the scenes of the file, where there may be several. */
  get #groups(): RecordingChoice[] {
    const { viewer, controller, opening: { mayOpenByPath, recordings: { list } } } = this.#parts;
    const inFolder = (folder: string, recordings: readonly { name: string; path: string }[]) =>
      recordings.map(({ name, path }): Target => ({
        name,
        folder,
        open: async (signal) => (await controller.server()).open(path, { signal }),
      }));
    const { scenes = [], source } = viewer.info ?? {};
    const file = source?.name ?? "";
    const scans = scenes.map(({ index: scene, name }): Target => ({
      name: `${file} · ${name}`,
      folder: file,
      open: (signal) => controller.live((acquisition) => acquisition.reopen({ scene, signal }), signal),
    }));
    const group = (id: string, name: string, stem: string, targets: readonly Target[]) =>
      targets.length < 2 ? [] : [{
        id,
        name: `${name} (${formatCount(targets.length)})`,
        stem,
        list: () => Promise.resolve({ targets, isCut: list.isCut && id === "folder" }),
      }];
    const { parentName, recordings: { length } } = list;
    const beside = !mayOpenByPath || length === 0 || parentName === "" ? [] : [{
      id: "folders",
      name: `of all folders in ${parentName}`,
      stem: parentName,
      list: async () => {
        const { folders, isCut } = await list.folders();
        const targets = folders.flatMap(({ name, recordings }) => inFolder(name, recordings));
        return { targets, isCut: isCut || folders.some(({ isCut }) => isCut) };
      },
    }];
    return [
      ...group("folder", "of this folder", list.folderName, inFolder(list.folderName, list.recordings)),
      ...beside,
      ...group("file", "scenes of this file", file.replace(/\.[^.]*$/, ""), scans),
    ];
  }

  /** Keys of the measurements to make. */
  get #chosen(): ReadonlySet<string> {
    return new Set(this.#measurements.filter(({ input }) => input.checked).map(({ key }) => key));
  }

  /**
   * Chooses what was measured in the open recording, else what was chosen last. Before any choice: events if traces are
   * shown as ΔF/F₀, which is of calcium, else velocities.
   */
  #choose(drawn: Drawn | undefined) {
    const inOpen = MEASUREMENTS.filter(({ key }) => (drawn?.measurements?.[key]?.results.length ?? 0) > 0)
      .map(({ key }) => key);
    const chosen = readKept(CHOSEN);
    const usual = Array.isArray(chosen) ? chosen : [drawn?.traces?.isChange ? "events" : "velocity"];
    const keys = inOpen.length > 0 ? inOpen : usual;
    if (keys.join() === this.#asked) return;
    this.#asked = keys.join();
    if (inOpen.length > 0) writeKept(CHOSEN, inOpen);
    this.#check(keys);
  }

  #check(keys: readonly unknown[]) {
    for (const { key, input } of this.#measurements) input.checked = keys.includes(key);
  }

  /** Call when drawings, results or the folder have changed. */
  refresh(): void {
    const [groups, open] = [this.#groups, this.#open];
    this.#choose(open?.drawn);
    this.element.hidden = open === null;
    const isImage = open?.drawn.isLineScan === false;
    this.#ofImages.hidden = !isImage;
    this.#measurements.forEach(({ label }, i) => label.hidden = isImage && !MEASUREMENTS[i]!.isOfBands);
    this.#group.offer(groups.map(({ id, name }) => ({ value: id, name })));
    this.#all.hidden = groups.length === 0 && !this.#work.isRunning;
    // Opens by itself once; a user may close it.
    if (groups.length > 0 && !this.#wasOffered) this.element.open = this.#wasOffered = true;
    this.#next.textContent = "";
  }

  #carry() {
    const open = this.#open;
    if (open === null) return;
    wait(open.carried);
    this.#parts.opening.recordings.step(1);
    sayIn(this.#next, "The next recording that you open takes the regions and settings.", true);
  }

  async #toggle() {
    if (this.#work.isRunning) return this.#work.cancel();
    const open = this.#open;
    const group = this.#groups.find(({ id }) => id === this.#group.select.value);
    if (open === null || group === undefined) return;
    const what = this.#chosen;
    if (open.drawn.isLineScan && what.size === 0) {
      return sayIn(this.#status, "Choose what is measured.");
    }
    this.#results.hidden = true;
    sayIn(this.#status, "", true);
    let found = null as Drawn | null;
    await this.#work.run(async (signal) => {
      found = await this.#measure(open, group, what, signal);
    });
    this.refresh();
    const { measured, opening, work } = this.#parts;
    opening.recordings.showWorks();
    // Something else may have been opened or drawn meanwhile.
    const isSame = open.carried.key === work.key &&
      JSON.stringify(this.#look?.drawn) === JSON.stringify(open.drawn);
    if (found !== null && isSame) measured.adopt(found, false);
  }

  async #measure(
    open: OpenRecording,
    group: RecordingChoice,
    what: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Drawn | null> {
    const { targets, isCut } = await group.list();
    const { length } = targets;
    this.#work.progress.max = length;
    const { rows, done, members, compared, open: shown } = await measureAll(targets, {
      ...open,
      what,
      signal,
      skipsOwn: this.#own.select.value === "skip",
      recall: this.#parts.recall,
      work: this.#parts.work,
      onProgress: (done, name) => {
        this.#work.progress.value = done;
        this.#count.textContent = `${formatCount(done + 1)} of ${formatCount(length)}: ${name}`;
      },
    });
    this.#rows = rows;
    this.#view.show(
      compared,
      group.stem,
      rows.some(({ Region }) => Region !== undefined) ? "Region" : "Band",
    );
    this.#stem = group.stem;
    this.#members = members;
    this.#about = [
      ["Regions and settings", open.carried.name],
      ["Recordings", length],
      ["Measured", done],
    ];
    this.#count.textContent = "";
    this.#results.hidden = rows.length === 0;
    // An error of one band or region is not a failure of its recording.
    const faults = rows.filter(({ Band, Region }) => Band === undefined && Region === undefined).length;
    sayIn(
      this.#status,
      [
        `${signal.aborted ? "Cancelled: " : ""}${formatCount(done)} of ${formatCount(length)} measured`,
        ...(faults === 0 ? [] : [`${formatCount(faults)} failed: the table says why`]),
        ...(isCut ? ["There are more recordings than the server lists"] : []),
      ].join(" · "),
      true,
    );
    const canArchive = members.length > 0 && this.#parts.opening.mayOpenByPath;
    for (const part of [this.#archive, this.#images.label]) part.hidden = !canArchive;
    return shown;
  }

  async #saveArchive() {
    const images = this.#images.select.value === "all" ? "all" : "none";
    sayIn(this.#status, "Preparing …", true);
    this.#archive.disabled = true;
    try {
      const { controller } = this.#parts;
      const server = await controller.server();
      const name = this.#stem;
      const link = await controller.live(async (acquisition) => {
        const { sessionId } = await acquisition.state();
        return await server.export(this.#members, { images, name, sessionId });
      });
      sayIn(this.#status, ["The browser saves the file …", ...link.warnings].join(" · "), true);
      this.#archive.disabled = false;
      await saveArchive(server, link);
      sayIn(this.#status, [`Saved ${name}.zip`, ...link.warnings].join(" · "), true);
    } catch (error) {
      const { message, details } = error as Error & { details?: { message: string }[] | null };
      sayIn(this.#status, `Not saved: ${details?.[0]?.message ?? message}`, true);
    } finally {
      this.#archive.disabled = false;
    }
  }

  get #table(): TableToSave {
    const stem = `${this.#stem}-recordings`;
    return { stem, columns: makeRecordingsTable(this.#rows), about: { settings: this.#about } };
  }

  async #saveTogether() {
    const { figure } = this.#view;
    await saveTogether(this.#table.stem, [this.#table], figure === null ? [] : [figure]);
  }
}

/** The table of recordings. It always has the columns `Note` and `Error`. */
export const makeRecordingsTable = (rows: readonly Row[]): Column[] =>
  makeRecordingColumns(rows.map((row) => ({ Note: "", Error: "", ...row })));
