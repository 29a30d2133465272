/** Measuring in a line scan: bands, lines, velocities, events, cursors and their saved files. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Viewer } from "./viewer.ts";
import { readPng, rememberWriting } from "./in_page.js";
import {
  ACTIVE,
  LINE_TIME,
  measuredScan,
  PIXEL_SIZE,
  SCAN_SHAPE,
  scanPlanes,
  STREAK_VELOCITY,
  TRANSIENTS,
} from "./measured_scan.ts";
import { rowsOf, tracesIn } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";

const { test: viewerTest } = viewerSuite();

function test(
  name: string,
  work: (viewer: Viewer, page: Page) => Promise<void>,
  viewport: BrowserContextOptions["viewport"] = { width: 1280, height: 1000 },
): void {
  viewerTest(`measure: ${name}`, async (viewer, page) => {
    await viewer.openScan();
    await work(viewer, page);
  }, { context: { viewport } });
}

const [LINES, COLUMNS] = SCAN_SHAPE;

/** The mean of a band of a channel in each line, by hand. */
function bandMean(channel: 0 | 1, from: number, to: number): number[] {
  const samples = scanPlanes()[channel];
  return Array.from({ length: LINES }, (_, line) => {
    let sum = 0;
    for (let column = from; column < to; column += 1) sum += samples[line * COLUMNS + column]!;
    return sum / (to - from);
  });
}

test("a trace lies below the line scan, edge to edge, and is the mean of its band", async (viewer, page) => {
  await viewer.drawBand(...ACTIVE);
  await viewer.settle();
  // Columns 30 to 49 of 0.45 µm: from half a pixel before 13.5 to half a pixel after 22.05 µm.
  assert.equal(await page.locator("#measure-bands .place").textContent(), "13.3–22.3 µm");
  const [plot, chart] = [await viewer.box("#source .plot"), await viewer.box("#trace-chart")];
  const stage = await viewer.box("#source .stage");
  assert(Math.abs(chart.y - stage.y - stage.height) <= 1, "directly below");
  const black = await page.evaluate(() => {
    // deno-lint-ignore no-explicit-any
    const canvas = (globalThis as any).document.querySelector("#trace-chart canvas");
    const y = Math.round(canvas.height / 2);
    const { data, width } = canvas.getContext("2d").getImageData(0, y, canvas.width, 1);
    const filled = Array.from({ length: width }, (_, x) => x).filter((x) => data[4 * x + 3] > 127);
    const scale = canvas.getBoundingClientRect().width / width;
    return [filled[0]! * scale, (filled.at(-1)! + 1) * scale];
  });
  assert(Math.abs(chart.x + black[0]! - plot.x) <= 1, `left ${chart.x + black[0]!}, picture ${plot.x}`);
  assert(Math.abs(chart.x + black[1]! - plot.x - plot.width) <= 1, "right edge");
  const saved = await viewer.table("#csv-traces");
  const [{ about }, { head, rows }] = [saved, tracesIn(saved)];
  assert.equal(about.get("File"), "vessel.oir");
  assert.equal(about.get("Path"), `${viewer.server.folder}/vessel.oir`);
  assert.equal(about.get("Columns of Band 1"), "columns 30 to 49, 13.275 to 22.275 um (outer edges)");
  // The last transient has not gone at the end, so that F₀ of its channel moves.
  assert.deepEqual(head, ["Time (s)", "Band 1 · CH1", "Band 1 · CH2", "F0 of Band 1 · CH2"]);
  assert.equal(rows.length, LINES);
  const expected = [bandMean(0, ...ACTIVE), bandMean(1, ...ACTIVE)];
  rows.forEach((row, line) => {
    assert(Math.abs(Number(row[0]) - line * LINE_TIME) < 1e-9);
    for (const channel of [0, 1]) {
      assert(Math.abs(Number(row[channel + 1]) - expected[channel]![line]!) < 1e-3);
    }
  });
  // Values stand beside the cursor, below the labels of pinned ones.
  await page.locator("#source .plot").hover();
  await page.keyboard.press("x");
  await viewer.settle();
  const heightOf = async (label: string | RegExp) =>
    (await page.locator("#trace-chart svg text").filter({ hasText: label }).first().boundingBox())!.y;
  assert(await heightOf(/^A$/) + 12 < await heightOf(/ · /));
});

test("the trace follows a flipped picture, and below a turned one has its own axis", async (viewer, page) => {
  await viewer.drawBand(...ACTIVE);
  const texts = page.locator("#chart-axis text");
  /** Places of labels from the left, in one step, since each drawing replaces the labels. */
  const placesOf = async (...labels: string[]) => {
    await viewer.settle();
    for (const label of labels) await texts.filter({ hasText: label }).first().waitFor();
    return await texts.evaluateAll(
      (all, labels) =>
        labels.map((label) => all.find((text) => text.textContent === label)!.getBoundingClientRect().x),
      labels,
    ) as [number, number];
  };
  const [start, later] = await placesOf("0.0", "0.2");
  assert(start < later, `${start} ${later}`);
  await page.click("#source .flip");
  const [mirrored, before] = await placesOf("0.0", "0.2");
  assert(mirrored > before, `${mirrored} ${before}`);
  await page.click("#source .flip");
  const pictures = page.locator("#source svg.labels > g text", { hasText: "Time (s)" });
  assert.equal(await pictures.count(), 0, "the axis is shared");
  await page.click("#source .turn");
  // From left to right over the whole width: line 0 at the left edge, 1.27 s at the right one.
  const [first, last] = await placesOf("0.0", "1.2");
  const chart = await viewer.box("#trace-chart");
  assert(last - first > 0.75 * chart.width, `${first} to ${last} of ${chart.width}`);
  assert.equal(await pictures.count(), 1);
});

test("averages traces and relates them to a baseline, by the last valid numbers", async (viewer, page) => {
  await viewer.drawBand(...ACTIVE);
  await page.check("#trace-change");
  for (const [field, good] of [["#trace-average", "5"], ["#baseline-percentile", "20"]] as const) {
    await viewer.enter(field, good);
    for (const wrong of ["", "-3"]) {
      await viewer.enter(field, wrong);
      assert.equal(await page.getAttribute(field, "aria-invalid"), "true", wrong);
    }
  }
  // Other changes do not apply invalid numbers.
  await page.selectOption("#baseline-kind", "window");
  await page.selectOption("#baseline-kind", "percentile");
  assert.match(
    (await viewer.table("#csv-traces")).about.get("Baseline F0")!,
    /^percentile 20 of means over /,
  );

  await page.selectOption("#baseline-kind", "window");
  // Line 99 lies at 99 times of a line, before the end.
  await viewer.enter("#baseline-from", "0");
  await viewer.enter("#baseline-to", String(99.4 * LINE_TIME));
  const saved = await viewer.table("#csv-traces");
  const [{ about }, { rows }] = [saved, tracesIn(saved)];
  assert.equal(about.get("Values"), "dF/F0");
  assert(Number(about.get("F0 of Band 1 · CH2")) > 0);
  assert.equal(about.get("Lines averaged"), "5");
  const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const raw = bandMean(1, ...ACTIVE);
  const smooth = raw.map((_, i) => meanOf(raw.slice(Math.max(0, i - 2), i + 3)));
  // F₀ does not depend on how many lines are averaged.
  const rest = meanOf(raw.slice(0, 100));
  rows.forEach((row, i) => assert(Math.abs(Number(row[2]) - (smooth[i]! - rest) / rest) < 1e-5, `line ${i}`));

  // An empty trace says why it is empty: both channels lie below an offset of 2000.
  const note = page.locator("#measure-bands").getByText("No ΔF/F₀");
  for (const [offset, isEmpty] of [["2000", true], ["0", false]] as const) {
    await viewer.enter("#baseline-offset", offset);
    await viewer.settle();
    assert.equal(await note.isVisible(), isEmpty);
    if (isEmpty) assert.match((await note.textContent())!, /: Band 1 · CH1, Band 1 · CH2$/);
  }
});

test("bands have names and colours, on the reference's path too", async (viewer, page) => {
  await page.uncheck("#source-0-visible");
  await viewer.drawBand(5, 15);
  await page.click("#tool-band");
  // The path goes from (20, 20) to (82, 70) of 128 x 128; three quarters of it and more.
  const at = (part: number): [number, number] => [(20.5 + part * 62) / 128, (20.5 + part * 50) / 128];
  await viewer.dragOver("reference", at(0.75), at(0.9));
  assert.equal(await viewer.bands.count(), 2);
  // 0.75 of 79 columns is 59.25, 0.9 is 71.1.
  const place = (await page.locator("#measure-bands .place").nth(1).textContent())!;
  const [from, to] = place.match(/^([\d.]+)–([\d.]+) µm$/)!.slice(1).map((text) => Number(text) / PIXEL_SIZE);
  assert(Math.abs(from! - 59) < 1.6 && Math.abs(to! - 72) < 1.6, place);
  const name = page.locator("#shape-name");
  await name.focus();
  // Among these letters are keys that turn the picture, choose a tool and open the dialog.
  await page.keyboard.type(" zbro");
  assert.match(await name.inputValue(), /Band 2 zbro$/);
  await name.fill("=vessel, left");
  await page.fill("#shape-color", "#ff0000");
  await viewer.settle();
  assert.equal(await page.locator('#source polyline[stroke="#ff0000"]').count(), 2);
  assert.equal(await page.locator('#reference polyline[stroke="#ff0000"]').count(), 1);
  const traces = await viewer.table("#csv-traces");
  assert.deepEqual([...new Set(traces.column("Band"))], ["Band 1", "'=vessel, left"]);
  await viewer.bands.locator(".icon").first().click();
  assert.equal(await viewer.bands.count(), 1);
  assert.equal(await name.inputValue(), "=vessel, left");
  const hint = page.locator("#measure-bands .hint");
  await page.evaluate('for (let i = 0; i < 24; i += 1) document.getElementById("shape-duplicate").click()');
  assert.equal(await viewer.bands.count(), 24);
  assert.match(await hint.innerText(), /^24 bands at most/);
  await viewer.bands.locator(".icon").first().click();
  assert(!await hint.isVisible());
});

test("a cancelled drag leaves no marks, and every ? leads to the manual", async (viewer, page) => {
  const box = await viewer.box("#source .plot");
  const lines = "#source polyline, #reference polyline";
  await page.mouse.move(box.x + 50, box.y + 20);
  await viewer.settle();
  for (const tool of ["band", "line"]) {
    await page.click(`#tool-${tool}`);
    await page.mouse.move(box.x + 50, box.y + 20);
    await viewer.settle();
    const before = await page.locator(lines).count();
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 90);
    await viewer.settle();
    assert(await page.locator(lines).count() > before, tool);
    await page.keyboard.press("Escape");
    await page.mouse.move(box.x + 50, box.y + 20);
    await page.mouse.up();
    await viewer.settle();
    assert.equal(await page.locator(lines).count(), before, tool);
    assert.equal(await page.getAttribute(`#tool-${tool}`, "aria-pressed"), "true");
  }
  assert.equal(await viewer.bands.count(), 0);
  assert.equal(await page.locator("#measure-lines output").textContent(), "");
  // Every ? leads to a section of the manual.
  const links = await page.locator("a.help").evaluateAll((all) =>
    all.map((link) => new URL(link.getAttribute("href")!, link.baseURI).href)
  );
  assert(links.length > 15, `${links}`);
  for (const [path, sections] of Object.entries(Object.groupBy(links, (link) => link.replace(/#.*/, "")))) {
    await page.goto(path);
    const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
    const hashes = sections!.map((link) => new URL(link).hash.slice(1)).filter((hash) => hash !== "");
    assert.deepEqual(hashes.filter((hash) => !ids.includes(hash)), [], path);
  }
});

test("a line over a streak shows time, distance and velocity", async (viewer, page) => {
  await viewer.unfold("lines");
  // From line 120, column 16 to line 240, column 64: 120 lines of 2.118 ms, 48 columns of 0.45 µm.
  await viewer.draw("line", [120 / LINES, 1 - 16 / COLUMNS], [240 / LINES, 1 - 64 / COLUMNS]);
  const said = await viewer.text("#measure-lines .drawn");
  const [, time, distance, velocity] = said.match(
    /^Δt ([\d.]+) ms · Δx ([\d.]+) µm · velocity ([\d.]+) µm\/s$/,
  )!.map(Number);
  assert(Math.abs(time! / (120 * 2.118) - 1) < 0.02, said);
  assert(Math.abs(distance! / (48 * 0.45) - 1) < 0.03, said);
  assert(Math.abs(velocity! / (48 * PIXEL_SIZE / (120 * LINE_TIME)) - 1) < 0.04, said);
  // Downwards it is negative.
  await viewer.dragOver("source", [0.5, 0.2], [0.6, 0.6]);
  assert.match(await viewer.text("#measure-lines .drawn"), /velocity -/);
  assert.equal(await page.locator("#measure-lines tbody tr").count(), 2);
  const { rows, head } = await viewer.table("#csv-lines");
  assert.deepEqual(head, ["Line", "Start (s)", "Duration (s)", "Distance (um)", "Velocity (um/s)"]);
  assert(Number(rows[1]![4]) < 0);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#tool-zoom").getAttribute("aria-pressed"), "true");
});

test("measures velocities over time and shows them with their confidence", async (viewer, page) => {
  await viewer.unfold("velocity");
  await viewer.enter("#velocity-window", "120");
  assert.match(
    await viewer.text("#measure-velocity"),
    /254 ms: measures velocities from 5\.3 µm\/s to 5\.7 mm\/s/,
  );
  await viewer.measureVelocities();
  // (600 - 120) / 60 + 1 = 9 windows.
  assert.match(
    await viewer.text("#drawer-velocity .result"),
    /^Windows 9\nWith a velocity 9\nMedian velocity 10[567]\.?\d* µm\/s\n/,
  );
  assert(await page.locator("#velocity-chart").isVisible());
  const [panes, drawer] = [await viewer.box("#panes"), await viewer.box("#drawer")];
  assert(drawer.y + drawer.height > panes.y + panes.height - 20, "no empty room below the drawer");
  const { rows, head, about } = await viewer.table("#csv-velocity");
  assert.equal(
    head.join(),
    "Time (s),Velocity (um/s),Confidence,Estimated standard error (%),Verdict," +
      "Standard error is,Second velocity (um/s),At rest (%)",
  );
  assert.equal(about.get("Window (lines)"), "120");
  // The middle of lines 0 to 119.
  assert(Math.abs(Number(rows[0]![0]) - 59.5 * LINE_TIME) < 1e-9);
  const truth = STREAK_VELOCITY * PIXEL_SIZE / LINE_TIME;
  for (const [, velocity, confidence, , verdict] of rows) {
    assert(Math.abs(Number(velocity) / truth - 1) < 0.05, velocity);
    // 1 / (1 + 0.5 ** 2)
    assert(Math.abs(Number(confidence) - 0.8) < 0.1, confidence);
    assert.equal(verdict, "measured");
  }
  // The cursor says what the window around it has.
  await viewer.hover(0.5, 0.5);
  await viewer.settle();
  const said = (await page.locator("#velocity-chart").textContent())!.match(/1\d\d\.\d µm\/s ± \d\.\d+ %$/);
  assert(said !== null && Math.abs(parseFloat(said[0]) / truth - 1) < 0.05);
  assert.match((await page.locator("#velocity-chart").textContent())!, /Velocity \(µm\/s\)/);
  // Without movement no window has another number than the 0 of what stands still.
  await page.selectOption("#velocity-channel", "1");
  await viewer.measureVelocities("With a velocity 0");
  for (const [, velocity, , , verdict] of rowsOf(await viewer.table("#csv-velocity"), { Channel: "CH2" })) {
    assert.equal(velocity, verdict === "standing" ? "0" : "");
  }
  // Windows that cannot be are explained.
  for (
    const [window, words] of [["", "whole number"], ["5", "at least 6"], ["1e308", "Windows 0"]] as const
  ) {
    await viewer.enter("#velocity-window", window);
    await viewer.measureVelocities(words);
  }
});

test(
  "traces and velocities lie below the picture, a double click leaves a window out",
  async (viewer, page) => {
    await viewer.drawBand(...ACTIVE);
    await viewer.unfold("velocity");
    await viewer.enter("#velocity-window", "120");
    await viewer.measureVelocities("With a velocity 9");
    await viewer.settle();
    const panes = await viewer.box("#panes");
    for (const id of ["#trace-chart", "#velocity-chart"]) {
      const { y, height } = await viewer.box(id);
      assert(height >= 54 && y + height <= panes.y + panes.height, `${id}: ${height} at ${y}`);
    }
    assert((await viewer.box("#source .plot")).height >= 220);
    /** The third window has its middle at line 2 * 60 + 59.5. */
    const clickThird = async () => {
      await viewer.settle();
      const [plot, chart] = [await viewer.box("#source .plot"), await viewer.box("#velocity-chart")];
      await page.mouse.dblclick(plot.x + plot.width * (2 * 60 + 60) / LINES, chart.y + chart.height / 2);
    };
    const left = page.locator("#drawer-velocity .result", { hasText: "With a velocity 8" });
    await clickThird();
    await left.waitFor();
    assert.match(await viewer.text("#drawer-velocity .result"), /^Left out 1$/m);
    const { rows, column } = await viewer.table("#csv-velocity");
    assert.deepEqual(column("Verdict"), rows.map((_, i) => i === 2 ? "left out" : "measured"));
    assert.equal(rows[2]![1], "");
    await viewer.reload();
    await viewer.unfold("velocity");
    await left.waitFor();
    await clickThird();
    await page.locator("#drawer-velocity .result", { hasText: "With a velocity 9" }).waitFor();
    await page.click("#undo");
    await left.waitFor();
  },
  { width: 1280, height: 800 },
);

test("finds, edits and saves events", async (viewer, page) => {
  const list = page.locator("#drawer-events tbody tr");
  await page.uncheck("#source-0-visible");
  await viewer.drawBand(...ACTIVE);
  await page.check("#trace-change");
  await viewer.enter("#trace-average", "9");
  await viewer.findEvents("0");
  const first = await page.inputValue("#events-height");
  await viewer.findEvents("1");
  assert.notEqual(await page.inputValue("#events-height"), first, "each trace has its own threshold");
  assert.equal(await list.count(), 2);
  // 200 (1 - exp(-t / 8)) exp(-t / 60) is greatest at t = 8 ln(1 + 60 / 8) = 17.1 lines, with 132.7 over 100.
  for (const [i, peak] of (await list.locator("td:first-child").allInnerTexts()).entries()) {
    assert(Math.abs(Number(peak) / LINE_TIME - TRANSIENTS[i]! - 17.1) < 6, peak);
  }
  const [, amplitude] = await list.first().locator("td").allInnerTexts();
  assert(Math.abs(Number(amplitude) - 1.33) < 0.12, amplitude);
  // Note and × are seen without scrolling, also where all numbers have as many digits as there are.
  const scrolled = page.locator("#drawer-events .items");
  const fits = () =>
    scrolled.evaluate((box: { scrollWidth: number; clientWidth: number }) =>
      box.scrollWidth - box.clientWidth
    );
  assert.equal(await fits(), 0);
  await page.uncheck("#trace-change");
  assert.equal(await fits(), 0);
  await page.check("#trace-change");
  await list.locator("input").first().fill("whisker");
  // Removed, then added again at the cursor.
  await list.nth(1).locator(".act").click();
  assert.equal(await list.count(), 1);
  await page.click("#tool-zoom");
  await viewer.hover((TRANSIENTS[1] + 20) / LINES, 0.5);
  await page.keyboard.press("x");
  await page.focus("#source .plot");
  await page.keyboard.press("ArrowRight");
  await page.focus("#events-add");
  await page.keyboard.press("Enter");
  assert.equal(await list.count(), 2);
  const table = await viewer.table("#csv-events");
  assert.deepEqual(table.head.slice(-2), ["By hand", "Note"]);
  const rows = rowsOf(table, { Channel: "CH2" });
  // What was found and removed is taken back.
  assert.deepEqual(rows.map((row) => row.slice(-2)), [["", "whisker"], ["", ""]]);
  assert(Math.abs(Number(rows[1]![0]) / LINE_TIME - TRANSIENTS[1] - 17.1) < 6);
  // An invalid number is marked and the last valid one counts.
  await viewer.enter("#events-prominence", "0.5");
  for (const [field, wrong] of [["#events-prominence", "-5"], ["#events-height", ""]] as const) {
    await page.fill(field, wrong);
    await page.click("#events-start");
    assert.equal(await page.getAttribute(field, "aria-invalid"), "true");
  }
  const { about } = await viewer.table("#csv-events");
  assert.equal(about.get("Minimum prominence, Band 1 · CH2"), "0.5");
});

test(
  "the channel of a measurement is the shown one, until it is chosen or measured",
  async (viewer, page) => {
    await viewer.drawBand(...ACTIVE);
    await viewer.unfold("events", "velocity");
    const channels = () =>
      Promise.all(["#events-channel", "#velocity-channel"].map((id) => page.inputValue(id)));
    assert.deepEqual(await channels(), ["0", "0"]);
    await page.uncheck("#source-0-visible");
    assert.deepEqual(await channels(), ["1", "1"]);
    await page.uncheck("#source-1-visible");
    assert.deepEqual(await channels(), ["1", "1"], "without a shown channel it stays");
    await page.check("#source-1-visible");
    await page.selectOption("#velocity-channel", "1");
    await page.check("#source-0-visible");
    assert.deepEqual(await channels(), ["0", "1"], "one that was chosen stays");
    await page.click("#events-start");
    await page.uncheck("#source-0-visible");
    await viewer.kept();
    await viewer.reload();
    await viewer.unfold("events", "velocity");
    assert.deepEqual(await channels(), ["0", "1"], "one that was measured stays");
  },
);

test("marks events while their channel is shown, and removes them with their band", async (viewer, page) => {
  await viewer.drawBand(...ACTIVE);
  await viewer.findEvents("1");
  const events = page.locator("#drawer-events tbody");
  await events.locator("input").first().fill("mine");
  assert.equal(await events.locator("tr").count(), TRANSIENTS.length);
  const marks = page.locator("#trace-chart polyline[stroke-width='1.5'][stroke=currentColor]");
  await viewer.settle();
  const shown = await marks.count();
  await page.uncheck("#source-1-visible");
  await viewer.settle();
  assert.equal(await marks.count(), shown - TRANSIENTS.length);
  await page.check("#source-1-visible");
  // They follow the band.
  await viewer.enter("#shape-to-y", "20");
  const { about } = await viewer.table("#csv-events");
  assert.match(about.get("Part of the lines")!, /Band 1, columns 30 to 44/);
  await page.locator("#measure-bands li .icon").first().click();
  await viewer.drawBand(...ACTIVE);
  await viewer.settle();
  assert.equal(await events.count(), 0);
  assert.equal(await page.locator("#drawer-events .result").textContent(), "");
});

test("long tables of events show a part and save all rows", async (viewer, page) => {
  // A peak every 5 lines, 120 in all.
  const [dark] = scanPlanes();
  const peaks = dark.map((_, i) => Math.floor(i / COLUMNS) % 5 === 2 ? 1000 : 100);
  await viewer.openBytes("peaks.oir", measuredScan(COLUMNS, [dark, peaks]));
  await viewer.drawBand(ACTIVE[0], ACTIVE[0] + 1);
  await viewer.findEvents("1");
  const shown = () => page.locator("#drawer-events tbody tr").count();
  assert.match(await viewer.text("#drawer-events .result"), /^Events 120/);
  const { rows, about } = await viewer.table("#csv-events");
  assert.deepEqual([rows.length, about.get("Events")], [120, "120"]);
  assert.equal(await shown(), 100);
  await page.click("#events-more");
  assert.equal(await shown(), 120);
});

test("pinned cursors show their values and differences", async (viewer) => {
  await viewer.unfold("cursors");
  await viewer.enter("#cursor-lines", "3");
  await viewer.enter("#cursor-columns", "5");
  await viewer.pin(100, 40);
  await viewer.pin(140, 40);
  const { rows, head } = await viewer.table("#csv-cursors");
  assert.deepEqual(head, ["Cursor", "Time (s)", "Position (um)", "CH1", "CH2", "Velocity (um/s)"]);
  assert.deepEqual(rows.map(([name]) => name), ["A", "B", "B - A"]);
  const [a, b, difference] = rows.map((row) => row.slice(1).map(Number));
  const mean = (time: number, position: number, channel: 0 | 1) => {
    const samples = scanPlanes()[channel];
    const [line, column] = [Math.round(time / LINE_TIME), Math.round(position / PIXEL_SIZE)];
    let sum = 0;
    for (let l = line - 1; l <= line + 1; l += 1) {
      for (let c = column - 2; c <= column + 2; c += 1) sum += samples[l * COLUMNS + c]!;
    }
    return sum / 15;
  };
  for (const [time, position, one, two] of [a!, b!]) {
    assert(Math.abs(one! - mean(time!, position!, 0)) < 1e-3);
    assert(Math.abs(two! - mean(time!, position!, 1)) < 1e-3);
  }
  difference!.forEach((value, i) => assert(Math.abs(value - (b![i]! - a![i]!)) < 1e-6));
  assert.match(await viewer.text("#measure-cursors table"), /B − A/);
});

test("saves plots as SVG, and pictures as PNG of the chosen size and background", async (viewer, page) => {
  await viewer.drawBand(10, 30);
  const { name, text } = await viewer.saved("#svg-traces");
  assert.equal(name, "vessel-traces.svg");
  assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(text, />Time \(s\)<\/text>/);
  assert.match(text, />Band 1 · CH2<\/text>/);
  await page.mouse.move(5, 5);
  const stage = await viewer.box("#source .stage");
  const plot = await viewer.box("#source .plot");
  const png = async (x: number, y: number) => {
    const { bytes } = await viewer.saved("#png-save");
    return await page.evaluate(readPng, { bytes: [...bytes], x, y });
  };
  await page.selectOption("#png-scale", "3");
  const large = await png(2, 2);
  assert.equal(large.width, Math.round(3 * stage.width));
  assert.deepEqual(large.color, [255, 255, 255]);
  await page.uncheck("#png-axes");
  await page.selectOption("#png-scale", "2");
  const bare = await png(2, 2);
  assert.equal(bare.width, Math.round(2 * plot.width));
  // The picture on the page is unchanged.
  const canvas = await viewer.box("#source .plot canvas");
  assert.equal(
    await page.locator("#source .plot canvas").getAttribute("width"),
    String(Math.round(canvas.width)),
  );
});

test("marks everything saved from the sample as a sample", async (viewer, page) => {
  await page.click("#more-ways");
  await page.click("#sample");
  await page.locator("#sample-mark").waitFor();
  await viewer.draw("band", [0.4, 0.3], [0.4, 0.6]);
  const note = "Sample: a drawn line scan, not a recording";
  const check = async (isMarked: boolean) => {
    assert.equal((await viewer.table("#csv-traces")).about.get("Note"), isMarked ? note : undefined);
    assert.equal((await viewer.saved("#svg-traces")).text.includes(`>${note}</text>`), isMarked);
    await page.evaluate(rememberWriting);
    await viewer.saved("#png-save");
    assert.equal(await page.evaluate(`writtenTexts.includes("${note}")`), isMarked);
  };
  await check(true);
  // Nothing of it stays with the next file.
  await viewer.openScan();
  await viewer.drawBand(...ACTIVE);
  await check(false);
});

test("covers no chart on a phone", async (viewer, page) => {
  await page.click("#tool-band");
  await page.locator("#source .plot").scrollIntoViewIfNeeded();
  await viewer.dragOver("source", [0.4, 0.3], [0.4, 0.6]);
  await viewer.measureVelocities();
  await page.locator("#velocity-chart").waitFor();
  await viewer.settle();
  const [panes, readout] = [await viewer.box("#panes"), await viewer.box("#source .readout")];
  const chart = await viewer.box("#velocity-chart");
  assert(chart.y + chart.height <= readout.y + 1);
  assert(readout.y + readout.height <= panes.y + panes.height);
  assert(panes.y + panes.height <= (await viewer.box("#reference")).y);
  assert((await viewer.box("#source .plot")).height > 120);
}, { width: 390, height: 844 });
