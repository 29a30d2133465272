/**
 * Wires the measuring panels to the pictures. The chosen tool receives the drags over the picture that would otherwise
 * zoom; traces and values over time are directly below the line scan.
 *
 * What is drawn goes one way: a tool, list or field makes another table of regions (drawing/kinds.ts), the store records it
 * (drawing/store.ts), and `#follow` shows it.
 */
import { type Column, makeColumns } from "../../../measure/csv.ts";
import { makeImageRows } from "../../../measure/image_parts.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { makeCurveColumns } from "../../../measure/result_tables.ts";
import { formatValueWords } from "../../../measure/over_recordings.ts";
import { capitalize, type Over, type SeriesAxis } from "../../../measure/stack.ts";
import { byId, element, findWithin, runInNextFrame } from "../controls/element.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { makeHelpLink } from "../controls/help.ts";
import { measureDistanceToLine, RegionEditor } from "../drawing/editor.ts";
import { drawMarks, drawPathMarks, KINDS } from "../drawing/kinds.ts";
import { type KindName, type Region, selectBands, selectKinds } from "../drawing/region.ts";
import { isOfRecording, listMeasurableParts, makeIdsDistinct } from "../drawing/table.ts";
import { RegionList } from "../drawing/list.ts";
import { makeMeasurementPiece } from "../drawing/measurement_piece.ts";
import { DrawingStore } from "../drawing/store.ts";
import { Tools } from "../drawing/tools.ts";
import { stampMarks } from "../picture/scale_bar.ts";
import { CursorPanel } from "./cursor_panel.ts";
import { type Drawn, fitDrawn } from "../drawing/drawn.ts";
import { ExportPanel } from "./export_panel.ts";
import { ImagePanel } from "./image_panel.ts";
import { KymographPanel } from "./kymograph_panel.ts";
import { MeasurementPanel, type Outline, type Picked } from "./measurement_panel.ts";
import { panel } from "./panel.ts";
import { type About, findShape, findTimeAxisOfScan, makeScan, type Scan } from "../drawing/scan.ts";
import { TraceCharts } from "./trace_charts.ts";
import { chooseTraceSettingsOver, TracePanel } from "./trace_panel.ts";
import type { PicturePoint } from "../picture/placed_view.ts";
import type { Drawer, DrawerView } from "../panels/drawer.ts";
import type { Mark } from "../picture/marks.ts";
import { findTraced, type Traced } from "./traced.ts";
import { NEW_TRACE } from "../../../measure/light/band_trace.ts";
import type { ImageSource } from "./image_series.ts";
import type { Pane } from "../picture/pane.ts";
import type { MeasuredPicture, PanelFiles } from "./panel.ts";

type Panes = { source: Pane; reference: Pane };

/** The picture that is measured. */
export type ShownPicture = Parameters<typeof makeScan>[0] & ShownParts;

/** What measuring knows of a picture beside its samples. */
export interface ShownParts {
  /** Why tools for line scans are disabled, and what enables them; empty for a line scan. */
  why: string;
  /** Path of the line scan over its reference; empty without one. */
  path: readonly PicturePoint[];
  /** Images along `T` and `Z`, if there are several. */
  stacks: ReadonlyMap<Over, ImageSource>;
  /** Index of the shown image along an axis, from 0. */
  imageAt: (over: Over) => number;
  /** Earlier drawings, of this or another picture. */
  drawn: Drawn | null | undefined;
  /** Judgement of the file. */
  isAccepted: boolean;
  /** Taken over from another picture of the recording, instead of that of `drawn`. */
  kept: Pick<Drawn, "accepted" | "regions" | "origin"> | null;
  /** Whether the picture is a kymograph that this page made. */
  isKymograph: boolean;
}

/** Colour of a picked item over the picture. */
const PICKED = "#ffffff";

/** Before the first picture. */
const NOTHING: Drawn = {
  shape: [1, 1],
  isLineScan: false,
  regions: [],
  traces: null,
  cursors: { lines: 1, columns: 1 },
  kymograph: null,
};

/**
 * Emits `drawn` when drawings, their settings or results have changed, and `go` to show the image `index` along an axis, `at`
 * the position of the measured images along other axes.
 */
export class Measuring extends Emitter<{ drawn: Plain; go: { over: Over; index: number; at: About } }> {
  readonly #panes: Panes;
  #scan: Scan | null = null;
  /** The planes that traces and events use; null while nothing is shown. */
  #traced: Traced | null = null;
  #imageAt: (over: Over) => number = () => 0;
  #path: readonly PicturePoint[] = [];
  /** Samples of the last means and profiles. */
  #shown: Float32Array[] = [];
  /** The traces listed last. */
  #listed: object | null = null;
  readonly #paintSoon = runInNextFrame(() => this.#paint());
  readonly #store = new DrawingStore<Drawn>(NOTHING);
  /** The document that was shown and told last. */
  #told: Drawn = NOTHING;
  /** Identifies the picture of the steps; empty while one begins. */
  #key = "";
  readonly #charts;
  readonly tools: Tools;
  readonly #bands = new TracePanel(this.#store);
  readonly #lists: Readonly<Record<"line" | "track" | "region", RegionList>> = {
    line: new RegionList(this.#store, ["line"], "Lines"),
    track: new RegionList(this.#store, ["track"], "Tracks"),
    region: new RegionList(this.#store, ["rectangle", "segment", "point"], "Regions"),
  };
  readonly #regionFold = foldPanel("Regions", wrapList(this.#lists.region), "regions");
  readonly #accepted = byId("accepted", HTMLInputElement);
  /** Judgement of the file. */
  #isAccepted = false;
  readonly cursors: CursorPanel = new CursorPanel(this.#store, () => this.tools.pin());
  readonly #measurements = MEASUREMENTS.map((one) =>
    new MeasurementPanel(one, this.#store.register(makeMeasurementPiece(one.key)), () => this.#cursor)
  );
  /** The views of their results in the drawer. */
  readonly #views: Map<MeasurementPanel, DrawerView> = new Map();
  readonly #events = this.#measurements.find(({ measurement }) => measurement.marksTraces);
  readonly kymographs: KymographPanel = new KymographPanel(this.#store);
  readonly #editor;
  readonly #exports;
  readonly #kymographFold = foldPanel("Line and kymograph", this.kymographs, "kymograph", true);
  readonly images: ImagePanel = new ImagePanel(this.#store);
  readonly #imageFold = foldPanel("Images over time or focus", this.images, "images", true);
  readonly #traceFold = foldPanel("Bands and traces", this.#bands, "bands", true);
  readonly #measurementFolds = this.#measurements.map((panel) => ({
    panel,
    fold: foldPanel(panel.measurement.title, panel, panel.measurement.key, false, panel.measurement.section),
  }));
  readonly #lineFolds = [
    foldPanel("Lines", wrapList(this.#lists.line), "lines"),
    foldPanel("Tracks", wrapList(this.#lists.track), "tracks"),
  ];

  /**
   * @param panes with their own overlays set
   * @param host of the panels
   * @param figure of the source
   * @param drawer shows the results
   */
  constructor(panes: Panes, host: HTMLElement, figure: HTMLElement, drawer: Drawer) {
    super();
    this.#panes = panes;
    this.#editor = new RegionEditor(this.#store, panes.source, ({ kind }) => this.#listOf(kind).slot);
    this.tools = new Tools(this.#store, {
      ...panes,
      editor: this.#editor,
      line: () => this.kymographs.next,
      refuse: (kind) => this.#listOf(kind).refuse(),
      press: (at, reach) => this.#isOfImages || this.#pickNear(at, reach),
    });
    this.#charts = new TraceCharts(
      figure,
      panes.source,
      this.#measurements.filter(({ hasPlot }) => hasPlot),
      {
        onEvent: (distance, reach) => this.#events?.pickNear(({ line }) => distance(line), reach) ?? false,
        onImage: (line) => this.#goTo(line),
      },
    );
    for (const panel of this.#measurements) {
      const { measurement: { key, title }, output } = panel;
      this.#views.set(panel, drawer.view(key, title, output));
    }
    const exports = this.#exports = new ExportPanel(
      () => this.#scan,
      this.#saved(),
      () => this.#exportedSpan,
      (name, look) => panes[name].png(look),
    );
    host.replaceChildren(
      this.tools.choice.element,
      this.tools.choice.adds,
      this.tools.choice.why,
      this.#kymographFold,
      this.#regionFold,
      this.#imageFold,
      this.#traceFold,
      ...this.#lineFolds,
      ...this.#measurementFolds.map(({ fold }) => fold),
      foldPanel("Cursors", this.cursors, "cursors"),
      foldPanel("Save tables, plots and pictures", exports, "export"),
    );
    this.#listen(host);
  }

  /** What can be saved, by its name. */
  #saved(): Record<string, () => PanelFiles> {
    const { kymographs, images } = this;
    /** Tables that do not state the projection with their file. */
    const ofImage = (about: About) => {
      const projected = this.#scan?.place().filter(([name]) => name === "Projection") ?? [];
      return { about, settings: [...about, ...projected] };
    };
    const countOf = (kind: KindName) => selectKinds(this.#store.document.regions, kind).length || null;
    // Columns of many regions are made only when they are saved.
    const drawn = (kind: KindName, columns: () => readonly Column[]) => (): PanelFiles => ({
      count: this.#scan?.isLineScan ? countOf(kind) : null,
      get columns() {
        return columns();
      },
    });
    const regionColumns = () => this.#regionColumns;
    return {
      Traces: () => this.#bands,
      ...Object.fromEntries(
        this.#measurements.map((panel) => [capitalize(panel.measurement.key), () => panel]),
      ),
      Lines: drawn("line", () => this.#columnsOf("line")),
      Tracks: drawn("track", () => this.#columnsOf("track")),
      Cursors: () => this.cursors,
      Regions: () => ({
        ...ofImage([["Method", "lengths, and means of the finite samples"]]),
        count: this.#regionCount,
        get columns() {
          return regionColumns();
        },
      }),
      Profile: () => ({
        ...ofImage(kymographs.about),
        count: kymographs.hasProfile ? 1 : null,
        get columns() {
          return makeCurveColumns(kymographs.columns, "the line", "Value");
        },
        plot: () => kymographs.plot(),
      }),
      Images: () => ({
        count: images.count,
        about: images.about,
        scan: this.#isOfImages ? this.#traced!.scan : null,
        get columns() {
          return images.table;
        },
        plot: () => images.plot(),
      }),
    };
  }

  /** Lines that a plot shows. */
  get #exportedSpan(): { from: number; to: number } {
    const { scan } = this.#traced ?? {};
    return scan?.noun === "region"
      ? { from: 0, to: findShape(scan)[0] }
      : { from: this.#panes.source.view.x0, to: this.#panes.source.view.x1 };
  }

  /** Drawings, settings and results as JSON; null while nothing is shown. */
  get drawn(): Drawn | null {
    return this.#scan === null ? null : this.#store.document;
  }

  /** What was measured in the shown picture, in words. */
  get summary(): string {
    return formatValueWords(
      this.#measurements.map(({ measurement, edited }) => ({ measurement, tables: edited })),
    );
  }

  /** What was measured in the shown picture; null while nothing is shown. */
  get measured(): MeasuredPicture | null {
    const [scan, drawn] = [this.#scan, this.drawn];
    if (scan === null || drawn === null) return null;
    return {
      drawn,
      scan,
      traced: this.#traced!.scan,
      traces: this.#bands.traces,
      means: this.images.tables,
      tables: {
        lines: this.#columnsOf("line"),
        tracks: this.#columnsOf("track"),
        cursors: this.cursors.columns,
        regions: this.#regionColumns,
        profile: this.kymographs.columns,
      },
      measurements: this.#measurements,
    };
  }

  #columnsOf(kind: KindName): readonly Column[] {
    const scan = this.#scan;
    return scan === null
      ? []
      : KINDS[kind].columns?.(selectKinds(this.#store.document.regions, kind), scan) ?? [];
  }

  get isAccepted(): boolean {
    return this.#accepted.checked;
  }

  /**
   * Starts with another picture, or the same one with other samples, and its earlier drawings.
   *
   * @returns the earlier drawings; null without any, or if they do not fit
   */
  begin(shown: ShownPicture): Drawn | null {
    const { path, stacks, isKymograph, imageAt } = shown;
    const scan = this.#scan = makeScan(shown);
    this.#imageAt = imageAt;
    const drawn = fitDrawn(shown.drawn, scan);
    const key = JSON.stringify([scan.path, scan.place(), isKymograph]);
    const isSame = key === this.#key;
    this.#key = "";
    this.#isAccepted = shown.isAccepted;
    this.#path = path;
    this.#bands.hasPath = path.length > 0;
    for (const panel of [...this.#measurements, this.images]) panel.leave();
    this.#traced = null;
    // A file that was reopened keeps its steps.
    const time = stacks.get("T") ?? findTimeAxisOfScan(scan);
    this.#store.begin(this.#documentOf(scan, time, drawn, shown.kept), isSame && drawn !== null);
    const { document } = this.#store;
    // A kymograph in progress goes on.
    if (isKymograph) this.kymographs.showsKymograph();
    else this.kymographs.begin(scan, stacks.get("T") ?? null);
    this.images.begin(scan, stacks);
    this.#trace(document);
    this.#followTraced();
    for (const fold of this.#lineFolds) fold.hidden = !scan.isLineScan;
    this.#kymographFold.hidden = scan.isLineScan && !isKymograph;
    this.#imageFold.hidden = stacks.size === 0;
    this.#show(scan);
    this.tools.begin(scan, path, shown.why);
    this.#told = this.#store.document;
    this.#editor.begin(scan, isSame);
    this.#key = key;
    this.#showSteps();
    return drawn;
  }

  /** Finds the planes that traces and events use. */
  #trace({ regions, images }: Pick<Drawn, "regions" | "images">) {
    const former = this.#traced;
    const traced = findTraced(this.#scan!, regions, images, this.images.axis);
    const { scan } = traced;
    const isSame = scan === former?.scan && JSON.stringify(traced.bands) === JSON.stringify(former.bands);
    if (isSame) return;
    this.#traced = traced;
    const isOfImages = scan.noun === "region";
    this.#traceFold.hidden = !scan.isLineScan;
    findWithin(this.#traceFold, "summary").textContent = isOfImages ? "Traces" : "Bands and traces";
    for (const { panel, fold } of this.#measurementFolds) {
      fold.hidden = !this.#measuredBy(panel).scan.isLineScan;
    }
  }

  /** What a measurement measures: events in traces, also those of images, all else in line scans. */
  #measuredBy({ measurement }: MeasurementPanel): Traced {
    return measurement.isOfBands ? this.#traced! : { scan: this.#scan!, bands: this.#traced!.bands };
  }

  /** Shows in each measurement what it measures. */
  #followTraced() {
    const trace = this.#store.document.traces ?? NEW_TRACE;
    for (const panel of this.#measurements) panel.follow(this.#measuredBy(panel), trace);
  }

  /** Whether traces are those of images. */
  get #isOfImages() {
    return this.#traced?.scan.noun === "region";
  }

  /**
   * Position for what is added by hand. In traces of images, that of the shown image and the selected region; null while a
   * projection is shown, which is not an image.
   */
  get #cursor(): { x: number; y: number } | null {
    if (!this.#isOfImages) return this.#panes.source.cursor;
    if (this.#image === null) return null;
    const selected = this.#traced!.bands.find(({ id }) => id === this.#store.selected);
    return { x: this.#image + 0.5, y: (selected?.from ?? 0) + 0.5 };
  }

  /** Shows the image at a line of its traces. */
  #goTo(line: number) {
    if (this.#image === null) return;
    const [count] = findShape(this.#traced!.scan);
    const index = Math.min(count - 1, Math.max(0, Math.round(line)));
    const { axis: over, at = [] } = this.images.kept!;
    this.emit("go", { over, index, at });
  }

  /** The document of a picture. @param kept belongs to the recording, not to the picture */
  #documentOf(scan: Scan, time: SeriesAxis, drawn: Drawn | null, kept: ShownPicture["kept"]): Drawn {
    const { traces, cursors } = this.#store.document;
    const empty = { ...NOTHING, shape: findShape(scan), isLineScan: scan.isLineScan, cursors };
    const document = {
      ...empty,
      ...drawn,
      traces: drawn?.traces ?? chooseTraceSettingsOver(time, traces ?? undefined),
    };
    if (kept === null) return document;
    const { accepted, origin, regions } = kept;
    const own = document.regions.filter((region) => !isOfRecording(region));
    return {
      ...document,
      accepted,
      origin,
      regions: makeIdsDistinct([...own, ...regions.filter(isOfRecording)]),
    };
  }

  /** Call after samples, shown channels or view may have changed. */
  refresh(): void {
    const scan = this.#scan;
    if (scan === null) return;
    for (const panel of this.#measurements) panel.refresh();
    const samples = scan.group.shown.map((channel) => channel.samples);
    // Taking the means of large rectangles again would slow down zooming.
    if (samples.length !== this.#shown.length || samples.some((one, i) => one !== this.#shown[i])) {
      this.#shown = samples;
      this.kymographs.refresh();
      this.#lists.region.show(scan);
    }
    if (this.#bands.traces !== this.#listed) {
      this.cursors.show(scan);
      this.#refresh();
    }
    // Dropping outdated results is not a step.
    this.#tellLate();
  }

  /** Takes back the last point of a track that is being drawn, else the last step. */
  undo(): void {
    if (!this.tools.removeLast()) this.#store.undo();
  }

  redo(): void {
    if (!this.#store.isPreviewing) this.#store.redo();
  }

  /** Shows other drawings of the same picture, as one step; the judgement stays if they state none. */
  replace(kept: Drawn | null | undefined): void {
    const other = this.#scan && fitDrawn(kept, this.#scan);
    if (other === null) return;
    const { accepted, origin } = this.#store.document;
    this.#store.record({ accepted, origin, ...other });
  }

  /** Shows the document after a step; what follows from it belongs to the step. */
  #follow() {
    const scan = this.#scan;
    if (scan === null || this.#key === "") return;
    const traced = this.#traced;
    this.#trace(this.#store.document);
    this.#followTraced();
    this.#show(scan, this.#told, traced !== this.#traced);
  }

  /** Tells of what was amended after a step. */
  #tellLate() {
    if (!this.#store.isTelling && this.#store.document !== this.#told) this.#tell();
  }

  /** Tells of the document once the pieces have followed. */
  #tell() {
    if (this.#key === "") return;
    this.#told = this.#store.document;
    this.#showSteps();
    this.emit("drawn");
  }

  /**
   * Shows regions and settings.
   *
   * @param former document that is shown; null for none
   * @param isTraced whether what is traced has changed
   */
  #show(scan: Scan, former: Drawn | null = null, isTraced = true) {
    const { regions, traces, cursors, accepted } = this.#store.document;
    this.#accepted.checked = accepted ?? this.#isAccepted;
    if (isTraced || regions !== former?.regions || traces !== former.traces) {
      this.#bands.show(this.#traced!, scan);
    }
    if (regions !== former?.regions) {
      for (const list of Object.values(this.#lists)) list.show(scan);
      this.kymographs.show();
      this.images.listParts();
      this.#regionFold.hidden = !regions.some(isOfRecording);
    }
    if (regions !== former?.regions || cursors !== former.cursors) this.cursors.show(scan);
    this.#read(former?.regions ?? regions);
    this.#refresh();
  }

  /** Shows regions while one is being drawn or moved. */
  #preview() {
    const scan = this.#scan;
    if (scan === null) return;
    const { regions } = this.#store.document;
    this.#read(regions);
    this.kymographs.show();
    if (this.#store.shown.regions.some((region) => region.kind === "cursor" && !regions.includes(region))) {
      this.cursors.show(scan);
    }
    this.#drawMarks();
  }

  /** Reads out the region that differs from a table. */
  #read(former: readonly Region[]) {
    const other = this.#store.shown.regions.filter((region) => !former.includes(region));
    for (const kind of ["line", "track"] as const) {
      const region = other.length === 1 && other[0]!.kind === kind && other[0]!.ends.length > 1
        ? other[0]!
        : null;
      this.#lists[kind].read(region, this.#scan!);
    }
  }

  /** How many parts the shown image has besides the whole. */
  get #regionCount() {
    if (this.#scan === null || this.#scan.isLineScan) return null;
    return listMeasurableParts(this.#store.document.regions).length - 1 || null;
  }

  /** Lengths and means of the parts of the shown image. */
  get #regionColumns() {
    const scan = this.#scan;
    const parts = listMeasurableParts(this.#store.document.regions);
    if (scan === null || scan.isLineScan || parts.length < 2) return [];
    return makeColumns(makeImageRows(parts, { shape: findShape(scan), axes: scan.axes }, scan.group.shown));
  }

  /** Picks the found item whose line in the picture is nearest to a press. */
  #pickNear({ x, y }: PicturePoint, reach: number) {
    const { source } = this.#panes;
    const at = source.toScreen(x, y);
    const toScreen = (point: PicturePoint) => source.toScreen(point.x, point.y);
    const distance = (_: unknown, outline: Outline) => {
      const points = outline.map(toScreen);
      return Math.min(
        Infinity,
        ...points.map((point, i) => measureDistanceToLine(at, points[i - 1] ?? point, point)),
      );
    };
    this.#measurements.some((panel) => panel.pickNear(distance, reach));
  }

  /** Shows the row, the place and the value of a picked item. */
  #showPicked(panel: MeasurementPanel) {
    for (const other of this.#measurements) if (other !== panel) other.unpick();
    const { picked } = panel;
    if (picked === null) return;
    this.#views.get(panel)?.show();
    const { source } = this.#panes;
    const { y0, y1 } = source.view;
    const { line, column, columns: [from, to] } = picked;
    this.#charts.reveal(panel);
    if (this.#isOfImages) {
      this.#goTo(line);
      return this.#paintSoon();
    }
    const isSeen = from < y1 && to > y0;
    source.reveal({ x: line + 0.5, y: column ?? (isSeen ? (y0 + y1) / 2 : (from + to) / 2) });
    this.#drawMarks();
    this.#paintSoon();
  }

  /** Shows what was just measured. */
  #showMeasured(panel: MeasurementPanel) {
    const view = this.#views.get(panel)!;
    view.isFilled = true;
    view.show();
    byId("announcer").textContent = panel.words;
    this.#paint();
    this.#charts.reveal(panel);
    showAbove("drawer");
  }

  #listen(host: HTMLElement) {
    const { source, reference } = this.#panes;
    const [under, underReference] = [source.overlay, reference.overlay];
    source.overlay = () => {
      this.#paintSoon();
      this.#editor.place();
      return [...under(), ...this.#marks()];
    };
    reference.overlay = () => [
      ...underReference(),
      ...drawPathMarks(
        selectBands(this.#store.shown.regions),
        this.#path,
        this.#scan === null ? 0 : findShape(this.#scan)[1],
        reference,
      ),
    ];
    this.#store.on("change", () => this.#follow());
    this.#store.on("settled", () => this.#tell());
    this.#store.on("preview", () => this.#preview());
    for (const panel of this.#measurements) {
      panel.on("pick", () => this.#showPicked(panel));
      panel.on("results", () => this.#showMeasured(panel));
      panel.addEventListener("change", () => {
        this.#views.get(panel)!.isFilled = panel.isFilled;
        this.#tellLate();
        source.drawMarks();
        this.#paintSoon();
      });
    }
    for (const part of [this.images, this.kymographs]) part.addEventListener("change", () => this.refresh());
    this.images.on("means", () => showAbove("source"));
    this.#accepted.addEventListener("change", () => {
      const { checked } = this.#accepted;
      // Null if it equals the judgement of the file.
      const accepted = checked === this.#isAccepted ? null : checked;
      this.#store.record({ ...this.#store.document, accepted });
    });
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    for (const part of [host, ...this.#measurements.map(({ output }) => output)]) {
      part.addEventListener("change", () => this.#store.endTyping());
    }
  }

  #showSteps() {
    byId("undo", HTMLButtonElement).disabled = !this.#store.canUndo;
    byId("redo", HTMLButtonElement).disabled = !this.#store.canRedo;
  }

  #listOf(kind: KindName) {
    if (kind === "band") return this.#bands.list;
    return kind === "line" || kind === "track"
      ? this.#lists[kind]
      : kind === "cursor"
      ? this.cursors
      : this.#lists.region;
  }

  #drawMarks() {
    this.#panes.source.drawMarks();
    this.#panes.reference.drawMarks();
  }

  #marks() {
    const { source } = this.#panes;
    const toScreen = (x: number, y: number) => source.toScreen(x, y);
    // Events of images are in the chart alone.
    const inPicture = this.#isOfImages ? [] : this.#measurements;
    return [
      ...inPicture.flatMap((panel) => panel.marks(toScreen)),
      ...drawMarks(this.#store.shown.regions, source),
      ...inPicture.flatMap(({ picked }) => picked === null ? [] : markPickedItem(picked, source)),
      ...stampMarks(this.#scan?.isTyped ? "calibration typed" : "", source.plot),
    ];
  }

  #refresh() {
    this.#listed = this.#bands.traces;
    this.#drawMarks();
    this.#paintSoon();
  }

  /** Index of the shown image along the axis of its traces; null while a projection is shown. */
  get #image() {
    return this.#isOfImages && this.images.projection === null ? this.#imageAt(this.images.kept!.axis) : null;
  }

  #paint() {
    this.#exports.refresh();
    const { traces, baselines, title } = this.#bands;
    const { threshold, ...found } = (this.#events as MeasurementPanel).inTraces(traces);
    this.#charts.draw(this.#traced?.scan ?? null, {
      traces,
      baselines: threshold === null ? baselines : [...baselines, threshold],
      title,
      ...found,
      picked: this.#events?.picked ?? null,
      pinned: this.#isOfImages ? [] : this.cursors.lines,
      image: this.#image,
    });
  }
}

/** Anchors of `docs/measure.md` that differ from the ids of their panels. */
const SECTIONS: Record<string, string> = {
  regions: "save-and-restore",
  kymograph: "kymographs",
  bands: "bands-and-traces",
  export: "what-you-can-save",
};

/** Brings an element into view on a narrow page, which has it far above the settings. */
function showAbove(id: string) {
  if (matchMedia("(min-width: 761px)").matches) return;
  requestAnimationFrame(() => byId(id).scrollIntoView({ block: "end" }));
}

/** Marks of a picked item: its line in time within its columns, and a ring if it has a column. */
function markPickedItem({ line, column, columns: [from, to] }: Picked, pane: Pane): Mark[] {
  const style = { color: PICKED, width: 2, halo: true };
  const points = [from, to].map((y) => pane.toScreen(line + 0.5, y));
  if (column === null) return [{ points, ...style }];
  const [x, y] = pane.toScreen(line + 0.5, column + 0.5);
  return [{ ring: [x, y, 8], ...style }];
}

/** A panel that is a list. */
const wrapList = (list: RegionList) => ({ element: panel(list.element) });

const foldPanel = (
  title: string,
  panel: { element: HTMLElement },
  id: string,
  isOpen = false,
  section = SECTIONS[id] ?? id,
) =>
  element(
    "details",
    { id: `measure-${id}`, open: isOpen },
    element("summary", { textContent: title }),
    makeHelpLink(section, title),
    panel.element,
  );
