/** Pages of the manual: README.md and docs/, rendered from their Markdown and served at their paths in the repository. */
import { posix } from "node:path";
import { Marked } from "marked";

/** Paths of the served pages; pages for developers are not served. */
const SERVED = /^(README|docs\/(?!developers\/)[\w/-]+)\.md$/;

/** True for a page of the manual, by its path in the repository: `docs/install.md`. */
export const isManualPage = (path: string): boolean => SERVED.test(path);

/** A page as HTML. `path` is that of its Markdown in the repository, `styles` the folder of the style sheets. */
export function manualPage(markdown: string, path: string, styles: string): string {
  const [, title = path] = /^# (.*)$/m.exec(markdown) ?? [];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} – acq-server</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${styles}/style.css">
    <link rel="stylesheet" href="${styles}/manual.css">
  </head>
  <body>
    <nav><a href="/README.md">Manual</a> <a href="/demo/v2/">Browser client</a> <a href="/docs">HTTP API</a></nav>
    <main>
${rendererOf(path).parse(markdown, { async: false })}
    </main>
  </body>
</html>
`;
}

/** Renders the Markdown of a page. Headings get the same anchors as on code hosts such as GitHub. */
const rendererOf = (path: string): Marked =>
  new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const anchor = words.toLowerCase().replace(/[^\p{L}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // The server does not have the repository's other files.
      link({ href, tokens }) {
        return leadsSomewhere(href, path) ? false : this.parser.parseInline(tokens);
      },
      // Pictures are not served; most of them only show the browser client.
      image: () => "",
    },
  });

function leadsSomewhere(target: string, path: string): boolean {
  if (target.startsWith("#") || /^https?:/.test(target)) return true;
  return isManualPage(posix.join(posix.dirname(path), target.replace(/#.*/, "")));
}
