import { deepEqual, ok, throws } from "node:assert/strict";
import { DecodeFailed, InvalidChannelIndices, PositionOutOfRange } from "../errors.ts";
import { chooseOpening, requirePosition, requireScene, selectChannels } from "./selection.ts";
import type { Acquisition, Axis, AxisLetter, Channel, Position } from "../reader.ts";

/** An acquisition of channels "A", "B" and "C" with 3 time points, 2 slices and 2 wavelengths. */
function acquisition(holds?: (channel: number, position: Position) => boolean): Acquisition {
  const axis = (name: AxisLetter, size: number): Axis => ({ name, size, step: 1, unit: "Pixels" });
  return {
    axes: [axis("T", 3), axis("L", 2), axis("C", 3), axis("Z", 2), axis("Y", 4), axis("X", 5)],
    channels: ["A", "B", "C"].map((name, index) => ({
      index,
      name,
      sampleType: "uint8",
      rows: 4,
      columns: 5,
      color: null,
    })),
    date: "",
    time: "",
    fileSize: 1,
    reference: null,
    warnings: [],
    times: null,
    ...holds && { holds },
    documents: () => [],
    plan: () => Promise.reject(new Error("planned")),
  };
}

function opening(holds?: (channel: number, position: Position) => boolean, indices?: readonly number[]) {
  const one = acquisition(holds);
  const wanted = (indices ?? [0, 1, 2]).map((index) => one.channels[index]!);
  const { loaded, position: { t, z, l }, warnings } = chooseOpening(one, wanted, indices !== undefined);
  return {
    loaded: loaded.map(({ index, name }) => `${index}${name}`).join(" "),
    position: [t, z, l],
    codes: warnings.map(({ code }) => code),
    texts: warnings.map(({ text }) => text),
  };
}

const refused = (message: string) => (error: unknown) =>
  error instanceof DecodeFailed && error.message === message;

Deno.test("opens at index 0 of every axis if each channel has a plane there", () => {
  for (const holds of [undefined, () => true, (_: number, { t }: Position) => t === 0]) {
    const { loaded, position, codes } = opening(holds);
    deepEqual([loaded, position, codes], ["0A 1B 2C", [0, 0, 0], []]);
  }
});

Deno.test("takes the first position along T, then Z, then L", () => {
  const at = (...places: number[][]) =>
    opening((_, { t, z, l }) => places.some((place) => `${place}` === `${[t, z, l]}`)).position;
  deepEqual(at([0, 0, 1], [0, 1, 0]), [0, 0, 1]);
  deepEqual(at([1, 0, 0], [0, 1, 1]), [0, 1, 1]);
  deepEqual(at([2, 0, 0], [1, 1, 1]), [1, 1, 1]);
});

Deno.test("names the position and the channels without the first one in a warning", () => {
  const { loaded, position, codes, texts } = opening((c, { t, z }) => c === 0 || t >= 1 && z === 1);
  deepEqual([loaded, position, codes], ["0A 1B 2C", [1, 1, 0], ["opened_elsewhere"]]);
  deepEqual(texts, ['Opened at T 1, Z 1: channels 1 ("B"), 2 ("C") have no plane before']);
});

Deno.test("leaves out a channel without planes, and keeps index and name of the others", () => {
  const { loaded, position, codes, texts } = opening((c) => c !== 1);
  deepEqual([loaded, position, codes], ["0A 2C", [0, 0, 0], ["channel_missing"]]);
  deepEqual(texts, ['No plane of channel 1 ("B") in any file; the others are loaded']);
});

Deno.test("rejects a requested channel without planes, and names a selection that works", () => {
  throws(
    () => opening((c) => c !== 1, [2, 1, 0]),
    refused('channel 1 ("B") has no plane in any file; "channelIndices": [2, 0] works'),
  );
  deepEqual(opening((c) => c !== 1, [2, 0]).loaded, "2C 0A");
  throws(
    () => opening(() => false),
    refused('channels 0 ("A"), 1 ("B"), 2 ("C") have no plane in any file'),
  );
});

Deno.test("names a selection that works if no position is common", () => {
  const holds = (c: number, { t }: Position) => c === 0 || c === 1 ? t === c : t === 0;
  const message =
    'no position has a plane of each of channels 0 ("A"), 1 ("B"), 2 ("C"); "channelIndices": [0, 2] works';
  throws(() => opening(holds), refused(message));
  deepEqual(opening(holds, [0, 2]).position, [0, 0, 0]);
});

const channel = (index: number, rows: number, columns: number): Channel => ({
  index,
  name: `CH${index + 1}`,
  sampleType: index === 1 ? "uint8" : "uint16",
  rows,
  columns,
  color: null,
});

Deno.test("loads channels of one shape together, and names a selection that works for others", () => {
  const channels = [channel(0, 512, 512), channel(1, 512, 512), channel(2, 256, 256), channel(3, 256, 256)];
  const wanted = (indices: number[] | null) => selectChannels("a.czi", channels, indices);
  deepEqual(wanted([1, 0]).map((c) => c.index), [1, 0]);
  deepEqual(wanted([3, 2]).map((c) => c.index), [3, 2]);
  for (const [indices, selection] of [[null, "0, 1"], [[2, 0, 3], "2, 3"]] as const) {
    throws(() => wanted(indices && [...indices]), (error: unknown) => {
      ok(error instanceof InvalidChannelIndices);
      ok(error.message.includes("channel 2 is 256 x 256"), error.message);
      ok(error.message.includes("channel 0 is 512 x 512"), error.message);
      return error.message.endsWith(`"channelIndices": [${selection}]`);
    });
  }
  const wide = [channel(0, 512, 256), channel(1, 512, 128), channel(2, 64, 256), channel(3, 512, 256)];
  throws(() => selectChannels("a.czi", wide, null), /"channelIndices": \[0, 3\]$/);
});

const AXES: readonly Axis[] = [
  { name: "T", size: 3, step: 1, unit: "seconds" },
  { name: "Y", size: 8, step: 1, unit: "um" },
  { name: "X", size: 8, step: 1, unit: "um" },
];

Deno.test("rejects an index outside its axis; an omitted axis has size 1", () => {
  requirePosition("a.tif", AXES, { t: 2, z: 0, l: 0 });
  for (const [letter, size] of [["t", 3], ["z", 1], ["l", 1]] as const) {
    for (const index of [size, size + 7, -1, 0.5, NaN]) {
      const position = { t: 0, z: 0, l: 0, [letter]: index };
      throws(() => requirePosition("a.tif", AXES, position), PositionOutOfRange, `${letter} ${index}`);
    }
  }
  throws(() => requirePosition("a.tif", AXES, { t: 0, z: 1, l: 0 }), {
    message: `Index 1 along Z does not exist: "a.tif" has size 1 along Z`,
  });
});

Deno.test("rejects a scene beyond the last", () => {
  requireScene("a.tif", 1, 0);
  for (const scene of [1, -1, 0.5]) {
    throws(() => requireScene("a.tif", 1, scene), {
      tag: "scene_out_of_range",
      message: `Scene ${scene} does not exist: "a.tif" has only scene 0`,
    });
  }
});
