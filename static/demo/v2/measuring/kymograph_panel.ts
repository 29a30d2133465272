/**
 * The line over an image or projection, straight or freehand and with a width: its length, mean and profile, and the
 * kymograph of a T series along it.
 */
import { element } from "../controls/element.ts";
import type { Plain } from "../controls/emitter.ts";
import { button, checkField, countField, fieldRow } from "../controls/fields.ts";
import { chooseUnitSymbol, formatCount, formatRounded } from "../../../measure/axes.ts";
import { Kymograph } from "../../../measure/kymograph.ts";
import {
  LINE_ID,
  makeMeanOver,
  makeProfileColumns,
  measureLineIn,
  placeText,
} from "../../../measure/image_parts.ts";
import { type LinePoint, measurePolyline } from "../../../measure/line_profile.ts";
import { curvesPlot, plotImage, showPlot } from "./curves_plot.ts";
import { fetchImages, type ImageSource } from "./image_series.ts";
import { type About, findShape, formatMeans, type Scan } from "../drawing/scan.ts";
import { Panel, panel } from "./panel.ts";
import { Work } from "./work.ts";
import { findLineOver, findRegion, type Region, withRegion } from "../drawing/region.ts";
import { type Drawn, type DrawnLook, KYMOGRAPH } from "../drawing/drawn.ts";
import type { DrawingStore } from "../drawing/store.ts";
import type { Column } from "../../../measure/csv.ts";
import type { SvgPlot } from "./svg_plot.ts";

/** Interval at which the picture follows arriving images. */
const SHOW_EVERY_MS = 400;

/**
 * Shows the line and the piece of its kymograph. Emits `change` and `make` with the earlier look of the kymograph when images are fetched, `grow`
 * `{kymograph, isDone}` while they arrive, `end` after them, and `back` for the images.
 */
export class KymographPanel extends Panel<{
  make: { look: DrawnLook | null };
  grow: { kymograph: Kymograph; isDone: boolean };
  end: Plain;
  back: Plain;
}> {
  #source: ImageSource | null = null;
  readonly #store;
  readonly #piece;
  #region: Region | undefined;
  /** The line over the images, also while their kymograph is shown. */
  #line: { points: LinePoint[]; width: number } | null = null;
  #isShown = false;
  readonly #freehand = checkField("Freehand", "kymograph-freehand", false);
  readonly #width = countField("Width", "kymograph-width", 1, "px", () => this.#typed(), 1000);
  readonly #start = button("Make kymograph", () => this.#toggle(), { id: "kymograph-start", disabled: true });
  readonly #back = button("Back to the images", () => this.emit("back"), {
    id: "kymograph-back",
    hidden: true,
  });
  readonly #status = element("p", { className: "hint", role: "status" });
  readonly #work = new Work("Images", this.#status, [this.#start]);
  readonly #length = element("output", { className: "drawn", id: "line-length" });
  readonly #profile = plotImage("Profile of the line");
  readonly element: HTMLDivElement;

  constructor(store: DrawingStore<Drawn>) {
    super();
    this.#store = store;
    this.#piece = store.register(KYMOGRAPH);
    this.element = panel(
      this.#status,
      this.#length,
      this.#profile,
      fieldRow(this.#freehand.label, this.#width.label),
      fieldRow(this.#start, this.#work.progress, this.#back),
    );
  }

  /** @param source a series, or null */
  begin(scan: Scan, source: ImageSource | null): void {
    this.#work.end();
    this.emit("end");
    this.scan = scan;
    this.#source = source;
    this.#start.hidden = source === null;
    this.#back.hidden = true;
    this.#isShown = false;
    this.#status.textContent = source === null
      ? "Choose Line and draw over the image to measure a length and a profile."
      : "Choose Line and draw over the image; each image becomes a line of its kymograph.";
    this.refresh();
  }

  /** How the next line is drawn. */
  get next(): { width: number; isFreehand: boolean } {
    return { width: this.#width.number, isFreehand: this.#freehand.input.checked };
  }

  #typed() {
    const { regions } = this.#store.document;
    const line = findRegion(regions, LINE_ID);
    if (line !== undefined) this.#store.draw(withRegion(regions, { ...line, width: this.#width.number }));
  }

  /** Call when regions have changed. */
  show(): void {
    if (findRegion(this.#store.shown.regions, LINE_ID) !== this.#region) this.refresh();
  }

  /** Shows length, mean and profile of the line. Call when the samples have changed. */
  refresh(): void {
    const isOver = !this.#isShown && findLineOver(this.#store.document.regions) !== null;
    // There is none without a line, and in a kymograph.
    this.#piece.amend(isOver ? this.#piece.value ?? { isMade: false } : null);
    const { regions } = this.#store.shown;
    this.#region = findRegion(regions, LINE_ID);
    if (!this.#isShown) this.#line = findLineOver(regions);
    if (this.#line !== null) this.#width.number = this.#line.width;
    const isDrawn = this.#line !== null && !this.#store.isPreviewing;
    this.#start.disabled = !isDrawn && !this.#work.isRunning;
    const { line, scan } = this;
    if (scan === null || line === null) {
      this.#length.textContent = "";
      return showPlot(this.#profile, null);
    }
    const { value, unit } = measureLineIn(line.points, scan.axes);
    const means = formatMeans(scan, makeMeanOver({ shape: findShape(scan), axes: scan.axes }, line));
    this.#length.textContent = `Length ${formatRounded(value)} ${chooseUnitSymbol(unit)} · mean ${means}`;
    showPlot(this.#profile, this.plot());
  }

  /** The line for other measurements; null without one. */
  get line(): { points: LinePoint[]; width: number } | null {
    return this.#line !== null && measurePolyline(this.#line.points) > 0 ? this.#line : null;
  }

  /** States where the profile was taken. */
  get about(): About {
    if (this.scan === null) return [];
    const place = placeText({ id: "", name: "the line", place: this.line }, this.scan.axes);
    return [["Method", "values along a line, interpolated linearly"], ["Along", place]];
  }

  /** Whether the shown image has a line; false in a kymograph. */
  get hasProfile(): boolean {
    return this.line !== null && this.scan !== null && !this.#isShown;
  }

  /** The profile of the line in the shown image; empty in a kymograph. */
  get columns(): readonly Column[] {
    const { line, scan } = this;
    if (scan === null || line === null || !this.hasProfile) return [];
    return makeProfileColumns(line, { shape: findShape(scan), axes: scan.axes }, scan.group.shown);
  }

  /** The profile. */
  plot(): SvgPlot | null {
    return curvesPlot(this.columns, "Value", this.scan?.note);
  }

  get hasSeries(): boolean {
    return this.#source !== null;
  }

  /** Fetches the images and makes the kymograph of the line. */
  make(): void {
    if (!this.#work.isRunning) this.#toggle();
  }

  /** Call when the picture shows the kymograph. */
  showsKymograph(): void {
    this.#isShown = true;
    this.#back.hidden = false;
  }

  async #toggle() {
    if (this.#work.isRunning) return this.#work.cancel();
    const [source, line, { scan }] = [this.#source, this.#line, this];
    if (source === null || line === null || scan === null) return;
    const { count, axis } = source;
    const { look = null } = this.#piece.value ?? {};
    this.emit("make", { look });
    this.#piece.amend({ ...this.#piece.value, isMade: true });
    this.changed();
    const fault = await this.#work.run(async (signal) => {
      const { plane, channels } = scan.group;
      const series = { plane, channels, count, time: axis };
      const kymograph = new Kymograph(series, line.points, line.width);
      this.#work.progress.max = count;
      let shownAt = -Infinity;
      await fetchImages(source, signal, (planes, t, done) => {
        planes.forEach((image, channel) => image !== null && kymograph.take(channel, t, image));
        this.#work.progress.value = done;
        if (performance.now() - shownAt < SHOW_EVERY_MS) return;
        shownAt = performance.now();
        this.emit("grow", { kymograph, isDone: false });
      });
      this.emit("grow", { kymograph, isDone: true });
      this.#status.textContent = `${formatCount(kymograph.done)} of ${formatCount(count)} images`;
    });
    if (fault === null) return;
    // What was drawn in it waits for the next one.
    if (!this.#isShown) this.#piece.amend({ ...this.#piece.value, isMade: false });
    this.changed();
    this.emit("end");
  }
}
