/**
 * The pictures of the open acquisition with channels, read-outs and profile, independent of sessions.
 *
 * Emits `shown` `{look}` for another acquisition, `planes` for other planes of the same one, `typed` `{fault}` for a
 * typed number, and `look` when zoom, contrast or another choice has changed.
 */
import { type OpenResponse, pathPoints } from "../../../client/v2/acq-client.ts";
import { isTime } from "../../../measure/axes.ts";
import { ChannelGroup, type LoadedGroup, type Mode } from "../picture/channel_group.ts";
import { makeChannelCard, showCount } from "./channel_card.ts";
import { attachDivider } from "../controls/handles.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { byId, element, findWithin, makeSwatch, saveFile } from "../controls/element.ts";
import { KeptSwitch } from "../controls/kept.ts";
import { chooseLutColor } from "../picture/lut.ts";
import {
  choosePictureKind,
  keepPlacement,
  mirrorView,
  readPlacement,
  turnView,
} from "../picture/orientation.ts";
import { Pane } from "../picture/pane.ts";
import { Profile } from "./profile.ts";
import { meanHidesEvents, type PixelStatistic } from "../picture/reduction.ts";
import { formatReadout } from "../picture/readout.ts";
import { LinkedPanes } from "../picture/scan_path.ts";
import { TimeAxis } from "./time_axis.ts";
import type { DisplayChannel } from "../picture/channel.ts";
import type { View } from "../picture/orientation.ts";
import type { TypedScan } from "../../../measure/typed_scan.ts";

/** Name of a picture. */
export type PaneName = "source" | "reference";

/** The channels of the source picture and of its reference image, or null without one. */
export type Groups = { source: ChannelGroup; reference: ChannelGroup | null };

/** Display of one picture, as it is kept. */
export interface PictureLook {
  /** Shape of the planes that `view` belongs to. */
  shape?: readonly [number, number];
  view?: View;
  mode?: Mode;
  channels?: Pick<DisplayChannel, "index" | "visible" | "lutName" | "gamma" | "range" | "isAuto">[];
}

/** Display of the pictures, as it is kept. */
export interface ViewerLook {
  source?: PictureLook | null | undefined;
  reference?: PictureLook | null | undefined;
  statistic?: PixelStatistic | null | undefined;
  /** Calibration that the user typed. */
  typed?: TypedScan | null | undefined;
}

/** Pixel of a picture. */
type Cursor = { x: number; y: number };

const NAMES: readonly PaneName[] = ["source", "reference"];

/** Least height in CSS pixels of a picture with its axes. */
const LEAST_PICTURE = 110;

/** Longest name in the read-out before truncation. */
const MOST_LETTERS = 24;

/** Total length of names that fit into a line of the read-out. */
const LETTERS_IN_LINE = 40;

/** Both pictures with the controls around them. */
export class Viewer extends Emitter<{
  shown: { look: ViewerLook | null };
  planes: Plain;
  look: Plain;
  typed: { fault: string | null };
  saved: { name: PaneName };
}> {
  /** Channels that are shown; null before the first file. */
  groups: Groups | null = null;
  /** Open response of what is shown. */
  info: OpenResponse | null = null;
  readonly #links;
  readonly #profile;
  readonly #timeAxis;
  readonly panes: { source: Pane; reference: Pane };
  /** The statistic that the user chose for pixels; null to choose by the content. */
  #chosenStatistic: PixelStatistic | null = null;
  /** Text that everything saved contains. */
  note = "";

  /** Extends the look by what else the page keeps. */
  extendLook = (look: ViewerLook): ViewerLook => look;

  constructor() {
    super();
    // The first file sets the label of each picture.
    const picture = byId("picture", HTMLTemplateElement);
    for (const name of NAMES) byId(name).append(picture.content.cloneNode(true));
    const listeners = (name: PaneName) => ({
      onCursor: (cursor: Cursor | null, byKeyboard: boolean) => {
        this.#links.follow(name, cursor);
        const text = this.#paintReadout(name, cursor);
        if (byKeyboard) byId("announcer").textContent = text;
        if (name === "source") this.#profile.redraw();
      },
      onView: () => {
        if (name === "source") this.#profile.redraw();
        this.#paintScaleSoon(name);
        this.emit("look");
      },
      onDrawn: () => {
        // A new size of the picture changes the reduction.
        if (this.panes[name].cursor === null) this.#paintReadout(name, null);
        if (name === "reference") return;
        this.#timeAxis.follow();
        this.#profile.follow();
      },
    });
    this.panes = {
      source: new Pane(byId("source"), listeners("source"), false),
      reference: new Pane(byId("reference"), listeners("reference"), true),
    };
    this.#links = new LinkedPanes(this.panes);
    this.#profile = new Profile(this.panes.source);
    const typed = (fault: string | null) => this.emit("typed", { fault });
    this.#timeAxis = new TimeAxis(byId("source"), this.panes.source, typed);
    this.#listen();
  }

  /** Zoom, contrast, choices and drawings as JSON that survives a reload. */
  get look(): ViewerLook | null {
    if (this.groups === null) return null;
    const [source, reference] = NAMES.map((name) => {
      const group = this.groups?.[name];
      return group && {
        shape: group.plane.shape,
        view: this.panes[name].view,
        mode: group.mode,
        channels: group.channels.map(({ index, visible, lutName, gamma, range, isAuto }) => ({
          index,
          visible,
          lutName,
          gamma,
          range,
          isAuto,
        })),
      };
    });
    return this.extendLook({ source, reference, statistic: this.#chosenStatistic });
  }

  /** Shows an acquisition in the home view, or with an earlier look that fits. */
  show(
    { info, source, reference, look = null, note = "" }: {
      info: OpenResponse;
      source: LoadedGroup;
      reference: LoadedGroup | null;
      look?: ViewerLook | null | undefined;
      note?: string;
    },
  ): {
    source: ChannelGroup;
    reference: ChannelGroup | null;
  } {
    const groups = { source: new ChannelGroup(source), reference: reference && new ChannelGroup(reference) };
    const points = pathPoints(info.reference);
    this.info = info;
    this.groups = groups;
    this.note = note;
    this.#links.begin(points, source.plane.shape[1]);
    byId("viewer").hidden = false;
    findWithin(byId("source"), "h2").textContent = isTime(source.plane.axes[0]) ? "Line scan" : "Image";
    byId("reference").hidden = reference === null;
    byId("reference-heading").hidden = reference === null;
    const [rows, columns] = reference?.plane.shape ?? [1, 1];
    byId("reference").style.setProperty("--shape", String(rows / columns));
    byId("path-choice").hidden = points.length === 0;
    for (const name of NAMES) {
      this.panes[name].stamp = note;
      this.#showGroup(name, groups[name], info.source.name);
    }
    this.#profile.show(groups.source);
    this.#timeAxis.load(groups.source);
    for (const name of NAMES) {
      if (groups[name] === null) continue;
      this.panes[name].drawNow();
      this.#paintReadout(name, null);
    }
    this.#chosenStatistic = readStatistic(look?.statistic) ?? this.#chosenStatistic;
    this.#reduce();
    this.applyLook(look);
    this.emit("shown", { look });
    // A look that cannot be drawn throws here, where the caller can drop it, and not in the next frame.
    if (look !== null) { for (const name of NAMES) if (groups[name] !== null) this.panes[name].drawNow(); }
    return groups;
  }

  /**
   * Applies what fits of an earlier look: planes of another shape keep their own view, other channels their own contrast.
   */
  applyLook(look: ViewerLook | null): void {
    for (const name of NAMES) {
      const [group, kept] = [this.groups?.[name], look?.[name]];
      if (group && kept) {
        if (kept.mode === "split" || (kept.mode === "single" && group.channels.length > 1)) {
          group.mode = kept.mode;
        }
        for (const { index, visible, lutName, gamma, range: [low, high], isAuto } of kept.channels!) {
          const channel = group.channels.find((channel) => channel.index === index);
          channel?.set({ visible, lutName, gamma });
          channel?.setRange(low, high, isAuto);
        }
        if (String(kept.shape) === String(group.plane.shape)) this.panes[name].view = kept.view!;
      }
      findWithin(byId(name), ".layers", HTMLSelectElement).value = group?.mode ?? "merged";
    }
  }

  /** Replaces the planes of the same channels; keeps zoom, contrast and cursor. */
  replacePlanes(planes: readonly Float32Array[]): void {
    if (this.groups === null) return;
    const { source } = this.groups;
    // These planes belong to an earlier acquisition.
    if (planes.some((samples, i) => samples.length !== source.channels[i]?.samples.length)) return;
    source.replaceSamples(planes);
    this.panes.source.replacePlanes(source);
    this.#paintReadout("source", this.panes.source.cursor);
    this.#timeAxis.load(source);
    this.#profile.redraw();
    this.emit("planes");
  }

  #showGroup(name: PaneName, group: ChannelGroup | null, fileName: string) {
    const cards = byId(`${name}-cards`);
    cards.replaceChildren();
    if (group === null) return;
    showCount(byId(`${name}-count`), group);
    const typed = (fault: string | null) => this.emit("typed", { fault });
    cards.append(...group.channels.map((_, position) => makeChannelCard(group, position, name, typed)));
    const figure = byId(name);
    // Many channels or long names get a line of their own for their values.
    const letters = group.channels.reduce((sum, { name }) => sum + Math.min(MOST_LETTERS, name.length), 0);
    const isMany = group.channels.length > 4 || letters > LETTERS_IN_LINE;
    findWithin(figure, ".readout").classList.toggle("many", isMany);
    findWithin(figure, ".layers-choice").hidden = group.channels.length < 2;
    findWithin(figure, ".plot").ariaLabel = `${name} picture of ${fileName}`;
    group.addEventListener("change", () => {
      this.panes[name].redraw();
      this.#paintReadout(name, this.panes[name].cursor);
      if (name === "source") {
        this.#timeAxis.redraw();
        this.#profile.redraw();
      }
      this.emit("look");
    });
    this.panes[name].show(group, readPlacement(choosePictureKind(group.plane, name === "reference")));
    const split = figure.querySelector("option[value=split]");
    // Images that keep their aspect do not show channels below each other.
    if (split instanceof HTMLOptionElement) {
      split.hidden = split.disabled = this.panes[name].placed.picture.locked;
    }
  }

  /** Turns or mirrors a picture and all later ones of its kind. */
  place(name: PaneName, change: typeof turnView): void {
    const group = this.groups?.[name];
    if (!group) return;
    const kind = choosePictureKind(group.plane, name === "reference");
    const orientation = change(this.panes[name].placed.orientation);
    this.panes[name].change((placed) => placed.orientation = orientation);
    // The strip above has the orientation of the picture.
    if (name === "source") this.#timeAxis.redraw();
    keepPlacement(kind, orientation);
  }

  /** @returns the read-out in one line */
  #paintReadout(name: PaneName, cursor: Cursor | null): string {
    const output = findWithin(byId(name), ".readout");
    const group = this.groups?.[name];
    if (cursor === null || !group) {
      // Labels of the scale bars as selectable text.
      const textContent = group ? this.panes[name].scale : "\u00a0";
      output.replaceChildren(element("span", { className: "position", textContent }));
      return "";
    }
    const { position, values } = formatReadout(group, cursor);
    const linked = this.#links.text(name);
    output.replaceChildren(
      element("span", { className: "position", textContent: position }),
      ...values.map(({ name, value, channel }) => {
        const label = element("span", { className: "name", title: name, textContent: name });
        const number = element("b", { textContent: value });
        const dot = makeSwatch(chooseLutColor(channel.lutName));
        return element("span", { className: "sample" }, dot, label, " ", number);
      }),
      ...(linked === "" ? [] : [element("span", { className: "position", textContent: `→ ${linked}` })]),
    );
    const parts = [position, ...values.map(({ name, value }) => `${name} ${value}`), linked];
    return parts.filter((part) => part !== "").join("; ");
  }

  /** Reduces samples to pixels as chosen, or as suits the content. */
  #reduce() {
    const statistic = this.#chosenStatistic ?? this.#fittingStatistic();
    const choice = byId("statistic", HTMLSelectElement);
    choice.value = statistic;
    for (const option of choice.options) {
      const name = option.text.replace(/ \(auto\)$/, "");
      option.text = option.selected && this.#chosenStatistic === null ? `${name} (auto)` : name;
    }
    for (const name of NAMES) {
      const pane = this.panes[name];
      pane.statistic = statistic;
      // Maxima are brighter than the samples, so automatic ranges follow.
      this.groups?.[name]?.see(statistic === "mean" ? null : (channel) => pane.atHome(channel));
      this.#paintScaleSoon(name);
    }
    this.#timeAxis.redraw();
  }

  /** The maximum if a line scan has events that the mean hides, else the mean. */
  #fittingStatistic(): PixelStatistic {
    const source = this.groups?.source;
    if (!source || !isTime(source.plane.axes[0])) return "mean";
    const pane = this.panes.source;
    const isHidden = source.shown.some((channel) => {
      const [low = 0, high = 0] = channel.stats.percentiles;
      // No sample is bright enough for an event.
      if (channel.stats.max <= high + (high - low)) return false;
      return meanHidesEvents(pane.atHome(channel, "mean"), pane.atHome(channel, "max"), [low, high]);
    });
    return isHidden ? "max" : "mean";
  }

  /** The scale bars follow the drawn view. */
  #paintScaleSoon(name: PaneName) {
    requestAnimationFrame(() => this.panes[name].cursor ?? this.#paintReadout(name, null));
  }

  #listen() {
    const path = byId("path", HTMLInputElement);
    path.addEventListener("change", () => this.#links.showPath(path.checked));
    const statistic = byId("statistic", HTMLSelectElement);
    statistic.addEventListener("change", () => {
      this.#chosenStatistic = readStatistic(statistic.value);
      this.#reduce();
      this.emit("look");
    });
    for (const name of NAMES) {
      const figure = byId(name);
      findWithin(figure, ".home").addEventListener(
        "click",
        () => this.panes[name].change((placed) => placed.goHome()),
      );
      findWithin(figure, ".turn").addEventListener("click", () => this.place(name, turnView));
      findWithin(figure, ".flip").addEventListener("click", () => this.place(name, mirrorView));
      findWithin(figure, ".save").addEventListener("click", () => this.#save(name));
      const layers = findWithin(figure, ".layers", HTMLSelectElement);
      layers.addEventListener("change", () => {
        const group = this.groups?.[name];
        if (group) group.mode = layers.value as Mode;
      });
    }
    const panes = byId("panes");
    attachDivider(byId("divider"), (percent) => {
      panes.style.setProperty("--upper", `${percent}fr`);
      panes.style.setProperty("--rest", `${100 - percent}fr`);
    }, {
      leastHeight: () =>
        byId("source").offsetHeight - findWithin(byId("source"), ".stage").offsetHeight + LEAST_PICTURE,
    });
    const scaleBars = new KeptSwitch("acq-server scale bars");
    const showScaleBars = () => {
      byId("scale-bars").ariaPressed = String(scaleBars.isOn);
      for (const name of NAMES) {
        this.panes[name].hasScaleBar = scaleBars.isOn;
        this.#paintScaleSoon(name);
      }
    };
    byId("scale-bars").addEventListener("click", () => {
      scaleBars.isOn = !scaleBars.isOn;
      showScaleBars();
    });
    showScaleBars();
  }

  async #save(name: PaneName) {
    const blob = await this.panes[name].png();
    if (blob === null || this.info === null) return;
    const stem = this.info.source.name.replace(/\.[^.]+$/, "");
    saveFile(`${stem}-${name}.png`, blob);
    this.emit("saved", { name });
  }
}

const readStatistic = (value: unknown): PixelStatistic | null =>
  value === "max" || value === "min" || value === "mean" ? value : null;

/** Actions of single keys on the pictures, by `event.key`; `digit` takes 1 to 9. */
export function listViewerActions(viewer: Viewer): Record<string, (key: string) => void> {
  const withFile = (action: (group: ChannelGroup, key: string) => void): (key: string) => void => (key) => {
    if (viewer.groups !== null) action(viewer.groups.source, key);
  };
  return {
    digit: withFile((group, key) => {
      if (Number(key) <= group.channels.length) group.toggle(Number(key) - 1);
    }),
    c: withFile((group) => {
      if (group.channels.length > 1) chooseNext(findWithin(byId("source"), ".layers", HTMLSelectElement));
    }),
    a: withFile((group) => group.shown.forEach((channel) => channel.autoRange())),
    l: withFile(() => {
      for (const box of byId("source-cards").querySelectorAll("[id$=log]")) {
        (box as HTMLElement).click();
      }
    }),
    s: withFile(() => byId("reference").hidden || byId("path-choice").hidden || byId("path").click()),
    m: withFile(() => chooseNext(byId("statistic", HTMLSelectElement))),
    r: withFile(() => viewer.place("source", turnView)),
    f: withFile(() => viewer.place("source", mirrorView)),
    p: withFile(() => chooseNext(byId("along", HTMLSelectElement))),
  };
}

/** Chooses the next enabled option. */
function chooseNext(select: HTMLSelectElement) {
  do select.selectedIndex = (select.selectedIndex + 1) % select.options.length; while (
    select.selectedOptions[0]?.disabled
  );
  select.dispatchEvent(new Event("change"));
}
