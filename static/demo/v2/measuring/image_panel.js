/**
 * The images of a stack together: the mean of a rectangle or of the line over time or focus, and projections.
 *
 * @typedef {import("./kymograph_panel.js").Source} Source
 */
import { tableUnit } from "../../../measure/axes.js";
import { meanOver, Projection } from "../../../measure/stack.js";
import { tiffOf } from "../../../measure/tiff.js";
import { element, saveFile, sayIn } from "../controls/element.js";
import { button, choiceField, fieldRow } from "../controls/fields.js";
import { measureLabel } from "../picture/marks.js";
import { fetchImages } from "./image_series.js";
import { Panel } from "./panel.js";
import { shapeOf, stemOf } from "./scan.js";
import { svgPlot } from "./svg_plot.js";

/** @import { KeptMeans } from "./drawn.js" */
/** @import { ProjectionKind } from "../../../measure/stack.js" */
/** @import { Scan } from "./scan.js" */

/** Colours of saved plots (after Okabe and Ito 2008). */
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/** Width of pictures in the panel, in CSS pixels. */
const WIDE = 320;

export class ImagePanel extends Panel {
  /** By the names of their axes. @type {ReadonlyMap<string, Source>} */
  #sources = new Map();
  /** Rectangles and the line. @type {() => {id: string, name: string, part: Parameters<typeof meanOver>[1]}[]} */
  #parts;
  /** @type {AbortController | null} */
  #running = null;
  /** @type {KeptMeans | null} */
  #means = null;
  /** @type {{kind: ProjectionKind, axis: string, samples: Float32Array[]} | null} */
  #projection = null;
  #axis = choiceField("Over", "image-axis", [], () => this.changed());
  #part = choiceField("Mean of", "image-part", [], () => this.changed());
  #kind = choiceField("Projection", "image-projection", [
    { value: /** @type {ProjectionKind} */ ("maximum"), name: "maximum" },
    { value: /** @type {ProjectionKind} */ ("mean"), name: "mean" },
  ]);
  #measure = button("Measure", () => this.#toggle(() => this.#measureMeans()), { id: "image-means" });
  #project = button("Project", () => this.#toggle(() => this.#makeProjection()), { id: "image-project" });
  #progress = element("progress", { hidden: true, "aria-label": "Images" });
  #status = element("p", { className: "result", role: "status" });
  #plot = element("img", { hidden: true, alt: "Means over the images" });
  #picture = element("canvas", { hidden: true, role: "img", "aria-label": "Projection" });
  #save = button("Save projection as TIFF", () => this.#saveTiff(), { id: "image-tiff", hidden: true });

  /** @param {() => {id: string, name: string, part: Parameters<typeof meanOver>[1]}[]} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    this.element = element(
      "div",
      { className: "panel stack" },
      fieldRow(this.#axis.label),
      fieldRow(this.#part.label, this.#measure),
      fieldRow(this.#kind.label, this.#project, this.#progress),
      this.#status,
      this.#plot,
      this.#picture,
      fieldRow(this.#save),
    );
  }

  /** Starts with another picture. @param {Scan} scan @param {ReadonlyMap<string, Source>} sources @param {KeptMeans | null} kept */
  begin(scan, sources, kept) {
    this.#running?.abort();
    this.scan = scan;
    this.#sources = sources;
    this.#axis.offer([...sources.keys()].map((value) => ({ value, name: AXES[value] ?? value })), kept?.axis);
    this.#projection = null;
    for (const part of [this.#picture, this.#save]) part.hidden = true;
    this.listParts();
    this.redraw(kept);
  }

  /** Shows other means, as when a change is undone. @param {KeptMeans | null} kept */
  redraw(kept) {
    this.#means = kept;
    if (kept !== null) this.#part.select.value = kept.part;
    this.#status.textContent = kept === null || kept.rows.length === 0 ? "" : `${kept.rows.length} images`;
    this.#show();
  }

  /** Call when the drawings have changed. */
  listParts() {
    this.#part.offer([
      { value: "", name: "whole images" },
      ...this.#parts().map(({ id, name }) => ({ value: id, name })),
    ]);
  }

  /** To be kept as JSON; null before a measurement. */
  get kept() {
    return this.#means;
  }

  /** @returns {import("./panel.js").About} */
  get about() {
    return this.#means?.about ?? [];
  }

  /** @returns {import("../../../measure/csv.js").Column[]} */
  get columns() {
    const means = this.#means;
    const axis = this.#sources.get(means?.axis ?? "")?.series.time;
    if (means === null || axis === undefined) return [];
    return [
      {
        name: AXES[means.axis] ?? means.axis,
        unit: tableUnit(axis),
        values: means.rows.map(({ place }) => place * axis.step),
      },
      ...means.channels.map((name, i) => ({
        name,
        values: means.rows.map(({ values }) => values[i] ?? null),
      })),
    ];
  }

  plot() {
    const [means, [places, ...channels]] = [this.#means, this.columns];
    if (means === null || places === undefined || means.rows.length < 2) return null;
    const x = Float64Array.from(places.values, Number);
    const traces = channels.map(({ name, values }, i) => ({
      name,
      color: COLORS[i % COLORS.length],
      x,
      y: Float64Array.from(values, (value) => value === null ? NaN : Number(value)),
    }));
    const all = traces.flatMap(({ y }) => [...y]).filter(Number.isFinite);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
    return {
      width: 720,
      height: 320,
      x: {
        low: x[0],
        high: x[x.length - 1],
        title: `${places.name} (${(places.unit ?? "").replace(/^um/, "µm")})`,
      },
      y: { low: low - margin, high: high + margin, title: "Mean" },
      traces,
      note: this.scan?.note ?? "",
    };
  }

  /** @param {() => Promise<void>} work */
  async #toggle(work) {
    if (this.#running !== null) return this.#running.abort();
    const running = this.#running = new AbortController();
    for (const start of [this.#measure, this.#project]) start.textContent = "Cancel";
    this.#progress.hidden = false;
    try {
      await work();
    } catch (error) {
      this.#status.textContent = running.signal.aborted ? "Cancelled" : /** @type {Error} */ (error).message;
    } finally {
      this.#running = null;
      this.#measure.textContent = "Measure";
      this.#project.textContent = "Project";
      this.#progress.hidden = true;
      this.changed();
    }
  }

  /** @param {Source} source @param {(planes: readonly (Float32Array | null)[], index: number) => void} take */
  async #fetch({ series: { count }, images }, take) {
    const { signal } = /** @type {AbortController} */ (this.#running);
    this.#progress.max = count;
    await fetchImages(count, images(), signal, (planes, index, done) => {
      this.#progress.value = done;
      take(planes, index);
    });
  }

  async #measureMeans() {
    const axis = this.#axis.select.value;
    const source = this.#sources.get(axis);
    const { scan } = this;
    if (source === undefined || scan === null) return;
    const id = this.#part.select.value;
    const chosen = this.#parts().find((part) => part.id === id);
    const [rows, columns] = shapeOf(scan);
    const mean = meanOver([rows, columns], chosen?.part ?? { start: [0, 0], stop: [columns, rows] });
    const { count, channels } = source.series;
    const found = Array.from(
      { length: count },
      (_, place) => ({ place, values: /** @type {(number | null)[]} */ (channels.map(() => null)) }),
    );
    await this.#fetch(source, (planes, index) => {
      planes.forEach((image, channel) => {
        const value = image === null ? NaN : mean(image);
        found[index].values[channel] = Number.isFinite(value) ? value : null;
      });
    });
    const name = this.#part.select.selectedOptions[0]?.textContent ?? "";
    this.#means = {
      axis,
      part: id,
      rows: found,
      channels: channels.map(({ name }) => name),
      about: [["Mean of", name], ["Over", AXES[axis] ?? axis], ["Images", count]],
    };
    this.#status.textContent = `${count} images`;
    this.#show();
  }

  /** The curves of the means. */
  #show() {
    const plot = this.plot();
    this.#plot.hidden = plot === null;
    if (plot === null) return;
    this.#plot.src = `data:image/svg+xml,${
      encodeURIComponent(svgPlot({ ...plot, width: WIDE, height: 220 }, measureLabel))
    }`;
  }

  async #makeProjection() {
    const axis = this.#axis.select.value;
    const source = this.#sources.get(axis);
    const { scan } = this;
    if (source === undefined || scan === null) return;
    const kind = /** @type {ProjectionKind} */ (this.#kind.select.value);
    const [rows, columns] = shapeOf(scan);
    const projections = source.series.channels.map(() => new Projection(kind, rows * columns));
    await this.#fetch(source, (planes) => {
      planes.forEach((image, channel) => image !== null && projections[channel]?.take(image));
    });
    this.#projection = { kind, axis, samples: projections.map(({ samples }) => samples) };
    this.#status.textContent = `${this.#projectionWords} of ${source.series.count} images`;
    this.#paint(scan);
  }

  get #projectionWords() {
    const { kind = "maximum", axis = "" } = this.#projection ?? {};
    return `${kind === "mean" ? "Mean" : "Maximum"} over ${(AXES[axis] ?? axis).toLowerCase()}`;
  }

  /** The projection with the colours and ranges of the shown channels. @param {Scan} scan */
  #paint(scan) {
    const samples = this.#projection?.samples ?? [];
    const [rows, columns] = shapeOf(scan);
    const high = Math.max(1, Math.round(WIDE * rows / columns));
    Object.assign(this.#picture, { width: WIDE, height: high, hidden: false });
    this.#picture.ariaLabel = this.#projectionWords;
    const context = this.#picture.getContext("2d");
    if (context === null) return;
    const image = context.createImageData(WIDE, high);
    image.data.fill(255);
    const shown = scan.group.shown.map((channel) => scan.group.channels.indexOf(channel));
    const ranges = samples.map(rangeOf);
    for (let at = 0; at < WIDE * high; at += 1) {
      const row = Math.floor(Math.floor(at / WIDE) * rows / high);
      const from = row * columns + Math.floor((at % WIDE) * columns / WIDE);
      const values = shown.map((i) => (samples[i][from] - ranges[i][0]) / (ranges[i][1] - ranges[i][0]));
      const level = Math.round(255 * Math.max(0, ...values.filter(Number.isFinite)));
      image.data.fill(level, 4 * at, 4 * at + 3);
    }
    context.putImageData(image, 0, 0);
    this.#save.hidden = false;
  }

  #saveTiff() {
    const [scan, projection] = [this.scan, this.#projection];
    if (scan === null || projection === null) return;
    const { channels } = scan.group;
    for (const [i, samples] of projection.samples.entries()) {
      const suffix = channels.length > 1 ? `-${channels[i]?.name ?? i + 1}` : "";
      const note = `${this.#projectionWords} of ${scan.fileName}, ${channels[i]?.name ?? ""}`;
      const bytes = tiffOf(samples, shapeOf(scan), scan.axes, note);
      saveFile(
        `${stemOf(scan)}-${projection.kind}-${projection.axis.toLowerCase()}${suffix}.tif`,
        new Blob([bytes], { type: "image/tiff" }),
      );
    }
    sayIn(this.#status, "Saved, one file for each channel");
  }
}

/** Names of axes. @type {Readonly<Record<string, string>>} */
const AXES = { T: "Time", Z: "Focus" };

/** @param {Float32Array} samples @returns {[number, number]} */
function rangeOf(samples) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of samples) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? [low, high] : [low, low + 1];
}
