/** Texts around the pictures: title, facts, warnings, progress, status, notices and failures. */
import { byId, element, sayIn, unbroken } from "../controls/element.ts";
import { formatFacts, formatMegabytes, nameRecordingForPage } from "../picture/readout.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { State } from "./kept_work.ts";

/** Work that takes longer shows its progress. */
const SHOW_PROGRESS_AFTER_MS = 500;

/** Failures in plain words, by code. */
const WORDS: Readonly<Record<string, string>> = {
  server_unreachable: "The server does not answer. Start acq-server again, then try again.",
  shutting_down: "The server is shutting down. Start it again, then try again.",
  no_acq_server: "The answer does not come from acq-server, or comes from another version of it.",
  wrong_size: "A plane came incomplete. Open the file again.",
  path_not_found: "There is no file at this path, or the server may not read it.",
  path_not_allowed: "The server does not open files from this folder.",
  origin_not_allowed: "The server does not let this page open files by their path. Use its file dialog.",
  unsupported_format: "The server does not read this kind of file.",
  decode_failed: "The file cannot be read: it is damaged, incomplete or of an unsupported variant.",
  load_timeout: "Opening took too long and was stopped.",
  invalid_channel_indices: "The channels of this file differ in size and do not fit into one picture.",
  scene_out_of_range: "The file has no such scene.",
  channel_out_of_range: "The file has no such channel.",
  position_out_of_range: "The file has no such time point, focus plane or wavelength.",
  plane_not_found: "This image was never recorded: the acquisition stopped before it.",
  acquisition_changed: "The file changed while it was read.",
  session_not_found: "The server has closed this file. Open it again.",
  export_not_found: "The link to the archive was used already or has expired. Save again.",
  too_many_exports: "Too many archives wait for their download. Try again in a moment.",
  session_memory_exceeded: "The file needs more memory than the server may use.",
  too_many_opens: "The server is busy with other files. Try again in a moment.",
  payload_too_large: "What was measured is too much for one archive. Save its tables one by one.",
  dialog_unavailable: "The server's computer cannot show a file dialog. Type the path of the file instead.",
  dialog_busy: "A file dialog is already open on the server's computer. Close it first.",
  request_validation_failed: "Type the full path of a file, such as /data/scan.oir or C:\\data\\scan.oir.",
  internal_error: "The server failed. Its log has the details.",
  not_found: "The server has nothing at this address.",
};

/** The page shows code and message, as the server or the runtime wrote them, under "Details". */
export function explainFault(error: unknown): {
  words: string;
  code: string;
  message: string;
} {
  const { code = "client_error", message = String(error) } = (error ?? {}) as {
    code?: string;
    message?: string;
  };
  return { words: WORDS[code] ?? "Something went wrong in this page.", code, message };
}

const KEPT_WORDS: Record<State, string> = {
  none: "Work on the sample is not kept, saved or restored. Open a file for that.",
  kept: "Kept in this browser.",
  pending: "Saving …",
  elsewhere: "Another tab keeps the work on this recording. Changes here are not saved.",
  full:
    "Not saved: the browser gives this page no more space. Remove recent work that you no longer need, or save tables before you close the page.",
  lockless:
    "Not saved: the browser lacks the locks by which tabs share work. What you draw and measure is lost when you close the page; save an archive or tables before.",
  blocked: "Not saved: the browser lets this page store nothing. Save tables before you close the page.",
};

/** Why the sample of the page cannot be saved. */
const NO_FILE = "The sample of the page is no file. Open examples/line_scan.oir, which is the same line scan";

/** The parts of the page that show text. */
export class Page {
  /** The buttons that save and restore, with their titles. */
  readonly #saving = ["save", "restore"].map((id) => byId(id, HTMLButtonElement))
    .map((button) => ({ button, title: button.title }));
  #showProgress: ReturnType<typeof setTimeout> | undefined;
  #countSeconds: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    byId("notice-close").addEventListener("click", () => this.notice(null));
    byId("warnings-close").addEventListener("click", () => byId("warnings").hidden = true);
    byId("fault-close").addEventListener("click", () => this.fault(null));
  }

  /** Lets users save and restore, or says on the buttons why they cannot. */
  allowSaving(isAllowed: boolean): void {
    for (const { button, title } of this.#saving) {
      button.disabled = !isAllowed;
      button.title = isAllowed ? title : NO_FILE;
    }
  }

  /** Shows title, facts and warnings of the open file. */
  title(info: OpenResponse, isSample: boolean): void {
    const { source, warnings = [] } = info;
    const name = nameRecordingForPage(info);
    byId("title").textContent = name;
    byId("title").title = isSample ? "" : source.path;
    byId("facts").replaceChildren(...unbroken(formatFacts(info)));
    byId("sample-mark").hidden = !isSample;
    document.title = `${name} – acq-server`;
    byId("empty").hidden = true;
    byId("warnings-list").replaceChildren(...warnings.map((text) => element("li", { textContent: text })));
    byId("warnings").hidden = warnings.length === 0;
  }

  /**
   * Shows that work is in progress. The server reports no progress of opening, so the page counts seconds until bytes arrive.
   *
   * @param isLong whether it is known to take a while
   */
  begin(what: string, isLong: boolean): void {
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

  /** Shows the progress of a transfer. */
  progress(received: number, total: number): void {
    clearInterval(this.#countSeconds);
    const bar = byId("progress", HTMLProgressElement);
    bar.max = total;
    bar.value = received;
    byId("progress-text").textContent = `${formatMegabytes(received)} of ${formatMegabytes(total)}`;
  }

  end(): void {
    clearTimeout(this.#showProgress);
    clearInterval(this.#countSeconds);
    byId("transfer").hidden = true;
  }

  /** Shows a line at the foot; errors stay. */
  say(text: string, isBad = false): void {
    byId("status").classList.toggle("bad", isBad);
    sayIn(byId("status"), text, isBad);
  }

  /** Shows the fault of a typed number until another number is typed. */
  typed(fault: string | null): void {
    if (fault !== null) this.say(fault, true);
    else if (byId("status").classList.contains("bad")) this.say("");
  }

  /** Says whether the work is kept. */
  kept(state: State): void {
    const isBad = ["elsewhere", "full", "blocked", "lockless"].includes(state);
    byId("kept").classList.toggle("bad", isBad);
    // Each save would interrupt a screen reader.
    byId("kept-words").ariaLive = isBad ? "polite" : "off";
    byId("kept-words").textContent = KEPT_WORDS[state];
    byId("take-over").hidden = state !== "elsewhere";
  }

  /** Shows a strip with an optional action, or hides it. */
  notice(text: string | null, action = "", act?: () => void): void {
    byId("notice").hidden = text === null;
    byId("notice-text").textContent = text ?? "";
    const button = byId("notice-action");
    button.hidden = act === undefined;
    button.textContent = action;
    button.onclick = act ?? null;
  }

  /**
   * Shows a failure above the pictures, with its code under "Details"; null hides it.
   *
   * @param file that failed
   */
  fault(error: unknown, file = ""): void {
    const wasThere = !byId("fault").hidden;
    byId("fault").hidden = error === null;
    if (error === null) {
      // Clears the error in the line at the foot.
      if (wasThere && byId("status").classList.contains("bad")) this.say("");
      return;
    }
    const { words, code, message } = explainFault(error);
    byId("fault-words").textContent = words;
    byId("fault-file").textContent = file;
    // The server has the pages of the manual at their paths in the repository.
    const [section] = /\b(?:README|docs\/[\w/-]+)\.md(?:#[\w-]+)?/.exec(message) ?? [];
    byId("fault-manual").hidden = section === undefined;
    byId("fault-manual", HTMLAnchorElement).href = `/${section ?? ""}`;
    byId("fault-code").textContent = code;
    byId("fault-message").textContent = message;
    byId("fault-details", HTMLDetailsElement).open = false;
  }
}
