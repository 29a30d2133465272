/**
 * Values that the browser keeps for the page, as JSON. Storage that is disabled, full or holds something else counts as
 * empty.
 */

/** @typedef {"localStorage" | "sessionStorage"} Place for the browser, or for this tab */

/** The value under a key, or null. @param {string} key @param {Place} [place] @returns {any} */
export function kept(key, place = "localStorage") {
  try {
    return JSON.parse(globalThis[place].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps a value; null removes it. @param {string} key @param {unknown} value @param {Place} [place] */
export function keep(key, value, place = "localStorage") {
  try {
    if (value === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, JSON.stringify(value));
  } catch {
    // The page works without storage.
  }
}

/** An on/off choice that the browser remembers; initially on. */
export class KeptSwitch {
  #key;
  #isOn;

  /** @param {string} key */
  constructor(key) {
    this.#key = key;
    this.#isOn = kept(key) !== false;
  }

  get isOn() {
    return this.#isOn;
  }

  set isOn(isOn) {
    this.#isOn = isOn;
    keep(this.#key, isOn);
  }
}
