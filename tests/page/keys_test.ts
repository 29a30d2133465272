import assert from "node:assert/strict";
import { attachKeys } from "../../static/demo/v2/controls/keys.js";

/** Effects of a key on a plot, and whether it keeps the key from the page. */
function press(key: string, modifiers: Record<string, boolean> = {}, hasCursor = true) {
  const plot = new EventTarget();
  const done: unknown[][] = [];
  attachKeys(plot as never, {
    step: (...args: unknown[]) => done.push(["step", ...args]),
    zoom: (...args: unknown[]) => done.push(["zoom", ...args]),
    home: () => done.push(["home"]),
    back: () => done.push(["back"]),
    enter: () => done.push(["enter"]),
    leave: () => {
      done.push(["leave"]);
      return hasCursor;
    },
  });
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...modifiers });
  plot.dispatchEvent(event);
  return { done, isTaken: event.defaultPrevented };
}

Deno.test("arrows move the cursor, with Shift further", () => {
  assert.deepEqual(press("ArrowUp"), { done: [["step", 0, -1, undefined]], isTaken: true });
  assert.deepEqual(press("ArrowRight", { shiftKey: true }).done, [["step", 1, 0, true]]);
});

Deno.test("plus and minus zoom as the wheel does, brackets one way", () => {
  assert.deepEqual(press("+").done, [["zoom", 1.5, "plain"]]);
  assert.deepEqual(press("]").done, [["zoom", 1.5, "across"]]);
  assert.deepEqual(press("{").done, [["zoom", 1 / 1.5, "down"]]);
  assert.deepEqual(press("0").done, [["home"]]);
  assert.deepEqual(press("Backspace").done, [["back"]]);
  assert.deepEqual(press("Enter").done, [["enter"]]);
});

Deno.test("Escape hides the cursor once; other keys and browser shortcuts reach the page", () => {
  assert.deepEqual(press("Escape"), { done: [["leave"]], isTaken: true });
  assert.deepEqual(press("Escape", {}, false), { done: [["leave"]], isTaken: false });
  assert.deepEqual(press("c"), { done: [], isTaken: false });
  assert.deepEqual(press("+", { ctrlKey: true }), { done: [], isTaken: false });
});
