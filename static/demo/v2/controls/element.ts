/** Makes and finds DOM elements, shows passing text and saves files. Text goes in as text, never as markup. */

/**
 * Makes an HTML element with children.
 *
 * @param settings properties of the element if it has them, else attributes
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  settings: Record<string, unknown> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name in node) Object.assign(node, { [name]: value });
    else if (value !== null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** An SVG element; settings are attributes. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  settings: Record<string, unknown> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/** A dot of a colour. @param color CSS */
export function makeSwatch(color: string): HTMLSpanElement {
  const dot = element("span", { className: "swatch" });
  dot.style.background = color;
  return dot;
}

/** Facts `a · b · c` as nodes that break lines only between facts. */
export function unbroken(text: string): (string | HTMLSpanElement)[] {
  const facts = text.split(" · ");
  return facts.flatMap((fact, i) => {
    const isLast = i === facts.length - 1;
    const span = element("span", { className: "fact", textContent: isLast ? fact : `${fact} ·` });
    return isLast ? [span] : [span, " "];
  });
}

/** The element with an id; throws if the page has none of this kind. */
export const byId = <Kind extends Element = HTMLElement>(
  id: string,
  kind?: abstract new (...args: never[]) => Kind,
): Kind => findWithin(document, `#${id}`, kind);

/** The first element inside another that matches a selector; throws if no element of this kind matches. */
export function findWithin<Kind extends Element = HTMLElement>(
  parent: ParentNode,
  selector: string,
  kind?: abstract new (...args: never[]) => Kind,
): Kind {
  const node = parent.querySelector(selector);
  if (!(node instanceof (kind ?? HTMLElement))) throw new TypeError(`The page has no ${selector}`);
  return node as Element as Kind;
}

/** Sizes a canvas in CSS pixels; one of that size keeps its content. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  density: number = globalThis.devicePixelRatio,
): void {
  const [wide, high] = [width, height].map((size) => Math.max(1, Math.round(size * density))) as [
    number,
    number,
  ];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
}

/** Runs work in the next frame, once for all calls until then. */
export function runInNextFrame(work: () => void): () => void {
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

const ends: WeakMap<Node, ReturnType<typeof setTimeout>> = new WeakMap();

/** Shows a text for 8 seconds, long enough to be read twice; `stays` keeps it. */
export function sayIn(node: Node, text: string, stays = false): void {
  clearTimeout(ends.get(node));
  node.textContent = text;
  if (!stays) ends.set(node, setTimeout(() => node.textContent = "", 8000));
}

/** Lets the browser save a file. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  // A browser may take a while to begin a download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
