import assert from "node:assert/strict";
import { ORIENTATIONS } from "../../static/demo/v2/picture/orientation.js";
import { attachKeys } from "../../static/demo/v2/picture/picture_input.js";
import { pictureOf, PlacedView } from "../../static/demo/v2/picture/placed_view.js";

const AXES = [{ name: "Y", step: 1, unit: "seconds" }, { name: "X", step: 1, unit: "um" }];

/** A plot of 90 lines and 60 columns whose cursor is at line 30, column 20, and what keys do with it. */
function plot(cursor: { x: number; y: number } | null = { x: 30, y: 20 }) {
  const target = new EventTarget();
  const placed = new PlacedView(pictureOf({ shape: [90, 60], axes: AXES }, false), ORIENTATIONS[0]!);
  const state = {
    placed,
    cursor,
    entered: 0,
    change: (change: (placed: PlacedView) => void) => change(placed),
    moveCursor: (moved: typeof cursor) => state.cursor = moved,
    onEnter: () => state.entered += 1,
  };
  attachKeys(target as never, state);
  /** Whether the plot keeps the key from the page. */
  const press = (key: string, modifiers: Record<string, boolean> = {}) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...modifiers });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { state, press };
}

Deno.test("arrows move the cursor, with Shift further; the first shows it in the middle", () => {
  const { state, press } = plot(null);
  assert.equal(press("ArrowUp"), true);
  assert.deepEqual(state.cursor, { x: 45, y: 30 });
  press("ArrowUp");
  assert.deepEqual(state.cursor, { x: 45, y: 29 });
  press("ArrowRight", { shiftKey: true });
  // A twentieth of the view is 4.5 lines.
  assert.deepEqual(state.cursor, { x: 50, y: 29 });
});

Deno.test("plus and minus zoom time at the cursor, brackets one way", () => {
  const { state: { placed }, press } = plot();
  const size = () => [placed.view.x1 - placed.view.x0, placed.view.y1 - placed.view.y0].map(Math.round);
  press("+");
  assert.deepEqual(size(), [60, 60]);
  assert(Math.abs(placed.toPlot({ x: 30.5, y: 20.5 }).fx - 30.5 / 90) < 1e-9);
  press("}");
  assert.deepEqual(size(), [60, 40]);
  press("[");
  assert.deepEqual(size(), [90, 40]);
  press("0");
  assert(placed.isHome);
  press("Backspace");
  assert.deepEqual(size(), [90, 40]);
});

Deno.test("Escape hides the cursor once; other keys and browser shortcuts reach the page", () => {
  const { state, press } = plot();
  assert.deepEqual([press("Escape"), state.cursor, press("Escape")], [true, null, false]);
  assert.deepEqual([press("Enter"), state.entered], [true, 1]);
  assert.deepEqual([press("c"), press("+", { ctrlKey: true })], [false, false]);
});
