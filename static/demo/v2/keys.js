/** The keyboard over a plot, as intentions: arrows move the cursor, others zoom. */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const CLOSER = 1.5;

/** Factors across and down. */
const ZOOMS = {
  "+": [CLOSER, CLOSER],
  "=": [CLOSER, CLOSER],
  "-": [1 / CLOSER, 1 / CLOSER],
  "]": [CLOSER, 1],
  "[": [1 / CLOSER, 1],
  "}": [1, CLOSER],
  "{": [1, 1 / CLOSER],
};

/**
 * @param {HTMLElement} plot has the focus
 * @param {object} intentions
 * @param {(dx: number, dy: number, isFar: boolean) => void} intentions.step one step, or a far one
 * @param {(factorX: number, factorY: number) => void} intentions.zoom
 * @param {() => void} intentions.home
 * @param {() => boolean} intentions.leave takes the cursor away; false when there is none
 */
export function attachKeys(plot, { step, zoom, home, leave }) {
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS) step(...ARROWS[event.key], event.shiftKey);
    else if (event.key in ZOOMS) zoom(...ZOOMS[event.key]);
    else if (event.key === "0" || event.key === "Home") home();
    else if (event.key !== "Escape" || !leave()) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
