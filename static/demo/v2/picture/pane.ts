/**
 * One picture with its frame: canvas, axes, marks, zoom and cursor. Its x counts the plane's rows and its y the
 * columns. On the screen it lies in one of eight orientations (orientation.ts); the page and its cursor count in pixels
 * of the picture.
 *
 * placed_view.ts holds the view, stage.ts the elements; plane_painter.ts fills the canvas and picture_input.ts handles
 * mouse, touch and keys.
 */
import { isTime } from "../../../measure/axes.ts";
import { runInNextFrame } from "../controls/element.ts";
import { AS_PLOT, type Orientation, type View } from "./orientation.ts";
import { attachKeys, attachPointer } from "./picture_input.ts";
import { describePicture, type PicturePoint, PlacedView } from "./placed_view.ts";
import { PlanePainter } from "./plane_painter.ts";
import { bandNameMark, noteMarks, scaleBarMarks, stampMarks } from "./scale_bar.ts";
import { type SnapshotLook, Stage } from "./stage.ts";
import type { DisplayChannel } from "./channel.ts";
import type { ChannelGroup } from "./channel_group.ts";
import type { Mark } from "./marks.ts";
import type { PixelStatistic } from "./reduction.ts";

const PIXEL = { name: "", step: 1, unit: "Pixels" };

/** Before the first planes. */
const NOTHING = describePicture({ shape: [1, 1], axes: [PIXEL, PIXEL] }, false);

/** Pane over a `<figure>` that holds `.stage` (with `.plot` and `canvas` inside). */
export class Pane {
  readonly #stage;
  readonly #painter;
  #group: ChannelGroup | null = null;
  /** The view; change it with `change` or `view`. */
  placed: PlacedView = new PlacedView(NOTHING, AS_PLOT);
  cursor: PicturePoint | null = null;
  #selection: View | null = null;
  readonly #listeners;
  readonly #isReference;
  #hasScaleBar = true;

  /** Marks, in CSS pixels of a band, that the page puts over the picture. */
  overlay = (): Mark[] => [];

  /** Receives drags in positions of the picture; null if drags zoom. */
  tool: ((from: PicturePoint, to: PicturePoint, isDone: boolean) => void) | null = null;

  /** Called when Escape or a second finger cancels a drag of the tool. */
  onGivenUp: () => unknown = () => {};

  /** Called for a click or tap, which selects what lies within `reach` CSS pixels. */
  onPress: (at: PicturePoint, reach: number) => void = () => {};

  /** Called for keys on the picture; true if that was all. */
  onKey: (key: string) => boolean = () => false;

  /** Called with the middle of the pixel to which keys have moved the cursor. */
  onMoved: (at: PicturePoint) => void = () => {};

  /** Called for a double click, which zooms out unless it returns true. */
  onDouble: () => boolean = () => false;

  stamp = "";

  /** CSS pixels kept free left of a plot over time, to align plots below each other. */
  gutter = 0;

  /** Whether charts below have the labels of the time axis. */
  isShared = false;

  /** Draws in the next frame; coalesces calls. */
  readonly redraw: () => void = runInNextFrame(() => this.drawNow());

  constructor(figure: HTMLElement, listeners: {
    onCursor: (cursor: PicturePoint | null, byKeyboard: boolean) => void;
    onView: () => void;
    onDrawn: () => void;
  }, isReference: boolean) {
    this.#listeners = listeners;
    this.#isReference = isReference;
    this.#stage = new Stage(figure, this.redraw);
    this.#painter = new PlanePainter(this.#stage.canvas, this.redraw);
    attachPointer(this.#stage, this);
    attachKeys(this.#stage.plot, this);
  }

  /** The visible part in pixels of the picture; set it inside the picture. */
  get view(): View {
    return this.placed.view;
  }

  set view(view) {
    this.change((placed) => placed.view = view);
  }

  /** Whether scale bars and the reduction are shown over the picture. */
  set hasScaleBar(hasScaleBar: boolean) {
    this.#hasScaleBar = hasScaleBar;
    this.drawMarks();
  }

  /** Statistic that a pixel shows if it covers many samples. */
  get statistic(): PixelStatistic {
    return this.#painter.statistic;
  }

  set statistic(statistic) {
    this.#painter.statistic = statistic;
    this.redraw();
  }

  /** Samples of a shown channel in the home view. */
  atHome(channel: DisplayChannel, statistic?: PixelStatistic): Float32Array<ArrayBufferLike> {
    return this.#painter.atHome(channel, this.placed.orientation, this.#stage.canvasBands[0]!, statistic);
  }

  /** Shows the planes of another acquisition in the home view. */
  show(group: ChannelGroup, orientation: Orientation): void {
    this.placed = new PlacedView(describePicture(group.plane, this.#isReference), orientation);
    this.cursor = null;
    this.replacePlanes(group);
  }

  /** Replaces the planes by others of the same geometry; keeps view and cursor. */
  replacePlanes(group: ChannelGroup): void {
    this.#group = group;
    this.#painter.load(group);
    this.redraw();
  }

  drawNow(): void {
    const [placed, group] = [this.placed, this.#group];
    if (group === null) return;
    const { locked } = placed.picture;
    const isLaid = this.#stage.lay({
      ...placed.ranges,
      aspect: locked ? placed.aspect : null,
      gutter: placed.time === "across" ? this.gutter : 0,
      bands: group.isSplit && !locked ? group.shown.length : 1,
      isShared: this.isShared && placed.time === "across",
    });
    if (!isLaid) return;
    const { plot } = this.#stage;
    // While everything is visible a finger may scroll the page; a zoomed picture takes every touch.
    plot.style.touchAction = placed.isHome && this.tool === null ? "pan-y" : "none";
    this.#painter.paint(placed.view, placed.orientation, this.#stage.canvasBands);
    plot.ariaBusy = String(this.#painter.isCoarse);
    this.drawMarks();
    this.#listeners.onDrawn();
  }

  drawMarks(): void {
    if (this.#stage.isLaid) this.#stage.mark(this.#marks(), this.#bandMarks());
  }

  /** CSS pixels inside the plot, or one of its bands, of a picture position. */
  toScreen(x: number, y: number): [number, number] {
    const { width, height } = this.plot;
    const { fx, fy } = this.placed.toPlot({ x, y });
    return [fx * width, fy * height];
  }

  /** Picture pixels of a distance in CSS pixels of the plot. */
  shift(dx: number, dy: number): PicturePoint {
    const { width, height } = this.plot;
    const { x0, x1, y0, y1 } = this.placed.shown;
    return this.placed.shift(dx / width * (x1 - x0), dy / height * (y1 - y0));
  }

  /** Brings a position into view. */
  reveal(position: PicturePoint): void {
    this.change((placed) => placed.reveal(position));
  }

  /** Puts elements over the plot. */
  hold(...elements: Element[]): void {
    this.#stage.plot.append(...elements);
  }

  focus(): void {
    this.#stage.plot.focus();
  }

  /** Text of the scale bars and the reduction, such as `Scale bar 10 µm`; a space if there are none. */
  get scale(): string {
    if (!this.#stage.isLaid) return "\u00a0";
    const labels = (this.#hasScaleBar ? this.#scaleBars : []).flatMap(({ text }) => text ?? []);
    const bars = labels.length === 0 ? [] : [`Scale bar ${labels.join(" × ")}`];
    return [...bars, this.#reduction].filter((text) => text !== "").join(" · ") || "\u00a0";
  }

  /** Number of equal parts of the plot, one below the other, which show the same part of the picture. */
  get bandCount(): number {
    return this.#stage.bandCount;
  }

  /** Size of the plot, or one of its bands, in CSS pixels. */
  get plot(): {
    width: number;
    height: number;
  } {
    return this.#stage.band;
  }

  /** Left edge and width of the plot in its figure's stage, in CSS pixels. */
  get edges(): {
    left: number;
    width: number;
  } {
    const { left, width } = this.#stage.area;
    return { left, width };
  }

  /** Width of a shown pixel in CSS pixels. */
  get zoom(): number {
    const { x0, x1 } = this.placed.shown;
    return this.#stage.area.width / (x1 - x0);
  }

  /** The view as a PNG, at the density of the screen times `scale`; null if empty or too large. */
  png(look: SnapshotLook = {}): Promise<Blob | null> {
    if (this.#group === null) return Promise.resolve(null);
    const { isShared } = this;
    // A saved picture has its axis.
    this.isShared = false;
    this.#stage.magnified = look.scale ?? 1;
    this.drawNow();
    const marks = [...this.#marks(look.hasScaleBar), ...stampMarks(this.stamp, this.plot)];
    const canvas = this.#stage.snapshot(marks, this.#bandMarks(look.hasScaleBar), look);
    this.#stage.magnified = 1;
    this.isShared = isShared;
    if (isShared || look.scale !== undefined) this.drawNow();
    return new Promise((done) => canvas.toBlob(done));
  }

  get #reduction() {
    return this.#painter.reduction(isTime(this.placed.picture.axisX));
  }

  get #scaleBars() {
    return scaleBarMarks(this.placed.axes, this.placed.shown, this.plot);
  }

  get #notes() {
    return [...this.#scaleBars, ...noteMarks(this.#reduction, this.plot)];
  }

  #marks(hasNotes = this.#hasScaleBar) {
    const { width, height } = this.plot;
    const marks = this.overlay();
    if (this.cursor !== null) {
      const [x, y] = this.toScreen(this.cursor.x + 0.5, this.cursor.y + 0.5);
      const style = { color: "rgba(255, 255, 255, 0.8)", dash: "4 3", halo: true };
      marks.push({ points: [[x, 0], [x, height]], ...style }, { points: [[0, y], [width, y]], ...style });
    }
    if (hasNotes && this.bandCount === 1) marks.push(...this.#notes);
    if (this.#selection !== null) {
      const { x0, y0, x1, y1 } = this.#selection;
      const corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]] as const;
      const points = corners.map(([x, y]) => [x * width, y * height]);
      marks.push({ points, color: "#fff", halo: true });
    }
    return marks;
  }

  /** Channel names of several bands, and the notes in the last. */
  #bandMarks(hasNotes = this.#hasScaleBar) {
    const names = this.bandCount > 1 ? this.#group?.shown ?? [] : [];
    return names.map(({ name }, i) => {
      const mark = bandNameMark(name);
      return hasNotes && i === names.length - 1 ? [mark, ...this.#notes] : [mark];
    });
  }

  /** Changes the view. */
  change(change: (placed: PlacedView) => void): void {
    change(this.placed);
    this.#painter.move();
    this.#listeners.onView();
    this.redraw();
  }

  /** Shows the selection in progress, in fractions of a band. */
  select(box: View | null): void {
    this.#selection = box;
    this.drawMarks();
  }

  moveCursor(cursor: PicturePoint | null, byKeyboard: boolean): void {
    if (cursor?.x === this.cursor?.x && cursor?.y === this.cursor?.y) return;
    this.cursor = cursor;
    this.drawMarks();
    this.#listeners.onCursor(cursor, byKeyboard);
    if (byKeyboard && cursor !== null) this.onMoved({ x: cursor.x + 0.5, y: cursor.y + 0.5 });
  }

  /** Places the cursor in the middle of the view, unless the picture already has one. */
  showCursor(): void {
    if (this.cursor === null) this.moveCursor(this.placed.pixelAt({ fx: 0.5, fy: 0.5 }), true);
  }
}
