/**
 * Writes the tables of events of docs/measure-accuracy.md. Prints Markdown.
 *
 * usage: deno run -A tests/browser/event_table.ts
 */
import { course } from "../page/synthetic.ts";
import { NEW_TRACE } from "../../static/measure/light/band_trace.ts";
import { DRIFTS, measuredDrift } from "./measured_baselines.ts";
import { measuredTransients, spread } from "./measured_events.ts";

/** Rise from 10 to 90 %, by steps of a thousandth. */
function trueRise(rise: number, decay: number): number {
  const shape = course(rise, decay).at;
  const at = (level: number) => {
    let time = 0;
    while (shape(time) < level) time += 0.001;
    return time;
  };
  return at(0.9) - at(0.1);
}

const percent = (values: readonly number[]) => {
  const { mean, deviation } = spread(values);
  return `${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)} %`;
};

console.log(
  "| rise, decay | signal to noise | off: amplitude | off: prominence | rise, true | rise | missed | extra |",
);
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
const kinds = [[3, 12, null], [8, 40, null], [30, 200, null], [5, 40, 80], [5, 40, 50]] as const;
for (const [rise, decay, gap] of kinds) {
  for (const signal of [20, 10, 5]) {
    const found = measuredTransients({ rise, decay, gap, signal, traces: gap === null ? 40 : 20 });
    const { mean, deviation } = spread(found.rises);
    const all = found.missed + found.amplitude.length;
    const what = gap === null ? `${rise}, ${decay}` : `${rise}, ${decay}, pairs ${gap} apart`;
    console.log(
      `| ${what} | ${signal} | ${percent(found.amplitude)} | ${percent(found.prominence)} | ${
        trueRise(rise, decay).toFixed(1)
      } | ${mean.toFixed(1)} ± ${deviation.toFixed(1)} | ${found.missed} of ${all} | ${found.extra} |`,
    );
  }
}

console.log("\n| baseline | signal to noise | off: amplitude | off: change | missed | extra | between |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const drift of DRIFTS) {
  const { amplitudes, missed, all, extra, between } = measuredDrift(drift);
  const change = measuredDrift(drift, { ...NEW_TRACE, isChange: true });
  const [one, other] = [amplitudes, change.amplitudes].map((values) => all === 0 ? "" : percent(values));
  console.log(
    `| ${drift.name} | ${drift.noise > 0 ? 1 / drift.noise : "no noise"} | ${one} | ${other} | ${
      missed + change.missed
    } of ${2 * all} | ${extra + change.extra} | ${between + change.between} |`,
  );
}
