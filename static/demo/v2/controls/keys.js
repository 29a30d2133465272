/** Translates keys over a plot into intentions: arrows move the cursor, others zoom. */

/** @import { ZoomKind } from "./gestures.js" */

/** Steps across and down. @type {Readonly<Record<string, [number, number]>>} */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const CLOSER = 1.5;

/** Zoom factors and axes. @type {Readonly<Record<string, [number, ZoomKind]>>} */
const ZOOMS = {
  "+": [CLOSER, "plain"],
  "=": [CLOSER, "plain"],
  "-": [1 / CLOSER, "plain"],
  "]": [CLOSER, "across"],
  "[": [1 / CLOSER, "across"],
  "}": [CLOSER, "down"],
  "{": [1 / CLOSER, "down"],
};

/**
 * @param {HTMLElement} plot takes keys while it has the focus
 * @param {object} intentions
 * @param {(dx: number, dy: number, isFar: boolean) => void} intentions.step a small or a large step
 * @param {(factor: number, kind: ZoomKind) => void} intentions.zoom
 * @param {() => void} intentions.home
 * @param {() => void} intentions.back to the previous view
 * @param {() => boolean} intentions.leave hides the cursor; false without one
 * @param {() => void} intentions.enter goes to what is drawn
 */
export function attachKeys(plot, { step, zoom, home, back, leave, enter }) {
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [arrow, factor] = [ARROWS[event.key], ZOOMS[event.key]];
    if (arrow !== undefined) step(...arrow, event.shiftKey);
    else if (factor !== undefined) zoom(...factor);
    else if (event.key === "0" || event.key === "Home") home();
    else if (event.key === "Backspace") back();
    else if (event.key === "Enter") enter();
    else if (event.key !== "Escape" || !leave()) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
