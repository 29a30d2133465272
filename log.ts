/** The log on stderr, as text or as JSON lines. */

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
  readonly #write: (line: string) => void;

  /**
   * Writes lines up to a level.
   *
   * @param write takes one line without its end; stderr by default
   */
  constructor(level: LogLevel, json: boolean, write: (line: string) => void = (line) => console.error(line)) {
    this.#level = LOG_LEVELS.indexOf(level);
    this.#json = json;
    this.#write = write;
  }

  /** Writes a line when its level is loud enough. Control characters are shown, never sent to a terminal. */
  line(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.#level) return;
    const time = new Date().toISOString();
    this.#write(
      this.#json
        ? JSON.stringify({ time, level, message, ...fields })
        : `${time.slice(11, 19)} ${level === "info" ? "" : `${level.toUpperCase()} `}${
          // A line that continues another cannot pass for one of its own.
          printable(message).replaceAll("\n", "\n         ")}`,
    );
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
