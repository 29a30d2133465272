/**
 * Connects measuring with the viewer, and shows kymographs in place of their images: a line scan whose reference is the
 * shown image.
 */
import { pathPoints } from "../../../client/v2/acq-client.js";
import { FRAMES, isTime, tableUnit, titled } from "../../../measure/axes.js";
import { byId } from "../controls/element.js";
import { drawnWords, turnedRegion } from "./drawn.js";
import { Measuring } from "./measuring.js";
import { isPlainImage, placeInFile, typedPlanes } from "./scan.js";
import { TypedPanel } from "./typed_panel.js";

/** @import { OpenResponse } from "../../../client/v2/acq-client.d.ts" */
/** @import { Axis } from "../../../measure/axes.js" */
/** @import { Kymograph } from "../../../measure/kymograph.js" */
/** @import { Source } from "./kymograph_panel.js" */
/** @import { Place } from "../panels/plane_steps.js" */
/** @import { Shown } from "./measuring.js" */
/** @import { Viewer } from "../panels/viewer.js" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */

/**
 * @typedef {object} Images source of further images of the shown series
 * @property {() => Place} place of the shown image
 * @property {(place: Place, signal: AbortSignal) => Promise<readonly Float32Array[]>} planesAt of all channels
 * @property {(isDerived: boolean) => void} onDerived the view switches to a derived image or back
 * @property {() => void} onDrawn drawings, settings or results have changed
 * @property {() => void} onLost drawings belong to samples of another shape
 */

export class MeasuredView {
  #viewer;
  #images;
  #measuring;
  /** The images of the shown kymograph. @type {{info: OpenResponse, source: LoadedGroup, reference: LoadedGroup | null, look: unknown} | null} */
  #original = null;
  #typedPanel = new TypedPanel();
  /** The image that is treated as a line scan, with what was typed. @type {{info: OpenResponse, source: LoadedGroup, reference: LoadedGroup | null, typed: TypedScan} | null} */
  #plain = null;
  /** Facts about the line of a kymograph. @type {[string, string | number][]} */
  #line = [];
  /** Set while this module shows planes itself. */
  #isShowing = false;
  /** Look of a kymograph that is made again. @type {any} */
  #former = null;
  /** What the next picture keeps of the recording. @type {Shown["kept"]} */
  #kept = null;

  /** @param {Viewer} viewer @param {Images} images */
  constructor(viewer, images) {
    this.#viewer = viewer;
    this.#images = images;
    this.#measuring = new Measuring(viewer.panes, byId("measure"), byId("source"));
    viewer.on("shown", ({ look }) => {
      if (!this.#isShowing) this.#original = this.#plain = null;
      if (look?.typed && this.#plain === null && this.#treat(look.typed, look)) return;
      this.#begin(look?.drawn);
    });
    byId("measure").append(this.#typedPanel.element);
    this.#typedPanel.on("treat", (typed) => this.#treat(typed, null));
    this.#typedPanel.on("back", () => this.#showPlain());
    viewer.extendLook = (look) => this.#withDrawn(look);
    this.#measuring.on("drawn", () => images.onDrawn());
    for (const type of ["planes", "look"]) viewer.on(type, () => this.#measuring.refresh());
    const { kymographs } = this.#measuring;
    kymographs.on("grow", (made) => this.#growKymograph(made));
    kymographs.on("end", () => this.#former = null);
    kymographs.on("back", () => this.goBack());
  }

  /** Single keys. @type {Record<string, (key: string) => void>} */
  get actions() {
    return {
      z: () => this.#measuring.choose("zoom"),
      b: () => this.#measuring.choose("band"),
      n: () => this.#measuring.choose("line"),
      x: () => this.#measuring.pin(),
      "Ctrl+z": () => this.#measuring.undo(),
      "Ctrl+Shift+z": () => this.#measuring.redo(),
    };
  }

  /** Shows other drawings in the same picture, or makes them the step before the present ones. @param {any} drawn unchecked @param {boolean} isBefore */
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

  /** Shows drawings of the images in their place, as one step; a kymograph begins steps of its own. @param {import("./drawn.js").Drawn} drawn @param {TypedScan | null} typed what makes the image a line scan */
  restore(drawn, typed) {
    this.goBack();
    if (typed === null) this.#showPlain();
    else if (JSON.stringify(typed) !== JSON.stringify(this.#plain?.typed)) this.#treat(typed, null);
    this.#measuring.replace(drawn);
    if (drawn.kymograph?.isMade && this.#measuring.kymographs.hasSeries) this.#makeAgain(drawn.kymograph);
  }

  /** Deselects the tool; returns whether one was selected. */
  layDown() {
    return this.#measuring.layDown();
  }

  /** The look with drawings; the look of a shown kymograph is part of the drawings of its images. @param {any} look */
  #withDrawn(look) {
    const { drawn } = this.#measuring;
    if (this.#original === null) return { ...look, drawn, ...(this.#plain && { typed: this.#plain.typed }) };
    const former = /** @type {any} */ (this.#original.look);
    const { kymographs } = this.#measuring;
    const kymograph = { ...kymographs.kept, look: { ...look, drawn: { ...drawn, kymograph: null } } };
    const { accepted, origin } = drawn ?? former.drawn;
    return { ...former, drawn: { ...former.drawn, accepted, origin, kymograph } };
  }

  /** @param {any} drawn earlier drawings in the same picture, unchecked */
  #begin(drawn) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    this.#typedPanel.show(this.#plain !== null || isPlainImage(info), this.#plain?.typed ?? null);
    const taken = this.#measuring.begin({
      group: groups.source,
      file: info.source,
      lineScan: this.#original === null ? info.lineScan ?? null : null,
      typed: this.#plain?.typed ?? null,
      why: this.#whyNoLineScan(info),
      path: pathPoints(info.reference),
      series: this.#sources(info).get("T") ?? null,
      stacks: this.#sources(info),
      place: () => this.#placeInFile(info),
      note: this.#viewer.note,
      isKymograph: this.#original !== null,
      isAccepted: info.collection?.member.accepted ?? false,
      kept: this.#kept,
      drawn,
    });
    this.#kept = null;
    if (taken === null && drawnWords(drawn) !== "") this.#images.onLost();
    if (!this.#measuring.kymographs.hasSeries || this.#original !== null || !taken?.kymograph?.isMade) return;
    this.#makeAgain(taken.kymograph);
  }

  /** Makes a kymograph from the current images, with what was drawn in it. @param {import("./drawn.js").KeptKymograph} kymograph */
  #makeAgain({ look = {} }) {
    this.#former = look;
    this.#measuring.kymographs.make();
  }

  /** Shows an image as the line scan that was typed. @param {TypedScan} typed */
  treat(typed) {
    this.#treat(typed, null);
  }

  /**
   * Shows the image as the line scan that was typed; returns whether it is one that may be.
   *
   * @param {TypedScan} typed
   * @param {any} look earlier look of this line scan, or null
   */
  #treat(typed, look) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null || this.#plain === null && !isPlainImage(info)) return false;
    const plain = this.#plain ??
      { info, source: groupOf(groups.source), reference: groups.reference && groupOf(groups.reference) };
    const { plane, channels } = typedPlanes(plain.source, typed);
    if (look === null) this.#keep(isTurned(this.#plain?.typed) !== isTurned(typed));
    this.#plain = { ...plain, typed };
    this.#isShowing = true;
    this.#viewer.show({
      info: /** @type {OpenResponse} */ ({ ...plain.info, plane }),
      source: { plane, channels },
      reference: plain.reference,
      look,
    });
    this.#isShowing = false;
    this.#images.onDrawn();
    return true;
  }

  #showPlain() {
    if (this.#plain === null) return;
    const { info, source, reference, typed } = this.#plain;
    this.#keep(isTurned(typed));
    this.#viewer.show({ info, source, reference });
    this.#images.onDrawn();
  }

  /** Why tools are grey, and what helps; empty for a line scan. @param {OpenResponse} info */
  #whyNoLineScan(info) {
    if (isTime(/** @type {Axis} */ (this.#viewer.groups?.source.plane.axes[0]))) return "";
    const is = "Bands and velocities need a line scan, and the file does not say that this is one.";
    if (isPlainImage(info)) return `${is} If it is, type its time per line in “Treat as line scan” below.`;
    return (info.header.sizes.T ?? 1) > 1
      ? "Bands and velocities need a line scan, and this is an image series. Choose Line, draw over the image, and make a kymograph."
      : is;
  }

  /** Scene and position of the shown image, or the line of a kymograph. @param {OpenResponse} info @returns {[string, string | number][]} */
  #placeInFile(info) {
    const typed = this.#plain?.typed ?? null;
    if (this.#original === null) return placeInFile(info, this.#images.place(), typed);
    const { T: _, ...sizes } = info.header.sizes;
    const images = { ...info, header: { ...info.header, sizes } };
    return [...placeInFile(images, this.#images.place(), typed), ...this.#line];
  }

  /** Images along time and focus, by the axes that have several. @param {OpenResponse} info @returns {Map<string, Source>} */
  #sources(info) {
    const { plane, channels } = this.#viewer.groups?.source ?? { plane: info.plane, channels: [] };
    if (this.#original !== null || isTime(info.plane.axes[0])) return new Map();
    /** @type {(name: "t" | "z", time: Axis) => [string, Source][]} */
    const along = (name, time) => {
      const count = info.header.sizes[time.name] ?? 1;
      if (count < 2) return [];
      return [[time.name, {
        series: { plane, channels, count, time },
        images: () => this.#imagesAlong(name),
      }]];
    };
    return new Map([...along("t", timeAxis(info)), ...along("z", stepAxis(info, "Z"))]);
  }

  /** Images along an axis at the other places that are shown. @param {"t" | "z"} name @returns {import("./image_series.js").ImagesAt} */
  #imagesAlong(name) {
    const place = this.#images.place();
    return async (index, signal) => {
      try {
        return await this.#images.planesAt({ ...place, [name]: index }, signal);
      } catch (error) {
        // A declared plane that was never recorded leaves its line empty.
        if (/** @type {{code?: string}} */ (error).code === "plane_not_found") return [];
        throw error;
      }
    };
  }

  /** @param {Kymograph} kymograph */
  #showKymograph(kymograph) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    const image = groupOf(groups.source);
    const look = /** @type {any} */ (this.#viewer.look);
    // Going back to the images discards the kymograph.
    look.drawn.kymograph.isMade = false;
    this.#original = { info, source: image, reference: groups.reference && groupOf(groups.reference), look };
    const { shape, axes } = kymograph.plane;
    const described = info.plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
    const plane = {
      ...info.plane,
      shape: /** @type {[number, number]} */ (shape),
      axes: titled(/** @type {typeof info.plane.axes} */ (described)),
    };
    const source = {
      plane,
      channels: image.channels.map((channel, i) => ({
        ...channel,
        samples: kymograph.samples[i] ?? channel.samples,
      })),
    };
    const reference = { plane: info.plane, channels: [], lineRoi: null, scanPath: kymograph.path };
    this.#line = lineWords(kymograph, info.plane.axes);
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: [] };
    this.#isShowing = true;
    this.#viewer.show({
      info: /** @type {OpenResponse} */ ({ ...info, plane, reference }),
      source,
      reference: image,
      look: this.#former ?? { source: { channels: look.source?.channels } },
    });
    this.#isShowing = false;
    this.#images.onDerived(true);
  }

  /** @param {{kymograph: Kymograph, isDone: boolean}} made */
  #growKymograph({ kymograph, isDone }) {
    // Drawings in the previous kymograph count whole lines.
    if (this.#former !== null && !isDone) return;
    if (this.#original === null) this.#showKymograph(kymograph);
    this.#viewer.replacePlanes([...kymograph.samples]);
    // A moving object is brighter along its line than in one image.
    if (kymograph.isWhole && !this.#former?.source) {
      this.#viewer.groups?.source.channels.forEach((channel) => channel.autoRange());
    }
  }

  /** The next picture is of the same recording. @param {boolean} isTurned with rows and columns exchanged */
  #keep(isTurned) {
    const { accepted = null, origin = null, regions = [] } = this.#measuring.drawn ?? {};
    this.#kept = { accepted, origin, regions: isTurned ? regions.map(turnedRegion) : regions };
  }

  /** Shows the images again in place of their kymograph. */
  goBack() {
    const original = this.#original;
    if (original === null) return;
    const { drawn } = /** @type {any} */ (original.look);
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: drawn.regions };
    this.#original = null;
    this.#viewer.show(original);
    this.#images.onDerived(false);
  }
}

/** Whether the columns of the image are lines. @param {TypedScan | undefined} typed */
const isTurned = (typed) => typed?.time === "columns";

/** As it was loaded. @param {{plane: any, channels: readonly import("../picture/channel.js").LoadedChannel[]}} group @returns {LoadedGroup} */
const groupOf = ({ plane, channels }) => ({
  plane,
  channels: channels.map(({ index, name, dataUrl, samples }) => ({ index, name, dataUrl, samples })),
});

/** The line of a kymograph for tables. @param {Kymograph} kymograph @param {readonly Axis[]} axes of rows and columns @returns {[string, string | number][]} */
function lineWords({ points, width }, axes) {
  const four = (/** @type {number} */ value) => Number(value.toPrecision(5));
  const [row, column] = /** @type {[Axis, Axis]} */ (axes);
  // Freehand lines have a point per move of the pointer.
  const places = points.map(({ x, y }) => `${four(x * column.step)} ${four(y * row.step)}`).join("; ");
  return [[`Line over the images, x y (${tableUnit(column)})`, places], ["Width of the line (px)", width]];
}

/** Step between images, from their times where available, else from the header. @param {OpenResponse} info @returns {Axis} */
function timeAxis({ times, header }) {
  const last = times?.at(-1);
  if (times && times[0] !== undefined && last !== undefined && last > times[0]) {
    return { name: "T", step: (last - times[0]) / (times.length - 1), unit: "seconds" };
  }
  const { step, unit } = stepAxis({ header }, "T");
  return unit === "Pixels" ? { name: "T", step: 1, unit: FRAMES } : { name: "T", step, unit };
}

/** Step along an axis by the header. @param {Pick<OpenResponse, "header">} info @param {string} name @returns {Axis} */
function stepAxis({ header }, name) {
  const at = header.dims.indexOf(name);
  const [step = 1, unit = "Pixels"] = [header.physicalUnits[at], header.physicalUnitsLabels[at]];
  return { name, step, unit };
}
