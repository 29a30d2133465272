/** Measures the images of a stack together: means of a part over time or focus, and projections. */
import { type ImagePart, placeText } from "../../../measure/image_parts.ts";
import {
  capitalize,
  makeStackColumns,
  nameProjection,
  OVER,
  type Over,
  type ProjectionOf,
  type SeriesSampling as StackAxis,
} from "../../../measure/stack.ts";
import { joinTables, makeImageColumns } from "../../../measure/result_tables.ts";
import {
  describeUnevenness,
  selectPartsToTrace,
  selectTracedRegions,
  storePartMeans,
} from "../../../measure/image_traces.ts";
import { element } from "../controls/element.ts";
import type { Plain } from "../controls/emitter.ts";
import { button, choiceField, fieldRow } from "../controls/fields.ts";
import { ALL_REGIONS } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import { curvesPlot } from "./curves_plot.ts";
import { type ImageSource, measureSeries } from "./image_series.ts";
import { type MeansTable, Panel, panel } from "./panel.ts";
import { Work } from "./work.ts";
import type { Axis } from "../../../measure/axes.ts";
import type { Drawn } from "../drawing/drawn.ts";
import { type KeptMeans, MEANS, PROJECTION } from "../drawing/pieces.ts";
import type { DrawingStore } from "../drawing/store.ts";
import type { About, Scan } from "../drawing/scan.ts";
import type { Column } from "../../../measure/csv.ts";
import type { SvgPlot } from "./svg_plot.ts";

/**
 * Shows the pieces of means and projection. Emits `change` when a projection cannot be made again, `means` after they were measured, and `project` `{samples}` to show a projection,
 * or with null the images again.
 */
export class ImagePanel extends Panel<{
  project: { samples: readonly Float32Array[] | null };
  means: Plain;
}> {
  #sources: ReadonlyMap<Over, ImageSource> = new Map();
  /** Parts of the images. */
  readonly #parts: () => readonly ImagePart[];
  readonly #means;
  readonly #projection;
  /** The projection that the picture shows, or that is being made again. */
  #shown: ProjectionOf | null = null;
  /** The projection made last, for Undo. */
  #made: { of: string; samples: Float32Array[] } | null = null;
  readonly #axis = choiceField("Over", "image-axis", []);
  readonly #part = choiceField("Mean of", "image-part", []);
  readonly #kind = choiceField("Projection", "image-projection", [
    { value: "max", name: "maximum" },
    { value: "mean", name: "mean" },
  ]);
  readonly #measure = button("Measure", () => this.#toggle(), { id: "image-means" });
  readonly #project = button("Project", () => this.#toggle(this.#chosen), { id: "image-project" });
  readonly #back = button("Back to the images", () => this.goBack(), { id: "image-back", hidden: true });
  readonly #status = element("p", { className: "result", role: "status" });
  readonly #work = new Work("Images", this.#status, [this.#measure, this.#project]);
  readonly element: HTMLDivElement;

  constructor(store: DrawingStore<Drawn>) {
    super();
    this.#parts = () => listMeasurableParts(store.document.regions);
    this.#means = store.register(MEANS);
    this.#projection = store.register(PROJECTION);
    this.#means.on("change", () => this.#showMeans());
    this.#projection.on("change", () => this.#followProjection());
    this.element = panel(
      fieldRow(this.#axis.label),
      fieldRow(this.#part.label, this.#measure),
      fieldRow(this.#kind.label, this.#project, this.#back, this.#work.progress),
      this.#status,
    );
  }

  /** Starts with another picture. */
  begin(scan: Scan, sources: ReadonlyMap<Over, ImageSource>): void {
    this.#work.end();
    this.scan = scan;
    this.#sources = sources;
    this.#axis.offer(
      [...sources.keys()].map((value) => ({ value, name: OVER[value]! })),
      this.kept?.axis,
    );
    this.#shown = this.#made = null;
    this.#showButtons(false);
    this.listParts();
    this.#showMeans();
    this.#followProjection();
  }

  /** Leaves the picture: ends what is being measured in it. */
  leave(): void {
    this.#work.end();
    this.scan = null;
  }

  /** The means; null before a measurement. */
  get kept(): KeptMeans | null {
    return this.#means.value;
  }

  /** The shown projection, or the one that is being made again. */
  get projection(): ProjectionOf | null {
    return this.#projection.value;
  }

  #showMeans() {
    if (this.kept !== null) this.#part.select.value = this.kept.part;
    this.#status.textContent = this.#words;
  }

  /** Shows the images, or makes a projection again, for example after Undo. */
  async #followProjection() {
    const { projection, scan } = this;
    if (scan === null) return;
    if (JSON.stringify(projection) === JSON.stringify(this.#shown)) return;
    if (projection === null) {
      // No means are measured while a projection is shown or made.
      this.#work.end();
      return this.#show(null, null);
    }
    this.#shown = projection;
    this.#kind.select.value = projection.kind;
    const isThere = this.#sources.has(projection.axis);
    const fault = isThere
      ? await this.#work.run((signal) => this.#makeProjection(projection, signal))
      : "no images";
    if (!fault) return;
    this.#projection.amend(null);
    this.#show(null, null);
    this.changed();
  }

  /** Call when the drawings have changed. */
  listParts(): void {
    const parts = this.#parts();
    const [whole] = parts;
    const each = parts.length > 1 ? parts : [];
    this.#part.offer([
      { value: ALL_REGIONS, name: each.length > 0 ? "all regions" : whole!.name },
      ...each.map(({ id, name }) => ({ value: id, name })),
    ]);
    if (this.projection === null && !this.#work.isRunning) this.#status.textContent = this.#words;
  }

  /** The chosen parts. */
  get #chosenParts() {
    return selectParts(this.#part.select.value, this.#parts());
  }

  /** Says how many images were measured, and what is wrong with the means. */
  get #words() {
    const { kept, scan, axis } = this;
    if (kept === null || kept.parts.length === 0 || scan === null) return "";
    const there = selectTracedRegions(kept.parts, this.#parts(), scan.axes);
    const moved = kept.parts.length > there.length ? ["Regions have changed since: measure again"] : [];
    const uneven = axis === undefined ? "" : describeUnevenness(axis);
    const images = [`${countMeasuredImages(kept)} images`, ...describeOtherAxes(kept.at)].join(" ");
    return [images, ...moved, ...uneven === "" ? [] : [uneven]].join(". ");
  }

  /** Axis of the means. */
  get axis(): ImageSource["axis"] | undefined {
    return this.#sources.get(this.kept?.axis ?? "T")?.axis;
  }

  /** Shows the images again. */
  goBack(): void {
    if (this.projection === null) return;
    this.#projection.write(null);
    this.#show(null, null);
    this.#status.textContent = this.#words;
  }

  get count(): number | null {
    const { kept } = this;
    return kept === null ? null : kept.parts.length * countMeasuredImages(kept) || null;
  }

  get about(): About {
    return this.kept?.about ?? [];
  }

  /** The means of each part. */
  get tables(): MeansTable[] {
    return makeMeansTables(this.kept, this.axis);
  }

  /** The table with a row for each image, part and channel. */
  get table(): Column[] {
    const { kept } = this;
    if (kept === null) return [];
    return joinTables(
      this.tables.map(({ id, columns }) => makeImageColumns(columns, this.#nameOf(id), kept.axis)),
    );
  }

  plot(): SvgPlot | null {
    const all = this.tables;
    const [first] = all;
    if (first === undefined) return null;
    const curves = all.flatMap(({ id, columns: [, ...curves] }) =>
      curves.map((curve) =>
        all.length === 1 ? curve : {
          ...curve,
          name: curves.length > 1 ? `${this.#nameOf(id)} · ${curve.name}` : this.#nameOf(id),
        }
      )
    );
    return curvesPlot([first.columns[0]!, ...curves], "Mean", this.scan?.note);
  }

  #nameOf(id: string) {
    return this.#parts().find((part) => part.id === id)?.name ?? id;
  }

  get #chosen() {
    return ({ kind: this.#kind.select.value, axis: this.#axis.select.value } as ProjectionOf);
  }

  /** Cancels the work, or makes a projection, else means. */
  async #toggle(projection?: ProjectionOf) {
    if (this.#work.isRunning) return this.#work.cancel();
    await this.#work.run((signal) =>
      projection ? this.#makeProjection(projection, signal) : this.#measureMeans(signal)
    );
  }

  async #measureImages(
    wanted: { parts: readonly ImagePart[]; over: Over | null; projection: ProjectionOf | null },
    signal: AbortSignal,
  ) {
    const { group } = this.scan as Scan;
    const { found } = await measureSeries(this.#sources, group, wanted, signal, (done, count) => {
      Object.assign(this.#work.progress, { max: count, value: done });
    });
    return found;
  }

  async #measureMeans(signal: AbortSignal) {
    const { axis } = this.#chosen;
    const parts = this.#chosenParts;
    const [source, { scan }] = [this.#sources.get(axis), this];
    if (source === undefined || parts.length === 0 || scan === null) return;
    const at = source.at();
    const { means } = await this.#measureImages({ parts, over: axis, projection: null }, signal);
    if (means === null) return;
    const channels = scan.group.channels.map(({ name }) => name);
    const { value: part } = this.#part.select;
    this.#means.write(makeKeptMeans(means, { part, parts, axis, channels, at, axes: scan.axes }));
    this.#status.textContent = this.#words;
    this.emit("means");
  }

  async #makeProjection(projection: ProjectionOf, signal: AbortSignal) {
    const source = this.#sources.get(projection.axis);
    if (source === undefined) return;
    const at = () => JSON.stringify([projection, source.at()]);
    const of = at();
    if (this.#made?.of !== of) {
      const { projected } = await this.#measureImages({ parts: [], over: null, projection }, signal);
      // The user may have stepped to other images meanwhile.
      if (of !== at() || projected === null) return;
      this.#made = { of, samples: projected };
    }
    this.#projection.write(projection);
    this.#show(projection, this.#made.samples);
    this.#status.textContent = `${capitalize(nameProjection(projection))} of ${source.count} images`;
  }

  /** @param samples null for the images */
  #show(projection: ProjectionOf | null, samples: readonly Float32Array[] | null) {
    this.#shown = projection;
    this.#showButtons(projection !== null);
    this.emit("project", { samples });
  }

  /** Disables measuring while a projection is shown: no image then says at which position to measure. */
  #showButtons(isProjected: boolean) {
    this.#back.hidden = !isProjected;
    this.#measure.disabled = isProjected;
    this.#measure.title = isProjected ? "Go back to the images to measure them" : "";
  }
}

/** The parts that a choice stands for. @param chosen id of a part, or {@linkcode ALL_REGIONS} */
export function selectParts(chosen: string, parts: readonly ImagePart[]): readonly ImagePart[] {
  const one = parts.filter(({ id }) => id === chosen);
  return one.length > 0 ? one : selectPartsToTrace(parts);
}

/** Where images lie along other axes, such as `at focus plane 2`. */
const describeOtherAxes = (at: About = []) => at.map(([name, value]) => `at ${name.toLowerCase()} ${value}`);

/** Number of measured images. */
const countMeasuredImages = ({ parts }: KeptMeans) => parts[0]?.means[0]?.length ?? 0;

/**
 * The means of parts as {@linkcode KeptMeans}, ready to be stored.
 *
 * @param values means by part, channel and image
 * @param of what was measured: `part` is the chosen one or stands for all, `at` is the position of the images along other axes
 */
export function makeKeptMeans(
  values: readonly (readonly Float64Array[])[],
  { part, parts, axis, channels, at, axes }: {
    part: string;
    parts: readonly ImagePart[];
    axis: Over;
    channels: readonly string[];
    at: About;
    axes: readonly [Axis, Axis];
  },
): KeptMeans {
  const isOne = parts.length === 1;
  return {
    axis,
    part,
    parts: storePartMeans(parts, values),
    channels,
    at,
    about: [
      ...parts.map((one): About[number] => [
        isOne ? "Mean of" : `Mean of ${one.name}`,
        placeText(one, axes),
      ]),
      ["Over", [OVER[axis], ...describeOtherAxes(at)].join(" ")],
      ["Images", values[0]?.[0]?.length ?? 0],
    ],
  };
}

/**
 * A table for each part of kept means.
 *
 * @param axis of the means
 */
export const makeMeansTables = (
  kept: KeptMeans | null | undefined,
  axis: StackAxis | undefined,
): MeansTable[] =>
  !kept || axis === undefined ? [] : kept.parts.map(({ id, means }) => ({
    id,
    columns: makeStackColumns(axis, kept.channels.map((name, i) => ({ name, values: means[i] ?? [] }))),
  }));
