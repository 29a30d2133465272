/** The table of many recordings: a row for each band, or for a recording that could not be measured. Independent of the page. */
import { csv } from "../../../measure/csv.js";

/** @import { About } from "../measuring/scan.js" */
/** @import { Row } from "./measurer.js" */

/** Columns that always stand at the end. */
const LAST = ["Note", "Error"];

/**
 * @param {About} about origin of the numbers
 * @param {readonly Row[]} rows each with its own columns, such as velocities in other units
 * @returns {string} comma-separated values
 */
export function recordingsTable(about, rows) {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const ordered = [...[...names].filter((name) => !LAST.includes(name)), ...LAST];
  return csv(about, ordered.map((name) => ({ name, values: rows.map((row) => row[name] ?? null) })));
}
