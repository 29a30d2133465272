/**
 * The ways to open a file: the dialog of the server's machine, a path, recent work, the sample. The page hides what
 * the server does not allow, and shows the ways in place of the picture before the first file, afterwards in a dialog.
 */
import { formatCount } from "../../../measure/axes.ts";
import { byId, element } from "../controls/element.ts";
import { removeButton } from "../controls/fields.ts";
import type { Capabilities } from "../../../client/v2/acq-client.ts";
import type { KeptWork } from "./kept_work.ts";
import type { LinkedView } from "./view_link.ts";
import type { StoredWork } from "./work_store.ts";

interface Ways {
  onPick: () => void;
  /** Opens a path, with the link that filled the field if nothing was changed in it. */
  onPath: (path: string, link: LinkedView | null) => void;
  onSample: () => void;
}

/** Recordings that need no search. */
const FEW = 8;

/** Buttons, field and list of recent work to open a file with. */
export class OpenButtons {
  readonly #work;
  readonly #ways;
  #link: LinkedView | null = null;
  #allowed = { dialogAvailable: true, openByPath: false };
  #works: readonly StoredWork[] = [];
  readonly #search = byId("recent-search", HTMLInputElement);
  /** Counts the lists that were asked for; only the last is shown. */
  #asked = 0;

  constructor(work: KeptWork, ways: Ways) {
    this.#work = work;
    this.#ways = ways;
    byId("open").addEventListener("click", () => this.open());
    byId("open-first").addEventListener("click", () => this.#leave(ways.onPick));
    byId("more-ways").addEventListener("click", () => this.show());
    this.#search.addEventListener("input", () => this.#showWork());
    byId("sample").addEventListener("click", () => this.#leave(ways.onSample));
    byId("path-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#openPath();
    });
    byId("kept-where").textContent =
      `What you measure is kept in this browser for ${location.origin}. Under another address or port the page does not find it. Copies of a recording share their work.`;
    work.hasEarlier().then((isThere) => byId("earlier-work").hidden = !isThere);
  }

  /** Shows the ways that the server allows. */
  allow({ dialogAvailable = true, openByPath = true }: Capabilities): void {
    this.#allowed = { dialogAvailable, openByPath };
    byId("open-first").hidden = !dialogAvailable;
    byId("no-dialog").hidden = dialogAvailable;
    byId("no-dialog").textContent = openByPath
      ? "The server's computer has no display or no program for a file dialog. Type the path of a file instead."
      : "The server's computer has no display for a file dialog, and the server does not open paths.";
    byId("path-form").hidden = !openByPath;
    // Without a dialog "Open file…" leads to the path.
    byId("more-ways").hidden = !openByPath || !dialogAvailable;
    this.#listWork();
  }

  /** Opens by the first available way. */
  open(): void {
    if (this.#allowed.dialogAvailable) this.#ways.onPick();
    else this.show();
  }

  show(): void {
    const dialog = byId("ways-dialog", HTMLDialogElement);
    if (byId("empty").hidden && !dialog.open) {
      byId("ways-title").after(byId("ways"));
      dialog.showModal();
    }
    byId("path-field").focus();
    this.#listWork();
  }

  /** Fills the field; the user decides whether to open it. */
  fill(link: LinkedView): void {
    this.#link = link;
    byId("path-field", HTMLInputElement).value = link.path;
    byId("path-note").hidden = false;
    if (this.#allowed.openByPath) this.show();
  }

  /** Disables all ways while something opens. */
  busy(isBusy: boolean): void {
    for (const id of ["open", "open-first", "path-open", "sample"]) {
      byId(id, HTMLButtonElement).disabled = isBusy;
    }
  }

  #openPath() {
    // "Copy as path" of Windows and terminals add quotes.
    const path = byId("path-field", HTMLInputElement).value.trim().replace(/^(["'])(.+)\1$/, "$2");
    if (path === "") return;
    const link = this.#link?.path === path ? this.#link : null;
    this.#link = null;
    byId("path-note").hidden = true;
    this.#leave(() => this.#ways.onPath(path, link));
  }

  #leave(way: () => void) {
    byId("ways-dialog", HTMLDialogElement).close();
    way();
  }

  async #listWork() {
    const asked = this.#asked += 1;
    const works = await this.#work.list();
    if (asked !== this.#asked) return;
    this.#works = works;
    byId("recent-find").hidden = works.length <= FEW;
    if (works.length <= FEW) this.#search.value = "";
    this.#showWork();
    const bytes = works.reduce((sum, work) => sum + work.bytes, 0);
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
    const count = `${formatCount(works.length)} ${works.length === 1 ? "recording" : "recordings"}`;
    const idle = works.filter(({ words }) => words === "").length;
    const without = idle === 0 ? "" : `, ${formatCount(idle)} of them without work`;
    byId("recent-size").textContent = `${count}${without}, ${size}`;
  }

  /** Shows work whose name, path or content has the typed words; without any, recordings with work. */
  #showWork() {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = this.#works.filter((work) => {
      const text = `${work.name} ${work.path} ${work.words}`.toLowerCase();
      return words.length === 0 ? work.words !== "" : words.every((word) => text.includes(word));
    });
    byId("recent").hidden = found.length === 0 && byId("recent-find").hidden;
    byId("recent-list").replaceChildren(...found.map((work) => this.#row(work)));
  }

  #row(work: StoredWork) {
    const { key, path, scene, position, name, words, savedAt } = work;
    const sceneText = scene === 0 ? "" : ` · scene ${scene + 1}`;
    // Recordings of several folders often have the same names.
    const isShared = this.#works.some((other) => other.name === name && other.path !== path);
    const folder = isShared ? path.split(/[\\/]/).slice(-2, -1) : [];
    const button = element(
      "button",
      { type: "button", className: "recent", title: path, disabled: !this.#allowed.openByPath },
      element("span", { className: "file", textContent: name + sceneText }),
      element("time", { textContent: formatWhen(savedAt) }),
      element("span", { className: "words", textContent: [words || "nothing drawn", ...folder].join(" · ") }),
    );
    const open = () => this.#ways.onPath(path, { path, scene, position });
    button.addEventListener("click", () => this.#leave(open));
    const remove = removeButton(`the work on ${name}`, () => this.#forget(work));
    remove.hidden = key === this.#work.key;
    return element("li", {}, button, remove);
  }

  async #forget({ key, name, words }: StoredWork) {
    if (words !== "" && !confirm(`Remove the work on ${name} (${words})? This cannot be undone.`)) return;
    const isRemoved = await this.#work.forget(key).catch(() => null);
    await this.#listWork();
    if (isRemoved !== true) {
      byId("recent-size").textContent = isRemoved === null
        ? "Not removed: the browser does not let this page write."
        : `Not removed: another tab has ${name} open.`;
    }
    byId("path-field").focus();
  }
}

/** Such as `14:05` today and `3 Nov` before, as the browser writes it. */
function formatWhen(time: number) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/**
 * Restores saved measurements from a dropped ZIP file, and explains why another was not opened. Otherwise a
 * browser would leave the page for the file.
 */
export function takeDrops(restore: (file: File) => void, explain: (text: string) => void): void {
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file !== undefined && /\.zip$/i.test(file.name)) return restore(file);
    const name = file?.name ?? "The file";
    explain(
      `${name} was not opened: browsers hide the path of a dropped file. Choose it with “Open file…”, or type its path.`,
    );
  });
}
