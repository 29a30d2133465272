import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { calibratedAxes, channelList, fitWarnings } from "./acquisition.ts";
import type { DescribedDimension, ImageDescription, ScanSettings } from "./document.ts";
import { imageLayout } from "./image_layout.ts";

/** A dimension of `id`, samples, bytes between two of them, and the length with its unit. */
function dimension(
  [id, count, bytesInc]: readonly [number, number, number],
  length = 0,
  unit = "m",
): DescribedDimension {
  return { id, count, bytesInc, length, unit, bitInc: 0 };
}

/** An image with a channel for each of these bytes, tags and colour tables. */
const described = (
  dimensions: readonly DescribedDimension[],
  channels: readonly (readonly [bytesInc: number, tag: number | null, lut: string])[] = [[0, 0, ""]],
): ImageDescription => ({
  channels: channels.map(([bytesInc, tag, lut]) => ({ dataType: 0, bits: 8, tag, bytesInc, bitInc: 0, lut })),
  ...{ dimensions, names: [], stamps: "", scan: null },
});

const scan = (lineTime: number | null, averaging = 1): ScanSettings => ({
  ...{ pixelTime: null, direction: null },
  lineTime,
  averaging,
});

Deno.test("lengths run from the first to the last sample; other values give no step", () => {
  const stepOf = (length: number, unit: string) => {
    const layout = imageLayout(described([dimension([1, 5, 1], length, unit)]));
    const { step, unit: label } = calibratedAxes(layout, null, null).axes.at(-1)!;
    return [step, label];
  };
  // Five samples have four distances: 8 um / 4.
  deepEqual(stepOf(8e-6, "m"), [2, "um"]);
  deepEqual(stepOf(-8e-6, "m"), [2, "um"]);
  deepEqual(stepOf(0, "m"), [1, "Pixels"]);
  deepEqual(stepOf(NaN, "m"), [1, "Pixels"]);
  // A centimetre and more are numbers of pixels.
  deepEqual(stepOf(0.04, "m"), [1, "Pixels"]);
  deepEqual(stepOf(0.036, "m"), [9000, "um"]);
  deepEqual(stepOf(8, ""), [1, "Pixels"]);
});

Deno.test("compares the line time with the hardware settings, or replaces a missing one", () => {
  const lines = (length: number, settings: ScanSettings | null) => {
    const layout = imageLayout(described([dimension([1, 4, 1]), dimension([4, 11, 4], length, "s")]));
    const { axes, warnings } = calibratedAxes(layout, settings, null);
    return [axes[0]!.step, axes[0]!.unit, codesOf(warnings).join()] as const;
  };
  deepEqual(lines(0.02, null), [0.002, "seconds", ""]);
  deepEqual(lines(0.02, scan(0.002)), [0.002, "seconds", ""]);
  deepEqual(lines(0.02, scan(0.0005, 4)), [0.002, "seconds", ""]);
  deepEqual(lines(0.02, scan(0.001)), [0.002, "seconds", "metadata_disagree"]);
  deepEqual(lines(0, scan(0.001, 2)), [0.002, "seconds", "metadata_missing"]);
  deepEqual(lines(0, scan(null)), [1, "Pixels", "step_unknown"]);
});

Deno.test("the T step is the mean of the time stamps if the axis has no length", () => {
  const layout = imageLayout(described([dimension([1, 4, 1]), dimension([2, 3, 4]), dimension([4, 3, 12])]));
  deepEqual(calibratedAxes(layout, null, [0, 1, 5]).axes[0], {
    name: "T",
    size: 3,
    step: 2.5,
    unit: "seconds",
  });
  equal(calibratedAxes(layout, null, null).axes[0]!.unit, "Pixels");
});

Deno.test("names channels by user-defined names, and colours them by tables of one colour", () => {
  const plane = [dimension([1, 4, 1]), dimension([2, 3, 4])];
  const two = imageLayout(described(plane, [[0, 0, "Green"], [12, 0, "Glow"]]));
  const namesOf = (layout: ReturnType<typeof imageLayout>, names: string[]) =>
    channelList(layout, names).map(({ name }) => name);
  deepEqual(namesOf(two, []), ["CH1", "CH2"]);
  deepEqual(namesOf(two, ["Nuclei", "Nuclei"]), ["Nuclei", "Nuclei (2)"]);
  deepEqual(namesOf(two, ["Nuclei", " "]), ["Nuclei", "CH2"]);
  deepEqual(namesOf(two, ["Nuclei"]), ["CH1", "CH2"]);
  deepEqual(channelList(two, []).map(({ color }) => color), ["#00ff00", null]);
  const pixels = [dimension([1, 4, 3]), dimension([2, 3, 12])];
  const colours = [[0, 3, ""], [1, 2, ""], [2, 1, ""]] as const;
  const camera = imageLayout(described(pixels, colours));
  deepEqual(namesOf(camera, ["Bright"]), ["Red", "Green", "Blue"]);
  deepEqual(channelList(camera, []).map(({ color }) => color), ["#ff0000", "#00ff00", "#0000ff"]);
  const more = imageLayout(described(pixels, [...colours, [36, 0, ""]]));
  deepEqual(namesOf(more, ["Bright", "Nuclei"]), ["Bright Red", "Bright Green", "Bright Blue", "Nuclei"]);
  deepEqual(namesOf(more, []), ["CH1 Red", "CH1 Green", "CH1 Blue", "CH4"]);
});

Deno.test("a block of another size and unnamed colours give a warning", () => {
  const warned = (description: ImageDescription, size: number) =>
    codesOf(fitWarnings(imageLayout(description), { offset: 0, size, stored: size })).join();
  const plane = described([dimension([1, 4, 1]), dimension([2, 3, 4])]);
  const sizes = { 11: "planes_missing", 12: "", 15: "", 16: "metadata_disagree" };
  for (const [size, codes] of Object.entries(sizes)) deepEqual(warned(plane, Number(size)), codes);
  // The other plane in each pair belongs to a channel that is not described.
  const pairs = described([dimension([1, 4, 1]), dimension([2, 3, 4]), dimension([4, 2, 24])], [[12, 0, ""]]);
  deepEqual(warned(pairs, 48), "metadata_disagree");
  // Five pixels of 3 bytes.
  const pixels = (tag: number) =>
    described([dimension([1, 5, 3]), dimension([2, 2, 15])], [[0, 3, ""], [1, 2, ""], [2, tag, ""]]);
  deepEqual([warned(pixels(1), 30), warned(pixels(0), 30)], ["", "metadata_missing"]);
});
