/** Labelled controls of the panels. */
import { element } from "./element.js";

/**
 * An input for a number. It marks and ignores input outside the limits, or fractions where steps are integers: `number`
 * keeps its value.
 *
 * @param {string} label
 * @param {{value: number, min?: number, max?: number, step?: number | "any", unit?: string, id?: string}} settings
 * @param {(value: number) => void} onChange
 */
export function numberField(
  label,
  { value, min = -Infinity, max = Infinity, step = "any", unit = "", id },
  onChange,
) {
  const input = element("input", { type: "number", value: String(value), step, ...(id ? { id } : {}) });
  if (Number.isFinite(min)) input.min = String(min);
  if (Number.isFinite(max)) input.max = String(max);
  const unitText = document.createTextNode(unit);
  const label_ = element(
    "label",
    { className: "field" },
    element("span", { textContent: label }),
    input,
    unitText,
  );
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
    label: label_,
    input,
    unitText,
    /** The last valid number. */
    get number() {
      return number;
    },
    /** Sets the number without calling back. */
    set number(other) {
      number = other;
      input.value = String(other);
      input.removeAttribute("aria-invalid");
    },
  };
}

/**
 * A typed number takes effect when the user presses something else. If the change moves that control from under the
 * pointer, scroll it back, or the click is lost.
 *
 * @param {() => void} work
 */
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
 * @param {readonly {value: Value, name: string}[]} choices
 * @param {(value: Value) => void} onChange
 * @param {string} [id]
 */
export function choiceField(label, choices, onChange, id) {
  const select = element(
    "select",
    id ? { id } : {},
    ...choices.map(optionOf),
  );
  select.addEventListener("change", () => onChange(/** @type {Value} */ (select.value)));
  return {
    label: element("label", { className: "field" }, element("span", { textContent: label }), select),
    select,
    /** Replaces the choices; keeps the chosen value where it is among them, else chooses the first. @param {readonly {value: string, name: string}[]} others @param {string} [chosen] */
    offer(others, chosen = select.value) {
      select.replaceChildren(...others.map(optionOf));
      if (others.some(({ value }) => value === chosen)) select.value = chosen;
    },
  };
}

/** @param {{value: string, name: string}} choice */
const optionOf = ({ value, name }) => element("option", { value, textContent: name });

/** @param {string} label @param {boolean} isChecked @param {(isChecked: boolean) => void} onChange @param {string} [id] */
export function checkField(label, isChecked, onChange, id) {
  const input = element("input", { type: "checkbox", checked: isChecked, ...(id ? { id } : {}) });
  input.addEventListener("change", () => onChange(input.checked));
  return { label: element("label", { className: "check" }, input, ` ${label}`), input };
}

/** @param {string} text @param {() => void} onClick @param {Record<string, unknown>} [settings] */
export function button(text, onClick, settings = {}) {
  const made = element("button", { type: "button", textContent: text, ...settings });
  made.addEventListener("click", onClick);
  return made;
}

/**
 * A table of texts and elements; the first row has the names of the columns.
 *
 * @param {string} label
 * @param {readonly string[]} heads
 * @param {readonly (readonly (string | Node)[])[]} rows
 */
export function table(label, heads, rows) {
  return element(
    "table",
    { "aria-label": label },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...heads.map((head) =>
          // Screen readers ignore an empty header.
          head === "" ? element("td") : element("th", { scope: "col", textContent: head })
        ),
      ),
    ),
    element(
      "tbody",
      {},
      ...rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)))),
    ),
  );
}
