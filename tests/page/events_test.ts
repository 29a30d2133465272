import assert from "node:assert/strict";
import { findEvents, highestNear, measureEvent } from "../../static/measure/events.js";
import expected from "./measured/events.json" with { type: "json" };

Deno.test("events are the peaks of scipy.signal, with its prominences and widths", async (t) => {
  for (const { name, trace, limits, ...of } of expected.cases) {
    await t.step(name, () => {
      const events = findEvents(Float64Array.from(trace), limits);
      assert(events.length > 0);
      assert.deepEqual(events.map(({ peak }) => peak), of.peaks);
      for (const part of ["amplitude", "halfWidth", "rise", "decay"] as const) {
        events.forEach((event, i) => {
          assert(Math.abs(event[part] - of[part][i]!) < 1e-9, `${part} of ${event.peak}: ${event[part]}`);
        });
      }
    });
  }
});

Deno.test("the widths of a triangle are those of geometry", () => {
  // Up by 1 a sample to 10 at index 10, down by 0.5 a sample to 0 at index 30.
  const trace = Float64Array.from({ length: 31 }, (_, i) => i <= 10 ? i : 15 - i / 2);
  const [event] = findEvents(trace, { height: 5 });
  assert.equal(event!.peak, 10);
  assert.equal(event!.amplitude, 10);
  // Half of it from 5 to 20; 10 to 90 % from 1 to 9; 1/e of 10 is reached at 2 (15 - 10 / e).
  assert.equal(event!.halfWidth, 15);
  assert.equal(event!.rise, 8);
  assert(Math.abs(event!.decay - (2 * (15 - 10 / Math.E) - 10)) < 1e-9);
});

Deno.test("missing values bound the surroundings of a peak", () => {
  const trace = Float64Array.of(0, NaN, 3, 4, 3, 2, NaN, 9, 8);
  const events = findEvents(trace, { height: 1 });
  // The valley before 4 is 3, beside the gap, not 0 beyond it; 9 follows a gap.
  assert.deepEqual(events.map(({ peak, amplitude }) => [peak, amplitude]), [[3, 1]]);
  assert.deepEqual(findEvents(new Float64Array(20).fill(NaN), { height: -1 }), []);
  assert.deepEqual(findEvents(new Float64Array(0), { height: -1 }), []);
});

Deno.test("an event added by hand moves to the highest sample nearby", () => {
  const trace = Float64Array.of(0, 1, 5, 2, NaN, 7, 0);
  assert.equal(highestNear(trace, 1, 1), 2);
  assert.equal(highestNear(trace, 3, 2), 5);
  assert.equal(highestNear(trace, -4, 1), 1);
  const { amplitude, halfWidth } = measureEvent(trace, 0);
  assert.deepEqual([amplitude, halfWidth], [0, 0]);
});
