/** What was done is said, and taken away again by itself: nobody has to close it. */

/** Long enough to be read twice. */
const STAYS_MS = 8000;

/** @type {WeakMap<Node, number>} */
const ends = new WeakMap();

/** Says something in an element; what stays is there until something else is said. @param {Node} node @param {string} text @param {boolean} [stays] */
export function sayIn(node, text, stays = false) {
  clearTimeout(ends.get(node));
  node.textContent = text;
  if (!stays) ends.set(node, setTimeout(() => node.textContent = "", STAYS_MS));
}
