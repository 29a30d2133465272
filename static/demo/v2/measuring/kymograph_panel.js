/**
 * The line over an image or projection, straight or freehand and with a width: its length, mean and profile, and the
 * kymograph of a T series along it.
 *
 * @typedef {import("../../../measure/kymograph.js").Point} Point sample of the image
 * @typedef {import("./image_series.js").Source} Source
 */
import { element } from "../controls/element.js";
import { button, checkField, countField, fieldRow } from "../controls/fields.js";
import { rounded, unitSymbol } from "../../../measure/axes.js";
import { Kymograph } from "../../../measure/kymograph.js";
import { lengthIn, meanOver, placeText, profileColumns } from "../../../measure/image_parts.js";
import { lengthOf } from "../../../measure/line_profile.js";
import { curvesPlot, plotImage, showPlot } from "./curves_plot.js";
import { fetchImages } from "./image_series.js";
import { meansText, shapeOf } from "./scan.js";
import { Panel, panel } from "./panel.js";
import { Work } from "./work.js";

/** Interval at which the picture follows arriving images. */
const SHOW_EVERY_MS = 400;

/** Emits `change` for the line, `grow` `{kymograph, isDone}` while images arrive, `end` after them, and `back` for the images. */
export class KymographPanel extends Panel {
  /** @type {Source | null} */
  #source = null;
  /** @type {Point[]} */
  #points = [];
  /** The line before the one being drawn. @type {Point[] | null} */
  #former = null;
  #isShown = false;
  #freehand = checkField("Freehand", "kymograph-freehand", false);
  #width = countField("Width", "kymograph-width", 1, "px", () => this.#changed(), 1000);
  #start = button("Make kymograph", () => this.#toggle(), { id: "kymograph-start", disabled: true });
  #back = button("Back to the images", () => this.emit("back"), { id: "kymograph-back", hidden: true });
  #status = element("p", { className: "hint", role: "status" });
  #work = new Work("Images", this.#status, [this.#start]);
  #length = element("output", { className: "drawn", id: "line-length" });
  #profile = plotImage("Profile of the line");

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

  /** The line, to be stored as JSON; null without one. @returns {import("./drawn.js").KeptKymograph | null} */
  get kept() {
    if (this.#points.length === 0) return null;
    const isMade = this.#isShown || this.#work.isRunning;
    return { points: [...this.#points], width: this.#width.number, isMade };
  }

  /** @param {import("./scan.js").Scan} scan @param {Source | null} source a series, or null @param {import("./drawn.js").KeptKymograph | null} kept */
  begin(scan, source, kept) {
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

  /** Shows another line without making its kymograph, for example after Undo. @param {import("./drawn.js").KeptKymograph | null} kept */
  redraw(kept) {
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
  refresh() {
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
  get line() {
    return lengthOf(this.#points) > 0 ? { points: this.#points, width: this.#width.number } : null;
  }

  /** States where the profile was taken. @returns {import("./panel.js").About} */
  get about() {
    if (this.scan === null) return [];
    const place = placeText({ id: "", name: "the line", place: this.line }, this.scan.axes);
    return [["Method", "values along a line, interpolated linearly"], ["Along", place]];
  }

  /** The profile of the line in the shown image; empty in a kymograph. @returns {readonly import("../../../measure/csv.js").Column[]} */
  get columns() {
    const { line, scan } = this;
    if (scan === null || line === null || this.#isShown) return [];
    return profileColumns(line, { shape: shapeOf(scan), axes: scan.axes }, scan.group.shown);
  }

  /** The profile. */
  plot() {
    return curvesPlot(this.columns, "Value", this.scan?.note);
  }

  get hasSeries() {
    return this.#source !== null;
  }

  /** Fetches the images and makes the kymograph of the line. */
  make() {
    if (!this.#work.isRunning) this.#toggle();
  }

  /** Call when the picture shows the kymograph. */
  showsKymograph() {
    this.#isShown = true;
    this.#back.hidden = false;
  }

  /** Follows a line being drawn, in positions of the picture. @param {Point} from @param {Point} to @param {boolean} isDone */
  draw(from, to, isDone) {
    const [rows, columns] = this.scan === null ? [0, 0] : shapeOf(this.scan);
    // Rows lie along x of the picture. A sample's centre lies half a pixel inside it, and the line ends at the
    // outermost centres.
    const [start, end] = [from, to].map(({ x, y }) => ({
      x: Math.min(columns - 1, Math.max(0, y - 0.5)),
      y: Math.min(rows - 1, Math.max(0, x - 0.5)),
    }));
    const isOn = this.#points.length > 0 &&
      Math.hypot(this.#points[0].x - start.x, this.#points[0].y - start.y) < 1e-6;
    if (this.#freehand.input.checked && isOn) this.#points.push(end);
    else {
      this.#former ??= this.#points;
      this.#points = [start, end];
    }
    if (isDone) this.#former = null;
    this.#changed();
  }

  /** A cancelled drag restores the previous line. */
  giveUp() {
    if (this.#former === null) return;
    this.#points = this.#former;
    this.#former = null;
    this.#changed();
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @param {number} zoom CSS pixels per sample @returns {import("../picture/marks.js").Mark[]} */
  marks(toScreen, zoom) {
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
