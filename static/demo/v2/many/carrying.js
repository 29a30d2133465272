/**
 * Carries regions and settings from one recording to the next that is opened, until they are used. Independent of the
 * page.
 */
import { keep, kept } from "../controls/kept.js";
import { carriedTo } from "./carried.js";

/** @import { Place } from "../controls/kept.js" */
/** @import { Drawn } from "../measuring/drawn.js" */
/** @import { Scan } from "../measuring/scan.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { Carried } from "./carried.js" */

/** Increase the number with every change of form. */
const KEY = "acq-server carried 1";

/**
 * @typedef {object} Page
 * @property {(drawn: Drawn, typed: TypedScan | null) => void} show in the open recording, as one step
 * @property {(text: string | null, action?: string, act?: () => void) => void} notice
 */

export class Carrying {
  #page;
  #place;

  /** @param {Page} page @param {() => Place} [place] may throw */
  constructor(page, place = () => sessionStorage) {
    this.#page = page;
    this.#place = place;
  }

  /** What waits for a recording. @returns {Carried | null} */
  get waiting() {
    return kept(KEY, this.#place);
  }

  /** @param {Carried | null} carried */
  set waiting(carried) {
    keep(KEY, carried, this.#place);
  }

  /**
   * Uses what waits in a recording that was opened. Work of its own stays until the user says otherwise.
   *
   * @param {(typed: TypedScan | null) => Scan} scanAs the recording, an image as the line scan that was typed
   * @param {string} key of the recording
   * @param {string} own words on its own work, or empty
   */
  offer(scanAs, key, own) {
    const { waiting } = this;
    if (waiting === null || waiting.key === key) return;
    const scan = scanAs(waiting.typed);
    const { drawn, words } = carriedTo(waiting, scan);
    if (drawn === null) {
      return this.#page.notice(
        `${words} Its regions and settings wait for the next one.`,
        "Forget them",
        () => {
          this.waiting = null;
          this.#page.notice(null);
        },
      );
    }
    const use = () => {
      this.waiting = null;
      this.#page.show(drawn, waiting.typed);
      this.#page.notice(
        `Regions and settings of ${waiting.name} are used here; Undo takes them away. ${words}`.trim(),
      );
    };
    if (own === "") return use();
    this.#page.notice(
      `${scan.fileName} has work of its own: ${own}. Regions and settings of ${waiting.name} would replace it.`,
      "Replace it",
      use,
    );
  }
}
