/**
 * Marks over and around a picture, drawn alike as SVG on the page (sharp, its text can be selected) and on a canvas for
 * the saved picture. A mark is a line `{points}`, a dark ground `{ground: [left, top, width, height]}`, a ring `{ring: [x, y, radius]}` or a text `{text, at, anchor, turned}`, with `color`
 * (the page's own when absent), `width`, `dash` and `halo`: a dark edge that keeps it visible on any picture.
 *
 * Tested in `tests/browser/drawing_test.ts`.
 */
import { svgElement } from "./element.js";

/** Font of all labels. */
export const LABEL_FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

const HALO = "rgba(0, 0, 0, 0.65)";

const GROUND = "rgba(0, 0, 0, 0.55)";

/** Width of a label in CSS pixels. */
export const measureLabel = (() => {
  let context;
  return (text) => {
    context ??= document.createElement("canvas").getContext("2d");
    context.font = LABEL_FONT;
    return context.measureText(text).width;
  };
})();

/** SVG elements of the marks. */
export function svgMarks(marks) {
  return marks.flatMap((mark) => {
    const color = mark.color ?? "currentColor";
    if (mark.text !== undefined) return [svgText(mark, color)];
    if (mark.ground !== undefined) {
      const [x, y, width, height] = mark.ground;
      return [svgElement("rect", { x, y, width, height, rx: 4, fill: GROUND })];
    }
    const shape = (stroke, width) => {
      const style = { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": mark.dash ?? null };
      if (mark.ring !== undefined) {
        const [cx, cy, r] = mark.ring;
        return svgElement("circle", { cx, cy, r, ...style });
      }
      const points = mark.points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
      return svgElement("polyline", { points, "stroke-linejoin": "round", ...style });
    };
    const width = mark.width ?? 1;
    return mark.halo ? [shape(HALO, width + 2), shape(color, width)] : [shape(color, width)];
  });
}

/** Draws the marks on a canvas whose unit is a CSS pixel. */
export function canvasMarks(context, marks, ownColor) {
  context.font = LABEL_FONT;
  for (const mark of marks) {
    const color = mark.color ?? ownColor;
    if (mark.text !== undefined) canvasText(context, mark, color);
    else if (mark.ground !== undefined) {
      context.fillStyle = GROUND;
      context.fillRect(...mark.ground);
    } else {
      const width = mark.width ?? 1;
      context.setLineDash(mark.dash === undefined ? [] : mark.dash.split(" ").map(Number));
      for (const [stroke, wide] of mark.halo ? [[HALO, width + 2], [color, width]] : [[color, width]]) {
        context.strokeStyle = stroke;
        context.lineWidth = wide;
        context.beginPath();
        if (mark.ring !== undefined) context.arc(...mark.ring, 0, 2 * Math.PI);
        else mark.points.forEach(([x, y]) => context.lineTo(x, y));
        context.stroke();
      }
    }
  }
  context.setLineDash([]);
}

function svgText(mark, color) {
  const [x, y] = mark.at;
  return svgElement("text", {
    x: round(x),
    y: round(y),
    fill: color,
    "text-anchor": mark.anchor,
    "dominant-baseline": "central",
    transform: mark.turned ? `rotate(-90 ${round(x)} ${round(y)})` : null,
    class: mark.halo ? "halo" : null,
  }, mark.text);
}

function canvasText(context, mark, color) {
  context.save();
  context.translate(...mark.at);
  if (mark.turned) context.rotate(-Math.PI / 2);
  context.textAlign = mark.anchor === "middle" ? "center" : mark.anchor;
  context.textBaseline = "middle";
  if (mark.halo) {
    context.strokeStyle = HALO;
    context.lineWidth = 3;
    context.strokeText(mark.text, 0, 0);
  }
  context.fillStyle = color;
  context.fillText(mark.text, 0, 0);
  context.restore();
}

const round = (value) => Math.round(value * 100) / 100;
