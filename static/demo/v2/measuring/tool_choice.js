/** Chooses the tool for drags over the picture. */
import { element } from "../controls/element.js";

/** @typedef {"zoom" | "band" | "line"} Tool */

const TOOLS = /** @type {const} */ ([
  { tool: "zoom", name: "Zoom", title: "Drag over the picture to zoom (z, or Esc)" },
  { tool: "band", name: "Band", title: "Drag over positions for their mean over time (b)" },
  { tool: "line", name: "Line", title: "Draw a line over a streak, or over an image for a kymograph (n)" },
]);

export class ToolChoice {
  /** @type {Tool} */
  #chosen = "zoom";
  #onChange;
  /** @type {Map<Tool, HTMLButtonElement>} */
  #buttons = new Map();

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    for (const { tool, name, title } of TOOLS) {
      const made = element("button", {
        type: "button",
        textContent: name,
        title,
        id: `tool-${tool}`,
        ariaPressed: "false",
      });
      made.addEventListener("click", () => this.choose(tool));
      this.#buttons.set(tool, made);
    }
    this.element = element("div", {
      className: "tool-choice",
      role: "group",
      "aria-label": "Dragging over the picture",
    }, ...this.#buttons.values());
    this.#show();
  }

  get chosen() {
    return this.#chosen;
  }

  /** Tools available for the picture. @param {{band: boolean, line: boolean}} isThere */
  offer(isThere) {
    for (const tool of /** @type {const} */ (["band", "line"])) {
      const made = this.#buttons.get(tool);
      if (made !== undefined) made.disabled = !isThere[tool];
      if (!isThere[tool] && this.#chosen === tool) this.#chosen = "zoom";
    }
    this.#show();
  }

  /** @param {Tool} tool */
  choose(tool) {
    if (this.#buttons.get(tool)?.disabled) return;
    this.#chosen = tool;
    this.#show();
    this.#onChange();
  }

  #show() {
    for (const [tool, made] of this.#buttons) made.ariaPressed = String(tool === this.#chosen);
  }
}
