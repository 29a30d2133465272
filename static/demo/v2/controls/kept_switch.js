/**
 * A choice between on and off that the browser remembers, or this page where it keeps nothing; on until it is switched off.
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
      // Switched off: it holds for this page.
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
      // Full, or switched off.
    }
  }
}
