/** Tracks are drawn from point to point by clicks and keys, edited, undone, kept, saved and restored, in each browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { StubbedServer } from "./browser.ts";
import { LINE_TIME, measuredScan, PIXEL_SIZE, SCAN_SHAPE } from "./measured_scan.ts";
import { BROWSERS, browserTest, type Point, startBrowser } from "./remote_page.ts";
import { RemoteViewer } from "./remote_viewer.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();
const [LINES, COLUMNS] = SCAN_SHAPE;

/** A corner of samples in fractions of the plot; column 0 is at the bottom. */
const at = ([line, column]: Point): Point => [line / LINES, 1 - column / COLUMNS];

/** Runs in the page: the rows of the list of tracks. */
const TRACKS = `[...document.querySelectorAll("#measure-tracks tbody tr")].map((row) =>
  [...row.cells].slice(0, -1).map(({ textContent }) => textContent).join(" · "))`;

class Tracker extends RemoteViewer {
  tracks = () => this.page.evaluate(TRACKS) as Promise<string[]>;

  /** Waits until the list has these tracks. */
  async lists(...expected: (string | RegExp)[]): Promise<void> {
    const tracks = await this.tracks();
    assert.equal(tracks.length, expected.length, `${tracks}`);
    expected.forEach((track, i) =>
      typeof track === "string" ? assert.equal(tracks[i], track) : assert.match(tracks[i]!, track)
    );
  }

  /** Clicks at the corners of samples. */
  async clickAt(...places: Point[]): Promise<void> {
    for (const place of places) await this.drag(at(place), at(place));
  }

  press = async (...keys: string[]) => {
    for (const key of keys) await this.page.press(key);
  };

  marks = (): Promise<number> =>
    this.page.evaluate('document.querySelectorAll("#source svg circle").length') as Promise<number>;
}

for (const name of BROWSERS) {
  browserTest(`tracks are drawn, edited, undone, kept and restored in ${name}`, name, async () => {
    await using server = await StubbedServer.start();
    const path = join(server.folder, "vessel.oir");
    await Deno.writeFile(path, measuredScan());
    server.choose(path);
    await using page = await startBrowser(name);
    const viewer = new Tracker(page);
    await viewer.open(server);

    await viewer.click("#tool-track");
    await viewer.clickAt([100, 20], [200, 40]);
    assert.equal(await viewer.marks(), 4, "two points, each with its edge");
    await viewer.press("Escape");
    assert.equal(await viewer.marks(), 0);
    await viewer.lists();
    assert.equal(await page.evaluate('document.getElementById("undo").disabled'), true);

    // 200 lines and 20 columns, then 100 lines and -10 columns.
    await viewer.clickAt([100, 20], [300, 40], [350, 60], [400, 30]);
    await viewer.press("Enter");
    await viewer.lists(/^Track 1 · 4 · 63\d(\.\d)? ms · 4\.[45]\d* µm · 7\.\d+ µm\/s$/);
    const drawn = await viewer.tracks();

    // The third point goes.
    await viewer.focus(".grip.point-3");
    await viewer.press("Delete");
    await viewer.lists(/^Track 1 · 3 · 63/);
    const short = await viewer.tracks();
    // The last point moves by a pixel in each axis: exactly by the calibration.
    const lastPoint = async () =>
      await Promise.all(
        ["x", "y"].map((axis) =>
          page.evaluate(`Number(document.getElementById("shape-point-3-${axis}").value)`)
        ),
      ) as [
        number,
        number,
      ];
    const [time, place] = await lastPoint();
    await viewer.focus(".grip.point-3");
    await viewer.press("ArrowRight");
    await viewer.press("ArrowUp");
    const [later, higher] = await lastPoint();
    assert(Math.abs(later - time - LINE_TIME) < 1e-4 && Math.abs(higher - place - PIXEL_SIZE) < 0.01);
    await viewer.type("shape-name", "cell");
    await viewer.lists(/^cell · 3 · /);
    const named = await viewer.tracks();

    // Name, two moves, the point, the track.
    for (const _ of [1, 2, 3]) await viewer.click("#undo");
    assert.deepEqual(await viewer.tracks(), short);
    await viewer.click("#undo");
    assert.deepEqual(await viewer.tracks(), drawn);
    await viewer.click("#undo");
    await viewer.lists();
    for (const _ of [1, 2, 3, 4, 5]) await viewer.click("#redo");
    assert.deepEqual(await viewer.tracks(), named);

    // By keys alone: from the cursor in the middle, 2 lines and 1 column on, without the last point.
    await viewer.focus("#source .plot");
    await viewer.press("Escape", "ArrowRight");
    await viewer.click("#tool-track");
    await viewer.focus("#source .plot");
    // A line is little more than a pixel of the screen, and the same point twice is one.
    await viewer.press("x", "ArrowRight", "x", "x", "Backspace", "ArrowRight", "ArrowUp", "x");
    await viewer.press("ArrowUp", "x", "Backspace", "Enter");
    // 2 × 2.118 ms and 0.45 µm.
    await viewer.lists(/^cell/, "Track 2 · 2 · 4.236 ms · 0.45 µm · 106.2 µm/s");
    const both = await viewer.tracks();

    await viewer.keepArchive();
    await viewer.click("#undo");
    await viewer.lists(/^cell/);
    assert.equal(
      await viewer.restoreArchive(),
      "Restored from saved.zip: 2 tracks. Undo shows what was there before.",
    );
    assert.deepEqual(await viewer.tracks(), both);
    // What was restored moves on.
    await viewer.click("#measure-tracks .pick");
    await viewer.focus(".grip.whole");
    await viewer.press("ArrowDown");
    const moved = await lastPoint();
    assert(Math.abs(moved[0] - later) < 1e-4 && Math.abs(higher - moved[1] - PIXEL_SIZE) < 0.01);
    await viewer.click("#undo");
    assert.deepEqual(await lastPoint(), [later, higher]);

    await viewer.when('document.getElementById("kept-words").textContent.startsWith("Kept")');
    await viewer.reopen(server);
    assert.deepEqual(await viewer.tracks(), both);
  });
}

test(
  "a double click ends a track, whose table has the velocity from point to point",
  async (viewer, page) => {
    await viewer.openScan();
    await page.keyboard.press("t");
    assert.equal(await page.getAttribute("#tool-track", "aria-pressed"), "true");
    const points = () => page.locator("#source svg circle").count();
    const { x, y, width, height } = await viewer.box("#source .plot");
    const place = (point: Point) => {
      const [across, down] = at(point);
      return [x + across * width, y + down * height] as const;
    };
    const labels = await viewer.labels();
    await page.mouse.click(...place([60, 8]));
    await page.mouse.click(...place([180, 40]));
    // Undo takes the last point back while the track is being drawn.
    await page.mouse.click(...place([200, 70]));
    assert.equal(await points(), 6);
    await page.keyboard.press("Control+z");
    assert.equal(await points(), 4);
    await page.mouse.dblclick(...place([300, 24]));
    assert.deepEqual(await viewer.labels(), labels, "it does not zoom");
    assert.equal(await page.locator("#measure-tracks tbody tr").count(), 1);
    const { head, rows } = await viewer.table("#csv-tracks");
    assert.deepEqual(head, ["Track", "Point", "Time (s)", "Position (um)", "Velocity (um/s)"]);
    assert.deepEqual(rows.map(([track, point]) => `${track} ${point}`), [
      "Track 1 1",
      "Track 1 2",
      "Track 1 3",
    ]);
    assert.equal(rows[0]![4], "");
    const velocity = (columns: number, lines: number) => columns * PIXEL_SIZE / (lines * LINE_TIME);
    for (const [row, expected] of [[rows[1]!, velocity(32, 120)], [rows[2]!, velocity(-16, 120)]] as const) {
      assert(Math.abs(Number(row[4]) / expected - 1) < 0.05, `${row[4]}, not ${expected}`);
    }
    // A click on a segment selects the track while no tool is chosen.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.mouse.click(...place([120, 24]));
    assert.equal(await page.inputValue("#shape-name"), "Track 1");
    await page.focus(".grip.whole");
    await page.keyboard.press("Delete");
    assert.equal(await page.locator("#measure-tracks tbody tr").count(), 0);
  },
);
