/** Texts around the pictures: title, facts, warnings, progress, status, notices and failures. */
import { byId, element, sayIn, unbroken } from "../controls/element.js";
import { manualIn } from "../controls/help.js";
import { faultOf } from "./fault.js";
import { facts, megabytes } from "../picture/readout.js";

/** @import { OpenResponse } from "../../../client/v2/acq-client.d.ts" */

/** Work that takes longer shows its progress. */
const SHOW_PROGRESS_AFTER_MS = 500;

/** @type {Record<import("./kept_work.js").State, string>} */
const KEPT_WORDS = {
  none: "Work on the sample is not kept.",
  kept: "Kept in this browser.",
  pending: "Saving …",
  elsewhere: "Another tab keeps the work on this recording. Changes here are not saved.",
  full:
    "Not saved: the browser gives this page no more space. Remove recent work that you no longer need, or save tables before you close the page.",
  blocked: "Not saved: the browser lets this page store nothing. Save tables before you close the page.",
};

export class Page {
  #showProgress = 0;
  #countSeconds = 0;

  constructor() {
    byId("notice-close").addEventListener("click", () => this.notice(null));
    byId("warnings-close").addEventListener("click", () => byId("warnings").hidden = true);
    byId("fault-close").addEventListener("click", () => this.fault(null));
  }

  /** Shows title, facts and warnings of the open file. @param {OpenResponse} info @param {boolean} isSample */
  title(info, isSample) {
    const { source, warnings = [] } = info;
    byId("title").textContent = source.name;
    byId("title").title = isSample ? "" : source.path;
    byId("facts").replaceChildren(...unbroken(facts(info)));
    byId("sample-mark").hidden = !isSample;
    document.title = `${source.name} – acq-server`;
    byId("empty").hidden = true;
    byId("warnings-list").replaceChildren(...warnings.map((text) => element("li", { textContent: text })));
    byId("warnings").hidden = warnings.length === 0;
  }

  /**
   * Starts the progress display. The server reports no progress of opening, so the page counts seconds until bytes arrive.
   *
   * @param {string} what work is in progress
   * @param {boolean} isLong whether it is known to take a while
   */
  begin(what, isLong) {
    this.fault(null);
    byId("progress").removeAttribute("value");
    byId("progress-text").textContent = what;
    clearTimeout(this.#showProgress);
    clearInterval(this.#countSeconds);
    const start = performance.now();
    this.#countSeconds = setInterval(() => {
      byId("progress-text").textContent = `${what} ${Math.round((performance.now() - start) / 1000)} s`;
    }, 1000);
    const show = () => byId("transfer").hidden = false;
    if (isLong) show();
    else this.#showProgress = setTimeout(show, SHOW_PROGRESS_AFTER_MS);
  }

  /** Shows the progress of a transfer. @param {number} received @param {number} total */
  progress(received, total) {
    clearInterval(this.#countSeconds);
    const bar = byId("progress", HTMLProgressElement);
    bar.max = total;
    bar.value = received;
    byId("progress-text").textContent = `${megabytes(received)} of ${megabytes(total)}`;
  }

  /** Ends the progress display. */
  end() {
    clearTimeout(this.#showProgress);
    clearInterval(this.#countSeconds);
    byId("transfer").hidden = true;
  }

  /** Shows a line at the foot; errors stay. @param {string} text @param {boolean} [isBad] */
  say(text, isBad = false) {
    byId("status").classList.toggle("bad", isBad);
    sayIn(byId("status"), text, isBad);
  }

  /** Shows the fault of a typed number until another number is typed. @param {string | null} fault */
  typed(fault) {
    if (fault !== null) this.say(fault, true);
    else if (byId("status").classList.contains("bad")) this.say("");
  }

  /** Says whether the work is kept. @param {import("./kept_work.js").State} state */
  kept(state) {
    const isBad = ["elsewhere", "full", "blocked"].includes(state);
    byId("kept").classList.toggle("bad", isBad);
    // Each save would interrupt a screen reader.
    byId("kept-words").ariaLive = isBad ? "polite" : "off";
    byId("kept-words").textContent = KEPT_WORDS[state];
    byId("take-over").hidden = state !== "elsewhere";
  }

  /** Shows a strip with an optional action, or hides it. @param {string | null} text @param {string} [action] @param {() => void} [act] */
  notice(text, action = "", act) {
    byId("notice").hidden = text === null;
    byId("notice-text").textContent = text ?? "";
    const button = byId("notice-action");
    button.hidden = act === undefined;
    button.textContent = action;
    button.onclick = act ?? null;
  }

  /** Shows a failure above the pictures, with its code under "Details"; null hides it. @param {unknown} error @param {string} [file] that failed */
  fault(error, file = "") {
    const wasThere = !byId("fault").hidden;
    byId("fault").hidden = error === null;
    if (error === null) {
      // Clears the error in the line at the foot.
      if (wasThere && byId("status").classList.contains("bad")) this.say("");
      return;
    }
    const { words, code, message } = faultOf(error);
    byId("fault-words").textContent = words;
    byId("fault-file").textContent = file;
    const section = manualIn(message);
    byId("fault-manual").hidden = section === null;
    if (section !== null) byId("fault-manual", HTMLAnchorElement).href = section;
    byId("fault-code").textContent = code;
    byId("fault-message").textContent = message;
    byId("fault-details", HTMLDetailsElement).open = false;
  }
}
