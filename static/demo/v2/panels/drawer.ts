/**
 * The drawer under the pictures and charts: tables, histograms and summaries, one view at a time, which tabs choose. A
 * separator above it sets its height, which the browser remembers with the chosen view.
 */
import { byId, element } from "../controls/element.ts";
import { attachDivider } from "../controls/handles.ts";
import { readKept, writeKept } from "../controls/kept.ts";

const HEIGHT_KEY = "acq-server drawer";
const VIEW_KEY = "acq-server drawer view";

/** Share of the pictures and charts above the drawer, in percent. */
const ABOVE = 78;

/** Steps from tab to tab. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
};

/** One view of the drawer. */
export interface DrawerView {
  /** Whether it has content; a view without any has no tab, and a drawer without views is hidden. */
  isFilled: boolean;
  /** The text of its tab. */
  label: string;
  /** Shows it in place of the others, if it has content. */
  show(): void;
}

type DrawerTab = { id: string; tab: HTMLButtonElement; panel: HTMLDivElement };

/** The drawer of the page: `#drawer` and `#drawer-divider` in `#viewer`. */
export class Drawer {
  readonly #views: DrawerTab[] = [];
  /** Id of the view that was chosen last; another one stands in for it while it has no content. */
  #chosen = String(readKept(VIEW_KEY) ?? "");
  readonly #tabs = element("div", { className: "tabs", role: "tablist", "aria-label": "Results" });
  readonly #divider = byId("drawer-divider");
  readonly #drawer = byId("drawer");

  constructor() {
    this.#drawer.append(this.#tabs);
    this.#tabs.addEventListener("keydown", (event) => this.#step(event));
    const viewer = byId("viewer");
    const start = Number(readKept(HEIGHT_KEY)) || ABOVE;
    let isKept = false;
    attachDivider(this.#divider, (percent) => {
      viewer.style.setProperty("--drawer", `${100 - percent}%`);
      if (isKept) writeKept(HEIGHT_KEY, percent);
    }, { start, home: ABOVE, least: 10 });
    isKept = true;
    this.#show();
  }

  /**
   * Adds a view, which is shown once it has content.
   *
   * @param id of the view; `drawer-ID` is that of its panel and `drawer-ID-tab` that of its tab
   * @param label of its tab
   */
  view(id: string, label: string, content: HTMLElement): DrawerView {
    const tab = element("button", {
      type: "button",
      id: `drawer-${id}-tab`,
      role: "tab",
      textContent: label,
      hidden: true,
      "aria-controls": `drawer-${id}`,
    });
    const panel = element("div", {
      id: `drawer-${id}`,
      className: "view",
      role: "tabpanel",
      tabIndex: 0,
      hidden: true,
      "aria-labelledby": tab.id,
    }, content);
    tab.addEventListener("click", () => this.#choose(id));
    this.#views.push({ id, tab, panel });
    this.#tabs.append(tab);
    this.#drawer.append(panel);
    const show = () => this.#choose(id);
    const refresh = () => this.#show();
    return {
      get isFilled() {
        return !tab.hidden;
      },
      set isFilled(isFilled) {
        if (tab.hidden !== isFilled) return;
        tab.hidden = !isFilled;
        refresh();
      },
      get label() {
        return tab.textContent;
      },
      set label(label) {
        if (tab.textContent !== label) tab.textContent = label;
      },
      show,
    };
  }

  get #filled() {
    return this.#views.filter(({ tab }) => !tab.hidden);
  }

  /** The view that is shown. */
  get #shown() {
    const views = this.#filled;
    return views.find(({ id }) => id === this.#chosen) ?? views[0];
  }

  #choose(id: string) {
    this.#chosen = id;
    writeKept(VIEW_KEY, id);
    this.#show();
  }

  #show() {
    const shown = this.#shown;
    this.#drawer.hidden = this.#divider.hidden = shown === undefined;
    for (const view of this.#views) {
      const isShown = view === shown;
      view.panel.hidden = !isShown;
      view.tab.ariaSelected = String(isShown);
      view.tab.tabIndex = isShown ? 0 : -1;
    }
  }

  /** Keys on the tabs choose the next or previous view. */
  #step(event: KeyboardEvent) {
    const step = STEPS[event.key];
    const shown = this.#shown;
    if (step === undefined || shown === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const views = this.#filled;
    const place = views.indexOf(shown) + step;
    const next = views[Math.min(views.length - 1, Math.max(0, place))]!;
    this.#choose(next.id);
    next.tab.focus();
  }
}
