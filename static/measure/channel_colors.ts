/** The colours in which channels are first shown, by the page and in archives. */

/** Colour of the largest value of each look-up table that is a ramp from black. */
export const RAMPS: Readonly<Record<string, readonly number[]>> = {
  gray: [255, 255, 255],
  yellow: [255, 255, 0],
  cyan: [0, 255, 255],
  magenta: [255, 0, 255],
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
};

/** Colours of the first channels; further colours would be indistinguishable when added. */
export const DISTINCT: readonly string[] = ["green", "magenta", "cyan", "yellow", "red", "blue"];

/**
 * The initial look-up table of a channel: gray for a single channel, in which the eye sees most detail. Of several
 * channels, a colour in the channel's name wins; otherwise channel 0 is green and 1 magenta.
 */
export function chooseDefaultLut(position: number, name: string, count: number): string {
  if (count === 1) return "gray";
  const named = name.match(/\b(red|green|blue|cyan|magenta|yellow|gray)\b/i)?.[1]?.toLowerCase();
  if (named !== undefined) return named;
  if (/^(Alpha|Black)$/.test(name)) return "gray";
  return DISTINCT[position] ?? "gray";
}

/** Brightest colour of a ramp, `#rrggbb`; white for other tables. */
export const findRampColor = (name: string): string =>
  `#${(RAMPS[name] ?? [255, 255, 255]).map((part) => part.toString(16).padStart(2, "0")).join("")}`;
