/** Handles that move by dragging and keys. */

/** Smallest share of a pane in percent. */
const SMALLEST = 15;

/** Steps by `event.key`. @typedef {Readonly<Record<string, number>>} Steps */

/** Of a divider, in percent. @type {Steps} */
const DIVIDER = { ArrowUp: -2, ArrowDown: 2, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };

/** Of a slider; a page has ten. @type {Steps} */
export const SLIDER = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Moves a bar between two panes (role `separator`).
 *
 * @param {HTMLElement} bar between the panes, in a container whose height both share
 * @param {(percent: number) => void} onMove share of the upper pane
 * @param {() => number} leastHeight of a pane in CSS pixels, if both have room
 * @param {number} [start] percent
 */
export function attachDivider(bar, onMove, leastHeight, start = 54) {
  let percent = start;
  const track = /** @type {HTMLElement} */ (bar.parentElement);
  const move = (/** @type {number} */ wanted) => {
    const { height } = track.getBoundingClientRect();
    const least = height > 0 ? Math.min(44, Math.max(SMALLEST, (100 * leastHeight()) / height)) : SMALLEST;
    percent = Math.min(100 - least, Math.max(least, wanted));
    bar.ariaValueMin = String(Math.round(least));
    bar.ariaValueMax = String(Math.round(100 - least));
    bar.ariaValueNow = String(Math.round(percent));
    onMove(percent);
  };
  onDrag(bar, (event) => {
    const box = track.getBoundingClientRect();
    move(100 * (event.clientY - box.top) / box.height);
  });
  bar.addEventListener("dblclick", () => move(start));
  onSteps(bar, DIVIDER, (step) => move(percent + step));
  move(start);
}

/** Follows drags of a handle, which takes the focus. @param {HTMLElement} handle @param {(event: PointerEvent) => void} move */
export function onDrag(handle, move) {
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => handle.hasPointerCapture(event.pointerId) && move(event));
}

/** Follows keys on a handle. @param {HTMLElement} handle @param {Steps} steps @param {(step: number, isFar: boolean) => void} move */
export function onSteps(handle, steps, move) {
  handle.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    move(step, event.shiftKey);
    event.preventDefault();
    event.stopPropagation();
  });
}
