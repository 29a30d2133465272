/** DOM elements in one expression; text always goes in as text, never as markup. */

/**
 * @param {string} tag
 * @param {Record<string, unknown>} [settings] properties of the element where it has them, else attributes
 * @param {...(Node | string)} children
 */
export function element(tag, settings = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name in node) node[name] = value;
    else if (value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** An SVG element; settings are attributes. */
export function svgElement(tag, settings = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) if (value !== null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
