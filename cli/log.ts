/** The log on standard error, as text or as JSON lines. */

/** Log levels from the quietest to the most verbose. */
export const LOG_LEVELS = ["error", "warn", "info"] as const;

/** One of {@linkcode LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Named values of a line, for the JSON form. */
export type LogFields = Readonly<Record<string, string | number>>;

/** Largest number of lines that wait for a slow reader. Further lines are only counted. */
const MOST_WAITING = 1000;

/** A destination of bytes, such as standard error. */
export interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<number>;
}

/** Writes lines up to a level. A reader that stops reading does not block the program. */
export class LevelLog {
  readonly #level: number;
  readonly #json: boolean;
  readonly #sink: Sink;
  #waiting: string[] = [];
  #lost = 0;
  #writing: Promise<void> | null = null;

  constructor(level: LogLevel, json: boolean, sink: Sink = Deno.stderr) {
    this.#level = LOG_LEVELS.indexOf(level);
    this.#json = json;
    this.#sink = sink;
  }

  /** Writes a line, unless it is more verbose than the log's level. Control characters are escaped. */
  line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.#level) return;
    if (this.#waiting.length >= MOST_WAITING) this.#lost += 1;
    else this.#waiting.push(this.#format(level, message, fields));
    this.#writing ??= this.#writeAll();
  }

  /** Settles when all lines are written or have failed. */
  async written(): Promise<void> {
    await this.#writing;
  }

  #format(level: LogLevel, message: string, fields: LogFields = {}): string {
    const time = new Date().toISOString();
    if (this.#json) return JSON.stringify({ time, level, message, ...fields });
    // Indents continuation lines, so that they cannot pass for lines of their own.
    const text = escapeControls(message).replaceAll("\n", "\n         ");
    return `${time.slice(11, 19)} ${level === "info" ? "" : `${level.toUpperCase()} `}${text}`;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0);
        if (this.#lost > 0) lines.push(this.#format("warn", `${this.#lost} lines were not read in time`));
        this.#lost = 0;
        const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
        for (let at = 0; at < bytes.length;) at += await this.#sink.write(bytes.subarray(at));
      }
    } catch {
      // The reader has ended, or its disk is full.
      this.#waiting = [];
    }
    this.#writing = null;
  }
}

/** Escapes characters that control a terminal or the direction of text as `\uXXXX`. Keeps line feeds. */
export function escapeControls(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
