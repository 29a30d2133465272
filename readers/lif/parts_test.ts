/** The parsers of LIF files: they read or refuse any text and any numbers. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { codesOf } from "../../tests/warning_codes.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { parseXml } from "../metadata/xml.ts";
import { calibratedAxes, channelList, fitWarnings, momentOfStamp, timesOf } from "./acquisition.ts";
import { listBlocks, MAX_BLOCKS } from "./container.ts";
import {
  describe,
  type DescribedDimension,
  type ImageDescription,
  imageElements,
  MAX_IMAGES,
  parseHeader,
  type ScanSettings,
} from "./document.ts";
import { type ImageLayout, imageLayout, lengthOf, offsetAt, planeStart } from "./image_layout.ts";

const dimension = (
  [id, count, bytesInc]: readonly [number, number, number],
  length = 0,
  unit = "m",
): DescribedDimension => ({ id, count, bytesInc, length, unit, bitInc: 0 });

/** An image with a channel for each of these bytes, tags and colour tables. */
const described = (
  dimensions: readonly DescribedDimension[],
  channels: readonly (readonly [bytesInc: number, tag?: number, lut?: string])[] = [[0]],
): ImageDescription => ({
  channels: channels.map(([bytesInc, tag = 0, lut = ""]) => ({
    ...{ dataType: 0, bits: 8, tag, bytesInc, bitInc: 0, lut },
  })),
  ...{ dimensions, names: [], stamps: "", scan: null },
});

/** Rows of four samples, three rows. */
const PLANE = [dimension([1, 4, 1]), dimension([2, 3, 4])];

Deno.test("blocks without samples are bounded", () => {
  // A block of no bytes whose name is its number, 22 bytes and two for each digit.
  const one = new Uint8Array(34);
  const view = new DataView(one.buffer);
  [[0, 0x70], [4, 26], [18, 6]].forEach(([at, value]) => view.setUint32(at!, value!, true));
  one[8] = one[17] = 0x2a;
  const bytes = new Uint8Array(34 * (MAX_BLOCKS + 1));
  for (let i = 0; i <= MAX_BLOCKS; i += 1) {
    [...String(i).padStart(6, "0")].forEach((digit, k) => one[22 + 2 * k] = digit.charCodeAt(0));
    bytes.set(one, 34 * i);
  }
  const file = new DecodedBytes(bytes, "the file");
  throws(() => listBlocks(file, 0, { narrow: false, stop: new StopFlag() }), /more than 200000 blocks/);
});

Deno.test("images are bounded", () => {
  const element = "<Element><Data><Image/></Data></Element>";
  equal(imageElements(parseHeader(`<r>${element.repeat(MAX_IMAGES)}</r>`).root).length, MAX_IMAGES);
  throws(
    () => imageElements(parseHeader(`<r>${element.repeat(MAX_IMAGES + 1)}</r>`).root),
    /more than 50000 images/,
  );
});

Deno.test("documents inside of attachments and the settings of the hardware are left out of the tree", () => {
  const inside = "<Element Name='no'><Data><Image/></Data></Element>";
  const { root } = parseHeader(
    `<r><Element Name='f'><Children><Element Name='a'><Data><Image><Attachment Name='x'><BleachPoints>` +
      `<LMSDataContainerHeader>${inside}</LMSDataContainerHeader></BleachPoints></Attachment></Image></Data>` +
      `<LMSDataContainerHeader>${inside}</LMSDataContainerHeader></Element></Children></Element></r>`,
  );
  deepEqual(imageElements(root).map(({ name }) => name), ["a"]);
});

Deno.test("dimensions in any order: every sample has an address of its own inside the image", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 }),
      (order, counts) => {
        let step = 1;
        const dimensions = order.map((id, i) => {
          const one = dimension([id, counts[i]!, step]);
          step *= counts[i]!;
          return one;
        });
        const layout = imageLayout(described(dimensions, [[0], [step]]));
        equal(layout.bytes, 2 * step);
        const { rows, columns, positions } = layout;
        const addresses = new Set<number>();
        const others = layout.others.reduce((product, { count }) => product * count, 1);
        for (let t = 0; t < lengthOf(positions.t); t += 1) {
          for (let z = 0; z < lengthOf(positions.z); z += 1) {
            for (let l = 0; l < lengthOf(positions.l); l += 1) {
              for (const channel of layout.channels) {
                const start = planeStart(layout, channel, { t, z, l });
                for (let row = 0; row < lengthOf(rows); row += 1) {
                  for (let column = 0; column < lengthOf(columns); column += 1) {
                    addresses.add(start + offsetAt(rows, row) + offsetAt(columns, column));
                  }
                }
              }
            }
          }
        }
        equal(addresses.size, 2 * step / others);
        ok(Math.max(...addresses) < layout.bytes);
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("blue, green and red of a pixel are served as red, green and blue; a colour alone is a channel", () => {
  const xy = [dimension([1, 4, 3]), dimension([2, 3, 12])];
  const order = (tags: number[]) =>
    imageLayout(described(xy, tags.map((tag, i) => [i, tag]))).channels.map((
      { offset, tag },
    ) => [offset, tag]);
  deepEqual(order([3, 2, 1]), [[2, 1], [1, 2], [0, 3]]);
  deepEqual(order([1, 2, 3]), [[0, 1], [1, 2], [2, 3]]);
  deepEqual(order([2, 2, 1]), [[0, 0], [1, 0], [2, 0]]);
  deepEqual(order([0, 3, 2]), [[0, 0], [1, 0], [2, 0]]);
});

Deno.test("the first stamp in UTC", () => {
  // 116444736000000000 ticks of 100 ns lie between 1601 and 1970; one day later at 01:02:03.
  const ticks = 116444736000000000n + (86_400n + 3723n) * 10_000_000n;
  deepEqual(momentOfStamp(`${ticks.toString(16)} 1`), { date: "19700102", time: "01:02:03" });
  for (const none of ["", "  ", "0", "zz", "1".repeat(17), "ffffffffffffffff"]) {
    equal(momentOfStamp(none).date, "", none);
  }
});

Deno.test("reads one stamp per plane and channel, per plane, or per time point", () => {
  // Seconds as ticks; T is 3, Z is 2, channels are 2.
  const list = (...seconds: number[]) =>
    seconds.map((s) => (10_000_000n * BigInt(1000 + s)).toString(16)).join(" ");
  const fast = imageLayout(described([...PLANE, dimension([3, 2, 24]), dimension([4, 3, 48])], [[0], [12]]));
  deepEqual(timesOf(list(0, 0, 1, 1, 10, 10, 11, 11, 20, 20, 21, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 1, 10, 11, 20, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 10, 20), fast), [0, 10, 20]);
  const slow = imageLayout(described([...PLANE, dimension([4, 3, 12]), dimension([3, 2, 36])], [[0], [72]]));
  deepEqual(timesOf(list(0, 10, 20, 100, 110, 120), slow), [0, 10, 20]);
  deepEqual(timesOf(list(0, 10, 20, 100, 110, 120, 0, 10, 20, 100, 110, 120), slow), [0, 10, 20]);
  for (
    const odd of ["", list(0, 1), list(0, 20, 10), list(0, 0, 1), `${list(0, 1)} 0`, `${list(0, 1)} xyz`]
  ) {
    equal(timesOf(odd, fast), null);
  }
});

Deno.test("channels must have bytes for all their samples", () => {
  // 3 rows of 4 samples, each followed by 2 bytes: 16 bytes, 12 samples a channel.
  const plane = [dimension([1, 4, 1]), dimension([2, 3, 6])];
  const at = (...offsets: number[]) =>
    imageLayout(described(plane, offsets.map((offset) => [offset]))).channels.length;
  equal(at(0, 8), 2);
  equal(at(0, 16, 32), 3);
  throws(() => at(0, 7), /share samples: 24 of 1 bytes lie in 23 bytes/);
  throws(() => at(0, 8, 19), /share samples/);
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
  const layout = imageLayout(described([...PLANE, dimension([4, 3, 12])]));
  deepEqual(calibratedAxes(layout, null, [0, 1, 5]).axes[0], {
    name: "T",
    size: 3,
    step: 2.5,
    unit: "seconds",
  });
  equal(calibratedAxes(layout, null, null).axes[0]!.unit, "Pixels");
});

Deno.test("names channels by user-defined names, and colours them by tables of one colour", () => {
  const two = imageLayout(described(PLANE, [[0, 0, "Green"], [12, 0, "Glow"]]));
  const namesOf = (layout: ImageLayout, names: string[]) =>
    channelList(layout, names).map(({ name }) => name);
  deepEqual(namesOf(two, []), ["CH1", "CH2"]);
  deepEqual(namesOf(two, ["Nuclei", "Nuclei"]), ["Nuclei", "Nuclei (2)"]);
  deepEqual(namesOf(two, ["Nuclei", " "]), ["Nuclei", "CH2"]);
  deepEqual(namesOf(two, ["Nuclei"]), ["CH1", "CH2"]);
  deepEqual(channelList(two, []).map(({ color }) => color), ["#00ff00", null]);
  const pixels = [dimension([1, 4, 3]), dimension([2, 3, 12])];
  const colours = [[0, 3], [1, 2], [2, 1]] as const;
  const camera = imageLayout(described(pixels, colours));
  deepEqual(namesOf(camera, ["Bright"]), ["Red", "Green", "Blue"]);
  deepEqual(channelList(camera, []).map(({ color }) => color), ["#ff0000", "#00ff00", "#0000ff"]);
  const more = imageLayout(described(pixels, [...colours, [36]]));
  deepEqual(namesOf(more, ["Bright", "Nuclei"]), ["Bright Red", "Bright Green", "Bright Blue", "Nuclei"]);
  deepEqual(namesOf(more, []), ["CH1 Red", "CH1 Green", "CH1 Blue", "CH4"]);
});

Deno.test("a block of another size and unnamed colours give a warning", () => {
  const warned = (description: ImageDescription, size: number) =>
    codesOf(fitWarnings(imageLayout(description), { offset: 0, size, stored: size })).join();
  const plane = described(PLANE);
  const sizes = { 11: "planes_missing", 12: "", 15: "", 16: "metadata_disagree" };
  for (const [size, codes] of Object.entries(sizes)) deepEqual(warned(plane, Number(size)), codes);
  // The other plane in each pair belongs to a channel that is not described.
  const pairs = described([...PLANE, dimension([4, 2, 24])], [[12]]);
  deepEqual(warned(pairs, 48), "metadata_disagree");
  // Five pixels of 3 bytes.
  const pixels = (tag: number) =>
    described([dimension([1, 5, 3]), dimension([2, 2, 15])], [[0, 3], [1, 2], [2, tag]]);
  deepEqual([warned(pixels(1), 30), warned(pixels(0), 30)], ["", "metadata_missing"]);
});

const scanOf = (attributes: string) =>
  describe(
    parseXml(
      `<Image><Attachment Name="HardwareSetting"><ATLConfocalSettingDefinition ${attributes}/></Attachment></Image>`,
      "it",
    ),
  ).scan;

Deno.test("the settings of a confocal scan: times in seconds, the direction by its name", () => {
  // Of a file of LAS X, with a line scan in place of its mode.
  deepEqual(
    scanOf(
      'ScanMode="xt" LineTime="0.0025" LineAverage="2" Line_Accumulation="3" PixelDwellTime="0.000004875" ' +
        'ScanDirectionX="1" ScanDirectionXName="Unidirectional"',
    ),
    { lineTime: 0.0025, averaging: 6, pixelTime: 0.000004875, direction: "Unidirectional" },
  );
  deepEqual(scanOf(""), { lineTime: null, averaging: 1, pixelTime: null, direction: null });
  equal(describe(parseXml("<Image/>", "it")).scan, null);
});
