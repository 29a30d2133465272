/** The files of pages: where they are served, that no cache keeps them, and that no other file of the program is. */
import assert from "node:assert/strict";
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

/** Where the page that a server sends has its files. */
async function folderOf(server: Harness): Promise<string> {
  const html = await (await server.request("/demo/v2/")).text();
  const [, folder] = /src="(\/static\/[0-9a-f]{16})\/demo\/v2\/main\.js"/.exec(html) ?? [];
  assert(folder, html.slice(0, 800));
  return folder;
}

Deno.test("serves every file in static/ unchanged and uncached", async () => {
  await using server = new Harness();
  const folder = await folderOf(server);
  const files = [...filesBelow("")];
  assert(files.includes("measure/velocity.js") && files.includes("demo/v2/picture/pane.js"));
  for (const file of files) {
    const response = await server.request(`${folder}/${file}`);
    assert.equal(response.status, 200, file);
    assert.equal(response.headers.get("cache-control"), "no-store", file);
    if (file.endsWith(".js")) assert.match(response.headers.get("content-type")!, /^text\/javascript/, file);
    assert.deepEqual(await response.bytes(), Deno.readFileSync(new URL(file, STATIC)), file);
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
    const path of ["/demo/v2/main.js", "/measure/velocity.js", "/static/0123456789abcdef/demo/v2/main.js"]
  ) {
    assert.equal((await server.request(path)).status, 404, path);
  }
});

/** Ids of the headings of a page of the manual, and where its links lead. */
async function manualAt(server: Harness, path: string): Promise<{ ids: string[]; links: string[] }> {
  const response = await server.request(path);
  const html = await response.text();
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get("content-type")!, /^text\/html/, path);
  // Markdown that was not understood would show.
  assert.doesNotMatch(html.replaceAll(/<(code|pre)>.*?<\/\1>/gs, ""), /\]\(|\*\*|```|^#|^\|/m, path);
  return {
    ids: [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!),
    links: [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href!),
  };
}

Deno.test("serves every page of the manual, and every link in it leads to a section", async () => {
  await using server = new Harness();
  const ids = new Map<string, string[]>();
  const links: [page: string, url: URL][] = [];
  const open = ["/README.md"];
  for (const path of open) {
    const page = await manualAt(server, path);
    ids.set(path, page.ids);
    for (const link of page.links) {
      const url = new URL(link, `http://127.0.0.1${path}`);
      if (url.hostname !== "127.0.0.1" || !url.pathname.endsWith(".md")) continue;
      links.push([path, url]);
      if (!open.includes(url.pathname)) open.push(url.pathname);
    }
  }
  const all = [...Deno.readDirSync(DOCS)].flatMap(({ name, isDirectory }) =>
    name === "developers" || name === "images"
      ? []
      : isDirectory
      ? [...Deno.readDirSync(new URL(`${name}/`, DOCS))].map((page) => `/docs/${name}/${page.name}`)
      : [`/docs/${name}`]
  );
  assert.deepEqual(open.toSorted(), ["/README.md", ...all].toSorted());
  const dead = links.filter(([, { pathname, hash }]) =>
    hash !== "" && !ids.get(pathname)!.includes(decodeURIComponent(hash.slice(1)))
  );
  assert.deepEqual(dead.map(([page, url]) => `${page}: ${url.pathname}${url.hash}`), []);
  for (
    const path of [
      "/docs/developers/releases.md",
      "/docs/none.md",
      "/CONTRIBUTING.md",
      "/docs/images/dialog.png",
    ]
  ) {
    assert.equal((await server.request(path)).status, 404, path);
  }
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
