/**
 * A report on one page: pictures, plots, results with their settings, and a paragraph for the methods section; as HTML to
 * be printed and as SVG. Both embed everything that they show.
 */
import { showGreek } from "../../../measure/axes.ts";
import { type Fact, formatValue, groupFacts, type ReportPart, writeMethods } from "./report_methods.ts";
import { escapeXml } from "./svg_plot.ts";
import type { Column } from "../../../measure/csv.ts";
import type { About } from "../drawing/scan.ts";

/** Everything that a report shows. */
export interface Report {
  title: string;
  /** Facts of the recording. */
  facts: About;
  /** Pictures as data URLs, with their sizes in CSS pixels; the first one is that of the recording. */
  pictures: readonly { name: string; url: string; width: number; height: number }[];
  parts: readonly ReportPart[];
  /** Program and version, such as `acq-server 0.1.0`. */
  version: string;
  measuredOn: Date;
}

/** Most rows of a table in a report; longer tables are only in the CSV file. */
const MOST_ROWS = 20;

/** Width of the SVG, its margin and the height of a line, in CSS pixels. */
const [WIDTH, MARGIN, LINE] = [800, 30, 16];

/** Width of a picture in the HTML, in CSS pixels. */
const PAGE_WIDTH = 620;

const FONT = "Helvetica, Arial, sans-serif";

/** The id of a plot's frame, and what refers to it. Names of channels have no bare quotes. */
const PLOT_ID = /( id="|="url\(#)plot(?=["\)])/g;

/** Pictures that fit a width, none larger than the first one: a reference image shows where its line scan lies. */
function fitPictures(pictures: Report["pictures"], most: number): Report["pictures"] {
  const fitted = (picture: Report["pictures"][number], width: number, height: number) => {
    const scale = Math.min(1, width / picture.width, height / picture.height);
    return {
      ...picture,
      width: Math.round(picture.width * scale),
      height: Math.round(picture.height * scale),
    };
  };
  const [first, ...others] = pictures;
  if (first === undefined) return [];
  const shown = fitted(first, most, Infinity);
  return [shown, ...others.map((picture) => fitted(picture, shown.width, shown.height))];
}

/** Makes the report as an HTML document. @returns an HTML document */
export function reportHtml(report: Report): string {
  const { title, facts, pictures, parts, version } = report;
  const list = (about: About, textOf = formatValue) => {
    const facts = groupFacts(about);
    const single = facts.filter(({ values }) => values.every(({ of }) => of === ""));
    const each = facts.filter((fact) => !single.includes(fact));
    return `<dl>${
      single.map(({ name, values }) =>
        `<dt>${escapeXml(showGreek(name))}</dt><dd>${
          escapeXml([...new Set(values.map(({ value }) => textOf(value)))].join(", "))
        }</dd>`
      ).join("")
    }</dl>${each.length === 0 ? "" : makeHtmlTable(tabulateByResult(each))}`;
  };
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeXml(title)}</title>
<style>
body { max-width: 50em; margin: 2em auto; padding: 0 1em; font: 13px/1.4 ${FONT}; color: #1a1f26; background: #fff; }
h1 { font-size: 20px; } h2 { font-size: 15px; margin: 1.2em 0 0.4em; }
section, figure { break-inside: avoid; } figure { margin: 0 0 1em; } img, svg { max-width: 100%; height: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em; margin: 0.4em 0; } dd { margin: 0; }
dt { color: #4a5360; } table { border-collapse: collapse; font-size: 11px; }
th, td { padding: 1px 6px 1px 0; text-align: left; vertical-align: top; }
</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
${list(facts, String)}
${
    fitPictures(pictures, PAGE_WIDTH).map(({ name, url, width }) =>
      `<figure><img src="${escapeXml(url)}" alt="${escapeXml(name)}" width="${width}"><figcaption>${
        escapeXml(name)
      }</figcaption></figure>`
    ).join("\n")
  }
${
    parts.map((part) =>
      `<section>
<h2>${escapeXml(part.name)}</h2>
${part.plot ?? ""}
${list(part.about)}
${tableHtml(part.columns)}
</section>`
    ).join("\n")
  }
<section>
<h2>Methods</h2>
<p>${escapeXml(writeMethods(report))}</p>
</section>
<p>${escapeXml(version)}</p>
</main>
</body>
</html>
`;
}

/** A row for each fact and a column for each result. */
function tabulateByResult(facts: readonly Fact[]): string[][] {
  const results = [...new Set(facts.flatMap(({ values }) => values.map(({ of }) => of)))];
  return [
    ["Quantity", ...results],
    ...facts.map(({ name, values }) => [
      showGreek(name),
      ...results.map((result) => formatValue(values.find(({ of }) => of === result)?.value ?? "")),
    ]),
  ];
}

/** A table; empty if it has no rows or too many. */
function tableHtml(columns: readonly Column[]) {
  const rows = makeTextRows(columns);
  return rows === null ? "" : makeHtmlTable(rows);
}

/** Rows as HTML, the first one as heads. */
function makeHtmlTable([head, ...body]: readonly (readonly string[])[]): string {
  const cellOf = (text: string, tag: string) => `<${tag}>${escapeXml(text)}</${tag}>`;
  // Screen readers ignore an empty header.
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((text) => cellOf(text, text === "" ? "td" : tag)).join("")}</tr>`;
  return `<table><thead>${cells(head!, "th")}</thead><tbody>${
    body.map((row) => cells(row, "td")).join("")
  }</tbody></table>`;
}

/** Head and rows as texts, without columns that are empty; null if the table is empty or too long for a report. */
function makeTextRows(all: readonly Column[]) {
  const columns = all.filter(({ values }) =>
    Array.from(values).some((value) => value !== null && value !== "")
  );
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  if (length === 0 || length > MOST_ROWS) return null;
  return [
    columns.map(({ name, unit }) => unit ? `${name} (${showGreek(unit)})` : name),
    ...Array.from({ length }, (_, i) =>
      columns.map(({ values }) => {
        const value = values[i] ?? "";
        if (typeof value === "string") return value;
        return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "";
      })),
  ];
}

/**
 * Makes the report as an SVG document.
 *
 * @param measure width of a label in CSS pixels
 * @returns an SVG document
 */
export function reportSvg(report: Report, measure: (text: string) => number): string {
  const { title, facts, pictures, parts, version } = report;
  const body: string[] = [];
  let y = MARGIN;
  const write = (text: string, size = 12, weight = "normal") => {
    for (const line of wrapText(text, (WIDTH - 2 * MARGIN) * 12 / size, measure)) {
      y += LINE * size / 12;
      body.push(
        `<text x="${MARGIN}" y="${y}" font-size="${size}" font-weight="${weight}">${escapeXml(line)}</text>`,
      );
    }
  };
  write(title, 20, "bold");
  const list = (about: About, textOf = formatValue) => {
    for (const { name, values } of groupFacts(about)) {
      const texts = values.map(({ of, value }) => `${textOf(value)}${of === "" ? "" : ` (${of})`}`);
      write(`${showGreek(name)}: ${texts.join(" · ")}`);
    }
  };
  list(facts, String);
  for (const { name, url, width, height } of fitPictures(pictures, WIDTH - 2 * MARGIN)) {
    y += LINE;
    body.push(`<image x="${MARGIN}" y="${y}" width="${width}" height="${height}" href="${escapeXml(url)}"/>`);
    y += height;
    write(name);
  }
  for (const { name, about, plot, columns } of parts) {
    y += LINE / 2;
    write(name, 15, "bold");
    if (plot !== null) {
      const [, width = 0, height = 0] = (/width="(\d+)" height="(\d+)"/.exec(plot) ?? []).map(Number);
      // Ids must be unique in the whole document.
      const own = plot.replace(PLOT_ID, (_, before) => `${before}plot${body.length}`);
      body.push(own.replace("<svg ", `<svg x="${MARGIN}" y="${y + 4}" `).trim());
      y += width > 0 ? height + 8 : 0;
    }
    list(about);
    for (const row of makeTextRows(columns) ?? []) write(row.map((cell) => cell || "–").join(" · "));
  }
  y += LINE / 2;
  write("Methods", 15, "bold");
  write(writeMethods(report));
  write(version);
  const height = Math.ceil(y + MARGIN);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}" fill="#1a1f26">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${body.join("\n")}
</svg>
`;
}

/** Lines of a text that fit a width. */
function wrapText(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
