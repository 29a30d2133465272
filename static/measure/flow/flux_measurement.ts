/** The number of cells that pass a place over time. */
import { formatPerTime } from "../line_scan.ts";
import {
  countVerdicts,
  type Item,
  listValuesOver,
  makeColumn,
  makeTimeColumn,
  type Measurement,
  takeVerdict,
} from "../measurement.ts";
import { computeMean, computeStandardError } from "../traces.ts";
import { type FluxAt, type FluxSettings, measureFlux } from "./flux.ts";

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
  run: measureFlux,
  columns(found, axes) {
    const [time] = axes;
    return [
      makeTimeColumn(found, time),
      { name: "Flux", unit: `cells/${formatPerTime(time)}`, values: listValuesOver(FLUX, found, axes) },
      makeColumn("Cells", found, ({ cells }) => cells),
      { name: "Line covered", unit: "%", values: found.map(({ coverage }) => 100 * (coverage ?? NaN)) },
      makeColumn("Verdict", found, takeVerdict),
    ];
  },
  summary(found, { axes }) {
    const [time] = axes;
    const values = listValuesOver(FLUX, found, axes);
    const covered = Float64Array.from(found, ({ coverage }) => coverage ?? NaN);
    return [
      { name: "Counts", value: found.length },
      ...countVerdicts(found, ["counted", "no velocity", "faint", "crowded"]),
      { name: "Mean flux", value: computeMean(values), unit: `cells/${formatPerTime(time)}` },
      { name: "SEM of flux", value: computeStandardError(values), unit: `cells/${formatPerTime(time)}` },
      { name: "Line covered", value: 100 * computeMean(covered), unit: "%" },
    ];
  },
  value: "Mean flux",
  overTime: {
    name: "Flux",
    unit: ([time]) => `cells/${formatPerTime(time)}`,
    value: ({ flux }, [time]) => (flux ?? NaN) / time.step,
  },
};
