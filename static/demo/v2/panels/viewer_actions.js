/** Actions of single keys on the pictures. */
import { byId, within } from "../controls/element.js";
import { mirrored, turned } from "../picture/orientation.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Viewer } from "./viewer.js" */

/** By `event.key`; `digit` takes 1 to 9. @param {Viewer} viewer @returns {Record<string, (key: string) => void>} */
export function viewerActions(viewer) {
  const withFile =
    (/** @type {(group: ChannelGroup, key: string) => void} */ action) => (/** @type {string} */ key) => {
      if (viewer.groups !== null) action(viewer.groups.source, key);
    };
  return {
    digit: withFile((group, key) => {
      if (Number(key) <= group.channels.length) group.toggle(Number(key) - 1);
    }),
    c: withFile((group) => {
      if (group.channels.length > 1) nextChoice(within(byId("source"), ".layers", HTMLSelectElement));
    }),
    a: withFile((group) => group.shown.forEach((channel) => channel.autoRange())),
    l: withFile(() => {
      for (const box of byId("source-cards").querySelectorAll("[id$=log]")) {
        /** @type {HTMLElement} */ (box).click();
      }
    }),
    s: withFile(() => byId("reference").hidden || byId("path-choice").hidden || byId("path").click()),
    m: withFile(() => nextChoice(byId("statistic", HTMLSelectElement))),
    r: withFile(() => viewer.place("source", turned)),
    f: withFile(() => viewer.place("source", mirrored)),
    p: withFile(() => nextChoice(byId("along", HTMLSelectElement))),
  };
}

/** Chooses the next enabled option. @param {HTMLSelectElement} select */
function nextChoice(select) {
  do select.selectedIndex = (select.selectedIndex + 1) % select.options.length; while (
    select.selectedOptions[0]?.disabled
  );
  select.dispatchEvent(new Event("change"));
}
