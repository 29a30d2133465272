/** The diameter of a vessel over time. */
import { formatTableUnit } from "../axes.ts";
import {
  countVerdicts,
  type Item,
  listValuesOver,
  makeColumn,
  makeTimeColumn,
  type Measurement,
  takeVerdict,
} from "../measurement.ts";
import { computeMean, computeStandardError, findPercentile } from "../traces.ts";
import { type DiameterAt, type DiameterSettings, measureDiameters } from "./diameter.ts";

/** Diameters of a vessel, in windows of lines. */
export const DIAMETER: Measurement<Item & DiameterAt, DiameterSettings> = {
  key: "diameter",
  title: "Diameter over time",
  noun: "diameter",
  hint: "The band holds a vessel, with some of its surroundings on both sides.",
  section: "diameter-over-time",
  sentences: {
    "Mean of": (lines) => `Each value was the mean of ${lines}`,
    "Median of": (lines) => `Each value was the median of ${lines}`,
    "Every": (lines) => `One value was taken every ${lines}`,
  },
  parameters: [
    {
      key: "method",
      label: "Method",
      value: "half-maximum",
      choices: { "half-maximum": "half maximum", gradient: "steepest gradients" },
    },
    {
      key: "lumen",
      label: "Lumen is",
      value: "automatic",
      choices: {
        automatic: "automatic",
        bright: "bright",
        dark: "dark",
        walls: "between bright walls",
        undivided: "bright, without cells",
      },
      cited: ({ lumen, taken }) => [
        "Lumen",
        lumen === "automatic" && taken !== undefined ? `${taken} (automatic)` : lumen as string,
      ],
    },
    {
      key: "average",
      label: "Averaged by",
      value: "median",
      choices: { median: "median", mean: "mean" },
    },
    {
      key: "window",
      label: "of",
      shown: "Average over",
      value: 10,
      unit: "lines",
      isCount: true,
      cited: (
        { average, window },
      ) => [`${average === "mean" ? "Mean" : "Median"} of (lines)`, window as number],
    },
    { key: "step", label: "every", shown: "One value every", value: 10, unit: "lines", isCount: true },
  ],
  method: ({ method, taken }) =>
    taken === "walls"
      ? "inner edges of fitted walls"
      : method === "gradient"
      ? "steepest gradients (Fischer et al. 2010)"
      : "full width at half maximum (Drew et al. 2010)",
  run(plane, band, settings) {
    const { found, lumen } = measureDiameters(plane, band, settings);
    return { found, settings: { ...settings, taken: lumen } };
  },
  columns(found, axes) {
    const [time, position] = axes;
    return [
      makeTimeColumn(found, time),
      { name: "Diameter", unit: formatTableUnit(position), values: listValuesOver(DIAMETER, found, axes) },
      makeColumn("Left edge", found, ({ left }) => left, position),
      makeColumn("Right edge", found, ({ right }) => right, position),
      makeColumn("Verdict", found, takeVerdict),
    ];
  },
  summary(found, { axes }) {
    const values = listValuesOver(DIAMETER, found, axes);
    return [
      { name: "Diameters", value: found.length },
      ...countVerdicts(found, [
        "clear",
        "unclear",
        "faint",
        "cut",
        "divided",
        "bright lumen",
        "dark lumen",
        "no walls",
      ]),
      { name: "Median diameter", value: findPercentile(values, 50), unit: formatTableUnit(axes[1]) },
      { name: "Mean diameter", value: computeMean(values), unit: formatTableUnit(axes[1]) },
      { name: "SEM of diameter", value: computeStandardError(values), unit: formatTableUnit(axes[1]) },
    ];
  },
  outline: ({ line, left, right }) => [{ x: line + 0.5, y: left + 0.5 }, { x: line + 0.5, y: right + 0.5 }],
  value: "Median diameter",
  overTime: {
    name: "Diameter",
    unit: ([, position]) => formatTableUnit(position),
    value: ({ diameter }, [, position]) => (diameter ?? NaN) * position.step,
  },
};
