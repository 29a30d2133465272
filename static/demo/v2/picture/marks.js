/**
 * Marks over and around a picture, drawn identically as SVG on the page (sharp, with selectable text) and on a canvas
 * for the saved picture.
 *
 * @typedef {object} Mark one of a line, a ring and a text, in CSS pixels
 * @property {readonly (readonly number[])[]} [points] of a line, x and y
 * @property {readonly [x: number, y: number, radius: number]} [ring]
 * @property {string} [text]
 * @property {readonly [x: number, y: number]} [at] place of the text
 * @property {"start" | "middle" | "end"} [anchor] which part of the text lies at `at`
 * @property {boolean} [turned] whether the text runs upwards
 * @property {string} [color] by default the text colour of the page
 * @property {number} [width] of a line
 * @property {string} [dash] lengths of strokes and gaps
 * @property {boolean} [halo] a dark edge that keeps it visible on any picture
 */
import { svgElement } from "../controls/element.js";

/** Font of all labels. */
const LABEL_FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

const HALO = "rgba(0, 0, 0, 0.8)";

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/** Width of a label in CSS pixels. @param {string} text */
export function measureLabel(text) {
  ruler ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  ruler.font = LABEL_FONT;
  return ruler.measureText(text).width;
}

/** SVG elements of the marks. @param {readonly Mark[]} marks */
export const svgMarks = (marks) => marks.flatMap(svgMark);

/** @param {Mark} mark @returns {SVGElement[]} */
function svgMark(mark) {
  const color = mark.color ?? "currentColor";
  if (mark.text !== undefined) {
    const [x, y] = (mark.at ?? [0, 0]).map(round);
    const text = svgElement("text", {
      x,
      y,
      fill: color,
      "text-anchor": mark.anchor,
      "dominant-baseline": "central",
      transform: mark.turned ? `rotate(-90 ${x} ${y})` : null,
      class: mark.halo ? "halo" : null,
    }, mark.text);
    return [text];
  }
  const shape = (/** @type {string} */ stroke, /** @type {number} */ width) => {
    const style = { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": mark.dash ?? null };
    if (mark.ring !== undefined) {
      const [cx, cy, r] = mark.ring;
      return svgElement("circle", { cx, cy, r, ...style });
    }
    const points = (mark.points ?? []).map(([x = 0, y = 0]) => `${round(x)},${round(y)}`).join(" ");
    return svgElement("polyline", { points, "stroke-linejoin": "round", ...style });
  };
  const width = mark.width ?? 1;
  return mark.halo ? [shape(HALO, width + 2), shape(color, width)] : [shape(color, width)];
}

/** Draws the marks on a canvas whose unit is a CSS pixel. @param {CanvasRenderingContext2D} context @param {readonly Mark[]} marks @param {string} ownColor */
export function canvasMarks(context, marks, ownColor) {
  context.font = LABEL_FONT;
  for (const mark of marks) {
    const color = mark.color ?? ownColor;
    if (mark.text !== undefined) canvasText(context, mark, mark.text, color);
    else {
      const width = mark.width ?? 1;
      context.setLineDash(mark.dash === undefined ? [] : mark.dash.split(" ").map(Number));
      const strokes = /** @type {[string, number][]} */ ([[HALO, width + 2], [color, width]]);
      for (const [stroke, wide] of mark.halo ? strokes : strokes.slice(1)) {
        context.strokeStyle = stroke;
        context.lineWidth = wide;
        context.beginPath();
        if (mark.ring !== undefined) context.arc(...mark.ring, 0, 2 * Math.PI);
        else mark.points?.forEach(([x = 0, y = 0]) => context.lineTo(x, y));
        context.stroke();
      }
    }
  }
  context.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} context @param {Mark} mark @param {string} text @param {string} color */
function canvasText(context, mark, text, color) {
  context.save();
  context.translate(...mark.at ?? [0, 0]);
  if (mark.turned) context.rotate(-Math.PI / 2);
  context.textAlign = mark.anchor === "middle" ? "center" : mark.anchor ?? "start";
  context.textBaseline = "middle";
  if (mark.halo) {
    context.strokeStyle = HALO;
    context.lineWidth = 3;
    context.strokeText(text, 0, 0);
  }
  context.fillStyle = color;
  context.fillText(text, 0, 0);
  context.restore();
}

const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;
