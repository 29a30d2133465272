/** Saves tables as CSV, and their settings and summaries as JSON files of the same names. */
import { type Column, companion, csv, type DecimalSign, type Facts, objectOf } from "../../../measure/csv.ts";
import { ONLY_SCENE, type Place } from "../../../measure/result_tables.ts";
import { byId, saveFile } from "../controls/element.ts";
import { choiceField } from "../controls/fields.ts";
import { keep, kept } from "../controls/kept.ts";
import type { Scan } from "../drawing/scan.ts";
import type { Samples } from "../../../measure/velocity.ts";

/** Under which the browser remembers the decimal sign. */
const KEY = "acq-server decimal sign";

const decimalSign = (): DecimalSign => kept(KEY) === "comma" ? "comma" : "point";

/** Chooses the decimal sign of all saved tables; the browser remembers it. */
export function decimalField(): HTMLLabelElement {
  const { label, select } = choiceField("Decimal sign", "csv-decimal", [
    { value: "point", name: "point" },
    { value: "comma", name: "comma, cells separated by ;" },
  ]);
  select.addEventListener("change", () => keep(KEY, select.value === "comma" ? "comma" : null));
  select.value = decimalSign();
  return label;
}

/** Version of the program, as reports and tables state it. */
export const programVersion = (): string => byId("server").textContent?.split(" · ")[0] || "acq-server";

/** Saves a table as `STEM.csv`. */
export function saveTable(stem: string, columns: readonly Column[]): void {
  saveFile(`${stem}.csv`, new Blob([csv(columns, decimalSign())], { type: "text/csv;charset=utf-8" }));
}

/**
 * Saves what is known of a table as `STEM.json`. Not together with the table: browsers ask whether a page may save several
 * files at once, and stop after a few.
 *
 * @param about parts of the file, by name
 */
export function saveSettings(
  stem: string,
  columns: readonly Column[],
  about: Readonly<Record<string, Facts>>,
): void {
  const parts = Object.entries(about).map(([name, facts]) => [name, objectOf(facts)]);
  const text = companion(`${stem}.csv`, columns, decimalSign(), {
    program: programVersion(),
    ...Object.fromEntries(parts),
  });
  saveFile(`${stem}.json`, new Blob([text], { type: "application/json" }));
}

/** Where the shown plane lies in its file. A kymograph and a projection are of all images along their axis. */
export function placeIn({ fileName, place, derived, noun }: Scan<Samples>): Place {
  const facts = new Map(place());
  const along = derived();
  const at = (name: string, isAll: boolean) => isAll ? null : Number(facts.get(name) ?? 1);
  return {
    recording: fileName,
    scene: String(facts.get("Scene") ?? ONLY_SCENE),
    timePoint: at("Time point", noun === "region" || along === "kymograph" || along.endsWith("-t")),
    focusPlane: at("Focus plane", along.endsWith("-z")),
    wavelength: at("Wavelength", false),
  };
}
