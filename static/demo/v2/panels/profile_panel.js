/**
 * The profile below the source picture: its direction and the timing of its drawing. Along the horizontal axis of a
 * line scan it aligns with the edges of the picture.
 */
import { byId } from "../controls/element.js";
import { drawProfile } from "./profile.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Pane } from "../picture/pane.js" */
/** @import { Point } from "../picture/placed_view.js" */

/** Least time between two drawings: the picture, the main work of a frame, has priority. */
const REST_MS = 60;

export class ProfilePanel {
  #pane;
  /** @type {ChannelGroup | null} */
  #group = null;
  /** Last position of the cursor. @type {Point | null} */
  #cursor = null;
  #timer = 0;
  #paintedAt = -Infinity;
  /** Edges of the picture when the profile was drawn. */
  #edges = "";
  #along = byId("along", HTMLSelectElement);

  /** @param {Pane} pane of the source */
  constructor(pane) {
    this.#pane = pane;
    this.#along.addEventListener("change", () => this.#arrange());
    new ResizeObserver(() => this.#paint()).observe(byId("chart", SVGSVGElement));
  }

  /** Sets another group, without a profile. @param {ChannelGroup} group */
  show(group) {
    this.#group = group;
    this.#cursor = null;
    group.plane.axes.forEach((axis, i) => {
      const option = this.#along.options[i + 1];
      if (option) option.textContent = `along ${axis.title ?? axis.name}`;
    });
    this.#along.value = "";
    this.#arrange();
  }

  /** Draws the profile soon; coalesces changes. */
  redraw() {
    if (this.#timer !== 0) return;
    byId("profile").ariaBusy = "true";
    const wait = this.#paintedAt + REST_MS - performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#paint();
      byId("profile").ariaBusy = "false";
    }, Math.max(0, wait));
  }

  /** Call when the picture was drawn, perhaps at another place. */
  follow() {
    if (this.#edges !== this.#edgesNow) this.redraw();
  }

  get #edgesNow() {
    const { left, width } = this.#pane.edges;
    return `${left} ${width}`;
  }

  #paint() {
    if (this.#group === null || byId("profile").hidden) return;
    this.#cursor = this.#pane.cursor ?? this.#cursor;
    this.#edges = this.#edgesNow;
    this.#paintedAt = performance.now();
    const chart = { canvas: byId("curves", HTMLCanvasElement), svg: byId("chart", SVGSVGElement) };
    const along = this.#along.value === "y" ? "y" : "x";
    const { view, edges, orientation, time } = this.#pane;
    const isBelow = (along === "x") !== orientation.swapped;
    byId("profile-hint").hidden = drawProfile(chart, this.#group, along, this.#cursor, {
      view,
      edges: isBelow && time !== null ? edges : null,
      isReversed: isBelow && orientation.fromRight,
    });
  }

  #arrange() {
    const isHidden = this.#along.value === "";
    byId("profile").hidden = isHidden;
    byId("profile-title").textContent = `Profile ${this.#along.selectedOptions[0]?.textContent}`;
    byId("divider").hidden = isHidden;
    byId("panes").classList.toggle("whole", isHidden);
    this.#paint();
  }
}
