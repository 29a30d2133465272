/**
 * Display settings of channels by name, which the browser keeps for the next file with such a channel; each file begins
 * with its own range.
 */
import { keep, kept } from "../controls/kept.js";

/** @import { Place } from "../controls/kept.js" */

/** Increase the number with every change of `Settings`. */
const KEY = "acq-server channels 1";

/** Number of recently used names to remember. */
const MOST_NAMES = 60;

/** @typedef {{lutName: string, gamma: number, isLog: boolean, isOpen: boolean}} Settings */

/** @param {string} name @param {() => Place} [place] @returns {Settings | null} */
export function channelSettings(name, place) {
  return entries(place).find(([other]) => other === name)?.[1] ?? null;
}

/** @param {string} name @param {Settings} settings @param {() => Place} [place] */
export function keepChannelSettings(name, settings, place) {
  const others = entries(place).filter(([other]) => other !== name).slice(0, MOST_NAMES - 1);
  keep(KEY, [[name, settings], ...others], place);
}

/** @param {() => Place} [place] @returns {[string, Settings][]} */
function entries(place) {
  const list = kept(KEY, place);
  return Array.isArray(list) ? list : [];
}
