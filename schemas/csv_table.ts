/** Validates CSV tables: UTF-8, RFC 4180, a header of distinct names, rows of equal length. */

/** Largest table in bytes; tables are read whole. */
export const MAX_CSV_BYTES = 256 << 20;

/** The first problem of a table, or `null`. */
export function findCsvProblem(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "the table is not UTF-8";
  }
  if (text === "") return "the table is empty";
  let header: string[] | null = null;
  const table = new CsvRows(text);
  for (let row = table.next(); row !== null; row = table.next()) {
    if (typeof row === "string") return row;
    if (header === null) {
      const problem = findHeaderProblem(row);
      if (problem) return problem;
      header = row;
    } else if (row.length !== header.length) {
      return `line ${table.rowLine} has ${row.length} fields, the header has ${header.length}`;
    }
  }
  return null;
}

function findHeaderProblem(names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    if (name === "") return `column ${i + 1} of the header has no name`;
    if (seen.has(name)) return `the header has the name "${name}" twice`;
    seen.add(name);
  }
  return null;
}

/** Reads one row at a time, so that a large table is never held as rows. */
class CsvRows {
  readonly #text: string;
  #at = 0;
  #line = 1;
  /** Line on which the last row began. */
  rowLine = 1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The fields of the next row, `null` at the end, or the message of a problem. */
  next(): string[] | string | null {
    if (this.#at >= this.#text.length) return null;
    this.rowLine = this.#line;
    const fields: string[] = [];
    while (true) {
      const field = this.#text[this.#at] === '"' ? this.#quoted() : this.#bare();
      if (field === null) return `line ${this.#line} has a quote that does not enclose its field`;
      fields.push(field);
      const end = this.#text[this.#at];
      this.#at += 1;
      if (end === ",") continue;
      if (end === "\r") {
        if (this.#text[this.#at] !== "\n") {
          return `line ${this.#line} has a carriage return without a line feed`;
        }
        this.#at += 1;
      }
      this.#line += 1;
      return fields;
    }
  }

  #bare(): string | null {
    const start = this.#at;
    while (this.#at < this.#text.length && !',\r\n"'.includes(this.#text[this.#at]!)) this.#at += 1;
    return this.#text[this.#at] === '"' ? null : this.#text.slice(start, this.#at);
  }

  #quoted(): string | null {
    let field = "";
    for (this.#at += 1;;) {
      const end = this.#text.indexOf('"', this.#at);
      if (end < 0) return null;
      const part = this.#text.slice(this.#at, end);
      field += part;
      this.#line += part.split("\n").length - 1;
      this.#at = end + 1;
      if (this.#text[this.#at] !== '"') break;
      field += '"';
      this.#at += 1;
    }
    const next = this.#text[this.#at];
    return next === undefined || next === "," || next === "\r" || next === "\n" ? field : null;
  }
}
