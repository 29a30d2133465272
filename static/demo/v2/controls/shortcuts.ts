/** Keyboard shortcuts; index.html lists them. */
import { KeptSwitch } from "./kept.ts";

/** Whether a single key acts on the page. */
const singleKeys = new KeptSwitch("acq-server single keys");

/** Attaches the switch for single keys, which dictation software may send by mistake; the browser remembers it. */
export function attachSwitch(box: HTMLInputElement): void {
  box.checked = singleKeys.isOn;
  box.addEventListener("change", () => singleKeys.isOn = box.checked);
}

/**
 * Calls `actions[key]` for single keys and for Ctrl+Z outside text fields, and for Escape everywhere.
 *
 * @param actions by `event.key`; `digit` takes 1 to 9, `Ctrl+z` and `Ctrl+Shift+z` also the command key
 */
export function attachShortcuts(actions: Record<string, (key: string) => void>): void {
  addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = isCommand ? `Ctrl+${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}` : event.key;
    if (!singleKeys.isOn && !isCommand && key !== "Escape") return;
    if (event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : document.body;
    // Sliders do not use letters, digits and signs.
    const isFree = key === "Escape" || (target.matches("input[type=range]") && [...event.key].length === 1);
    const isTyped = target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
    if (isTyped && !isFree) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const action = /^[1-9]$/.test(key) ? actions.digit : actions[key];
    if (action === undefined) return;
    action(key);
    event.preventDefault();
  });
}
