/** A plot of recordings: a dot for each one, and for each folder the mean with its standard error. */
import { formatRounded } from "../../../measure/axes.ts";
import { findExtent } from "../../../measure/traces.ts";
import type { FolderGroup } from "../../../measure/over_recordings.ts";
import type { PlotTrace, SvgPlot } from "../measuring/svg_plot.ts";

/** Colours of folders (after Okabe and Ito 2008). */
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

/** Width of a folder, and most distance of its dots from its middle, in folders. */
const [FOLDER_WIDTH, SPREAD] = [130, 0.28];

/** Half the width of the line at the mean. */
const MEAN = 0.36;

/** Dots this near each other, as parts of the range, stand beside each other. */
const NEAR = 0.03;

/** Longest name of a folder below the plot, in letters. */
const LONGEST_NAME = 18;

/**
 * Plots groups beside each other.
 *
 * @param title of the values
 * @returns null without a value
 */
export function makeDotPlot(groups: readonly FolderGroup[], title: string): SvgPlot | null {
  const shown = groups.filter(({ n }) => n > 0);
  const all = shown.flatMap(({ recordings }) => recordings.map(({ value }) => value));
  const ends = shown.filter(({ sem }) => sem > 0).flatMap(({ mean, sem }) => [mean - sem, mean + sem]);
  const [low, high] = findExtent(Float64Array.from([...all, ...ends]));
  if (!(high >= low)) return null;
  const margin = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return {
    width: Math.max(320, 100 + FOLDER_WIDTH * shown.length),
    height: 320,
    x: {
      low: -0.5,
      high: shown.length - 0.5,
      title: "",
      names: shown.map(({ folder, n }, value) => ({ value, label: `${shortenName(folder)} (${n})` })),
    },
    y: { low: low - margin, high: high + margin, title },
    traces: shown.flatMap((group, at) => makeGroupTraces(group, at, high - low)),
    note: "Dots: recordings. Lines: mean ± SEM over recordings.",
  };
}

/** Mean and standard error of values as text, such as `1.2 ± 0.1`. */
export const formatMean = ({ n, mean, sem }: Pick<FolderGroup, "n" | "mean" | "sem">): string =>
  n === 0
    ? ""
    : Number.isFinite(sem)
    ? `${formatRounded(mean)} ± ${formatRounded(sem)}`
    : formatRounded(mean);

function makeGroupTraces({ recordings, mean, sem }: FolderGroup, at: number, range: number): PlotTrace[] {
  const values = recordings.map(({ value }) => value).filter(Number.isFinite).sort((a, b) => a - b);
  const line = (x: number[], y: number[]) => ({ name: "", color: "currentColor", x, y });
  const dots = spreadBeside(values, NEAR * range).map((place, i) => ({ x: at + place, y: values[i]! }))
    .sort((a, b) => a.x - b.x);
  return [
    {
      name: "",
      color: COLORS[at % COLORS.length]!,
      x: dots.map(({ x }) => x),
      y: dots.map(({ y }) => y),
      isDots: true,
      radius: 3,
    },
    line([at - MEAN, at + MEAN], [mean, mean]),
    ...sem > 0 ? [line([at, at], [mean - sem, mean + sem])] : [],
  ];
}

/** Distances from the middle at which dots of nearly the same value do not cover each other. @param values ascending */
function spreadBeside(values: readonly number[], near: number): number[] {
  const places: number[] = [];
  for (let from = 0, to = 0; from < values.length; from = to) {
    while (to < values.length && values[to]! - values[from]! <= near) to += 1;
    const count = to - from;
    const step = Math.min(0.07, 2 * SPREAD / Math.max(1, count - 1));
    for (let i = 0; i < count; i += 1) places.push((i - (count - 1) / 2) * step);
  }
  return places;
}

const shortenName = (name: string) =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
