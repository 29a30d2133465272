import assert from "node:assert/strict";
import { pivVelocity, radonVelocity } from "../../static/measure/published_methods.js";
import { type Method, velocityOverTime } from "../../static/measure/velocity.js";
import { streaks } from "../browser/streaks.ts";
import published from "./measured/published.json" with { type: "json" };
import made from "./measured/velocities.json" with { type: "json" };

Deno.test("published methods agree with other implementations of them", async (t) => {
  const degrees = (velocity: number) => Math.atan(velocity) * 180 / Math.PI;
  for (const [i, { velocity, noise, samples }] of made.cases.entries()) {
    await t.step(`${velocity} pixels a line, noise ${noise}`, () => {
      const values = Float64Array.from(atob(samples), (letter) => letter.charCodeAt(0));
      const { radon, piv } = published.cases[i]!;
      // One step of a quarter of a degree: scikit-image turns the picture, which interpolates otherwise.
      const off = degrees(radonVelocity(values, made.size, made.size)) - degrees(radon);
      assert(Math.abs(off) < 0.26, `${off} degrees`);
      const found = pivVelocity(values, made.size, made.size);
      assert(Math.abs(found - piv) < 0.01, `${found}, not ${piv}`);
    });
  }
});

Deno.test("published methods measure windows of lines and have no error", () => {
  const samples = streaks({ lines: 400, columns: 80, velocity: -1.5, noise: 0.3, seed: 2 });
  const measured = (method: Method, plane = { samples, shape: [400, 80] }) =>
    velocityOverTime(plane, { window: 100, step: 100, columns: [0, 80], method });
  for (const method of ["radon", "piv"] as const) {
    for (const { velocity, error, confidence, verdict } of measured(method)) {
      assert(Math.abs(velocity / -1.5 - 1) < 0.05, `${method}: ${velocity}`);
      assert.equal(verdict, "measured");
      assert(Number.isNaN(error) && Number.isNaN(confidence));
    }
    const even = { samples: new Float32Array(400 * 80).fill(3), shape: [400, 80] };
    assert(measured(method, even).every(({ verdict }) => verdict === "unclear"));
  }
  assert.throws(() => measured("other" as Method), /no method other/);
});
