/**
 * Values that the browser keeps for the page, as JSON. Storage that is disabled, full or holds something else counts as
 * empty.
 */

/** Place for the browser, or for this tab. */
export type StorageName = "localStorage" | "sessionStorage";

/** The value under a key, or null. */
export function readKept(key: string, place: StorageName = "localStorage"): unknown {
  try {
    return JSON.parse(globalThis[place].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps a value; null removes it. */
export function writeKept(key: string, value: unknown, place: StorageName = "localStorage"): void {
  try {
    if (value === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, JSON.stringify(value));
  } catch {
    // The page works without storage.
  }
}

/** An on/off choice that the browser remembers; initially on. */
export class KeptSwitch {
  readonly #key;
  #isOn;

  constructor(key: string) {
    this.#key = key;
    this.#isOn = readKept(key) !== false;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  set isOn(isOn) {
    this.#isOn = isOn;
    writeKept(this.#key, isOn);
  }
}
