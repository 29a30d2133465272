/** Sparks: local, short rises in a line scan. */
import { formatTableUnit } from "../axes.ts";
import { formatPerTime } from "../line_scan.ts";
import { type Item, makeColumn, makeTimeColumn, type Measurement, summarizeMedian } from "../measurement.ts";
import { findSparks, measureSparkNear, type Spark, type SparkSettings } from "./sparks.ts";

/** Sparks with their places, amplitudes and extents. */
export const SPARKS: Measurement<Item & Spark, SparkSettings> = {
  key: "sparks",
  title: "Sparks",
  noun: "spark",
  hint: "Local, short rises above the F₀ of each column.",
  section: "sparks",
  findings: ["Rejected candidates"],
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
  method: ({ rest }) =>
    rest === "median"
      ? "threshold on the smoothed change (Picht et al. 2007) with fitted shapes"
      : "threshold (Picht et al. 2007) on the rise above a running F0 in units of its noise (Laasmaa et al. 2019), with fitted shapes",
  facts: ({ candidates }) => candidates === undefined ? [] : [["Rejected candidates", candidates]],
  run(plane, band, settings) {
    const { sparks, rejected, candidates } = findSparks(plane, band, settings);
    return { found: sparks, settings: { ...settings, candidates }, rejected };
  },
  at: measureSparkNear,
  columns: (found, [time, position]) => [
    makeTimeColumn(found, time),
    makeColumn("Position", found, ({ column }) => column, position),
    makeColumn("Amplitude (dF/F0)", found, ({ amplitude }) => amplitude),
    makeColumn("FWHM", found, ({ width }) => width, position),
    makeColumn("FDHM", found, ({ duration }) => duration, time),
    makeColumn("Time to peak", found, ({ timeToPeak }) => timeToPeak, time),
    makeColumn("By hand", found, ({ isByHand }) => isByHand ? "yes" : ""),
  ],
  summary(found, { axes: [time, position], columns, lines }) {
    const duration = lines * time.step;
    const length = (columns[1] - columns[0]) * position.step;
    return [
      { name: "Sparks", value: found.length },
      {
        name: "Spark rate",
        value: 100 * found.length / length / duration,
        unit: `1/(100 ${formatTableUnit(position)} ${formatPerTime(time)})`,
      },
      { ...summarizeMedian("Median spark amplitude", found, ({ amplitude }) => amplitude), unit: "dF/F0" },
      summarizeMedian("Median spark FWHM", found, ({ width }) => width, position),
      summarizeMedian("Median spark FDHM", found, ({ duration }) => duration, time),
      summarizeMedian("Median spark time to peak", found, ({ timeToPeak }) => timeToPeak, time),
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
