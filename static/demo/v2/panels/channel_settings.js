/**
 * Display settings of channels by name, kept in the browser's storage for the next file with such a channel; each file
 * begins with its own range. Stored values are checked, and a browser without storage counts as empty.
 *
 * Tested in `tests/page/channel_settings_test.ts`.
 */

const KEY = "acq-server channels";

/** Number of recently used names to remember. */
const MOST_NAMES = 60;

/** Longer names are not remembered: all pages of this server share the storage. */
const LONGEST_NAME = 200;

/** @typedef {{lutName: string, gamma: number, isLog: boolean, isOpen: boolean}} Settings */

/**
 * @param {string} name
 * @param {() => Pick<Storage, "getItem">} [place] may throw
 * @returns {Settings | null}
 */
export function channelSettings(name, place = () => localStorage) {
  const kept = read(place).find(([other]) => other === name)?.[1];
  const { lutName, gamma, isLog, isOpen } = typeof kept === "object" && kept !== null ? kept : {};
  if (typeof lutName !== "string" || !(gamma >= 0.25 && gamma <= 4)) return null;
  return { lutName, gamma, isLog: isLog === true, isOpen: isOpen === true };
}

/**
 * @param {string} name
 * @param {Settings} settings
 * @param {() => Pick<Storage, "getItem" | "setItem">} [place]
 */
export function keepChannelSettings(name, settings, place = () => localStorage) {
  if (name.length > LONGEST_NAME) return;
  const others = read(place).filter(([other]) => other !== name).slice(0, MOST_NAMES - 1);
  try {
    place().setItem(KEY, JSON.stringify([[name, settings], ...others]));
  } catch {
    // Storage is full or disabled.
  }
}

/** @param {() => Pick<Storage, "getItem">} place @returns {[string, any][]} */
function read(place) {
  try {
    const kept = JSON.parse(place().getItem(KEY) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((pair) => Array.isArray(pair) && typeof pair[0] === "string")
      : [];
  } catch {
    return [];
  }
}
