/**
 * The line over an image or projection, straight or freehand and with a width: its length, mean and profile, and the
 * kymograph of a T series along it.
 */
import { element } from "../controls/element.ts";
import type { Plain } from "../controls/emitter.ts";
import { button, checkField, countField, fieldRow } from "../controls/fields.ts";
import { rounded, unitSymbol } from "../../../measure/axes.ts";
import { Kymograph } from "../../../measure/kymograph.ts";
import { lengthIn, meanOver, placeText, profileColumns } from "../../../measure/image_parts.ts";
import { lengthOf, type Point } from "../../../measure/line_profile.ts";
import { curvesPlot, plotImage, showPlot } from "./curves_plot.ts";
import { fetchImages, type Source } from "./image_series.ts";
import { type About, meansText, type Scan, shapeOf } from "./scan.ts";
import { Panel, panel } from "./panel.ts";
import { Work } from "./work.ts";
import type { KeptKymograph } from "./drawn.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Mark } from "../picture/marks.ts";
import type { Plot } from "./svg_plot.ts";

/** Interval at which the picture follows arriving images. */
const SHOW_EVERY_MS = 400;

/** Emits `change` for the line, `grow` `{kymograph, isDone}` while images arrive, `end` after them, and `back` for the images. */
export class KymographPanel extends Panel<{
  grow: { kymograph: Kymograph; isDone: boolean };
  end: Plain;
  back: Plain;
}> {
  #source: Source | null = null;
  #points: Point[] = [];
  /** The line before the one being drawn. */
  #former: Point[] | null = null;
  #isShown = false;
  readonly #freehand = checkField("Freehand", "kymograph-freehand", false);
  readonly #width = countField("Width", "kymograph-width", 1, "px", () => this.#changed(), 1000);
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

  constructor() {
    super();
    this.element = panel(
      this.#status,
      this.#length,
      this.#profile,
      fieldRow(this.#freehand.label, this.#width.label),
      fieldRow(this.#start, this.#work.progress, this.#back),
    );
  }

  /** The line, to be stored as JSON; null without one. */
  get kept(): KeptKymograph | null {
    if (this.#points.length === 0) return null;
    const isMade = this.#isShown || this.#work.isRunning;
    return { points: [...this.#points], width: this.#width.number, isMade };
  }

  /** @param source a series, or null */
  begin(scan: Scan, source: Source | null, kept: KeptKymograph | null): void {
    this.#work.end();
    this.emit("end");
    this.scan = scan;
    this.#source = source;
    this.#former = null;
    this.#points = kept?.points ?? [];
    if (kept !== null) this.#width.number = kept.width;
    this.#start.hidden = source === null;
    this.#back.hidden = true;
    this.#isShown = false;
    this.#status.textContent = source === null
      ? "Choose Line and draw over the image to measure a length and a profile."
      : "Choose Line and draw over the image; each image becomes a line of its kymograph.";
    this.refresh();
  }

  /** Shows another line without making its kymograph, for example after Undo. */
  redraw(kept: KeptKymograph | null): void {
    this.#former = null;
    this.#points = [...kept?.points ?? []];
    if (kept !== null) this.#width.number = kept.width;
    this.#changed();
  }

  #changed() {
    this.refresh();
    this.changed();
  }

  /** Shows length, mean and profile of the line. Call when the samples have changed. */
  refresh(): void {
    const isDrawn = this.#points.length > 0 && this.#former === null;
    this.#start.disabled = !isDrawn && !this.#work.isRunning;
    const { line, scan } = this;
    if (scan === null || line === null) {
      this.#length.textContent = "";
      return showPlot(this.#profile, null);
    }
    const { value, unit } = lengthIn(line.points, scan.axes);
    const means = meansText(scan, meanOver(shapeOf(scan), line));
    this.#length.textContent = `Length ${rounded(value)} ${unitSymbol(unit)} · mean ${means}`;
    showPlot(this.#profile, this.plot());
  }

  /** The line for other measurements; null without one. */
  get line(): {
    points: Point[];
    width: number;
  } | null {
    return lengthOf(this.#points) > 0 ? { points: this.#points, width: this.#width.number } : null;
  }

  /** States where the profile was taken. */
  get about(): About {
    if (this.scan === null) return [];
    const place = placeText({ id: "", name: "the line", place: this.line }, this.scan.axes);
    return [["Method", "values along a line, interpolated linearly"], ["Along", place]];
  }

  /** The profile of the line in the shown image; empty in a kymograph. */
  get columns(): readonly Column[] {
    const { line, scan } = this;
    if (scan === null || line === null || this.#isShown) return [];
    return profileColumns(line, { shape: shapeOf(scan), axes: scan.axes }, scan.group.shown);
  }

  /** The profile. */
  plot(): Plot | null {
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

  /** Follows a line being drawn, in positions of the picture. */
  draw(from: Point, to: Point, isDone: boolean): void {
    const [rows, columns] = this.scan === null ? [0, 0] : shapeOf(this.scan);
    // Rows lie along x of the picture. A sample's centre lies half a pixel inside it, and the line ends at the
    // outermost centres.
    const [start, end] = [from, to].map(({ x, y }) => ({
      x: Math.min(columns - 1, Math.max(0, y - 0.5)),
      y: Math.min(rows - 1, Math.max(0, x - 0.5)),
    })) as [{ x: number; y: number }, { x: number; y: number }];
    const isOn = this.#points.length > 0 &&
      Math.hypot(this.#points[0]!.x - start.x, this.#points[0]!.y - start.y) < 1e-6;
    if (this.#freehand.input.checked && isOn) this.#points.push(end);
    else {
      this.#former ??= this.#points;
      this.#points = [start, end];
    }
    if (isDone) this.#former = null;
    this.#changed();
  }

  /** A cancelled drag restores the previous line. */
  giveUp(): void {
    if (this.#former === null) return;
    this.#points = this.#former;
    this.#former = null;
    this.#changed();
  }

  /** @param zoom CSS pixels per sample */
  marks(toScreen: (x: number, y: number) => [number, number], zoom: number): Mark[] {
    if (this.#points.length === 0) return [];
    const points = this.#points.map(({ x, y }) => toScreen(y + 0.5, x + 0.5));
    const wide = Math.max(1.5, this.#width.number * zoom);
    return [
      { points, color: "rgba(255, 235, 59, 0.35)", width: wide },
      { points, color: "#ffeb3b", width: 1.5, halo: true },
    ];
  }

  async #toggle() {
    if (this.#work.isRunning) return this.#work.cancel();
    const [source, { scan }] = [this.#source, this];
    if (source === null || scan === null) return;
    const { count, axis } = source;
    const fault = await this.#work.run(async (signal) => {
      const { plane, channels } = scan.group;
      const series = { plane, channels, count, time: axis };
      const kymograph = new Kymograph(series, this.#points, this.#width.number);
      this.#work.progress.max = count;
      let shownAt = -Infinity;
      await fetchImages(count, source.images(), signal, (planes, t, done) => {
        planes.forEach((image, channel) => image !== null && kymograph.take(channel, t, image));
        this.#work.progress.value = done;
        if (performance.now() - shownAt < SHOW_EVERY_MS) return;
        shownAt = performance.now();
        this.emit("grow", { kymograph, isDone: false });
      });
      this.emit("grow", { kymograph, isDone: true });
      this.#status.textContent = `${kymograph.done} of ${count} images`;
    });
    if (fault !== null) this.emit("end");
  }
}
