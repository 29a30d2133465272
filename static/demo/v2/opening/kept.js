/**
 * State that the page keeps in the browser: the recent files of all tabs, and the view of this tab for the next reload.
 */
import { keep, kept } from "../controls/kept.js";

/** @import { Place } from "../controls/kept.js" */

const RECENT = "acq-server recent files";

/** Increase the number with every change of form. */
const VIEW = "acq-server view 1";

const MOST_RECENT = 10;

/** Opened paths, the last one first. */
export class RecentFiles {
  #place;

  /** @param {() => Place} place such as `() => localStorage`, which may throw */
  constructor(place) {
    this.#place = place;
  }

  /** @returns {string[]} */
  get paths() {
    const paths = kept(RECENT, this.#place);
    return Array.isArray(paths) ? paths : [];
  }

  /** @param {string} path */
  add(path) {
    keep(RECENT, [path, ...this.paths.filter((other) => other !== path)].slice(0, MOST_RECENT), this.#place);
  }

  clear() {
    keep(RECENT, null, this.#place);
  }
}

/**
 * @typedef {object} TabView
 * @property {string} path
 * @property {number} scene
 * @property {import("./view_link.js").LinkedView["position"]} position
 * @property {unknown} look zoom, contrast and other state of the page
 */

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
