/** All measurements of bands of line scans, as measurement.ts defines them. */
import { tableUnit } from "./axes.ts";
import { type DiameterAt, diameterOverTime, type DiameterSettings } from "./diameter.ts";
import { EVENTS } from "./event_measurement.ts";
import { type FluxAt, fluxOverTime, type FluxSettings } from "./flux.ts";
import {
  columnOf,
  type Item,
  type Measurement,
  medianOf,
  timeColumn,
  valuesOver,
  verdictCounts,
  verdictOf,
} from "./measurement.ts";
import { findSparks, type Spark, sparkAt, type SparkSettings } from "./sparks.ts";
import { mean, percentile, standardError } from "./traces.ts";
import { perTime } from "./velocity.ts";
import { VELOCITY } from "./velocity_measurement.ts";

const DIAMETER: Measurement<Item & DiameterAt, DiameterSettings> = {
  key: "diameter",
  title: "Diameter over time",
  noun: "diameter",
  hint: "The band holds a vessel, with some of its surroundings on both sides.",
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
  // Settings with a window that do not say what the lumen is were written when it was bright and lines were averaged.
  defaults: ({ window, step, lumen, average }) =>
    (window ?? step) !== undefined && (lumen ?? average) === undefined
      ? { lumen: "undivided", average: "mean" }
      : {},
  method: ({ method, taken }) =>
    taken === "walls"
      ? "inner edges of fitted walls"
      : method === "gradient"
      ? "steepest gradients (Fischer et al. 2010)"
      : "full width at half maximum (Drew et al. 2010)",
  run(plane, band, settings) {
    const { found, lumen } = diameterOverTime(plane, band, settings);
    return { found, settings: { ...settings, taken: lumen } };
  },
  columns(found, axes) {
    const [time, position] = axes;
    return [
      timeColumn(found, time),
      { name: "Diameter", unit: tableUnit(position), values: valuesOver(DIAMETER, found, axes) },
      columnOf("Left edge", found, ({ left }) => left, position),
      columnOf("Right edge", found, ({ right }) => right, position),
      columnOf("Verdict", found, verdictOf),
    ];
  },
  summary(found, { axes }) {
    const values = valuesOver(DIAMETER, found, axes);
    return [
      { name: "Diameters", value: found.length },
      ...verdictCounts(found, [
        "clear",
        "unclear",
        "faint",
        "cut",
        "divided",
        "bright lumen",
        "dark lumen",
        "no walls",
      ]),
      { name: "Median diameter", value: percentile(values, 50), unit: tableUnit(axes[1]) },
      { name: "Mean diameter", value: mean(values), unit: tableUnit(axes[1]) },
      { name: "SEM of diameter", value: standardError(values), unit: tableUnit(axes[1]) },
    ];
  },
  outline: ({ line, left, right }) => [{ x: line + 0.5, y: left + 0.5 }, { x: line + 0.5, y: right + 0.5 }],
  value: "Median diameter",
  overTime: {
    name: "Diameter",
    unit: ([, position]) => tableUnit(position),
    value: ({ diameter }, [, position]) => (diameter ?? NaN) * position.step,
  },
};

const FLUX: Measurement<Item & FluxAt, FluxSettings> = {
  key: "flux",
  title: "Flux of cells",
  noun: "cell count",
  hint: "Counts the streaks that pass the middle of the band.",
  parameters: [
    { key: "cells", label: "Cells are", value: "dark", choices: { dark: "dark", bright: "bright" } },
    { key: "window", label: "Count over", value: 200, unit: "lines", isCount: true },
  ],
  method: () => "cells counted along the flow by the velocities of the autocorrelation method",
  run: fluxOverTime,
  columns(found, axes) {
    const [time] = axes;
    return [
      timeColumn(found, time),
      { name: "Flux", unit: `cells/${perTime(time)}`, values: valuesOver(FLUX, found, axes) },
      columnOf("Cells", found, ({ cells }) => cells),
      { name: "Line covered", unit: "%", values: found.map(({ coverage }) => 100 * (coverage ?? NaN)) },
      columnOf("Verdict", found, verdictOf),
    ];
  },
  summary(found, { axes }) {
    const [time] = axes;
    const values = valuesOver(FLUX, found, axes);
    const covered = Float64Array.from(found, ({ coverage }) => coverage ?? NaN);
    return [
      { name: "Counts", value: found.length },
      ...verdictCounts(found, ["counted", "no velocity", "faint", "crowded"]),
      { name: "Mean flux", value: mean(values), unit: `cells/${perTime(time)}` },
      { name: "SEM of flux", value: standardError(values), unit: `cells/${perTime(time)}` },
      { name: "Line covered", value: 100 * mean(covered), unit: "%" },
    ];
  },
  value: "Mean flux",
  overTime: {
    name: "Flux",
    unit: ([time]) => `cells/${perTime(time)}`,
    value: ({ flux }, [time]) => (flux ?? NaN) / time.step,
  },
};

const SPARKS: Measurement<Item & Spark, SparkSettings> = {
  key: "sparks",
  title: "Sparks",
  noun: "spark",
  hint: "Local, short rises above the F₀ of each column.",
  parameters: [
    // Noise alone exceeds 5 in every seventh recording, and 5.5 in every fortieth.
    { key: "threshold", label: "Threshold", value: 6, unit: "SD of the noise", least: 1 },
    { key: "offset", label: "Detector offset", value: 0 },
    {
      key: "rest",
      label: "F0 of each column",
      shown: "F₀ of each column",
      value: "running",
      choices: { running: "running", median: "median" },
    },
  ],
  // Settings with a threshold that do not say what F₀ is were written when it was the median.
  defaults: ({ threshold, rest }) => threshold !== undefined && rest === undefined ? { rest: "median" } : {},
  method: ({ rest }) =>
    rest === "median"
      ? "threshold on the smoothed change (Picht et al. 2007) with fitted shapes"
      : "threshold (Picht et al. 2007) on the rise above a running F0 in units of its noise (Laasmaa et al. 2019), with fitted shapes",
  facts: ({ candidates }) => candidates === undefined ? [] : [["Rejected candidates", candidates]],
  run(plane, band, settings) {
    const { sparks, rejected, candidates } = findSparks(plane, band, settings);
    return { found: sparks, settings: { ...settings, candidates }, rejected };
  },
  at: sparkAt,
  columns: (found, [time, position]) => [
    timeColumn(found, time),
    columnOf("Position", found, ({ column }) => column, position),
    columnOf("Amplitude (dF/F0)", found, ({ amplitude }) => amplitude),
    columnOf("FWHM", found, ({ width }) => width, position),
    columnOf("FDHM", found, ({ duration }) => duration, time),
    columnOf("Time to peak", found, ({ timeToPeak }) => timeToPeak, time),
    columnOf("By hand", found, ({ isByHand }) => isByHand ? "yes" : ""),
  ],
  summary(found, { axes: [time, position], columns, lines }) {
    const duration = lines * time.step;
    const length = (columns[1] - columns[0]) * position.step;
    return [
      { name: "Sparks", value: found.length },
      {
        name: "Spark rate",
        value: 100 * found.length / length / duration,
        unit: `1/(100 ${tableUnit(position)} ${perTime(time)})`,
      },
      { ...medianOf("Median spark amplitude", found, ({ amplitude }) => amplitude), unit: "dF/F0" },
      medianOf("Median spark FWHM", found, ({ width }) => width, position),
      medianOf("Median spark FDHM", found, ({ duration }) => duration, time),
      medianOf("Median spark time to peak", found, ({ timeToPeak }) => timeToPeak, time),
    ];
  },
  value: "Sparks",
  outline({ line, column, width, duration, timeToPeak }) {
    const [from, to] = [line - timeToPeak, line - timeToPeak + 2 * duration];
    const [left, right] = [column + 0.5 - width, column + 0.5 + width];
    return ([[from, left], [to, left], [to, right], [from, right], [from, left]] as const).map(([x, y]) => ({
      x,
      y,
    }));
  },
};

/** All measurements, in the order of the page. */
export const MEASUREMENTS: readonly Measurement[] = [VELOCITY, EVENTS, DIAMETER, FLUX, SPARKS];
