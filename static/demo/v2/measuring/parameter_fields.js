/** Fields for the parameters of a measurement. */
import { choiceField, numberField } from "../controls/fields.js";
import { help } from "../controls/help.js";

/** @import { Parameter, Settings } from "../../../measure/measurement.js" */

/** @typedef {{label: HTMLElement, value: number | string, isWrong: boolean, unitText?: Text}} Field */

export class ParameterFields {
  /** @type {readonly {parameter: Parameter, field: Field}[]} */
  #fields;

  /** @param {string} prefix of ids @param {readonly Parameter[]} parameters @param {(key: string) => void} onTyped */
  constructor(prefix, parameters, onTyped) {
    this.#fields = parameters.map((parameter) => {
      const { key, label, help: section } = parameter;
      const field = fieldOf(`${prefix}-${key}`, parameter, () => onTyped(key));
      if (section !== undefined) field.label.append(help(section, label.toLowerCase()));
      return { parameter, field };
    });
  }

  get labels() {
    return this.#fields.map(({ field }) => field.label);
  }

  /** By the keys of the parameters. @returns {Settings} */
  get settings() {
    return Object.fromEntries(this.#fields.map(({ parameter, field }) => [parameter.key, field.value]));
  }

  set settings(settings) {
    for (const { parameter, field } of this.#fields) field.value = settings[parameter.key];
  }

  /** @param {string} unit of the time axis */
  set timeUnit(unit) {
    for (const { parameter, field } of this.#fields) {
      if (parameter.isTime && field.unitText) field.unitText.data = unit;
    }
  }

  /** What is wrong in a field; empty if all are right. */
  get fault() {
    const wrong = this.#fields.find(({ field }) => field.isWrong)?.parameter;
    if (wrong === undefined) return "";
    const { label, isCount = false, least = isCount ? 1 : undefined } = wrong;
    const limit = least === undefined ? "" : `, at least ${least}`;
    return `${label} must be a ${isCount ? "whole number" : "number"}${limit}.`;
  }
}

/** @param {string} id @param {Parameter} parameter @param {() => void} changed @returns {Field} */
function fieldOf(id, { label, value, choices, unit = "", least, isCount = false }, changed) {
  if (choices !== undefined) {
    const options = Object.entries(choices).map(([value, name]) => ({ value, name }));
    const field = choiceField(label, id, options, changed);
    return {
      label: field.label,
      isWrong: false,
      get value() {
        return field.select.value;
      },
      set value(chosen) {
        field.select.value = String(chosen);
      },
    };
  }
  const field = numberField(label, id, Number(value), changed, {
    min: least ?? (isCount ? 1 : -Infinity),
    step: isCount ? 1 : "any",
    unit: unit.replace(/^u/, "µ"),
  });
  return {
    label: field.label,
    unitText: field.unitText,
    get isWrong() {
      return field.input.getAttribute("aria-invalid") === "true";
    },
    get value() {
      return field.number;
    },
    set value(number) {
      field.number = Number(number);
    },
  };
}
