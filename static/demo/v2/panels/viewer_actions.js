/** Actions of single keys on the pictures. */
import { byId, within } from "../controls/element.js";
import { nextChoice } from "./viewer.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * @param {Viewer} viewer
 * @returns {Record<string, (key: string) => void>} by `event.key`; `digit` takes 1 to 9
 */
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
    m: withFile(() => viewer.nextStatistic()),
    r: withFile(() => viewer.turn("source")),
    f: withFile(() => viewer.flip("source")),
    p: withFile(() => viewer.nextProfile()),
  };
}
