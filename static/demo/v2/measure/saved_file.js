/** Files that the browser saves. */
import { element } from "../element.js";

/** How long a browser may take to begin the download. */
const KEPT_MS = 10_000;

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** @param {string} name @param {string} text @param {string} type such as `text/csv` */
export const saveText = (name, text, type) =>
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
