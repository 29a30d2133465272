/** Lists regions: a button that selects and one that removes each, and the fields of the selected one below. */
import { element, makeSwatch, unbroken } from "../controls/element.ts";
import { button, removeButton, tables } from "../controls/fields.ts";
import { KINDS, nameRegion } from "./kinds.ts";
import { type KindName, type Region, selectKinds, withoutRegion } from "./region.ts";
import type { Drawn } from "./drawn.ts";
import type { Scan } from "./scan.ts";
import type { DrawingStore } from "./store.ts";

/** The list of regions of some kinds. */
export class RegionList {
  readonly #store;
  readonly #kinds;
  readonly #title;
  readonly #hint = element("p", { className: "hint" });
  /** Reads out the region being drawn or moved. */
  readonly #output = element("output", { className: "drawn", "aria-live": "polite" });
  readonly #rows = element("div");
  readonly #picks: Map<string, HTMLButtonElement> = new Map();
  /** Said after the hint, such as where else to draw. */
  readonly #more;
  /** Holds the fields of the selected region. */
  readonly slot: HTMLDivElement = element("div");
  readonly element: HTMLDivElement;

  /** @param title such as `Lines` */
  constructor(
    store: DrawingStore<Drawn>,
    kinds: readonly [KindName, ...KindName[]],
    title: string,
    more: () => string = () => "",
  ) {
    this.#store = store;
    this.#kinds = kinds;
    this.#title = title;
    this.#more = more;
    this.element = element("div", {}, this.#hint, this.#output, this.#rows, this.slot);
    store.on("select", () => this.#showSelected());
  }

  /** Lists the regions of the document. */
  show(scan: Scan): void {
    const { regions } = this.#store.document;
    const own = selectKinds(regions, ...this.#kinds);
    const { heads, hint = "", most } = KINDS[this.#kinds[0]];
    const isFull = own.length >= most;
    this.#hint.hidden = hint === "" || own.length > 0 && !isFull;
    this.#hint.textContent = isFull ? explainFull(this.#kinds[0]) : `${hint}${this.#more()}.`;
    const focused = this.#focused;
    this.#picks.clear();
    this.#rows.replaceChildren(
      ...heads.length === 0
        ? [
          element(
            "ul",
            { className: "bands", "aria-label": this.#title },
            ...own.map((region) => this.#item(region, scan)),
          ),
        ]
        : tables(this.#title, [...heads, ""], own.map((region) => this.#row(region, scan))),
    );
    this.#focus(focused);
  }

  /** Reads out a region; null for none. */
  read(region: Region | null, scan: Scan): void {
    const { reading } = KINDS[region?.kind ?? this.#kinds[0]];
    if (region === null) this.#output.textContent = "";
    else if (reading !== undefined) this.#output.replaceChildren(...unbroken(reading(region, scan)));
  }

  /** Says that no more can be drawn. */
  refuse(): void {
    this.#output.textContent = explainFull(this.#kinds[0]);
  }

  #item(region: Region, scan: Scan) {
    const place = element("span", {
      className: "place",
      textContent: KINDS[region.kind].place(region, scan),
    });
    const title = element("span", { className: "name", textContent: region.name });
    return element("li", {}, this.pick(region, makeSwatch(region.color), title, place), this.removal(region));
  }

  #row(region: Region, scan: Scan) {
    const cells = KINDS[region.kind].cells(region, scan).map((text) => {
      const [line = "", ...others] = text.split("\n");
      const below = others.map((textContent) => element("div", { className: "means", textContent }));
      return below.length === 0 ? line : element("div", {}, line, ...below);
    });
    return [this.pick(region, nameRegion(region)), ...cells, this.removal(region)];
  }

  /** Makes the button that selects a region. */
  pick(region: Region, ...content: (Node | string)[]): HTMLButtonElement {
    const { id } = region;
    const select = () => this.#store.select(id === this.#store.selected ? null : id);
    const made = button("", select, {
      className: "pick",
      title: "Select, to move or change it",
      "aria-pressed": String(id === this.#store.selected),
    });
    made.append(...content);
    this.#picks.set(id, made);
    return made;
  }

  /** Makes the button that removes a region. */
  removal(region: Region): HTMLButtonElement {
    return removeButton(
      nameRegion(region),
      () => this.#store.draw(withoutRegion(this.#store.document.regions, region.id)),
    );
  }

  #showSelected() {
    for (const [id, made] of this.#picks) made.ariaPressed = String(id === this.#store.selected);
  }

  /** Id of the region whose button has the focus. */
  get #focused() {
    return [...this.#picks].find(([, made]) => made === document.activeElement)?.[0];
  }

  #focus(id: string | undefined) {
    if (id !== undefined) this.#picks.get(id)?.focus();
  }
}

const explainFull = (kind: KindName) =>
  `${KINDS[kind].most} ${KINDS[kind].noun}s at most: remove one to draw another.`;
