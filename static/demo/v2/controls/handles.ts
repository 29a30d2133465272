/** Handles that move by dragging and keys. */

/** Smallest share of a pane in percent. */
const SMALLEST = 15;

/** Steps by `event.key`. */
export type Steps = Readonly<Record<string, number>>;

/** Steps of a divider, in percent. */
const DIVIDER: Steps = {
  ArrowUp: -2,
  ArrowDown: 2,
  PageUp: -10,
  PageDown: 10,
  Home: -Infinity,
  End: Infinity,
};

/** Steps of a slider; a page has ten. */
export const SLIDER: Steps = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/** Where a bar between two panes may stand. */
export interface DividerLimits {
  /** Share of the upper pane in percent at the start. */
  start?: number;
  /** The share that a double click sets; by default `start`. */
  home?: number;
  /** Smallest share of a pane in percent. */
  least?: number;
  /** Height that each pane keeps if both have room, in CSS pixels. */
  leastHeight?: () => number;
}

/**
 * Moves a bar between two panes (role `separator`).
 *
 * @param bar between the panes, in a container whose height both share
 * @param onMove share of the upper pane in percent
 */
export function attachDivider(
  bar: HTMLElement,
  onMove: (percent: number) => void,
  { start = 54, home = start, least: smallest = SMALLEST, leastHeight = () => 0 }: DividerLimits = {},
): void {
  let percent = start;
  const track = bar.parentElement as HTMLElement;
  const move = (wanted: number) => {
    const { height } = track.getBoundingClientRect();
    const least = height > 0 ? Math.min(44, Math.max(smallest, (100 * leastHeight()) / height)) : smallest;
    percent = Math.min(100 - least, Math.max(least, wanted));
    bar.ariaValueMin = String(Math.round(least));
    bar.ariaValueMax = String(Math.round(100 - least));
    bar.ariaValueNow = String(Math.round(percent));
    onMove(percent);
  };
  followDrags(bar, (event) => {
    const box = track.getBoundingClientRect();
    move(100 * (event.clientY - box.top) / box.height);
  });
  bar.addEventListener("dblclick", () => move(home));
  followKeys(bar, DIVIDER, (step) => {
    // A pane may be higher than its share, because it keeps a least height.
    const [{ top, height }, at] = [track.getBoundingClientRect(), bar.getBoundingClientRect().top];
    move((height > 0 ? 100 * (at - top) / height : percent) + step);
  });
  move(start);
}

/** Follows drags of a handle, which takes the focus. */
export function followDrags(handle: HTMLElement, move: (event: PointerEvent) => void): void {
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => handle.hasPointerCapture(event.pointerId) && move(event));
}

/** Follows keys on a handle. */
export function followKeys(
  handle: HTMLElement,
  steps: Steps,
  move: (step: number, isFar: boolean) => void,
): void {
  handle.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    move(step, event.shiftKey);
    event.preventDefault();
    event.stopPropagation();
  });
}
