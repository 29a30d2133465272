/**
 * Tables as comma-separated values by RFC 4180: lines end with CR LF, what needs it stands in quotes. Above the table
 * stand what it was made from and how, a line each, `name,value`; an empty line ends them.
 *
 * A text that a spreadsheet would take for a formula (channel names come from files that others made) has an apostrophe
 * before it. Numbers have all digits that tell them apart; what is missing is empty.
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [unit]
 * @property {ArrayLike<number | string | null>} values
 */

/** So that spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

/**
 * @param {readonly (readonly [name: string, value: string | number])[]} about file name and settings
 * @param {readonly Column[]} columns shorter ones end with empty fields
 * @returns {string}
 */
export function csv(about, columns) {
  const head = columns.map(({ name, unit = "" }) => field(unit === "" ? name : `${name} (${unit})`));
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const rows = Array.from(
    { length },
    (_, i) => columns.map(({ values }) => field(values[i] ?? null)).join(","),
  );
  const lines = [
    ...about.map(([name, value]) => `${field(name)},${field(value)}`),
    "",
    head.join(","),
    ...rows,
  ];
  return BYTE_ORDER_MARK + lines.map((line) => `${line}\r\n`).join("");
}

/** @param {string | number | null} value */
function field(value) {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
