/** Labelled controls of the panels. */
import { element } from "./element.ts";
import { followKeys } from "./handles.ts";
import { takeNumbers } from "./number_input.ts";

/** A row of controls. */
export const fieldRow = (...children: (Node | string)[]): HTMLDivElement =>
  element("div", { className: "fields" }, ...children);

/** Labelled controls below each other, with labels and fields in columns. */
export const settingsGrid = (...children: Node[]): HTMLDivElement =>
  element("div", { className: "settings" }, ...children);

/** Steps of the arrow keys. */
const ARROWS = { ArrowUp: 1, ArrowDown: -1 };

/**
 * An input for a number. It marks and ignores input outside the limits, or fractions if steps are integers: `number`
 * keeps its value. NaN is an empty field.
 */
export function numberField(
  label: string,
  id: string,
  value: number,
  onChange: (value: number) => void,
  settings: { min?: number; max?: number; step?: 1 | "any"; unit?: string } = {},
): {
  label: HTMLLabelElement;
  input: HTMLInputElement;
  unitText: Text;
  /** What an arrow key adds. */
  arrowStep: number;
  /** The last valid number. */
  number: number;
} {
  const { min = -Infinity, max = Infinity, step = "any", unit = "" } = settings;
  const textOf = (of: number) => Number.isNaN(of) ? "" : String(of);
  const input = element("input", { id, value: textOf(value) });
  const unitText = document.createTextNode(unit);
  let number = value;
  const { note, wrote } = takeNumbers(input, { min, max, isWhole: step === 1 }, (typed) => {
    number = typed;
    inPlace(() => onChange(typed));
  });
  const field = {
    label: element(
      "label",
      { className: "field" },
      element("span", { textContent: label }),
      element("span", { className: "entry number" }, input, unitText, note),
    ),
    input,
    unitText,
    arrowStep: 1,
    /** The last valid number. */
    get number(): number {
      return number;
    },
    /** Sets the number without calling back. A typed text of this number stays, with what was understood. */
    set number(other) {
      number = other;
      if (note.textContent === `= ${other}`) return;
      input.value = textOf(other);
      wrote(other);
    },
  };
  followKeys(input, ARROWS, (way) => {
    const moved = (Number.isNaN(number) ? 0 : number) + way * field.arrowStep;
    input.value = String(Number(Math.min(max, Math.max(min, moved)).toPrecision(12)));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return field;
}

/** An input for an integer from 1 on. */
export const countField = (
  label: string,
  id: string,
  value: number,
  unit: string,
  onChange: () => void,
  max = 100_000,
): ReturnType<typeof numberField> => numberField(label, id, value, onChange, { min: 1, max, step: 1, unit });

/**
 * A typed number takes effect when the user presses something else: that control must stay under the pointer,
 * or the click is lost.
 */
function inPlace(work: () => void) {
  const pressed = document.querySelector("button:active, summary:active, select:active, label:active");
  const top = pressed?.getBoundingClientRect().top ?? 0;
  work();
  // A narrow page scrolls as a whole, a wide one only beside the picture.
  for (const name of ["aside", "main"]) {
    const scroller = pressed?.closest(name);
    if (pressed && scroller) scroller.scrollTop += pressed.getBoundingClientRect().top - top;
  }
}

/** A labelled menu; `onChange` follows the choices of the user. */
export function choiceField<Value extends string>(
  label: string,
  id: string,
  choices: readonly { value: Value; name: string }[],
  onChange: () => void = () => {},
): {
  label: HTMLLabelElement;
  select: HTMLSelectElement;
  /** Replaces the choices; keeps the chosen value if it is among them, else chooses the first. */
  offer(others: readonly { value: string; name: string }[], chosen?: string): void;
} {
  const select = element("select", { id }, ...choices.map(makeOption));
  select.addEventListener("change", onChange);
  return {
    label: element("label", { className: "field" }, element("span", { textContent: label }), select),
    select,
    /** Replaces the choices; keeps the chosen value if it is among them, else chooses the first. */
    offer(others: readonly { value: string; name: string }[], chosen: string = select.value): void {
      select.replaceChildren(...others.map(makeOption));
      if (others.some(({ value }) => value === chosen)) select.value = chosen;
    },
  };
}

const makeOption = ({ value, name }: { value: string; name: string }) =>
  element("option", { value, textContent: name });

/** A labelled check box; `onChange` follows what the user checks. */
export function checkField(
  label: string,
  id: string,
  isChecked: boolean,
  onChange: (isChecked: boolean) => void = () => {},
): {
  label: HTMLLabelElement;
  input: HTMLInputElement;
} {
  const input = element("input", { type: "checkbox", id, checked: isChecked });
  input.addEventListener("change", () => onChange(input.checked));
  return { label: element("label", { className: "check" }, input, ` ${label}`), input };
}

/** A text input without a visible label; `onInput` follows each letter. @param name for screen readers */
export function textField(
  name: string,
  value: string,
  maxLength: number,
  onInput: (value: string, input: HTMLInputElement) => void,
): HTMLInputElement {
  const input = element("input", { type: "text", value, "aria-label": name, maxLength });
  input.addEventListener("input", () => onInput(input.value, input));
  return input;
}

/** A button with a text; `settings` are as for {@linkcode element}. */
export function button(
  text: string,
  onClick: () => void,
  settings: Record<string, unknown> = {},
): HTMLButtonElement {
  const made = element("button", { type: "button", textContent: text, ...settings });
  made.addEventListener("click", onClick);
  return made;
}

/** A × that removes something, such as `band 1`. */
export const removeButton = (
  name: string,
  onClick: () => void,
  className = "icon",
): HTMLButtonElement => button("×", onClick, { className, "aria-label": `Remove ${name}` });

/** A table, as the only item of a list that is empty without rows. */
export function tables(
  label: string,
  heads: readonly (string | Node)[],
  rows: readonly (readonly (string | Node)[])[],
): HTMLTableElement[] {
  if (rows.length === 0) return [];
  // Screen readers ignore an empty header.
  const head = heads.map((text) => text === "" ? element("td") : element("th", { scope: "col" }, text));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  const parts = [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)];
  return [element("table", { "aria-label": label }, ...parts)];
}
