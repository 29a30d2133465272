/**
 * Tables as comma-separated values by RFC 4180: lines end with CR LF, fields are quoted where necessary. Lines
 * `name,value` above the table name its source and settings; an empty line ends them.
 *
 * An apostrophe precedes text that a spreadsheet would take for a formula, since channel names come from untrusted
 * files. Numbers keep all significant digits; missing values are empty.
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [unit]
 * @property {ArrayLike<number | string | null>} values
 */

/** Makes spreadsheets read the file as UTF-8. */
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
