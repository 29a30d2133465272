/** Brings what earlier pages kept into today's form. */
import { editsIn } from "../../../measure/edits.ts";
import type { Item, Settings } from "../../../measure/measurement.ts";
import type { Of } from "../../../measure/recording.ts";
import { type Drawn, type DrawnLook, type KeptMeasurement, mapped } from "./drawn.ts";
import type { About } from "./scan.ts";

/** Until November 2026, a measurement kept one result, with the edits in its items. */
export interface FormerMeasurement {
  band: string;
  channel: string;
  settings: Settings;
  found?: readonly Item[];
  of: Of;
  columns: readonly [number, number];
  measured: Settings;
  about?: About;
  place: string | null;
}

/** A measurement in today's form; items that were removed before are not known. */
export function currentMeasurement(kept: KeptMeasurement | FormerMeasurement): KeptMeasurement {
  if ("results" in kept) return kept;
  const { found = [], of, columns, measured, about = [], place, ...chosen } = kept;
  const items = found.map(({ note: _, isLeftOut: __, ...item }) => item);
  return {
    ...chosen,
    place,
    results: about.length === 0 ? [] : [{ of, columns, measured, about, found: items }],
    edits: editsIn(found, of, place),
  };
}

/** Drawings in today's form, those of a kymograph in them, too. */
export function currentDrawn<Kept extends Drawn | null | undefined>(kept: Kept): Kept {
  if (!kept) return kept;
  const { measured, kymograph } = kept;
  return {
    ...kept,
    ...measured && { measured: mapped(measured, currentMeasurement) },
    ...kymograph?.look && { kymograph: { ...kymograph, look: currentLook(kymograph.look) } },
  };
}

/** A look with its drawings in today's form. */
export const currentLook = <Look extends DrawnLook | null>(look: Look): Look =>
  look?.drawn ? { ...look, drawn: currentDrawn(look.drawn) } : look;
