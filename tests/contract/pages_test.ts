/** The files of pages: where they are served, that no cache keeps them, and that no other file of the program is. */
import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

const STATIC = new URL("../../static/", import.meta.url);

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

Deno.test("every file in static/ is served unchanged and not cached", async () => {
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

Deno.test("pages name no script, style or picture at an address that another start would have", async () => {
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
  for (const folder of ["/client/v2", ...below.map((path) => `${base}${path}`)]) {
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
