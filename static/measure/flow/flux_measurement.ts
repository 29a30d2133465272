/** The number of cells that pass a place over time. */
import { perTime } from "../line_scan.ts";
import {
  columnOf,
  type Item,
  type Measurement,
  timeColumn,
  valuesOver,
  verdictCounts,
  verdictOf,
} from "../measurement.ts";
import { mean, standardError } from "../traces.ts";
import { type FluxAt, fluxOverTime, type FluxSettings } from "./flux.ts";

/** Counts of cells, in windows of lines. */
export const FLUX: Measurement<Item & FluxAt, FluxSettings> = {
  key: "flux",
  title: "Flux of cells",
  noun: "cell count",
  hint: "Counts the streaks that pass the middle of the band.",
  section: "flux",
  sentences: {
    "Cells are": (look) => `The cells were ${look}`,
    "Count over": (lines) => `The cells were counted over ${lines}`,
  },
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
