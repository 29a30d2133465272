/**
 * A list of buttons of which only the rows in view are in the document, and which is one tab stop: arrow keys, Home, End and
 * Page keys move through it.
 */

/** Lists of this length or shorter are in the document as a whole. */
const MOST_WHOLE = 200;

/** Rows above and below the view that are in the document, too. */
const BESIDE = 20;

/** Height of a row before one was measured, in CSS pixels. */
const USUAL_HEIGHT = 30;

/** Rows that arrow keys move by; Page keys move by a view. */
const KEYS: Readonly<Record<string, (at: number, view: number, last: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, view) => at + view,
  PageUp: (at, view) => at - view,
  Home: () => 0,
  End: (_, __, last) => last,
};

/** How a row is made and kept up to date; `key` tells rows apart. */
export interface RowKind<Item> {
  key: (item: Item) => string;
  /** A row, whose first child is its button. */
  make: (item: Item) => HTMLElement;
  update: (row: HTMLElement, item: Item, index: number) => void;
}

/** Rows in a list that scrolls. */
export class LongList<Item> {
  readonly #list;
  readonly #kind;
  #items: readonly Item[] = [];
  /** Rows in the document, by their keys. */
  #rows: Map<string, HTMLElement> = new Map();
  #from = 0;
  #height = USUAL_HEIGHT;
  /** Index of the row that is the tab stop. */
  #stop = 0;

  /** @param list an element that scrolls */
  constructor(list: HTMLElement, kind: RowKind<Item>) {
    this.#list = list;
    this.#kind = kind;
    list.addEventListener("scroll", () => this.#paint(), { passive: true });
    list.addEventListener("keydown", (event) => {
      const move = event.ctrlKey || event.altKey || event.metaKey ? undefined : KEYS[event.key];
      if (move === undefined || this.#items.length === 0) return;
      event.preventDefault();
      const last = this.#items.length - 1;
      const view = Math.max(1, Math.floor(list.clientHeight / this.#height) - 1);
      const next = Math.min(last, Math.max(0, move(this.#stop, view, last)));
      this.reveal(next);
      this.#buttonAt(next)?.focus({ preventScroll: true });
    });
    list.addEventListener("focusin", ({ target }) => {
      const index = [...this.#rows.values()].findIndex((row) => row.contains(target as Node));
      if (index < 0) return;
      this.#stop = this.#from + index;
      this.#markStop();
    });
  }

  /** Shows items. @param open index of the one that is marked, which is the tab stop unless the focus is in the list; -1 without one */
  show(items: readonly Item[], open: number): void {
    this.#items = items;
    const hasFocus = this.#list.contains(document.activeElement);
    if (!hasFocus || this.#stop >= items.length) this.#stop = Math.max(0, open);
    this.#paint();
  }

  /** Scrolls the list, and nothing around it, to a row and its neighbours. */
  reveal(index: number): void {
    if (index < 0 || index >= this.#items.length) return;
    const list = this.#list;
    if (this.#isWindow) {
      const [top, bottom] = [(index - 1) * this.#height, (index + 2) * this.#height];
      list.scrollTop = Math.min(top, Math.max(bottom - list.clientHeight, list.scrollTop));
      this.#paint();
    }
    const row = this.#rowAt(index);
    if (row === undefined) return;
    const { offsetTop, offsetHeight } = row;
    const least = offsetTop + 2 * offsetHeight - list.clientHeight;
    list.scrollTop = Math.min(offsetTop - offsetHeight, Math.max(least, list.scrollTop));
  }

  get #isWindow() {
    return this.#items.length > MOST_WHOLE;
  }

  #rowAt(index: number): HTMLElement | undefined {
    const item = this.#items[index];
    return item === undefined ? undefined : this.#rows.get(this.#kind.key(item));
  }

  #buttonAt(index: number) {
    const button = this.#rowAt(index)?.firstElementChild;
    return button instanceof HTMLElement ? button : null;
  }

  #paint() {
    const list = this.#list;
    const count = this.#items.length;
    const first = Math.floor(list.scrollTop / this.#height) - BESIDE;
    const inView = Math.ceil((list.clientHeight || USUAL_HEIGHT) / this.#height) + 2 * BESIDE;
    const from = this.#isWindow ? Math.max(0, Math.min(first, count - inView)) : 0;
    const to = this.#isWindow ? Math.min(count, from + inView) : count;
    const { key, make, update } = this.#kind;
    const rows: Map<string, HTMLElement> = new Map();
    for (let i = from; i < to; i += 1) {
      const item = this.#items[i]!;
      const row = this.#rows.get(key(item)) ?? make(item);
      update(row, item, i);
      row.ariaPosInSet = this.#isWindow ? String(i + 1) : null;
      row.ariaSetSize = this.#isWindow ? String(count) : null;
      rows.set(key(item), row);
    }
    const isSame = rows.size === list.children.length &&
      rows.values().every((row, i) => list.children[i] === row);
    this.#rows = rows;
    this.#from = from;
    if (!isSame) this.#place([...rows.values()]);
    for (const [i, row] of [...rows.values()].entries()) {
      row.style.marginTop = i === 0 && from > 0 ? `${from * this.#height}px` : "";
      row.style.marginBottom = from + i + 1 === to && to < count ? `${(count - to) * this.#height}px` : "";
    }
    this.#markStop();
    const height = [...rows.values()].reduce((sum, row) => sum + row.offsetHeight, 0) / rows.size;
    if (height > 0) this.#height = height;
  }

  /** Puts rows into the list; a focused row that goes leaves the focus to the list. */
  #place(rows: readonly HTMLElement[]) {
    const focus = document.activeElement;
    const hadFocus = focus instanceof HTMLElement && this.#list.contains(focus);
    this.#list.replaceChildren(...rows);
    if (!hadFocus) return;
    if (this.#list.contains(focus)) return focus.focus({ preventScroll: true });
    this.#list.tabIndex = -1;
    this.#list.focus({ preventScroll: true });
  }

  #markStop() {
    for (const [i, row] of [...this.#rows.values()].entries()) {
      const button = row.firstElementChild;
      if (button instanceof HTMLElement) button.tabIndex = this.#from + i === this.#stop ? 0 : -1;
    }
    // A tab stop out of view is the list itself.
    const isInView = this.#stop >= this.#from && this.#stop < this.#from + this.#rows.size;
    if (isInView && document.activeElement !== this.#list) this.#list.removeAttribute("tabindex");
    else if (!isInView) this.#list.tabIndex = 0;
  }
}
