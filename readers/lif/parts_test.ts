/** The parsers of LIF files: they read or refuse any text and any numbers. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { type Attributes, type DimensionOf, image, XY } from "../../tests/fixtures/lif_writer.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { parseXml } from "../metadata/xml.ts";
import { buildLifChannels, calibratedAxes, fitWarnings, momentOfStamp, timeStamps } from "./acquisition.ts";
import type { Warning } from "../warning.ts";
import { listBlocks, MAX_BLOCKS } from "./container.ts";
import { listImageElements, MAX_IMAGES, parseHeader, type ScanSettings } from "./document.ts";
import {
  computeOffset,
  computePlaneStart,
  countJoined,
  type ImageLayout,
  layOutImage,
} from "./image_layout.ts";

/** The layout of an image with a channel for each of these offsets, tags and colour tables. */
const layoutOf = (
  dimensions: readonly DimensionOf[],
  channels: readonly (readonly [BytesInc: number, ChannelTag?: number, LUTName?: string])[] = [[0]],
) => {
  const attributes = channels.map(([BytesInc, ChannelTag = 0, LUTName = ""]): Attributes => ({
    ...{ BytesInc, ChannelTag, LUTName },
  }));
  return layOutImage(parseXml(image(dimensions, attributes), "it"));
};

Deno.test("bounds the numbers of images and of blocks without samples", () => {
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
  throws(() => listBlocks(file, 0, new StopFlag()), /more than 200000 blocks/);
  const element = "<Element><Data><Image/></Data></Element>";
  throws(
    () => listImageElements(parseHeader(`<r>${element.repeat(MAX_IMAGES + 1)}</r>`).root),
    /more than 50000 images/,
  );
});

/** The images of a document. */
const elementsOf = (data: string, more = "") =>
  listImageElements(
    parseHeader(
      `<r><Element Name='f'><Children><Element Name='a'><Data>${data}</Data>${more}</Element></Children></Element></r>`,
    )
      .root,
  );

Deno.test("leaves documents in attachments and hardware settings out of the tree", () => {
  const inside =
    "<LMSDataContainerHeader><Element Name='no'><Data><Image/></Data></Element></LMSDataContainerHeader>";
  const attached = `<Image><Attachment Name='x'><BleachPoints>${inside}</BleachPoints></Attachment></Image>`;
  deepEqual(elementsOf(attached, inside).map(({ name }) => name), ["a"]);
});

Deno.test("gives every sample its own address in the image for any order of dimensions", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { minLength: 1, maxLength: 5 });
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 5, maxLength: 5 });
  const indices = (count: number) => Array.from({ length: count }, (_, i) => i);
  fc.assert(
    fc.property(ids, sizes, (order, counts) => {
      let step = 1;
      const dimensions = order.map((id, i): DimensionOf => {
        step *= counts[i]!;
        return [id, counts[i]!, step / counts[i]!];
      });
      const layout = layoutOf(dimensions, [[0], [step]]);
      equal(layout.bytes, 2 * step);
      const { rows, columns, positions, others, channels } = layout;
      const starts = indices(countJoined(positions.t)).flatMap((t) =>
        indices(countJoined(positions.z)).flatMap((z) =>
          indices(countJoined(positions.l)).flatMap((l) =>
            channels.map((channel) => computePlaneStart(layout, channel, { t, z, l }))
          )
        )
      );
      const inPlane = indices(countJoined(rows)).flatMap((row) =>
        indices(countJoined(columns)).map((column) =>
          computeOffset(rows, row) + computeOffset(columns, column)
        )
      );
      const addresses = new Set(starts.flatMap((start) => inPlane.map((offset) => start + offset)));
      equal(addresses.size, 2 * step / countJoined(others));
      ok(Math.max(...addresses) < layout.bytes);
    }),
    { numRuns: 1000 },
  );
});

/** Pixels of three bytes. */
const PIXELS: readonly DimensionOf[] = [[1, 4, 3], [2, 3, 12]];

Deno.test("serves blue, green and red of a pixel as red, green and blue, and a single colour as a channel", () => {
  const order = (tags: number[]) =>
    layoutOf(PIXELS, tags.map((tag, i) => [i, tag])).channels.map(({ offset, tag }) => [offset, tag]);
  deepEqual(order([3, 2, 1]), [[2, 1], [1, 2], [0, 3]]);
  deepEqual(order([1, 2, 3]), [[0, 1], [1, 2], [2, 3]]);
  deepEqual(order([2, 2, 1]), [[0, 0], [1, 0], [2, 0]]);
  deepEqual(order([0, 3, 2]), [[0, 0], [1, 0], [2, 0]]);
});

Deno.test("reads the first stamp in UTC", () => {
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
  const warnings: Warning[] = [];
  const timesOf = (list: string, layout: ImageLayout) => {
    const stamps = timeStamps(list, layout, warnings);
    return stamps && Array.from(stamps.seconds);
  };
  const fast = layoutOf([...XY, [3, 2, 24], [4, 3, 48]], [[0], [12]]);
  deepEqual(timesOf(list(0, 0, 1, 1, 10, 10, 11, 11, 20, 20, 21, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 1, 10, 11, 20, 21), fast), [0, 10, 20]);
  deepEqual(timesOf(list(0, 10, 20), fast), [0, 10, 20]);
  const slow = layoutOf([...XY, [4, 3, 12], [3, 2, 36]], [[0], [72]]);
  deepEqual(timesOf(list(0, 10, 20, 100, 110, 120), slow), [0, 10, 20]);
  deepEqual(timesOf(list(0, 10, 20, 100, 110, 120, 0, 10, 20, 100, 110, 120), slow), [0, 10, 20]);
  deepEqual(timesOf(list(0, 20, 10), fast), [0, 20, 10]);
  deepEqual(timesOf(`${list(0, 1)} xyz`, fast), [0, 1, NaN]);
  // All stamps of a list that does not fit the time points.
  deepEqual(timesOf(list(0, 1), fast), [0, 1]);
  equal(timesOf("", fast), null);
  deepEqual(warnings, []);
  for (const none of ["0 0 0", "xyz"]) equal(timesOf(none, fast), null);
  deepEqual(warnings.map(({ code }) => code), ["metadata_damaged", "metadata_damaged"]);
});

Deno.test("requires bytes for all samples of a channel", () => {
  // 3 rows of 4 samples, each followed by 2 bytes: 16 bytes, 12 samples a channel.
  const at = (...offsets: number[]) =>
    layoutOf([[1, 4, 1], [2, 3, 6]], offsets.map((offset) => [offset])).channels.length;
  deepEqual([at(0, 8), at(0, 16, 32)], [2, 3]);
  throws(() => at(0, 7), /share samples: 24 of 1 bytes lie in 23 bytes/);
  throws(() => at(0, 8, 19), /share samples/);
});

Deno.test("derives steps from lengths between the first and last sample, and none from other values", () => {
  // Five samples have four distances: 8 um / 4. A centimetre and more are numbers of pixels.
  const cases: [number, string, number, string][] = [
    [8e-6, "m", 2, "um"],
    [-8e-6, "m", 2, "um"],
    [0, "m", 1, "Pixels"],
    [NaN, "m", 1, "Pixels"],
    [0.04, "m", 1, "Pixels"],
    [0.036, "m", 9000, "um"],
    [8, "", 1, "Pixels"],
  ];
  for (const [Length, Unit, ...expected] of cases) {
    const { step, unit } = calibratedAxes(layoutOf([[1, 5, 1, { Length, Unit }]]), null).axes.at(-1)!;
    deepEqual([step, unit], expected);
  }
});

Deno.test("compares the line time with the hardware settings, or replaces a missing one", () => {
  const scan = (lineTime: number | null, averaging = 1): ScanSettings => ({
    ...{ lineTime, averaging, pixelTime: null, direction: null },
  });
  const cases: [number, ScanSettings | null, number, string, string][] = [
    [0.02, null, 0.002, "seconds", ""],
    [0.02, scan(0.002), 0.002, "seconds", ""],
    [0.02, scan(0.0005, 4), 0.002, "seconds", ""],
    [0.02, scan(0.001), 0.002, "seconds", "metadata_disagree"],
    [0, scan(0.001, 2), 0.002, "seconds", "metadata_missing"],
    [0, scan(null), 1, "Pixels", "step_unknown"],
  ];
  for (const [Length, settings, ...expected] of cases) {
    const layout = layoutOf([[1, 4, 1, { Length: 3e-6 }], [4, 11, 4, { Length, Unit: "s" }]]);
    const { axes, warnings } = calibratedAxes(layout, settings);
    deepEqual([axes[0]!.step, axes[0]!.unit, codesOf(warnings).join()], expected);
  }
});

Deno.test("names channels by user-defined names, and colours them by tables of one colour", () => {
  const colours = [[0, 3], [1, 2], [2, 1]] as const;
  const [two, camera, more] = [
    layoutOf(XY, [[0, 0, "Green"], [12, 0, "Glow"]]),
    layoutOf(PIXELS, colours),
    layoutOf(PIXELS, [...colours, [36]]),
  ];
  const cases: [ImageLayout, string[], string[]][] = [
    [two, [], ["CH1", "CH2"]],
    [two, ["Nuclei", "Nuclei"], ["Nuclei", "Nuclei (2)"]],
    [two, ["Nuclei", " "], ["Nuclei", "CH2"]],
    [two, ["Nuclei"], ["CH1", "CH2"]],
    [camera, ["Bright"], ["Red", "Green", "Blue"]],
    [more, ["Bright", "Nuclei"], ["Bright Red", "Bright Green", "Bright Blue", "Nuclei"]],
    [more, [], ["CH1 Red", "CH1 Green", "CH1 Blue", "CH4"]],
  ];
  for (const [layout, names, expected] of cases) {
    deepEqual(buildLifChannels(layout, names).map(({ name }) => name), expected);
  }
  deepEqual(buildLifChannels(two, []).map(({ color }) => color), ["#00ff00", null]);
  deepEqual(buildLifChannels(camera, []).map(({ color }) => color), ["#ff0000", "#00ff00", "#0000ff"]);
});

Deno.test("names channels by their dyes", () => {
  const band = (channel: number, dye: string) => `<MultiBand Channel="${channel}" DyeName="${dye}"/>`;
  const detector = (channel: number, active: number, dye = "") =>
    `<Detector Channel="${channel}" IsActive="${active}"${dye && ` DyeName="${dye}"`}/>`;
  const setting = (detectors: string, bands: string | null) =>
    `<ATLConfocalSettingDefinition><DetectorList>${detectors}</DetectorList>` +
    (bands === null ? "" : `<Spectro>${bands}</Spectro>`) + `</ATLConfocalSettingDefinition>`;
  const property = (dye: string) =>
    `<ChannelProperty><Key>DyeName</Key><Value>${dye}</Value></ChannelProperty>` +
    `<ChannelProperty><Key>ChannelType</Key><Value>HyD</Value></ChannelProperty>`;
  const namesOf = (
    hardware: string,
    offsets = [0, 12],
    dyes: readonly string[] = [],
    users: readonly string[] = [],
  ) => {
    const channels = offsets.map((BytesInc) => ({ BytesInc }));
    let n = 0;
    const described = image(XY, channels, `<Attachment Name="HardwareSetting">${hardware}</Attachment>`)
      .replaceAll(
        /(<ChannelDescription[^>]*)\/>/g,
        (_, tag: string) => {
          const user = users[n]
            ? `<ChannelProperty><Key>UserDefName</Key><Value>${users[n]}</Value></ChannelProperty>`
            : "";
          return `${tag}>${property(dyes[n++] ?? "")}${user}</ChannelDescription>`;
        },
      );
    const [{ layout, names }] = elementsOf(described) as [ReturnType<typeof elementsOf>[0]];
    return buildLifChannels(layout as ImageLayout, names).map(({ name }) => name).join(", ");
  };
  const four = band(1, "Leica/FITC") + band(2, "Leica/DAPI") + band(3, "TRITC") + band(4, "None");
  const two = detector(1, 1) + detector(2, 0) + detector(3, 1) + detector(4, 0);
  const sequence = (...settings: string[]) =>
    `<LDM_Block_Sequential><LDM_Block_Sequential_List>${
      settings.join("")
    }</LDM_Block_Sequential_List></LDM_Block_Sequential>`;
  equal(namesOf(setting(two, four)), "FITC, TRITC");
  equal(namesOf(setting(detector(1, 1) + detector(4, 1), four)), "FITC, CH2");
  equal(namesOf(setting(detector(3, 1, "Cy5") + detector(1, 1, "Leica/GFP"), four)), "Cy5, GFP");
  // More detectors than channels; the dye of an inactive detector.
  equal(namesOf(setting(two + detector(2, 1), four)), "CH1, CH2");
  equal(namesOf(setting(two, band(1, "FITC") + band(3, "FITC"))), "CH1, CH2");
  equal(namesOf(setting(two, null)), "CH1, CH2");
  const steps = sequence(setting(detector(2, 1), band(2, "DAPI")), setting(detector(2, 1), band(2, "Cy3")));
  equal(namesOf(setting(two, four) + steps), "DAPI, Cy3");
  // The bands of all steps are in the main setting.
  equal(
    namesOf(setting(two, four) + sequence(setting(detector(3, 1), null), setting(detector(2, 1), null))),
    "TRITC, DAPI",
  );
  // The channel itself names its dye, also where it is stored after another.
  equal(namesOf("", [0, 12], ["Leica/FITC", "ALEXA 568"]), "FITC, ALEXA 568");
  equal(namesOf(setting(two, four), [12, 0], ["Leica/FITC", "ALEXA 568"]), "ALEXA 568, FITC");
  const cameras = ["Nuclei", ""].map((name) => `<WideFieldChannelInfo UserDefName="${name}"/>`).join("");
  const configured = `<WideFieldChannelConfigurator>${cameras}</WideFieldChannelConfigurator>`;
  const camera = `<ATLCameraSettingDefinition>${configured}</ATLCameraSettingDefinition>`;
  equal(namesOf(camera, [0, 12], ["DAPI", "GFP"]), "Nuclei, GFP");
  // LAS X also lists a template and the camera of the autofocus.
  const listed = [["2001", "Nuclei"], ["2002", "New 1"], ["2003", "Actin"], ["3001", "Focus"]]
    .map(([channel, name]) => `<WideFieldChannelInfo Channel="${channel}" UserDefName="${name}"/>`).join("");
  equal(namesOf(camera.replace(cameras, listed)), "Nuclei, Actin");
  const named = (channel: number) =>
    `<Detector Channel="${channel}" IsActive="1" UserDefName="D${channel}" DyeName="x"/>`;
  equal(namesOf(setting(named(1) + named(3), four)), "D1, D3");
  equal(namesOf("", [0, 12], ["GFP", "GFP"], ["Red cells", ""]), "Red cells, GFP");
  equal(namesOf("", [0, 12], ["GFP", "GFP"]), "GFP, GFP (2)");
  equal(namesOf("", [0, 12], ["", "None"]), "CH1, CH2");
});

Deno.test("warns about a block of another size and unnamed colours", () => {
  // Five pixels of 3 bytes.
  const pixels = (tag: number) => layoutOf([[1, 5, 3], [2, 2, 15]], [[0, 3], [1, 2], [2, tag]]);
  const plane = layoutOf(XY);
  const cases: [ImageLayout, number, string][] = [
    [plane, 11, "planes_missing"],
    [plane, 12, ""],
    [plane, 15, ""],
    [plane, 16, "metadata_disagree"],
    // The other plane in each pair belongs to a channel that is not described.
    [layoutOf([...XY, [4, 2, 24]], [[12]]), 48, "metadata_disagree"],
    [pixels(1), 30, ""],
    [pixels(0), 30, "metadata_missing"],
  ];
  for (const [layout, size, codes] of cases) {
    equal(codesOf(fitWarnings(layout, { offset: 0, size, stored: size })).join(), codes);
  }
});

Deno.test("reads the times and the direction of a confocal scan", () => {
  const scanOf = (settings: string) =>
    elementsOf(image(XY, [{}], settings && `<Attachment Name="HardwareSetting">${settings}</Attachment>`))[0]!
      .scan;
  // Of a file of LAS X, with a line scan in place of its mode.
  const real =
    'ScanMode="xt" LineTime="0.0025" LineAverage="2" Line_Accumulation="3" PixelDwellTime="0.000004875" ' +
    'ScanDirectionX="1" ScanDirectionXName="Unidirectional"';
  deepEqual(scanOf(`<ATLConfocalSettingDefinition ${real}/>`), {
    ...{ lineTime: 0.0025, averaging: 6, pixelTime: 0.000004875, direction: "Unidirectional" },
  });
  const unknown = { lineTime: null, averaging: 1, pixelTime: null, direction: null };
  deepEqual(scanOf("<ATLConfocalSettingDefinition/>"), unknown);
  equal(scanOf(""), null);
});
