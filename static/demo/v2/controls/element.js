/** Makes and finds DOM elements, shows passing text and saves files. Text goes in as text, never as markup. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [settings] properties of the element if it has them, else attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, settings = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name in node) Object.assign(node, { [name]: value });
    else if (value !== null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** A dot of a colour. @param {string} color CSS */
export function swatch(color) {
  const dot = element("span", { className: "swatch" });
  dot.style.background = color;
  return dot;
}

/** Facts `a · b · c` as nodes that break lines only between facts. @param {string} text */
export function unbroken(text) {
  const facts = text.split(" · ");
  return facts.flatMap((fact, i) => {
    const isLast = i === facts.length - 1;
    const span = element("span", { className: "fact", textContent: isLast ? fact : `${fact} ·` });
    return isLast ? [span] : [span, " "];
  });
}

/**
 * An SVG element; settings are attributes.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [settings]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svgElement(tag, settings = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/**
 * An element of the page by its id.
 *
 * @template {Element} [Kind=HTMLElement]
 * @param {string} id
 * @param {abstract new (...args: any[]) => Kind} [kind]
 * @returns {Kind}
 * @throws {TypeError} the page has no such element
 */
export function byId(id, kind) {
  return checked(document.getElementById(id), `#${id}`, kind);
}

/**
 * The first element inside another that matches a selector.
 *
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {abstract new (...args: any[]) => Kind} [kind]
 * @returns {Kind}
 * @throws {TypeError} there is no such element
 */
export function within(parent, selector, kind) {
  return checked(parent.querySelector(selector), selector, kind);
}

/**
 * @template {Element} Kind
 * @param {Element | null} node
 * @param {string} name
 * @param {abstract new (...args: any[]) => Kind} [kind]
 */
function checked(node, name, kind) {
  if (!(node instanceof (kind ?? HTMLElement))) throw new TypeError(`The page has no ${name}`);
  return /** @type {Kind} */ (node);
}

/**
 * Sizes a canvas to an element in CSS pixels; a canvas of that size keeps its content.
 *
 * @type {(canvas: HTMLCanvasElement, width: number, height: number, density?: number) => void}
 */
export function fitCanvas(canvas, width, height, density = globalThis.devicePixelRatio) {
  const [wide, high] = [width, height].map((size) => Math.max(1, Math.round(size * density)));
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
}

/** Runs work in the next frame, once for all calls until then. @param {() => void} work */
export function inNextFrame(work) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      work();
    });
  };
}

/** @type {WeakMap<Node, number>} */
const ends = new WeakMap();

/** Time that a passing text is shown: long enough to be read twice. */
const STAYS_MS = 8000;

/** Shows a text in an element and removes it again after 8 seconds, unless it stays. @param {Node} node @param {string} text @param {boolean} [stays] */
export function sayIn(node, text, stays = false) {
  clearTimeout(ends.get(node));
  node.textContent = text;
  if (!stays) ends.set(node, setTimeout(() => node.textContent = "", STAYS_MS));
}

/** How long a browser may take to begin a download. */
const KEPT_MS = 10_000;

/** Lets the browser save a file. @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
