/** Saves tables as CSV, and their settings and summaries as JSON files of the same names, one by one or together. */
import {
  collectFacts,
  type Column,
  type DecimalSign,
  type Facts,
  writeCompanion,
  writeCsv,
} from "../../../measure/csv.ts";
import { type NamedText, zipTexts } from "../../../measure/zip.ts";
import { ONLY_SCENE, type TableOrigin } from "../../../measure/result_tables.ts";
import { byId, saveFile } from "../controls/element.ts";
import { choiceField } from "../controls/fields.ts";
import { readKept, writeKept } from "../controls/kept.ts";
import type { Scan } from "../drawing/scan.ts";
import type { Samples } from "../../../measure/line_scan.ts";

/** Under which the browser remembers the decimal sign. */
const KEY = "acq-server decimal sign";

const readDecimalSign = (): DecimalSign => readKept(KEY) === "comma" ? "comma" : "point";

/** Chooses the decimal sign of all saved tables; the browser remembers it. */
export function decimalField(): HTMLLabelElement {
  const { label, select } = choiceField("Decimal sign", "csv-decimal", [
    { value: "point", name: "point" },
    { value: "comma", name: "comma, cells separated by ;" },
  ]);
  select.addEventListener("change", () => writeKept(KEY, select.value === "comma" ? "comma" : null));
  select.value = readDecimalSign();
  return label;
}

/** Version of the program, as reports and tables state it. */
export const findProgramVersion = (): string => byId("server").textContent?.split(" · ")[0] || "acq-server";

/** A table to be saved. */
export interface TableToSave {
  /** Name of its files, without an ending. */
  stem: string;
  columns: readonly Column[];
  /** What is known of it: parts of the JSON file, by name. */
  about: Readonly<Record<string, Facts>>;
}

/** Saves a table as `STEM.csv`. */
export const saveTable = (table: Omit<TableToSave, "about">): void => saveText(makeTableFile(table));

/** Saves what is known of a table as `STEM.json`. */
export const saveSettings = (table: TableToSave): void => saveText(makeSettingsFile(table));

/**
 * Saves tables, each with its settings, and further files as `NAME.zip`: browsers ask whether a page may save several files
 * at once, and keep back all further ones until the user answers.
 */
export async function saveTogether(
  name: string,
  tables: readonly TableToSave[],
  others: readonly NamedText[],
): Promise<void> {
  const files = tables.flatMap((table) => [makeTableFile(table), makeSettingsFile(table)]);
  saveFile(`${name}.zip`, await zipTexts([...files, ...others]));
}

const makeTableFile = ({ stem, columns }: Omit<TableToSave, "about">): NamedText => [
  `${stem}.csv`,
  writeCsv(columns, readDecimalSign()),
];

function makeSettingsFile({ stem, columns, about }: TableToSave): NamedText {
  const parts = Object.entries(about).map(([name, facts]) => [name, collectFacts(facts)]);
  const all = { program: findProgramVersion(), ...Object.fromEntries(parts) };
  return [`${stem}.json`, writeCompanion(`${stem}.csv`, columns, readDecimalSign(), all)];
}

function saveText([name, text]: NamedText) {
  const type = name.endsWith(".csv") ? "text/csv;charset=utf-8" : "application/json";
  saveFile(name, new Blob([text], { type }));
}

/** Where the shown plane lies in its file. A kymograph, a projection and means are of all images along their axis. */
export function describeTableOrigin({ fileName, place, derived }: Scan<Samples>): TableOrigin {
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
