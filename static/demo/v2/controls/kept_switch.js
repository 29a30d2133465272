/**
 * An on/off choice that the browser remembers, or only this page where storage is unavailable; initially on.
 *
 * Tested in `tests/browser/controls_test.ts` and `scale_bar_test.ts`.
 */
export class KeptSwitch {
  #key;
  #isOn = true;

  /** @param {string} key in the browser's storage */
  constructor(key) {
    this.#key = key;
    try {
      this.#isOn = localStorage.getItem(key) !== "off";
    } catch {
      // Storage is disabled: the choice holds for this page.
    }
  }

  get isOn() {
    return this.#isOn;
  }

  set isOn(isOn) {
    this.#isOn = isOn;
    try {
      localStorage.setItem(this.#key, isOn ? "on" : "off");
    } catch {
      // Storage is full or disabled.
    }
  }
}
