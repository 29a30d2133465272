/**
 * What the page says beside the pictures: title, facts, warnings, progress, status, notices and faults.
 *
 * Tested in `tests/browser/opening_test.ts`.
 */
import { byId, element } from "./element.js";
import { faultOf } from "./fault.js";
import { facts, megabytes } from "./readout.js";

/** @import { OpenResponse } from "../../client/v2/acq-client.d.ts" */

/** Work that is done sooner says nothing of its progress. */
const SHOW_PROGRESS_AFTER_MS = 500;

const NAME = "acq-server viewer";

export class Page {
  #showProgress = 0;

  /** Something is open, or nothing. @param {OpenResponse | null} info @param {boolean} [isSample] */
  title(info, isSample = false) {
    const title = byId("title");
    title.textContent = info?.source.name ?? NAME;
    title.title = isSample ? "" : info?.source.path ?? "";
    byId("facts").textContent = info === null ? "" : facts(info);
    byId("sample-mark").hidden = !isSample;
    document.title = info === null ? NAME : `${info.source.name} – acq-server`;
    byId("empty").hidden = info !== null;
    const warnings = info?.warnings ?? [];
    byId("warnings").replaceChildren(...warnings.map((text) => element("li", { textContent: text })));
    byId("warnings").hidden = warnings.length === 0;
  }

  /** Work begins. @param {string} what is done @param {boolean} isLong it is known to take a while */
  begin(what, isLong) {
    this.fault(null);
    byId("progress").removeAttribute("value");
    byId("progress-text").textContent = what;
    clearTimeout(this.#showProgress);
    const show = () => byId("transfer").hidden = false;
    if (isLong) show();
    else this.#showProgress = setTimeout(show, SHOW_PROGRESS_AFTER_MS);
  }

  /** Bytes of planes come. @param {number} received @param {number} total */
  progress(received, total) {
    const bar = byId("progress", HTMLProgressElement);
    bar.max = total;
    bar.value = received;
    byId("progress-text").textContent = `${megabytes(received)} of ${megabytes(total)}`;
  }

  /** Work has ended. */
  end() {
    clearTimeout(this.#showProgress);
    byId("transfer").hidden = true;
  }

  /** One line at the foot. @param {string} text @param {boolean} [isBad] */
  say(text, isBad = false) {
    byId("status").classList.toggle("bad", isBad);
    byId("status").textContent = text;
  }

  /** What is wrong with a number stands until another is typed. @param {string | null} fault */
  typed(fault) {
    if (fault !== null) this.say(fault, true);
    else if (byId("status").classList.contains("bad")) this.say("");
  }

  /** A bar with something to do, or none. @param {string | null} text @param {string} [action] @param {() => void} [act] */
  notice(text, action = "", act) {
    byId("notice").hidden = text === null;
    byId("notice-text").textContent = text ?? "";
    const button = byId("notice-action");
    button.hidden = act === undefined;
    button.textContent = action;
    button.onclick = act ?? null;
  }

  /** A failure where the picture would be, with its code under "Details"; null takes it away. @param {unknown} error */
  fault(error) {
    byId("fault").hidden = error === null;
    if (error === null) return;
    const { words, code, message } = faultOf(error);
    byId("fault-words").textContent = words;
    byId("fault-code").textContent = code;
    byId("fault-message").textContent = message;
    byId("fault-details", HTMLDetailsElement).open = false;
  }
}
