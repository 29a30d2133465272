/**
 * Wires the measuring panels to the pictures. The chosen tool receives the drags over the picture that would otherwise
 * zoom; traces and values over time are directly below the line scan.
 */
import { type Column, columnsOf } from "../../../measure/csv.ts";
import { imageRows, partsOf } from "../../../measure/image_parts.ts";
import { EVENTS } from "../../../measure/event_measurement.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { capitalized, type Over } from "../../../measure/stack.ts";
import { byId, element, inNextFrame } from "../controls/element.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { help } from "../controls/help.ts";
import { stampMarks } from "../picture/scale_bar.ts";
import { columnNear } from "../picture/scan_path.ts";
import { BandPanel } from "./band_panel.ts";
import { bandMarks, pathMarks } from "./bands.ts";
import { CursorPanel } from "./cursor_panel.ts";
import { type Drawn, drawnIn } from "./drawn.ts";
import { ExportPanel } from "./export_panel.ts";
import { History } from "./history.ts";
import { ImagePanel } from "./image_panel.ts";
import { KymographPanel } from "./kymograph_panel.ts";
import { LinePanel } from "./line_panel.ts";
import { MeasurementPanel } from "./measurement_panel.ts";
import { RegionPanel } from "./region_panel.ts";
import { type About, type Scan, scanOf, shapeOf } from "./scan.ts";
import { ShapeEditor } from "./shape_editor.ts";
import { ToolChoice } from "./tool_choice.ts";
import { TraceCharts } from "./trace_charts.ts";
import type { Point } from "../picture/placed_view.ts";
import type { Source } from "./image_series.ts";
import type { Pane } from "../picture/pane.ts";
import type { Measured, Saved } from "./panel.ts";

type Panes = { source: Pane; reference: Pane };

/** The picture that is measured. */
export type Shown = Parameters<typeof scanOf>[0] & ShownParts;

/** What measuring knows of a picture beside its samples. */
export interface ShownParts {
  /** Why tools for line scans are disabled, and what enables them; empty for a line scan. */
  why: string;
  /** Path of the line scan over its reference; empty without one. */
  path: readonly Point[];
  /** Images along `T` and `Z`, if there are several. */
  stacks: ReadonlyMap<Over, Source>;
  /** Earlier drawings, of this or another picture. */
  drawn: Drawn | null | undefined;
  /** Judgement of the file. */
  isAccepted: boolean;
  /** Taken over from another picture of the recording, instead of that of `drawn`. */
  kept: Pick<Drawn, "accepted" | "regions" | "origin"> | null;
  /** Whether the picture is a kymograph that this page made. */
  isKymograph: boolean;
}

/** Largest distance of the start of a band from the path, in samples of the reference. */
const REACH = 12;

/** Fields whose letters or colours make one step together. */
const TYPED = "input[type=text], input[type=color]";

/** Emits `drawn` when drawings, their settings or results have changed. */
export class Measuring extends Emitter<{ drawn: Plain }> {
  readonly #panes: Panes;
  #scan: Scan | null = null;
  #path: readonly Point[] = [];
  /** Samples of the last means and profiles. */
  #shown: Float32Array[] = [];
  /** The traces listed last. */
  #listed: object | null = null;
  readonly #paintSoon = inNextFrame(() => this.#paint());
  #history: History<Drawn | null> = new History(null as Drawn | null);
  /** Identifies the picture of these steps. */
  #key = "";
  /** Set while a drag changes the drawings, and while they are replaced. */
  #isUnfinished = false;
  #isRecording = false;
  /** The field that was typed in last. */
  #typed: unknown = null;
  readonly #charts;
  readonly tools: ToolChoice = new ToolChoice(() => this.#choose());
  readonly #bands = new BandPanel();
  readonly #lines = new LinePanel();
  readonly #regions = new RegionPanel();
  readonly #regionFold = folded("Regions", this.#regions, "regions");
  readonly #accepted = byId("accepted", HTMLInputElement);
  /** Judgement of the file. */
  #isAccepted = false;
  /** Mark of the documents that the drawings started from. */
  #origin: string | null = null;
  readonly cursors: CursorPanel = new CursorPanel(() => this.#panes.source.cursor);
  readonly #measurements = MEASUREMENTS.map((one) =>
    new MeasurementPanel(one, () => this.#panes.source.cursor)
  );
  readonly #events = this.#measurements.find(({ measurement }) => measurement === EVENTS);
  readonly kymographs: KymographPanel = new KymographPanel();
  readonly #editor;
  readonly #kymographFold = folded("Line and kymograph", this.kymographs, "kymograph", true);
  readonly images: ImagePanel = new ImagePanel(() => this.#parts);
  readonly #imageFold = folded("Images over time or focus", this.images, "images");
  readonly #lineScanFolds = [
    folded("Bands and traces", this.#bands, "bands", true),
    folded("Lines", this.#lines, "lines"),
    ...this.#measurements.map((panel) => folded(panel.measurement.title, panel, panel.measurement.key)),
  ];

  /**
   * @param panes with their own overlays set
   * @param host of the panels
   * @param figure of the source
   */
  constructor(panes: Panes, host: HTMLElement, figure: HTMLElement) {
    super();
    this.#panes = panes;
    this.#charts = new TraceCharts(figure, panes.source, this.#measurements.filter(({ hasPlot }) => hasPlot));
    const { kymographs } = this;
    /** Tables that do not state the projection with their file. */
    const ofImage = (about: About, columns: readonly Column[]): Saved => {
      const projected = this.#scan?.place().filter(([name]) => name === "Projection") ?? [];
      return { about, settings: [...about, ...projected], columns };
    };
    const saved: Record<string, () => Saved> = {
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

  /** Drawings, settings and results as JSON; null while nothing is shown. */
  get drawn(): Drawn | null {
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

  /** What was measured in the shown picture; null while nothing is shown. */
  get measured(): Measured | null {
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

  get isAccepted(): boolean {
    return this.#accepted.checked;
  }

  /**
   * Starts with another picture, or the same one with other samples, and its earlier drawings.
   *
   * @returns the earlier drawings; null without any, or if they do not fit
   */
  begin(shown: Shown): Drawn | null {
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
  refresh(): void {
    if (this.#isRecording) this.#record();
    const results = this.#measurements.map((panel) => panel.results);
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
    const isSame = this.#measurements.every((panel, i) => panel.results === results[i]);
    if (this.#isUnfinished || (isListed && isSame)) return;
    // Dropping outdated results is no step.
    if (this.#history.amend(this.drawn)) this.emit("drawn");
  }

  undo(): void {
    this.#record();
    this.#redraw(this.#history.undo());
  }

  redo(): void {
    this.#record();
    this.#redraw(this.#history.redo());
  }

  /**
   * Shows other drawings of the same picture, as one step; regions and judgement stay if they state none.
   */
  replace(kept: Drawn | null | undefined): void {
    this.#record();
    const other = this.#scan && drawnIn(kept, this.#scan);
    const now = this.drawn;
    if (other === null || now === null) return;
    const { regions, accepted, origin } = now;
    const drawn = { regions, accepted, origin, ...other };
    this.#history.record(drawn as Drawn);
    this.#redraw(drawn as Drawn);
  }

  #redraw(drawn: Drawn | null) {
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

  /** @param kept belongs to the recording, not to the picture */
  #show(scan: Scan, drawn: Drawn | null, kept: Shown["kept"]) {
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
  layDown(): boolean {
    const wasSelected = this.#editor.deselect();
    if (this.tools.chosen === "zoom") return wasSelected;
    this.tools.choose("zoom");
    return true;
  }

  #listen(host: HTMLElement) {
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

  #drag(from: Point, to: Point, isDone: boolean) {
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

  /** Draws a band along the path of the reference. */
  #dragPath(from: Point, to: Point, isDone: boolean) {
    const [start, end] = [from, to].map(({ x, y }) =>
      columnNear(this.#path, this.#columns, { x: y - 0.5, y: x - 0.5 })
    );
    if (start === undefined || end === undefined || start.distance > REACH) return;
    this.#isUnfinished = !isDone;
    const [low, high] = [start.column, end.column].toSorted((a, b) => a - b) as [number, number];
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
    const toScreen = (x: number, y: number) => source.toScreen(x, y);
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
    const { threshold, ...found } = (this.#events as MeasurementPanel).inTraces(traces);
    this.#charts.draw(this.#scan, {
      traces,
      baselines: threshold === null ? baselines : [...baselines, threshold],
      title,
      ...found,
      pinned: this.cursors.lines,
    });
  }
}

/** Anchors of `docs/measure.md` that differ from the ids of their panels. */
const SECTIONS: Record<string, string> = {
  regions: "save-and-restore",
  kymograph: "kymographs",
  bands: "bands-and-traces",
  velocity: "velocities",
  diameter: "diameter-over-time",
  export: "what-you-can-save",
};

const folded = (title: string, panel: { element: HTMLElement }, id: string, isOpen = false) =>
  element(
    "details",
    { id: `measure-${id}`, open: isOpen },
    element("summary", { textContent: title }),
    help(SECTIONS[id] ?? id, title),
    panel.element,
  );
