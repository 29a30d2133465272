/** Scale bar: the longest round length that fits. */
import { formatAt, unitSymbol } from "./axes.js";

/**
 * @param {{step: number, unit: string}} axis
 * @param {number} pixels picture pixels visible along the axis
 * @param {number} [part] the most of that the bar may take
 * @returns {{pixels: number, label: string} | null} null without calibration
 */
export function scaleBar(axis, pixels, part = 0.25) {
  if (axis.unit === "Pixels" || !(pixels > 0)) return null;
  const room = pixels * axis.step * part;
  const power = 10 ** Math.floor(Math.log10(room));
  const length = power * [5, 2, 1].find((digit) => digit * power <= room * (1 + 1e-9));
  return { pixels: length / axis.step, label: `${formatAt(length, length)} ${unitSymbol(axis.unit)}` };
}
