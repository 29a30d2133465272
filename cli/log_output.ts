/** Lines to a stream that may be read slowly, or never. A pipe that is full holds back who writes to it, but not the server. */

/** Lines that wait for the reader; of further ones only the number is kept. */
const MOST_WAITING = 1000;

/** What takes the bytes. */
export interface Sink {
  /** Settles when some of the bytes were taken; how many. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<number>;
}

/** Writes lines in their order, while the caller goes on. */
export class LogOutput {
  readonly #sink: Sink;
  readonly #told: (lost: number) => string;
  #waiting: string[] = [];
  #lost = 0;
  #writing: Promise<void> | null = null;

  /** `told` makes a line of how many lines were lost. */
  constructor(sink: Sink, told: (lost: number) => string) {
    this.#sink = sink;
    this.#told = told;
  }

  /** Takes one line without its end. */
  line(line: string): void {
    if (this.#waiting.length >= MOST_WAITING) this.#lost += 1;
    else this.#waiting.push(line);
    this.#writing ??= this.#writeAll();
  }

  /** Settles when all lines are written, or cannot be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0);
        if (this.#lost > 0) lines.push(this.#told(this.#lost));
        this.#lost = 0;
        await this.#write(new TextEncoder().encode(`${lines.join("\n")}\n`));
      }
    } catch {
      // Nobody will read the log: its reader has ended, or its disk is full.
      this.#waiting = [];
    }
    this.#writing = null;
  }

  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#sink.write(bytes.subarray(at));
  }
}
