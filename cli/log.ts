/** The log on stderr, as text or as JSON lines. */
import { LogOutput } from "./log_output.ts";

/** From the quietest to the loudest. */
export const LOG_LEVELS = ["error", "warn", "info"] as const;

/** One of {@linkcode LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Named values of a line; only the JSON form writes them. */
export type LogFields = Readonly<Record<string, string | number>>;

/** Where the server writes what happens. */
export class Log {
  readonly #level: number;
  readonly #json: boolean;
  readonly #output: LogOutput;
  readonly #write: (line: string) => void;

  /**
   * Writes lines up to a level.
   *
   * @param write takes one line without its end; stderr by default, without waiting for who reads it
   */
  constructor(level: LogLevel, json: boolean, write?: (line: string) => void) {
    this.#level = LOG_LEVELS.indexOf(level);
    this.#json = json;
    this.#output = new LogOutput(
      Deno.stderr,
      (lost) => this.#format("warn", `${lost} lines were not read in time`),
    );
    this.#write = write ?? ((line) => this.#output.line(line));
  }

  /** Settles when all lines are written, or cannot be. */
  written(): Promise<void> {
    return this.#output.written();
  }

  /** Writes a line when its level is loud enough. Control characters are shown, never sent to a terminal. */
  line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.#level) return;
    this.#write(this.#format(level, message, fields));
  }

  #format(level: LogLevel, message: string, fields: LogFields = {}): string {
    const time = new Date().toISOString();
    if (this.#json) return JSON.stringify({ time, level, message, ...fields });
    // A line that continues another cannot pass for one of its own.
    const text = printable(message).replaceAll("\n", "\n         ");
    return `${time.slice(11, 19)} ${level === "info" ? "" : `${level.toUpperCase()} `}${text}`;
  }
}

/** The text with the characters that steer a terminal, or the direction of text, as `\uXXXX`; line ends stay. */
export function printable(text: string): string {
  return text.replace(
    // deno-lint-ignore no-control-regex
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
