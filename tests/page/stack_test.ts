/** Means over the images of a stack, projections, and what parts of an image have. */
import assert from "node:assert/strict";
import { listImageParts, makeImageRows, makeProfileColumns } from "../../static/measure/image_parts.ts";
import {
  describePosition,
  listStackAxes,
  makeStackColumns,
  makeStackRows,
  measureStack,
  parsePosition,
} from "../../static/measure/stack.ts";

const AXES = [{ step: 0.5, unit: "um" }, { step: 0.25, unit: "um" }] as const;
const [ROWS, COLUMNS, FOCUS] = [6, 8, 4];

/** Linear in each coordinate, so that means are values in the middle. */
const sample = (x: number, y: number, z: number) => 100 * z + 10 * y + x;

const image = (z: number, offset = 0) =>
  Float32Array.from(
    { length: ROWS * COLUMNS },
    (_, i) => sample(i % COLUMNS, Math.floor(i / COLUMNS), z) + offset,
  );

const DRAWN = {
  kymograph: { points: [{ x: 1, y: 2 }, { x: 5, y: 2 }], width: 1 },
  regions: [
    { id: "rectangle-1", name: "Cell", type: "rectangle", start: [2, 1] as const, stop: [5, 4] as const },
    { id: "spot", type: "point" },
  ],
};

const ORDER = {
  plane: { shape: [ROWS, COLUMNS] as const, axes: AXES },
  channels: ["A", "B"],
  along: new Map([["Z", { count: FOCUS, axis: { name: "Z", step: 2, unit: "um" } }]] as const),
  parts: listImageParts(DRAWN),
  over: "Z",
  projection: { kind: "max", axis: "Z" },
} as const;

/** Hands over the images from the last to the first; channel B lies 1000 higher and lacks its second image. */
const fetched: Parameters<typeof measureStack>[1] = async (_axis, count, take) => {
  for (let z = count - 1; z >= 0; z -= 1) take([image(z), z === 1 ? null : image(z, 1000)], z);
  await Promise.resolve();
};

Deno.test("lists the whole image, its line and its rectangles as parts", () => {
  assert.deepEqual(ORDER.parts.map(({ id, name }) => [id, name]), [
    ["", "whole image"],
    ["kymograph-line", "the line"],
    ["rectangle-1", "Cell"],
  ]);
  // A click draws no line.
  const point = { points: [{ x: 1, y: 1 }, { x: 1, y: 1 }], width: 1 };
  assert.deepEqual(listImageParts({ kymograph: point }).map(({ id }) => id), [""]);
});

Deno.test("a line has a length and a profile, and each part a mean", () => {
  const channels = [{ name: "A", samples: image(0) }];
  const [whole, line, cell] = makeImageRows(ORDER.parts, ORDER.plane, channels);
  assert.equal(whole!["Mean"], sample((COLUMNS - 1) / 2, (ROWS - 1) / 2, 0));
  // Four columns of 0.25 um along row 2.
  assert.deepEqual([line!["Length (um)"], line!["Mean"]], [1, sample(3, 2, 0)]);
  assert.deepEqual([cell!["First column"], cell!["Last row"], cell!["Mean"]], [2, 3, sample(3, 2, 0)]);
  const [position, values] = makeProfileColumns(DRAWN.kymograph, ORDER.plane, channels);
  assert.deepEqual([...position!.values as Float64Array], [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual([...values!.values as Float32Array], [1, 2, 3, 4, 5].map((x) => sample(x, 2, 0)));
});

Deno.test("computes means over focus and the maximum in one pass in any order", async () => {
  let passes = 0;
  const found = await measureStack(ORDER, async (...order) => {
    passes += 1;
    await fetched(...order);
  });
  assert.equal(passes, 1);
  const cell = sample(3, 2, 0);
  assert.deepEqual([...found.means![2]![1]!], [cell + 1000, NaN, cell + 1200, cell + 1300]);
  const rows = makeStackRows(ORDER, found, []);
  assert.deepEqual(rows.map(({ Region, Channel }) => `${Region} ${Channel}`), [
    "whole image A",
    "whole image B",
    "the line A",
    "the line B",
    "Cell A",
    "Cell B",
  ]);
  const [ofA, ofB] = rows.slice(4);
  assert.deepEqual([ofA!["Mean"], ofA!["Least mean"], ofA!["Greatest mean"], ofA!["Greatest at (um)"]], [
    cell + 150,
    cell,
    cell + 300,
    6,
  ]);
  assert.equal(ofB!["Mean"], 1000 + cell + (0 + 200 + 300) / 3);
  // The last image is the brightest.
  assert.deepEqual([ofA!["Projection"], ofA!["Mean of the projection"]], ["maximum over focus", cell + 300]);
});

Deno.test("averages only existing samples in a mean projection", async () => {
  const order = { ...ORDER, over: null, projection: { kind: "mean", axis: "Z" } } as const;
  const { projected, means } = await measureStack(order, fetched);
  assert.equal(means, null);
  assert.equal(projected![0]![0], (0 + 100 + 200 + 300) / 4);
  assert.equal(projected![1]![0], Math.fround(1000 + (0 + 200 + 300) / 3));
  const rows = makeStackRows(order, { projected, means }, []);
  assert.equal(rows[4]!["Mean of the projection"], sample(3, 2, 1.5));
  assert.equal("Mean" in rows[4]!, false);
});

Deno.test("an axis with one image has no means and no projection", async () => {
  await assert.rejects(
    measureStack({ ...ORDER, over: "T" }, fetched),
    /^RangeError: It has one image over time$/,
  );
});

Deno.test("places images over time at their times, even or not, or at the step", () => {
  const header = {
    dims: ["T", "Z", "Y", "X"],
    sizes: { T: 3, Z: 1, Y: 6, X: 8 },
    physicalUnits: [0.4, 2, 0.5, 0.25],
    physicalUnitsLabels: ["seconds", "um", "um", "um"],
  };
  const T = (info: Parameters<typeof listStackAxes>[0]) => listStackAxes(info).get("T");
  const placesOf = (
    times: readonly number[] | null,
  ) => [
    ...makeStackColumns(T({ header, times })!.axis, [{ name: "Mean", values: [5, 6, 7] }])[0]!
      .values as Float64Array,
  ];
  assert.deepEqual(placesOf([1, 1.5, 3]), [0, 0.5, 2]);
  // A pause lengthens no step, and a kymograph of the images has that of the header.
  assert.equal(T({ header, times: [1, 1.5, 3] })!.axis.step, 0.4);
  assert.deepEqual(placesOf([1, 3, 2]), [0, 0.4, 0.8]);
  assert.deepEqual(placesOf(null), [0, 0.4, 0.8]);
  // Times of lines are none of images.
  assert.deepEqual(placesOf([1, 2]), [0, 0.4, 0.8]);
  const unknown = { ...header, physicalUnitsLabels: ["Pixels", "um", "um", "um"] };
  assert.deepEqual(T({ header: unknown })!.axis, { name: "T", step: 1, unit: "frames" });
  assert.equal(listStackAxes({ header }).has("Z"), false);
});

Deno.test("finds the position that words describe, of images that are there", () => {
  const sizes = { T: 4, Z: 3 };
  assert.deepEqual(parsePosition(sizes, describePosition(sizes, { t: 3, z: 1, l: 0 })), { t: 3, z: 1 });
  for (const value of [0, 4, 1.5, NaN, "two"]) {
    assert.deepEqual(parsePosition(sizes, [["Focus plane", value], ["Wavelength", 2]]), {}, `${value}`);
  }
});
