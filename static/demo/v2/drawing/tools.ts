/** Draws over the pictures with the chosen tool: by drags, or from point to point. */
import { byId } from "../controls/element.ts";
import { findColumnNear } from "../picture/scan_path.ts";
import { findShape, type Scan } from "./scan.ts";
import { KINDS } from "./kinds.ts";
import { type End, type KindName, type Region, selectKinds, withRegion } from "./region.ts";
import { makeRegion } from "./table.ts";
import { PointTool } from "./point_tool.ts";
import { type Added, freePlace } from "./free_place.ts";
import { type Tool, ToolChoice } from "./tool_choice.ts";
import type { Drawn } from "./drawn.ts";
import type { Pane } from "../picture/pane.ts";
import type { PicturePoint } from "../picture/placed_view.ts";
import type { RegionEditor } from "./editor.ts";
import type { DrawingStore } from "./store.ts";

/** Says something to screen readers. */
const announce = (text: string) => byId("announcer").textContent = text;

/** Largest distance of the start of a band from the path, in samples of the reference. */
const REACH = 12;

/** What the tools need of the page. */
export interface ToolPanes {
  source: Pane;
  reference: Pane;
  editor: RegionEditor;
  /** How the line over an image is drawn. */
  line: () => { width: number; isFreehand: boolean };
  /** Says that no more regions of a kind can be drawn, or where to pin a cursor. */
  refuse: (kind: KindName) => void;
  /** Follows a press that hits no region. */
  press: (at: PicturePoint, reach: number) => void;
}

/** The buttons of the tools, and what they draw. */
export class Tools {
  readonly #store;
  readonly #parts;
  readonly #track;
  #scan: Scan | null = null;
  #path: readonly PicturePoint[] = [];
  /** The end that Enter has set; null while no drag is made by keys. */
  #from: PicturePoint | null = null;
  readonly choice: ToolChoice = new ToolChoice(() => this.#choose(), (kind) => this.add(kind));

  constructor(store: DrawingStore<Drawn>, parts: ToolPanes) {
    const { source, reference, editor } = this.#parts = parts;
    this.#store = store;
    this.#track = new PointTool(store, "track", (x, y) => source.toScreen(x, y));
    // A click ends a drag that has drawn nothing, and a track goes on.
    for (const pane of [source, reference]) pane.onGivenUp = () => this.#isTracking || store.preview(null);
    source.onPress = (at, reach) => {
      if (this.#isTracking) this.#track.add(at);
      else if (!editor.press(at, reach)) this.#parts.press(at, reach);
    };
    source.onDouble = () => this.#isTracking && this.#endTrack();
    source.onKey = (key) => this.#press(key);
    source.onMoved = (at) => this.#from && this.#drag(this.#from, at, false);
  }

  /**
   * Starts with another picture.
   *
   * @param path of the line scan over its reference
   * @param why tools for line scans are disabled
   */
  begin(scan: Scan, path: readonly PicturePoint[], why: string): void {
    this.#scan = scan;
    this.#path = path;
    this.choice.offer(scan.isLineScan, why);
    this.#choose();
  }

  /** Pins the cursor, or adds it to a track. */
  pin(): void {
    const { cursor } = this.#parts.source;
    if (cursor === null || this.#scan === null) return this.#parts.refuse("cursor");
    const at = { x: cursor.x + 0.5, y: cursor.y + 0.5 };
    if (this.#isTracking) this.#track.add(at, 0);
    else this.#draw("cursor", KINDS.cursor.drawn(at, at, findShape(this.#scan)), true);
  }

  /** Draws a region at a free place in view, and puts the focus into its fields. */
  add(kind: Added): void {
    const scan = this.#scan;
    if (scan === null) return;
    const { source, editor } = this.#parts;
    const { regions } = this.#store.document;
    this.#choose();
    this.#store.select(null);
    this.#drawAs(kind, ...freePlace(kind, source.view, regions, scan.isLineScan), true);
    if (this.#store.selected !== null) editor.type();
    else if (this.#store.document.regions !== regions) {
      // The line over an image has no fields: keys draw it anew.
      this.choice.choose(kind);
      source.focus();
      announce("Line drawn; Enter sets its ends at the cursor");
    }
  }

  /** Chooses a tool by its key; the focus goes to the picture, whose keys draw. */
  choose(tool: Tool): void {
    this.choice.choose(tool);
    if (document.activeElement === document.body) this.#parts.source.focus();
  }

  /** Cancels a track, else deselects the tool and the region; returns whether there was any. */
  layDown(): boolean {
    if (this.#track.cancel() || this.#cancelKeys()) return true;
    const wasSelected = this.#parts.editor.deselect();
    if (this.choice.chosen === "zoom") return wasSelected;
    this.choice.choose("zoom");
    return true;
  }

  /** Takes back the last point of a track that is being drawn; false without one. */
  removeLast(): boolean {
    return this.#track.isDrawing && this.#track.removeLast();
  }

  get #isTracking() {
    return this.choice.chosen === "track";
  }

  #choose() {
    this.#track.cancel();
    this.#from = null;
    this.#store.preview(null);
    const { source, reference } = this.#parts;
    const { chosen } = this.choice;
    const isDrawing = chosen !== "zoom" && this.#scan !== null;
    source.tool = isDrawing
      ? (from, to, isDone) => {
        this.#from = null;
        this.#drag(from, to, isDone);
      }
      : null;
    const onPath = chosen === "band" && this.#path.length > 0;
    reference.tool = onPath ? (from, to, isDone) => this.#dragPath(from, to, isDone) : null;
    // While a finger draws, it does not scroll the page.
    for (const pane of [source, reference]) pane.redraw();
  }

  #drag(from: PicturePoint, to: PicturePoint, isDone: boolean) {
    const { chosen } = this.choice;
    if (chosen === "track") {
      if (isDone) { for (const at of [from, to]) this.#track.add(at); }
    } else if (chosen !== "zoom") this.#drawAs(chosen, from, to, isDone);
  }

  #drawAs(kind: Added, from: PicturePoint, to: PicturePoint, isDone: boolean) {
    const scan = this.#scan as Scan;
    const size = findShape(scan);
    if (kind !== "line") this.#draw(kind, KINDS[kind].drawn(from, to, size), isDone);
    else if (scan.isLineScan) this.#draw("line", KINDS.line.drawn(from, to, size), isDone);
    else this.#drawPath(from, to, isDone);
  }

  /** Draws the line over an image; freehand it follows the drag. */
  #drawPath(from: PicturePoint, to: PicturePoint, isDone: boolean) {
    const { width, isFreehand } = this.#parts.line();
    const [start, end] = KINDS.path.drawn(from, to, findShape(this.#scan as Scan)) as [End, End];
    const { ends = [] } = this.#store.isPreviewing && selectKinds(this.#store.shown.regions, "path")[0] || {};
    const isOn = isFreehand && ends[0]?.x === start.x && ends[0]?.y === start.y;
    this.#draw("path", isOn ? [...ends, end] : [start, end], isDone, { width });
  }

  /** Draws a band along the path of the reference. */
  #dragPath(from: PicturePoint, to: PicturePoint, isDone: boolean) {
    const [rows, columns] = findShape(this.#scan as Scan);
    const [start, end] = [from, to].map(({ x, y }) =>
      findColumnNear(this.#path, columns, { x: y - 0.5, y: x - 0.5 })
    );
    if (start === undefined || end === undefined || start.distance > REACH) return;
    const [low, high] = [start.column, end.column].toSorted((a, b) => a - b) as [number, number];
    this.#draw("band", KINDS.band.drawn({ x: 0, y: low }, { x: 0, y: high + 1 }, [rows, columns]), isDone);
  }

  /** Draws a new region, and selects it at the end. @param ends null if there is nothing to draw */
  #draw(kind: KindName, ends: readonly End[] | null, isDone: boolean, properties: Partial<Region> = {}) {
    const { document } = this.#store;
    const region = ends && makeRegion(document.regions, kind, ends, properties);
    if (region === null) {
      this.#store.preview(null);
      if (ends !== null && isDone) this.#parts.refuse(kind);
      return;
    }
    const regions = withRegion(document.regions, region);
    if (!isDone) return this.#store.preview({ ...document, regions });
    this.#store.draw(regions);
    if (!KINDS[kind].isFixed) this.#store.select(region.id);
  }

  /** Records the track. */
  #endTrack(): true {
    const { isDrawing, region } = this.#track;
    if (isDrawing && region === null) this.#parts.refuse("track");
    const track = this.#track.finish();
    if (track !== null) this.#store.select(track.id);
    return true;
  }

  /** Returns whether a key on the picture is one of the drawing. */
  #press(key: string) {
    const { isDrawing } = this.#track;
    if (isDrawing && key === "Escape") return this.#track.cancel();
    if (key === "Backspace" && this.removeLast()) return true;
    if ((key === "Backspace" || key === "Escape") && this.#cancelKeys()) return true;
    if (key !== "Enter") return false;
    if (isDrawing) return this.#endTrack();
    if (!this.#setEnd()) this.#parts.editor.enter();
    return true;
  }

  /** Stops drawing by keys; returns whether a region was being drawn. */
  #cancelKeys() {
    const wasDrawing = this.#from !== null;
    this.#from = null;
    if (wasDrawing) this.#store.preview(null);
    return wasDrawing;
  }

  /**
   * Sets an end of a new region at the cursor, or at the middle of the picture without one; with the second end it is drawn.
   * Returns false without a tool that drags, and while a region is selected, which keys then move.
   */
  #setEnd() {
    const { source, editor } = this.#parts;
    const isDragged = this.choice.chosen !== "zoom" && !this.#isTracking && this.#scan !== null;
    if (!isDragged || this.#from === null && this.#store.selected !== null) return false;
    source.showCursor();
    const at = { x: source.cursor!.x + 0.5, y: source.cursor!.y + 0.5 };
    const from = this.#from;
    this.#from = from === null ? at : null;
    this.#drag(from ?? at, at, from !== null);
    if (from === null) announce("First end set; arrow keys move to the other one, Enter sets it");
    else if (this.#store.selected !== null) editor.enter();
    return true;
  }
}
