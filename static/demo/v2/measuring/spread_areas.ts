/** Marks of values and their standard errors, for charts of the page and saved plots. */
import type { Mark } from "../picture/marks.ts";

/** A value with its standard error. */
export interface SpreadValue {
  /** Place along the plot. */
  x: number;
  value: number;
  /** Standard error; NaN if unknown. */
  spread: number;
}

/** Opacity of the areas. */
const SPREAD_OPACITY = 0.25;

/** Values follow each other within this many of the least steps between two. */
const NEXT_WITHIN = 1.5;

/** Half the width of the bar of a single value, in CSS pixels. */
const HALF_BAR = 1;

/**
 * Corners of a polygon for each run of values that follow each other, or of a bar for a single value.
 *
 * @param values of one result, in order of place
 * @param place in a plot, in CSS pixels
 */
export function spreadAreas(
  values: readonly SpreadValue[],
  { across, up }: { across: (x: number) => number; up: (value: number) => number },
): (readonly [x: number, y: number])[][] {
  const known = values.filter(({ value, spread }) => Number.isFinite(value) && spread > 0);
  const steps = known.slice(1).map(({ x }, i) => x - known[i]!.x);
  const step = Math.min(...steps);
  const runs: SpreadValue[][] = [];
  for (const [i, one] of known.entries()) {
    const run = i > 0 && steps[i - 1]! <= NEXT_WITHIN * step ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([one]);
    else run.push(one);
  }
  const edge = (side: number, aside = 0) => ({ x, value, spread }: SpreadValue) =>
    [across(x) + aside, up(value + side * spread)] as const;
  return runs.map((run) =>
    run.length > 1
      ? [...run.map(edge(1)), ...run.toReversed().map(edge(-1))]
      : run.flatMap((one) =>
        [edge(1, -HALF_BAR), edge(1, HALF_BAR), edge(-1, HALF_BAR), edge(-1, -HALF_BAR)].map((of) => of(one))
      )
  );
}

/** The areas of {@linkcode spreadAreas} as marks. */
export const markSpreads = (
  values: readonly SpreadValue[],
  frame: { across: (x: number) => number; up: (value: number) => number },
  color: string,
): Mark[] => spreadAreas(values, frame).map((points) => ({ points, fill: color, opacity: SPREAD_OPACITY }));
