/**
 * The manual: documents of the repository, rendered from their Markdown, with the pictures and sources that they link to. All are
 * served at their paths in the repository, so that links lead to the same place here and there.
 */
import { posix } from "node:path";
import { Marked, type Tokens } from "marked";

/** Pages by group, as the list of pages shows them; their first lines are their titles. */
export const PAGE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Start": [
    "README.md",
    "docs/install.md",
    "docs/start/line-scan.md",
    "docs/start/python.md",
    "docs/start/program.md",
  ],
  "Measure and save": [
    "docs/measure.md",
    "docs/measure-accuracy.md",
    "docs/measurements.md",
    "docs/archive.md",
    "docs/collections.md",
    "docs/clusters.md",
  ],
  "Use it from": [
    "docs/use-from/python.md",
    "docs/use-from/matlab.md",
    "docs/use-from/imagej.md",
    "docs/use-from/shell.md",
    "docs/use-from/web.md",
    "docs/use-from/remote.md",
    "docs/build-a-client.md",
  ],
  "Formats": [
    "docs/formats/tiff.md",
    "docs/formats/ome-zarr.md",
    "docs/formats/czi.md",
    "docs/formats/lsm.md",
    "docs/formats/nd2.md",
    "docs/formats/lif.md",
    "docs/formats/oir.md",
    "docs/formats/oif.md",
    "docs/formats/prairie.md",
    "docs/formats/imaris.md",
    "docs/formats/mesc.md",
    "docs/formats/nwb.md",
    "docs/formats/time.md",
  ],
  "About": [
    "docs/security.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/developers/architecture.md",
    "docs/developers/add-a-format.md",
    "docs/developers/decisions.md",
    "docs/developers/performance.md",
    "docs/developers/releases.md",
  ],
};

const PAGES = new Set(Object.values(PAGE_GROUPS).flat());

/** True for a page of the manual, by its path in the repository: `docs/install.md`. */
export const isManualPage = (path: string): boolean => PAGES.has(path);

/** Pictures of pages, and the texts that pages link to. */
const FILE =
  /^(docs\/images\/[\w-]+\.(png|webp)|LICENSE|CITATION\.cff|examples\/(imagej|python|web)\/\w+\.\w+|static\/(measure(\/\w+)?|client\/v2)\/[\w-]+(\.d)?\.ts)$/;

/** True for another file of the manual, by its path in the repository: `docs/images/dialog.png`. */
export const isManualFile = (path: string): boolean => FILE.test(path);

/** Width and height of a picture of the manual in pixels. */
export type PictureSize = readonly [width: number, height: number];

/** A page as HTML. */
export interface ManualPage {
  readonly markdown: string;
  /** Of the Markdown in the repository. */
  readonly path: string;
  /** Where style sheet and script are served. */
  readonly files: string;
  /** Finds the size of a picture by its path in the repository, so that the page keeps its place while pictures load. */
  readonly sizeOf: (path: string) => PictureSize | null;
  /** The title of a page by its path in the repository. */
  readonly titleOf: (path: string) => string;
}

/** The title of a page: its first line. */
export const findTitle = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? "";

/** Renders a page. */
export function renderManualPage({ markdown, path, files, sizeOf, titleOf }: ManualPage): string {
  const title = findTitle(markdown) || path;
  const headings: Heading[] = [];
  const text = makeRenderer(path, headings, sizeOf).parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title === "acq-server" ? "acq-server manual" : `${title} – acq-server`}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${files}/manual.css">
  </head>
  <body>
    <a class="skip" href="#text">Skip to the text</a>
    <header>
      <a class="home" href="/README.md">acq-server</a>
      <nav aria-label="Parts of the program"><a href="/demo/v2/">Browser client</a> <a href="/docs">HTTP API</a></nav>
    </header>
    <div class="columns">
      <details class="pages" open>
        <summary>All pages</summary>
        <nav aria-label="Pages">
${renderPageList(path, titleOf)}
        </nav>
      </details>
      ${renderContents(headings)}
      <main id="text">
${text}
      </main>
    </div>
    <script src="${files}/manual.ts"></script>
  </body>
</html>
`;
}

function renderPageList(path: string, titleOf: ManualPage["titleOf"]): string {
  const link = (page: string) =>
    `<li><a href="/${page}"${page === path ? ' aria-current="page"' : ""}>${titleOf(page)}</a></li>`;
  return Object.entries(PAGE_GROUPS).map(([group, pages]) =>
    `<h2>${group}</h2>\n<ul>${pages.map(link).join("\n")}</ul>`
  ).join("\n");
}

interface Heading {
  readonly anchor: string;
  readonly depth: number;
  /** HTML without links. */
  readonly text: string;
}

/** The sections of a page; nothing for a page with few. */
function renderContents(headings: readonly Heading[]): string {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (sections.length < 3) return "";
  const items = sections.map(({ anchor, depth, text }) =>
    `<li class="depth-${depth}"><a href="#${anchor}">${text}</a></li>`
  );
  return `<details class="contents" open>
        <summary>On this page</summary>
        <nav aria-label="On this page"><ul>
${items.join("\n")}
        </ul></nav>
      </details>`;
}

/** A cell that is a number, perhaps with a unit and bounds: `17.6 ms`, `5.6 to 7.8`, `at most 64 MiB`. */
const NUMBER_CELL =
  /^(at (most|least) |up to |about |from )?[+−-]?\d[\d.,:×/^ ²³⁻]*( ?(to|–|×|±|and) ?[\d.,]+)*( ?[\p{L}µ%/²³]{1,12}){0,2}$/u;

/** The text of a cell in which sizes and numbers with units stay on one line. */
const keepOnOneLine = (html: string) =>
  html.replaceAll(/(?<=\d) ([x×]) (?=\d)/g, "&nbsp;$1&nbsp;")
    .replaceAll(/(?<=\d) (?=%|([nmµu]?[sm]|k?Hz|[KMG]i?B|bits?|bytes|px|°C)\b)/g, "&nbsp;");

/** Renders the Markdown of a page. Headings get the same anchors as on code hosts such as GitHub. */
const makeRenderer = (path: string, headings: Heading[], sizeOf: ManualPage["sizeOf"]): Marked =>
  new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const anchor = words.toLowerCase().replace(/[^\p{L}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
        const text = this.parser.parseInline(tokens);
        headings.push({ anchor, depth, text: text.replace(/<\/?a\b[^>]*>/g, "") });
        const mark = depth === 1
          ? ""
          : `<a class="anchor" href="#${anchor}" aria-label="Link to this section"></a>`;
        return `<h${depth} id="${anchor}">${text}${mark}</h${depth}>\n`;
      },
      // Folders and tests of the repository are not served.
      link({ href, tokens }) {
        return leadsSomewhere(href, path) ? false : this.parser.parseInline(tokens);
      },
      image({ href, text }) {
        const [width, height] = sizeOf(resolveInRepository(href, path)) ?? [];
        const size = width === undefined ? "" : ` width="${width}" height="${height}"`;
        const [source, words] = [escapeAttribute(href), escapeAttribute(text)];
        return `<a class="picture" href="${source}"><img src="${source}" alt="${words}"${size} loading="lazy"></a>`;
      },
      code({ text }) {
        return `<div class="code"><pre tabindex="0"><code>${escapeAttribute(text)}\n</code></pre></div>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[]) =>
          `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>\n`;
        return `<div class="table" tabindex="0"><table>\n<thead>${row(token.header)}</thead>\n<tbody>${
          token.rows.map(row).join("")
        }</tbody>\n</table></div>\n`;
      },
      tablecell({ tokens, header }) {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const kind = NUMBER_CELL.test(words) ? ' class="number"' : "";
        const tag = header ? "th" : "td";
        return `<${tag}${kind}>${keepOnOneLine(this.parser.parseInline(tokens))}</${tag}>`;
      },
    },
  });

const escapeAttribute = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The path in the repository of what a page links to. */
const resolveInRepository = (target: string, page: string) =>
  posix.join(posix.dirname(page), target.replace(/#.*/, ""));

function leadsSomewhere(target: string, page: string): boolean {
  if (target.startsWith("#") || /^https?:/.test(target)) return true;
  const path = resolveInRepository(target, page);
  return isManualPage(path) || isManualFile(path);
}
