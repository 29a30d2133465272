/**
 * Saves tables as CSV, plots as SVG and pictures as PNG.
 *
 * @typedef {"source" | "reference"} Picture
 */
import { csv } from "../../../measure/csv.js";
import { tiffOf } from "../../../measure/tiff.js";
import { byId, element, saveFile, sayIn } from "../controls/element.js";
import { button, checkField, choiceField, fieldRow } from "../controls/fields.js";
import { measureLabel } from "../picture/marks.js";
import { reportHtml, reportSvg } from "./report.js";
import { about, shapeOf, stemOf } from "./scan.js";
import { svgPlot } from "./svg_plot.js";
import { panel } from "./panel.js";

/** @import { SnapshotLook } from "../picture/stage.js" */
/** @import { Saved, Span } from "./panel.js" */
/** @import { Scan } from "./scan.js" */

export class ExportPanel {
  #scan;
  #parts;
  #span;
  #png;
  #status = element("p", { className: "result", role: "status" });
  #picture = choiceField("Picture", "png-picture", [
    { value: "source", name: "line scan or image" },
    { value: "reference", name: "reference" },
  ]);
  #scale = choiceField(
    "Size",
    "png-scale",
    ["1", "2", "3", "4"].map((value) => ({ value, name: `${value} ×` })),
  );
  #axes = checkField("Axes", "png-axes", true);
  #bar = checkField("Scale bar", "png-bar", true);
  #light = checkField("Light background", "png-light", true);

  /**
   * @param {() => Scan | null} scan
   * @param {Readonly<Record<string, () => Saved>>} parts by the labels of their buttons
   * @param {() => Span} span
   * @param {(picture: Picture, look: SnapshotLook) => Promise<Blob | null>} png
   */
  constructor(scan, parts, span, png) {
    this.#scan = scan;
    this.#parts = parts;
    this.#span = span;
    this.#png = png;
    const group = (/** @type {string} */ name, /** @type {Node[]} */ ...children) => {
      const row = fieldRow(element("b", { textContent: name }), ...children);
      row.role = "group";
      row.ariaLabel = name;
      return row;
    };
    const tables = Object.entries(parts).map(([label, part]) => {
      const name = label.toLowerCase();
      return button(label, () => this.#saveTable(name, part()), { id: `csv-${name}` });
    });
    const plots = Object.entries(parts).flatMap(([label, part]) => {
      const { plot, hasPlot = plot !== undefined } = part();
      const name = label.toLowerCase();
      return hasPlot ? [button(label, () => this.#savePlot(name, part()), { id: `svg-${name}` })] : [];
    });
    const look = [this.#picture, this.#scale, this.#axes, this.#bar, this.#light].map(({ label }) => label);
    this.element = panel(
      group("CSV", ...tables),
      group("SVG", ...plots),
      group("PNG", ...look),
      fieldRow(
        button("Save PNG", () => this.#savePng(), { id: "png-save" }),
        button("Save samples as TIFF", () => this.#saveTiff(), {
          id: "tiff-save",
          title: "Saves the shown channels with their calibration, a file each",
        }),
      ),
      group(
        "Report…",
        button("HTML", () => this.#saveReport("html"), { id: "report-html" }),
        button("SVG", () => this.#saveReport("svg"), { id: "report-svg" }),
      ),
      this.#status,
    );
  }

  /** @param {string} name @param {Saved} part */
  #saveTable(name, { about: settings = [], columns }) {
    const scan = this.#scan();
    if (scan === null || columns.every(({ values }) => values.length === 0)) {
      return this.#say("Nothing to save yet.");
    }
    const text = csv([...about(scan), ...settings], columns);
    this.#save(`${stemOf(scan)}-${name}.csv`, new Blob([text], { type: "text/csv;charset=utf-8" }));
  }

  /** @param {string} name @param {Saved} part */
  #savePlot(name, part) {
    const [scan, plot] = [this.#scan(), part.plot?.(this.#span()) ?? null];
    if (scan === null || plot === null) return this.#say("Nothing to plot yet.");
    const blob = new Blob([svgPlot(plot, measureLabel)], { type: "image/svg+xml;charset=utf-8" });
    this.#save(`${stemOf(scan)}-${name}.svg`, blob);
  }

  async #savePng() {
    const scan = this.#scan();
    const picture = this.#picture.select.value === "reference" ? "reference" : "source";
    const blob = await this.#png(picture, {
      scale: Number(this.#scale.select.value),
      hasAxes: this.#axes.input.checked,
      hasScaleBar: this.#bar.input.checked,
      isLight: this.#light.input.checked,
    });
    if (scan === null || blob === null) {
      return this.#say("No picture to save, or it is too large for this browser.");
    }
    this.#save(`${stemOf(scan)}-${picture}.png`, blob);
  }

  /** The samples of the shown line scan, image or kymograph. */
  #saveTiff() {
    const scan = this.#scan();
    if (scan === null) return this.#say("Nothing to save yet.");
    const { channels, shown } = scan.group;
    for (const { name, samples } of shown) {
      const note = about(scan).map((fact) => fact.join(" ")).join("; ");
      const bytes = tiffOf(samples, shapeOf(scan), scan.axes, note);
      const suffix = [scan.derived(), channels.length > 1 ? name : ""].filter((part) => part !== "")
        .map((part) => `-${part}`).join("");
      this.#save(`${stemOf(scan)}${suffix}.tif`, new Blob([bytes], { type: "image/tiff" }));
    }
  }

  /** Pictures, results, settings and methods on one page. @param {"html" | "svg"} kind */
  async #saveReport(kind) {
    const scan = this.#scan();
    if (scan === null) return this.#say("Nothing to report yet.");
    const look = { scale: 2, hasAxes: true, hasScaleBar: true, isLight: true };
    const pictures = [];
    for (const picture of /** @type {const} */ (["source", "reference"])) {
      const blob = await this.#png(picture, look);
      if (blob === null) continue;
      const { width, height } = await createImageBitmap(blob);
      const shown = scan.derived() === "" ? "Image" : "Projection";
      const source = scan.isLineScan ? "Line scan" : shown;
      const name = picture === "reference" ? "Reference image with the scan path" : source;
      const reader = new FileReader();
      reader.readAsDataURL(blob);
      await new Promise((done) => reader.onloadend = done);
      pictures.push({ name, url: String(reader.result), width: width / 2, height: height / 2 });
    }
    const parts = Object.entries(this.#parts).flatMap(([name, saved]) => {
      const part = saved();
      const { about: facts = [], settings = facts, columns } = part;
      if (columns.every(({ values }) => values.length === 0)) return [];
      const plot = part.plot?.(this.#span()) ?? null;
      const known = facts.filter(([, value]) => !Number.isNaN(value));
      return [{ name, about: known, settings, columns, plot: plot && svgPlot(plot, measureLabel) }];
    });
    const version = byId("server").textContent?.split(" · ")[0] || "acq-server";
    const report = { title: scan.fileName, facts: about(scan), pictures, parts, version };
    const text = kind === "html" ? reportHtml(report) : reportSvg(report, measureLabel);
    const type = kind === "html" ? "text/html" : "image/svg+xml";
    this.#save(`${stemOf(scan)}-report.${kind}`, new Blob([text], { type: `${type};charset=utf-8` }));
  }

  /** @param {string} name @param {Blob} blob */
  #save(name, blob) {
    saveFile(name, blob);
    this.#say(`Saved ${name}`);
  }

  /** @param {string} text */
  #say(text) {
    sayIn(this.#status, text);
  }
}
