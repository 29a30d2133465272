/** Links to the manual, whose pages the server has at their paths in the repository. */
import { element } from "./element.ts";

/**
 * A "?" that opens a section of `docs/measure.md`, by its anchor, in another tab.
 *
 * @param name what it explains
 */
export const makeHelpLink = (anchor: string, name: string): HTMLAnchorElement =>
  element("a", {
    className: "help",
    href: `/docs/measure.md#${anchor}`,
    target: "_blank",
    rel: "noopener",
    "aria-label": `Help: ${name}`,
    title: `Help: ${name}`,
    textContent: "?",
  });
