/**
 * Look-up tables: 256 colours for the position of a sample in the intensity range. A table is a `Uint8Array` of
 * 256 x 4 bytes, red, green, blue and 255, ready for a texture or an `ImageData`.
 */
import { RAMPS } from "../../../measure/channel_colors.ts";
import * as tables from "./lut_tables.ts";

export { chooseDefaultLut, DISTINCT } from "../../../measure/channel_colors.ts";

/** ImageJ's "Fire" (public domain): 32 colours, interpolated. */
const FIRE = (
  "000000 00003d 010060 190082 3100a5 4900c0 6200dc 7a00e3 9200d2 a200b5 ad0097 b8007a c3005d cf0e40 d92323 e53905 " +
  "f04f00 fc6500 ff7500 ff8500 ff9300 ffa100 ffaf00 ffbe00 ffcd00 ffdb00 ffea00 fff823 ffff62 ffffa0 ffffdf ffffff"
).split(" ").map((hex) => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));

/** Colour of NaN and infinities, absent from all tables. */
export const NOT_A_NUMBER: {
  name: string;
  color: number[];
} = { name: "hot pink", color: [255, 105, 180] };

/** Names in the order of the menu. */
export const LUT_NAMES: string[] = [
  ...Object.keys(RAMPS),
  "fire",
  "hot",
  "viridis",
  "magma",
  "inferno",
  "cividis",
];

const made: Map<string, Uint8Array> = new Map();

/** The table with this name, made once. */
export function findLutTable(name: string): Uint8Array<ArrayBufferLike> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const colorAt = listLutColors(name);
  const table = new Uint8Array(1024).fill(255);
  for (let i = 0; i < 256; i += 1) table.set(colorAt(i), 4 * i);
  made.set(name, table);
  return table;
}

/** The colour of each entry of a table. */
function listLutColors(name: string): (i: number) => ArrayLike<number> {
  const ramp = RAMPS[name];
  if (ramp !== undefined) return (i) => ramp.map((full) => full === 255 ? i : 0);
  if (name === "fire") return fire;
  if (name === "hot") return hot;
  const packed = (tables as Readonly<Record<string, string>>)[name] ?? "";
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return (i) => bytes.subarray(3 * i, 3 * i + 3);
}

/** Applies gamma to a table: below 1 brightens dark parts, above 1 darkens them. */
export function withGamma(table: Uint8Array, gamma: number): Uint8Array<ArrayBufferLike> {
  if (gamma === 1) return table;
  const curved = new Uint8Array(table.length);
  for (let i = 0; i < 256; i += 1) {
    const at = Math.round(255 * (i / 255) ** gamma);
    curved.set(table.subarray(4 * at, 4 * at + 4), 4 * i);
  }
  return curved;
}

/** CSS colour of a table in legends and curves. */
export function chooseLutColor(name: string): string {
  const at = 4 * 200;
  const [r, g, b] = RAMPS[name] ?? findLutTable(name).subarray(at, at + 3);
  return `rgb(${r}, ${g}, ${b})`;
}

/** Entry `i` of 256 between the colours of Fire. */
function fire(i: number) {
  const place = i * FIRE.length / 256;
  const left = Math.floor(place);
  const next = FIRE[Math.min(left + 1, FIRE.length - 1)]!;
  return FIRE[left]!.map((low, part) => Math.trunc(low + (place - left) * (next[part]! - low)));
}

/** Black, red, yellow, white, like `hot` in matplotlib. */
function hot(i: number) {
  const x = i / 255;
  const ramp = (from: number, to: number, low = 0) =>
    Math.min(1, Math.max(low, low + (1 - low) * (x - from) / (to - from)));
  return [ramp(0, 0.365079, 0.0416), ramp(0.365079, 0.746032), ramp(0.746032, 1)].map((part) =>
    Math.floor(part * 255)
  );
}
