/** Saves tables as CSV, plots as SVG and pictures as PNG. */
import { formatCount } from "../../../measure/axes.ts";
import { prependPlace } from "../../../measure/result_tables.ts";
import { writeTiffFile } from "../../../measure/tiff.ts";
import { element, saveFile, sayIn } from "../controls/element.ts";
import { button, checkField, choiceField, fieldRow } from "../controls/fields.ts";
import { measureLabel } from "../picture/marks.ts";
import { reportHtml, reportSvg } from "./report.ts";
import { describeOrigin, findShape, makeFileStem, type Scan } from "../drawing/scan.ts";
import { drawSvgPlot } from "./svg_plot.ts";
import { type LineSpan, panel, type PanelFiles } from "./panel.ts";
import {
  decimalField,
  describeTableOrigin,
  findProgramVersion,
  saveSettings,
  saveTable,
  saveTogether,
  type TableToSave,
} from "./saved_tables.ts";
import type { NamedText } from "../../../measure/zip.ts";
import type { SnapshotLook } from "../picture/stage.ts";

type PictureRole = "source" | "reference";

/** The buttons that save, and what they save. */
export class ExportPanel {
  readonly #scan;
  readonly #parts;
  readonly #span;
  readonly #png;
  /** Buttons for a table and its settings, with name and contents. */
  readonly #tables: Map<HTMLElement, [name: string, part: () => PanelFiles]> = new Map();
  readonly #plots: Map<HTMLButtonElement, () => PanelFiles> = new Map();
  readonly #tableRow;
  readonly #plotRow;
  readonly #all = fieldRow(button("Save all tables and plots", () => this.#saveAll(), {
    id: "save-all",
    title: "Saves one ZIP file: each table with its settings, and each plot",
  }));
  readonly #nothing = element("p", {
    className: "hint",
    textContent: "Traces, lines and measurements can be saved as tables once there are some.",
  });
  readonly #status = element("p", { className: "result", role: "status" });
  readonly #picture = choiceField("Picture", "png-picture", [
    { value: "source", name: "line scan or image" },
    { value: "reference", name: "reference" },
  ]);
  readonly #scale = choiceField(
    "Size",
    "png-scale",
    ["1", "2", "3", "4"].map((value) => ({ value, name: `${value} ×` })),
  );
  readonly #axes = checkField("Axes", "png-axes", true);
  readonly #bar = checkField("Scale bar", "png-bar", true);
  readonly #light = checkField("Light background", "png-light", true);
  readonly element: HTMLDivElement;

  /** @param parts by the labels of their buttons */
  constructor(
    scan: () => Scan | null,
    parts: Readonly<Record<string, () => PanelFiles>>,
    span: () => LineSpan,
    png: (picture: PictureRole, look: SnapshotLook) => Promise<Blob | null>,
  ) {
    this.#scan = scan;
    this.#parts = parts;
    this.#span = span;
    this.#png = png;
    const group = (name: string, ...children: Node[]) => {
      const row = fieldRow(element("b", { textContent: name }), ...children);
      row.role = "group";
      row.ariaLabel = name;
      return row;
    };
    for (const [label, part] of Object.entries(parts)) {
      const name = label.toLowerCase();
      const { plot, hasPlot = plot !== undefined } = part();
      const table = button("", () => this.#saveTable(name, part()), { id: `csv-${name}` });
      const settings = button("JSON", () => this.#saveSettings(name, part()), {
        id: `json-${name}`,
        title: `Saves settings and summary of ${name}`,
        ariaLabel: `Save settings of ${name} as JSON`,
      });
      this.#tables.set(element("span", { className: "picks" }, table, settings), [name, part]);
      if (!hasPlot) continue;
      const svg = button(`Save plot of ${name}`, () => this.#savePlot(name, part()), { id: `svg-${name}` });
      this.#plots.set(svg, part);
    }
    this.#tableRow = group("Tables (CSV)", ...this.#tables.keys(), decimalField());
    this.#plotRow = group("Plots (SVG)", ...this.#plots.keys());
    const look = [this.#picture, this.#scale, this.#axes, this.#bar, this.#light].map(({ label }) => label);
    this.element = panel(
      this.#nothing,
      this.#all,
      this.#tableRow,
      this.#plotRow,
      group("Pictures (PNG)", ...look),
      fieldRow(
        button("Save PNG", () => this.#savePng(), { id: "png-save" }),
        button("Save samples as TIFF", () => this.#saveTiff(), {
          id: "tiff-save",
          title: "Saves the shown channels with their calibration, a file each",
        }),
      ),
      group(
        "Report",
        button("HTML", () => this.#saveReport("html"), { id: "report-html" }),
        button("SVG", () => this.#saveReport("svg"), { id: "report-svg" }),
      ),
      this.#status,
    );
    this.refresh();
  }

  /** Offers what there is to save. */
  refresh(): void {
    for (const [buttons, [name, part]] of this.#tables) {
      const { count } = part();
      const text = `Save ${name} (${formatCount(count ?? 0)})`;
      const [table] = buttons.children as unknown as [HTMLElement];
      if (table.textContent !== text) table.textContent = text;
      buttons.hidden = count === null;
    }
    for (const [button, part] of this.#plots) button.hidden = !part().count;
    this.#nothing.hidden = [...this.#tables.keys()].some(({ hidden }) => !hidden);
    this.#tableRow.hidden = this.#all.hidden = !this.#nothing.hidden;
    this.#plotRow.hidden = [...this.#plots.keys()].every(({ hidden }) => hidden);
  }

  #saveTable(name: string, part: PanelFiles) {
    const scan = this.#scan();
    if (scan === null) return;
    const table = makePartTable(scan, name, part);
    saveTable(table);
    this.#say(`Saved ${table.stem}.csv`);
  }

  #saveSettings(name: string, part: PanelFiles) {
    const scan = this.#scan();
    if (scan === null) return;
    const table = makePartTable(scan, name, part);
    saveSettings(table);
    this.#say(`Saved ${table.stem}.json`);
  }

  #savePlot(name: string, part: PanelFiles) {
    const scan = this.#scan();
    const file = scan && this.#plotFile(scan, name, part);
    if (file === null) return this.#say("Nothing to plot yet.");
    this.#save(file[0], new Blob([file[1]], { type: "image/svg+xml;charset=utf-8" }));
  }

  /** The plot of a part as a file; null without content. */
  #plotFile(scan: Scan, name: string, part: PanelFiles): NamedText | null {
    const plot = part.plot?.(this.#span()) ?? null;
    return plot && [`${makeFileStem(scan)}-${name}.svg`, drawSvgPlot(plot, measureLabel)];
  }

  /** All tables with their settings, and all plots. */
  async #saveAll() {
    const scan = this.#scan();
    if (scan === null) return;
    const parts = [...this.#tables.values()].map(([name, part]) => [name, part()] as const)
      .filter(([, { count }]) => count !== null);
    const tables = parts.map(([name, part]) => makePartTable(scan, name, part));
    const plots = parts.flatMap(([name, part]) => {
      const file = part.count ? this.#plotFile(scan, name, part) : null;
      return file === null ? [] : [file];
    });
    const name = `${makeFileStem(scan)}-results`;
    await saveTogether(name, tables, plots);
    this.#say(`Saved ${name}.zip`);
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
    this.#save(`${makeFileStem(scan)}-${picture}.png`, blob);
  }

  /** The samples of the shown line scan, image or kymograph. */
  #saveTiff() {
    const scan = this.#scan();
    if (scan === null) return this.#say("Nothing to save yet.");
    const { channels, shown } = scan.group;
    for (const { name, samples } of shown) {
      const note = describeOrigin(scan).map((fact) => fact.join(" ")).join("; ");
      const bytes = writeTiffFile(samples, findShape(scan), scan.axes, note);
      const suffix = [scan.derived(), channels.length > 1 ? name : ""].filter((part) => part !== "")
        .map((part) => `-${part}`).join("");
      this.#save(`${makeFileStem(scan)}${suffix}.tif`, new Blob([bytes], { type: "image/tiff" }));
    }
  }

  /** Pictures, results, settings and methods on one page. */
  async #saveReport(kind: "html" | "svg") {
    const scan = this.#scan();
    if (scan === null) return this.#say("Nothing to report yet.");
    const look = { scale: 2, hasAxes: true, hasScaleBar: true, isLight: true };
    const pictures = [];
    for (const picture of (["source", "reference"] as const)) {
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
      if (part.count === null) return [];
      const { about: facts = [], settings = facts, columns } = part;
      const plot = part.plot?.(this.#span()) ?? null;
      const known = facts.filter(([, value]) => !Number.isNaN(value));
      return [{ name, about: known, settings, columns, plot: plot && drawSvgPlot(plot, measureLabel) }];
    });
    const version = findProgramVersion();
    const report = {
      title: scan.fileName,
      facts: describeOrigin(scan),
      pictures,
      parts,
      version,
      measuredOn: new Date(),
    };
    const text = kind === "html" ? reportHtml(report) : reportSvg(report, measureLabel);
    const type = kind === "html" ? "text/html" : "image/svg+xml";
    this.#save(`${makeFileStem(scan)}-report.${kind}`, new Blob([text], { type: `${type};charset=utf-8` }));
  }

  #save(name: string, blob: Blob) {
    saveFile(name, blob);
    this.#say(`Saved ${name}`);
  }

  #say(text: string) {
    sayIn(this.#status, text);
  }
}

/** The table of a part, with the summary apart from the settings. */
function makePartTable(
  shown: Scan,
  name: string,
  { about: facts = [], settings = facts, columns, scan: own }: PanelFiles,
): TableToSave {
  const scan = own ?? shown;
  const rest = [...settings];
  const summary = facts.filter(([name, value]) => {
    const at = rest.findIndex(([other, same]) => other === name && same === value);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return {
    stem: `${makeFileStem(scan)}-${name}`,
    columns: prependPlace(describeTableOrigin(scan), columns),
    about: { recording: describeOrigin(scan), settings, summary },
  };
}
