/**
 * The elements of one picture: its plot with the canvas, and over both the frame and the marks. The plot may be divided into
 * bands, one below the other, which show the same part and carry the same marks.
 */
import { element, findWithin, fitCanvas, svgElement } from "../controls/element.ts";
import { type FrameRange, layoutFrame, type PlotBox, type PlotFrame } from "./frame.ts";
import { drawCanvasMarks, makeSvgMarks, type Mark, measureLabel } from "./marks.ts";

/** How a saved picture looks. */
export interface SnapshotLook {
  /** Multiple of the screen density at which the picture was drawn. */
  scale?: number;
  /** Whether the frame with the axes is drawn around the picture. */
  hasAxes?: boolean;
  /** Whether scale bars and the reduction are drawn over the picture. */
  hasScaleBar?: boolean;
  /** Whether text is dark on white, whatever the theme of the page. */
  isLight?: boolean;
}

/** The stage of one figure. */
export class Stage {
  /** Receives pointer and keys. */
  readonly plot: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly #box;
  readonly #frameLayer = svgElement("g");
  readonly #labels;
  /** Layers of marks, one per band. */
  readonly #markLayers: SVGSVGElement[] = [];
  #frame: PlotFrame | null = null;
  bandCount = 1;
  /** Canvas pixels per screen pixel; more than one for a picture to save. */
  magnified = 1;

  /**
   * @param figure holds `.stage` with `.plot` and `canvas` inside
   * @param onChange its size or the screen's density has changed
   */
  constructor(figure: HTMLElement, onChange: () => void) {
    this.#box = findWithin(figure, ".stage");
    this.plot = findWithin(figure, ".plot");
    this.canvas = findWithin(figure, ".plot canvas", HTMLCanvasElement);
    this.#labels = svgElement("svg", { class: "labels" }, this.#frameLayer);
    this.#box.append(this.#labels);
    new ResizeObserver(onChange).observe(this.#box);
    listenToDensity(onChange);
  }

  get isLaid(): boolean {
    return this.#frame !== null;
  }

  /** Where the plot lies in the stage, in CSS pixels. */
  get area(): PlotBox {
    return this.#frame?.plot ?? { left: 0, top: 0, width: 1, height: 1 };
  }

  /** Size of one band in CSS pixels: that of the whole plot if there is one. */
  get band(): {
    width: number;
    height: number;
  } {
    const { width, height } = this.area;
    return { width, height: height / this.bandCount };
  }

  /** The bands in canvas pixels. */
  get canvasBands(): PlotBox[] {
    const { width, height } = this.canvas;
    const edge = (i: number) => Math.round(i * height / this.bandCount);
    return Array.from({ length: this.bandCount }, (_, i) => ({
      left: 0,
      top: edge(i),
      width,
      height: edge(i + 1) - edge(i),
    }));
  }

  /** Lays out the plot and draws the frame. @returns false without room */
  lay(
    options: {
      x: FrameRange;
      y: FrameRange;
      aspect: number | null;
      gutter: number;
      bands: number;
      isShared: boolean;
    },
  ): boolean {
    const box = this.#box.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return false;
    this.bandCount = options.bands;
    this.#frame = layoutFrame({
      width: box.width,
      height: box.height,
      ...options,
      measure: measureLabel,
      snap: (plot) => snapToPixels(plot, box),
    });
    this.#frameLayer.replaceChildren(...makeSvgMarks(this.#frame.marks));
    const { left, top, width, height } = this.#frame.plot;
    Object.assign(this.plot.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    while (this.#markLayers.length > this.bandCount) this.#markLayers.pop()?.remove();
    while (this.#markLayers.length < this.bandCount) {
      const layer = svgElement("svg", { overflow: "hidden" });
      this.#labels.append(layer);
      this.#markLayers.push(layer);
    }
    const high = this.band.height;
    this.#markLayers.forEach((layer, i) => {
      const attributes = { x: left, y: top + i * high, width, height: high };
      for (const [name, value] of Object.entries(attributes)) layer.setAttribute(name, String(value));
    });
    fitCanvas(this.canvas, width, height, globalThis.devicePixelRatio * this.magnified);
    return true;
  }

  /** Draws shared marks over every band, and over each of several its own. */
  mark(marks: readonly Mark[], own: readonly Mark[][]): void {
    this.#markLayers.forEach((layer, i) =>
      layer.replaceChildren(...makeSvgMarks([...marks, ...own[i] ?? []]))
    );
  }

  /** Which band a fraction of the plot's height lies in, and the fraction of that band. */
  inBand(fy: number): {
    band: number;
    fy: number;
  } {
    const band = Math.min(this.bandCount - 1, Math.max(0, Math.floor(fy * this.bandCount)));
    return { band, fy: fy * this.bandCount - band };
  }

  /** The last drawing as a canvas: picture, frame and marks, or only the picture with its marks. */
  snapshot(
    marks: readonly Mark[],
    own: readonly Mark[][],
    { scale = 1, hasAxes = true, isLight = false }: SnapshotLook,
  ): HTMLCanvasElement {
    const { plot, marks: frame } = this.#frame as PlotFrame;
    const box = this.#box.getBoundingClientRect();
    const { left, top, width, height } = hasAxes
      ? { left: 0, top: 0, width: box.width, height: box.height }
      : plot;
    const density = globalThis.devicePixelRatio * scale;
    const canvas = element("canvas", {
      width: Math.round(width * density),
      height: Math.round(height * density),
    });
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const style = getComputedStyle(this.#box);
    const ink = isLight ? "#1a1f26" : style.color;
    context.fillStyle = isLight ? "#ffffff" : style.backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(density, density);
    context.translate(-left, -top);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, plot.left, plot.top, plot.width, plot.height);
    if (hasAxes) drawCanvasMarks(context, frame, ink);
    const high = this.band.height;
    for (let i = 0; i < this.bandCount; i += 1) {
      context.save();
      context.beginPath();
      context.rect(plot.left, plot.top + i * high, plot.width, high);
      context.clip();
      context.translate(plot.left, plot.top + i * high);
      drawCanvasMarks(context, [...marks, ...own[i] ?? []], ink);
      context.restore();
    }
    return canvas;
  }
}

/** Moves the plot to whole pixels of the screen; otherwise its canvas would be blurred. */
function snapToPixels(plot: PlotBox, box: { left: number; top: number }) {
  const density = globalThis.devicePixelRatio;
  const whole = (value: number) => Math.round(value * density) / density;
  return {
    left: whole(box.left + plot.left) - box.left,
    top: whole(box.top + plot.top) - box.top,
    width: whole(plot.width),
    height: whole(plot.height),
  };
}

/** Calls back when the density of the screen changes. */
function listenToDensity(onChange: () => void) {
  matchMedia(`(resolution: ${globalThis.devicePixelRatio}dppx)`).addEventListener("change", () => {
    onChange();
    listenToDensity(onChange);
  }, { once: true });
}
