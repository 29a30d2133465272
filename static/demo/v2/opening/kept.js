/** The recording and position that this tab shows, kept for a reload. What was drawn is kept by kept_work.js. */
import { keep, kept } from "../controls/kept.js";

/** @import { Place } from "../controls/kept.js" */

/** Increase the number with every change of form. */
const VIEW = "acq-server view 2";

/** @typedef {import("./view_link.js").LinkedView} TabView */

/** The view that this tab opened. */
export class KeptView {
  #place;

  /** @param {() => Place} place such as `() => sessionStorage`, which may throw */
  constructor(place) {
    this.#place = place;
  }

  /** @returns {TabView | null} */
  get view() {
    const view = kept(VIEW, this.#place);
    return typeof view?.path === "string" ? view : null;
  }

  /** @param {TabView | null} view */
  set view(view) {
    keep(VIEW, view, this.#place);
  }
}
