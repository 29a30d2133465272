/**
 * The ways to open a file: the dialog of the server's machine, a path, a recent file, the sample. The page hides what
 * the server does not allow, and shows the ways in place of the picture before the first file, afterwards in a dialog.
 */
import { byId, element } from "../controls/element.js";

/** @import { Capabilities } from "../../../client/v2/acq-client.d.ts" */
/** @import { RecentFiles } from "./kept.js" */
/** @import { LinkedView } from "./view_link.js" */

/**
 * @typedef {object} Ways
 * @property {() => void} onPick
 * @property {(path: string, link: LinkedView | null) => void} onPath with the link that filled the field, if unchanged
 * @property {() => void} onSample
 */

export class WaysIn {
  #recent;
  #ways;
  /** @type {LinkedView | null} */
  #link = null;
  #dialogAvailable = true;
  #openByPath = false;

  /** @param {RecentFiles} recent @param {Ways} ways */
  constructor(recent, ways) {
    this.#recent = recent;
    this.#ways = ways;
    byId("open").addEventListener("click", () => this.open());
    byId("open-first").addEventListener("click", () => this.#leave(ways.onPick));
    byId("more-ways").addEventListener("click", () => this.show());
    byId("sample").addEventListener("click", () => this.#leave(ways.onSample));
    byId("path-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#openPath();
    });
    byId("recent-clear").addEventListener("click", () => {
      recent.clear();
      this.#paint();
      byId("path-field").focus();
    });
  }

  /** What the server allows. @param {Capabilities} capabilities */
  allow({ dialogAvailable = true, openByPath = true }) {
    this.#dialogAvailable = dialogAvailable;
    this.#openByPath = openByPath;
    this.#paint();
  }

  /** Opens by the first available way. */
  open() {
    if (this.#dialogAvailable) this.#ways.onPick();
    else this.show();
  }

  /** Shows all ways. */
  show() {
    const dialog = byId("ways-dialog", HTMLDialogElement);
    if (byId("empty").hidden && !dialog.open) {
      byId("ways-title").after(byId("ways"));
      dialog.showModal();
    }
    byId("path-field").focus();
  }

  /** Fills the field; the user decides whether to open it. @param {LinkedView} link */
  fill(link) {
    this.#link = link;
    byId("path-field", HTMLInputElement).value = link.path;
    byId("path-note").hidden = false;
    if (this.#openByPath) this.show();
  }

  /** A path was opened. @param {string} path */
  opened(path) {
    if (this.#openByPath) this.#recent.add(path);
    this.#paint();
  }

  /** Disables all ways while something opens. @param {boolean} isBusy */
  busy(isBusy) {
    for (const id of ["open", "open-first", "path-open", "sample"]) {
      byId(id, HTMLButtonElement).disabled = isBusy;
    }
  }

  #openPath() {
    const path = pathOf(byId("path-field", HTMLInputElement).value);
    if (path === "") return;
    const link = this.#link?.path === path ? this.#link : null;
    this.#link = null;
    byId("path-note").hidden = true;
    this.#leave(() => this.#ways.onPath(path, link));
  }

  /** @param {() => void} way */
  #leave(way) {
    byId("ways-dialog", HTMLDialogElement).close();
    way();
  }

  #paint() {
    byId("open-first").hidden = !this.#dialogAvailable;
    byId("no-dialog").hidden = this.#dialogAvailable;
    byId("no-dialog").textContent = this.#openByPath
      ? "The server's computer has no display or no program for a file dialog. Type the path of a file instead."
      : "The server's computer has no display for a file dialog, and the server does not open paths.";
    byId("path-form").hidden = !this.#openByPath;
    // Without a dialog "Open file…" leads to the path.
    byId("more-ways").hidden = !this.#openByPath || !this.#dialogAvailable;
    const paths = this.#openByPath ? this.#recent.paths : [];
    byId("recent").hidden = paths.length === 0;
    byId("recent-list").replaceChildren(...paths.map((path) => {
      const [, folder = "", name = path] = /^(.*[\\/])([^\\/]+)$/.exec(path) ?? [];
      const button = element(
        "button",
        { type: "button", className: "recent", title: path },
        element("span", { className: "file", textContent: name }),
        element("span", { className: "folder", textContent: folder }),
      );
      button.addEventListener("click", () => this.#leave(() => this.#ways.onPath(path, null)));
      return element("li", {}, button);
    }));
  }
}

/** Removes quotes, which "Copy as path" of Windows and terminals add. @param {string} text */
function pathOf(text) {
  const path = text.trim();
  return /^(["']).+\1$/.test(path) ? path.slice(1, -1) : path;
}

/**
 * Explains why a dropped file was not opened. A browser would leave the page for the file, and hides its path.
 *
 * @param {(text: string) => void} explain
 */
export function explainDrops(explain) {
  const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) =>
    dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const name = event.dataTransfer?.files[0]?.name ?? "The file";
    explain(
      `${name} was not opened: browsers hide the path of a dropped file. Choose it with “Open file…”, or type its path.`,
    );
  });
}
