import assert from "node:assert/strict";
import { Kymograph } from "../../static/measure/kymograph.ts";
import { makeProfileColumns } from "../../static/measure/image_parts.ts";
import { makeLineProfile, measurePolyline } from "../../static/measure/line_profile.ts";
import expected from "./measured/profiles.json" with { type: "json" };

const point = ([x, y]: number[]) => ({ x: x!, y: y! });

Deno.test("samples a straight line as skimage.measure.profile_line does", async (t) => {
  const samples = Float32Array.from(expected.samples);
  for (const { start, end, width, values } of expected.cases) {
    await t.step(`${start} to ${end}, ${width} wide`, () => {
      const found = makeLineProfile([point(start), point(end)], width, expected.shape as [number, number]).of(
        samples,
      );
      assert.equal(found.length, values.length);
      found.forEach((value, i) =>
        assert(Math.abs(value - values[i]!) < 0.001, `${i}: ${value}, not ${values[i]}`)
      );
    });
  }
});

/** Sample = 10 row + column: bilinear interpolation is exact. */
const ramp = (rows: number, columns: number) =>
  Float32Array.from({ length: rows * columns }, (_, i) => 10 * Math.floor(i / columns) + i % columns);

Deno.test("samples a freehand line at equal distances around its corners", () => {
  const points = [{ x: 1, y: 1 }, { x: 4, y: 1 }, { x: 4, y: 1 }, { x: 4, y: 4 }];
  assert.equal(measurePolyline(points), 6);
  const profile = makeLineProfile(points, 1, [6, 6]);
  assert.deepEqual([...profile.of(ramp(6, 6))], [11, 12, 13, 14, 24, 34, 44]);
  // Three wide: the mean of a ramp is its middle.
  assert.deepEqual([...makeLineProfile(points.slice(0, 2), 3, [6, 6]).of(ramp(6, 6))], [11, 12, 13, 14]);
});

Deno.test("ignores samples that are missing or outside", () => {
  const samples = ramp(4, 4);
  samples[5] = NaN;
  const along = (
    y: number,
    width: number,
  ) => [...makeLineProfile([{ x: 0, y }, { x: 5, y }], width, [4, 4]).of(samples)];
  assert.deepEqual(along(1, 1), [10, NaN, 12, 13, NaN, NaN]);
  // Rows -1, 0 and 1: the first is outside, one sample of the last is missing.
  assert.deepEqual(along(0, 3), [5, 1, 7, 8, NaN, NaN]);
});

Deno.test("requires two different points of a line", () => {
  for (
    const points of [[], [{ x: 1, y: 1 }], [{ x: 1, y: 1 }, { x: 1, y: 1 }], [{ x: 0, y: 0 }, {
      x: 1e9,
      y: 0,
    }], [
      { x: 0, y: 0 },
      { x: NaN, y: 0 },
    ]]
  ) {
    assert.throws(() => makeLineProfile(points, 1, [4, 4]), RangeError);
  }
});

const AXES = [{ name: "Y", step: 0.5, unit: "um" }, { name: "X", step: 0.5, unit: "um" }] as const;
const SERIES = {
  plane: { shape: [6, 6] as const, axes: AXES },
  channels: [{ index: 0, name: "A" }, { index: 1, name: "B" }],
  count: 3,
  time: { name: "T", step: 0.2, unit: "seconds" },
};

Deno.test("a kymograph is a line scan that grows row by row", () => {
  const kymograph = new Kymograph(SERIES, [{ x: 1, y: 2 }, { x: 4, y: 2 }], 1);
  assert.deepEqual(kymograph.plane, {
    shape: [3, 4],
    axes: [{ name: "T", step: 0.2, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }],
  });
  assert.deepEqual(kymograph.path, { x: [1, 2, 3, 4], y: [2, 2, 2, 2] });
  kymograph.take(0, 1, ramp(6, 6));
  assert.equal(kymograph.done, 0);
  kymograph.take(1, 1, ramp(6, 6).map((value) => value + 100));
  assert.equal(kymograph.done, 1);
  const none = [NaN, NaN, NaN, NaN];
  assert.deepEqual([...kymograph.samples[0]!], [...none, 21, 22, 23, 24, ...none]);
  assert.deepEqual([...kymograph.samples[1]!], [...none, 121, 122, 123, 124, ...none]);
  for (const t of [0, 2]) for (const channel of [0, 1]) kymograph.take(channel, t, ramp(6, 6));
  assert(kymograph.isWhole);
});

Deno.test("takes the step of a slanted line from its length", () => {
  // 3, 4, 5: five pixels of 0.5 um, six positions.
  const kymograph = new Kymograph(SERIES, [{ x: 1, y: 1 }, { x: 4, y: 5 }], 1);
  assert.deepEqual(kymograph.plane.shape, [3, 6]);
  assert.equal(kymograph.plane.axes[1]!.step, 0.5);
  assert.throws(
    () => new Kymograph({ ...SERIES, count: 2 ** 28 }, [{ x: 1, y: 1 }, { x: 4, y: 5 }], 1),
    RangeError,
  );
});

/** Pixels of 0.5 um along X and 0.25 um along Y, and the reverse. */
for (const [stepX, stepY] of [[0.5, 0.25], [0.2, 0.8]] as const) {
  const axes = [{ name: "Y", step: stepY, unit: "um" }, { name: "X", step: stepX, unit: "um" }] as const;
  const plane = { shape: [40, 40] as const, axes };
  // 10 um along X, then 8 um along Y, whatever the pixels.
  const [x, y] = [10 / stepX, 8 / stepY];
  const points = [{ x: 0, y: 0 }, { x, y: 0 }, { x, y }];
  const shape = [y + 1, x + 1] as const;
  const smaller = Math.min(stepX, stepY);

  Deno.test(`samples a bent line at equal distances over pixels of ${stepX} x ${stepY} um`, () => {
    const wide = { ...plane, shape };
    const kymograph = new Kymograph({ ...SERIES, plane: wide }, points, 1);
    const { shape: [, count], axes: [, { step }] } = kymograph.plane;
    assert.equal(count, 18 / smaller + 1);
    assert(Math.abs(step - smaller) < 1e-12, `${step}`);
    // The path length in um is the sample's number times the step.
    const { path } = kymograph;
    path.x.forEach((column, i) => {
      const along = column * stepX + path.y[i]! * stepY;
      assert(Math.abs(along - i * smaller) < 1e-9, `${along} at ${i}`);
    });
    // Each sample of the image is its distance along the line.
    const image = Float32Array.from(
      { length: shape[0] * shape[1] },
      (_, i) => i % shape[1] * stepX + Math.floor(i / shape[1]) * stepY,
    );
    const [place, values] = makeProfileColumns({ points, width: 1 }, wide, [{ name: "A", samples: image }]);
    for (const [i, value] of [...values!.values as Float32Array].entries()) {
      assert(Math.abs(Number(place!.values[i]) - value) < 1e-5, `${value} at ${place!.values[i]}`);
    }
  });

  Deno.test(`the width of a slanted line is perpendicular in um over pixels of ${stepX} x ${stepY} um`, () => {
    // A line along which x and y in um are equal; what grows across it has the mean of the line itself.
    const along = [{ x: 4 / stepX, y: 4 / stepY }, { x: 7 / stepX, y: 7 / stepY }];
    const across = Float32Array.from(
      { length: shape[0] * shape[1] },
      (_, i) => i % shape[1] * stepX + Math.floor(i / shape[1]) * stepY,
    );
    const [, narrow] = makeProfileColumns({ points: along, width: 1 }, { shape, axes }, [{
      name: "A",
      samples: across,
    }]);
    const [, broad] = makeProfileColumns({ points: along, width: 5 }, { shape, axes }, [{
      name: "A",
      samples: across,
    }]);
    Array.from(narrow!.values).forEach((value, i) =>
      assert(Math.abs(Number(value) - Number(broad!.values[i])) < 1e-5)
    );
  });
}
