/** Shows the recordings of the folder of the open one, and opens the previous, the next or a chosen one. */
import { byId, element } from "../controls/element.js";
import { KeptSwitch } from "../controls/kept.js";
import { RecordingList } from "./recording_list.js";

/** @import { FolderListing } from "../../../client/v2/acq-client.d.ts" */
/** @import { Recording } from "./recording_list.js" */

/** Interval at which the folder is listed. */
const LOOK_EVERY_MS = 5000;

/** Largest share of the time that listing takes: a slow folder is listed less often. */
const MOST_OF_THE_TIME = 0.05;

/**
 * @typedef {object} Needs
 * @property {(folder: string) => Promise<FolderListing>} list
 * @property {(path: string) => void} open
 * @property {() => Promise<readonly {path: string, words: string}[]>} works what was measured in each recording
 * @property {(text: string) => void} say
 */

export class Recordings {
  #needs;
  list;
  #isShown = new KeptSwitch("acq-server recordings");
  #isBusy = false;
  /** What was measured, by path. @type {ReadonlyMap<string, string>} */
  #words = new Map();
  /** @type {Map<string, HTMLLIElement>} */
  #rows = new Map();
  #timer = 0;

  /** @param {Needs} needs */
  constructor(needs) {
    this.#needs = needs;
    this.list = new RecordingList(needs.list);
    this.list.on("changed", () => this.#paint());
    this.list.on("arrived", ({ names }) => {
      if (!this.#isBusy) {
        needs.say(names.length === 1 ? `New: ${names[0]}` : `${names.length} new recordings`);
      }
    });
    byId("recording-previous").addEventListener("click", () => this.step(-1));
    byId("recording-next").addEventListener("click", () => this.step(1));
    byId("recording-count").addEventListener("click", () => {
      this.#isShown.isOn = !this.#isShown.isOn;
      this.#paint();
    });
    document.addEventListener("visibilitychange", () => this.#look());
  }

  /** Follows the open recording. @param {string} path with links resolved; empty without a list @param {string} asked path that was opened */
  async follow(path, asked) {
    await this.list.follow(path, asked);
    await this.showWorks();
    this.#schedule(0);
  }

  /** Shows what was measured meanwhile. */
  async showWorks() {
    const works = await this.#needs.works();
    this.#words = new Map(works.filter(({ words }) => words !== "").map(({ path, words }) => [path, words]));
    this.#paint();
  }

  /** Shows what was measured in the open recording. @param {string} words */
  note(words) {
    const open = this.list.recordings[this.list.index];
    if (open === undefined || words === (this.#words.get(open.path) ?? "")) return;
    this.#words = new Map([...this.#words, [open.path, words]]);
    this.#paint();
  }

  /** Opens the recording before (-1) or after (1) the open one. @param {-1 | 1} by */
  step(by) {
    const recording = this.list.beside(by);
    if (recording !== null) this.#open(recording.path);
  }

  /** Call when opening begins or ends. @param {boolean} isBusy */
  busy(isBusy) {
    this.#isBusy = isBusy;
    this.#paintSteps();
  }

  /** @param {string} path */
  #open(path) {
    if (!this.#isBusy) this.#needs.open(path);
  }

  async #look() {
    if (document.hidden || this.#isBusy) return this.#schedule(0);
    const start = performance.now();
    await this.list.look();
    this.#schedule(performance.now() - start);
  }

  /** @param {number} took milliseconds of the last look */
  #schedule(took) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(LOOK_EVERY_MS, took / MOST_OF_THE_TIME));
  }

  #paintSteps() {
    const { recordings, index, isCut } = this.list;
    const several = recordings.length > 1;
    byId("recording-steps").hidden = !several;
    byId("recordings").hidden = !several || !this.#isShown.isOn;
    const count = `${recordings.length.toLocaleString("en")}${isCut ? "+" : ""}`;
    const button = byId("recording-count");
    button.textContent = index < 0 ? `${count} recordings` : `${index + 1} of ${count}`;
    button.ariaExpanded = String(this.#isShown.isOn);
    for (const [id, by] of /** @type {const} */ ([["recording-previous", -1], ["recording-next", 1]])) {
      // A disabled button would lose the focus with each step.
      byId(id).ariaDisabled = String(this.#isBusy || this.list.beside(by) === null);
    }
  }

  #paint() {
    this.#paintSteps();
    const { recordings, index } = this.list;
    byId("recordings-folder").textContent = this.list.folderName;
    const rows = new Map(recordings.map((one) => [one.path, this.#rows.get(one.path) ?? this.#row(one)]));
    const list = byId("recording-list");
    const isSameOrder = rows.size === this.#rows.size &&
      [...rows.keys()].every((path, i) => list.children[i] === rows.get(path));
    this.#rows = rows;
    if (!isSameOrder) {
      const focus = document.activeElement;
      list.replaceChildren(...rows.values());
      if (focus instanceof HTMLElement && list.contains(focus)) focus.focus();
    }
    recordings.forEach((one, i) => this.#mark(one, i === index));
    if (index < 0) return;
    // Scrolls the list, and nothing around it, to the open recording and its neighbours.
    const { offsetTop, offsetHeight } = /** @type {HTMLElement} */ (list.children[index]);
    const least = offsetTop + 2 * offsetHeight - list.clientHeight;
    list.scrollTop = Math.min(offsetTop - offsetHeight, Math.max(least, list.scrollTop));
  }

  /** @param {Recording} recording */
  #row({ path, name }) {
    const button = element(
      "button",
      { type: "button", className: "recording", title: path },
      element("span", { className: "file", textContent: name }),
      element("time"),
      element("span", { className: "words" }),
    );
    button.addEventListener("click", () => this.#open(path));
    return element("li", {}, button);
  }

  /** @param {Recording} recording @param {boolean} isOpen */
  #mark({ path, modified, isGrowing }, isOpen) {
    const button = /** @type {Element} */ (this.#rows.get(path)?.firstElementChild);
    button.ariaCurrent = isOpen ? "true" : null;
    const [, time, words] = button.children;
    time.textContent = isGrowing ? "still growing" : when.format(new Date(modified));
    words.textContent = this.#words.get(path) ?? "";
  }
}

/** Date and time as the browser writes them. One format for all rows: making one takes longer than using it. */
const when = new Intl.DateTimeFormat([], {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
