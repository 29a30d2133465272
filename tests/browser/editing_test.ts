/** Bands, lines and cursors are edited by mouse, keys, finger and typed numbers, in each browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { StubbedServer, type Viewer } from "./browser.ts";
import { measuredScan, PIXEL_SIZE, SCAN_SHAPE } from "./measured_scan.ts";
import { bandsOf, draw, drawBand, openScan, unfold } from "./measuring_hand.ts";
import { BROWSERS, browserTest, type Point, startBrowser } from "./remote_page.ts";
import { RemoteViewer } from "./remote_viewer.ts";
import { viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();
const [LINES, COLUMNS] = SCAN_SHAPE;

/** Runs in the page: all that the lists say, and the fields of what is selected. */
const LISTED = `[...document.querySelectorAll(
  "#measure-bands .pick, #measure-lines td, #measure-cursors .picks, #measure-cursors td"
)].map(({ textContent }) => textContent)`;
const FIELDS = `Object.fromEntries([...document.querySelectorAll(".shape input[id]")].map((field) =>
  [field.id.replace("shape-", ""), field.type === "number" ? field.valueAsNumber : field.value]))`;

class Editor extends RemoteViewer {
  press = async (...keys: string[]) => {
    for (const key of keys) await this.page.press(key);
  };

  listed = () => this.page.evaluate(LISTED) as Promise<string[]>;

  fields = () => this.page.evaluate(FIELDS) as Promise<Record<string, number>>;

  /** Drags between places in lines and columns; column 0 is at the bottom. */
  dragSamples(from: Point, to: Point): Promise<void> {
    const at = ([line, column]: Point): Point => [line / LINES, 1 - column / COLUMNS];
    return this.drag(at(from), at(to));
  }

  /** Drags a grip by so many lines and columns. */
  async pull(grip: string, lines: number, columns: number): Promise<void> {
    const [, , plotWidth, plotHeight] = await this.box("#source .plot");
    const [left, top, width, height] = await this.box(`.grip.${grip}`);
    const [x, y] = [left + width / 2, top + height / 2];
    await this.page.drag([x, y], [x + lines / LINES * plotWidth, y - columns / COLUMNS * plotHeight]);
  }
}

/** Outer edge of a column in µm. */
const edge = (column: number) => Number(((column - 0.5) * PIXEL_SIZE).toFixed(3));

/** The typed places of a line: lines in s, columns in µm, as far as a drag in whole pixels of the screen goes. */
function assertNear(fields: Record<string, number>, expected: Record<string, number>): void {
  for (const [name, value] of Object.entries(expected)) {
    assert(
      Math.abs(fields[name]! - value) < (name.endsWith("x") ? 0.005 : 0.3),
      `${name}: ${fields[name]}, ${value}`,
    );
  }
}

/** Each step with what it must do; each is undone and redone afterwards. */
function stepsOf(editor: Editor): Record<string, () => Promise<void>> {
  const { press, fields } = editor;
  const click = (selector: string) => editor.click(selector);
  const focus = (selector: string) => editor.focus(selector);
  const type = (id: string, value: string) => editor.type(`shape-${id}`, value);
  const assertBand = async (from: number, to: number) => {
    const { "from-y": low, "to-y": high } = await fields();
    assert.deepEqual([low, high], [edge(from), edge(to)]);
  };
  return {
    async "draws a band, which is selected"() {
      await click("#tool-band");
      await editor.dragSamples([240, 30.4], [260, 49.6]);
      await click("#tool-zoom");
      await assertBand(30, 50);
    },
    async "moves it by its grip"() {
      await editor.pull("whole", 0, 10);
      await assertBand(40, 60);
    },
    async "drags its upper edge"() {
      await editor.pull("to", 0, -5);
      await assertBand(40, 55);
    },
    async "moves it by an arrow key"() {
      await focus("#source .plot");
      await press("Enter", "ArrowUp");
      await assertBand(41, 56);
    },
    async "moves its lower edge by an arrow key"() {
      await press("Tab", "ArrowDown");
      await assertBand(40, 56);
    },
    async "moves its upper edge by another"() {
      await press("Tab", "ArrowUp");
      await assertBand(40, 57);
    },
    async "types its lower edge, which goes to the nearest pixel"() {
      await type("from-y", String(edge(10) + 0.1));
      await assertBand(10, 57);
    },
    async "types its upper edge below the lower one, which gives way"() {
      await type("to-y", String(edge(8)));
      await assertBand(7, 8);
    },
    "names it": async () => void await type("name", "soma"),
    "colours it": async () => void await type("color", "#ff0000"),
    async "duplicates it"() {
      await click("#shape-duplicate");
      assert.equal(String((await fields()).name), "soma copy");
      await assertBand(7, 8);
    },
    async "moves the copy, inside the picture"() {
      await editor.pull("whole", 0, -30);
      await assertBand(0, 1);
    },
    async "draws a line"() {
      await click("#tool-line");
      await editor.dragSamples([120, 20], [240, 60]);
      await click("#tool-zoom");
      assertNear(await fields(), { "start-x": 0.2531, "start-y": 8.775, "end-x": 0.5073, "end-y": 26.775 });
    },
    async "moves it"() {
      await editor.pull("whole", 60, -10);
      assertNear(await fields(), { "start-x": 0.3802, "start-y": 4.275, "end-x": 0.6343, "end-y": 22.275 });
    },
    async "drags its end"() {
      await editor.pull("end", 100, 20);
      assertNear(await fields(), { "start-x": 0.3802, "start-y": 4.275, "end-x": 0.8461, "end-y": 31.275 });
    },
    async "moves its end by a pixel"() {
      const before = await fields();
      await focus(".grip.end");
      await press("ArrowUp");
      assert(Math.abs((await fields())["end-y"]! - before["end-y"]! - PIXEL_SIZE) < 0.01);
    },
    async "types its start"() {
      await type("start-x", "0.1");
      assert.equal((await fields())["start-x"], 0.1);
    },
    "names the line": async () => void await type("name", "fast"),
    async "duplicates the line"() {
      const { name: _, ...places } = await fields();
      await click("#shape-duplicate");
      const { name, ...others } = await fields();
      assert.equal(String(name), "fast copy");
      assert.deepEqual(others, places);
    },
    async "pins a cursor"() {
      await focus("#source .plot");
      await press("Escape", "ArrowRight", "x");
      // The middle of the picture.
      assertNear(await fields(), { "at-x": 300 * 0.002118, "at-y": 40 * PIXEL_SIZE });
    },
    async "drags it"() {
      await editor.pull("whole", -100, 20);
      assertNear(await fields(), { "at-x": 200 * 0.002118, "at-y": 60 * PIXEL_SIZE });
    },
    async "moves it by a line"() {
      const before = await fields();
      await focus(".grip");
      await press("ArrowRight");
      assert.equal((await fields())["at-x"], Number((before["at-x"]! + 0.002118).toFixed(5)));
    },
    async "types its position"() {
      await type("at-y", "9");
      assert.equal((await fields())["at-y"], 9);
    },
    "names the cursor": async () => void await type("name", "peak"),
    async "duplicates the cursor"() {
      await click("#shape-duplicate");
      assert.equal((await fields())["at-y"], 9);
    },
    async "removes it by a key"() {
      await focus(".grip");
      await press("Delete");
      assert.deepEqual(await fields(), {});
    },
    async "selects a band by a click and removes it"() {
      await editor.dragSamples([450, 7.5], [450, 7.5]);
      assert.equal(String((await fields()).name), "soma");
      await focus(".grip");
      await press("Delete");
    },
  };
}

for (const name of BROWSERS) {
  browserTest(`bands, lines and cursors are edited, undone and redone in ${name}`, name, async () => {
    await using server = await StubbedServer.start();
    const path = join(server.folder, "vessel.oir");
    await Deno.writeFile(path, measuredScan());
    server.choose(path);
    await using page = await startBrowser(name);
    const editor = new Editor(page);
    await editor.open(server);
    await page.evaluate(
      'document.querySelectorAll("#measure details").forEach((part) => part.open = true)',
    );
    const steps = Object.entries(stepsOf(editor));
    const states = [await editor.listed()];
    for (const [step, work] of steps) {
      await work().catch((error) => assert.fail(`${step}: ${error.message}`));
      states.push(await editor.listed());
    }
    for (let i = steps.length - 1; i >= 0; i -= 1) {
      await editor.click("#undo");
      assert.deepEqual(await editor.listed(), states[i], `undoes: ${steps[i]![0]}`);
    }
    for (const [i, [step]] of steps.entries()) {
      await editor.click("#redo");
      assert.deepEqual(await editor.listed(), states[i + 1], `redoes: ${step}`);
    }
    assert.equal(await page.evaluate('document.getElementById("redo").disabled'), true);
  });
}

async function openLists(viewer: Viewer): Promise<void> {
  await openScan(viewer);
  await unfold(viewer, "lines", "cursors");
}

const edges = async ({ page }: Viewer) =>
  await Promise.all(["from", "to"].map(async (end) => Number(await page.inputValue(`#shape-${end}-y`))));

test("a finger draws a band, moves its edge and selects, and scrolls again", async (viewer, page) => {
  await openLists(viewer);
  await page.click("#tool-band");
  await page.locator("#source .plot").scrollIntoViewIfNeeded();
  await viewer.settle();
  const touch = await page.context().newCDPSession(page);
  const send = (type: string, ...touchPoints: { x: number; y: number }[]) =>
    touch.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints });
  const swipe = async (...places: { x: number; y: number }[]) => {
    await send("touchStart", places[0]!);
    for (const place of places.slice(1)) await send("touchMove", place);
    await send("touchEnd");
  };
  /** At the height of so many columns. */
  const over = async (part: number, columns: number) => {
    const { x, y, width, height } = await viewer.box("#source .plot");
    return { x: x + part * width, y: y + (1 - columns / COLUMNS) * height };
  };
  await swipe(...await Promise.all([20.4, 26, 33, 39.6].map((columns) => over(0.4, columns))));
  await bandsOf(viewer).waitFor();
  await page.click("#tool-zoom");
  await page.locator("#source .plot").scrollIntoViewIfNeeded();
  await viewer.settle();
  assert.match((await page.locator("#source .plot").getAttribute("style"))!, /touch-action: pan-y/);
  assert.deepEqual(await edges(viewer), [edge(20), edge(40)]);
  const { x, y, width, height } = await viewer.box(".grip.to");
  const column = (await viewer.box("#source .plot")).height / COLUMNS;
  // Beside the grip, within reach of a finger.
  const at = (columns: number) => ({ x: x + width / 2 + 12, y: y + height / 2 - columns * column });
  await swipe(at(0), at(3), at(6), at(10));
  assert.deepEqual(await edges(viewer), [edge(20), edge(50)]);
  await swipe(await over(0.1, 70));
  await page.locator(".grip").first().waitFor({ state: "detached" });
  await swipe(await over(0.1, 30));
  await page.locator(".grip").first().waitFor();
}, { context: { viewport: { width: 390, height: 844 }, hasTouch: true } });

test("keys reach every shape and its ends, and leave them again", async (viewer, page) => {
  await openLists(viewer);
  await drawBand(viewer, 20, 30);
  await drawBand(viewer, 50, 60);
  // Without a cursor, which would lead to what it points at.
  await page.mouse.move(5, 5);
  await page.keyboard.press("Escape");
  await page.focus("#source .plot");
  const focused = () => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.className");
  const path = [];
  for (const key of ["Enter", "Tab", "Tab", "Tab", "Shift+Tab", "Tab", "Tab", "Tab", "Tab"]) {
    await page.keyboard.press(key);
    path.push(await focused());
  }
  const parts = (name: string, place: string) =>
    ["Move", "Move from of", "Move to of"].map((part) => `${part} ${name}, ${place}`);
  const [first, second] = [parts("Band 1", "8.78–13.3 µm"), parts("Band 2", "22.3–26.8 µm")];
  assert.deepEqual(path.slice(0, 8), [...first, second[0], first[2], ...second]);
  assert.doesNotMatch(String(path[8]), /Band/);
  // Shift moves by a twentieth of the 80 columns; a held key is one step.
  await page.focus(".grip.whole");
  await page.keyboard.press("Shift+ArrowDown");
  assert.deepEqual(await edges(viewer), [edge(46), edge(56)]);
  for (let i = 0; i < 5; i += 1) await page.keyboard.down("ArrowDown");
  await page.keyboard.up("ArrowDown");
  assert.deepEqual(await edges(viewer), [edge(41), edge(51)]);
  assert.match((await page.textContent("#announcer"))!, /18\.2–22\.7 µm/);
  await page.click("#undo");
  assert.deepEqual(await edges(viewer), [edge(46), edge(56)]);
  await page.focus(".grip.whole");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.id"), "shape-from-y");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "Move Band 2, 20.5–25 µm");
  await page.keyboard.press("Escape");
  assert.match(String(await focused()), /^source picture of /);
  assert.equal(await page.locator(".grip").count(), 0);
});

test("a drag is cancelled by Escape, follows a turned picture, and cannot leave it", async (viewer, page) => {
  await openLists(viewer);
  await drawBand(viewer, 20, 30);
  await page.click("#tool-zoom");
  const grip = await viewer.box(".grip.whole");
  await page.mouse.move(grip.x + 7, grip.y + 7);
  await page.mouse.down();
  await page.mouse.move(grip.x + 7, grip.y - 60);
  assert.notDeepEqual(await edges(viewer), [edge(20), edge(30)]);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  assert.deepEqual(await edges(viewer), [edge(20), edge(30)]);
  await page.click("#undo");
  assert(await page.locator("#undo").isDisabled(), "the cancelled drag is no step");
  await page.click("#redo");
  await page.locator("#measure-bands .pick").click();
  await page.click("#source .turn");
  await viewer.settle();
  // Columns run from left to right now.
  const [turned, plot] = [await viewer.box(".grip.whole"), await viewer.box("#source .plot")];
  const middle = { x: turned.x + 7, y: turned.y + 7 };
  await viewer.drag(middle, { x: middle.x + 10 * plot.width / COLUMNS, y: middle.y + 30 });
  assert.deepEqual(await edges(viewer), [edge(30), edge(40)]);
  await viewer.drag({ x: middle.x + 10 * plot.width / COLUMNS, y: middle.y }, {
    x: plot.x + plot.width + 300,
    y: middle.y,
  });
  assert.deepEqual(await edges(viewer), [edge(70), edge(80)]);
  for (let turns = 0; turns < 3; turns += 1) await page.click("#source .turn");
});

test("a rectangle over an image is moved, resized, renamed and duplicated", async (viewer, page) => {
  await viewer.open(files.image);
  const [rows, columns] = [30, 50];
  await draw(viewer, "rectangle", [10.3 / columns, 5.3 / rows], [19.7 / columns, 14.7 / rows]);
  await page.click("#tool-zoom");
  // Columns and rows of 0.5 µm, from outer edge to outer edge.
  const places = () =>
    Promise.all(
      ["start-y", "start-x", "stop-y", "stop-x"].map(async (id) =>
        Number(await page.inputValue(`#shape-${id}`)) / 0.5 + 0.5
      ),
    );
  const listed = () => page.locator("#measure-regions tbody tr").allInnerTexts();
  assert.deepEqual(await places(), [10, 5, 20, 15]);
  const plot = await viewer.box("#source .plot");
  const pull = async (grip: string, right: number, down: number) => {
    const { x, y } = await viewer.box(`.grip.${grip}`);
    const at = { x: x + 7, y: y + 7 };
    await viewer.drag(at, { x: at.x + right * plot.width / columns, y: at.y + down * plot.height / rows });
  };
  await pull("whole", 5, -2);
  assert.deepEqual(await places(), [15, 3, 25, 13]);
  await pull("stop", 10, 5);
  assert.deepEqual(await places(), [15, 3, 35, 18]);
  await page.focus("#source .plot");
  for (const key of ["Enter", "ArrowLeft", "ArrowDown"]) await page.keyboard.press(key);
  assert.deepEqual(await places(), [14, 4, 34, 19]);
  await viewer.enter("#shape-start-y", "0");
  assert.deepEqual(await places(), [1, 4, 34, 19]);
  await page.fill("#shape-name", "soma");
  await page.click("#shape-duplicate");
  assert.equal(await page.inputValue("#shape-name"), "soma copy");
  const before = await listed();
  assert.equal(before.length, 2);
  await page.focus(".grip.whole");
  await page.keyboard.press("Delete");
  assert.equal((await listed()).length, 1);
  await page.click("#undo");
  assert.deepEqual(await listed(), before);
  // A press inside selects.
  await page.keyboard.press("Escape");
  await page.mouse.click(plot.x + 20 / columns * plot.width, plot.y + 10 / rows * plot.height);
  assert.match(await page.inputValue("#shape-name"), /^soma/);
});
