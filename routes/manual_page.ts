/** Pages of the manual: README.md and docs/, whose Markdown is the one source, at the paths that they have in the repository. */
import { posix } from "node:path";

/** The pages that are served; those for developers are not. */
const SERVED = /^(README|docs\/(?!developers\/)[\w/-]+)\.md$/;

/** True for a page of the manual, by its path in the repository: `docs/install.md`. */
export const isManualPage = (path: string): boolean => SERVED.test(path);

/** Opens a section of the page. */
const HEADING = /^(#{1,3}) (.*)$/;

/** The mark of an item of a list. */
const ITEM = /^(?:-|\d+\.) /;

/**
 * A page as HTML.
 *
 * @param path of the Markdown in the repository, from which its links lead
 * @param styles the folder of the style sheets
 */
export function manualPage(markdown: string, path: string, styles: string): string {
  const [, title = path] = /^# (.*)$/m.exec(markdown) ?? [];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)} – acq-server</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${styles}/style.css">
    <link rel="stylesheet" href="${styles}/manual.css">
  </head>
  <body>
    <nav><a href="/README.md">Manual</a> <a href="/demo/v2/">Browser client</a> <a href="/docs">HTTP API</a></nav>
    <main>
${htmlOf(markdown, path)}
    </main>
  </body>
</html>
`;
}

function htmlOf(markdown: string, path: string): string {
  return blocksOf(markdown).map((block) => blockHtml(block, path)).join("\n");
}

/** Headings, paragraphs, lists, tables and fenced code. Items of a list and what they contain may follow empty lines. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  for (const part of markdown.match(/^```[^]*?^```$|(?:^(?!```).+$\n?)+/gm) ?? []) {
    const last = blocks.at(-1) ?? "";
    const goesOn = ITEM.test(last) && (part.startsWith("  ") || ITEM.test(part));
    if (goesOn) blocks.push(`${blocks.pop()}\n\n${part.trimEnd()}`);
    else blocks.push(part.trimEnd());
  }
  return blocks;
}

function blockHtml(block: string, path: string): string {
  const [, marks, title] = HEADING.exec(block) ?? [];
  if (marks !== undefined && title !== undefined) {
    return `<h${marks.length} id="${anchorOf(title)}">${inline(title, path)}</h${marks.length}>`;
  }
  if (block.startsWith("```")) return `<pre>${escaped(block.split("\n").slice(1, -1).join("\n"))}</pre>`;
  // Pictures are not served: the browser client is what most of them show.
  if (block.startsWith("![")) return "";
  if (block.startsWith("|")) return tableHtml(block, path);
  if (!ITEM.test(block)) return `<p>${inline(block, path)}</p>`;
  const tag = block.startsWith("-") ? "ul" : "ol";
  const items = block.split(/^(?=(?:-|\d+\.) )/m).map((item) => `<li>${itemHtml(item, path)}</li>`);
  return `<${tag}>${items.join("")}</${tag}>`;
}

function itemHtml(item: string, path: string): string {
  const [mark = ""] = ITEM.exec(item) ?? [];
  const body = item.slice(mark.length).trimEnd().replaceAll(`\n${" ".repeat(mark.length)}`, "\n");
  return body.includes("\n\n") ? htmlOf(body, path) : inline(body, path);
}

function tableHtml(block: string, path: string): string {
  const [head = [], , ...rows] = block.split("\n").map((line) =>
    line.split("|").slice(1, -1).map((cell) => inline(cell.trim(), path))
  );
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table><thead><tr>${heads}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

/** As forges make it. */
function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
}

function inline(text: string, path: string): string {
  // Nothing in code is markup, so a mark that no page contains stands for it meanwhile.
  const codes: string[] = [];
  return escaped(text)
    .replace(/`([^`]*)`/g, (_, code: string) => `\0${codes.push(code) - 1}\0`)
    .replace(/&lt;(https?:\/\/[^&\s]+)&gt;/g, '<a href="$1">$1</a>')
    .replace(
      /\[([^\]]*)\]\(([^)]*)\)/g,
      (_, words: string, target: string) =>
        leadsSomewhere(target, path) ? `<a href="${target}">${words}</a>` : words,
    )
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/(?<![\p{L}\d])_([^_]+)_(?![\p{L}\d])/gu, "<em>$1</em>")
    .replace(/\0(\d+)\0/g, (_, i: string) => `<code>${codes[Number(i)]}</code>`);
}

/** Whether the server or the web has the target of a link; it has no other files of the repository. */
function leadsSomewhere(target: string, path: string): boolean {
  if (target.startsWith("#") || target.startsWith("https://")) return true;
  return isManualPage(posix.join(posix.dirname(path), target.replace(/#.*/, "")));
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
