/**
 * Scale bars in the lower right corner, with the longest round length that fits: one for images, one per calibrated
 * axis if the units of the axes differ.
 */
import { type Axis, chooseUnitSymbol, formatAt } from "../../../measure/axes.ts";
import { type Mark, measureLabel } from "./marks.ts";
import type { View } from "./orientation.ts";

/** Distance of bars from the edge of the plot, in CSS pixels. */
const INSET = 14;

/** A dark edge keeps bars visible on any picture and hides less than a dark box. */
const LABEL = { color: "#fff", halo: true };
const BAR = { ...LABEL, width: 2 };

/**
 * Length of the bar for an axis, in pixels of the picture, and its label.
 *
 * @param pixels picture pixels visible along the axis
 * @param part largest fraction of them that the bar may take
 * @returns null without calibration
 */
export function scaleBar(
  axis: Pick<Axis, "step" | "unit">,
  pixels: number,
  part = 0.25,
): { pixels: number; label: string } | null {
  if (axis.unit === "Pixels" || !(pixels > 0)) return null;
  const room = pixels * axis.step * part;
  const power = 10 ** Math.floor(Math.log10(room));
  const length = power * ([5, 2, 1].find((digit) => digit * power <= room * (1 + 1e-9)) ?? 1);
  return { pixels: length / axis.step, label: `${formatAt(length, length)} ${chooseUnitSymbol(axis.unit)}` };
}

/** The bars as marks (see marks.ts) in CSS pixels of the plot; none if the plot is too small for them. */
export function scaleBarMarks(
  { axisX, axisY }: { axisX: Pick<Axis, "step" | "unit">; axisY: Pick<Axis, "step" | "unit"> },
  view: View,
  { width, height }: { width: number; height: number },
): Mark[] {
  if (width < 80 || height < 84) return [];
  const [right, bottom] = [width - INSET, height - INSET];
  const [columns, rows] = [view.x1 - view.x0, view.y1 - view.y0];
  const across = scaleBar(axisX, columns, width < 400 ? 0.3 : 0.12);
  const down = axisX.unit === axisY.unit ? null : scaleBar(axisY, rows, 0.3);
  const marks: Mark[] = [];
  if (across !== null) {
    const long = across.pixels / columns * width;
    const wide = Math.max(long, measureLabel(across.label));
    marks.push({ points: [[right - long, bottom], [right, bottom]], ...BAR });
    const middle = right - (down === null ? wide / 2 : Math.max(long / 2, wide / 2 + 6));
    marks.push({ ...LABEL, text: across.label, at: [middle, bottom - 11], anchor: "middle" });
  }
  if (down !== null) {
    const long = down.pixels / rows * height;
    const end = Math.min(bottom - long, bottom - (across === null ? 10 : 32));
    marks.push({ points: [[right, bottom + 1], [right, bottom - long]], ...BAR });
    marks.push({ ...LABEL, text: down.label, at: [right - 7, end + 3], anchor: "end" });
  }
  return marks;
}

/** Room for scale bars beside a note, in CSS pixels. */
const ROOM_FOR_BARS = 190;

/** A note in the lower left corner; none if the plot is too small for it and scale bars. */
export function noteMarks(text: string, { width, height }: { width: number; height: number }): Mark[] {
  if (text === "" || height < 70 || measureLabel(text) + ROOM_FOR_BARS > width) return [];
  return [{ ...LABEL, text, at: [INSET, height - INSET - 3], anchor: "start" }];
}

/** The name of a band's channel, in its upper left corner. */
export const bandNameMark = (name: string): Mark => ({
  ...LABEL,
  text: name.length > 30 ? `${name.slice(0, 30)}…` : name,
  at: [13, 17],
  anchor: "start",
});

/** Note in the upper right corner of a picture. */
export const stampMarks = (text: string, { width }: { width: number }): Mark[] =>
  text === "" ? [] : [{ ...LABEL, text, at: [width - INSET, 17], anchor: "end" }];
