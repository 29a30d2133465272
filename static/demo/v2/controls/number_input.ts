/** Inputs in which people type numbers, with either decimal sign. They are text: browsers drop a comma from number inputs. */
import { element } from "./element.ts";
import { readNumber } from "../../../measure/decimal_number.ts";

/** What a number must be. */
export interface NumberLimits {
  min?: number;
  max?: number;
  isWhole?: boolean;
}

/** A typed number, or what is wrong with it. */
export type Typed =
  | { readonly value: number; readonly hasComma: boolean; readonly fault: null }
  | { readonly value: null; readonly fault: string };

/** Parses a typed number. */
export function parseTypedNumber(text: string, limits: NumberLimits = {}): Typed {
  const { min = -Infinity, max = Infinity, isWhole = false } = limits;
  const typed = text.trim();
  const found = readNumber(text);
  if (found === null) {
    const hint = typed.includes(",") ? ": write one decimal sign and no thousands separator" : "";
    return { value: null, fault: `"${typed}" is not a number${hint}` };
  }
  if (isWhole && !Number.isInteger(found.value)) {
    return { value: null, fault: `"${typed}" is not a whole number` };
  }
  if (found.value < min) return { value: null, fault: `"${typed}" is below ${min}` };
  if (found.value > max) return { value: null, fault: `"${typed}" is above ${max}` };
  return { ...found, fault: null };
}

/** An input for numbers. */
export interface NumberInput {
  /** Beside the input: what is wrong, or the value that was understood where a comma was typed. */
  readonly note: HTMLElement;
  /** Call after the program wrote a number: takes the mark away, and the note unless it states that number. */
  wrote(value: number): void;
}

/**
 * Makes an input take numbers: reads what is typed or pasted into it, and marks what is not a number within the limits.
 *
 * @param take follows each number
 * @param onTyped follows each input, with what is wrong with it
 */
export function takeNumbers(
  input: HTMLInputElement,
  limits: NumberLimits,
  take: (value: number) => void,
  onTyped: (fault: string | null) => void = () => {},
): NumberInput {
  Object.assign(input, { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
  const note = element("span", { className: "typed-note", role: "status" });
  const say = (text: string, isBad: boolean) => {
    note.textContent = text;
    note.classList.toggle("bad", isBad);
    if (isBad) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("change", () => {
    const typed = parseTypedNumber(input.value, limits);
    say(typed.fault ?? (typed.hasComma ? `= ${typed.value}` : ""), typed.fault !== null);
    onTyped(typed.fault);
    if (typed.fault === null) take(typed.value);
  });
  const wrote = (value: number) => {
    if (note.textContent !== `= ${value}`) say("", false);
  };
  return { note, wrote };
}
