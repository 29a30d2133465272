/** Shows JSON as a folding tree, with long arrays of numbers on a few lines. */
import { element } from "./element.js";

/** Longest array that is shown whole; longer ones are cut and show their length. */
const LONGEST_ARRAY = 200;

/** @param {unknown} value @param {string} [name] @param {boolean} [open] @returns {HTMLElement} */
export function jsonTree(value, name = "", open = true) {
  const key = name === "" ? [] : [element("span", { className: "key", textContent: name }), ": "];
  if (value === null || typeof value !== "object") {
    const text = element("span", { className: typeof value, textContent: JSON.stringify(value) });
    return element("div", { className: "leaf" }, ...key, text);
  }
  const isArray = Array.isArray(value);
  if (isArray && value.every((item) => item === null || typeof item !== "object")) {
    const shown = JSON.stringify(value.slice(0, LONGEST_ARRAY)).replaceAll(",", ", ");
    const rest = value.length > LONGEST_ARRAY ? ` … ${value.length} items` : "";
    return element("div", { className: "leaf" }, ...key, shown + rest);
  }
  const entries = Object.entries(value);
  const size = isArray ? `[${entries.length}]` : `{${entries.length}}`;
  const items = entries.slice(0, LONGEST_ARRAY).map(([field, item]) =>
    jsonTree(item, field, open && !isArray)
  );
  const branch = element("div", { className: "branch" }, ...items);
  return element("details", { open }, element("summary", {}, ...key, size), branch);
}
