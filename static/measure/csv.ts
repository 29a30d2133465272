/**
 * Tables as comma-separated values by RFC 4180: lines end with CR LF, fields are quoted if necessary. Lines
 * `name,value` above the table name its source and settings; an empty line ends them.
 *
 * Channel names come from untrusted files, so an apostrophe is put before a character that makes a spreadsheet run a
 * formula: at the start of a text, and after any character that starts a cell if the spreadsheet separates cells by `;` or
 * a tab. (Quotes do not protect these cells: a doubled quote at the start of a cell ends the quoting.) Numbers keep all
 * significant digits; missing values are empty.
 */

/** A named column of a table; null and NaN are missing values. */
export interface Column {
  name: string;
  unit?: string;
  /** Step to which the page rounds the values. */
  step?: number;
  values: ArrayLike<number | string | null>;
}

/** Values by column of a table; NaN if missing. */
export type Row = Record<string, number | string>;

/**
 * A table with what is known about it above, as the text of a CSV file.
 *
 * @param about file name and settings
 * @param columns shorter columns end with empty fields
 */
export function csv(
  about: readonly (readonly [name: string, value: string | number])[],
  columns: readonly Column[],
): string {
  const lines = about.map(([name, value]) => `${field(name)},${field(value)}\r\n`);
  // The byte order mark makes spreadsheets read the file as UTF-8.
  return `\ufeff${lines.join("")}\r\n${table(columns)}`;
}

/** Header and rows only. */
export function table(columns: readonly Column[]): string {
  const head = columns.map(({ name, unit = "" }) => field(unit === "" ? name : `${name} (${unit})`));
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const rows = Array.from({ length }, (_, i) => columns.map(({ values }) => field(values[i] ?? null)));
  return [head, ...rows].map((fields) => `${fields.join(",")}\r\n`).join("");
}

/** Columns for rows of named values; a value that a row lacks is empty. */
export function columnsOf(rows: readonly Readonly<Row>[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null) }));
}

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Position at which a cell may start with a character that makes it a formula. */
const FORMULA = /(?<=^|[;\t\r\n"])(?=[=+\-@\t\r])/g;

function field(value: string | number | null) {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = NUMBER.test(value) ? value : value.replace(FORMULA, "'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
