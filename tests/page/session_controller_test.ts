/** The session controller against the real server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../../static/client/v2/acq-client.ts";
import { SessionController } from "../../static/demo/v2/opening/session_controller.ts";
import { resolveRoots } from "../../session/source_path.ts";
import { Harness, type HarnessOptions, leftDialog } from "../contract/harness.ts";
import { until } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";

const SERIES = fileURLToPath(new URL("../../examples/time_series.ome.tif", import.meta.url));
const SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));
const START = { t: 0, z: 0, l: 0 };

type Recall = ConstructorParameters<typeof SessionController>[0];

const TYPES = ["opening", "opened", "loaded", "failed", "cancelled", "idle", "renewed", "lost"];

/** A controller whose events are written down. */
async function withController(
  work: (tools: {
    controller: SessionController;
    server: Harness;
    /** What was emitted since the last look; `failed` with its code. */
    heard: () => string[];
    // deno-lint-ignore no-explicit-any
    last: (type: string) => any;
    /** Milliseconds that the controller waited; its clock stands still. */
    slept: number[];
  }) => Promise<void>,
  options: HarnessOptions = {},
  recall: Recall = () => Promise.resolve(null),
): Promise<void> {
  await using server = new Harness(options);
  await using socket = server.listen();
  const slept: number[] = [];
  const clock = {
    now: () => 0,
    sleep: (milliseconds: number) => Promise.resolve(slept.push(milliseconds)),
  };
  const controller = new SessionController(recall, () => connect(socket.base), clock);
  const events: CustomEvent[] = [];
  let looked = 0;
  for (const type of TYPES) controller.addEventListener(type, (event) => events.push(event as CustomEvent));
  const heard = () => {
    const names = events.slice(looked).map(({ type, detail }) =>
      type === "failed" ? `failed ${detail.error.code}` : type
    );
    looked = events.length;
    return names;
  };
  const last = (type: string) => events.findLast((event) => event.type === type)!.detail;
  await work({ controller, server, heard, last, slept });
}

const steps = (controller: SessionController, t: number) =>
  controller.planesAt({ t }, new AbortController().signal);

Deno.test("opens a path at its position, and ends the previous session", () =>
  withController(async ({ controller, server, heard, last }) => {
    await controller.openPath(SERIES, { position: { t: 3 } });
    assert.deepEqual(heard(), ["opening", "opened", "loaded", "idle"]);
    const { source, position, work, isSample } = last("loaded");
    const titles = () => last("loaded").source.plane.axes.map(({ title }: { title: string }) => title);
    assert.deepEqual([position, work, isSample], [{ ...START, t: 3 }, null, false]);
    assert.deepEqual(source.channels[0].samples, (await steps(controller, 3))[0]);
    assert.deepEqual(titles(), ["Y", "X"]);
    // A position outside the file becomes 0.
    await controller.openPath(SERIES, { position: { t: 99, z: 4 } });
    assert.deepEqual(last("loaded").position, START);
    await controller.openPath(SCAN);
    assert.deepEqual(titles(), ["Time", "Position"]);
    assert(last("loaded").reference);
    // The end of the former session is not waited for.
    await until(() => server.store.size === 1);
  }));

Deno.test("opens at the position of earlier work, unless another position or content is requested", async () => {
  for (const isOther of [false, true]) {
    const recalled = { work: { position: { t: 2, z: 0, l: 0 } }, isOther };
    const recall = (() => Promise.resolve(recalled)) as unknown as Recall;
    await withController(
      async ({ controller, last }) => {
        await controller.openPath(SERIES);
        assert.deepEqual(last("loaded").position, isOther ? START : { ...START, t: 2 });
        assert.equal(last("loaded").work, recalled);
        await controller.openPath(SERIES, { position: { t: 3 } });
        assert.deepEqual(last("loaded").position, { ...START, t: 3 });
      },
      {},
      recall,
    );
  }
});

Deno.test("renews a session that expires soon through itself, also without paths", () =>
  withController(async ({ controller, server, heard }) => {
    await controller.pick();
    heard();
    const { sessionId } = controller.acquisition!;
    await controller.renewExpiring(60);
    assert.equal(controller.acquisition!.sessionId, sessionId);
    server.clock.move(550_000);
    await Promise.all([controller.renewExpiring(60), controller.renewExpiring(60)]);
    assert.deepEqual(heard(), ["renewed"]);
    assert.notEqual(controller.acquisition!.sessionId, sessionId);
    await until(() => server.store.size === 1);
    // Reports no failure to renew an ended session before the user needs it.
    server.clock.move(600_000);
    await controller.renewExpiring(60);
    assert.deepEqual(heard(), []);
  }, { dialogOnly: true, pick: () => Promise.resolve(SERIES) }));

Deno.test("reports a failed open and keeps the open file", () =>
  withController(async ({ controller, heard }) => {
    await controller.openPath("/nowhere/x.oir");
    assert.deepEqual(heard(), ["opening", "failed path_not_found", "idle"]);
    await controller.openPath(SERIES);
    heard();
    await controller.pick();
    assert.deepEqual(heard(), ["opening", "cancelled", "idle"]);
    await controller.openScene(7);
    assert.deepEqual(heard(), ["opening", "failed scene_out_of_range", "idle"]);
    assert.equal(controller.acquisition?.name, "time_series.ome.tif");
    assert.equal((await steps(controller, 1)).length, 1);
  }));

Deno.test("opens one acquisition at a time, which can be cancelled", () =>
  withController(
    async ({ controller, heard }) => {
      const picking = controller.pick();
      assert(controller.isOpening);
      await controller.openPath(SERIES);
      setTimeout(() => controller.cancel(), 30);
      await picking;
      assert.deepEqual(heard(), ["opening", "cancelled", "idle"]);
      assert(!controller.isOpening);
    },
    { pick: ({ signal }) => leftDialog(signal) },
  ));

Deno.test("reopens an ended session once for all callers", () =>
  withController(async ({ controller, server, heard }) => {
    await controller.openPath(SERIES);
    const before = await steps(controller, 5);
    heard();
    server.clock.move(600_000);
    const again = await Promise.all([
      steps(controller, 5),
      steps(controller, 6),
      controller.live((a) => a.state()),
    ]);
    assert.deepEqual(again[0], before);
    assert.deepEqual(heard(), ["renewed"]);
    assert.equal(server.store.size, 1);
    // A scene too.
    server.clock.move(600_000);
    await controller.openScene(1);
    assert.deepEqual(heard(), ["opening", "renewed", "opened", "loaded", "idle"]);
    assert.equal(controller.acquisition?.scene, 1);
  }));

Deno.test("opens the last of several requested scenes, and leaves no session of the others", () =>
  withController(async ({ controller, server, heard }) => {
    await controller.openPath(SERIES);
    heard();
    await Promise.all([controller.openScene(1), controller.openScene(0), controller.openScene(1)]);
    assert.equal(controller.acquisition?.scene, 1);
    const events = heard();
    assert.deepEqual([events[0], ...events.slice(-2)], ["opening", "loaded", "idle"]);
    assert(!events.includes("cancelled") && !events.includes("failed"));
    await Promise.all([controller.openScene(0), controller.cancel()]);
    assert.equal(heard().at(-2), "cancelled");
    assert.equal(controller.acquisition?.scene, 1);
    await until(() => server.store.size === 1);
  }));

Deno.test("requires the file to be chosen again without paths", () =>
  withController(async ({ controller, server, heard }) => {
    await controller.pick();
    heard();
    // Through its session another scene needs no path.
    await controller.openScene(1);
    assert.deepEqual(heard(), ["opening", "opened", "loaded", "idle"]);
    await controller.openScene(0);
    heard();
    server.clock.move(600_000);
    await assert.rejects(steps(controller, 5), { code: "session_not_found" });
    assert.deepEqual(heard(), ["lost"]);
    await controller.pick();
    assert.equal((await steps(controller, 5)).length, 1);
  }, { dialogOnly: true, pick: () => Promise.resolve(SERIES) }));

Deno.test("requires a file outside the roots to be chosen again", async () => {
  using root = temporaryFolder();
  await withController(async ({ controller, server, heard }) => {
    await controller.pick();
    heard();
    server.clock.move(600_000);
    await assert.rejects(steps(controller, 5), { code: "path_not_allowed" });
    assert.deepEqual(heard(), ["lost"]);
  }, { roots: await resolveRoots([root.path]), pick: () => Promise.resolve(SERIES) });
});

/** An ImageJ stack of frames of 5 columns and 6 rows: frame t has samples 100 t + base. */
const stack = (base: number): Uint8Array => {
  const description = "ImageJ=1.53t\nimages=4\nframes=4\nhyperstack=true\n";
  const sample = (_x: number, _y: number, _s: number, page: number) => BigInt(100 * page + base);
  return tiffBytes(grayLayout(5, 6, 16), sample, 4, [[270, 2, description]]);
};

Deno.test("reopens a changed file at most once per second", async () => {
  using folder = temporaryFolder();
  await withController(async ({ controller, heard, last, slept }) => {
    const path = join(folder.path, "stack.tif");
    await Deno.writeFile(path, stack(0));
    await controller.openPath(path);
    heard();
    await Deno.writeFile(path, stack(7));
    const [changed] = await steps(controller, 2);
    assert.equal(changed![0], 207);
    assert.deepEqual(heard(), ["renewed"]);
    assert.equal(last("renewed").why, "acquisition_changed");
    assert.deepEqual(slept, []);
    await Deno.writeFile(path, stack(9));
    assert.equal((await steps(controller, 2))[0]![0], 209);
    assert.deepEqual(slept, [1000]);
    await controller.loadAgain({ t: 3 });
    assert.deepEqual(heard(), ["renewed", "opening", "opened", "loaded", "idle"]);
    assert.equal(last("loaded").source.channels[0].samples[0], 309);
  });
});
