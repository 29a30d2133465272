/** Labelled controls of the panels. */
import { element } from "./element.js";

/** A row of controls. @param {...(Node | string)} children */
export const fieldRow = (...children) => element("div", { className: "fields" }, ...children);

/**
 * An input for a number. It marks and ignores input outside the limits, or fractions if steps are integers: `number`
 * keeps its value. NaN is an empty field.
 *
 * @param {string} label
 * @param {string} id
 * @param {number} value
 * @param {(value: number) => void} onChange
 * @param {{min?: number, max?: number, step?: 1 | "any", unit?: string}} [settings]
 */
export function numberField(label, id, value, onChange, settings = {}) {
  const { min = -Infinity, max = Infinity, step = "any", unit = "" } = settings;
  const textOf = (/** @type {number} */ of) => Number.isNaN(of) ? "" : String(of);
  const input = element("input", { type: "number", id, value: textOf(value), step });
  if (Number.isFinite(min)) input.min = String(min);
  if (Number.isFinite(max)) input.max = String(max);
  const unitText = document.createTextNode(unit);
  let number = value;
  input.addEventListener("change", () => {
    const typed = input.valueAsNumber;
    const isGood = typed >= min && typed <= max && (step !== 1 || Number.isInteger(typed));
    input.setAttribute("aria-invalid", String(!isGood));
    if (!isGood) return;
    number = typed;
    inPlace(() => onChange(typed));
  });
  return {
    label: element("label", { className: "field" }, element("span", { textContent: label }), input, unitText),
    input,
    unitText,
    /** The last valid number. */
    get number() {
      return number;
    },
    /** Sets the number without calling back. */
    set number(other) {
      number = other;
      input.value = textOf(other);
      input.removeAttribute("aria-invalid");
    },
  };
}

/** An input for an integer from 1 on. @type {(label: string, id: string, value: number, unit: string, onChange: () => void, max?: number) => ReturnType<typeof numberField>} */
export const countField = (label, id, value, unit, onChange, max = 100_000) =>
  numberField(label, id, value, onChange, { min: 1, max, step: 1, unit });

/** A typed number takes effect when the user presses something else: that control must stay under the pointer, or the click is lost. @param {() => void} work */
function inPlace(work) {
  const pressed = document.querySelector("button:active, summary:active, select:active, label:active");
  const top = pressed?.getBoundingClientRect().top ?? 0;
  work();
  // A narrow page scrolls as a whole, a wide one only beside the picture.
  for (const name of ["aside", "main"]) {
    const scroller = pressed?.closest(name);
    if (pressed && scroller) scroller.scrollTop += pressed.getBoundingClientRect().top - top;
  }
}

/**
 * @template {string} Value
 * @param {string} label
 * @param {string} id
 * @param {readonly {value: Value, name: string}[]} choices
 * @param {() => void} [onChange]
 */
export function choiceField(label, id, choices, onChange = () => {}) {
  const select = element("select", { id }, ...choices.map(optionOf));
  select.addEventListener("change", onChange);
  return {
    label: element("label", { className: "field" }, element("span", { textContent: label }), select),
    select,
    /** Replaces the choices; keeps the chosen value if it is among them, else chooses the first. @param {readonly {value: string, name: string}[]} others @param {string} [chosen] */
    offer(others, chosen = select.value) {
      select.replaceChildren(...others.map(optionOf));
      if (others.some(({ value }) => value === chosen)) select.value = chosen;
    },
  };
}

/** @param {{value: string, name: string}} choice */
const optionOf = ({ value, name }) => element("option", { value, textContent: name });

/** @param {string} label @param {string} id @param {boolean} isChecked @param {(isChecked: boolean) => void} [onChange] */
export function checkField(label, id, isChecked, onChange = () => {}) {
  const input = element("input", { type: "checkbox", id, checked: isChecked });
  input.addEventListener("change", () => onChange(input.checked));
  return { label: element("label", { className: "check" }, input, ` ${label}`), input };
}

/** @param {string} name for screen readers @param {string} value @param {number} maxLength @param {(value: string) => void} onInput */
export function textField(name, value, maxLength, onInput) {
  const input = element("input", { type: "text", value, "aria-label": name, maxLength });
  input.addEventListener("input", () => onInput(input.value));
  return input;
}

/** @param {string} text @param {() => void} onClick @param {Record<string, unknown>} [settings] */
export function button(text, onClick, settings = {}) {
  const made = element("button", { type: "button", textContent: text, ...settings });
  made.addEventListener("click", onClick);
  return made;
}

/** A × that removes something, such as `band 1`. @param {string} name @param {() => void} onClick */
export const removeButton = (name, onClick) =>
  button("×", onClick, { className: "icon", "aria-label": `Remove ${name}` });

/** A table, as the only item of a list that is empty without rows. @param {string} label @param {readonly (string | Node)[]} heads @param {readonly (readonly (string | Node)[])[]} rows */
export function tables(label, heads, rows) {
  if (rows.length === 0) return [];
  // Screen readers ignore an empty header.
  const head = heads.map((text) => text === "" ? element("td") : element("th", { scope: "col" }, text));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  const parts = [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)];
  return [element("table", { "aria-label": label }, ...parts)];
}

/** Reads numbers typed as text and marks other input. @param {HTMLInputElement} input @param {(value: number) => void} work @param {(fault: string | null) => void} onTyped */
export function onNumber(input, work, onTyped) {
  input.addEventListener("change", () => {
    const { value, fault } = typedNumber(input.value);
    onTyped(fault);
    if (fault !== null) return input.setAttribute("aria-invalid", "true");
    input.removeAttribute("aria-invalid");
    work(value);
  });
}

/** Parses a typed number. @param {string} text @returns {{value: number, fault: string | null}} */
export function typedNumber(text) {
  const typed = text.trim().replace("\u2212", "-");
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  if (Number.isFinite(value)) return { value, fault: null };
  const hint = typed.includes(",") ? ": write a decimal point and no thousands separator" : "";
  return { value: NaN, fault: `"${typed}" is not a number${hint}` };
}
