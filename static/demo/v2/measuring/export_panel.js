/**
 * Saves traces and tables as CSV, plots as SVG and pictures as PNG.
 *
 * Tested in `tests/browser/measure_test.ts`.
 *
 * @typedef {object} Table
 * @property {string} name of the file, such as `traces`
 * @property {readonly [string, string | number][]} about
 * @property {readonly import("../../../measure/csv.js").Column[]} columns
 *
 * @typedef {object} Exports contents to save, made on demand
 * @property {() => string} stem name of the open file without its ending
 * @property {Record<string, () => Table | null>} tables by the labels of their buttons; null where empty
 * @property {Record<string, () => {name: string, plot: import("./svg_plot.js").Plot} | null>} plots
 * @property {(picture: "source" | "reference", look: PngLook) => Promise<Blob | null>} png
 *
 * @typedef {{scale: number, hasAxes: boolean, hasScaleBar: boolean, isLight: boolean}} PngLook
 */
import { element, saveFile, sayIn } from "../controls/element.js";
import { measureLabel } from "../picture/marks.js";
import { csv } from "../../../measure/csv.js";
import { button, checkField, choiceField } from "../controls/fields.js";
import { svgPlot } from "./svg_plot.js";

export class ExportPanel {
  #exports;
  #status = element("p", { className: "result", role: "status" });
  #scale;
  #picture;
  #axes;
  #bar;
  #light;

  /** @param {Exports} exports */
  constructor(exports) {
    this.#exports = exports;
    const named = (/** @type {string} */ prefix, /** @type {string} */ words) =>
      `${prefix}-${words.toLowerCase()}`;
    const tables = Object.entries(exports.tables).map(([words, made]) =>
      button(words, () => this.#saveTable(made()), { id: named("csv", words) })
    );
    const plots = Object.entries(exports.plots).map(([words, made]) =>
      button(words, () => this.#savePlot(made()), { id: named("svg", words) })
    );
    const scales = /** @type {const} */ (["1", "2", "3", "4"]).map((value) => ({
      value,
      name: `${value} ×`,
    }));
    this.#scale = choiceField("Size", scales, () => {}, "png-scale");
    this.#picture = choiceField(
      "Picture",
      [{ value: "source", name: "line scan or image" }, { value: "reference", name: "reference" }],
      () => {},
      "png-picture",
    );
    this.#axes = checkField("Axes", true, () => {}, "png-axes");
    this.#bar = checkField("Scale bar", true, () => {}, "png-bar");
    this.#light = checkField("Light ground", true, () => {}, "png-light");
    const group = (/** @type {string} */ name, /** @type {Node[]} */ ...children) =>
      element(
        "div",
        { className: "fields", role: "group", "aria-label": name },
        element("b", { textContent: name }),
        ...children,
      );
    this.element = element(
      "div",
      { className: "panel" },
      group("CSV", ...tables),
      group("SVG", ...plots),
      group(
        "PNG",
        this.#picture.label,
        this.#scale.label,
        this.#axes.label,
        this.#bar.label,
        this.#light.label,
      ),
      element("div", { className: "fields" }, button("Save PNG", () => this.#savePng(), { id: "png-save" })),
      this.#status,
    );
  }

  /** @param {Table | null} made */
  #saveTable(made) {
    if (made === null || made.columns.every(({ values }) => values.length === 0)) {
      return this.#say("There is nothing in it yet.");
    }
    this.#save(`${this.#exports.stem()}-${made.name}.csv`, csv(made.about, made.columns), "text/csv");
  }

  /** @param {{name: string, plot: import("./svg_plot.js").Plot} | null} made */
  #savePlot(made) {
    if (made === null) return this.#say("There is nothing to plot yet.");
    this.#save(`${this.#exports.stem()}-${made.name}.svg`, svgPlot(made.plot, measureLabel), "image/svg+xml");
  }

  /** @param {string} name @param {string} text @param {string} type */
  #save(name, text, type) {
    saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
    this.#say(`Saved ${name}`);
  }

  async #savePng() {
    const picture = this.#picture.select.value === "reference" ? "reference" : "source";
    const blob = await this.#exports.png(picture, {
      scale: Number(this.#scale.select.value),
      hasAxes: this.#axes.input.checked,
      hasScaleBar: this.#bar.input.checked,
      isLight: this.#light.input.checked,
    });
    if (blob === null) return this.#say("There is no such picture, or it is too large for this browser.");
    const name = `${this.#exports.stem()}-${picture}.png`;
    saveFile(name, blob);
    this.#say(`Saved ${name}`);
  }

  /** @param {string} text */
  #say(text) {
    sayIn(this.#status, text);
  }
}
