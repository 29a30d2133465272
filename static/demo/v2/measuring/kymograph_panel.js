/**
 * Kymographs of a T series: a line over the images, straight or freehand and with a width, and fetching the images.
 *
 * @typedef {import("../../../measure/kymograph.js").Point} Point sample of the image
 * @typedef {object} Source
 * @property {import("../../../measure/kymograph.js").Series} series
 * @property {() => ImagesAt} images of the shown focus
 *
 * @typedef {(t: number, signal: AbortSignal) => Promise<readonly (Float32Array | null)[]>} ImagesAt of all channels; null for
 *   planes never recorded
 */
import { element } from "../controls/element.js";
import { Emitter } from "../controls/emitter.js";
import { button, checkField, countField, fieldRow } from "../controls/fields.js";
import { Kymograph } from "../../../measure/kymograph.js";

/** Interval at which the picture follows arriving images. */
const SHOW_EVERY_MS = 400;

/** Concurrent requests for planes: the server queues 16 per session. */
const AT_ONCE = 3;

/** Emits `change` for the line, `grow` `{kymograph, isDone}` while images arrive, `end`, and `back`. */
export class KymographPanel extends Emitter {
  /** @type {Source | null} */
  #source = null;
  /** @type {Point[]} */
  #points = [];
  /** The line before the one being drawn. @type {Point[] | null} */
  #former = null;
  #isFreehand = false;
  #isShown = false;
  /** @type {AbortController | null} */
  #running = null;
  #width = countField("Width", "kymograph-width", 1, "px", () => this.emit("change"), 1000);
  #start = button("Make kymograph", () => this.#toggle(), { id: "kymograph-start", disabled: true });
  #back = button("Back to the images", () => this.emit("back"), { id: "kymograph-back", hidden: true });
  #progress = element("progress", { hidden: true, "aria-label": "Images" });
  #status = element("p", { className: "hint", role: "status" });

  constructor() {
    super();
    const freehand = checkField(
      "Freehand",
      "kymograph-freehand",
      false,
      (isFreehand) => this.#isFreehand = isFreehand,
    );
    this.element = element(
      "div",
      { className: "panel" },
      this.#status,
      fieldRow(freehand.label, this.#width.label),
      fieldRow(this.#start, this.#progress, this.#back),
    );
  }

  /** To be kept as JSON; null without a line. @returns {import("./drawn.js").KeptKymograph | null} */
  get kept() {
    if (this.#points.length === 0) return null;
    const isMade = this.#isShown || this.#running !== null;
    return { points: [...this.#points], width: this.#width.number, isMade };
  }

  /** @param {Source | null} source a series, or null @param {import("./drawn.js").KeptKymograph | null} kept */
  begin(source, kept) {
    this.#leave();
    this.#source = source;
    this.#former = null;
    this.#points = kept?.points ?? [];
    if (kept !== null) this.#width.number = kept.width;
    this.#start.disabled = this.#points.length === 0;
    this.#back.hidden = true;
    this.#isShown = false;
    this.#status.textContent =
      "Choose Line and draw over the image: each image becomes a line of the kymograph.";
  }

  /** Shows another line without making its kymograph, as when a change is undone. @param {import("./drawn.js").KeptKymograph | null} kept */
  redraw(kept) {
    this.#former = null;
    this.#points = [...kept?.points ?? []];
    if (kept !== null) this.#width.number = kept.width;
    this.#start.disabled = this.#running === null && this.#points.length === 0;
    this.emit("change");
  }

  get hasSeries() {
    return this.#source !== null;
  }

  /** Fetches the images and makes the kymograph of the line. */
  make() {
    if (this.#running === null) this.#toggle();
  }

  /** The picture shows the kymograph. */
  showsKymograph() {
    this.#isShown = true;
    this.#back.hidden = false;
    this.#start.disabled = this.#running === null;
  }

  /** Follows a line being drawn, in positions of the picture. @param {Point} from @param {Point} to @param {boolean} isDone */
  draw(from, to, isDone) {
    const [rows, columns] = this.#source?.series.plane.shape ?? [0, 0];
    const inside = (/** @type {number} */ place, /** @type {number} */ size) =>
      Math.min(size - 1, Math.max(0, place - 0.5));
    // The picture counts rows along x; a sample's centre lies half a pixel inside, and nothing is known beyond the
    // outermost centres.
    const [start, end] = [from, to].map(({ x, y }) => ({ x: inside(y, columns), y: inside(x, rows) }));
    if (this.#isFreehand && this.#points.length > 0 && near(this.#points[0], start)) this.#points.push(end);
    else {
      this.#former ??= this.#points;
      this.#points = [start, end];
    }
    if (isDone) this.#former = null;
    this.#start.disabled = this.#running === null && !isDone;
    this.emit("change");
  }

  /** A cancelled drag restores the previous line. */
  giveUp() {
    if (this.#former === null) return;
    this.#points = this.#former;
    this.#former = null;
    this.#start.disabled = this.#running === null && this.#points.length === 0;
    this.emit("change");
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
    if (this.#running !== null) return this.#running.abort();
    const source = this.#source;
    if (source === null) return;
    const running = this.#running = new AbortController();
    try {
      const kymograph = new Kymograph(source.series, this.#points, this.#width.number);
      this.#start.textContent = "Cancel";
      this.#progress.hidden = false;
      this.#progress.max = source.series.count;
      await this.#fetchAll(source, kymograph, running.signal);
      this.emit("grow", { kymograph, isDone: true });
      this.#status.textContent = `${kymograph.done} of ${source.series.count} images`;
    } catch (error) {
      if (this.#running !== running) return;
      this.#status.textContent = running.signal.aborted ? "Cancelled" : /** @type {Error} */ (error).message;
    } finally {
      if (this.#running === running) this.#leave();
    }
  }

  /** A kymograph in progress belongs to another picture now. */
  #leave() {
    this.#running?.abort();
    this.#running = null;
    this.#start.textContent = "Make kymograph";
    this.#progress.hidden = true;
    this.emit("end");
  }

  /** @param {Source} source @param {Kymograph} kymograph @param {AbortSignal} signal */
  async #fetchAll({ series, images }, kymograph, signal) {
    const imagesAt = images();
    let [next, done, shownAt] = [0, 0, -Infinity];
    const work = async () => {
      while (next < series.count) {
        const t = next;
        next += 1;
        const planes = await imagesAt(t, signal);
        signal.throwIfAborted();
        planes.forEach((image, channel) => image !== null && kymograph.take(channel, t, image));
        done += 1;
        this.#progress.value = done;
        if (performance.now() - shownAt < SHOW_EVERY_MS) continue;
        shownAt = performance.now();
        this.emit("grow", { kymograph, isDone: false });
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, series.count) }, work));
  }
}

/** @param {Point} one @param {Point} other */
const near = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < 1e-6;
