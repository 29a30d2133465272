/**
 * A report on one page: pictures, plots, results with their settings, and a paragraph for the methods section; as HTML to
 * be printed and as SVG. Both embed everything that they show.
 */
import { shownText } from "../../../measure/axes.ts";
import { escaped } from "./svg_plot.ts";
import type { Column } from "../../../measure/csv.ts";
import type { About } from "../drawing/scan.ts";

/** Everything that a report shows. */
export interface Report {
  title: string;
  /** Facts of the recording. */
  facts: About;
  /** Pictures as data URLs, with their sizes in CSS pixels; the first one is that of the recording. */
  pictures: readonly { name: string; url: string; width: number; height: number }[];
  parts: readonly Part[];
  /** Program and version, such as `acq-server 0.1.0`. */
  version: string;
  measuredOn: Date;
}

/** Part of the results. */
export interface Part {
  name: string;
  /** Settings and summary. */
  about: About;
  settings: About;
  /** An SVG document. */
  plot: string | null;
  columns: readonly Column[];
}

/** Significant digits of a setting or summary; the JSON file has all. */
const DIGITS = 6;

/** Most rows of a table in a report; longer tables are only in the CSV file. */
const MOST_ROWS = 20;

/** Width of the SVG, its margin and the height of a line, in CSS pixels. */
const [WIDTH, MARGIN, LINE] = [800, 30, 16];

/** Width of a picture in the HTML, in CSS pixels. */
const PAGE_WIDTH = 620;

const FONT = "Helvetica, Arial, sans-serif";

/** Who is cited; as in CITATION.cff. */
const AUTHORS = "The acq-server authors";

/** Text for the methods section of a paper, and what to cite. */
function methodsOf({ parts, version, measuredOn }: Report): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(measuredOn);
  return [
    `The recording was measured on ${day} with ${version}.`,
    ...parts.flatMap(sentencesOf),
    `Citation: ${AUTHORS} (${measuredOn.getFullYear()}). ${version}. Computer software.`,
  ].join(" ");
}

/** What was measured, in which channels and how. */
function sentencesOf({ name, settings, columns }: Part): string[] {
  const channels = [...new Set(Array.from(columns.find(({ name }) => name === "Channel")?.values ?? []))];
  const within = channels.length === 0
    ? ""
    : ` in ${channels.length === 1 ? "channel" : "channels"} ${listed(channels.map(String))}`;
  const isOf = (key: string, fact: string) => key === fact || key.startsWith(`${fact}, `);
  const methods = settings.filter(([key]) => isOf(key, "Method"));
  // The columns say in which channel.
  const others = settings.filter(([key]) => !isOf(key, "Method") && !isOf(key, "Channel"));
  const verb = name.endsWith("s") ? "were" : "was";
  return [
    `${name} ${verb} measured${within}.`,
    ...methods.map(([key, value]) =>
      `The method${key === "Method" ? "" : ` for ${key.slice("Method, ".length)}`} was: ${value}.`
    ),
    ...others.length === 0 ? [] : [`The settings were: ${others.map(settingText).join("; ")}.`],
  ];
}

/** A setting within a sentence, with its unit after the value: `window 38 lines`. */
function settingText([key, value]: About[number]): string {
  const [, name = key, unit = ""] = /^(.+) \(([^()]+)\)$/.exec(key) ?? [];
  return `${lowered(name)} ${valueText(value)} ${shownText(unit)}`.trim();
}

/** A value with as many digits as are read. */
const valueText = (value: string | number) =>
  typeof value === "number" ? String(Number(value.toPrecision(DIGITS))) : value;

/** `A, B and C`. */
const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** As within a sentence, unless it begins with a name such as `F0`. */
const lowered = (text: string) => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** Pictures that fit a width, none larger than the first one: a reference image shows where its line scan lies. */
function sized(pictures: Report["pictures"], most: number): Report["pictures"] {
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
  const list = (about: About) =>
    `<dl>${
      about.map(([key, value]) => `<dt>${escaped(shownText(key))}</dt><dd>${escaped(valueText(value))}</dd>`)
        .join("")
    }</dl>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title)}</title>
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
<h1>${escaped(title)}</h1>
${list(facts)}
${
    sized(pictures, PAGE_WIDTH).map(({ name, url, width }) =>
      `<figure><img src="${escaped(url)}" alt="${escaped(name)}" width="${width}"><figcaption>${
        escaped(name)
      }</figcaption></figure>`
    ).join("\n")
  }
${
    parts.map((part) =>
      `<section>
<h2>${escaped(part.name)}</h2>
${part.plot ?? ""}
${list(part.about)}
${tableHtml(part.columns)}
</section>`
    ).join("\n")
  }
<section>
<h2>Methods</h2>
<p>${escaped(methodsOf(report))}</p>
</section>
<p>${escaped(version)}</p>
</main>
</body>
</html>
`;
}

/** A table; empty if it has no rows or too many. */
function tableHtml(columns: readonly Column[]) {
  const rows = rowsOf(columns);
  if (rows === null) return "";
  const [head, ...body] = rows;
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${cells(head!, "th")}</thead><tbody>${
    body.map((row) => cells(row, "td")).join("")
  }</tbody></table>`;
}

/** Head and rows as texts, without columns that are empty; null if the table is empty or too long for a report. */
function rowsOf(all: readonly Column[]) {
  const columns = all.filter(({ values }) =>
    Array.from(values).some((value) => value !== null && value !== "")
  );
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  if (length === 0 || length > MOST_ROWS) return null;
  return [
    columns.map(({ name, unit }) => unit ? `${name} (${shownText(unit)})` : name),
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
    for (const line of wrapped(text, (WIDTH - 2 * MARGIN) * 12 / size, measure)) {
      y += LINE * size / 12;
      body.push(
        `<text x="${MARGIN}" y="${y}" font-size="${size}" font-weight="${weight}">${escaped(line)}</text>`,
      );
    }
  };
  write(title, 20, "bold");
  const list = (about: About) => {
    for (const [key, value] of about) write(`${shownText(key)}: ${valueText(value)}`);
  };
  list(facts);
  for (const { name, url, width, height } of sized(pictures, WIDTH - 2 * MARGIN)) {
    y += LINE;
    body.push(`<image x="${MARGIN}" y="${y}" width="${width}" height="${height}" href="${escaped(url)}"/>`);
    y += height;
    write(name);
  }
  for (const { name, about, plot, columns } of parts) {
    y += LINE / 2;
    write(name, 15, "bold");
    if (plot !== null) {
      const [, width = 0, height = 0] = (/width="(\d+)" height="(\d+)"/.exec(plot) ?? []).map(Number);
      // Ids must be unique in the whole document.
      const own = plot.replaceAll("plot", `plot${body.length}`);
      body.push(own.replace("<svg ", `<svg x="${MARGIN}" y="${y + 4}" `).trim());
      y += width > 0 ? height + 8 : 0;
    }
    list(about);
    for (const row of rowsOf(columns) ?? []) write(row.map((cell) => cell || "–").join(" · "));
  }
  y += LINE / 2;
  write("Methods", 15, "bold");
  write(methodsOf(report));
  write(version);
  const height = Math.ceil(y + MARGIN);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}" fill="#1a1f26">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${body.join("\n")}
</svg>
`;
}

/** Lines of a text that fit a width. */
function wrapped(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
