/** Mouse, touch and keyboard over a picture: they move the cursor, zoom, pan or select a part. */
import { attachGestures } from "../controls/gestures.js";
import { attachKeys } from "../controls/keys.js";

/** @import { Place, ZoomKind } from "../controls/gestures.js" */
/** @import { PlacedView, Point } from "./placed_view.js" */
/** @import { Stage } from "./stage.js" */
/** @import { View } from "./orientation.js" */

/** Largest distance of a click and a tap from what they select, in CSS pixels. */
const [CLICK_REACH, TAP_REACH] = [8, 22];

/**
 * @typedef {object} Handled picture and cursor
 * @property {() => PlacedView | null} placed
 * @property {(change: (placed: PlacedView) => void) => void} change
 * @property {() => ((from: Point, to: Point, isDone: boolean) => void) | null} tool takes the drags that would zoom
 * @property {() => Point | null} cursor
 * @property {(cursor: Point | null, byKeyboard: boolean) => void} moveCursor
 * @property {(box: View | null) => void} mark shows the selection in progress, in fractions of a band
 * @property {() => void} giveUp cancels the drag of a tool
 * @property {(at: Point, reach: number) => void} press a click or tap, which selects what lies within `reach` CSS pixels
 * @property {() => void} enter goes to what is drawn
 */

/** @param {Stage} stage @param {Handled} handled */
export function attachInput(stage, handled) {
  const inBand = (/** @type {Place} */ { fx, fy }) => ({ fx, fy: stage.inBand(fy).fy });
  attachGestures(stage.plot, {
    hover(place) {
      const placed = handled.placed();
      if (placed !== null) handled.moveCursor(place && placed.pixelAt(inBand(place)), false);
    },
    zoom: (place, factor, kind) =>
      handled.change((placed) => placed.zoom(inBand(place), ...factorsOf(placed, factor, kind))),
    pan: (dfx, dfy) => handled.change((placed) => placed.pan(dfx, dfy * stage.bandCount)),
    drawsByTouch: () => handled.tool() !== null,
    select(from, to, isDone) {
      // A drag stays in its first band.
      const { band, fy } = stage.inBand(from.fy);
      select(stage, handled, { fx: from.fx, fy }, { fx: to.fx, fy: to.fy * stage.bandCount - band }, isDone);
    },
    cancelSelect() {
      handled.mark(null);
      handled.giveUp();
    },
    press(place, isTouch) {
      const placed = handled.placed();
      if (placed !== null) handled.press(placed.positionAt(inBand(place)), isTouch ? TAP_REACH : CLICK_REACH);
    },
    home: () => handled.change((placed) => placed.goHome()),
  });
  attachKeys(stage.plot, {
    step: (dx, dy, isFar) => step(handled, dx, dy, isFar),
    zoom: (factor, kind) =>
      handled.change((placed) =>
        placed.zoom(cursorPlace(placed, handled.cursor()), ...factorsOf(placed, factor, kind))
      ),
    home: () => handled.change((placed) => placed.goHome()),
    back: () => handled.change((placed) => placed.goBack()),
    enter: () => handled.enter(),
    leave() {
      if (handled.cursor() === null) return false;
      handled.moveCursor(null, true);
      return true;
    },
  });
}

/** @param {Stage} stage @param {Handled} handled @param {Place} from @param {Place} to @param {boolean} isDone */
function select(stage, { placed: placedNow, change, tool, mark }, from, to, isDone) {
  const placed = placedNow();
  if (placed === null) return;
  const taken = tool();
  if (taken !== null) return taken(placed.positionAt(from), placed.positionAt(to), isDone);
  const box = placed.boxOf(from, to, stage.band);
  mark(isDone ? null : box);
  if (isDone) change(() => placed.zoomToBox(box));
}

/** @param {Handled} handled @param {number} dx @param {number} dy @param {boolean} isFar */
function step(handled, dx, dy, isFar) {
  const [placed, cursor] = [handled.placed(), handled.cursor()];
  if (placed === null) return;
  // The first step shows the cursor in the middle.
  if (cursor === null) return handled.moveCursor(placed.pixelAt({ fx: 0.5, fy: 0.5 }), true);
  let next = cursor;
  handled.change(() => next = placed.step(cursor, dx, dy, isFar));
  handled.moveCursor(next, true);
}

/** The middle of the cursor's pixel in the plot, or of the plot without a cursor. @param {PlacedView} placed @param {Point | null} cursor */
const cursorPlace = (placed, cursor) =>
  cursor === null ? { fx: 0.5, fy: 0.5 } : placed.toPlot({ x: cursor.x + 0.5, y: cursor.y + 0.5 });

/**
 * Zoom factors across and down. A line scan zooms along time, with Shift along space and with Alt along both; other
 * pictures zoom along both, with Shift across and with Alt down.
 *
 * @param {{time: "across" | "down" | null}} placed
 * @param {number} factor
 * @param {ZoomKind} kind
 * @returns {[number, number]}
 */
export function factorsOf({ time }, factor, kind) {
  const [across, down, both] =
    /** @type {[number, number][]} */ ([[factor, 1], [1, factor], [factor, factor]]);
  if (kind === "across" || kind === "down") return kind === "across" ? across : down;
  if (kind === "both" || kind === (time === null ? "plain" : "alt")) return both;
  if (time === null) return kind === "shift" ? across : down;
  return (time === "across") === (kind === "plain") ? across : down;
}
