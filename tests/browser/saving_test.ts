/** Measurements are saved as documents and come back with the same numbers. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { validatePath } from "../../cli/verdict.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { ZipFiles } from "../../readers/ome_zarr/zip_files.ts";
import { ramp, write, writeChunks, writePlainStore } from "../fixtures/plain_store.ts";
import { scanImageBytes } from "../fixtures/scanimage_files.ts";
import { grayLayout } from "../fixtures/tiff_writer.ts";
import { Viewer } from "./viewer.ts";
import { dropFile } from "./in_page.js";
import { SCAN_SHAPE, scanPlanes } from "./measured_scan.ts";
import { SPOT_LINE } from "./measured_stack.ts";
import { contentOf, tableOf } from "./saved_table.ts";
import { streaks } from "./streaks.ts";
import { viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

const SCAN = new URL("../../examples/line_scan.oir", import.meta.url).pathname;

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

type Json = ReturnType<typeof JSON.parse>;

/** Regions of another program: a part of the lines, and whole lines. */
const [SOMA, VESSEL] = [
  { id: "soma", start: [2, 10], stop: [9, 40] },
  { id: "v", name: "Vessel", start: [0, 0], stop: [20, 600], metadata: { by: "other" } },
].map((region) => ({
  type: "rectangle",
  coordinate_space: "primary-image-full-resolution-pixels",
  ...region,
}));

/** As many as there may be. */
const LINES = Array.from({ length: 200 }, (_, i) => ({ ...SOMA, id: `line ${i}`, type: "line" }));

const TABLES = ["traces", "velocity", "events", "lines", "cursors"];

/** Tables without name and path of the file, which the archive changes. */
async function tables(viewer: Viewer, names = TABLES): Promise<string[]> {
  const texts = [];
  for (const name of names) {
    // Chromium drops further downloads of a page after ten; lines and cursors have few settings.
    const hasSettings = !["lines", "cursors"].includes(name);
    const { text } = await viewer.saved(`#csv-${name}`);
    const settings = hasSettings ? (await viewer.saved(`#json-${name}`)).text : undefined;
    texts.push(JSON.stringify(contentOf(tableOf(text, settings))));
  }
  return texts;
}

async function openScan(viewer: Viewer): Promise<string> {
  const path = join(viewer.server.folder, `scan${crypto.randomUUID()}.oir`);
  await Deno.copyFile(SCAN, path);
  await viewer.openPath(path);
  return path;
}

/** One of each, with a removed event, a note and names. */
async function measureAll(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  await page.uncheck("#source-0-visible");
  await viewer.drawBand(30, 50);
  await viewer.drawBand(5, 12);
  await page.fill("#shape-name", "Gefäß, außen");
  await page.fill("#shape-color", "#ff0000");
  await page.check("#trace-change");
  await viewer.enter("#baseline-percentile", "12.5");
  await viewer.enter("#trace-average", "3");
  await viewer.draw("line", [0.2, 0.8], [0.41, 0.23]);
  await page.click("#tool-zoom");
  await viewer.unfold("velocity", "cursors");
  await page.selectOption("#velocity-band", { label: "Gefäß, außen" });
  await viewer.enter("#velocity-window", "80");
  await page.selectOption("#velocity-band", "");
  await viewer.measureVelocities();
  await viewer.findPeaks();
  const rows = page.locator("#drawer-events tbody tr");
  assert(await rows.count() > 0, "the example has events");
  await rows.first().locator("input").fill('a "note", NaN');
  if (await rows.count() > 1) await rows.last().locator(".act").click();
  await page.focus("#source .plot");
  for (const place of [0.31, 0.62]) {
    await viewer.hover(place, place);
    await page.keyboard.press("x");
  }
  await viewer.enter("#cursor-lines", "3");
  await page.check("#accepted");
}

/** Saves a valid archive through the dialog; answers its path. */
async function save(viewer: Viewer, what: "all" | "none"): Promise<string> {
  const { page, server } = viewer;
  await page.click("#save");
  await page.check(`#save-dialog input[value=${what}]`);
  const download = await viewer.download("#save-dialog .primary");
  const path = join(server.folder, `${what}${crypto.randomUUID()}.zip`);
  await download.saveAs(path);
  assert.equal(/ measurements\.zip$/.test(download.suggestedFilename()), what === "none");
  const { problems, unreadable } = await validatePath(path);
  assert.deepEqual([problems, unreadable], [[], null]);
  return path;
}

async function fresh(viewer: Viewer): Promise<Viewer> {
  return await Viewer.load(viewer.page.context().browser()!, viewer.server);
}

/** A line scan of ScanImage in two frames without a gap between them. */
function scanImageScan(): Uint8Array<ArrayBuffer> {
  const [lines, columns, linePeriod] = [600, 80, 0.0005];
  const samples = streaks({ lines, columns, velocity: 0.4, noise: 0.5, seed: 7 });
  return scanImageBytes({
    header: [
      "SI.VERSION_MAJOR = 2021",
      "SI.hChannels.channelSave = 1",
      "SI.hStackManager.enable = false",
      "SI.hStackManager.framesPerSlice = 2",
      "SI.hRoiManager.scanAngleMultiplierSlow = 0",
      `SI.hRoiManager.linePeriod = ${linePeriod}`,
      `SI.hRoiManager.scanFrameRate = ${2 / (lines * linePeriod)}`,
      "SI.hRoiManager.imagingFovUm = [-20 -20;20 -20;20 20;-20 20]",
      "SI.hScan2D.bidirectional = true",
    ],
    pages: 2,
    layout: grayLayout(columns, lines / 2, 16),
    stamp: (frame) => ({
      number: frame + 1,
      acquisition: 1,
      inAcquisition: frame + 1,
      seconds: frame * lines * linePeriod / 2,
    }),
    sample: (x, y, page) => Math.max(0, Math.round(10 * samples[(page * lines / 2 + y) * columns + x]!)),
  });
}

/** Line scans by their formats, with the tables of what is measured in them. */
const SCANS: Record<string, (viewer: Viewer) => Promise<string[]>> = {
  OIR: async (viewer) => {
    await openScan(viewer);
    await measureAll(viewer);
    return TABLES;
  },
  "OME-Zarr": async (viewer) => {
    const store = join(viewer.server.folder, "scan.ome.zarr");
    const axes = { y: { step: 0.002118, unit: "second" }, x: { step: 0.45, unit: "micrometer" } };
    const [rows, columns] = SCAN_SHAPE;
    await writePlainStore(store, { planes: scanPlanes(), rows, columns, ...axes });
    return await measureSome(viewer, join(store, "zarr.json"));
  },
  "ScanImage TIFF": async (viewer) => {
    const path = join(viewer.server.folder, "scanimage.tif");
    await Deno.writeFile(path, scanImageScan());
    return await measureSome(viewer, path);
  },
  "Prairie View": (viewer) =>
    measureSome(viewer, fixture("prairie/LineScan-03142018-1454-2042/LineScan-03142018-1454-2042.xml")),
  OIF: (viewer) => measureSome(viewer, fixture("oif/line_scan.oif")),
};

/** Named shapes and velocities in a scan without events. */
async function measureSome(viewer: Viewer, path: string): Promise<string[]> {
  const { page } = viewer;
  await viewer.openPath(path);
  await viewer.draw("band", [0.4, 0.3], [0.4, 0.62]);
  await page.check("#trace-change");
  await viewer.draw("line", [0.21, 0.81], [0.43, 0.27]);
  await page.fill("#shape-name", "fast");
  await page.click("#tool-zoom");
  await page.focus("#source .plot");
  for (const key of ["ArrowRight", "x"]) await page.keyboard.press(key);
  await page.fill("#shape-name", "peak");
  await viewer.measureVelocities();
  return ["traces", "velocity", "lines", "cursors"];
}

for (const [format, measure] of Object.entries(SCANS)) {
  test(`an archive is valid and brings all numbers to a fresh profile: ${format}`, async (viewer) => {
    const names = await measure(viewer);
    const read = (of: Viewer) => tables(of, names);
    const before = await read(viewer);
    for (const text of before) assert(text.length > 100);
    const accepted = await viewer.page.isChecked("#accepted");
    const archive = await save(viewer, "all");
    await using other = await fresh(viewer);
    await other.openPath(archive);
    assert.deepEqual(await read(other), before);
    assert.equal(await other.page.isChecked("#accepted"), accepted);
    assert.deepEqual(other.faults, []);
  });
}

test("restores measurements alone onto the recording, and undoes that", async (viewer) => {
  const path = await openScan(viewer);
  await measureAll(viewer);
  const before = await tables(viewer);
  const file = await save(viewer, "none");
  await using other = await fresh(viewer);
  const { page } = other;
  await other.openPath(path);
  await page.setInputFiles("#restore-file", file);
  await page.locator("#notice-text", { hasText: "Restored from" }).waitFor();
  assert.match(
    await other.text("#notice-text"),
    /: 2 bands, 1 line, \d+ velocities, \d+ events?, 2 cursors, accepted\. Undo/,
  );
  assert.deepEqual(await tables(other), before);
  await page.click("#undo");
  assert.equal(await other.bands.count(), 0);
  assert.equal(await page.isChecked("#accepted"), false);
  await page.click("#redo");
  assert.deepEqual(await tables(other), before);
  assert.deepEqual(other.faults, []);
});

async function drop({ page }: Viewer, path: string): Promise<void> {
  await page.evaluate(dropFile, { name: basename(path), bytes: [...Deno.readFileSync(path)] });
}

/** Text of the notice once it has changed. */
async function noticeAfter(viewer: Viewer, act: () => Promise<void>): Promise<string> {
  const { page } = viewer;
  if (await page.locator("#notice").isVisible()) await page.click("#notice-close");
  await act();
  await page.waitForSelector("#notice:not([hidden])");
  return await viewer.text("#notice-text");
}

/** The files of an archive in a new folder. */
function unzipped(archive: string): string {
  const folder = archive.replace(/\.zip$/, crypto.randomUUID());
  const zip = new ZipFiles(archive, new FileAccess());
  for (const name of zip.names) {
    if (name.endsWith("/")) continue;
    const file = zip.open(join(archive, name));
    write(join(folder, name), file.read(0, file.size, name));
  }
  return folder;
}

/** The document of the member of an archive. */
const documentIn = (archive: string): Json =>
  JSON.parse(Deno.readTextFileSync(join(unzipped(archive), "acqimage/1.json")));

test("a dropped file that does not fit changes nothing and says why", async (viewer, page) => {
  const path = await openScan(viewer);
  await viewer.drawBand(30, 50);
  const file = await save(viewer, "none");
  const bands = viewer.bands;
  const dropped = (path: string) => noticeAfter(viewer, () => drop(viewer, path));

  const cut = join(viewer.server.folder, "cut.zip");
  await Deno.writeFile(cut, (await Deno.readFile(file)).slice(0, -30));
  assert.equal(await dropped(cut), "cut.zip was not restored: it is cut, or no ZIP file");
  // The same image with a mark at its end is another recording.
  const other = join(viewer.server.folder, `other${crypto.randomUUID()}.oir`);
  await Deno.writeFile(other, new Uint8Array([...await Deno.readFile(path), ...new Uint8Array(16)]));
  await viewer.openPath(other);
  assert.equal(await bands.count(), 0);
  assert.match(
    await dropped(file),
    /was measured in another recording, scan.*\.oir\. Nothing was changed in other/,
  );
  assert.equal(await bands.count(), 0);
  await page.click("#notice-action");
  await bands.waitFor();
  await page.click("#undo");
  assert.equal(await bands.count(), 0);
});

test(
  "offers regions of another program, draws them up to a limit and saves them again",
  async (viewer, page) => {
    await openScan(viewer);
    await viewer.drawBand(30, 50);
    const folder = unzipped(await save(viewer, "all"));
    await viewer.openPath(folder);
    const bands = viewer.bands;
    await viewer.drawBand(5, 12);
    await viewer.reload();
    assert.equal(await bands.count(), 2);
    assert.equal(await page.locator("#notice").isVisible(), false, "the work began with the file");
    // Another program writes regions: the work did not begin with them.
    const document = join(folder, "acqimage/1.json");
    const changed = JSON.parse(Deno.readTextFileSync(document));
    Object.assign(changed, { rois: [SOMA, VESSEL, ...LINES], accepted: true });
    Deno.writeTextFileSync(document, JSON.stringify(changed));
    await viewer.reload();
    assert.match(
      await viewer.text("#notice-text"),
      /^The file has other measurements than those kept in this browser/,
    );
    assert.equal(await bands.count(), 2);
    await page.click("#notice-action");
    await page.locator("#source svg text", { hasText: "soma" }).waitFor();
    await page.click("#undo");
    assert.equal(await bands.count(), 2);
    await page.click("#redo");
    assert(await page.isChecked("#accepted"));
    assert.equal(await viewer.text("#measure-bands .name"), "Vessel");
    const title = page.locator("#source svg text", { hasText: "soma" });
    assert.equal(await title.count(), 1);
    const { rois, accepted } = documentIn(await save(viewer, "all"));
    assert.equal(accepted, true);
    const byId = (id: string) => rois.find((region: { id: string }) => region.id === id);
    assert.deepEqual(byId("soma"), SOMA);
    const { name, start, metadata } = byId("v");
    assert.deepEqual([name, start, metadata.by], ["Vessel", [0, 0], "other"]);
    await viewer.unfold("regions");
    assert.match(await viewer.text("#measure-regions"), /soma\s*rectangle\s*2, 10 to 9, 40/);
    await page.click("#measure-regions [aria-label^=Remove]");
    assert.equal(await title.count(), 0);
    await page.click("#undo");
    assert.equal(await title.count(), 1);
    // A line beyond the limit is not dropped silently.
    await viewer.unfold("lines");
    await viewer.draw("line", [0.2, 0.8], [0.4, 0.2]);
    assert.match(await viewer.text("#measure-lines .drawn"), /^200 lines at most/);
    await page.locator("#measure-lines .icon").first().click();
    await viewer.draw("line", [0.2, 0.8], [0.4, 0.2]);
    assert.match(await viewer.text("#measure-lines .drawn"), /velocity/);
  },
);

test("the list of scenes states whether the open member is accepted", async (viewer, page) => {
  const { server } = viewer;
  const members = ["a", "b"].map((name) => ({
    path: join(server.folder, `${name}.oir`),
    accepted: name === "b",
  }));
  for (const { path } of members) await Deno.copyFile(SCAN, path);
  await viewer.openArchive("two", members);
  const scenes = () => page.locator("#scene option").allTextContents();
  const isAccepted = async () => (await scenes()).map((text) => text.endsWith("accepted"));
  assert.deepEqual(await isAccepted(), [false, false]);
  await page.selectOption("#scene", "1");
  await viewer.ended();
  assert.deepEqual(await isAccepted(), [false, true]);
  await page.uncheck("#accepted");
  assert.deepEqual(await isAccepted(), [false, false]);
  await page.click("#undo");
  assert.deepEqual(await isAccepted(), [false, true]);
  await page.click("#redo");
  await viewer.reload();
  assert.equal(await page.isChecked("#accepted"), false);
});

test("restores a kymograph with what was measured in it", async (viewer) => {
  const path = await viewer.openStack();
  await viewer.draw("line", ...SPOT_LINE);
  await viewer.makeKymograph();
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  await viewer.draw("line", [0.2, 0.8], [0.41, 0.23]);
  const read = (of: Viewer) => tables(of, ["traces", "lines"]);
  const before = await read(viewer);
  const archive = await save(viewer, "all");
  await using other = await fresh(viewer);
  const shown = async () => {
    await other.page.locator("#source h2", { hasText: "Line scan" }).waitFor();
    await other.bands.waitFor();
    assert.deepEqual(await read(other), before);
  };
  await other.openPath(archive);
  await shown();
  // The same onto the images, where Undo would not lead back.
  const file = await save(viewer, "none");
  await other.openPath(path);
  const restore = () => other.page.setInputFiles("#restore-file", file);
  assert.match(await noticeAfter(other, restore), /^Restored from .*kymograph/);
  await shown();
  assert.match(
    await noticeAfter(other, restore),
    /shows another picture, from which Undo does not lead back: /,
  );
  await other.page.click("#notice-action");
  await shown();
});

test("restores an image whose columns are lines as a line scan", async (viewer, page) => {
  const [lines, columns] = [300, 40];
  const samples = new Float32Array(lines * columns).map((_, i) => (i * 7919) % 1000);
  await viewer.openPlain("plain", { planes: [samples], rows: columns, columns: lines });
  await viewer.treatAsLineScan("columns");
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  await page.check("#accepted");
  const trace = (of: Viewer) => tables(of, ["traces"]);
  const before = await trace(viewer);
  const file = await save(viewer, "none");
  // Time passes along the columns of the image.
  const { rois } = documentIn(file);
  assert.deepEqual([rois[0].start[0], rois[0].stop[0]], [0, lines]);
  // The image again, accepted as before.
  await page.click("#typed-back");
  assert(await page.isChecked("#accepted"));
  const notice = () => noticeAfter(viewer, () => drop(viewer, file));
  assert.match(await notice(), /from which Undo does not lead back: accepted would be replaced\.$/);
  await page.click("#notice-action");
  await viewer.bands.waitFor();
  assert.match(await viewer.text("#notice-text"), /: 1 band, accepted\.$/);
  assert.match(await notice(), /: 1 band, accepted\. Undo/);
  assert.deepEqual(await trace(viewer), before);
  await using other = await fresh(viewer);
  await other.openPath(await save(viewer, "all"));
  assert.deepEqual(await trace(other), before);
});

test("says that an archive is saved only after its end, and why it is not", async (viewer, page) => {
  await viewer.openPath(files.scan);
  await save(viewer, "all");
  await page.locator("#status", { hasText: /^Saved .*\.zip/ }).waitFor();
  // The second of two planes ends early, which only decoding shows.
  const path = join(viewer.server.folder, "series.ome.zarr");
  const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  writeChunks(path, { axes, shape: [2, 30, 40], scale: [1, 1, 1], chunks: [ramp(30, 40), ramp(30, 40)] });
  Deno.truncateSync(join(path, "0/c/1/0/0"), 10);
  await viewer.openPath(path);
  await page.click("#save");
  await page.click("#save-dialog .primary");
  const notice = "Not saved: the archive broke off, and its file is incomplete: Cannot read";
  await page.locator("#notice-text", { hasText: notice }).waitFor();
  assert.match(await viewer.text("#notice-text"), /"series\.ome\.zarr".* 10 bytes/);
  assert.doesNotMatch(await viewer.text("#status"), /Saved/);
});
