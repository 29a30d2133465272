import assert from "node:assert/strict";
import fc from "fast-check";
import { AS_PLOT, ORIENTATIONS, UPRIGHT } from "../../static/demo/v2/picture/orientation.ts";
import { chooseZoomFactors } from "../../static/demo/v2/picture/picture_input.ts";
import { describePicture, PlacedView } from "../../static/demo/v2/picture/placed_view.ts";

const TIME = { name: "Y", step: 0.002, unit: "seconds" };
const SPACE = { name: "X", step: 0.5, unit: "um" };
const ROWS = { name: "Y", step: 0.5, unit: "um" };
/** 200 lines of 64 columns. */
const SCAN = describePicture({ shape: [200, 64], axes: [TIME, SPACE] }, false);
/** 30 rows of 50 columns. */
const IMAGE = describePicture({ shape: [30, 50], axes: [ROWS, SPACE] }, false);

Deno.test("images keep their aspect, line scans and threads do not, references always do", () => {
  assert.equal(SCAN.locked, false);
  assert.equal(IMAGE.locked, true);
  const thread = { shape: [700, 100] as const, axes: [ROWS, SPACE] as const };
  assert.equal(describePicture(thread, false).locked, false);
  assert.equal(describePicture(thread, true).locked, true);
});

Deno.test("a plot of a line scan runs from its first line to its last and upwards from column 0", () => {
  const placed = new PlacedView(SCAN, AS_PLOT);
  assert.equal(placed.time, "across");
  // Pixels are centred on their coordinate: half a step before 0 to half a step after the last.
  assert.deepEqual(placed.ranges.x, { low: -0.001, high: 0.399, title: "Time (s)" });
  assert.deepEqual(placed.ranges.y, { low: 31.75, high: -0.25, title: "X (µm)" });
  assert.deepEqual(placed.pixelAt({ fx: 0, fy: 1 }), { x: 0, y: 0 });
  assert.deepEqual(placed.pixelAt({ fx: 1.2, fy: -0.3 }), { x: 199, y: 63 });
  placed.orientation = UPRIGHT;
  assert.equal(placed.time, "down");
  assert.deepEqual(placed.ranges.y, { low: -0.001, high: 0.399, title: "Time (s)" });
});

Deno.test("inverts places and positions in all orientations, and keeps the view on a turn", () => {
  for (const orientation of ORIENTATIONS) {
    const placed = new PlacedView(SCAN, AS_PLOT);
    placed.view = { x0: 20, x1: 120, y0: 10, y1: 30 };
    placed.orientation = orientation;
    assert.deepEqual(placed.view, { x0: 20, x1: 120, y0: 10, y1: 30 });
    const { fx, fy } = placed.toPlot({ x: 45, y: 25 });
    const { x, y } = placed.positionAt({ fx, fy });
    assert(Math.abs(x - 45) < 1e-9 && Math.abs(y - 25) < 1e-9, `${x}, ${y}`);
  }
});

Deno.test("a drag selects a stripe of a line scan and a box of an image", () => {
  const plot = { width: 400, height: 100 };
  const [from, to] = [{ fx: 0.25, fy: 0.5 }, { fx: 0.5, fy: 0.75 }];
  const scan = new PlacedView(SCAN, AS_PLOT);
  // 100 pixels across, 25 down.
  assert.deepEqual(scan.boxOf(from, to, plot), { x0: 0.25, x1: 0.5, y0: 0, y1: 1 });
  scan.zoomToBox({ x0: 0.25, x1: 0.5, y0: 0, y1: 1 });
  assert.deepEqual(scan.view, { x0: 50, x1: 100, y0: 0, y1: 64 });
  const image = new PlacedView(IMAGE, UPRIGHT);
  assert.deepEqual(image.boxOf(from, to, plot), { x0: 0.25, y0: 0.5, x1: 0.5, y1: 0.75 });
});

Deno.test("merges fast successive changes into one step of the history", () => {
  let now = 0;
  const placed = new PlacedView(SCAN, AS_PLOT, () => now);
  const middle = { fx: 0.5, fy: 0.5 };
  assert.equal(placed.canGoBack, false);
  for (let i = 0; i < 4; i += 1) {
    now += 100;
    placed.zoom(middle, 1.5, 1);
  }
  const near = placed.view;
  now += 10_000;
  placed.goHome();
  // A change without effect is not a step.
  now += 10_000;
  placed.goHome();
  placed.goBack();
  assert.deepEqual(placed.view, near);
  placed.goBack();
  assert(placed.isHome);
  assert.equal(placed.canGoBack, false);
  placed.goBack();
  assert(placed.isHome);
});

Deno.test("shows the same part of the picture on undo after a turn", () => {
  let now = 0;
  const placed = new PlacedView(SCAN, AS_PLOT, () => now);
  placed.view = { x0: 20, x1: 120, y0: 10, y1: 30 };
  now = 10_000;
  placed.goHome();
  placed.orientation = UPRIGHT;
  placed.goBack();
  assert.deepEqual(placed.view, { x0: 20, x1: 120, y0: 10, y1: 30 });
});

Deno.test("moves a step in the visible direction and stays inside", () => {
  const placed = new PlacedView(SCAN, AS_PLOT);
  // Up is towards more columns.
  assert.deepEqual(placed.step({ x: 100, y: 32 }, 1, -1, false), { x: 101, y: 33 });
  assert.deepEqual(placed.step({ x: 100, y: 32 }, -500, 500, false), { x: 0, y: 0 });
  placed.view = { x0: 0, x1: 10, y0: 0, y1: 64 };
  assert.deepEqual(placed.step({ x: 9, y: 5 }, 3, 0, false), { x: 12, y: 5 });
  assert.deepEqual(placed.view, { x0: 3, x1: 13, y0: 0, y1: 64 });
});

Deno.test("the wheel zooms time over a line scan, both axes elsewhere", () => {
  const along = (time: "across" | "down" | null, kind: "plain" | "shift" | "alt" | "both") =>
    chooseZoomFactors({ time }, 2, kind);
  assert.deepEqual(along("across", "plain"), [2, 1]);
  assert.deepEqual(along("across", "shift"), [1, 2]);
  assert.deepEqual(along("across", "alt"), [2, 2]);
  assert.deepEqual(along("down", "plain"), [1, 2]);
  assert.deepEqual(along("down", "shift"), [2, 1]);
  assert.deepEqual(along(null, "plain"), [2, 2]);
  assert.deepEqual(along(null, "shift"), [2, 1]);
  assert.deepEqual(along(null, "alt"), [1, 2]);
  for (const time of ["across", "down", null] as const) assert.deepEqual(along(time, "both"), [2, 2]);
});

/** A picture whose shown pixels are its own. */
const wide = (locked = false) =>
  new PlacedView({ ...SCAN, width: 1000, height: 200, locked }, ORIENTATIONS[0]!);

Deno.test("zooms at the pointer, between four pixels and the whole picture", () => {
  const placed = wide();
  placed.zoom({ fx: 0.25, fy: 0.5 }, 2, 2);
  // Half the span about x = 250: a quarter lies left of it before and after.
  assert.deepEqual(placed.view, { x0: 125, x1: 625, y0: 50, y1: 150 });
  placed.goHome();
  placed.zoom({ fx: 0, fy: 0 }, 4, 1);
  assert.deepEqual(placed.view, { x0: 0, x1: 250, y0: 0, y1: 200 });
  placed.zoom({ fx: 0.5, fy: 0.5 }, 1e9, 1e9);
  const { x0, x1, y0, y1 } = placed.view;
  assert.deepEqual([x1 - x0, y1 - y0], [4, 4]);
  placed.zoom({ fx: 0.5, fy: 0.5 }, 1e-9, 1e-9);
  assert(placed.isHome);
});

Deno.test("stops panning at the edge, and reveals with the least movement", () => {
  const placed = wide();
  const part = { x0: 100, x1: 200, y0: 0, y1: 50 };
  placed.view = part;
  placed.pan(-5, 0.4);
  assert.deepEqual(placed.view, { x0: 0, x1: 100, y0: 20, y1: 70 });
  placed.view = part;
  placed.reveal({ x: 150, y: 20 });
  assert.deepEqual(placed.view, part);
  placed.reveal({ x: 200, y: 20 });
  assert.deepEqual(placed.view, { x0: 101, x1: 201, y0: 0, y1: 50 });
});

Deno.test("extends a box on a locked picture to the aspect of the view", () => {
  const box = { x0: 0.25, y0: 0.25, x1: 0.125, y1: 0.5 };
  const [free, locked] = [wide(), wide(true)];
  free.zoomToBox(box);
  assert.deepEqual(free.view, { x0: 125, x1: 250, y0: 50, y1: 100 });
  // 125 x 50 pixels: the view is 5 : 1, so 250 x 50 about the same middle.
  locked.zoomToBox(box);
  assert.deepEqual(locked.view, { x0: 62.5, x1: 312.5, y0: 50, y1: 100 });
});

Deno.test("any sequence of gestures stays inside the picture", () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const factor = fc.double({ min: 0.1, max: 10, noNaN: true });
  const pan = fc.double({ min: -9, max: 9, noNaN: true });
  const gesture = fc.record({ fx: fraction, fy: fraction, factor, pan });
  fc.assert(
    fc.property(fc.array(gesture, { maxLength: 20 }), (gestures) => {
      const placed = wide();
      for (const { fx, fy, factor, pan } of gestures) {
        placed.zoom({ fx, fy }, factor, 1 / factor);
        placed.pan(pan, -pan);
        const { x0, x1, y0, y1 } = placed.view;
        assert(x0 >= 0 && x1 <= 1000 && y0 >= 0 && y1 <= 200);
        assert(x1 - x0 >= 4 - 1e-6 && y1 - y0 >= 4 - 1e-6);
      }
    }),
    { numRuns: 1000, seed: 6 },
  );
});
