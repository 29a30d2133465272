/**
 * Connects measuring with the viewer. Can replace the shown images by their kymograph (a line scan whose reference is the
 * shown image) or by their projection (an image with the same drawings).
 */
import { type OpenResponse, pathPoints, type PlaneInfo } from "../../../client/v2/acq-client.ts";
import { type Axis, formatTableUnit, isTime, titleAxes } from "../../../measure/axes.ts";
import { capitalize, nameProjection, parsePosition } from "../../../measure/stack.ts";
import { byId, findWithin } from "../controls/element.ts";
import { turnRegion } from "../drawing/region.ts";
import { type Drawn, type DrawnLook, lookOf, summarizeDrawn } from "../drawing/drawn.ts";
import { type FetchRun, listImageSources } from "./image_series.ts";
import { Measuring, type ShownPicture } from "./measuring.ts";
import { placeInFile, typedPlanes } from "../drawing/scan.ts";
import { TypedPanel } from "./typed_panel.ts";
import type { Kymograph } from "../../../measure/kymograph.ts";
import type { Drawer } from "../panels/drawer.ts";
import type { PlaneIndices } from "../panels/plane_steps.ts";
import type { Viewer, ViewerLook } from "../panels/viewer.ts";
import type { LoadedChannel } from "../picture/channel.ts";
import type { ChannelGroup, LoadedGroup } from "../picture/channel_group.ts";
import { isPlainImage, type TypedScan } from "../../../measure/typed_scan.ts";
import type { MeasuredPicture } from "./panel.ts";

type LoadedPicture = { info: OpenResponse; source: LoadedGroup; reference: LoadedGroup | null };

/** Source of further images of the shown series. */
interface Images {
  /** Place of the shown image. */
  place: () => PlaneIndices;
  /** Planes of all channels at a place. */
  run: FetchRun;
  /** Metadata documents of the file. */
  texts: () => Promise<readonly string[]>;
  /** Shows another image of the series. */
  go: (place: PlaneIndices) => void;
  /** Called when the view switches to a kymograph or projection, or back. */
  onDerived: (isDerived: boolean) => void;
  /** Called when drawings, settings or results have changed. */
  onDrawn: () => void;
  /** Called when earlier drawings do not fit the shown picture. */
  onLost: () => void;
}

/** The viewer together with the measuring panels. */
export class MeasuredView {
  readonly #viewer;
  readonly #images;
  readonly #measuring;
  /** The images of the shown kymograph; null if none is shown. */
  #original: LoadedPicture & { look: DrawnLook } | null = null;
  readonly #typedPanel;
  /** The image that is treated as a line scan, with what was typed. */
  #plain: LoadedPicture & { typed: TypedScan } | null = null;
  /** Planes of the image that the shown projection replaces; null if none is shown. */
  #image: Float32Array[] | null = null;
  /** Facts about the line of the kymograph, for tables. */
  #line: [string, string | number][] = [];
  /** Set while this module shows planes itself. */
  #isShowing = false;
  /** Look to restore when a kymograph is made again. */
  #former: DrawnLook | null = null;
  /** What the next picture of the same recording takes over. */
  #kept: ShownPicture["kept"] = null;

  constructor(viewer: Viewer, images: Images, drawer: Drawer) {
    this.#viewer = viewer;
    this.#images = images;
    this.#typedPanel = new TypedPanel(images.texts);
    this.#measuring = new Measuring(viewer.panes, byId("measure"), byId("source"), drawer);
    viewer.on("shown", ({ look }: { look: DrawnLook | null }) => {
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
    this.#measuring.on(
      "go",
      ({ over, index, at }) =>
        images.go({
          ...images.place(),
          ...parsePosition(viewer.info?.header.sizes ?? {}, at),
          [over.toLowerCase()]: index,
        }),
    );
    for (const type of ["planes", "look"] as const) viewer.on(type, () => this.#measuring.refresh());
    const { kymographs } = this.#measuring;
    this.#measuring.images.on("project", ({ samples }) => this.#showProjection(samples));
    kymographs.on("grow", (made) => this.#growKymograph(made));
    kymographs.on("make", ({ look }) => this.#former = look);
    kymographs.on("end", () => this.#former = null);
    kymographs.on("back", () => this.goBack());
  }

  /** Actions of single keys. */
  get actions(): Record<string, (key: string) => void> {
    return {
      z: () => this.#measuring.tools.choose("zoom"),
      b: () => this.#measuring.tools.choose("band"),
      n: () => this.#measuring.tools.choose("line"),
      t: () => this.#measuring.tools.choose("track"),
      g: () => this.#measuring.tools.choose("rectangle"),
      x: () => this.#measuring.tools.pin(),
      "Ctrl+z": () => this.#measuring.undo(),
      "Ctrl+Shift+z": () => this.#measuring.redo(),
    };
  }

  /**
   * Shows other drawings in the same picture, as one step.
   *
   * @param isBefore only makes them the step before the present drawings
   */
  adopt(drawn: Drawn | null | undefined, isBefore: boolean): void {
    const own = this.#measuring.drawn;
    this.#measuring.replace(this.#original === null ? drawn : drawn?.kymograph?.look?.drawn);
    if (isBefore) this.#measuring.replace(own);
    else if (this.#original === null && drawn?.kymograph?.isMade) this.#makeAgain();
  }

  /** What was measured in the shown picture, and whether that is a kymograph; null while nothing is shown. */
  get measured(): {
    shown: MeasuredPicture;
    isAccepted: boolean;
    isKymograph: boolean;
  } | null {
    const { measured, isAccepted } = this.#measuring;
    return measured && { shown: measured, isAccepted, isKymograph: this.#original !== null };
  }

  /**
   * Replaces the drawings of the images, as one step; a kymograph begins steps of its own.
   *
   * @param typed calibration, if the image is shown as a line scan
   */
  restore(drawn: Drawn, typed: TypedScan | null): void {
    this.goBack();
    if (typed === null) this.#showPlain();
    else if (JSON.stringify(typed) !== JSON.stringify(this.#plain?.typed)) this.treat(typed);
    this.#measuring.replace(drawn);
    if (drawn.kymograph?.isMade) this.#makeAgain();
  }

  /** Deselects the tool and the shape; returns whether either was selected. */
  layDown(): boolean {
    return this.#measuring.tools.layDown();
  }

  /** The look with drawings; the look of a shown kymograph is part of the drawings of its images. */
  #withDrawn(look: ViewerLook): DrawnLook {
    const { drawn, summary } = this.#measuring;
    const typed = this.#plain && { typed: this.#plain.typed };
    if (this.#original === null) return { ...look, drawn, summary, ...typed };
    const { look: former } = this.#original;
    const kymograph = { isMade: true, look: { ...look, drawn: drawn! } };
    const { accepted, origin } = drawn ?? former.drawn!;
    return { ...former, drawn: { ...former.drawn!, accepted, origin, kymograph } };
  }

  /** @param drawn earlier drawings in the same picture */
  #begin(drawn: Drawn | null | undefined) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    const isKymograph = this.#original !== null;
    const typed = this.#plain?.typed ?? null;
    const sources = isKymograph || isTime(info.plane.axes[0]) ? new Map() : listImageSources(
      info,
      () => this.#images.place(),
      (channel, options) => this.#images.run(channel, options),
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
      imageAt: (over) => this.#images.place()[over === "T" ? "t" : "z"],
      place: () => this.#placeInFile(info),
      derived: () => this.#derived,
      note: this.#viewer.note,
      isKymograph,
      isAccepted: info.collection?.member.accepted ?? false,
      kept: this.#kept,
      drawn,
    });
    this.#kept = null;
    if (taken === null && summarizeDrawn(drawn) !== "") this.#images.onLost();
    if (!isKymograph && taken?.kymograph?.isMade) this.#makeAgain();
  }

  /** Makes a kymograph again from the current images, with its earlier drawings. */
  #makeAgain() {
    if (this.#measuring.kymographs.hasSeries) this.#measuring.kymographs.make();
  }

  /**
   * Shows the image as a line scan with a typed calibration; returns false if there is no plain image.
   *
   * @param look earlier look of this line scan
   */
  treat(typed: TypedScan, look: DrawnLook | null = null): boolean {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null || this.#plain === null && !isPlainImage(info)) return false;
    const plain = this.#plain ?? selectLoadedPicture(info, groups);
    const { plane, channels } = typedPlanes(plain.source, typed);
    if (look === null) this.#keep(isTurned(this.#plain?.typed) !== isTurned(typed));
    this.#plain = { ...plain, typed };
    this.#showOwn({
      info: { ...plain.info, plane } as OpenResponse,
      source: { plane, channels },
      reference: plain.reference,
      look,
    });
    this.#images.onDrawn();
    return true;
  }

  /** Shows a picture that this module made. */
  #showOwn(picture: Parameters<Viewer["show"]>[0]) {
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

  /** Why tools are disabled, and what enables them; empty for a line scan. */
  #whyNoLineScan(info: OpenResponse) {
    if (isTime(this.#viewer.groups?.source.plane.axes[0] as Axis)) return "";
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

  /** Scene and position of the shown image, with the line of a kymograph or the projection. */
  #placeInFile(info: OpenResponse): [string, string | number][] {
    const typed = this.#plain?.typed ?? null;
    const projection = this.#projection;
    const over = this.#original === null ? projection?.axis : "T";
    const sizes = { ...info.header.sizes, ...over && { [over]: 1 } };
    const place = placeInFile({ ...info, header: { ...info.header, sizes } }, this.#images.place(), typed);
    if (this.#original !== null) return [...place, ...this.#line];
    return projection === null ? place : [...place, ["Projection", nameProjection(projection)]];
  }

  /** Names the shown kymograph or projection for saved files. */
  get #derived() {
    if (this.#original !== null) return "kymograph";
    const projection = this.#projection;
    return projection === null ? "" : `${projection.kind}-${projection.axis.toLowerCase()}`;
  }

  /** Shows a projection in place of the images, or the images again. */
  #showProjection(samples: readonly Float32Array[] | null) {
    const { groups } = this.#viewer;
    if (groups === null || samples === null && this.#image === null) return;
    const image = this.#image ?? groups.source.channels.map((channel) => channel.samples);
    this.#image = samples === null ? null : image;
    this.#viewer.replacePlanes(samples ?? image);
    // The maximum is brighter than the images.
    for (const channel of groups.source.channels) if (channel.isAuto) channel.autoRange();
    this.#images.onDerived(samples !== null);
    const projection = this.#projection;
    findWithin(byId("source"), "h2").textContent = projection === null
      ? "Image"
      : capitalize(nameProjection(projection));
  }

  #showKymograph(kymograph: Kymograph) {
    const { info, groups } = this.#viewer;
    if (info === null || groups === null) return;
    const picture = selectLoadedPicture(info, groups);
    const { source: image } = picture;
    const withSamples = (samples: readonly Float32Array[] | null) =>
      image.channels.map((channel, i) => ({ ...channel, samples: samples?.[i] ?? channel.samples }));
    const shown = lookOf(this.#viewer)!;
    // Going back to the images discards the kymograph.
    const look = { ...shown, drawn: { ...shown.drawn!, kymograph: { isMade: false } } };
    // A kymograph is made of the images, also while their projection is shown.
    this.#original = { ...picture, source: { ...image, channels: withSamples(this.#image) }, look };
    const { shape, axes } = kymograph.plane;
    const described = info.plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
    const plane = {
      ...info.plane,
      shape: shape as [number, number],
      axes: titleAxes(described as typeof info.plane.axes),
    };
    const reference = { plane: info.plane, channels: [], lineRoi: null, scanPath: kymograph.path };
    const [row, column] = info.plane.axes as [Axis, Axis];
    const four = (value: number) => Number(value.toPrecision(5));
    // Freehand lines have a point per move of the pointer.
    const places = kymograph.points.map(({ x, y }) => `${four(x * column.step)} ${four(y * row.step)}`);
    this.#line = [
      [`Line over the images, x y (${formatTableUnit(column)})`, places.join("; ")],
      ["Width of the line (px)", kymograph.width],
    ];
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: [] };
    this.#showOwn({
      info: { ...info, plane, reference } as OpenResponse,
      source: { plane, channels: withSamples(kymograph.samples) },
      reference: image,
      look: this.#former ?? { source: { channels: look.source!.channels! } },
    });
    this.#images.onDerived(true);
  }

  #growKymograph({ kymograph, isDone }: { kymograph: Kymograph; isDone: boolean }) {
    // Drawings in the previous kymograph hold only for a complete one.
    if (this.#former !== null && !isDone) return;
    if (this.#original === null) this.#showKymograph(kymograph);
    // It fills its samples in place: what was measured in a part of them must not stand for all.
    this.#viewer.replacePlanes(kymograph.samples.map((samples) => isDone ? samples.slice() : samples));
    // A moving object is brighter along its line than in one image.
    if (kymograph.isWhole && !this.#former?.source) {
      this.#viewer.groups?.source.channels.forEach((channel) => channel.autoRange());
    }
  }

  /**
   * Keeps judgement and regions for the next picture of the same recording.
   *
   * @param isTurned its rows and columns are exchanged
   */
  #keep(isTurned: boolean) {
    const { accepted = null, origin = null, regions = [] } = this.#measuring.drawn ?? {};
    this.#kept = { accepted, origin, regions: isTurned ? regions.map(turnRegion) : regions };
  }

  /** Shows the images again in place of their kymograph. */
  goBack(): void {
    this.#measuring.images.goBack();
    const original = this.#original;
    if (original === null) return;
    this.#keep(false);
    this.#kept = { ...this.#kept, regions: original.look.drawn!.regions };
    this.#original = null;
    this.#viewer.show(original);
    this.#images.onDerived(false);
  }
}

/** Whether the columns of the image are lines. */
const isTurned = (typed: TypedScan | undefined) => typed?.time === "columns";

/** A picture as it was loaded, without display settings. */
function selectLoadedPicture(
  info: OpenResponse,
  { source, reference }: NonNullable<Viewer["groups"]>,
): LoadedPicture {
  const loaded = ({ plane, channels }: ChannelGroup): LoadedGroup => ({
    plane: plane as PlaneInfo,
    channels: channels.map(({ index, name, samples }: LoadedChannel) => ({
      index,
      name,
      samples,
    })),
  });
  return { info, source: loaded(source), reference: reference && loaded(reference) };
}
