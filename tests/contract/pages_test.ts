/** The files of pages: where they are served, that no cache keeps them, and that no other file of the program is. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { PAGE_GROUPS, renderManualPage } from "../../routes/manual_page.ts";
import { ScriptFault, stripScript } from "../../routes/page_script.ts";
import { Harness } from "./harness.ts";

const STATIC = new URL("../../static/", import.meta.url);

const DOCS = new URL("../../docs/", import.meta.url);

/** Sources of programs and pages in a folder, tests left out. */
function* sourcesBelow(folder: URL): Generator<URL> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sourcesBelow(new URL(`${name}/`, folder));
    else if (/(?<!_test)\.(ts|js|html)$/.test(name)) yield new URL(name, folder);
  }
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, STATIC))) {
    if (isDirectory) yield* filesBelow(`${folder}${name}/`);
    else yield `${folder}${name}`;
  }
}

const isScript = (file: string) => file.endsWith(".ts") && !file.endsWith(".d.ts");

/** Where the page that a server sends has its files. */
async function folderOf(server: Harness): Promise<string> {
  const html = await (await server.request("/demo/v2/")).text();
  const [, folder] = /src="(\/static\/[0-9a-f]{16})\/demo\/v2\/main\.ts"/.exec(html) ?? [];
  assert(folder, html.slice(0, 800));
  return folder;
}

Deno.test("serves every file in static/ uncached, and TypeScript without its types", async () => {
  await using server = new Harness();
  const folder = await folderOf(server);
  // The options of the compiler are not a file of a page.
  const files = [...filesBelow("")].filter((file) => file !== "deno.json");
  assert(files.includes("measure/flow/velocity.ts") && files.includes("demo/v2/picture/pane.ts"));
  for (const file of files) {
    const response = await server.request(`${folder}/${file}`);
    assert.equal(response.status, 200, file);
    assert.equal(response.headers.get("cache-control"), "no-store", file);
    const source = Deno.readFileSync(new URL(file, STATIC));
    if (!isScript(file)) {
      assert.deepEqual(await response.bytes(), source, file);
      continue;
    }
    assert.match(response.headers.get("content-type")!, /^text\/javascript/, file);
    const [script, typed] = [await response.text(), new TextDecoder().decode(source)];
    // Spaces take the place of types. Nothing moves but a bracket, which the arrow after a type of several lines needs.
    const [lines, sources] = [script.split("\n"), typed.split("\n")];
    assert.equal(lines.length, sources.length, file);
    for (const [row, line] of lines.entries()) {
      const isSame = [...line].every((letter, i) => letter === sources[row]![i] || /[\s;)]/.test(letter));
      assert(isSame && line.length <= sources[row]!.length, `${file}:${row + 1}`);
    }
    assert.doesNotMatch(script, /^(import type|export type|interface|export interface) /m, file);
  }
});

Deno.test("a script with a fault is refused with its file and line, until it is mended", async () => {
  const faults: Record<string, RegExp> = {
    "const a = 1;\nconst b: = 2;\n": /^"x\.ts", line 2: Unexpected token `=`/,
    "const a = 1;\n\nf(a": /^"x\.ts", line 3: /,
    "const a = 1;\nenum Kind { A }\n": /^"x\.ts", line 2: TypeScript enum is not supported/,
    "\nclass A {\n  constructor(readonly a: number) {}\n}": /^"x\.ts", line 3: TypeScript parameter property/,
  };
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    for (const [source, message] of Object.entries(faults)) {
      await Deno.writeTextFile(path, source);
      await assert.rejects(stripScript(pathToFileURL(path), "x.ts"), { constructor: ScriptFault, message });
    }
    await Deno.writeTextFile(
      path,
      "interface A {\n  a: number;\n}\nconst count: number = 1;\nconst text = `a \n`;",
    );
    const script = await stripScript(pathToFileURL(path), "x.ts");
    assert.equal(new TextDecoder().decode(script), "\n\n\nconst count         = 1;\nconst text = `a \n`;");
    assert.equal(await stripScript(pathToFileURL(path), "x.ts"), script, "made once");
    await Deno.remove(path);
    await assert.rejects(stripScript(pathToFileURL(path), "x.ts"), Deno.errors.NotFound);
  } finally {
    await Deno.remove(path).catch(() => {});
  }
});

Deno.test("pages name no script, style or picture by an address that changes with a restart", async () => {
  await using server = new Harness();
  const folder = await folderOf(server);
  for (const page of ["/demo/v2/", "/docs"]) {
    const response = await server.request(page);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const named = [...(await response.text()).matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)]
      .map(([, path]) => path!).filter((path) => !path.startsWith("data:"));
    assert(named.length >= 3, page);
    for (const path of named) {
      assert(path.startsWith(`${folder}/`), path);
      const { status, body } = await server.request(path);
      assert.equal(status, 200, path);
      await body?.cancel();
    }
  }
  for (
    const path of ["/demo/v2/main.ts", "/measure/velocity.ts", "/static/0123456789abcdef/demo/v2/main.ts"]
  ) {
    assert.equal((await server.request(path)).status, 404, path);
  }
});

/** A page of the manual as it is served. */
interface ServedPage {
  /** Of its headings. */
  readonly ids: string[];
  readonly links: string[];
  readonly pictures: string[];
  readonly html: string;
}

async function manualAt(server: Harness, path: string): Promise<ServedPage> {
  const response = await server.request(path);
  const html = await response.text();
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get("content-type")!, /^text\/html/, path);
  // Markdown that was not understood would show.
  assert.doesNotMatch(html.replaceAll(/<(code|pre)>.*?<\/\1>/gs, ""), /\]\(|\*\*|```|^#|^\|/m, path);
  return {
    ids: [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!),
    links: [...html.matchAll(/<a (?:class="\w+" )?href="([^"]+)"/g)].map(([, href]) => href!),
    pictures: [...html.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!),
    html,
  };
}

Deno.test("serves every page of the manual, and every link in it leads to a section or a file", async () => {
  await using server = new Harness();
  const ids = new Map<string, string[]>();
  const links: [page: string, url: URL][] = [];
  const files = new Set<string>();
  const open = ["/README.md"];
  for (const path of open) {
    const page = await manualAt(server, path);
    ids.set(path, page.ids);
    for (const link of page.links) {
      const url = new URL(link, `http://127.0.0.1${path}`);
      if (url.hostname !== "127.0.0.1") continue;
      if (!url.pathname.endsWith(".md")) {
        files.add(url.pathname);
        continue;
      }
      links.push([path, url]);
      if (!open.includes(url.pathname)) open.push(url.pathname);
    }
  }
  const all = [...Deno.readDirSync(DOCS)].flatMap(({ name, isDirectory }) =>
    name === "images"
      ? []
      : isDirectory
      ? [...Deno.readDirSync(new URL(`${name}/`, DOCS))].map((page) => `/docs/${name}/${page.name}`)
      : [`/docs/${name}`]
  );
  const atTop = ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"].map((name) => `/${name}.md`);
  assert.deepEqual(open.toSorted(), [...atTop, ...all].toSorted());
  assert(files.has("/LICENSE") && files.has("/examples/python/walk_through.py"), [...files].join(" "));
  for (const path of files) {
    const { status, headers, body } = await server.request(path);
    assert.match(`${status}`, /^(200|302)$/, path);
    if (/\.(py|ijm|js|ts|html|cff)$|LICENSE$/.test(path)) {
      assert.equal(headers.get("content-type"), "text/plain; charset=utf-8", path);
    }
    await body?.cancel();
  }
  const dead = links.filter(([, { pathname, hash }]) =>
    hash !== "" && !ids.get(pathname)!.includes(decodeURIComponent(hash.slice(1)))
  );
  assert.deepEqual(dead.map(([page, url]) => `${page}: ${url.pathname}${url.hash}`), []);
  const others = ["/docs/none.md", "/docs/images/none.png", "/docs/images", "/deno.json", "/main.ts"];
  for (const path of [...others, "/examples/line_scan.oir", "/examples/python/none.py", "/docs/../main.ts"]) {
    assert.equal((await server.request(path)).status, 404, path);
  }
});

Deno.test("the manual shows the pictures of its pages, and links as the Markdown in the repository", async () => {
  await using server = new Harness();
  const shown = new Set<string>();
  for (const path of Object.values(PAGE_GROUPS).flat()) {
    const markdown = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    const page = await manualAt(server, `/${path}`);
    assert.deepEqual(
      page.pictures,
      [...markdown.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, source]) => source!),
      path,
    );
    for (const source of page.pictures) {
      const { pathname } = new URL(source, `http://127.0.0.1/${path}`);
      const response = await server.request(pathname);
      const isMoving = pathname.endsWith(".webp");
      assert.equal(response.headers.get("content-type"), isMoving ? "image/webp" : "image/png", pathname);
      const view = new DataView(await response.arrayBuffer());
      // The chunk `VP8X` of a moving picture has both less one in 24 bits each.
      const [width, height] = isMoving
        ? [view.getUint16(24, true) + 1, view.getUint16(27, true) + 1]
        : [view.getUint32(16), view.getUint32(20)];
      const size = `width="${width}" height="${height}"`;
      assert(page.html.includes(`${size} loading="lazy"`), `${path} reserves room for ${source}`);
      shown.add(pathname.slice("/docs/images/".length));
    }
    // Scripts and styles are files, as the policy of the page demands.
    assert.doesNotMatch(page.html, /<style|<script>|<script [^>]*>[^<]| (style|on\w+)="/, path);
  }
  assert.deepEqual(
    [...shown].sort(),
    [...Deno.readDirSync(new URL("images/", DOCS))].map(({ name }) => name).sort(),
  );
});

Deno.test("the manual lists pages and sections, frames code and keeps numbers on a line", () => {
  const markdown = `# Title

## Some \`code\` and [a link](install.md)

### ΔF/F₀

## Third

\`\`\`sh
echo "<&>"
\`\`\`

| size | rate | text |
| --- | --- | --- |
| 2 x 2048 x 2048, 64 MiB | 5.6 to 7.8 | takes 5 ms |
| -0.0 ± 0.5 % | 17 µm | 3 of 4 |

[code](../readers/) ![A picture](images/a.png)
`;
  const html = renderManualPage({
    markdown,
    path: "docs/measure.md",
    files: "/files",
    titleOf: (page) => page === "docs/measure.md" ? "Measuring" : page,
    sizeOf: (path) => path === "docs/images/a.png" ? [12, 34] : null,
  });
  const parts = [
    "<title>Title – acq-server</title>",
    '<li><a href="/docs/measure.md" aria-current="page">Measuring</a></li>',
    '<li class="depth-2"><a href="#some-code-and-a-link">Some <code>code</code> and a link</a></li>',
    '<li class="depth-3"><a href="#δff₀">ΔF/F₀</a></li>',
    '<h2 id="third">Third<a class="anchor" href="#third" aria-label="Link to this section"></a></h2>',
    '<div class="code"><pre tabindex="0"><code>echo &quot;&lt;&amp;>&quot;\n</code></pre></div>',
    '<td>2&nbsp;x&nbsp;2048&nbsp;x&nbsp;2048, 64&nbsp;MiB</td><td class="number">5.6 to 7.8</td><td>takes 5&nbsp;ms</td>',
    '<td class="number">-0.0 ± 0.5&nbsp;%</td><td class="number">17&nbsp;µm</td>',
    '<p>code <a class="picture" href="images/a.png"><img src="images/a.png" alt="A picture" width="12" height="34" loading="lazy"></a></p>',
  ];
  for (const part of parts) assert(html.includes(part), `${part}\n${html.slice(html.indexOf("<main"))}`);
});

Deno.test("messages, help texts and the client name sections of the manual that exist", async () => {
  await using server = new Harness();
  const named = new Map<string, string>();
  for (const folder of ["cli", "readers", "routes", "session", "static"]) {
    for (const file of sourcesBelow(new URL(`../../${folder}/`, import.meta.url))) {
      const text = Deno.readTextFileSync(file).replaceAll(/^ *(\/\/|\/?\*).*$/gm, "");
      for (const [section] of text.matchAll(/(?:README|docs\/[\w/-]+)\.md(?:#[\w-]+)?/g)) {
        named.set(section, file.pathname);
      }
    }
  }
  assert(named.size > 10, [...named.keys()].join(" "));
  for (const [section, file] of named) {
    const [page, id] = section.split("#");
    const { ids } = await manualAt(server, `/${page}`);
    if (id !== undefined) assert(ids.includes(id), `${section} in ${file}`);
  }
});

Deno.test("the script of a service worker removes it, at any address", async () => {
  await using server = new Harness();
  for (const path of ["/sw.js", "/demo/v2/worker.js", "/api/v2/health"]) {
    const response = await server.request(path, { headers: { "service-worker": "script" } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type")!, /^text\/javascript/);
    assert.match(await response.text(), /registration\.unregister\(\)/);
  }
});

Deno.test("the client for Python is the file of the examples", async () => {
  await using server = new Harness();
  const response = await server.request("/client/v2/acq_client.py");
  assert.match(response.headers.get("content-type")!, /^text\/x-python/);
  assert.equal(
    await response.text(),
    Deno.readTextFileSync(new URL("../../examples/python/acq_client.py", import.meta.url)),
  );
});

Deno.test("no path leads out of the folders of pages", async () => {
  await using server = new Harness();
  const base = await folderOf(server);
  const below = ["/demo/v2", "/demo/v2/picture", "/client/v2", "/measure", "/docs"];
  for (const folder of ["/client/v2", "/docs", "/docs/formats", ...below.map((path) => `${base}${path}`)]) {
    const up = folder.split("/").map(() => "..");
    for (const slash of ["%2f", "%5c", "/%2f", "%252f"]) {
      const path = `${folder}/${up.join(slash)}${slash}deno.json`;
      assert.equal((await server.request(path)).status, 404, path);
    }
    for (
      const path of [`${folder}/${up.join("%2f")}/deno.json`, `${folder}/none/deno.json`, `${folder}/%00.js`]
    ) {
      assert.equal((await server.request(path)).status, 404, path);
    }
  }
});
