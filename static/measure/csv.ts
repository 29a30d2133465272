/**
 * Tables as comma-separated values by RFC 4180, and what is known of them as JSON. A file begins with its header, so that
 * `pandas.read_csv`, R's `read.csv` and spreadsheets need no options. Lines end with CR LF. Numbers keep all significant
 * digits; missing values are empty.
 *
 * Channel names come from untrusted files, so an apostrophe is put before a character that makes a spreadsheet run a
 * formula: at the start of a text, and after any character that starts a cell if the spreadsheet separates cells by another
 * character. (Quotes do not protect these cells: a doubled quote at the start of a cell ends the quoting.)
 */
import { freeName } from "./free_name.ts";

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

/** Named settings or results. */
export type Facts = readonly (readonly [name: string, value: string | number])[];

/** Decimal signs and the separators of cells that go with them. */
export const SEPARATORS = { point: ",", comma: ";" } as const;

/** With `comma`, spreadsheets of languages that write 1,5 read the numbers; cells are then separated by `;`. */
export type DecimalSign = keyof typeof SEPARATORS;

/** A table as the text of a file. */
export function writeCsv(columns: readonly Column[], decimal: DecimalSign = "point"): string {
  const text = writeTable(columns, decimal);
  // Tells spreadsheets that text is UTF-8. R takes the mark for a part of the first name where the locale is not UTF-8.
  // deno-lint-ignore no-control-regex
  return decimal === "comma" && /[^\x00-\x7f]/.test(text) ? `\ufeff${text}` : text;
}

/** Header and rows. Shorter columns end with empty fields. */
export function writeTable(columns: readonly Column[], decimal: DecimalSign = "point"): string {
  const head = columns.map((column) => writeField(makeColumnTitle(column), decimal));
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const rows = Array.from(
    { length },
    (_, i) => columns.map(({ values }) => writeField(values[i] ?? null, decimal)),
  );
  return [head, ...rows].map((fields) => `${fields.join(SEPARATORS[decimal])}\r\n`).join("");
}

/**
 * What is known of a saved table, as the text of the JSON file beside it.
 *
 * @param file name of the table
 * @param about further fields, such as settings
 */
export function writeCompanion(
  file: string,
  columns: readonly Column[],
  decimal: DecimalSign,
  about: Readonly<Record<string, unknown>>,
): string {
  const table = {
    table: file,
    separator: SEPARATORS[decimal],
    decimal: decimal === "comma" ? "," : ".",
    columns: columns.map(({ name, unit = "" }) => ({
      name: makeColumnTitle({ name, unit }),
      unit: unit || null,
    })),
  };
  return `${JSON.stringify({ ...table, ...about }, null, 2)}\n`;
}

/** Facts by name; a further fact of the same name gets a number. JSON has no NaN: missing numbers are null. */
export function collectFacts(facts: Facts): Record<string, string | number | null> {
  const named: Map<string, string | number | null> = new Map();
  for (const [name, value] of facts) {
    const own = freeName(name, (other) => named.has(other));
    named.set(own, typeof value === "number" && !Number.isFinite(value) ? null : value);
  }
  return Object.fromEntries(named);
}

/** Columns for rows of named values; a value that a row lacks is empty. */
export function makeColumns(rows: readonly Readonly<Row>[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null) }));
}

const makeColumnTitle = ({ name, unit = "" }: Pick<Column, "name" | "unit">) =>
  unit === "" ? name : `${name} (${unit})`;

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Position at which a cell may start with a character that makes it a formula. */
const FORMULA = { point: /(?<=^|[;\t\r\n"])(?=[=+\-@\t\r])/g, comma: /(?<=^|[,\t\r\n"])(?=[=+\-@\t\r])/g };

/** Some programs take what follows `#` for a comment. */
const QUOTED = /[",;#\t\r\n]/;

function writeField(value: string | number | null, decimal: DecimalSign) {
  if (value === null) return "";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return "";
    return decimal === "comma" ? String(value).replace(".", ",") : String(value);
  }
  const text = NUMBER.test(value) ? value : value.replace(FORMULA[decimal], "'");
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
