/** The parsers of LIF files: they read or refuse any text and any numbers. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { listBlocks, MAX_BLOCKS } from "./container.ts";
import {
  type DescribedDimension,
  type ImageDescription,
  imageElements,
  MAX_IMAGES,
  parseHeader,
} from "./document.ts";
import { imageLayout, lengthOf, offsetAt, planeStart } from "./image_layout.ts";
import { momentOfStamp, timesOf } from "./time_stamps.ts";

const dimension = (id: number, count: number, bytesInc: number): DescribedDimension => ({
  ...{ id, count, bytesInc },
  ...{ length: 1, unit: "m", bitInc: 0 },
});

const described = (
  dimensions: readonly DescribedDimension[],
  offsets: readonly number[] = [0],
  tags: readonly number[] = [],
): ImageDescription => ({
  channels: offsets.map((bytesInc, i) => ({
    ...{ dataType: 0, bits: 8, tag: tags[i] ?? 0, bytesInc, bitInc: 0, lut: "" },
  })),
  dimensions,
  names: [],
  stamps: "",
  scan: null,
});

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
          const one = dimension(id, counts[i]!, step);
          step *= counts[i]!;
          return one;
        });
        const layout = imageLayout(described(dimensions, [0, step]));
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
  const xy = [dimension(1, 4, 3), dimension(2, 3, 12)];
  const order = (tags: number[]) =>
    imageLayout(described(xy, tags.map((_, i) => i), tags)).channels.map(({ offset, tag }) => [offset, tag]);
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
  const x = [dimension(1, 4, 1), dimension(2, 3, 4)];
  // Seconds as ticks; T is 3, Z is 2, channels are 2.
  const list = (...seconds: number[]) =>
    seconds.map((s) => (10_000_000n * BigInt(1000 + s)).toString(16)).join(" ");
  const fast = imageLayout(described([...x, dimension(3, 2, 24), dimension(4, 3, 48)], [0, 12]));
  deepEqual(timesOf(list(0, 0, 1, 1, 10, 10, 11, 11, 20, 20, 21, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 1, 10, 11, 20, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 10, 20), fast), [0, 10, 20]);
  const slow = imageLayout(described([...x, dimension(4, 3, 12), dimension(3, 2, 36)], [0, 72]));
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
  const plane = [dimension(1, 4, 1), dimension(2, 3, 6)];
  const at = (...offsets: number[]) => imageLayout(described(plane, offsets)).channels.length;
  equal(at(0, 8), 2);
  equal(at(0, 16, 32), 3);
  throws(() => at(0, 7), /share samples: 24 of 1 bytes lie in 23 bytes/);
  throws(() => at(0, 8, 19), /share samples/);
});
