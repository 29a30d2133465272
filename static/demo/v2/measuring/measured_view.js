/**
 * Connects measuring with the viewer. Can replace the shown images by their kymograph (a line scan whose reference is the
 * shown image) or by their projection (an image with the same drawings).
 */
import { pathPoints } from "../../../client/v2/acq-client.js";
import { isTime, tableUnit, titled } from "../../../measure/axes.js";
import { capitalized, projectionWords } from "../../../measure/stack.js";
import { byId, within } from "../controls/element.js";
import { drawnWords, turnedRegion } from "./drawn.js";
import { sourcesOf } from "./image_series.js";
import { Measuring } from "./measuring.js";
import { isPlainImage, placeInFile, typedPlanes } from "./scan.js";
import { TypedPanel } from "./typed_panel.js";

/** @import { OpenResponse } from "../../../client/v2/acq-client.d.ts" */
/** @import { Axis } from "../../../measure/axes.js" */
/** @import { Kymograph } from "../../../measure/kymograph.js" */
/** @import { Place } from "../panels/plane_steps.js" */
/** @import { Shown } from "./measuring.js" */
/** @import { Viewer } from "../panels/viewer.js" */
/** @import { LoadedChannel } from "../picture/channel.js" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */

/**
 * @typedef {{info: OpenResponse, source: LoadedGroup, reference: LoadedGroup | null}} Picture
 *
 * @typedef {object} Images source of further images of the shown series
 * @property {() => Place} place of the shown image
 * @property {(place: Place, signal: AbortSignal) => Promise<readonly Float32Array[]>} planesAt of all channels
 * @property {(isDerived: boolean) => void} onDerived called when the view switches to a kymograph or projection, or back
 * @property {() => void} onDrawn called when drawings, settings or results have changed
 * @property {() => void} onLost called when earlier drawings do not fit the shown picture
 */

export class MeasuredView {
  #viewer;
  #images;
  #measuring;
  /** The images of the shown kymograph; null if none is shown. @type {Picture & {look: any} | null} */
  #original = null;
  #typedPanel = new TypedPanel();
  /** The image that is treated as a line scan, with what was typed. @type {Picture & {typed: TypedScan} | null} */
  #plain = null;
  /** Planes of the image that the shown projection replaces; null if none is shown. @type {Float32Array[] | null} */
  #image = null;
  /** Facts about the line of the kymograph, for tables. @type {[string, string | number][]} */
  #line = [];
  /** Set while this module shows planes itself. */
  #isShowing = false;
  /** Look to restore when a kymograph is made again. @type {any} */
  #former = null;
  /** What the next picture of the same recording takes over. @type {Shown["kept"]} */
  #kept = null;

  /** @param {Viewer} viewer @param {Images} images */
  constructor(viewer, images) {
    this.#viewer = viewer;
    this.#images = images;
    this.#measuring = new Measuring(viewer.panes, byId("measure"), byId("source"));
    viewer.on("shown", ({ look }) => {
      if (!this.#isShowing) this.#original = this.#plain = null;
      this.#image = null;
      if (look?.typed && this.#plain === null && this.treat(look.typed, look)) return;
      this.#begin(look?.drawn);
    });
    byId("measure").prepend(this.#typedPanel.element);
    this.#typedPanel.on("treat", (typed) => this.treat(typed));
    this.#typedPanel.on("back", () => this.#showPlain());
    viewer.extendLook = (look) => this.#withDrawn(look);
    this.#measuring.on("drawn", () => images.onDrawn());
    for (const type of ["planes", "look"]) viewer.on(type, () => this.#measuring.refresh());
    const { kymographs } = this.#measuring;
    this.#measuring.images.on("project", ({ samples }) => this.#showProjection(samples));
    kymographs.on("grow", (made) => this.#growKymograph(made));
    kymographs.on("end", () => this.#former = null);
    kymographs.on("back", () => this.goBack());
  }

  /** Actions of single keys. @type {Record<string, (key: string) => void>} */
  get actions() {
    return {
      z: () => this.#measuring.tools.choose("zoom"),
      b: () => this.#measuring.tools.choose("band"),
      n: () => this.#measuring.tools.choose("line"),
      x: () => this.#measuring.cursors.pin(),
      "Ctrl+z": () => this.#measuring.undo(),
      "Ctrl+Shift+z": () => this.#measuring.redo(),
    };
  }

  /** Shows other drawings in the same picture, as one step. @param {any} drawn unchecked @param {boolean} isBefore only makes them the step before the present drawings */
  adopt(drawn, isBefore) {
    const own = this.#measuring.drawn;
    this.#measuring.replace(this.#original === null ? drawn : drawn?.kymograph?.look?.drawn);
    if (isBefore) this.#measuring.replace(own);
  }

  /** What was measured in the shown picture, and whether that is a kymograph; null while nothing is shown. */
  get measured() {
    const { measured, isAccepted } = this.#measuring;
    return measured && { shown: measured, isAccepted, isKymograph: this.#original !== null };
  }

  /** Replaces the drawings of the images, as one step; a kymograph begins steps of its own. @param {import("./drawn.js").Drawn} drawn @param {TypedScan | null} typed calibration, if the image is shown as a line scan */
  restore(drawn, typed) {
    this.goBack();
    if (typed === null) this.#showPlain();
    else if (JSON.stringify(typed) !== JSON.stringify(this.#plain?.typed)) this.treat(typed);
    this.#measuring.replace(drawn);
    if (drawn.kymograph?.isMade) this.#makeAgain(drawn.kymograph);
  }

  /** Deselects the tool and the shape; returns whether either was selected. */
  layDown() {
    return this.#measuring.layDown();
  }

  /** The look with drawings; the look of a shown kymograph is part of the drawings of its images. @param {any} look */
  #withDrawn(look) {
    const { drawn } = this.#measuring;
    if (this.#original === null) return { ...look, drawn, ...(this.#plain && { typed: this.#plain.typed }) };
    const { look: former } = this.#original;
    const { kept } = this.#measuring.kymographs;
    const kymograph = { ...kept, look: { ...look, drawn: { ...drawn, kymograph: null } } };
    const { accepted, origin } = drawn ?? former.drawn;
    return { ...former, drawn: { ...former.drawn, accepted, origin, kymograph } };
  }

  /** @param {any} drawn earlier drawings in the same picture, unchecked */
  #begin(drawn) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    const isKymograph = this.#original !== null;
    const typed = this.#plain?.typed ?? null;
    const sources = isKymograph || isTime(info.plane.axes[0]) ? new Map() : sourcesOf(
      info,
      () => this.#images.place(),
      (place, signal) => this.#images.planesAt(place, signal),
    );
    this.#typedPanel.show(typed !== null || isPlainImage(info), typed, info.source.path);
    const taken = this.#measuring.begin({
      group: groups.source,
      file: info.source,
      lineScan: isKymograph ? null : info.lineScan ?? null,
      typed,
      why: this.#whyNoLineScan(info),
      path: pathPoints(info.reference),
      stacks: sources,
      place: () => this.#placeInFile(info),
      derived: () => this.#derived,
      note: this.#viewer.note,
      isKymograph,
      isAccepted: info.collection?.member.accepted ?? false,
      kept: this.#kept,
      drawn,
    });
    this.#kept = null;
    if (taken === null && drawnWords(drawn) !== "") this.#images.onLost();
    if (!isKymograph && taken?.kymograph?.isMade) this.#makeAgain(taken.kymograph);
  }

  /** Makes a kymograph again from the current images, with its earlier drawings. @param {import("./drawn.js").KeptKymograph} kymograph */
  #makeAgain({ look = {} }) {
    if (!this.#measuring.kymographs.hasSeries) return;
    this.#former = look;
    this.#measuring.kymographs.make();
  }

  /** Shows the image as a line scan with a typed calibration; returns false if there is no plain image. @param {TypedScan} typed @param {any} look earlier look of this line scan */
  treat(typed, look = null) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null || this.#plain === null && !isPlainImage(info)) return false;
    const plain = this.#plain ?? pictureOf(info, groups);
    const { plane, channels } = typedPlanes(plain.source, typed);
    if (look === null) this.#keep(isTurned(this.#plain?.typed) !== isTurned(typed));
    this.#plain = { ...plain, typed };
    this.#showOwn({
      info: /** @type {OpenResponse} */ ({ ...plain.info, plane }),
      source: { plane, channels },
      reference: plain.reference,
      look,
    });
    this.#images.onDrawn();
    return true;
  }

  /** Shows a picture that this module made. @param {Parameters<Viewer["show"]>[0]} picture */
  #showOwn(picture) {
    this.#isShowing = true;
    try {
      this.#viewer.show(picture);
    } finally {
      this.#isShowing = false;
    }
  }

  #showPlain() {
    if (this.#plain === null) return;
    const { info, source, reference, typed } = this.#plain;
    this.#keep(isTurned(typed));
    this.#viewer.show({ info, source, reference });
    this.#images.onDrawn();
  }

  /** Why tools are disabled, and what enables them; empty for a line scan. @param {OpenResponse} info */
  #whyNoLineScan(info) {
    if (isTime(/** @type {Axis} */ (this.#viewer.groups?.source.plane.axes[0]))) return "";
    const is = "Bands and velocities need a line scan, and the file does not say that this is one.";
    if (isPlainImage(info)) return `${is} If it is, type its time per line in “Treat as line scan” above.`;
    return (info.header.sizes.T ?? 1) > 1
      ? "Line and Rectangle measure the images. Bands and velocities need a line scan: make the kymograph of a line."
      : is;
  }

  /** The projection that is shown. */
  get #projection() {
    return this.#image === null ? null : this.#measuring.images.projection;
  }

  /** Scene and position of the shown image, with the line of a kymograph or the projection. @param {OpenResponse} info @returns {[string, string | number][]} */
  #placeInFile(info) {
    const typed = this.#plain?.typed ?? null;
    const projection = this.#projection;
    const over = this.#original === null ? projection?.axis : "T";
    const sizes = { ...info.header.sizes, ...over && { [over]: 1 } };
    const place = placeInFile({ ...info, header: { ...info.header, sizes } }, this.#images.place(), typed);
    if (this.#original !== null) return [...place, ...this.#line];
    return projection === null ? place : [...place, ["Projection", projectionWords(projection)]];
  }

  /** Names the shown kymograph or projection for saved files. */
  get #derived() {
    if (this.#original !== null) return "kymograph";
    const projection = this.#projection;
    return projection === null ? "" : `${projection.kind}-${projection.axis.toLowerCase()}`;
  }

  /** Shows a projection in place of the images, or the images again. @param {Float32Array[] | null} samples */
  #showProjection(samples) {
    const { groups } = this.#viewer;
    if (groups === null || samples === null && this.#image === null) return;
    const image = this.#image ?? groups.source.channels.map((channel) => channel.samples);
    this.#image = samples === null ? null : image;
    this.#viewer.replacePlanes(samples ?? image);
    // The maximum is brighter than the images.
    for (const channel of groups.source.channels) if (channel.isAuto) channel.autoRange();
    this.#images.onDerived(samples !== null);
    const projection = this.#projection;
    within(byId("source"), "h2").textContent = projection === null
      ? "Image"
      : capitalized(projectionWords(projection));
  }

  /** @param {Kymograph} kymograph */
  #showKymograph(kymograph) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    const picture = pictureOf(info, groups);
    const { source: image } = picture;
    const withSamples = (/** @type {readonly Float32Array[] | null} */ samples) =>
      image.channels.map((channel, i) => ({ ...channel, samples: samples?.[i] ?? channel.samples }));
    const look = /** @type {any} */ (this.#viewer.look);
    // Going back to the images discards the kymograph.
    look.drawn.kymograph.isMade = false;
    // A kymograph is made of the images, also while their projection is shown.
    this.#original = { ...picture, source: { ...image, channels: withSamples(this.#image) }, look };
    const { shape, axes } = kymograph.plane;
    const described = info.plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
    const plane = {
      ...info.plane,
      shape: /** @type {[number, number]} */ (shape),
      axes: titled(/** @type {typeof info.plane.axes} */ (described)),
    };
    const reference = { plane: info.plane, channels: [], lineRoi: null, scanPath: kymograph.path };
    const [row, column] = /** @type {[Axis, Axis]} */ (info.plane.axes);
    const four = (/** @type {number} */ value) => Number(value.toPrecision(5));
    // Freehand lines have a point per move of the pointer.
    const places = kymograph.points.map(({ x, y }) => `${four(x * column.step)} ${four(y * row.step)}`);
    this.#line = [
      [`Line over the images, x y (${tableUnit(column)})`, places.join("; ")],
      ["Width of the line (px)", kymograph.width],
    ];
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: [] };
    this.#showOwn({
      info: /** @type {OpenResponse} */ ({ ...info, plane, reference }),
      source: { plane, channels: withSamples(kymograph.samples) },
      reference: image,
      look: this.#former ?? { source: { channels: look.source?.channels } },
    });
    this.#images.onDerived(true);
  }

  /** @param {{kymograph: Kymograph, isDone: boolean}} made */
  #growKymograph({ kymograph, isDone }) {
    // Drawings in the previous kymograph hold only for a complete one.
    if (this.#former !== null && !isDone) return;
    if (this.#original === null) this.#showKymograph(kymograph);
    this.#viewer.replacePlanes([...kymograph.samples]);
    // A moving object is brighter along its line than in one image.
    if (kymograph.isWhole && !this.#former?.source) {
      this.#viewer.groups?.source.channels.forEach((channel) => channel.autoRange());
    }
  }

  /** Keeps judgement and regions for the next picture of the same recording. @param {boolean} isTurned its rows and columns are exchanged */
  #keep(isTurned) {
    const { accepted = null, origin = null, regions = [] } = this.#measuring.drawn ?? {};
    this.#kept = { accepted, origin, regions: isTurned ? regions.map(turnedRegion) : regions };
  }

  /** Shows the images again in place of their kymograph. */
  goBack() {
    this.#measuring.images.goBack();
    const original = this.#original;
    if (original === null) return;
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: original.look.drawn.regions };
    this.#original = null;
    this.#viewer.show(original);
    this.#images.onDerived(false);
  }
}

/** Whether the columns of the image are lines. @param {TypedScan | undefined} typed */
const isTurned = (typed) => typed?.time === "columns";

/** A picture as it was loaded, without display settings. @param {OpenResponse} info @param {NonNullable<Viewer["groups"]>} groups @returns {Picture} */
function pictureOf(info, { source, reference }) {
  const loaded = (/** @type {any} */ { plane, channels }) => ({
    plane,
    channels: channels.map((/** @type {LoadedChannel} */ { index, name, samples }) => ({
      index,
      name,
      samples,
    })),
  });
  return { info, source: loaded(source), reference: reference && loaded(reference) };
}
