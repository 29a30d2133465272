/**
 * Wires the measuring panels to the pictures. The chosen tool receives the drags over the picture that would otherwise
 * zoom; traces and values over time are directly below the line scan.
 *
 * @typedef {import("../picture/placed_view.js").Point} Point
 * @typedef {{source: Pane, reference: Pane}} Panes
 * @typedef {Parameters<typeof scanOf>[0] & ShownParts} Shown
 * @typedef {object} ShownParts
 * @property {string} why tools for line scans are disabled, and what enables them
 * @property {readonly Point[]} path of the line scan over its reference; empty without one
 * @property {ReadonlyMap<import("../../../measure/stack.js").Over, import("./image_series.js").Source>} stacks images along `T` and `Z`, if there are several
 * @property {unknown} drawn earlier drawings, unchecked
 * @property {boolean} isAccepted judgement of the file
 * @property {Pick<Drawn, "accepted" | "regions" | "origin"> | null} kept taken over from another picture of
 *   the recording, instead of that of `drawn`
 * @property {boolean} isKymograph whether the picture is a kymograph that this page made
 */
import { columnsOf } from "../../../measure/csv.js";
import { imageRows, partsOf } from "../../../measure/image_parts.js";
import { EVENTS } from "../../../measure/event_measurement.js";
import { MEASUREMENTS } from "../../../measure/measurements.js";
import { capitalized } from "../../../measure/stack.js";
import { byId, element, inNextFrame } from "../controls/element.js";
import { Emitter } from "../controls/emitter.js";
import { help } from "../controls/help.js";
import { stampMarks } from "../picture/scale_bar.js";
import { columnNear } from "../picture/scan_path.js";
import { BandPanel } from "./band_panel.js";
import { bandMarks, pathMarks } from "./bands.js";
import { CursorPanel } from "./cursor_panel.js";
import { drawnIn } from "./drawn.js";
import { ExportPanel } from "./export_panel.js";
import { History } from "./history.js";
import { ImagePanel } from "./image_panel.js";
import { KymographPanel } from "./kymograph_panel.js";
import { LinePanel } from "./line_panel.js";
import { MeasurementPanel } from "./measurement_panel.js";
import { RegionPanel } from "./region_panel.js";
import { scanOf, shapeOf } from "./scan.js";
import { ShapeEditor } from "./shape_editor.js";
import { ToolChoice } from "./tool_choice.js";
import { TraceCharts } from "./trace_charts.js";

/** @import { Pane } from "../picture/pane.js" */
/** @import { Drawn } from "./drawn.js" */
/** @import { Column, Saved } from "./panel.js" */

/** Largest distance of the start of a band from the path, in samples of the reference. */
const REACH = 12;

/** Fields whose letters or colours make one step together. */
const TYPED = "input[type=text], input[type=color]";

/** Emits `drawn` when drawings, their settings or results have changed. */
export class Measuring extends Emitter {
  /** @type {Panes} */
  #panes;
  /** @type {import("./scan.js").Scan | null} */
  #scan = null;
  /** @type {readonly Point[]} */
  #path = [];
  /** Samples of the last means and profiles. @type {Float32Array[]} */
  #shown = [];
  /** The traces listed last. @type {object | null} */
  #listed = null;
  #paintSoon = inNextFrame(() => this.#paint());
  /** @type {History<Drawn | null>} */
  #history = new History(/** @type {Drawn | null} */ (null));
  /** Identifies the picture of these steps. */
  #key = "";
  /** Set while a drag changes the drawings, and while they are replaced. */
  #isUnfinished = false;
  #isRecording = false;
  /** The field that was typed in last. @type {unknown} */
  #typed = null;
  #charts;
  tools = new ToolChoice(() => this.#choose());
  #bands = new BandPanel();
  #lines = new LinePanel();
  #regions = new RegionPanel();
  #regionFold = folded("Regions", this.#regions, "regions");
  #accepted = byId("accepted", HTMLInputElement);
  /** Judgement of the file. */
  #isAccepted = false;
  /** Mark of the documents that the drawings started from. @type {string | null} */
  #origin = null;
  cursors = new CursorPanel(() => this.#panes.source.cursor);
  #measurements = MEASUREMENTS.map((one) => new MeasurementPanel(one, () => this.#panes.source.cursor));
  #events = this.#measurements.find(({ measurement }) => measurement === EVENTS);
  kymographs = new KymographPanel();
  #editor;
  #kymographFold = folded("Line and kymograph", this.kymographs, "kymograph", true);
  images = new ImagePanel(() => this.#parts);
  #imageFold = folded("Images over time or focus", this.images, "images");
  #lineScanFolds = [
    folded("Bands and traces", this.#bands, "bands", true),
    folded("Lines", this.#lines, "lines"),
    ...this.#measurements.map((panel) => folded(panel.measurement.title, panel, panel.measurement.key)),
  ];

  /** @param {Panes} panes with their own overlays set @param {HTMLElement} host of the panels @param {HTMLElement} figure of the source */
  constructor(panes, host, figure) {
    super();
    this.#panes = panes;
    this.#charts = new TraceCharts(figure, panes.source, this.#measurements.filter(({ hasPlot }) => hasPlot));
    const { kymographs } = this;
    /** Tables that do not state the projection with their file. @type {(about: import("./panel.js").About, columns: readonly Column[]) => Saved} */
    const ofImage = (about, columns) => {
      const projected = this.#scan?.place().filter(([name]) => name === "Projection") ?? [];
      return { about, settings: [...about, ...projected], columns };
    };
    /** @type {Record<string, () => Saved>} */
    const saved = {
      Traces: () => this.#bands,
      ...Object.fromEntries(
        this.#measurements.map((panel) => [capitalized(panel.measurement.key), () => panel]),
      ),
      Lines: () => this.#lines,
      Cursors: () => this.cursors,
      Regions: () => ofImage([["Method", "lengths, and means of the finite samples"]], this.#regionColumns),
      Profile: () => ({ ...ofImage(kymographs.about, kymographs.columns), plot: () => kymographs.plot() }),
      Images: () => this.images,
    };
    const span = () => ({ from: panes.source.view.x0, to: panes.source.view.x1 });
    const exports = new ExportPanel(() => this.#scan, saved, span, (name, look) => panes[name].png(look));
    host.replaceChildren(
      this.tools.element,
      this.tools.why,
      this.#kymographFold,
      ...this.#lineScanFolds,
      this.#regionFold,
      this.#imageFold,
      folded("Cursors", this.cursors, "cursors"),
      folded("Save tables, plots and pictures", exports, "export"),
    );
    this.#editor = new ShapeEditor([this.cursors, this.#lines, this.#regions, this.#bands], panes.source);
    this.#listen(host);
  }

  /** Drawings, settings and results as JSON; null while nothing is shown. @returns {Drawn | null} */
  get drawn() {
    const scan = this.#scan;
    if (scan === null) return null;
    return {
      shape: shapeOf(scan),
      isLineScan: scan.isLineScan,
      traces: this.#bands.kept,
      bands: [...this.#bands.all],
      lines: this.#lines.all,
      measured: Object.fromEntries(this.#measurements.map((panel) => [panel.measurement.key, panel.kept])),
      cursors: this.cursors.kept,
      kymograph: this.kymographs.kept,
      images: this.images.kept,
      projection: this.images.projection,
      regions: this.#regions.all,
      accepted: this.#judged,
      origin: this.#origin,
    };
  }

  /** What was measured in the shown picture; null while nothing is shown. @returns {import("./panel.js").Measured | null} */
  get measured() {
    const [scan, drawn] = [this.#scan, this.drawn];
    if (scan === null || drawn === null) return null;
    return {
      drawn,
      scan,
      traces: this.#bands.traces,
      tables: {
        lines: this.#lines.columns,
        cursors: this.cursors.columns,
        images: this.images.columns,
        regions: this.#regionColumns,
        profile: this.kymographs.columns,
      },
      measurements: this.#measurements,
    };
  }

  /** The user's judgement; null if it equals that of the file. */
  get #judged() {
    const { checked } = this.#accepted;
    return checked === this.#isAccepted ? null : checked;
  }

  get isAccepted() {
    return this.#accepted.checked;
  }

  /**
   * Starts with another picture, or the same one with other samples, and its earlier drawings.
   *
   * @param {Shown} shown
   * @returns {Drawn | null} the earlier drawings; null without any, or if they do not fit
   */
  begin(shown) {
    const { path, stacks, isKymograph } = shown;
    const scan = this.#scan = scanOf(shown);
    const drawn = drawnIn(shown.drawn, scan);
    this.#isUnfinished = true;
    this.#isAccepted = shown.isAccepted;
    this.#path = path;
    this.#bands.hasPath = path.length > 0;
    this.tools.offer(scan.isLineScan, shown.why);
    this.#show(scan, drawn, shown.kept ?? drawn);
    // A kymograph in progress goes on.
    if (isKymograph) this.kymographs.showsKymograph();
    else this.kymographs.begin(scan, stacks.get("T") ?? null, drawn?.kymograph ?? null);
    this.images.begin(scan, stacks, drawn);
    for (const fold of this.#lineScanFolds) fold.hidden = !scan.isLineScan;
    this.#kymographFold.hidden = scan.isLineScan && !isKymograph;
    this.#imageFold.hidden = stacks.size === 0;
    this.#choose();
    this.#refresh();
    this.#isUnfinished = false;
    const key = JSON.stringify([scan.path, scan.place(), isKymograph]);
    this.#editor.begin(scan, key === this.#key);
    // A file that was reopened keeps its steps.
    if (key === this.#key && drawn !== null) this.#history.amend(this.drawn);
    else this.#history = new History(this.drawn);
    this.#key = key;
    this.#showSteps();
    return drawn;
  }

  /** Call after samples, shown channels or view may have changed. */
  refresh() {
    if (this.#isRecording) this.#record();
    const found = this.#measurements.map((panel) => panel.found);
    for (const panel of this.#measurements) panel.refresh();
    const samples = this.#scan?.group.shown.map((channel) => channel.samples) ?? [];
    // Taking the means of large rectangles again would slow down zooming.
    if (samples.length !== this.#shown.length || samples.some((one, i) => one !== this.#shown[i])) {
      this.#shown = samples;
      for (const panel of [this.kymographs, this.#regions]) panel.refresh();
    }
    const isListed = this.#bands.traces === this.#listed;
    if (!isListed) {
      this.cursors.refresh();
      this.#refresh();
    }
    const isSame = this.#measurements.every((panel, i) => panel.found === found[i]);
    if (this.#isUnfinished || (isListed && isSame)) return;
    // Dropping outdated results is no step.
    if (this.#history.amend(this.drawn)) this.emit("drawn");
  }

  undo() {
    this.#record();
    this.#redraw(this.#history.undo());
  }

  redo() {
    this.#record();
    this.#redraw(this.#history.redo());
  }

  /** Shows other drawings of the same picture, as one step; regions and judgement stay if they state none. @param {any} kept unchecked */
  replace(kept) {
    this.#record();
    const other = this.#scan && drawnIn(kept, this.#scan);
    const now = this.drawn;
    if (other === null || now === null) return;
    const { regions, accepted, origin } = now;
    const drawn = { regions, accepted, origin, ...other };
    this.#history.record(/** @type {Drawn} */ (drawn));
    this.#redraw(/** @type {Drawn} */ (drawn));
  }

  /** @param {Drawn | null} drawn */
  #redraw(drawn) {
    const scan = this.#scan;
    if (drawn === null || scan === null) return;
    this.#isUnfinished = true;
    this.#show(scan, drawn, drawn);
    this.kymographs.redraw(drawn.kymograph);
    this.images.redraw(drawn);
    this.#refresh();
    this.#isUnfinished = false;
    this.#history.amend(this.drawn);
    this.#showSteps();
    this.emit("drawn");
  }

  /** @param {import("./scan.js").Scan} scan @param {Drawn | null} drawn @param {Shown["kept"]} kept belongs to the recording, not to the picture */
  #show(scan, drawn, kept) {
    for (const panel of [this.#bands, this.#lines, this.cursors, ...this.#measurements]) {
      panel.begin(scan, drawn);
    }
    this.#accepted.checked = kept?.accepted ?? this.#isAccepted;
    this.#origin = kept?.origin ?? null;
    this.#regions.begin(scan, kept?.regions ?? []);
  }

  /** Parts of the images that can be measured. */
  get #parts() {
    return partsOf({ kymograph: this.kymographs.line, regions: this.#regions.all });
  }

  /** Lengths and means of the parts of the shown image. */
  get #regionColumns() {
    const scan = this.#scan;
    if (scan === null || scan.isLineScan || this.#parts.length < 2) return [];
    return columnsOf(imageRows(this.#parts, { shape: shapeOf(scan), axes: scan.axes }, scan.group.shown));
  }

  /** Deselects the tool and the shape; returns whether either was selected. */
  layDown() {
    const wasSelected = this.#editor.deselect();
    if (this.tools.chosen === "zoom") return wasSelected;
    this.tools.choose("zoom");
    return true;
  }

  /** @param {HTMLElement} host */
  #listen(host) {
    const { source, reference } = this.#panes;
    for (const pane of [source, reference]) pane.onGivenUp = () => this.#giveUp();
    const [under, underReference] = [source.overlay, reference.overlay];
    source.overlay = () => {
      this.#paintSoon();
      this.#editor.place();
      return [...under(), ...this.#marks()];
    };
    reference.overlay = () => [
      ...underReference(),
      ...pathMarks(this.#bands.shown, this.#path, this.#columns, reference),
    ];
    this.#bands.addEventListener("change", () => this.#refresh());
    this.#editor.on("edit", ({ isDone, by = null }) => {
      this.#isUnfinished = !isDone;
      this.#typed = by;
    });
    this.#editor.on("edited", () => this.#drawMarks());
    this.#editor.on("released", () => this.#history.endTyping());
    for (const panel of [this.kymographs, this.#regions]) {
      panel.addEventListener("change", () => {
        this.images.listParts();
        this.#regionFold.hidden = this.#regions.all.length === 0;
      });
    }
    const marked = [this.#lines, this.cursors, this.kymographs, this.#regions, ...this.#measurements];
    for (const panel of marked) panel.addEventListener("change", () => source.drawMarks());
    for (const panel of this.#measurements) panel.addEventListener("change", () => this.#paintSoon());
    for (const part of [this.#bands, ...marked, this.images, this.#accepted]) {
      part.addEventListener("change", () => this.#recordSoon());
    }
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    host.addEventListener("input", ({ target }) => {
      this.#typed = target instanceof Element && target.matches(TYPED) ? target : null;
    }, true);
    host.addEventListener("change", () => {
      this.#typed = null;
      this.#history.endTyping();
    });
  }

  /** Records one step after several panels have changed in turn. */
  #recordSoon() {
    if (this.#isRecording || this.#isUnfinished) return;
    this.#isRecording = true;
    queueMicrotask(() => this.#record());
  }

  #record() {
    const field = this.#typed;
    this.#isRecording = false;
    this.#typed = null;
    if (this.#isUnfinished || !this.#history.record(this.drawn, field)) return;
    this.#showSteps();
    this.emit("drawn");
  }

  #showSteps() {
    byId("undo", HTMLButtonElement).disabled = !this.#history.canUndo;
    byId("redo", HTMLButtonElement).disabled = !this.#history.canRedo;
  }

  /** @param {Point} from @param {Point} to @param {boolean} isDone */
  #drag(from, to, isDone) {
    this.#isUnfinished = !isDone;
    const { chosen } = this.tools;
    const ofLine = this.#scan?.isLineScan ? this.#lines : this.kymographs;
    const panel = chosen === "band" ? this.#bands : chosen === "rectangle" ? this.#regions : ofLine;
    panel.draw(from, to, isDone);
    this.#drawMarks();
  }

  get #columns() {
    return this.#scan === null ? 0 : shapeOf(this.#scan)[1];
  }

  /** Draws a band along the path of the reference. @param {Point} from @param {Point} to @param {boolean} isDone */
  #dragPath(from, to, isDone) {
    const [start, end] = [from, to].map(({ x, y }) =>
      columnNear(this.#path, this.#columns, { x: y - 0.5, y: x - 0.5 })
    );
    if (start === undefined || end === undefined || start.distance > REACH) return;
    this.#isUnfinished = !isDone;
    const [low, high] = [start.column, end.column].toSorted((a, b) => a - b);
    this.#bands.draw({ y: low }, { y: high + 1 }, isDone);
    this.#drawMarks();
  }

  /** Cancels a drag. */
  #giveUp() {
    this.#isUnfinished = false;
    for (const panel of [this.#bands, this.#lines, this.kymographs, this.#regions]) panel.giveUp();
    this.#drawMarks();
  }

  #drawMarks() {
    this.#panes.source.drawMarks();
    this.#panes.reference.drawMarks();
  }

  #choose() {
    this.#giveUp();
    const { chosen } = this.tools;
    const isDrawing = chosen !== "zoom" && this.#scan !== null;
    this.#panes.source.tool = isDrawing ? (from, to, isDone) => this.#drag(from, to, isDone) : null;
    const onPath = chosen === "band" && this.#path.length > 0;
    // While a finger draws, it does not scroll the page.
    this.#panes.source.redraw();
    this.#panes.reference.redraw();
    this.#panes.reference.tool = onPath ? (from, to, isDone) => this.#dragPath(from, to, isDone) : null;
  }

  #marks() {
    const { source } = this.#panes;
    const toScreen = (/** @type {number} */ x, /** @type {number} */ y) => source.toScreen(x, y);
    return [
      ...bandMarks(this.#bands.shown, source),
      ...this.#measurements.flatMap((panel) => panel.marks(toScreen)),
      ...this.#lines.marks(toScreen),
      ...this.#regions.marks(toScreen),
      ...(this.#scan?.isLineScan ? [] : this.kymographs.marks(toScreen, source.zoom)),
      ...this.cursors.marks(toScreen, source.plot),
      ...stampMarks(this.#scan?.isTyped ? "calibration typed" : "", source.plot),
    ];
  }

  #refresh() {
    this.#listed = this.#bands.traces;
    const { all, kept } = this.#bands;
    for (const panel of this.#measurements) panel.listBands(all, kept);
    this.#drawMarks();
    this.#paintSoon();
  }

  #paint() {
    const { traces, baselines, title } = this.#bands;
    const { threshold, ...found } = /** @type {MeasurementPanel} */ (this.#events).inTraces(traces);
    this.#charts.draw(this.#scan, {
      traces,
      baselines: threshold === null ? baselines : [...baselines, threshold],
      title,
      ...found,
      pinned: this.cursors.lines,
    });
  }
}

/** Anchors of `docs/measure.md` that differ from the ids of their panels. @type {Record<string, string>} */
const SECTIONS = {
  regions: "save-and-restore",
  kymograph: "kymographs",
  bands: "bands-and-traces",
  velocity: "velocities",
  diameter: "diameter-over-time",
  export: "what-you-can-save",
};

/** @param {string} title @param {{element: HTMLElement}} panel @param {string} id @param {boolean} [isOpen] */
const folded = (title, panel, id, isOpen = false) =>
  element(
    "details",
    { id: `measure-${id}`, open: isOpen },
    element("summary", { textContent: title }),
    help(SECTIONS[id] ?? id, title),
    panel.element,
  );
