/** A bar between two panes that moves by dragging or arrow keys (role `separator`). */

/** Smallest share of a pane in percent. */
const SMALLEST = 15;

/** Steps of keys, in percent. @type {Readonly<Record<string, number>>} */
const STEPS = { ArrowUp: -2, ArrowDown: 2, PageUp: -10, PageDown: 10 };

/**
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
  bar.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step !== undefined) move(percent + step);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(100);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
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
