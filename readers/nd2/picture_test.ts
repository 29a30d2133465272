import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { channelList, colorOf } from "./picture.ts";
import { frameLayout } from "./frame_layout.ts";
import type { Variant, VariantObject } from "./variant.ts";

const object = (values: Record<string, Variant>): VariantObject => new Map(Object.entries(values));

/** A plane with its number of components. */
const plane = (name: string, uiCompCount: number, uiColor = 0) =>
  object({ sDescription: name, uiCompCount, uiColor });

/** Names of the channels of pixels of some samples, and the warnings. */
function listed(uiComp: number, planes: readonly VariantObject[], uiCount = planes.length) {
  const layout = frameLayout(object({ uiWidth: 4, uiHeight: 3, uiComp, uiBpcInMemory: 8 }));
  const sPlaneNew = object(Object.fromEntries(planes.map((one, i) => [`a${i}`, one])));
  const { channels, warnings } = channelList(
    object({ sPicturePlanes: object({ uiCount, sPlaneNew }) }),
    layout,
  );
  return {
    names: channels.map(({ name }) => name),
    colors: channels.map(({ color }) => color),
    warnings: codesOf(warnings),
  };
}

Deno.test("a colour has red in its lowest byte; black and fractions give null", () => {
  deepEqual([0x0000ff, 0x123456, 0xff00_0001].map(colorOf), ["#ff0000", "#563412", "#010000"]);
  deepEqual([null, 0, 0xff00_0000, 1.5, NaN].map(colorOf), [null, null, null, null, null]);
});

Deno.test("the samples of a plane are channels, colours or numbered", () => {
  deepEqual(listed(2, [plane(" a ", 1, 0xff), plane("", 1)]), {
    names: ["a", "CH2"],
    colors: ["#ff0000", null],
    warnings: [],
  });
  deepEqual(listed(3, [plane("HE", 3)]).names, ["Blue", "Green", "Red"]);
  deepEqual(listed(3, [plane("HE", 3)]).colors, ["#0000ff", "#00ff00", "#ff0000"]);
  deepEqual(listed(4, [plane("x", 4, 0xff00)]).names, ["x 1", "x 2", "x 3", "x 4"]);
  deepEqual(listed(2, [plane("", 2)]).names, ["CH1", "CH2"]);
  deepEqual(listed(4, [plane("a", 1), plane("b", 3)]).names, ["a", "b Blue", "b Green", "b Red"]);
});

Deno.test("planes share the samples of a pixel equally; contradictions give a warning", () => {
  deepEqual(listed(4, [plane("a", 0), plane("b", 0)]).names, ["a 1", "a 2", "b 1", "b 2"]);
  deepEqual(listed(3, [plane("a", 1), plane("b", 1)]), {
    names: ["CH1", "CH2", "CH3"],
    colors: [null, null, null],
    warnings: ["metadata_disagree"],
  });
  equal(listed(2, [plane("a", 1), plane("b", 1)], 3).warnings.length, 1);
  deepEqual(listed(2, [plane("a", 1), plane("b", 1)], 0).warnings, []);
  deepEqual(listed(2, []), { names: ["CH1", "CH2"], colors: [null, null], warnings: [] });
});
