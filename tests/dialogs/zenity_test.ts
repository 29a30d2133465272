/** The real zenity on a virtual display, asked for through the whole server and used by synthetic keys. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { TINY_SAMPLES, tinyTiff } from "../fixtures/tiff_writer.ts";
import { pause } from "../deadline.ts";
import { Display } from "./display.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const ignore = Deno.build.os !== "linux";

const NAME = `a 'single' "double" $dollar ä 🔬.TIF`;

programTest(["zenity", "Xvfb", "xdotool"], {
  name: "shows a real dialog",
  ignore,
  fn: (_, t) => withDialogs(t),
});

async function withDialogs(t: Deno.TestContext): Promise<void> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const images = join(folder, "images");
  const store = join(folder, "x.ome.zarr");
  Deno.mkdirSync(images);
  Deno.mkdirSync(join(folder, "home"));
  Deno.writeFileSync(join(images, NAME), tinyTiff());
  Deno.writeFileSync(join(images, "plain.tif"), tinyTiff());
  // Would be the first row of the list, were it not for the filter.
  Deno.writeTextFileSync(join(images, "0 first.txt"), "no image");
  await writePlainStore(store, { planes: [ramp(4, 5)], rows: 4, columns: 5 });
  await using display = await Display.start();
  await using server = await ServerProcess.start(FROM_SOURCE, [], {
    DISPLAY: display.name,
    WAYLAND_DISPLAY: "",
    // Neither the locale nor the loader's path of the user's shell may matter.
    LC_ALL: "C",
    LD_LIBRARY_PATH: "/opt/environment/lib",
    // GTK keeps recent folders here.
    HOME: join(folder, "home"),
    XDG_CONFIG_HOME: join(folder, "home"),
    XDG_DATA_HOME: join(folder, "home"),
  });
  const pick = (body: unknown = {}, init: RequestInit = {}) =>
    server.post("/api/v2/pick-and-open", body, init);
  const TITLE = "Open an acquisition";

  /** Waits for the dialog of a request; an answer that comes before it says what went wrong. */
  const shown = (answer: Promise<unknown>) =>
    Promise.race([
      display.focus(TITLE),
      answer.then((early): never => assert.fail(`no dialog, but ${JSON.stringify(early)}`)),
    ]);

  /** Asks, works the dialog and ends with a key; where keys got lost, once more with more time. */
  const use = async (
    key: string,
    work: () => Promise<unknown>,
    body: unknown = {},
    init: RequestInit = {},
  ) => {
    for (display.pace = 1; display.pace <= 8; display.pace *= 2) {
      const client = new AbortController();
      const answer = pick(body, { ...init, signal: client.signal });
      const title = await shown(answer);
      await work();
      if (await display.press(key, answer)) return { title, ...await answer };
      client.abort();
      await answer.catch(() => {});
      await display.gone(TITLE);
    }
    throw new Error("The dialog did not answer to keys");
  };
  const nothing = () => Promise.resolve();
  await t.step("returns a name with spaces, quotes, umlauts and emoji; the filter ignores case", async () => {
    const { title, status, body } = await use("Return", async () => {
      // Enters the folder, which marks its first row.
      await display.locate(images + "/");
      await display.xdotool("key", "Return");
      await pause(700 * display.pace);
    });
    assert.equal(title, TITLE);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.ok, (body.source as { path: string }).path], [true, join(images, NAME)]);
    const plane = await fetch(
      server.baseUrl + (body.channels as [{ dataUrl: string }])[0].dataUrl,
    );
    assert.deepEqual(
      new Float32Array(await plane.arrayBuffer()),
      new Float32Array(TINY_SAMPLES),
    );
  });

  await t.step("the next dialog starts in the same folder and names a foreign page", async () => {
    const asked = { extensions: [".tif"] };
    const init = { headers: { Origin: "https://plots.example" } };
    const { title, body } = await use("Return", () => display.locate("plain.tif"), asked, init);
    assert.equal(title, `${TITLE} for https://plots.example`);
    assert.equal((body.source as { path?: string } | undefined)?.path, join(images, "plain.tif"));
  });

  await t.step("cancel", async () => {
    const { status, body } = await use("Escape", nothing);
    assert.deepEqual([status, body.ok, body.error], [200, false, "cancelled"]);
  });

  await t.step(
    "rejects another page, replaces the own dialog, and ends that of a client that leaves",
    async () => {
      const client = new AbortController();
      const first = pick();
      await shown(first);
      const second = await pick({}, { headers: { Origin: "https://plots.example" } });
      assert.deepEqual([second.status, second.body.error], [409, "dialog_busy"]);
      const answer = pick({}, { signal: client.signal });
      assert.deepEqual((await first).body.error, "cancelled");
      await shown(answer);
      assert.equal((await display.titles()).filter((title) => title.startsWith(TITLE)).length, 1);
      client.abort();
      await assert.rejects(answer, { name: "AbortError" });
      await display.gone(TITLE);
    },
  );

  await t.step("chooses a directory store in a panel for folders", async () => {
    // Return would enter the folder, the button takes it.
    const { body } = await use("alt+o", () => display.locate(store), { extensions: [".ome.zarr"] });
    assert.equal((body.source as { path?: string } | undefined)?.path, store, JSON.stringify(body));
  });

  await t.step("the server stops while a dialog is open", async () => {
    const answer = pick().then(({ body }) => body.error, () => "cut");
    await shown(answer);
    await server.stop();
    await display.gone(TITLE);
    assert.match(String(await answer), /^(shutting_down|cut)$/);
  });
}

programTest(["zenity"], { name: "no display", ignore, fn: withoutDisplay });

async function withoutDisplay(): Promise<void> {
  for (
    const [display, message] of [["", /neither DISPLAY nor WAYLAND_DISPLAY/], [
      ":9999",
      /cannot open the display/,
    ]] as const
  ) {
    await using server = await ServerProcess.start(FROM_SOURCE, [], {
      DISPLAY: display,
      WAYLAND_DISPLAY: "",
    });
    const { status, body } = await server.post("/api/v2/pick-and-open", {});
    assert.deepEqual([status, body.error], [501, "dialog_unavailable"]);
    assert.match(String(body.message), message);
    assert.match(String(body.message), /POST \/api\/v2\/open/);
  }
}
