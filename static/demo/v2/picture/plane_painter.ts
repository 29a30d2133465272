/**
 * Paints the visible part of a group's planes on a canvas: the samples in view if they are larger than screen pixels, else
 * one value per pixel (reduction.ts). While the view moves, a level of the pyramid (pyramid.ts) with an entry per pixel or
 * two suffices; at rest, each pixel shows exactly the samples under it.
 *
 * It looks up a colour for each sample of the part, which is no larger than the canvas, and then places the colours. WebGL
 * was never faster in software rendering, where speed matters, and can lose its context.
 */
import { NOT_A_NUMBER } from "./lut.ts";
import { chooseBlock, chooseLevel, type Level, makeWholeLevel, requestPyramid } from "./pyramid.ts";
import { divideIntoPixels, formatReduction, type PixelStatistic, reduceBlocks } from "./reduction.ts";
import type { DisplayChannel } from "./channel.ts";
import type { ChannelGroup } from "./channel_group.ts";
import type { Orientation, View } from "./orientation.ts";

/** `samples` row-major as in the plane, in the size of the part; `lut` 256 times red, green, blue, 255. */
type Layer = { samples: Float32Array; min: number; max: number; lut: Uint8Array };

/** Canvas pixels. */
export type Area = { left: number; top: number; width: number; height: number };

/** The view, and the screen pixels that it takes along x and y. */
type PaintView = { view: View; pixels: { x: number; y: number }; statistic: PixelStatistic };

interface Seen {
  channel: DisplayChannel;
  plane: Level;
  pyramids: Map<PixelStatistic, readonly Level[]>;
  /** Identifies the look that `samples` belong to. */
  ask: string;
  samples: Float32Array;
}

/** A view rests after this long without changes. */
const REST_MS = 150;

/** Fewest samples of a plane with a pyramid: smaller planes are reduced within a frame without one. */
const SMALLEST_FOR_PYRAMID = 2 ** 18;

/** Least entries per pixel during movement, when nobody notices a block that is off by a pixel. */
const MOVING = 0.5;

/** Before the first view. */
const NOTHING: PaintView = {
  view: { x0: 0, y0: 0, x1: 0, y1: 0 },
  pixels: { x: 1, y: 1 },
  statistic: "mean",
};

const packColor = (color: number[]) => new Uint32Array(Uint8Array.of(...color, 255).buffer)[0];

const BLACK = packColor([0, 0, 0]);
const MISSING = packColor(NOT_A_NUMBER.color);

/** Paints one canvas. */
export class PlanePainter {
  /** Statistic that a pixel shows if it covers many samples. */
  statistic: PixelStatistic = "mean";
  /** Whether the last painting was coarse. */
  isCoarse = false;
  readonly #canvas;
  readonly #context;
  #image: ImageData | null = null;
  #colors = new Uint32Array(0);
  readonly #redraw;
  #load = requestPyramid;
  #channels: readonly Seen[] = [];
  #look = NOTHING;
  #ask = "";
  #isMoving = false;
  #movedAt = -Infinity;
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** @param redraw called when a coarse picture comes to rest */
  constructor(canvas: HTMLCanvasElement, redraw: () => void) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.#redraw = redraw;
  }

  /** Takes the planes of a group. @param load builds pyramids */
  load(
    { plane: { shape: [rows, columns] }, channels }: ChannelGroup,
    load: typeof requestPyramid = requestPyramid,
  ): void {
    this.#load = load;
    this.#look = NOTHING;
    this.isCoarse = false;
    this.#channels = channels.map((channel) => ({
      channel,
      plane: { ...makeWholeLevel(channel.samples, rows, columns), isFinite: channel.isFinite },
      pyramids: new Map(),
      ask: "",
      samples: new Float32Array(0),
    }));
  }

  /**
   * All samples of a channel as a band shows them: one value per pixel if pixels cover many samples.
   *
   * @param channel of the planes
   * @param band canvas pixels
   */
  atHome(
    channel: DisplayChannel,
    orientation: Orientation,
    band: Area,
    statistic: PixelStatistic = this.statistic,
  ): Float32Array<ArrayBufferLike> {
    const seen = this.#channels.find((other) => other.channel === channel);
    if (seen === undefined) return channel.samples;
    // The home view paints the same samples next and reuses them.
    const view = { x0: 0, y0: 0, x1: seen.plane.rows, y1: seen.plane.columns };
    this.#see({ view, pixels: countPixels(band, orientation), statistic }, [seen], false);
    return this.#samples(seen);
  }

  /** Describes the reduction. */
  reduction(isLineScan: boolean): string {
    return formatReduction(this.#perPixel, isLineScan, this.statistic);
  }

  /** Marks the view as changed. A single step is drawn exactly at once. */
  move(): void {
    const now = performance.now();
    this.#isMoving = now - this.#movedAt < REST_MS;
    this.#movedAt = now;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#isMoving = false;
      if (this.isCoarse) this.#redraw();
    }, REST_MS);
  }

  /**
   * Paints in the canvas's present size. Adds and clamps the colours of an area's channels; a missing value in any of
   * them stays visible.
   *
   * @param view pixels of the picture: x counts rows of the plane, y columns
   * @param bands canvas pixels; one for all shown channels together, or one per channel
   */
  paint(view: View, orientation: Orientation, bands: readonly Area[]): void {
    const shown = this.#channels.filter(({ channel }) => channel.visible);
    const [first = this.#channels[0]] = shown;
    const [band] = bands;
    if (first === undefined || band === undefined) return;
    this.#see(
      { view, pixels: countPixels(band, orientation), statistic: this.statistic },
      shown,
      this.#isMoving,
    );
    const layers = shown.map((seen) => ({ samples: this.#samples(seen), ...seen.channel.look() }));
    const { width, height } = this.#canvas;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const words = new Uint32Array(this.#image.data.buffer);
    // Where the view lies in the part is the same for all channels.
    const spans = this.#spans(this.#level(first));
    const size = spans.x.size * spans.y.size;
    if (this.#colors.length < size) this.#colors = new Uint32Array(size);
    const colors = this.#colors.subarray(0, size);
    if (bands.length !== 1) words.fill(BLACK!);
    bands.forEach((area, i) => {
      const drawn = bands.length === 1 ? layers : layers.slice(i, i + 1);
      colors.fill(BLACK!);
      for (const layer of drawn) addLayer(colors, layer);
      for (const layer of drawn) markMissing(colors, layer);
      paintArea({ words, width }, colors, spans, orientation, area);
    });
    this.#context.putImageData(this.#image, 0, 0);
  }

  /**
   * @param shown channels to be drawn
   * @param isMoving whether a coarser part is enough
   */
  #see(look: PaintView, shown: readonly Seen[], isMoving: boolean) {
    this.#look = look;
    const { view: { x0, x1, y0, y1 }, pixels: { x, y }, statistic } = look;
    for (const seen of shown) this.#wantPyramid(seen, statistic);
    this.isCoarse = isMoving && shown.every(({ pyramids }) => (pyramids.get(statistic)?.length ?? 0) > 0);
    this.#ask = [x0, x1, y0, y1, x, y, statistic, this.isCoarse].join();
  }

  /** Rows and columns per screen pixel; 0 before the first view. */
  get #perPixel() {
    const { view: { x0, x1, y0, y1 }, pixels: { x, y } } = this.#look;
    return { rows: (x1 - x0) / x, columns: (y1 - y0) / y };
  }

  /** Samples of the part, row-major as in the plane; the same array while the view stays. */
  #samples(seen: Seen) {
    if (seen.ask === this.#ask) return seen.samples;
    const level = this.#level(seen);
    const { x, y } = this.#spans(level);
    seen.ask = this.#ask;
    return seen.samples = reduceBlocks(level, x.edges(), y.edges(), this.#look.statistic);
  }

  /** The plane or level that a channel's part is taken from. */
  #level({ plane, pyramids }: Seen) {
    const levels = this.isCoarse ? pyramids.get(this.#look.statistic) ?? [] : [];
    return chooseLevel([plane, ...levels], this.#perPixel, MOVING);
  }

  #spans({ rowBlock, columnBlock, rows, columns }: Level) {
    const { view: { x0, x1, y0, y1 }, pixels } = this.#look;
    return {
      x: computePaintSpan(x0 / rowBlock, x1 / rowBlock, pixels.x, rows),
      y: computePaintSpan(y0 / columnBlock, y1 / columnBlock, pixels.y, columns),
    };
  }

  #wantPyramid({ plane, pyramids }: Seen, statistic: PixelStatistic) {
    const { rows, columns } = this.#perPixel;
    const isOfUse = chooseBlock(rows, MOVING) > 1 || chooseBlock(columns, MOVING) > 1;
    if (plane.samples.length < SMALLEST_FOR_PYRAMID || !isOfUse || pyramids.has(statistic)) return;
    pyramids.set(statistic, []);
    // Drawing the picture has priority.
    setTimeout(async () => pyramids.set(statistic, await this.#load(plane, statistic)));
  }
}

/** Pixels along the picture's x and y. */
const countPixels = ({ width, height }: Area, { swapped }: Orientation) =>
  swapped ? { x: height, y: width } : { x: width, y: height };

/**
 * Along one axis: the number of entries of the part, where the view begins and ends among them, and their edges in the
 * level.
 *
 * @param low the view, in entries of the level
 * @param pixels of the screen
 * @param length of the level
 */
function computePaintSpan(low: number, high: number, pixels: number, length: number) {
  if (high - low > pixels) {
    return { size: pixels, from: 0, to: pixels, edges: () => divideIntoPixels(low, high, pixels, length) };
  }
  const [first, last] = [Math.max(0, Math.floor(low)), Math.min(length, Math.ceil(high))];
  const size = last - first;
  const edges = () => Uint32Array.from({ length: size + 1 }, (_, i) => first + i);
  return { size, from: low - first, to: high - first, edges };
}

function addLayer(colors: Uint32Array, { samples, min, max, lut }: Layer) {
  const table = new Uint32Array(lut.buffer, lut.byteOffset, 256);
  const scale = 255 / (max - min);
  for (let i = 0; i < colors.length; i += 1) {
    const level = (samples[i]! - min) * scale + 0.5;
    colors[i] = addColors(colors[i]!, table[level >= 255 ? 255 : level > 0 ? level | 0 : 0]!);
  }
}

/** Adds two colours with each component clamped to 255; red and blue together, with room for carries. */
function addColors(a: number, b: number) {
  const redBlue = (a & 0xff00ff) + (b & 0xff00ff);
  const green = (a & 0x00ff00) + (b & 0x00ff00);
  const overRedBlue = redBlue & 0x1000100;
  const overGreen = green & 0x10000;
  return 0xff000000 | ((redBlue | (overRedBlue - (overRedBlue >>> 8))) & 0xff00ff) |
    ((green | (overGreen - (overGreen >>> 8))) & 0x00ff00);
}

function markMissing(colors: Uint32Array, { samples }: Pick<Layer, "samples">) {
  for (let i = 0; i < colors.length; i += 1) {
    const value = samples[i]!;
    // True for NaN and infinities.
    if (value - value !== 0) colors[i] = MISSING!;
  }
}

type PaintSpan = ReturnType<typeof computePaintSpan>;

/** Each pixel of an area takes the colour under its centre. */
function paintArea(
  { words, width }: { words: Uint32Array; width: number },
  colors: Uint32Array,
  { x, y }: { x: PaintSpan; y: PaintSpan },
  { swapped, fromRight, fromBottom }: Orientation,
  area: Area,
): void {
  const alongX = findCentres(x, swapped ? area.height : area.width).map((row) => row * y.size);
  const alongY = findCentres(y, swapped ? area.width : area.height);
  const [across, down] = swapped ? [alongY, alongX] : [alongX, alongY];
  if (fromRight) across.reverse();
  if (fromBottom) down.reverse();
  for (let line = 0; line < down.length; line += 1) {
    const start = (area.top + line) * width + area.left;
    if (line > 0 && down[line] === down[line - 1]) {
      words.copyWithin(start, start - width, start - width + across.length);
      continue;
    }
    const row = down[line]!;
    for (let i = 0; i < across.length; i += 1) words[start + i] = colors[row + across[i]!]!;
  }
}

/** Entry of the part under the centre of each of `count` canvas pixels. */
function findCentres({ from, to, size }: PaintSpan, count: number) {
  const places = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    places[i] = Math.min(size - 1, Math.max(0, Math.floor(from + ((i + 0.5) / count) * (to - from))));
  }
  return places;
}
