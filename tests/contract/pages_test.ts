/** Every file in `static/` is served under its own path, and no other file of the program. */
import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

const STATIC = new URL("../../static/", import.meta.url);

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, STATIC))) {
    if (isDirectory) yield* filesBelow(`${folder}${name}/`);
    else yield `${folder}${name}`;
  }
}

Deno.test("every file in static/ is served as it is", async () => {
  await using server = new Harness();
  const files = [...filesBelow("")];
  assert(files.includes("measure/velocity.js") && files.includes("demo/v2/picture/pane.js"));
  for (const file of files) {
    const response = await server.request(`/${file}`);
    assert.equal(response.status, 200, file);
    if (file.endsWith(".js")) assert.match(response.headers.get("content-type")!, /^text\/javascript/, file);
    assert.deepEqual(await response.bytes(), Deno.readFileSync(new URL(file, STATIC)), file);
  }
});

Deno.test("no path leads out of the folders of pages", async () => {
  await using server = new Harness();
  for (const folder of ["/demo/v2", "/demo/v2/picture", "/client/v2", "/measure", "/docs"]) {
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
