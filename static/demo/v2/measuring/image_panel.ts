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
import { curvesPlot } from "./curves_plot.ts";
import { type ImageSource, measureSeries } from "./image_series.ts";
import { type MeansTable, Panel, panel } from "./panel.ts";
import { Work } from "./work.ts";
import type { Axis } from "../../../measure/axes.ts";
import type { Drawn } from "../drawing/drawn.ts";
import type { KeptMeans } from "../drawing/pieces.ts";
import type { About, Scan } from "../drawing/scan.ts";
import type { Column } from "../../../measure/csv.ts";
import type { SvgPlot } from "./svg_plot.ts";

/** Emits `change`, `measured` after means, and `project` `{samples}` to show a projection, or with null the images again. */
export class ImagePanel extends Panel<{
  project: { samples: readonly Float32Array[] | null };
  means: Plain;
}> {
  #sources: ReadonlyMap<Over, ImageSource> = new Map();
  /** Parts of the images. */
  readonly #parts: () => readonly ImagePart[];
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
  readonly element: HTMLDivElement;

  constructor(parts: () => readonly ImagePart[]) {
    super();
    this.#parts = parts;
    this.element = panel(
      fieldRow(this.#axis.label),
      fieldRow(this.#part.label, this.#measure),
      fieldRow(this.#kind.label, this.#project, this.#back, this.#work.progress),
      this.#status,
    );
  }

  /** Starts with another picture. */
  begin(scan: Scan, sources: ReadonlyMap<Over, ImageSource>, drawn: Drawn | null): void {
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
    this.#status.textContent = this.#words;
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
    this.#show(null, null);
    this.#status.textContent = this.#words;
    this.changed();
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
    const fault = await this.#work.run((signal) =>
      projection ? this.#makeProjection(projection, signal) : this.#measureMeans(signal)
    );
    if (fault !== null) this.changed();
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
    this.kept = makeKeptMeans(means, { part, parts, axis, channels, at, axes: scan.axes });
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
    this.#show(projection, this.#made.samples);
    this.#status.textContent = `${capitalize(nameProjection(projection))} of ${source.count} images`;
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
