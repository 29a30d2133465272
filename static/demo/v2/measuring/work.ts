/** Work that the buttons which start it also cancel. */
import { element } from "../controls/element.ts";

/** One piece of work at a time, with its progress. */
export class Work {
  readonly #status;
  readonly #buttons;
  #running: AbortController | null = null;
  readonly progress: HTMLProgressElement;

  /**
   * @param label of the progress
   * @param status says why work failed
   */
  constructor(label: string, status: Node, buttons: readonly HTMLButtonElement[]) {
    this.progress = element("progress", { hidden: true, "aria-label": label });
    this.#status = status;
    this.#buttons = buttons.map((button) => ({ button, name: button.textContent }));
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Cancels the work, which then says so. */
  cancel(): void {
    this.#running?.abort();
  }

  /** Ends the work without a word, since another picture is shown. */
  end(): void {
    this.#running?.abort();
    this.#running = null;
    for (const { button, name } of this.#buttons) button.textContent = name;
    this.progress.hidden = true;
  }

  /**
   * Runs work in place of earlier work.
   *
   * @returns why it failed; empty after success, null if it was ended
   */
  async run(work: (signal: AbortSignal) => Promise<void>): Promise<string | null> {
    this.end();
    const running = this.#running = new AbortController();
    const { signal } = running;
    for (const { button } of this.#buttons) button.textContent = "Cancel";
    this.progress.hidden = false;
    this.progress.removeAttribute("value");
    let fault = "";
    try {
      await work(signal);
    } catch (error) {
      fault = signal.aborted ? "Cancelled" : (error as Error).message;
    }
    if (this.#running !== running) return null;
    this.#running = null;
    this.end();
    if (fault !== "") this.#status.textContent = fault;
    return fault;
  }
}
