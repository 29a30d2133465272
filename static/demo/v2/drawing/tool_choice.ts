/** Chooses the tool for drags over the picture. */
import { element } from "../controls/element.ts";
import { button, fieldRow } from "../controls/fields.ts";
import type { Added } from "./free_place.ts";

/** What a drag over the picture does. */
export type Tool = "zoom" | "band" | "line" | "track" | "rectangle";

/** Buttons that draw without a drag. */
const ADDS: readonly [kind: Added, name: string][] = [
  ["band", "Add band"],
  ["line", "Add line"],
  ["rectangle", "Add region"],
];

const TOOLS = [
  ["zoom", "Zoom", "Drag over the picture to zoom (z, or Esc)"],
  ["band", "Band", "Drag over positions to trace their mean over time, or set both with Enter (b)"],
  ["line", "Line", "Draw a line over a streak, or over an image for its length or a kymograph (n)"],
  ["track", "Track", "Click from point to point along a streak; Enter or a double click ends the track (t)"],
  ["rectangle", "Rectangle", "Drag over an image to measure the mean of a part of it (g)"],
] as const;

/** The buttons of the tools, of which one is pressed. */
export class ToolChoice {
  /** Says why tools are disabled. */
  readonly why: HTMLParagraphElement = element("p", { className: "hint", id: "tools-why", hidden: true });
  chosen: Tool = "zoom";
  readonly #onChange;
  readonly #buttons: Map<Tool, HTMLButtonElement>;
  readonly element: HTMLDivElement;
  /** Buttons that draw at a free place. */
  readonly adds: HTMLDivElement;
  readonly #adds: ReadonlyMap<Added, HTMLButtonElement>;

  constructor(onChange: () => void, onAdd: (kind: Added) => void) {
    this.#onChange = onChange;
    this.#buttons = new Map(
      TOOLS.map(([tool, name, title]) => [
        tool,
        button(name, () => this.choose(tool), { id: `tool-${tool}`, title }),
      ]),
    );
    const settings = { className: "tool-choice", role: "group", "aria-label": "Dragging over the picture" };
    this.element = element("div", settings, ...this.#buttons.values());
    this.#adds = new Map(
      ADDS.map(([kind, name]) => [
        kind,
        button(name, () => onAdd(kind), {
          id: `add-${kind}`,
          title: "Draws one at a free place, whose numbers can be typed",
        }),
      ]),
    );
    this.adds = fieldRow(...this.#adds.values());
    this.#show();
  }

  /** Enables the tools that the picture allows. @param why others are disabled */
  offer(isLineScan: boolean, why: string): void {
    this.why.textContent = why;
    this.why.hidden = why === "";
    for (const [tool, , title] of TOOLS) {
      const made = this.#buttons.get(tool) as HTMLButtonElement;
      made.disabled = isLineScan ? tool === "rectangle" : tool === "band" || tool === "track";
      made.title = made.disabled ? why : title;
      // Line scans have bands instead of rectangles.
      made.hidden = made.disabled && isLineScan;
      if (made.disabled && this.chosen === tool) this.chosen = "zoom";
    }
    for (const [kind, made] of this.#adds) made.hidden = this.#buttons.get(kind)!.disabled;
    this.#show();
  }

  choose(tool: Tool): void {
    if (this.#buttons.get(tool)?.disabled) return;
    this.chosen = tool;
    this.#show();
    this.#onChange();
  }

  #show() {
    for (const [tool, made] of this.#buttons) made.ariaPressed = String(tool === this.chosen);
  }
}
