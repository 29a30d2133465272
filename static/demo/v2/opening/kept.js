/**
 * State that the page keeps in the browser: the recent files of all tabs, and the view of this tab for the next reload.
 * A browser without storage, or with invalid values in it, counts as empty.
 *
 * Tested in `tests/page/kept_test.ts`.
 */

const RECENT = "acq-server recent files";
const VIEW = "acq-server view";
const MOST_RECENT = 10;

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Place */

/** Opened paths, the last one first. */
export class RecentFiles {
  #place;

  /** @param {() => Place} place such as `() => localStorage`, which may throw */
  constructor(place) {
    this.#place = place;
  }

  /** @returns {string[]} */
  get paths() {
    const paths = read(this.#place, RECENT);
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string").slice(0, MOST_RECENT) : [];
  }

  /** @param {string} path */
  add(path) {
    write(this.#place, RECENT, [path, ...this.paths.filter((other) => other !== path)].slice(0, MOST_RECENT));
  }

  clear() {
    write(this.#place, RECENT, null);
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
    const view = read(this.#place, VIEW);
    if (typeof view?.path !== "string" || !Number.isInteger(view.scene)) return null;
    const { t = 0, z = 0, l = 0 } = view.position ?? {};
    return { path: view.path, scene: view.scene, position: { t, z, l }, look: view.look ?? null };
  }

  /** @param {TabView | null} view */
  set view(view) {
    write(this.#place, VIEW, view);
  }
}

/** @param {() => Place} place @param {string} name */
function read(place, name) {
  try {
    return JSON.parse(place().getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {() => Place} place @param {string} name @param {unknown} value */
function write(place, name, value) {
  try {
    if (value === null) place().removeItem(name);
    else place().setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full or disabled: the page forgets.
  }
}
