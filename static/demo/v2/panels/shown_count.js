/**
 * Counts the shown channels of a picture where some are hidden, with a button for all: a file of twelve begins with the
 * six whose colours are distinct.
 *
 * Tested in `tests/browser/controls_test.ts`.
 */
import { element } from "../controls/element.js";
import { DISTINCT } from "../picture/lut.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */

/** Text such as `6 of 12 shown`; empty where all channels, or single channels, are shown. @param {ChannelGroup} group */
export function shownText({ channels, shown, composite }) {
  return composite && shown.length < channels.length ? `${shown.length} of ${channels.length} shown` : "";
}

/** Shows the count and follows all changes of the group. @param {HTMLElement} host @param {ChannelGroup} group */
export function showCount(host, group) {
  const text = element("span");
  const all = element("button", { type: "button" });
  const paint = () => {
    text.textContent = shownText(group);
    const isAll = text.textContent === "";
    all.textContent = isAll ? `Show ${DISTINCT.length}` : "Show all";
    all.hidden = !group.composite || (isAll && group.channels.length <= DISTINCT.length);
  };
  all.addEventListener("click", () => group.show(text.textContent === "" ? DISTINCT.length : Infinity));
  group.addEventListener("change", paint);
  host.replaceChildren(text, all);
  paint();
}
