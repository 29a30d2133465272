/** Keyboard shortcuts, and the list of keys and gestures. */
import { element } from "./element.js";
import { KeptSwitch } from "./kept.js";

/** Entries of the `?` list: keys or gestures and their effects. @type {readonly [string, readonly [string, string][]][]} */
const LIST = [
  ["Anywhere", [
    ["o", "Open a file"],
    ["< >", "Previous and next recording of the folder"],
    [", .", "Previous and next time point"],
    ["Page Up, Page Down", "Focus plane up and down"],
    ["k", "Play or pause"],
    ["z", "Drag to zoom"],
    ["b", "Drag to mark a band of positions"],
    ["n", "Drag to draw a line"],
    ["x", "Pin the cursor"],
    ["Ctrl+Z, Ctrl+Shift+Z", "Undo and redo what was drawn or edited"],
    ["Esc", "Deselect the tool and what is drawn; cancel opening; hide the cursor"],
    ["1 … 9", "Channel on or off"],
    ["c", "Channels merged, split, one at a time"],
    ["a", "Auto range of the shown channels"],
    ["l", "Logarithmic histograms"],
    ["s", "Scan path"],
    ["m", "Pixels show mean, maximum, minimum"],
    ["r", "Turn the picture clockwise by 90°"],
    ["f", "Flip the picture left to right"],
    ["p", "Profile: across, down, off"],
    ["?", "This list"],
  ]],
  ["On a picture", [
    ["← ↑ → ↓", "Move the cursor, with Shift further"],
    ["+ −", "Zoom at the cursor, as the wheel does"],
    ["[ ]", "Zoom horizontally only"],
    ["{ }", "Zoom vertically only"],
    ["0 or Home", "Whole picture"],
    ["Backspace", "Previous view"],
    ["Enter", "Select what is drawn at the cursor, or the first"],
  ]],
  ["On a selected band, line, cursor or region", [
    ["Tab, Shift+Tab", "Its ends, then the next or previous one"],
    ["← ↑ → ↓", "Move it or its end, with Shift further"],
    ["Enter", "Type its place and name"],
    ["Delete", "Remove it"],
    ["Esc", "Cancel a drag; leave it"],
  ]],
  ["Mouse and touch", [
    ["Wheel on a line scan", "Zoom time at the pointer; with Shift space, with Alt both"],
    ["Wheel on an image, pinch", "Zoom at the pointer; with Shift across, with Alt down"],
    ["Drag", "Zoom to a box on images, along one axis on line scans"],
    ["Click or tap", "Select what is drawn; drag its grips to move it"],
    ["Shift + drag, middle button, one finger", "Pan"],
    ["Double-click", "Whole picture"],
  ]],
];

/** Fills the list. @param {HTMLElement} host */
export function listShortcuts(host) {
  host.replaceChildren(...LIST.map(([title, rows]) => {
    const items = rows.flatMap(([keys, action]) => [
      element("dt", {}, element("kbd", { textContent: keys })),
      element("dd", { textContent: action }),
    ]);
    return element("section", {}, element("h3", { textContent: title }), element("dl", {}, ...items));
  }));
}

/** Whether a single key acts on the page. */
const singleKeys = new KeptSwitch("acq-server single keys");

/** Attaches the switch for single keys, which dictation software may send by mistake; the browser remembers it. @param {HTMLInputElement} box */
export function attachSwitch(box) {
  box.checked = singleKeys.isOn;
  box.addEventListener("change", () => singleKeys.isOn = box.checked);
}

/**
 * Calls `actions[key]` for single keys and for Ctrl+Z outside text fields, and for Escape everywhere.
 *
 * @param {Record<string, (key: string) => void>} actions by `event.key`; `digit` takes 1 to 9, `Ctrl+z` and `Ctrl+Shift+z`
 *   also the command key
 */
export function attachShortcuts(actions) {
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
