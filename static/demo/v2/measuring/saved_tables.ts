/** Saves tables as CSV, and their settings and summaries as JSON files of the same names, one by one or together. */
import { type Column, companion, csv, type DecimalSign, type Facts, objectOf } from "../../../measure/csv.ts";
import { type NamedText, zipOfTexts } from "../../../measure/zip.ts";
import { ONLY_SCENE, type Place } from "../../../measure/result_tables.ts";
import { byId, saveFile } from "../controls/element.ts";
import { choiceField } from "../controls/fields.ts";
import { keep, kept } from "../controls/kept.ts";
import type { Scan } from "../drawing/scan.ts";
import type { Samples } from "../../../measure/line_scan.ts";

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

/** A table to be saved. */
export interface TableToSave {
  /** Name of its files, without an ending. */
  stem: string;
  columns: readonly Column[];
  /** What is known of it: parts of the JSON file, by name. */
  about: Readonly<Record<string, Facts>>;
}

/** Saves a table as `STEM.csv`. */
export const saveTable = (table: Omit<TableToSave, "about">): void => saveText(tableFile(table));

/** Saves what is known of a table as `STEM.json`. */
export const saveSettings = (table: TableToSave): void => saveText(settingsFile(table));

/**
 * Saves tables, each with its settings, and further files as `NAME.zip`: browsers ask whether a page may save several files
 * at once, and keep back all further ones until the user answers.
 */
export async function saveTogether(
  name: string,
  tables: readonly TableToSave[],
  others: readonly NamedText[],
): Promise<void> {
  const files = tables.flatMap((table) => [tableFile(table), settingsFile(table)]);
  saveFile(`${name}.zip`, await zipOfTexts([...files, ...others]));
}

const tableFile = ({ stem, columns }: Omit<TableToSave, "about">): NamedText => [
  `${stem}.csv`,
  csv(columns, decimalSign()),
];

function settingsFile({ stem, columns, about }: TableToSave): NamedText {
  const parts = Object.entries(about).map(([name, facts]) => [name, objectOf(facts)]);
  const all = { program: programVersion(), ...Object.fromEntries(parts) };
  return [`${stem}.json`, companion(`${stem}.csv`, columns, decimalSign(), all)];
}

function saveText([name, text]: NamedText) {
  const type = name.endsWith(".csv") ? "text/csv;charset=utf-8" : "application/json";
  saveFile(name, new Blob([text], { type }));
}

/** Where the shown plane lies in its file. A kymograph, a projection and means are of all images along their axis. */
export function placeIn({ fileName, place, derived }: Scan<Samples>): Place {
  const facts = new Map(place());
  const along = derived();
  const at = (name: string, isAll: boolean) => isAll ? null : Number(facts.get(name) ?? 1);
  return {
    recording: fileName,
    scene: String(facts.get("Scene") ?? ONLY_SCENE),
    timePoint: at("Time point", along === "kymograph" || along.endsWith("-t")),
    focusPlane: at("Focus plane", along.endsWith("-z")),
    wavelength: at("Wavelength", false),
  };
}
