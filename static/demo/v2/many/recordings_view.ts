/** Compares the recordings that were measured together: a plot with a dot for each, and tables by folder and recording. */
import { formatCount, formatRounded, showGreek } from "../../../measure/axes.ts";
import {
  type Compared,
  type FolderGroup,
  groupByFolder,
  identifyCompared,
  listComparisons,
  type Statistic,
} from "../../../measure/over_recordings.ts";
import { element, saveFile } from "../controls/element.ts";
import { button, choiceField, fieldRow, tables } from "../controls/fields.ts";
import { plotImage, showPlot } from "../measuring/curves_plot.ts";
import { drawSvgPlot, type SvgPlot } from "../measuring/svg_plot.ts";
import { measureLabel } from "../picture/marks.ts";
import type { Drawer, DrawerView } from "../panels/drawer.ts";
import type { NamedText } from "../../../measure/zip.ts";
import { formatMean, makeDotPlot } from "./dot_plot.ts";

/** Most rows of the table at first, since each takes some 20 kB, and in all; the saved one has all. */
const [FIRST_LISTED, MOST_LISTED] = [100, 500];

/** Title and values of the statistic that stands for a recording. */
const STATISTICS: readonly { value: Statistic; name: string }[] = [
  { value: "mean", name: "mean" },
  { value: "median", name: "median" },
  { value: "n", name: "number" },
];

/** Least and greatest height of the plot, and the least with title and note, in CSS pixels. */
const [LOWEST, HIGHEST, ROOM_FOR_TEXTS] = [96, 320, 220];

/** Width below which the plot is above its tables, in CSS pixels, and the part of the height that it has there. */
const [NARROW, HEIGHT_ABOVE] = [420, 0.65];

/** Part of its width that a low plot has, so that the tables have more. */
const NARROWED = 0.7;

/** What the view needs above and below the plot, in CSS pixels. */
const MARGINS = 14;

/** The view "Recordings". */
export class RecordingsView {
  #all: readonly Compared[] = [];
  #kind: "Band" | "Region" = "Band";
  /** The plot of the chosen value. */
  #shown: SvgPlot | null = null;
  /** Start of the name of the saved figure. */
  #stem = "";
  /** Most rows of the table now. */
  #most = FIRST_LISTED;
  readonly #open;
  readonly #value = choiceField("Value", "recordings-value", [], () => this.#paint());
  readonly #statistic = choiceField(
    "Of each recording",
    "recordings-statistic",
    STATISTICS,
    () => this.#paint(),
  );
  readonly #plot = plotImage("Values of all recordings by folder");
  readonly #save = button("Save figure", () => this.#saveFigure(), { id: "recordings-svg" });
  readonly #tables = element("div", { className: "recordings-tables" });
  readonly element: HTMLElement = element(
    "div",
    { id: "recordings-view", className: "panel" },
    this.#plot,
    element(
      "div",
      { className: "compared" },
      fieldRow(this.#value.label, this.#statistic.label, this.#save),
      this.#tables,
    ),
  );
  readonly #inDrawer: DrawerView;

  /** @param open opens a recording by its place, see `Compared.path` */
  constructor(open: (path: string) => void, drawer: Drawer) {
    this.#open = open;
    this.#inDrawer = drawer.view("recordings", "Recordings", this.element);
    new ResizeObserver(() => this.#showPlot()).observe(this.element.parentElement!);
  }

  /** Shows what was measured; nothing is hidden. @param kind of the measured parts */
  show(all: readonly Compared[], stem: string, kind: "Band" | "Region"): void {
    this.#all = all;
    this.#kind = kind;
    this.#stem = stem;
    this.#most = FIRST_LISTED;
    const choices = listComparisons(all);
    const isOne = choices.every(({ measurement }) => measurement === choices[0]!.measurement);
    this.#value.offer(choices.map((choice) => ({
      value: identifyCompared(choice),
      name: showGreek(isOne ? choice.name : identifyCompared(choice)),
    })));
    this.#paint();
    this.#inDrawer.isFilled = choices.length > 0;
    if (choices.length > 0) this.#inDrawer.show();
  }

  get #chosen() {
    return this.#all.filter((one) => identifyCompared(one) === this.#value.select.value);
  }

  #groups(): FolderGroup[] {
    return groupByFolder(this.#chosen, this.#statistic.select.value as Statistic);
  }

  get #title() {
    const statistic = this.#statistic.select.value;
    return `${statistic === "n" ? "number" : statistic} of ${showGreek(this.#value.select.value)}`;
  }

  #paint() {
    const groups = this.#groups();
    this.#shown = makeDotPlot(groups, this.#title);
    this.#showPlot();
    this.#save.disabled = this.#shown === null;
    const chosen = this.#chosen;
    const hasRest = groups.some(({ rest }) => Number.isFinite(rest));
    const rest = (value: number) =>
      hasRest ? [Number.isFinite(value) ? `${formatRounded(value)} %` : "–"] : [];
    const heads = hasRest ? ["At rest"] : [];
    this.#tables.replaceChildren(
      ...tables(
        "By folder",
        ["Folder", "Recordings", "Mean ± SEM", "Median", ...heads],
        groups.map((group) => [
          group.folder,
          formatCount(group.n),
          formatMean(group),
          formatRounded(group.median),
          ...rest(group.rest),
        ]),
      ),
      ...tables(
        "By recording",
        ["Recording", "Folder", this.#kind, "Channel", "n", "Mean ± SEM", "Median", ...heads],
        chosen.slice(0, this.#most).map((one) => [
          button(one.recording, () => this.#open(one.path), { className: "link", title: one.path }),
          one.folder,
          one.region,
          one.channel,
          formatCount(one.n),
          formatMean(one),
          formatRounded(one.median),
          ...rest(one.rest),
        ]),
      ),
      ...chosen.length > this.#most ? [this.#rest(chosen.length)] : [],
    );
  }

  /** As high as the drawer is, so that the whole plot is seen. */
  #showPlot() {
    const { clientHeight, clientWidth } = this.element.parentElement!;
    const isNarrow = clientWidth < NARROW;
    const room = (isNarrow ? HEIGHT_ABOVE * clientHeight : clientHeight) - MARGINS;
    const height = Math.min(HIGHEST, Math.max(LOWEST, room));
    const plot = this.#shown;
    // Without room for more, the fields and the heads of the tables say what the plot shows.
    const isLow = height < ROOM_FOR_TEXTS;
    const shown = plot && isLow ? { ...plot, note: "", y: { ...plot.y, title: "" }, isStrip: true } : plot;
    const width = (plot?.width ?? 0) * (isLow && !isNarrow ? NARROWED : 1);
    showPlot(this.#plot, shown, { width, height });
  }

  /** Leads to further rows, or says where they are. */
  #rest(count: number): HTMLElement {
    if (this.#most === MOST_LISTED) {
      const textContent = `The first ${MOST_LISTED} rows; the saved table has all.`;
      return element("p", { className: "hint", textContent });
    }
    const shown = Math.min(count, MOST_LISTED);
    return button(`Show ${shown - this.#most} more rows`, () => {
      this.#most = MOST_LISTED;
      this.#paint();
      (this.#tables.querySelectorAll(".link")[FIRST_LISTED] as HTMLElement).focus();
    }, { id: "recordings-more" });
  }

  /** The figure as a file; null without a value. */
  get figure(): NamedText | null {
    const plot = makeDotPlot(this.#groups(), this.#title);
    return plot && [`${this.#stem}-recordings.svg`, drawSvgPlot(plot, measureLabel)];
  }

  #saveFigure() {
    const { figure } = this;
    if (figure !== null) saveFile(figure[0], new Blob([figure[1]], { type: "image/svg+xml" }));
  }
}
