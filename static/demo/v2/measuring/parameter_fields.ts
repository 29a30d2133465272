/** Fields for the parameters of a measurement or of traces. */
import { choiceField, numberField } from "../controls/fields.ts";
import { makeHelpLink } from "../controls/help.ts";
import type { Parameter, Settings } from "../../../measure/measurement.ts";

/** One field for each parameter. */
export class ParameterFields {
  readonly #fields;

  /** @param prefix of ids */
  constructor(prefix: string, parameters: readonly Parameter[], onTyped: (key: string) => void) {
    this.#fields = parameters.map((parameter) => {
      const { key, label, shown = label, help: section } = parameter;
      const field = makeParameterField(`${prefix}-${key}`, parameter, () => onTyped(key));
      if (section !== undefined) field.label.append(makeHelpLink(section, shown.toLowerCase()));
      return { parameter, field };
    });
  }

  get labels(): HTMLLabelElement[] {
    return this.#fields.map(({ field }) => field.label);
  }

  /** By the keys of the parameters. */
  get settings(): Settings {
    return Object.fromEntries(
      this.#fields.map(({ parameter: { key }, field }) => [
        key,
        "select" in field ? field.select.value : field.number,
      ]),
    );
  }

  set settings(settings) {
    for (const { parameter: { key }, field } of this.#fields) {
      if ("select" in field) field.select.value = settings[key] as string;
      else field.number = Number(settings[key]);
    }
  }

  /** @param unit of the time axis */
  set timeUnit(unit: string) {
    for (const { parameter, field } of this.#fields) {
      if (parameter.isTime && "unitText" in field) field.unitText.data = unit;
    }
  }

  /** Counts in lines, or in images. */
  set lineUnit(unit: "lines" | "images") {
    for (const { parameter, field } of this.#fields) {
      if (parameter.unit === "lines" && "unitText" in field) field.unitText.data = unit;
    }
  }

  /** What is wrong in a field; empty if all are right. */
  get fault(): string {
    const wrong = this.#fields.find(({ field }) =>
      "input" in field && field.input.getAttribute("aria-invalid") === "true"
    )?.parameter;
    if (wrong === undefined) return "";
    const { label, shown = label, isCount = false, least = isCount ? 1 : undefined } = wrong;
    const limit = least === undefined ? "" : `, at least ${least}`;
    return `${shown} must be a ${isCount ? "whole number" : "number"}${limit}.`;
  }
}

function makeParameterField(
  id: string,
  { label, shown = label, value, choices, unit = "", least, most = Infinity, isCount = false }: Parameter,
  changed: () => void,
) {
  if (choices !== undefined) {
    return choiceField(shown, id, Object.entries(choices).map(([value, name]) => ({ value, name })), changed);
  }
  return numberField(shown, id, Number(value), changed, {
    min: least ?? (isCount ? 1 : -Infinity),
    max: most,
    step: isCount ? 1 : "any",
    unit: unit.replace(/^u/, "µ"),
  });
}
