/**
 * Settings of the microscope at the level of a document, a sequence or a frame.
 *
 *   version 5   PVStateValue key value, with IndexedValue index value, or SubindexedValues index > SubindexedValue value
 *   version 4   Key key value, with the axis at the end of the key: `micronsPerPixel_XAxis`
 */
import { numberOf } from "../metadata/numbers.ts";
import type { XmlElement } from "../metadata/xml.ts";

/** Settings that are kept of the dozens that each frame of a long series may repeat. */
const KEPT = new Set([
  "dwellTime",
  "framePeriod",
  "linesPerFrame",
  "micronsPerPixel",
  "pixelsPerLine",
  "positionCurrent",
  "scanLinePeriod",
  "xYStageGridIndex",
].map((key) => key.toLowerCase()));

/** Characters of a number; the program writes twenty. */
const MAX_DIGITS = 100;

/** Values by key in lower case, those of an axis by `key/axis`: `scanlineperiod`, `micronsperpixel/xaxis`. */
export type PvState = ReadonlyMap<string, number>;

/** That of a frame without settings of its own, as thousands are. */
const NO_STATE: PvState = new Map();

/** Settings of an element in its `PVStateShard`. */
export function stateOf(element: XmlElement): PvState {
  const state = new Map<string, number>();
  for (const shard of element.children) {
    if (shard.name !== "PVStateShard") continue;
    for (const setting of shard.children) addSetting(state, setting);
  }
  return state.size === 0 ? NO_STATE : state;
}

function addSetting(state: Map<string, number>, { attributes, children }: XmlElement): void {
  const { key = "", value } = attributes;
  const [, name = "", axis] = /^(.*?)(?:_([XYZ]Axis))?$/i.exec(key) ?? [];
  const kept = name.toLowerCase();
  if (!KEPT.has(kept)) return;
  put(state, axis === undefined ? kept : `${kept}/${axis.toLowerCase()}`, value);
  for (const { attributes: of, children: below } of children) {
    const at = `${kept}/${(of.index ?? "").toLowerCase()}`;
    put(state, at, of.value);
    // Of a place that several motors move, each gives a part.
    const parts = below.map((one) => pvNumber(one.attributes.value)).filter((one) => one !== null);
    if (parts.length > 0) state.set(at, parts.reduce((sum, one) => sum + one, 0));
  }
}

/** What several motors may add up to. */
const PLACE = "positioncurrent";

function put(state: Map<string, number>, key: string, text: string | undefined): void {
  const value = pvNumber(text) ?? (key.startsWith(PLACE) ? sumOf(text) : null);
  if (value !== null) state.set(key, value);
}

/** Version 4 may list the places of two motors: `-4.00,30`. */
function sumOf(text: string | undefined): number | null {
  const parts = (text ?? "").split(",", 3).map((one) => numberOf(one));
  return parts.length === 2
    ? parts.reduce((sum, one) => sum === null || one === null ? null : sum + one)
    : null;
}

/** A number as the program writes it; in some languages the system writes a comma before the decimals. */
export function pvNumber(text: string | null | undefined): number | null {
  const written = text !== null && text !== undefined && text.length <= MAX_DIGITS ? text.trim() : "";
  return numberOf(/^[-+]?\d+,\d+(?:[eE][-+]?\d+)?$/.test(written) ? written.replace(",", ".") : written);
}

/** The value of the innermost of some levels that has one, or `null`; the levels from the innermost out. */
export function settingOf(levels: readonly PvState[], key: string): number | null {
  const lower = key.toLowerCase();
  return levels.find((state) => state.has(lower))?.get(lower) ?? null;
}
