/** The help page of the reference client, made from the Markdown of `docs/measure.md`, which is the one source. */

/** Opens a section of the page. */
const HEADING = /^(#{1,3}) (.*)$/;

/** A whole page. */
export function helpPage(markdown: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>acq-server: measuring</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="style.css">
    <link rel="stylesheet" href="help.css">
  </head>
  <body>
    <main>
${blocksOf(markdown).map(htmlOf).join("\n")}
    </main>
  </body>
</html>
`;
}

/** Paragraphs, lists, tables and fenced code: lines without an empty one between them. */
function blocksOf(markdown: string): string[] {
  return markdown.match(/^```[^]*?^```$|^\S(?:.|\n(?!\n|```))*(?:\n\n {2}.*)*/gm) ?? [];
}

function htmlOf(block: string): string {
  const [, marks, title] = HEADING.exec(block) ?? [];
  if (marks !== undefined && title !== undefined) {
    return `<h${marks.length} id="${anchorOf(title)}">${inline(title)}</h${marks.length}>`;
  }
  if (block.startsWith("```")) return `<pre>${escaped(block.split("\n").slice(1, -1).join("\n"))}</pre>`;
  // The page itself is the picture.
  if (block.startsWith("![")) return "";
  if (block.startsWith("|")) return tableOf(block);
  const list = /^(-|1\.) /.exec(block)?.[1];
  if (list === undefined) return `<p>${inline(block)}</p>`;
  const tag = list === "-" ? "ul" : "ol";
  const items = block.split(/^(?:-|\d+\.) /m).filter((item) => item !== "");
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</${tag}>`;
}

function tableOf(block: string): string {
  const [head = [], , ...rows] = block.split("\n").map((line) =>
    line.split("|").slice(1, -1).map((cell) => inline(cell.trim()))
  );
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table><thead><tr>${heads}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

/** As forges make it. */
function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
}

function inline(text: string): string {
  const linked = escaped(text)
    .replace(/\[([^\]]*)\]\(#([^)]*)\)/g, '<a href="#$2">$1</a>')
    // Other pages of the documentation are not served.
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return linked.split(/(`[^`]*`)/).map((part) =>
    part.startsWith("`") ? `<code>${part.slice(1, -1)}</code>` : part
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/(?<![\p{L}\d])_([^_]+)_(?![\p{L}\d])/gu, "<em>$1</em>")
  ).join("");
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
