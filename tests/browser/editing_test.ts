/** What is drawn is edited by mouse, keys, finger and typed numbers, undone and restored, in each browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writePlainStore } from "../fixtures/plain_store.ts";
import { StubbedServer } from "./browser.ts";
import type { Viewer } from "./viewer.ts";
import { LINE_TIME, measuredScan, PIXEL_SIZE, SCAN_SHAPE } from "./measured_scan.ts";
import { BROWSERS, browserTest, type Point, startBrowser } from "./remote_page.ts";
import { RemoteViewer } from "./remote_viewer.ts";
import { MICROMETRES, viewerSuite } from "./suite.ts";

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

  fields = () => this.page.evaluate(FIELDS) as Promise<Fields>;

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

type Fields = Record<string, number | string>;

/** What to do, and what the fields say then; as a function, how that follows from what they said before. */
type Step = readonly [
  name: string,
  act: () => Promise<unknown>,
  expected?: Fields | ((before: Fields) => Fields),
];

/** Lines in s, columns in µm: a drag goes by whole pixels of the screen, a key exactly. */
function assertFields(fields: Fields, expected: Fields, [inTime, inSpace]: readonly [number, number]): void {
  for (const [name, value] of Object.entries(expected)) {
    const most = name.endsWith("x") ? inTime : inSpace;
    const isNear = typeof value === "string"
      ? fields[name] === value
      : Math.abs(Number(fields[name]) - value) < most;
    assert(isNear, `${name}: ${fields[name]}, ${value}`);
  }
}

/** Each step is undone and redone afterwards. */
function stepsOf(editor: Editor): Step[] {
  const { press } = editor;
  const click = (selector: string) => () => editor.click(selector);
  const type = (id: string, value: string) => () => editor.type(`shape-${id}`, value);
  const pull = (grip: string, lines: number, columns: number) => () => editor.pull(grip, lines, columns);
  const keysOn = (selector: string, ...keys: string[]) => async () => {
    await editor.focus(selector);
    await press(...keys);
  };
  const draw = (tool: string, from: Point, to: Point) => async () => {
    await editor.click(`#tool-${tool}`);
    await editor.dragSamples(from, to);
    await editor.click("#tool-zoom");
  };
  const band = (from: number, to: number) => ({ "from-y": edge(from), "to-y": edge(to) });
  const [x, y] = [(line: number) => line * LINE_TIME, (column: number) => (column - 0.5) * PIXEL_SIZE];
  const line = ([startX, startY]: Point, [endX, endY]: Point) => ({
    "start-x": x(startX - 0.5),
    "start-y": y(startY),
    "end-x": x(endX - 0.5),
    "end-y": y(endY),
  });
  const cursor = (line: number, column: number) => ({ "at-x": x(line), "at-y": column * PIXEL_SIZE });
  const plot = "#source .plot";
  return [
    ["draws a band, which is selected", draw("band", [240, 30.4], [260, 49.6]), band(30, 50)],
    ["moves it by its grip", pull("whole", 0, 10), band(40, 60)],
    ["drags its upper edge", pull("to", 0, -5), band(40, 55)],
    ["moves it by an arrow key", keysOn(plot, "Enter", "ArrowUp"), band(41, 56)],
    ["moves its lower edge by an arrow key", () => press("Tab", "ArrowDown"), band(40, 56)],
    ["moves its upper edge by another", () => press("Tab", "ArrowUp"), band(40, 57)],
    ["types its lower edge, which goes to a pixel", type("from-y", String(edge(10) + 0.1)), band(10, 57)],
    ["types its upper edge, for which the lower gives way", type("to-y", String(edge(8))), band(7, 8)],
    ["names it", type("name", "soma"), { name: "soma" }],
    ["colours it", type("color", "#ff0000"), { color: "#ff0000" }],
    ["duplicates it", click("#shape-duplicate"), { name: "soma copy", ...band(7, 8) }],
    ["moves the copy, inside the picture", pull("whole", 0, -30), band(0, 1)],
    ["draws a line", draw("line", [120, 20], [240, 60]), line([120, 20], [240, 60])],
    ["moves it", pull("whole", 60, -10), line([180, 10], [300, 50])],
    ["drags its end", pull("end", 100, 20), line([180, 10], [400, 70])],
    ["moves its end by a pixel", keysOn(".grip.end", "ArrowUp"), (before) => ({
      "end-y": Number(before["end-y"]) + PIXEL_SIZE,
    })],
    ["types its start", type("start-x", "0.1"), { "start-x": 0.1 }],
    ["names the line", type("name", "fast"), { name: "fast" }],
    ["duplicates the line", click("#shape-duplicate"), (before) => ({ ...before, name: "fast copy" })],
    // The middle of the picture.
    ["pins a cursor", keysOn(plot, "Escape", "ArrowRight", "x"), cursor(300, 40)],
    ["drags it", pull("whole", -100, 20), cursor(200, 60)],
    ["moves it by a line", keysOn(".grip", "ArrowRight"), (before) => ({
      "at-x": Number(before["at-x"]) + LINE_TIME,
    })],
    ["types its position", type("at-y", "9"), { "at-y": 9 }],
    ["names the cursor", type("name", "peak"), { name: "peak" }],
    ["duplicates the cursor", click("#shape-duplicate"), { "at-y": 9 }],
    ["removes it by a key", keysOn(".grip", "Delete"), () => ({})],
    ["selects a band by a click and removes it", async () => {
      await editor.dragSamples([450, 7.5], [450, 7.5]);
      assert.equal((await editor.fields()).name, "soma");
      await keysOn(".grip", "Delete")();
    }],
  ];
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
    const steps = stepsOf(editor);
    const states = [await editor.listed()];
    for (const [step, act, expected = {}] of steps) {
      const before = await editor.fields();
      try {
        await act();
        const [wanted, exact] = typeof expected === "function"
          ? [expected(before), [0.0001, 0.01] as const]
          : [expected, [0.005, 0.3] as const];
        assertFields(await editor.fields(), wanted, exact);
      } catch (error) {
        assert.fail(`${step}: ${error}`);
      }
      states.push(await editor.listed());
    }
    assert.deepEqual(await editor.fields(), {}, "nothing is selected");
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

/** Rows and columns of an image, in steps of half a micrometre. */
const IMAGE = [30, 50] as const;

/** Runs in the page: what the lists of an image say. */
const IN_IMAGE = `[...document.querySelectorAll(
  "#measure-regions td, #line-length, #measure-cursors .picks, #measure-cursors td"
)].map(({ textContent }) => textContent)`;

for (const name of BROWSERS) {
  browserTest(
    `rectangles, lines over images and cursors are undone and restored in ${name}`,
    name,
    async () => {
      await using server = await StubbedServer.start();
      const store = join(server.folder, "tissue.ome.zarr");
      const samples = Uint16Array.from(
        { length: IMAGE[0] * IMAGE[1] },
        (_, i) => Math.floor(i / IMAGE[1]) ** 2,
      );
      writePlainStore(store, {
        planes: [samples],
        rows: IMAGE[0],
        columns: IMAGE[1],
        y: MICROMETRES,
        x: MICROMETRES,
      });
      server.choose(join(store, "zarr.json"));
      await using page = await startBrowser(name);
      const editor = new Editor(page);
      await editor.open(server);
      const listed = () => page.evaluate(IN_IMAGE) as Promise<string[]>;
      /** Columns go right, rows down. */
      const draw = (tool: string, [left, top]: Point, [right, bottom]: Point) => async () => {
        await editor.click(`#tool-${tool}`);
        await editor.drag([left / IMAGE[1], top / IMAGE[0]], [right / IMAGE[1], bottom / IMAGE[0]]);
        await editor.click("#tool-zoom");
      };
      const steps: [string, () => Promise<unknown>][] = [
        ["draws a rectangle", draw("rectangle", [10.4, 5.4], [19.6, 14.6])],
        ["moves it by a key", async () => {
          await editor.focus(".grip.whole");
          await editor.press("ArrowRight");
        }],
        ["names it", () => editor.type("shape-name", "cell")],
        ["duplicates it", () => editor.click("#shape-duplicate")],
        ["draws a line", draw("line", [5.5, 20.5], [25.5, 20.5])],
        ["draws another in its place", draw("line", [5.5, 10.5], [45.5, 10.5])],
        ["widens it", () => editor.type("kymograph-width", "3")],
        ["pins a cursor", async () => {
          await editor.focus("#source .plot");
          await editor.press("Escape", "ArrowRight", "x");
        }],
        ["removes a rectangle", () => editor.click("#measure-regions .icon")],
      ];
      const states = [await listed()];
      for (const [step, act] of steps) {
        await act();
        const state = await listed();
        assert.notDeepEqual(state, states.at(-1), step);
        states.push(state);
      }
      assert.match(states[2]!.join(" "), /11, 5 to 21, 15/);
      assert.match(states[7]!.join(" "), /Length (19\.9\d|20(\.0\d)?) µm/);
      const undoAll = async () => {
        for (let i = steps.length - 1; i >= 0; i -= 1) {
          await editor.click("#undo");
          assert.deepEqual(await listed(), states[i], `undoes: ${steps[i]![0]}`);
        }
      };
      await undoAll();
      for (const [i, [step]] of steps.entries()) {
        await editor.click("#redo");
        assert.deepEqual(await listed(), states[i + 1], `redoes: ${step}`);
      }
      await editor.keepArchive();
      await undoAll();
      const said = await editor.restoreArchive();
      assert.match(said, /^Restored from saved\.zip: 1 cursor, 1 region, kymograph\./);
      assert.deepEqual(await listed(), states.at(-1));
      await editor.click("#measure-regions .pick");
      await editor.focus(".grip.whole");
      await editor.press("ArrowLeft");
      const place = (await listed()).find((text) => text.includes(" to "))!;
      assert.match(place, /^10, 5 to 20, 15/, "what was restored moves on");
      await editor.click("#undo");
      assert.deepEqual(await listed(), states.at(-1));
      await editor.click("#undo");
      assert.deepEqual(await listed(), states[0], "restoring is one step");
    },
  );

  browserTest(`bands, lines and cursors move after they were restored in ${name}`, name, async () => {
    await using server = await StubbedServer.start();
    const path = join(server.folder, "vessel.oir");
    await Deno.writeFile(path, measuredScan());
    server.choose(path);
    await using page = await startBrowser(name);
    const editor = new Editor(page);
    await editor.open(server);
    for (
      const [tool, from, to] of [["band", [240, 30.4], [260, 49.6]], ["line", [120, 20], [240, 60]]] as const
    ) {
      await editor.click(`#tool-${tool}`);
      await editor.dragSamples(from, to);
    }
    await editor.click("#tool-zoom");
    await editor.focus("#source .plot");
    await editor.press("Escape", "ArrowRight", "x");
    const drawn = await editor.listed();
    await editor.keepArchive();
    for (let i = 0; i < 3; i += 1) await editor.click("#undo");
    assert.notDeepEqual(await editor.listed(), drawn);
    await editor.restoreArchive();
    assert.deepEqual(await editor.listed(), drawn);
    for (
      const [list, field, step] of [
        ["bands", "from-y", PIXEL_SIZE],
        ["lines", "start-y", PIXEL_SIZE],
        ["cursors", "at-y", PIXEL_SIZE],
      ] as const
    ) {
      await editor.click(`#measure-${list} .pick`);
      const before = await editor.fields();
      await editor.focus(".grip.whole");
      await editor.press("ArrowUp");
      const after = await editor.fields();
      assert(
        Math.abs(Number(after[field]) - Number(before[field]) - step) < 0.01,
        `${list}: ${after[field]}`,
      );
      await editor.click("#undo");
      assert.deepEqual([await editor.fields(), await editor.listed()], [before, drawn], list);
    }
  });
}

async function openLists(viewer: Viewer): Promise<void> {
  await viewer.openScan();
  await viewer.unfold("lines", "cursors");
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
  await viewer.bands.waitFor();
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
  await viewer.drawBand(20, 30);
  await viewer.drawBand(50, 60);
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

test("Escape cancels a drag, which follows a turned picture and cannot leave it", async (viewer, page) => {
  await openLists(viewer);
  await viewer.drawBand(20, 30);
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
  assert(await page.locator("#undo").isDisabled(), "the cancelled drag is not a step");
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

test("moves, resizes, renames and duplicates a rectangle over an image", async (viewer, page) => {
  await viewer.open(files.image);
  const [rows, columns] = [30, 50];
  await viewer.draw("rectangle", [10.3 / columns, 5.3 / rows], [19.7 / columns, 14.7 / rows]);
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
