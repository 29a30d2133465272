/** Chooses the tool for drags over the picture. */
import { element } from "../controls/element.js";
import { button } from "../controls/fields.js";

/** @typedef {"zoom" | "band" | "line"} Tool */

const TOOLS = /** @type {const} */ ([
  ["zoom", "Zoom", "Drag over the picture to zoom (z, or Esc)"],
  ["band", "Band", "Drag over positions to trace their mean over time (b)"],
  ["line", "Line", "Draw a line over a streak, or over an image for a kymograph (n)"],
]);

export class ToolChoice {
  /** @type {Tool} */
  chosen = "zoom";
  #onChange;
  /** @type {Map<Tool, HTMLButtonElement>} */
  #buttons;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#buttons = new Map(
      TOOLS.map(([tool, name, title]) => [
        tool,
        button(name, () => this.choose(tool), { id: `tool-${tool}`, title }),
      ]),
    );
    const settings = { className: "tool-choice", role: "group", "aria-label": "Dragging over the picture" };
    this.element = element("div", settings, ...this.#buttons.values());
    this.#show();
  }

  /** Tools available for the picture. @param {{band: boolean, line: boolean}} isThere */
  offer(isThere) {
    for (const tool of /** @type {const} */ (["band", "line"])) {
      /** @type {HTMLButtonElement} */ (this.#buttons.get(tool)).disabled = !isThere[tool];
      if (!isThere[tool] && this.chosen === tool) this.chosen = "zoom";
    }
    this.#show();
  }

  /** @param {Tool} tool */
  choose(tool) {
    if (this.#buttons.get(tool)?.disabled) return;
    this.chosen = tool;
    this.#show();
    this.#onChange();
  }

  #show() {
    for (const [tool, made] of this.#buttons) made.ariaPressed = String(tool === this.chosen);
  }
}
