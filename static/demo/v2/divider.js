/** A bar between two panes that is dragged or moved by the arrow keys (role `separator`). */

const SMALLEST = 15;
const LARGEST = 85;

/**
 * @param {HTMLElement} bar between the panes, in a container whose height both share
 * @param {(percent: number) => void} onMove share of the upper pane
 * @param {number} [start] percent
 */
export function attachDivider(bar, onMove, start = 54) {
  let percent = start;
  const move = (wanted) => {
    percent = Math.min(LARGEST, Math.max(SMALLEST, wanted));
    bar.setAttribute("aria-valuenow", Math.round(percent));
    onMove(percent);
  };
  bar.setAttribute("aria-valuemin", SMALLEST);
  bar.setAttribute("aria-valuemax", LARGEST);
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const box = bar.parentElement.getBoundingClientRect();
    move(100 * (event.clientY - box.top) / box.height);
  });
  bar.addEventListener("dblclick", () => move(start));
  bar.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: -2, ArrowDown: 2, PageUp: -10, PageDown: 10 };
    if (event.key in steps) move(percent + steps[event.key]);
    else if (event.key === "Home") move(SMALLEST);
    else if (event.key === "End") move(LARGEST);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  move(start);
}
