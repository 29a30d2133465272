/** Makes and finds DOM elements, shows passing text and saves files. Text goes in as text, never as markup. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [settings] properties of the element if it has them, else attributes
 * @param {...(Node | string)} children
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

/**
 * An SVG element; settings are attributes.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [settings]
 * @param {...(Node | string)} children
 */
export function svgElement(tag, settings = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null) node.setAttribute(name, String(value));
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
 * The element with an id; throws if the page has none of this kind.
 *
 * @type {<Kind extends Element = HTMLElement>(id: string, kind?: abstract new (...args: any[]) => Kind) => Kind}
 */
export const byId = (id, kind) => within(document, `#${id}`, kind);

/**
 * The first element inside another that matches a selector; throws if no element of this kind matches.
 *
 * @type {<Kind extends Element = HTMLElement>(parent: ParentNode, selector: string, kind?: abstract new (...args: any[]) => Kind) => Kind}
 */
export function within(parent, selector, kind) {
  const node = parent.querySelector(selector);
  if (!(node instanceof (kind ?? HTMLElement))) throw new TypeError(`The page has no ${selector}`);
  return /** @type {any} */ (node);
}

/** Sizes a canvas in CSS pixels; one of that size keeps its content. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
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

/** Shows a text for 8 seconds, long enough to be read twice; `stays` keeps it. @param {Node} node @param {string} text */
export function sayIn(node, text, stays = false) {
  clearTimeout(ends.get(node));
  node.textContent = text;
  if (!stays) ends.set(node, setTimeout(() => node.textContent = "", 8000));
}

/** Lets the browser save a file. @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  // A browser may take a while to begin a download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
