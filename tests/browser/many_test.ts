/** Regions and settings for the next recording, and for all recordings of a folder. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROW_DIGITS } from "../../static/measure/recording.ts";
import { validatePath } from "../../cli/verdict.ts";
import { Viewer } from "./viewer.ts";
import { forgetStatus } from "./in_page.js";
import { floatTiff } from "./line_scan.ts";
import { measuredScan, SCAN_SHAPE, scanPlanes } from "./measured_scan.ts";
import { IMAGES, measuredStack, SPOT_LINE } from "./measured_stack.ts";
import { rowsOf } from "./saved_table.ts";
import { streaks } from "./streaks.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

/** Half of the measured scan: cells that move, and an event. */
const EXAMPLE = measuredScan(SCAN_SHAPE[1], scanPlanes(), SCAN_SHAPE[0] / 2);

const nameOf = (number: number) => `scan_${String(number).padStart(2, "0")}.oir`;

/** A folder of line scans of equal samples; bytes after the end make their contents differ. */
function writeScans(
  { server }: Viewer,
  folder: string,
  count: number,
  bytes: Uint8Array = EXAMPLE,
): (number: number) => string {
  const at = (number: number) => join(server.folder, folder, nameOf(number));
  Deno.mkdirSync(join(server.folder, folder));
  for (let number = 1; number <= count; number += 1) {
    Deno.writeFileSync(at(number), bytes);
    Deno.writeFileSync(at(number), new Uint8Array(number), { append: true });
  }
  return at;
}

/** Draws two bands, finds events in the first and measures velocities in it. */
async function measureOne(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  await viewer.draw("band", [0.4, 0.2], [0.45, 0.5]);
  await viewer.dragOver("source", [0.4, 0.6], [0.45, 0.9]);
  await page.click("#tool-zoom");
  await viewer.unfold("velocity");
  await page.selectOption("#velocity-band", { label: "Band 1" });
  await viewer.measureVelocities();
  await viewer.findEvents("1");
  await viewer.kept();
}

/** Runs over all recordings; answers the columns of the table. */
async function measureAll(viewer: Viewer) {
  const { page } = viewer;
  await viewer.unfold("many");
  await page.click("#many-start");
  await page.locator("#many-csv").waitFor();
  return (await viewer.table("#many-csv")).column;
}

const bands = ({ page }: Viewer) => page.locator("#measure-bands .name").allTextContents();

test("measures all recordings of a folder with the numbers of a single one", async (viewer, page) => {
  const at = writeScans(viewer, "all", 4);
  Deno.writeFileSync(join(viewer.server.folder, "all", "scan_05.oir"), EXAMPLE.subarray(0, 9000));
  await viewer.openPath(at(2));
  await measureOne(viewer);
  const velocities = await viewer.table("#csv-velocity");
  const events = await viewer.table("#csv-events");
  const column = await measureAll(viewer);
  assert.deepEqual(column("Recording"), [1, 1, 2, 2, 3, 3, 4, 4, 5].map(nameOf));
  assert.deepEqual(column("Band").slice(0, 2), ["Band 1", "Band 2"]);
  assert.match(column("Error").at(-1)!, /truncated|ends|cut|damaged/i);
  const numbers = velocities.rows.map((row) => Number(row[1] || NaN)).filter(Number.isFinite);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  for (const first of [0, 2, 4, 6]) {
    assert.equal(Number(column("Mean velocity (um/s)")[first]), Number(mean.toPrecision(ROW_DIGITS)));
    assert.equal(Number(column("With a velocity")[first]), numbers.length);
    assert.equal(Number(column("Events")[first]), events.rows.length);
  }
  assert.equal(
    await page.locator("#measure-many .result[role=status]").last().innerText(),
    "4 of 5 measured · 1 failed: the table says why",
  );
  const words = await page.locator("#recording-list .words").allTextContents();
  assert.equal(new Set(words.slice(0, 4)).size, 1, words.join("; "));
  // The work appears as if drawn by hand.
  await page.click("#recording-next");
  await viewer.shows(nameOf(3));
  assert.deepEqual(await bands(viewer), ["Band 1", "Band 2"]);
  assert.deepEqual(rowsOf(await viewer.table("#csv-velocity")), velocities.rows);
  assert.deepEqual(rowsOf(await viewer.table("#csv-events")), events.rows);
  // What the damaged file was answered with.
  viewer.faults.length = 0;
});

test("measures recordings with their own work, or leaves them out", async (viewer, page) => {
  const at = writeScans(viewer, "own", 3);
  await viewer.openPath(at(3));
  await viewer.draw("band", [0.4, 0.5], [0.45, 0.8]);
  await page.fill("#shape-name", "Mine");
  await viewer.kept();
  await page.locator(".recording", { hasText: nameOf(1) }).click();
  await viewer.shows(nameOf(1));
  await page.check("#accepted");
  await viewer.kept();
  await page.click("#recording-next");
  await viewer.shows(nameOf(2));
  await measureOne(viewer);
  const column = await measureAll(viewer);
  assert.deepEqual(column("Band"), ["Band 1", "Band 2", "Band 1", "Band 2", "Mine"]);
  assert.deepEqual(column("Regions").slice(1), ["of scan_02.oir", "its own", "its own", "its own"]);
  assert.equal(new Set(column("Threshold")).size, 1, "settings are those of the open recording");
  const words = () => page.locator("#recording-list .words").allTextContents();
  assert.match((await words())[0]!, /^[\d.]+, [\d.]+ µm\/s · \d+, \d+ events · accepted$/);
  assert.deepEqual((await words())[2], "1 band");
  await page.selectOption("#many-own", "skip");
  const others = await measureAll(viewer);
  assert.deepEqual(others("Band"), ["", "Band 1", "Band 2", ""]);
  assert.deepEqual(others("Error").at(-1), "Left out: it has work of its own");
  await page.click("#recording-next");
  await viewer.shows(nameOf(3));
  assert.deepEqual(await bands(viewer), ["Mine"]);
});

test("carries regions and settings to the next recording in one step", async (viewer, page) => {
  const at = writeScans(viewer, "next", 3);
  await viewer.openPath(at(1));
  await measureOne(viewer);
  await viewer.enter("#velocity-window", "60");
  await viewer.unfold("many");
  await page.click("#use-next");
  await viewer.shows(nameOf(2));
  assert.match(await viewer.text("#notice-text"), /^Regions and settings of scan_01\.oir/);
  assert.deepEqual(await bands(viewer), ["Band 1", "Band 2"]);
  assert.equal(await page.inputValue("#velocity-window"), "60");
  assert.equal(await page.locator("#drawer-events tbody tr").count(), 0);
  await page.click("#undo");
  assert.deepEqual(await bands(viewer), []);
  assert(await page.locator("#undo").isDisabled());
  await page.click("#redo");
  assert.deepEqual(await bands(viewer), ["Band 1", "Band 2"]);
  await viewer.kept();
  // They are used up.
  await page.click("#recording-next");
  await viewer.shows(nameOf(3));
  assert.deepEqual(await bands(viewer), []);
});

test(
  "carries a kymograph with its bands, and makes it of the images of the next recording",
  async (viewer, page) => {
    const at = writeScans(viewer, "series", 0);
    const paths = [1, 2].map((number) => at(number).replace(".oir", ".ome.tif"));
    for (const [number, path] of paths.entries()) {
      await Deno.writeFile(path, measuredStack());
      await Deno.writeFile(path, new Uint8Array(1 + number), { append: true });
    }
    await viewer.openPath(paths[0]!);
    await viewer.draw("line", ...SPOT_LINE);
    await viewer.makeKymograph();
    await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
    const { text } = await viewer.saved("#csv-traces");
    await viewer.unfold("many");
    await page.click("#use-next");
    await viewer.shows("scan_02.ome.tif");
    await viewer.says("#notice-text", "are used here, and its kymograph is made.");
    await viewer.says("#measure-kymograph [role=status]", `${IMAGES} of ${IMAGES} images`);
    assert.equal(await viewer.text("#source h2"), "Line scan");
    assert.deepEqual(await bands(viewer), ["Band 1"]);
    const values = (of: string) => of.split("\n").filter((row) => /^[\d.]+,/.test(row));
    assert.deepEqual(values((await viewer.saved("#csv-traces")).text), values(text), "of equal images");
  },
);

test("a band too narrow for velocities has events and says so", async (viewer, page) => {
  const at = writeScans(viewer, "narrow", 2);
  await viewer.openPath(at(1));
  await viewer.draw("band", [0.4, 0.5], [0.45, 0.53]);
  await page.click("#tool-zoom");
  await viewer.unfold("velocity");
  await page.selectOption("#velocity-band", { label: "Band 1" });
  await viewer.unfold("events");
  await page.selectOption("#events-channel", "1");
  await viewer.unfold("many");
  await page.check("#many-events");
  const column = await measureAll(viewer);
  for (const why of column("Not measured")) assert.match(why, /at least 6 columns/);
  for (const events of column("Events")) assert.match(events, /^\d+$/);
  assert.match(await viewer.text("#measure-many"), /2 of 2 measured\n/);
  const words = page.locator("#recording-list .words").first();
  await words.filter({ hasText: /^\d+ events?$/ }).waitFor();
  await page.click("#undo");
  await words.filter({ hasText: /^1 band$/ }).waitFor();
  assert.deepEqual(await bands(viewer), ["Band 1"]);
});

test("cancels a run and keeps what it measured", async (viewer, page) => {
  const at = writeScans(viewer, "cancel", 12);
  await viewer.openPath(at(1));
  await measureOne(viewer);
  await viewer.unfold("many");
  viewer.requests.length = 0;
  await page.click("#many-start");
  await page.locator("#measure-many .hint", { hasText: "6 of 12" }).waitFor();
  await page.click("#many-start");
  await page.locator("#many-csv").waitFor();
  assert.match(await viewer.text("#measure-many"), /Cancelled: [56] of 12 measured/);
  await viewer.settle();
  // One session at a time, and none is left.
  const sessions = viewer.requests.filter((request) => /^POST .*open$|^DELETE /.test(request));
  assert.match(sessions.map((request) => request[0]).join(""), /^(PD)+$/);
});

test("measures the members of a collection like files", async (viewer, page) => {
  const at = writeScans(viewer, "members", 3);
  await viewer.openArchive(
    "mice",
    [1, 2, 3].map((number) => ({ path: at(number), name: `Mouse ${number}` })),
  );
  await viewer.shows("mice.zip");
  await measureOne(viewer);
  const velocities = await viewer.table("#csv-velocity");
  await viewer.unfold("many");
  await page.selectOption("#many-group", "file");
  const column = await measureAll(viewer);
  assert.deepEqual(column("Scene").filter((_, i) => i % 2 === 0), ["Mouse 1", "Mouse 2", "Mouse 3"]);
  assert.deepEqual(column("Error"), ["", "", "", "", "", ""]);
  const [first] = column("With a velocity");
  assert.equal(Number(first), velocities.rows.filter((row) => row[1] !== "").length);
  assert.deepEqual(column("With a velocity").filter((_, i) => i % 2 === 0), [first, first, first]);
  await page.selectOption("#scene", "2");
  await viewer.ended();
  await viewer.bands.nth(1).waitFor();
  assert.deepEqual(rowsOf(await viewer.table("#csv-velocity")), velocities.rows);
});

test("applies typed line times to all images as line scans", async (viewer, page) => {
  const folder = join(viewer.server.folder, "typed");
  const [lines, columns] = [300, 40];
  for (const seed of [1, 2]) {
    const moving = streaks({ lines, columns, velocity: 0.8, noise: 0.3, seed });
    const samples = Array.from(moving, (value) => 10 * value);
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeFileSync(join(folder, `scan_0${seed}.tif`), floatTiff(lines, columns, samples));
  }
  await viewer.openPath(join(folder, "scan_01.tif"));
  await viewer.treatAsLineScan();
  await viewer.measureVelocities();
  await viewer.kept();
  const column = await measureAll(viewer);
  assert.deepEqual(column("Calibration"), ["typed", "typed"]);
  // 0.8 px of 0.5 µm in 2 ms.
  for (const mean of column("Mean velocity (um/s)")) assert(Math.abs(Number(mean) / 200 - 1) < 0.03, mean);
  await page.click("#recording-next");
  await viewer.shows("scan_02.tif");
  assert.equal(await viewer.text("#source h2"), "Line scan");
});

test("an archive of all recordings is valid, and each member has its numbers", async (viewer, page) => {
  const at = writeScans(viewer, "archive", 3);
  await viewer.openPath(at(1));
  await measureOne(viewer);
  await page.check("#accepted");
  await viewer.kept();
  const found = async (of: Viewer) => [
    rowsOf(await of.table("#csv-velocity")),
    rowsOf(await of.table("#csv-events")),
  ];
  const wanted = await found(viewer);
  await measureAll(viewer);
  const sessions: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/v2/export")) sessions.push(request.headers()["x-acq-session"]);
  });
  const paths = [];
  for (const images of ["none", "all"]) {
    await page.selectOption("#many-images", images);
    const download = await viewer.download("#many-archive");
    assert.match(download.suggestedFilename(), /^archive.*\.zip$/);
    const path = join(viewer.server.folder, `many_${images}.zip`);
    await download.saveAs(path);
    const { problems, unreadable } = await validatePath(path);
    assert.deepEqual([problems, unreadable], [[], null]);
    paths.push(path);
  }
  // With a session, measurements may take more than a megabyte.
  for (const session of sessions) assert.match(session ?? "", /^[0-9a-f]{32}$/);
  await using other = await Viewer.load(page.context().browser()!, viewer.server);
  await other.openPath(paths[1]!);
  for (const scene of ["0", "1", "2"]) {
    if (scene !== "0") {
      await other.page.evaluate(forgetStatus);
      await other.page.selectOption("#scene", scene);
    }
    await other.ended();
    await other.bands.nth(1).waitFor();
    assert.equal(await other.page.isChecked("#accepted"), scene === "0");
    assert.deepEqual(await found(other), wanted, scene);
  }
  // One file of measurements has those of each recording.
  await using third = await Viewer.load(page.context().browser()!, viewer.server);
  await third.openPath(at(2));
  await third.page.setInputFiles("#restore-file", paths[0]!);
  await third.bands.nth(1).waitFor();
  assert.deepEqual(rowsOf(await third.table("#csv-velocity")), wanted[0]);
  assert.deepEqual([...other.faults, ...third.faults], []);
});

test("measures the image series of a folder with the drawings of one", async (viewer, page) => {
  const at = (name: string) => join(viewer.server.folder, "stacks", name);
  Deno.mkdirSync(join(viewer.server.folder, "stacks"));
  for (const [i, name] of ["one.ome.tif", "two.ome.tif"].entries()) {
    Deno.writeFileSync(at(name), new Uint8Array([...measuredStack(), ...new Uint8Array(i)]));
  }
  await viewer.openPath(at("one.ome.tif"));
  await viewer.draw("line", ...SPOT_LINE);
  await viewer.draw("rectangle", [0.2, 0.4], [0.6, 0.6]);
  await viewer.unfold("images");
  await page.selectOption("#image-part", { label: "Rectangle 1" });
  await page.click("#image-means");
  const hasMeans = page.locator("#measure-images .result", { hasText: `${IMAGES} images` });
  await hasMeans.waitFor();
  const curve = (await viewer.table("#csv-images")).rows.map((row) => Number(row[1]));
  await viewer.unfold("events");
  await page.selectOption("#events-chosen", { label: "halfway to the maximum" });
  await page.click("#events-start");
  const peak = page.locator("#drawer-events .items tbody tr");
  await peak.first().waitFor();
  const peaks = await peak.count();
  await page.click("#image-project");
  await page.locator("#image-back").waitFor();
  const regions = await viewer.table("#csv-regions");
  const projected = regions.rows.map((row) => Number(row[regions.head!.indexOf("Mean")]));
  await viewer.kept();

  const column = await measureAll(viewer);
  const parts = ["whole image", "the line", "Rectangle 1"];
  assert.deepEqual(column("Region"), [...parts, ...parts]);
  assert.deepEqual(column("Error"), Array(6).fill(""));
  const mean = curve.reduce((sum, value) => sum + value, 0) / IMAGES;
  for (const [i, value] of column("Mean").entries()) {
    if (i % 3 === 2) assert(Math.abs(Number(value) - mean) < 1e-9, `${value}, not ${mean}`);
  }
  assert.deepEqual(column("Mean of the projection").map(Number), [...projected, ...projected]);
  const events = ["", "", String(peaks)];
  assert.deepEqual(column("Events"), [...events, ...events]);
  const value = page.locator("#drawer-recordings select").first();
  const values = await value.locator("option").allTextContents();
  assert(values.includes("Events: Amplitude") && values.includes("Images: Mean"), values.join(", "));
  await value.selectOption({ label: "Events: Amplitude" });
  const compared = page.locator("#drawer-recordings table").last();
  assert.deepEqual(await compared.locator("th").allTextContents().then((heads) => heads.slice(0, 3)), [
    "Recording",
    "Folder",
    "Region",
  ]);
  assert.deepEqual(await compared.locator("tbody tr").count(), 2);

  await page.click("#recording-next");
  await viewer.shows("two.ome.tif");
  await page.locator("#image-back:not([hidden])").waitFor({ state: "attached" });
  assert.deepEqual((await viewer.table("#csv-images")).rows.map((row) => Number(row[1])), curve);
  assert.deepEqual((await viewer.table("#csv-regions")).rows, regions.rows);
  assert.equal(await peak.count(), peaks);
});

test("lists the first rows of many recordings, and the rest on demand", async (viewer, page) => {
  await viewer.openScan();
  await page.evaluate(`(async () => {
    const main = document.querySelector("script[type=module]").src;
    const { RecordingsView } = await import(new URL("many/recordings_view.ts", main));
    const host = document.createElement("div");
    host.id = "long";
    document.getElementById("viewer").before(host);
    const drawer = {
      view(id, title, element) {
        host.append(element);
        return { show: () => {} };
      },
    };
    const view = new RecordingsView(() => {}, drawer);
    view.show(Array.from({ length: 600 }, (_, i) => ({
      folder: "mice", recording: "scan_" + i, path: "/scan_" + i, region: "Band 1", channel: "CH1",
      measurement: "Velocity", name: "Velocity (um/s)", n: 3, mean: i, sem: 1, median: i, rest: NaN,
    })), "mice");
  })()`);
  const rows = page.locator('#long table[aria-label="By recording"] tbody tr');
  assert.equal(await rows.count(), 100);
  await page.click("#recordings-more");
  assert.equal(await rows.count(), 500);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "scan_100");
  assert.match(await viewer.text("#long"), /The first 500 rows; the saved table has all/);
});
