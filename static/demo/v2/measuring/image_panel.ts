/** Measures the images of a stack together: means of a part over time or focus, and projections. */
import { type Part, placeText } from "../../../measure/image_parts.ts";
import {
  capitalized,
  OVER,
  type Over,
  type ProjectionOf,
  projectionWords,
  stackColumns,
} from "../../../measure/stack.ts";
import { imageColumns } from "../../../measure/result_tables.ts";
import { element } from "../controls/element.ts";
import { button, choiceField, fieldRow } from "../controls/fields.ts";
import { curvesPlot, plotImage, showPlot } from "./curves_plot.ts";
import { measuredSeries, type Source } from "./image_series.ts";
import { Panel, panel } from "./panel.ts";
import { Work } from "./work.ts";
import type { Axis } from "../../../measure/axes.ts";
import type { Drawn, KeptMeans } from "../drawing/drawn.ts";
import type { About, Scan } from "../drawing/scan.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Plot } from "./svg_plot.ts";

/** Emits `change`, and `project` `{samples}` to show a projection, or with null the images again. */
export class ImagePanel extends Panel<{ project: { samples: readonly Float32Array[] | null } }> {
  #sources: ReadonlyMap<Over, Source> = new Map();
  /** Parts of the images. */
  readonly #parts: () => readonly Part[];
  /** Means, to be stored as JSON; null before a measurement. */
  kept: KeptMeans | null = null;
  /** The shown projection, or the one that is being made again. */
  projection: ProjectionOf | null = null;
  /** The projection made last, for Undo. */
  #made: { of: string; samples: Float32Array[] } | null = null;
  readonly #axis = choiceField("Over", "image-axis", [], () => this.changed());
  readonly #part = choiceField("Mean of", "image-part", [], () => this.changed());
  readonly #kind = choiceField("Projection", "image-projection", [
    { value: "max", name: "maximum" },
    { value: "mean", name: "mean" },
  ]);
  readonly #measure = button("Measure", () => this.#toggle(), { id: "image-means" });
  readonly #project = button("Project", () => this.#toggle(this.#chosen), { id: "image-project" });
  readonly #back = button("Back to the images", () => this.goBack(), { id: "image-back", hidden: true });
  readonly #status = element("p", { className: "result", role: "status" });
  readonly #work = new Work("Images", this.#status, [this.#measure, this.#project]);
  readonly #plot = plotImage("Means over the images");
  readonly element: HTMLDivElement;

  constructor(parts: () => readonly Part[]) {
    super();
    this.#parts = parts;
    this.element = panel(
      fieldRow(this.#axis.label),
      fieldRow(this.#part.label, this.#measure),
      fieldRow(this.#kind.label, this.#project, this.#back, this.#work.progress),
      this.#status,
      this.#plot,
    );
  }

  /** Starts with another picture. */
  begin(scan: Scan, sources: ReadonlyMap<Over, Source>, drawn: Drawn | null): void {
    this.#work.end();
    this.scan = scan;
    this.#sources = sources;
    this.#axis.offer(
      [...sources.keys()].map((value) => ({ value, name: OVER[value]! })),
      drawn?.images?.axis,
    );
    this.projection = this.#made = null;
    this.listParts();
    this.redraw(drawn);
  }

  /** Shows other means, and the images or a projection, for example after Undo. */
  redraw(drawn: Drawn | null): void {
    const { images = null, projection = null } = drawn ?? {};
    this.kept = images;
    if (images !== null) this.#part.select.value = images.part;
    this.#status.textContent = images === null || images.rows.length === 0
      ? ""
      : `${images.rows.length} images`;
    showPlot(this.#plot, this.plot());
    this.#showButtons();
    if (JSON.stringify(projection) === JSON.stringify(this.projection)) return;
    if (projection === null || !this.#sources.has(projection.axis)) return this.#show(null, null);
    this.projection = projection;
    this.#kind.select.value = projection.kind;
    this.#remake(projection);
  }

  /** Makes a projection again, or shows the images. */
  async #remake(projection: ProjectionOf) {
    const fault = await this.#work.run((signal) => this.#makeProjection(projection, signal));
    if (fault) this.#show(null, null);
    if (fault !== null) this.changed();
  }

  /** Call when the drawings have changed. */
  listParts(): void {
    this.#part.offer(this.#parts().map(({ id, name }) => ({ value: id, name })));
  }

  /** Shows the images again. */
  goBack(): void {
    if (this.projection === null) return;
    this.#show(null, null);
    this.changed();
  }

  get count(): number | null {
    return this.kept?.rows.length || null;
  }

  get about(): About {
    return this.kept?.about ?? [];
  }

  get columns(): Column[] {
    return meansColumns(this.kept, this.#sources.get(this.kept?.axis ?? "T")?.axis);
  }

  /** The table with a row for each image and channel. */
  get table(): Column[] {
    const { kept, columns } = this;
    if (kept === null || columns.length === 0) return [];
    const part = this.#parts().find(({ id }) => id === kept.part)?.name ?? kept.part;
    return imageColumns(columns, part, kept.axis);
  }

  plot(): Plot | null {
    return curvesPlot(this.columns, "Mean", this.scan?.note);
  }

  get #chosen() {
    return ({ kind: this.#kind.select.value, axis: this.#axis.select.value } as ProjectionOf);
  }

  /** Cancels the work, or makes a projection, else means. */
  async #toggle(projection?: ProjectionOf) {
    if (this.#work.isRunning) return this.#work.cancel();
    const fault = await this.#work.run((signal) =>
      projection ? this.#makeProjection(projection, signal) : this.#measureMeans(signal)
    );
    if (fault !== null) this.changed();
  }

  async #measured(
    wanted: { parts: readonly Part[]; over: Over | null; projection: ProjectionOf | null },
    signal: AbortSignal,
  ) {
    const { group } = this.scan as Scan;
    const { found } = await measuredSeries(this.#sources, group, wanted, signal, (done, count) => {
      Object.assign(this.#work.progress, { max: count, value: done });
    });
    return found;
  }

  async #measureMeans(signal: AbortSignal) {
    const { axis } = this.#chosen;
    const { value: id } = this.#part.select;
    const part = this.#parts().find((part) => part.id === id);
    const [source, { scan }] = [this.#sources.get(axis), this];
    if (source === undefined || part === undefined || scan === null) return;
    const at = source.at();
    const { means } = await this.#measured({ parts: [part], over: axis, projection: null }, signal);
    if (means === null) return;
    const channels = scan.group.channels.map(({ name }) => name);
    this.kept = keptMeans(means[0]!, { part, axis, channels, at, axes: scan.axes });
    this.#status.textContent = `${this.kept.rows.length} images`;
    showPlot(this.#plot, this.plot());
  }

  async #makeProjection(projection: ProjectionOf, signal: AbortSignal) {
    const source = this.#sources.get(projection.axis);
    if (source === undefined) return;
    const at = () => JSON.stringify([projection, source.at()]);
    const of = at();
    if (this.#made?.of !== of) {
      const { projected } = await this.#measured({ parts: [], over: null, projection }, signal);
      // The user may have stepped to other images meanwhile.
      if (of !== at() || projected === null) return;
      this.#made = { of, samples: projected };
    }
    this.#show(projection, this.#made.samples);
    this.#status.textContent = `${capitalized(projectionWords(projection))} of ${source.count} images`;
  }

  /** @param samples null for the images */
  #show(projection: ProjectionOf | null, samples: readonly Float32Array[] | null) {
    this.projection = projection;
    this.#showButtons();
    this.emit("project", { samples });
  }

  /** Disables measuring while a projection is shown: no image then says at which position to measure. */
  #showButtons() {
    const isProjected = this.projection !== null;
    this.#back.hidden = !isProjected;
    this.#measure.disabled = isProjected;
    this.#measure.title = isProjected ? "Go back to the images to measure them" : "";
  }
}

/**
 * The means of a part as {@linkcode KeptMeans}, ready to be stored.
 *
 * @param values for each channel the means of a part in all images
 * @param of what was measured; `at` states the position of the images along other axes
 */
export function keptMeans(
  values: readonly Float64Array[],
  { part, axis, channels, at, axes }: {
    part: Part;
    axis: Over;
    channels: readonly string[];
    at: About;
    axes: readonly [Axis, Axis];
  },
): KeptMeans {
  const count = values[0]?.length ?? 0;
  return {
    axis,
    part: part.id,
    rows: Array.from({ length: count }, (_, place) => ({
      place,
      values: values.map((means) => Number.isFinite(means[place]) ? means[place]! : null),
    })),
    channels,
    about: [
      ["Mean of", placeText(part, axes)],
      ["Over", [OVER[axis], ...at.map(([name, value]) => `at ${name.toLowerCase()} ${value}`)].join(" ")],
      ["Images", count],
    ],
  };
}

/**
 * Kept means as a table: the place of each image, then the means of each channel; empty without means.
 *
 * @param axis of the means
 */
export const meansColumns = (means: KeptMeans | null, axis: Axis | undefined): Column[] =>
  means === null || axis === undefined ? [] : stackColumns(
    axis,
    means.channels.map((name, i) => ({ name, values: means.rows.map(({ values }) => values[i] ?? null) })),
  );
