/**
 * Translates mouse, touch and wheel over a plot into intentions. Positions are fractions of the plot (0 to 1).
 *
 * Wheel and pinch zoom at the pointer; Shift and Alt choose the axis. Dragging selects a part to zoom to; with Shift or
 * the middle button it pans. One finger pans, or moves the cursor (and scrolls the page) while nothing is zoomed.
 */

/** @typedef {{fx: number, fy: number}} Place fractions of the plot */

/** @typedef {"plain" | "shift" | "alt" | "across" | "down" | "both"} ZoomKind axes of a zoom, or the key held */

/** Shortest drag, in CSS pixels; shorter ones are clicks. */
const SMALLEST_DRAG = 5;

/**
 * @param {HTMLElement} plot
 * @param {object} intentions
 * @param {(at: Place | null) => void} intentions.hover
 * @param {(at: Place, factor: number, kind: ZoomKind) => void} intentions.zoom
 * @param {(dfx: number, dfy: number) => void} intentions.pan
 * @param {(from: Place, to: Place, isDone: boolean) => void} intentions.select
 * @param {() => void} intentions.cancelSelect
 * @param {(at: Place, isTouch: boolean) => void} intentions.press a click or tap
 * @param {() => void} intentions.home
 * @param {() => boolean} [intentions.drawsByTouch] whether one finger marks something instead of panning
 */
export function attachGestures(plot, intentions) {
  /** @type {Map<number, Place>} */
  const touches = new Map();
  /** @type {{kind: "touch" | "pan" | "select", from: Place, last: Place, startX: number, startY: number, moved: boolean} | null} */
  let drag = null;

  const place = (/** @type {MouseEvent} */ event) => {
    const box = plot.getBoundingClientRect();
    return { fx: (event.clientX - box.left) / box.width, fy: (event.clientY - box.top) / box.height };
  };
  const begun = (/** @type {"touch" | "pan" | "select"} */ kind, /** @type {PointerEvent} */ event) => ({
    kind,
    from: place(event),
    last: place(event),
    startX: event.clientX,
    startY: event.clientY,
    moved: false,
  });
  const stop = () => {
    if (drag?.kind === "select") intentions.cancelSelect();
    drag = null;
  };

  plot.addEventListener("wheel", (event) => {
    event.preventDefault();
    // Shift turns the wheel sideways on some systems.
    const turned = event.deltaY || event.deltaX;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE
      ? 16
      : event.deltaMode === WheelEvent.DOM_DELTA_PAGE
      ? 400
      : 1;
    // Browsers report a pinch on a touchpad as a wheel with Ctrl and small steps.
    const factor = Math.exp(-turned * lines * (event.ctrlKey ? 0.01 : 0.002));
    intentions.zoom(place(event), factor, event.shiftKey ? "shift" : event.altKey ? "alt" : "plain");
    intentions.hover(place(event));
  }, { passive: false });

  plot.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    plot.setPointerCapture(event.pointerId);
    intentions.hover(place(event));
    if (event.pointerType === "touch") {
      touches.set(event.pointerId, place(event));
      stop();
      const kind = intentions.drawsByTouch?.() ? "select" : "touch";
      if (touches.size === 1) drag = begun(kind, event);
      return;
    }
    drag = begun(event.shiftKey || event.button === 1 ? "pan" : "select", event);
  });

  plot.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (touches.size === 2 && touches.has(event.pointerId)) {
      pinch(touches, event.pointerId, at, intentions);
      return;
    }
    intentions.hover(at);
    if (drag === null) return;
    drag.moved ||= Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) >= SMALLEST_DRAG;
    if (drag.kind === "select") {
      if (drag.moved) intentions.select(drag.from, at, false);
    } else intentions.pan(drag.last.fx - at.fx, drag.last.fy - at.fy);
    drag.last = at;
  });

  plot.addEventListener("pointerup", (event) => {
    if (drag?.kind === "select" && drag.moved) {
      intentions.select(drag.from, place(event), true);
      drag = null;
    }
    const isPress = drag !== null && !drag.moved && event.button === 0;
    end(event);
    if (isPress) intentions.press(place(event), event.pointerType === "touch");
  });
  plot.addEventListener("pointercancel", end);
  plot.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch" && drag === null) intentions.hover(null);
  });
  // Two fingers are a pinch, not a scroll, also where one finger may scroll the page.
  plot.addEventListener("touchmove", (event) => {
    if (event.touches.length > 1) event.preventDefault();
  }, { passive: false });
  plot.addEventListener("dblclick", () => intentions.home());
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag !== null) {
      stop();
      event.stopPropagation();
    }
  });

  /** @param {PointerEvent} event */
  function end(event) {
    touches.delete(event.pointerId);
    stop();
  }
}

/**
 * @param {Map<number, Place>} touches
 * @param {number} moving
 * @param {Place} at
 * @param {{pan: (dfx: number, dfy: number) => void, zoom: (at: Place, factor: number, kind: ZoomKind) => void}} intentions
 */
function pinch(touches, moving, at, intentions) {
  const other = [...touches].find(([id]) => id !== moving)?.[1];
  const before = touches.get(moving);
  touches.set(moving, at);
  if (other === undefined || before === undefined) return;
  const distance = (/** @type {Place} */ a, /** @type {Place} */ b) =>
    Math.max(0.01, Math.hypot(a.fx - b.fx, a.fy - b.fy));
  const factor = distance(at, other) / distance(before, other);
  intentions.pan((before.fx - at.fx) / 2, (before.fy - at.fy) / 2);
  intentions.zoom({ fx: (at.fx + other.fx) / 2, fy: (at.fy + other.fy) / 2 }, factor, "both");
}
