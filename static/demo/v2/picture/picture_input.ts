/**
 * Mouse, touch, wheel and keyboard over a picture: they move the cursor, zoom, pan or select a part.
 *
 * Wheel and pinch zoom at the pointer; Shift and Alt choose the axis. Dragging selects a part to zoom to; with Shift or
 * the middle button it pans. One finger pans, or moves the cursor (and scrolls the page) while nothing is zoomed. Arrows
 * move the cursor, other keys zoom at it.
 */
import type { View } from "./orientation.ts";
import type { Fractions, PicturePoint, PlacedView } from "./placed_view.ts";
import type { Stage } from "./stage.ts";

/** Axes of a zoom, or the key held. */
export type ZoomKind = "plain" | "shift" | "alt" | "across" | "down" | "both";

/** The pane: picture and cursor. */
export interface Handled {
  placed: PlacedView;
  cursor: PicturePoint | null;
  tool: ((from: PicturePoint, to: PicturePoint, isDone: boolean) => void) | null;
  change: (change: (placed: PlacedView) => void) => void;
  moveCursor: (cursor: PicturePoint | null, byKeyboard: boolean) => void;
  select: (box: View | null) => void;
  onGivenUp: () => unknown;
  onPress: (at: PicturePoint, reach: number) => void;
  onKey: (key: string) => boolean;
  onDouble: () => boolean;
}

/** Largest distance of a click and a tap from what they select, in CSS pixels. */
const [CLICK_REACH, TAP_REACH] = [8, 22];

/** Shortest drag, in CSS pixels; shorter ones are clicks. */
const SMALLEST_DRAG = 5;

/** CSS pixels of a turn of the wheel, by the unit of the event: pixels, lines, pages. */
const WHEEL_UNITS = [1, 16, 400];

/** Steps across and down. */
export const ARROWS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const CLOSER = 1.5;

/** Zoom factors and axes of keys. */
const ZOOMS: Readonly<Record<string, [number, ZoomKind]>> = {
  "+": [CLOSER, "plain"],
  "=": [CLOSER, "plain"],
  "-": [1 / CLOSER, "plain"],
  "]": [CLOSER, "across"],
  "[": [1 / CLOSER, "across"],
  "}": [CLOSER, "down"],
  "{": [1 / CLOSER, "down"],
};

/** A drag from its start. */
interface Drag {
  kind: "touch" | "pan" | "select";
  from: Fractions;
  last: Fractions;
  startX: number;
  startY: number;
  /** Whether it is longer than a click. */
  moved: boolean;
}

/** Follows mouse, touch and wheel over the plot of a stage. */
export function attachPointer(stage: Stage, pane: Handled): void {
  const { plot } = stage;
  const pointer = new PlotPointer(stage, pane);
  plot.addEventListener("wheel", (event) => pointer.turn(event), { passive: false });
  plot.addEventListener("pointerdown", (event) => pointer.press(event));
  plot.addEventListener("pointermove", (event) => pointer.move(event));
  plot.addEventListener("pointerup", (event) => pointer.letGo(event));
  plot.addEventListener("pointercancel", (event) => pointer.end(event));
  plot.addEventListener("pointerleave", (event) => pointer.leave(event));
  // Two fingers are a pinch, not a scroll, also where one finger may scroll the page.
  plot.addEventListener("touchmove", (event) => {
    if (event.touches.length > 1) event.preventDefault();
  }, { passive: false });
  plot.addEventListener("dblclick", () => pane.onDouble() || pane.change((placed) => placed.goHome()));
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && pointer.isDragging) {
      pointer.stop();
      event.stopPropagation();
    }
  });
}

/** The pointer over a plot, and its fingers. */
class PlotPointer {
  readonly #stage;
  readonly #pane;
  readonly #touches: Map<number, Fractions> = new Map();
  #drag: Drag | null = null;

  constructor(stage: Stage, pane: Handled) {
    this.#stage = stage;
    this.#pane = pane;
  }

  get isDragging(): boolean {
    return this.#drag !== null;
  }

  /** Zooms by the wheel. */
  turn(event: WheelEvent): void {
    event.preventDefault();
    // Shift turns the wheel sideways on some systems.
    const turned = (event.deltaY || event.deltaX) * WHEEL_UNITS[event.deltaMode]!;
    // Browsers report a pinch on a touchpad as a wheel with Ctrl and small steps.
    const factor = Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.002));
    const at = this.#placeOf(event);
    this.#zoom(at, factor, event.shiftKey ? "shift" : event.altKey ? "alt" : "plain");
    this.#hover(this.#placeOf(event));
  }

  press(event: PointerEvent): void {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    this.#stage.plot.setPointerCapture(event.pointerId);
    const at = this.#placeOf(event);
    this.#hover(at);
    const start = { from: at, last: at, startX: event.clientX, startY: event.clientY, moved: false };
    if (event.pointerType !== "touch") {
      this.#drag = { kind: event.shiftKey || event.button === 1 ? "pan" : "select", ...start };
      return;
    }
    this.#touches.set(event.pointerId, at);
    this.stop();
    const kind = this.#pane.tool === null ? "touch" : "select";
    if (this.#touches.size === 1) this.#drag = { kind, ...start };
  }

  move(event: PointerEvent): void {
    const at = this.#placeOf(event);
    if (this.#touches.size === 2 && this.#touches.has(event.pointerId)) {
      return this.#pinch(event.pointerId, at);
    }
    this.#hover(at);
    const drag = this.#drag;
    if (drag === null) return;
    drag.moved ||= Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) >= SMALLEST_DRAG;
    if (drag.kind === "select") {
      if (drag.moved) this.#select(drag.from, at, false);
    } else this.#pan(drag.last.fx - at.fx, drag.last.fy - at.fy);
    drag.last = at;
  }

  letGo(event: PointerEvent): void {
    if (this.#drag?.kind === "select" && this.#drag.moved) {
      this.#select(this.#drag.from, this.#placeOf(event), true);
      this.#drag = null;
    }
    const isPress = this.#drag !== null && !this.#drag.moved && event.button === 0;
    this.end(event);
    const reach = event.pointerType === "touch" ? TAP_REACH : CLICK_REACH;
    if (!isPress) return;
    this.#pane.onPress(this.#pane.placed.positionAt(this.#inBand(this.#placeOf(event))), reach);
  }

  leave(event: PointerEvent): void {
    if (event.pointerType !== "touch" && !this.isDragging) this.#pane.moveCursor(null, false);
  }

  end(event: PointerEvent): void {
    this.#touches.delete(event.pointerId);
    this.stop();
  }

  /** Gives a drag up. */
  stop(): void {
    if (this.#drag?.kind === "select") {
      this.#pane.select(null);
      this.#pane.onGivenUp();
    }
    this.#drag = null;
  }

  #placeOf(event: MouseEvent): Fractions {
    const box = this.#stage.plot.getBoundingClientRect();
    return { fx: (event.clientX - box.left) / box.width, fy: (event.clientY - box.top) / box.height };
  }

  #inBand({ fx, fy }: Fractions): Fractions {
    return { fx, fy: this.#stage.inBand(fy).fy };
  }

  #hover(at: Fractions) {
    this.#pane.moveCursor(this.#pane.placed.pixelAt(this.#inBand(at)), false);
  }

  #zoom(at: Fractions, factor: number, kind: ZoomKind) {
    this.#pane.change((placed) => placed.zoom(this.#inBand(at), ...chooseZoomFactors(placed, factor, kind)));
  }

  #pan(dfx: number, dfy: number) {
    this.#pane.change((placed) => placed.pan(dfx, dfy * this.#stage.bandCount));
  }

  #select(start: Fractions, at: Fractions, isDone: boolean) {
    const [stage, pane] = [this.#stage, this.#pane];
    // A drag stays in its first band.
    const { band, fy } = stage.inBand(start.fy);
    const [from, to] = [{ fx: start.fx, fy }, { fx: at.fx, fy: at.fy * stage.bandCount - band }];
    const { tool } = pane;
    if (tool !== null) return tool(pane.placed.positionAt(from), pane.placed.positionAt(to), isDone);
    const box = pane.placed.boxOf(from, to, stage.band);
    pane.select(isDone ? null : box);
    if (isDone) pane.change((placed) => placed.zoomToBox(box));
  }

  #pinch(moving: number, at: Fractions) {
    const other = [...this.#touches].find(([id]) => id !== moving)?.[1];
    const before = this.#touches.get(moving);
    this.#touches.set(moving, at);
    if (other === undefined || before === undefined) return;
    const distance = ({ fx, fy }: Fractions) => Math.max(0.01, Math.hypot(fx - other.fx, fy - other.fy));
    this.#pan((before.fx - at.fx) / 2, (before.fy - at.fy) / 2);
    const middle = { fx: (at.fx + other.fx) / 2, fy: (at.fy + other.fy) / 2 };
    this.#zoom(middle, distance(at) / distance(before), "both");
  }
}

/** Follows the keys on a plot. @param plot takes keys while it has the focus */
export function attachKeys(plot: HTMLElement, pane: Handled): void {
  const middle = { fx: 0.5, fy: 0.5 };
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { placed, cursor } = pane;
    const [arrow, zoom] = [ARROWS[event.key], ZOOMS[event.key]];
    if (pane.onKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (arrow !== undefined && cursor === null) pane.moveCursor(placed.pixelAt(middle), true);
    else if (arrow !== undefined && cursor !== null) {
      let next = cursor;
      pane.change(() => next = placed.step(cursor, ...arrow, event.shiftKey));
      pane.moveCursor(next, true);
    } else if (zoom !== undefined) {
      const at = cursor === null ? middle : placed.toPlot({ x: cursor.x + 0.5, y: cursor.y + 0.5 });
      pane.change(() => placed.zoom(at, ...chooseZoomFactors(placed, ...zoom)));
    } else if (event.key === "0" || event.key === "Home") pane.change(() => placed.goHome());
    else if (event.key === "Backspace") pane.change(() => placed.goBack());
    else if (event.key === "Escape" && cursor !== null) pane.moveCursor(null, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/**
 * Zoom factors across and down. A line scan zooms along time, with Shift along space and with Alt along both; other
 * pictures zoom along both, with Shift across and with Alt down.
 */
export function chooseZoomFactors(
  { time }: { time: "across" | "down" | null },
  factor: number,
  kind: ZoomKind,
): [number, number] {
  const [across, down, both] = [[factor, 1], [1, factor], [factor, factor]] as [
    [number, number],
    [number, number],
    [number, number],
  ];
  if (kind === "across" || kind === "down") return kind === "across" ? across : down;
  if (kind === "both" || kind === (time === null ? "plain" : "alt")) return both;
  if (time === null) return kind === "shift" ? across : down;
  return (time === "across") === (kind === "plain") ? across : down;
}
