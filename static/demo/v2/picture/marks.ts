/**
 * Marks over and around a picture and in charts, drawn alike as SVG elements of the page (sharp, with selectable text), in
 * saved SVG files, and on a canvas.
 */
import { svgElement } from "../controls/element.ts";

/** One of a line, an area, a ring and a text, in CSS pixels. */
export interface Mark {
  /** Points of a line or corners of an area, x and y. */
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
  /** CSS colour of the area within the points or the ring, which then have no line. */
  fill?: string;
  /** Opacity of that area. */
  opacity?: number;
  /** Width of a line. */
  width?: number;
  /** Lengths of strokes and gaps. */
  dash?: string;
  /** Whether a dark edge keeps it visible on any picture. */
  halo?: boolean;
}

/** Height of all labels, in CSS pixels. */
export const LABEL_SIZE = 12;

const LABEL_FONT = `${LABEL_SIZE}px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif`;

const HALO = "rgba(0, 0, 0, 0.8)";

let ruler: CanvasRenderingContext2D | null = null;

/** Width of a label in CSS pixels. */
export function measureLabel(text: string): number {
  ruler ??= document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  ruler.font = LABEL_FONT;
  return ruler.measureText(text).width;
}

/** An SVG element that draws a mark. */
export interface MarkElement {
  tag: "text" | "circle" | "polygon" | "polyline";
  /** Null and undefined are left out. */
  attributes: Record<string, string | number | null | undefined>;
  text?: string;
}

/** SVG elements of the marks for the page. */
export const makeSvgMarks = (marks: readonly Mark[]): SVGElement[] =>
  marks.flatMap((mark) => describeMark(mark, "currentColor"))
    .map(({ tag, attributes, text }) => svgElement(tag, attributes, ...text === undefined ? [] : [text]));

/** The SVG elements that draw a mark. @param ownColor of marks that have none */
export function describeMark(mark: Mark, ownColor: string): MarkElement[] {
  const color = mark.color ?? ownColor;
  if (mark.text !== undefined) {
    const [x, y] = (mark.at ?? [0, 0]).map(roundToHundredths);
    const attributes = {
      x,
      y,
      // Few drawing programs support dominant-baseline: a third of the font size centres the text.
      dy: LABEL_SIZE / 3,
      fill: color,
      "text-anchor": mark.anchor,
      transform: mark.turned ? `rotate(-90 ${x} ${y})` : null,
      class: mark.halo ? "halo" : null,
    };
    return [{ tag: "text", attributes, text: mark.text }];
  }
  if (mark.fill !== undefined) {
    return [describeShape(mark, { fill: mark.fill, "fill-opacity": mark.opacity })];
  }
  const line = (stroke: string, width: number) =>
    describeShape(mark, {
      "stroke-linejoin": "round",
      fill: "none",
      stroke,
      "stroke-width": width,
      "stroke-dasharray": mark.dash,
    });
  const width = mark.width ?? 1;
  return mark.halo ? [line(HALO, width + 2), line(color, width)] : [line(color, width)];
}

function describeShape({ ring, points = [], fill }: Mark, style: MarkElement["attributes"]): MarkElement {
  if (ring !== undefined) {
    const [cx, cy, r] = ring.map(roundToHundredths);
    return { tag: "circle", attributes: { cx, cy, r, ...style } };
  }
  const places = points.map(([x = 0, y = 0]) => `${roundToHundredths(x)},${roundToHundredths(y)}`).join(" ");
  return { tag: fill === undefined ? "polyline" : "polygon", attributes: { points: places, ...style } };
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
    else if (mark.fill !== undefined) {
      context.globalAlpha = mark.opacity ?? 1;
      context.fillStyle = mark.fill;
      traceMark(context, mark);
      context.fill();
      context.globalAlpha = 1;
    } else {
      const width = mark.width ?? 1;
      context.setLineDash(mark.dash === undefined ? [] : mark.dash.split(" ").map(Number));
      const strokes = [[HALO, width + 2], [color, width]] as [string, number][];
      for (const [stroke, wide] of mark.halo ? strokes : strokes.slice(1)) {
        context.strokeStyle = stroke;
        context.lineWidth = wide;
        traceMark(context, mark);
        context.stroke();
      }
    }
  }
  context.setLineDash([]);
}

function traceMark(context: CanvasRenderingContext2D, { ring, points }: Mark) {
  context.beginPath();
  if (ring !== undefined) context.arc(...ring, 0, 2 * Math.PI);
  else points?.forEach(([x = 0, y = 0]) => context.lineTo(x, y));
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
