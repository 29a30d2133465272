/** Shows the recordings of the folder of the open one, and opens the previous, the next or a chosen one. */
import { formatCount } from "../../../measure/axes.ts";
import { byId, element } from "../controls/element.ts";
import { KeptSwitch } from "../controls/kept.ts";
import { LongList } from "../controls/long_list.ts";
import { type DrawnLook, lookWords } from "../drawing/drawn.ts";
import { type ListedRecording, RecordingList } from "./recording_list.ts";
import type { FolderListing } from "../../../client/v2/acq-client.ts";

/** Interval at which the folder is listed. */
const LOOK_EVERY_MS = 5000;

/** Largest share of the time that listing takes: a slow folder is listed less often. */
const MOST_OF_THE_TIME = 0.05;

interface Needs {
  list: (folder: string) => Promise<FolderListing>;
  open: (path: string) => void;
  /** What was measured in each recording. */
  works: () => Promise<readonly { path: string; words: string; look: DrawnLook | null }[]>;
  say: (text: string) => void;
}

/** The list of recordings beside the picture, with its buttons. */
export class Recordings {
  readonly #needs;
  readonly list: RecordingList;
  readonly #isShown = new KeptSwitch("acq-server recordings");
  #isBusy = false;
  /** What was measured, by path. */
  #words: ReadonlyMap<string, string> = new Map();
  readonly #rows;
  /** Path of the recording that the list was scrolled to. */
  #revealed: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.list = new RecordingList(needs.list);
    this.#rows = new LongList<ListedRecording>(byId("recording-list"), {
      key: ({ path }) => path,
      make: (one) => this.#makeRow(one),
      update: (row, one, index) => this.#mark(row, one, index),
    });
    this.list.on("changed", () => this.#paint());
    this.list.on("arrived", ({ names }) => {
      if (!this.#isBusy) {
        needs.say(names.length === 1 ? `New: ${names[0]}` : `${formatCount(names.length)} new recordings`);
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

  /**
   * Follows the open recording.
   *
   * @param path with links resolved; empty without a list
   * @param asked path that was opened
   */
  async follow(path: string, asked: string): Promise<void> {
    await this.list.follow(path, asked);
    await this.showWorks();
    this.#schedule(0);
  }

  /** Shows what was measured meanwhile. */
  async showWorks(): Promise<void> {
    const works = (await this.#needs.works()).filter(({ words }) => words !== "");
    this.#words = new Map(works.map(({ path, words, look }) => [path, lookWords(look) || words]));
    this.#paint();
  }

  /** Shows what was measured in the open recording. */
  note(words: string): void {
    const open = this.list.recordings[this.list.index];
    if (open === undefined || words === (this.#words.get(open.path) ?? "")) return;
    this.#words = new Map([...this.#words, [open.path, words]]);
    this.#paint();
  }

  /** Opens the recording before (-1) or after (1) the open one. */
  step(by: -1 | 1): void {
    const recording = this.list.beside(by);
    if (recording !== null) this.open(recording.path);
  }

  /** Call when opening begins or ends. */
  busy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#paintSteps();
  }

  /** Opens a recording, unless another one is being opened. */
  open(path: string): void {
    if (!this.#isBusy) this.#needs.open(path);
  }

  async #look() {
    if (document.hidden || this.#isBusy) return this.#schedule(0);
    const start = performance.now();
    await this.list.look();
    this.#schedule(performance.now() - start);
  }

  /** @param took milliseconds of the last look */
  #schedule(took: number) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(LOOK_EVERY_MS, took / MOST_OF_THE_TIME));
  }

  #paintSteps() {
    const { recordings, index, isCut } = this.list;
    const several = recordings.length > 1;
    byId("recording-steps").hidden = !several;
    byId("recordings").hidden = !several || !this.#isShown.isOn;
    const count = `${formatCount(recordings.length)}${isCut ? "+" : ""}`;
    const button = byId("recording-count");
    button.textContent = index < 0 ? `${count} recordings` : `${formatCount(index + 1)} of ${count}`;
    button.ariaExpanded = String(this.#isShown.isOn);
    for (const [id, by] of ([["recording-previous", -1], ["recording-next", 1]] as const)) {
      // A disabled button would lose the focus with each step.
      byId(id).ariaDisabled = String(this.#isBusy || this.list.beside(by) === null);
    }
  }

  #paint() {
    this.#paintSteps();
    const { recordings, index } = this.list;
    byId("recordings-folder").textContent = this.list.folderName;
    this.#rows.show(recordings, index);
    // Moves the list only if another recording is open, since the user may look at others.
    if (recordings[index]?.path === this.#revealed) return;
    this.#revealed = recordings[index]?.path;
    this.#rows.reveal(index);
    // Heights of rows out of sight were guesses.
    requestAnimationFrame(() => this.#rows.reveal(index));
  }

  #makeRow({ path, name }: ListedRecording) {
    const button = element(
      "button",
      { type: "button", className: "recording", title: path },
      element("span", { className: "file", textContent: name }),
      element("time"),
      element("span", { className: "words" }),
    );
    button.addEventListener("click", () => this.open(path));
    return element("li", {}, button);
  }

  #mark(row: HTMLElement, { path, modified, isGrowing }: ListedRecording, index: number) {
    const button = row.firstElementChild as Element;
    button.ariaCurrent = index === this.list.index ? "true" : null;
    const [, time, words] = [...button.children] as [Element, Element, Element];
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
