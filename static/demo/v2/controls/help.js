/** Links to the sections of the help page. */
import { element } from "./element.js";

/** A "?" that opens a section, by its anchor, in another tab. @param {string} anchor @param {string} name what it explains */
export const help = (anchor, name) =>
  element("a", {
    className: "help",
    href: new URL(`../help.html#${anchor}`, import.meta.url).href,
    target: "_blank",
    rel: "noopener",
    "aria-label": `Help: ${name}`,
    title: `Help: ${name}`,
    textContent: "?",
  });
