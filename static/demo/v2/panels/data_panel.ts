/** For programmers: code to copy, and the server's answer. */
import { byId, element } from "../controls/element.ts";
import { type Language, writeSnippet } from "./snippet.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { Groups } from "./viewer.ts";

/** Longest array that is shown whole; longer ones are cut and show their length. */
const LONGEST_ARRAY = 200;

/** The panel with the code and the open response as a tree. */
export class DataPanel {
  #shown: { info: OpenResponse; groups: Groups; isSample: boolean; isByPath: boolean } | null = null;
  #position: Record<string, number> = {};
  readonly #readSession;
  readonly #say;

  /** @param page `readSession` reads the state of the session */
  constructor({ readSession, say }: { readSession: () => Promise<unknown>; say: (text: string) => void }) {
    this.#readSession = readSession;
    this.#say = say;
    for (const id of ["language", "snippet-of"]) byId(id).addEventListener("change", () => this.paint());
    byId("copy").addEventListener("click", () => this.#copy());
    byId("session-details").addEventListener("toggle", () => this.#showSession());
  }

  /** @param options whether it is the sample, and whether programs may open by path */
  show(info: OpenResponse, groups: Groups, options: { isSample: boolean; isByPath: boolean }): void {
    this.#shown = { info, groups, ...options };
    byId("snippet-of", HTMLSelectElement).value = "source";
    byId("snippet-of").closest("label")!.hidden = groups.reference === null;
    byId("header-json").replaceChildren(jsonTree(info.header));
    byId("session-details").hidden = options.isSample;
    this.renew(info);
  }

  /** Updates the session of the same planes. */
  renew(info: OpenResponse): void {
    byId("open-json").replaceChildren(jsonTree(info));
    this.#showSession();
    this.paint();
  }

  /** Position of the shown planes. */
  set position(position: { t: number; z: number; l: number }) {
    this.#position = position;
    this.paint();
  }

  /** Writes the program for the channels that are shown. */
  paint(): void {
    if (this.#shown === null) return;
    const { info, groups, isSample, isByPath } = this.#shown;
    const reference = byId("snippet-of", HTMLSelectElement).value === "reference" ? groups.reference : null;
    const { shown } = reference ?? groups.source;
    let why = shown.length === 0 ? "No channel is shown." : "";
    if (isSample) why = "The sample has no session: open a file to see a program that fetches its planes.";
    byId("copy", HTMLButtonElement).disabled = why !== "";
    const language = byId("language", HTMLSelectElement).value as Language;
    byId("snippet").textContent = why || writeSnippet(language, {
      origin: location.origin,
      path: isByPath ? info.source.path : null,
      scene: info.scene ?? null,
      isReference: reference !== null,
      channels: shown.map(({ index }) => index),
      position: reference === null ? this.#position : {},
    });
  }

  async #showSession() {
    const details = byId("session-details", HTMLDetailsElement);
    if (!details.open || details.hidden) return;
    try {
      byId("session-json").replaceChildren(jsonTree(await this.#readSession()));
    } catch (error) {
      byId("session-json").textContent = String(error instanceof Error ? error.message : error);
    }
  }

  async #copy() {
    const program = byId("snippet");
    try {
      await navigator.clipboard.writeText(program.textContent ?? "");
      this.#say("Copied");
    } catch {
      getSelection()?.selectAllChildren(program);
      this.#say("The browser does not let the page copy: the program is selected, press Ctrl+C");
    }
  }
}

/** JSON as a folding tree, with long arrays of numbers on a few lines. */
function jsonTree(value: unknown, name = "", open = true): HTMLElement {
  const key = name === "" ? [] : [element("span", { className: "key", textContent: name }), ": "];
  if (value === null || typeof value !== "object") {
    const text = element("span", { className: typeof value, textContent: JSON.stringify(value) });
    return element("div", { className: "leaf" }, ...key, text);
  }
  const isArray = Array.isArray(value);
  if (isArray && value.every((item) => item === null || typeof item !== "object")) {
    const shown = JSON.stringify(value.slice(0, LONGEST_ARRAY)).replaceAll(",", ", ");
    const rest = value.length > LONGEST_ARRAY ? ` … ${value.length} items` : "";
    return element("div", { className: "leaf" }, ...key, shown + rest);
  }
  const entries = Object.entries(value);
  const size = isArray ? `[${entries.length}]` : `{${entries.length}}`;
  const items = entries.slice(0, LONGEST_ARRAY).map(([field, item]) =>
    jsonTree(item, field, open && !isArray)
  );
  const branch = element("div", { className: "branch" }, ...items);
  return element("details", { open }, element("summary", {}, ...key, size), branch);
}
