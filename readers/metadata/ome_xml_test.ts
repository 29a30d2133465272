/** Name, colours and times of an `Image` of OME-XML. */
import { MAX_STAMPS } from "./time_stamps.ts";
import { deepEqual, equal } from "node:assert/strict";
import { readOmeXmlImage } from "./ome_xml.ts";
import { findChild, parseXml } from "./xml.ts";

function read(pixels: string, image = "") {
  const element = parseXml(`<Image ${image}><Pixels ${pixels}</Pixels></Image>`, "OME-XML");
  return readOmeXmlImage(element, findChild(element, "Pixels")!);
}

Deno.test("trims the name of an image; a blank one is null", () => {
  const names = ['Name=" a b "', 'Name=" "', ""].map((image) => read(">", image).name);
  deepEqual(names, ["a b", null, null]);
});

Deno.test("reads red, green, blue and opacity from the bytes of a signed number", () => {
  const colors = (...written: string[]) =>
    read(`>${written.map((color) => `<Channel Color="${color}"/>`).join("")}<Channel/>`).colors;
  // The default of the schema, -1, is ffffffff. 16711935 is 00ff00ff; -16776961 and 4278190335 are ff0000ff.
  deepEqual(colors("-1", "16711935", "-16776961", "4278190335", "255"), [
    "#ffffff",
    "#00ff00",
    "#ff0000",
    "#ff0000",
    "#000000",
    null,
  ]);
  deepEqual(colors("red", "1.5", "4294967296", "-2147483649", "-2147483648"), [
    ...[null, null, null, null],
    "#800000",
    null,
  ]);
});

Deno.test("warns when the positions of planes contradict the stated step, if both have units", () => {
  const doubts = (positions: readonly number[], unit = 'PositionZUnit="um"', more = "") => {
    const planes = positions.map((z, i) => `<Plane TheT="0" TheC="0" TheZ="${i}" PositionZ="${z}" ${unit}/>`);
    const pixels = `SizeZ="${positions.length}" PhysicalSizeZ="2"${more}>${planes.join("")}`;
    return read(pixels).warnings.map(({ code, text }) => `${code}: ${text}`);
  };
  // From 10 to 16 um in two steps.
  deepEqual(doubts([10, 13, 16]), [
    "metadata_disagree: OME-XML states planes 2 um apart, but places them 3 um apart; the first counts",
  ]);
  deepEqual(doubts([-0.003, 0], 'PositionZUnit="mm"').length, 1);
  for (const positions of [[10, 8, 6], [10, 12.01, 14.02], [5, 5, 5], [7]]) deepEqual(doubts(positions), []);
  deepEqual(doubts([10, 13, 16], ""), []);
  deepEqual(doubts([10, 13, 16], 'PositionZUnit="um"', ' PhysicalSizeZUnit="px"'), []);
});

Deno.test("takes the times of the first channel and depth, in seconds from the first", () => {
  const plane = (t: number | string, delta: string | null, more = "", c = 0, z = 0) =>
    `<Plane TheT="${t}" TheC="${c}" TheZ="${z}" ${delta === null ? "" : `DeltaT="${delta}"`} ${more}/>`;
  const times = (size: string, ...planes: string[]) => {
    const { stamps } = read(`SizeT="${size}">${planes.join("")}`);
    return stamps && Array.from(stamps.seconds);
  };
  deepEqual(times("3", plane(0, "0.5"), plane(1, "2"), plane(2, "3.75")), [0, 1.5, 3.25]);
  const others = [plane(0, "9", "", 1), plane(1, "9", "", 0, 1)];
  deepEqual(times("2", plane(1, "2"), plane(0, "-0.5"), ...others), [0, 2.5]);
  const ms = 'DeltaTUnit="ms"';
  deepEqual(times("2", plane(0, "0", ms), plane(1, "250", ms)), [0, 0.25]);
  const more = [plane(2, "1")];
  deepEqual(times("3", plane(0, "0"), plane(1, "250", 'DeltaTUnit="parsec"'), ...more), [0, NaN, 1]);
  deepEqual(times("3", plane(0, "0"), plane(1, "1")), [0, 1, NaN]);
  deepEqual(times("3", plane(0, "0"), plane(1, null), ...more), [0, NaN, 1]);
  deepEqual(times("3", plane(0, "0"), plane(1, "NaN"), ...more), [0, NaN, 1]);
  deepEqual(times("3", plane(0, "0"), plane(2, "1")), [0, NaN, 1]);
  deepEqual(times("3", plane(0, "0"), plane("0.5", "1"), ...more), [0, NaN, 1]);
  deepEqual(times("2", plane(0, "0"), plane(1, "1"), plane(2, "2")), [0, 1]);
  equal(times("2", plane(0, "0"), plane(1, null)), null);
  // Stamps keep their time points, and a declared number does not justify allocating more than the bound.
  deepEqual(times("4", plane(0, "0"), plane(3, "1")), [0, NaN, NaN, 1]);
  equal(times("1e9", plane(0, "0"), plane(7, "1"))?.length, MAX_STAMPS);
});
