/**
 * Two jobs of a laboratory from the empty page to the saved files, by as few actions of a hand as they may take, and by the
 * keyboard alone. The dialog of the server's machine is stubbed: choosing a file in it counts as an action.
 */
import assert from "node:assert/strict";
import axe from "axe-core";
import { join } from "node:path";
import { normalNumbers, randomNumbers, streaks } from "./streaks.ts";
import { scanFile } from "./line_scan.ts";
import { LINE_TIME, PIXEL_SIZE } from "./measured_scan.ts";
import { type SavedTable, tableOf } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";
import type { Place, Viewer } from "./viewer.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";

const { test } = viewerSuite();

/** More stops than the page has. */
const MOST_TABS = 200;

/**
 * A hand whose actions are counted: a click, a drag, a choice from a menu (pressed, moved and let go), or keys typed in one
 * place.
 */
class Hand {
  actions = 0;

  constructor(readonly viewer: Viewer) {}

  async click(selector: string): Promise<void> {
    this.actions += 1;
    await this.viewer.page.click(selector);
  }

  /** Opens a file: presses the button, and chooses in the dialog. */
  async open(path: string): Promise<void> {
    this.viewer.server.choose(path);
    await this.click("#open-first");
    this.actions += 1;
    await this.viewer.ended();
  }

  async drag(from: Place, to: Place): Promise<void> {
    this.actions += 1;
    await this.viewer.dragOver("source", from, to);
  }

  async choose(selector: string, label: RegExp): Promise<void> {
    this.actions += 1;
    const option = this.viewer.page.locator(`${selector} option`, { hasText: label });
    await this.viewer.page.selectOption(selector, await option.getAttribute("value"));
  }

  async press(key: string): Promise<void> {
    this.actions += 1;
    await this.viewer.page.keyboard.press(key);
  }

  /** Presses a button that saves one ZIP file; returns its entries. */
  async save(selector: string): Promise<Map<string, string>> {
    const [entries] = await Promise.all([downloaded(this.viewer), this.click(selector)]);
    return entries;
  }
}

/** Only keys, from wherever the focus is. */
class Keys {
  constructor(readonly viewer: Viewer) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.viewer.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.viewer.page.keyboard.type(text);
  }

  /** Presses Tab until an element has the focus. */
  async to(selector: string): Promise<void> {
    const { page } = this.viewer;
    for (let i = 0; i < MOST_TABS; i += 1) {
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${selector}`);
  }

  /** Types the path of a file on the empty page, and opens it. */
  async open(path: string): Promise<void> {
    await this.to("#path-field");
    await this.type(path);
    await this.press("Enter");
    await this.viewer.ended();
  }

  async save(selector: string): Promise<Map<string, string>> {
    await this.to(selector);
    const [entries] = await Promise.all([downloaded(this.viewer), this.press("Enter")]);
    return entries;
  }
}

/** Texts of the next ZIP file that the page saves, by name. */
async function downloaded({ page }: Viewer): Promise<Map<string, string>> {
  const download = await page.waitForEvent("download");
  assert.match(download.suggestedFilename(), /\.zip$/);
  const entries = await listZipEntries(new Blob([await Deno.readFile((await download.path())!)]));
  return new Map(await Promise.all(entries.map(async ({ name, read }) => [name, await read()] as const)));
}

/** The recordings were measured: table and figure, each saved under the name of the folder. */
async function measured({ page }: Viewer, count: number): Promise<void> {
  const words = `${count} of ${count} measured`;
  await page.locator("#measure-many .result", { hasText: words }).waitFor({ timeout: 240_000 });
}

function saved(entries: Map<string, string>, stem: string): { table: SavedTable; svg: string } {
  assert.deepEqual([...entries.keys()], [".csv", ".json", ".svg"].map((ending) => `${stem}${ending}`));
  return {
    table: tableOf(entries.get(`${stem}.csv`)!, entries.get(`${stem}.json`)),
    svg: entries.get(`${stem}.svg`)!,
  };
}

const nameOf = (number: number) => `scan_${String(number).padStart(2, "0")}.oir`;

const REFERENCE = new Uint16Array(128 * 128);

// Events of three cells.

const [LINES, COLUMNS] = [600, 80];

/** Columns of three cells, with the lines at which their transients begin. */
const CELLS = [
  { columns: [6, 20], starts: [300] },
  { columns: [32, 46], starts: [120, 380] },
  { columns: [58, 72], starts: [60, 230, 420] },
] as const;

/** A rise over a ground of 100 by `size` times 100 at most. */
const transient = (t: number) => t <= 0 ? 0 : (1 - Math.exp(-t / 4)) * Math.exp(-t / 25);
const TOP = Math.max(...Array.from({ length: 100 }, (_, t) => transient(t)));

/** ΔF/F₀ at the top of the transients of a file. */
const amplitudeOf = (file: number) => 1 + file / 4;

/** Writes six recordings whose transients differ in size. */
function writeCells(folder: string): (number: number) => string {
  Deno.mkdirSync(folder);
  const at = (number: number) => join(folder, nameOf(number));
  for (let file = 1; file <= 6; file += 1) {
    const normal = normalNumbers(randomNumbers(file));
    const plane = Uint16Array.from({ length: LINES * COLUMNS }, (_, i) => {
      const [line, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
      const cell = CELLS.find(({ columns: [from, to] }) => column >= from && column < to);
      const rise = (cell?.starts ?? []).reduce((sum, start) => sum + transient(line - start), 0);
      return Math.round(1000 * (1 + amplitudeOf(file) / TOP * rise) + 20 * normal());
    });
    const dark = new Uint16Array(plane.length);
    Deno.writeFileSync(
      at(file),
      scanFile([LINES, COLUMNS], [plane, dark], [REFERENCE, REFERENCE], [20, 20, 82, 70]),
    );
  }
  return at;
}

/** Six recordings with one, two and three events of the amplitude that was made. */
function assertEvents({ table: { column, about }, svg }: ReturnType<typeof saved>): void {
  const six = [1, 2, 3, 4, 5, 6];
  assert.deepEqual(column("Recording"), six.flatMap((file) => Array(3).fill(nameOf(file))));
  assert.deepEqual(column("Band"), six.flatMap(() => ["Band 1", "Band 2", "Band 3"]));
  assert.deepEqual(column("Error"), Array(18).fill(""));
  assert.deepEqual(column("Events").map(Number), six.flatMap(() => CELLS.map(({ starts }) => starts.length)));
  for (const [i, amplitude] of column("Median amplitude").entries()) {
    const made = amplitudeOf(six[Math.floor(i / 3)]!);
    assert(Math.abs(Number(amplitude) / made - 1) < 0.1, `${amplitude}, made with ${made}`);
  }
  assert.equal(about.get("Measured"), "6");
  assert.equal(svg.match(/<circle/g)?.length, 6);
}

test("job: ΔF/F₀ and events of three bands in six files take nine actions", async (viewer, page) => {
  const at = writeCells(join(viewer.server.folder, "cells"));
  const hand = new Hand(viewer);
  await hand.open(at(1));
  await hand.press("b");
  for (const { columns: [from, to] } of CELLS) {
    await hand.drag([0.4, 1 - (from + 0.4) / COLUMNS], [0.45, 1 - (to - 0.4) / COLUMNS]);
  }
  await hand.click("#trace-change");
  await hand.click("#many-start");
  await measured(viewer, 6);
  assertEvents(saved(await hand.save("#many-all"), "cells-recordings"));
  assert.equal(hand.actions, 9);
  // The open recording shows what was measured.
  assert.equal(await page.locator("#drawer-events-tab").isVisible(), true);
});

test("job: ΔF/F₀ and events of three bands in six files, by the keyboard alone", async (viewer) => {
  const at = writeCells(join(viewer.server.folder, "typed"));
  const keys = new Keys(viewer);
  await keys.open(at(1));
  for (const { columns: [from, to] } of CELLS) {
    await keys.to("#add-band");
    await keys.press("Enter");
    await keys.to("#shape-from-y");
    await keys.press("Control+a");
    await keys.type(String(from * PIXEL_SIZE));
    await keys.to("#shape-to-y");
    await keys.press("Control+a");
    await keys.type(String(to * PIXEL_SIZE));
    await keys.press("Enter");
  }
  await keys.to("#trace-change");
  await keys.press("Space");
  await keys.to("#many-start");
  await keys.press("Enter");
  await measured(viewer, 6);
  assertEvents(saved(await keys.save("#many-all"), "typed-recordings"));
});

// Velocities of two folders.

/** Pixels a line. */
const VELOCITIES = { control: 0.6, treated: 0.9 };

/** Writes recordings of streaks, half of them into each folder. */
function writeStreaks(folder: string, count: number, lines: number): string {
  const columns = 60;
  for (const [name, velocity] of Object.entries(VELOCITIES)) {
    Deno.mkdirSync(join(folder, name), { recursive: true });
    for (let seed = 1; seed <= count / 2; seed += 1) {
      const samples = streaks({ lines, columns, velocity, noise: 0.5, seed });
      const plane = Uint16Array.from(samples, (value) => 10 * value);
      const bytes = scanFile([lines, columns], [plane, plane], [REFERENCE, REFERENCE], [20, 20, 82, 70]);
      Deno.writeFileSync(join(folder, name, nameOf(seed)), bytes);
    }
  }
  return join(folder, "control", nameOf(1));
}

/** Velocities as they were made, and a dot for each recording. */
function assertVelocities({ table: { column, about }, svg }: ReturnType<typeof saved>, count: number): void {
  const half = count / 2;
  assert.deepEqual(column("Folder"), [...Array(half).fill("control"), ...Array(half).fill("treated")]);
  assert.deepEqual(column("Error"), Array(count).fill(""));
  for (const [i, mean] of column("Mean velocity (um/s)").entries()) {
    const made = (i < half ? VELOCITIES.control : VELOCITIES.treated) * PIXEL_SIZE / LINE_TIME;
    assert(Math.abs(Number(mean) / made - 1) < 0.03, `${mean}, made with ${made}`);
  }
  assert.equal(about.get("Recordings"), String(count));
  assert.equal(svg.match(/<circle/g)?.length, count);
  for (const name of Object.keys(VELOCITIES)) assert(svg.includes(`${name} (${half})`), name);
}

/** Most bytes more after 38 further recordings: twenty of them kept are more. */
const MOST_GROWTH = 25e6;

/** Bytes in use by the page's JavaScript, its elements and its arrays, after a collection. */
async function memoryOf({ page }: Viewer): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const used = await session.send("Runtime.getHeapUsage") as unknown as Record<string, number>;
  await session.detach();
  return used.usedSize! + used.embedderHeapUsedSize! + used.backingStorageSize!;
}

test(
  "job: velocity of forty recordings in two folders with a figure takes five actions",
  async (viewer, page) => {
    const folder = join(viewer.server.folder, "compared");
    // 2,400 lines, 1.2 MB in the page.
    const first = writeStreaks(folder, 40, 2400);
    Deno.mkdirSync(join(folder, "notes"));
    const hand = new Hand(viewer);
    await hand.open(first);
    assert(!await page.isChecked("#many-events"), "what nobody asked for is not measured");
    await hand.choose("#many-group", /^of all folders in compared$/);
    await hand.click("#many-start");
    await page.locator("#measure-many .hint", { hasText: "2 of 40" }).waitFor();
    const before = await memoryOf(viewer);
    await measured(viewer, 40);
    const more = await memoryOf(viewer) - before;
    assert(more < MOST_GROWTH, `${more} bytes more`);
    const { table, svg } = saved(await hand.save("#many-all"), "compared-recordings");
    assertVelocities({ table, svg }, 40);
    assert.equal(hand.actions, 5);

    // The page shows the same.
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate("axe.run()") as axe.AxeResults;
    assert.deepEqual(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]), []);
    const cells = (table: string) =>
      page.locator(`#recordings-view table[aria-label="${table}"] tbody tr`).evaluateAll((rows) =>
        rows.map((row) => [...row.children].map((cell) => cell.textContent))
      );
    const folders = await cells("By folder");
    assert.deepEqual(folders.map(([name, count]) => [name, count]), [["control", "20"], ["treated", "20"]]);
    const means = table.column("Mean velocity (um/s)").map(Number);
    for (const [i, [, , text]] of folders.entries()) {
      // Mean and standard error over the recordings, from the saved table.
      const own = means.slice(20 * i, 20 * i + 20);
      const mean = own.reduce((sum, value) => sum + value, 0) / 20;
      const sem = Math.sqrt(own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 19 / 20);
      const [shown, error] = text!.split(" ± ").map(Number);
      assert(
        Math.abs(shown! / mean - 1) < 1e-3 && Math.abs(error! / sem - 1) < 1e-3,
        `${text}: ${mean} ± ${sem}`,
      );
    }
    const listed = await cells("By recording");
    const names = Array.from({ length: 20 }, (_, i) => nameOf(i + 1));
    assert.deepEqual(listed.map(([name]) => name), [...names, ...names]);
    // The list shows the value.
    const words = await page.locator("#recording-list .words").allTextContents();
    assert.match(words[0]!, /^\d+(\.\d+)? µm\/s$/);
    assert.equal((await viewer.saved("#recordings-svg")).text, svg);
    await page.locator("#recordings-view .link", { hasText: nameOf(3) }).last().click();
    await viewer.shows(nameOf(3));
    assert.match(await page.locator("#title").getAttribute("title") ?? "", /treated/);
  },
);

test("job: velocity of forty recordings in two folders, by the keyboard alone", async (viewer) => {
  const first = writeStreaks(join(viewer.server.folder, "keys"), 40, 300);
  const keys = new Keys(viewer);
  await keys.open(first);
  await keys.to("#many-group");
  await keys.type("of all");
  await keys.to("#many-start");
  await keys.press("Enter");
  await measured(viewer, 40);
  assertVelocities(saved(await keys.save("#many-all"), "keys-recordings"), 40);
});
