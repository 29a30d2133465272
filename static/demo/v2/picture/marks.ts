/**
 * Marks over and around a picture, drawn identically as SVG on the page (sharp, with selectable text) and on a canvas
 * for the saved picture.
 */
import { svgElement } from "../controls/element.ts";

/** One of a line, a ring and a text, in CSS pixels. */
export interface Mark {
  /** Points of a line, x and y. */
  points?: readonly (readonly number[])[];
  ring?: readonly [x: number, y: number, radius: number];
  text?: string;
  /** Place of the text. */
  at?: readonly [x: number, y: number];
  /** Which part of the text lies at `at`. */
  anchor?: "start" | "middle" | "end";
  /** Whether the text runs upwards. */
  turned?: boolean;
  /** CSS; the text colour of the page by default. */
  color?: string;
  /** Width of a line. */
  width?: number;
  /** Lengths of strokes and gaps. */
  dash?: string;
  /** Whether a dark edge keeps it visible on any picture. */
  halo?: boolean;
}

/** Font of all labels. */
const LABEL_FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

const HALO = "rgba(0, 0, 0, 0.8)";

let ruler: CanvasRenderingContext2D | null = null;

/** Width of a label in CSS pixels. */
export function measureLabel(text: string): number {
  ruler ??= document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  ruler.font = LABEL_FONT;
  return ruler.measureText(text).width;
}

/** SVG elements of the marks. */
export const makeSvgMarks = (marks: readonly Mark[]): SVGElement[] => marks.flatMap(makeSvgMark);

function makeSvgMark(mark: Mark): SVGElement[] {
  const color = mark.color ?? "currentColor";
  if (mark.text !== undefined) {
    const [x, y] = (mark.at ?? [0, 0]).map(roundToHundredths);
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
  const shape = (stroke: string, width: number) => {
    const style = { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": mark.dash ?? null };
    if (mark.ring !== undefined) {
      const [cx, cy, r] = mark.ring;
      return svgElement("circle", { cx, cy, r, ...style });
    }
    const points = (mark.points ?? []).map(([x = 0, y = 0]) =>
      `${roundToHundredths(x)},${roundToHundredths(y)}`
    ).join(" ");
    return svgElement("polyline", { points, "stroke-linejoin": "round", ...style });
  };
  const width = mark.width ?? 1;
  return mark.halo ? [shape(HALO, width + 2), shape(color, width)] : [shape(color, width)];
}

/** Draws the marks on a canvas whose unit is a CSS pixel. */
export function drawCanvasMarks(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  ownColor: string,
): void {
  context.font = LABEL_FONT;
  for (const mark of marks) {
    const color = mark.color ?? ownColor;
    if (mark.text !== undefined) drawCanvasText(context, mark, mark.text, color);
    else {
      const width = mark.width ?? 1;
      context.setLineDash(mark.dash === undefined ? [] : mark.dash.split(" ").map(Number));
      const strokes = [[HALO, width + 2], [color, width]] as [string, number][];
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

function drawCanvasText(context: CanvasRenderingContext2D, mark: Mark, text: string, color: string) {
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

const roundToHundredths = (value: number) => Math.round(value * 100) / 100;
