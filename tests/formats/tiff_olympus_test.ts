/** TIFF with a text file of FluoView beside it: what the text says of pages, and files that are channels, slices and frames. */
import { deepEqual, equal } from "node:assert/strict";
import { FIRST_POSITION } from "../../readers/reader.ts";
import { type Field, filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { axesIn, firstsAt, sizesIn } from "../planes.ts";
import { type Files, withOpened } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** Pages filled with `value`, `value + 1` and so on. */
const pages = (value: number, count = 1, ...fields: Field[]) => filledPages(count, fields, value, GRAY);

const AREA = {
  "X Dimension": "12, 0.0 - 3.0 [um], 0.25 [um/pixel]",
  "Y Dimension": "8, 0.0 - 4.0 [um], 0.5 [um/pixel]",
};

/** A text with these dimensions, names of channels and size. */
function textOf(dimensions: object, { names = [] as string[], size = "12 * 8", primary = "X * Y" } = {}) {
  const lines = [
    ["[General]", ""],
    ["Date", "07/22/2025 12:14:20.091 PM"],
    ["[Dimensions]", ""],
    ...Object.entries(dimensions),
    ["[Image]", ""],
    ["Primary Dimensions", primary],
    ["Image Size", `${size} [pixel]`],
    ...names.flatMap((name, i) => [[`[Channel ${i + 1}]`, ""], ["Channel Name", name]]),
  ];
  return new TextEncoder().encode(lines.map(([key, value]) => `"${key}"\t"${value}"`).join("\r\n"));
}

/** Axes and codes of warnings. */
const described = (files: Files) =>
  withOpened(files, (acquisition) => [axesIn(acquisition), ...codesOf(acquisition.warnings)].join("; "));

Deno.test("serves pages as channels or frames when the text counts as many, else as slices", async () => {
  const [Z, C, T] = [
    { "Z Dimension": "3, 0.0 - 4.0 [um], 2.0 [um/Slice]" },
    { "Channel Dimension": "3 [Ch]" },
    { "T Dimension": "3, 0.000 - 4.000 [s], Interval FreeRun" },
  ];
  const plane = ", Y8 0.5 um, X12 0.25 um";
  // Three frames in four seconds are two seconds apart.
  const cases: [object, string][] = [
    [{}, "Z3 1 Pixels"],
    [Z, "Z3 2 um"],
    [C, "C3 1 Pixels"],
    [T, "T3 2 seconds"],
    [{ ...C, ...T }, "C3 1 Pixels"],
    [{ ...Z, ...C }, "Z3 2 um"],
    [{ "Z Dimension": "1, 0.0 - 4.0 [um], 2.0 [um/Slice]", ...C }, "C3 1 Pixels"],
    [{ "Channel Dimension": "2 [Ch]" }, "Z3 1 Pixels"],
  ];
  for (const [dimensions, axis] of cases) {
    await withOpened(
      { "s.tif": pages(7, 3), "s.txt": textOf({ ...AREA, ...dimensions }, { names: ["a", "b", "c"] }) },
      async (acquisition) => {
        equal(axesIn(acquisition), axis + plane);
        const own = [0, 1, 2].map((n) =>
          firstsAt(acquisition, { t: axis[0] === "T" ? n : 0, z: axis[0] === "Z" ? n : 0 })
        );
        deepEqual(
          await Promise.all(own),
          axis[0] === "C" ? [[7, 8, 9], [7, 8, 9], [7, 8, 9]] : [[7], [8], [9]],
        );
        deepEqual(acquisition.channels.map(({ name }) => name), axis[0] === "C" ? ["a", "b", "c"] : ["a"]);
        deepEqual([acquisition.date, acquisition.time], ["20250722", "12:14:20"]);
        deepEqual(acquisition.warnings, []);
      },
    );
  }
});

Deno.test("keeps the axes that the image states", async () => {
  const shape: Field = [270, 2, JSON.stringify({ shape: [2, 2, 3, 8, 12], axes: "TCZYX" })];
  const text = textOf({ ...AREA, "Channel Dimension": "3 [Ch]" });
  await withOpened(
    { "s.tif": pages(7, 12, shape), "s.txt": text },
    (acquisition) => equal(sizesIn(acquisition), "T2 C2 Z3"),
  );
});

Deno.test("reads a text of 4 MiB and ignores a longer one", async () => {
  for (const more of [0, 1]) {
    const text = new Uint8Array((4 << 20) + more).fill(0x20);
    text.set(textOf(AREA));
    const steps = more === 0 ? "Y8 0.5 um, X12 0.25 um" : "Y8 1 Pixels, X12 1 Pixels";
    equal(await described({ "s.tif": pages(7), "s.txt": text }), steps);
  }
});

Deno.test("divides the time of a line scan equally between its rows", async () => {
  const T = { "T Dimension": "1, 0.000 - 16.000 [ms], Interval FreeRun" };
  const { "X Dimension": X } = AREA;
  for (
    const [dimensions, primary, rows] of [
      // 16 ms for 8 rows.
      [{ "X Dimension": X, ...T }, "X * T", "Y8 0.002 seconds"],
      [{ "X Dimension": X }, "X * T", "Y8 1 Pixels"],
      [{ ...AREA, ...T }, "X * Y", "Y8 0.5 um"],
      [{ "X Dimension": X, ...T }, "X * Y", "Y8 1 Pixels"],
    ] as const
  ) {
    const text = textOf(dimensions, { primary });
    equal(await described({ "s.tif": pages(7), "s.txt": text }), `${rows}, X12 0.25 um`);
  }
});

Deno.test("uses a text beside a file that ImageJ saved again, or warns about it", async () => {
  const imageJ: Field = [270, 2, "ImageJ=1.54f\nunit=pixel\n"];
  const dimensions = { ...AREA, "T Dimension": "1, 0.000 - 4.000 [s], Interval FreeRun" };
  const beside = (text: Uint8Array) => described({ "s.tif": pages(7, 1, imageJ), "s.txt": text });
  // Eight lines in four seconds.
  equal(await beside(textOf(dimensions, { primary: "X * T" })), "Y8 0.5 seconds, X12 0.25 um");
  const other = textOf(dimensions, { primary: "X * T", size: "12 * 9" });
  equal(await beside(other), "Y8 1 Pixels, X12 1 Pixels; metadata_disagree");
  equal(await beside(new Uint8Array(9)), "Y8 1 Pixels, X12 1 Pixels; metadata_damaged");
  equal(await beside(new TextEncoder().encode("Notes")), "Y8 1 Pixels, X12 1 Pixels");
});

Deno.test("ignores a text about an image of another size", async () => {
  for (const size of ["13 * 8", "12 * 9"]) {
    const files = { "s.tif": pages(7), "s.txt": textOf(AREA, { size }) };
    equal(await described(files), "Y8 1 Pixels, X12 1 Pixels; metadata_disagree");
  }
});

Deno.test("does not take a single file named like a part for a set", async () => {
  for (const [file, count] of [["s_C001T001.tif", 1], ["s_C001T001.tif", 3]] as const) {
    await withOpened({ [file]: pages(7, count) }, (acquisition) => {
      deepEqual([acquisition.channels[0]!.name, acquisition.warnings], ["CH1", []]);
      equal(sizesIn(acquisition), count === 1 ? "" : "Z3");
    });
  }
});

Deno.test("names the channels of a set by number, missing ones included", async () => {
  const files = Object.fromEntries([2, 3].map((c) => [`s_C00${c}T001.tif`, pages(c)]));
  const names = ["a", "b", "c", "d"];
  const cases: [string[], object, ...string[]][] = [
    ...[3, 4, 5].map((count): [string[], object, ...string[]] => [
      [...names.slice(0, count), "CH5"].slice(0, count),
      { "s.txt": textOf({ ...AREA, "Channel Dimension": `${count} [Ch]` }, { names }) },
      // The text has four channels.
      ...count > 4 ? ["metadata_damaged"] : [],
    ]),
    [["CH1", "CH2", "CH3"], {}],
  ];
  for (const [all, text, ...doubts] of cases) {
    await withOpened({ ...files, ...text }, (acquisition) => {
      deepEqual(acquisition.channels.map(({ name }) => name), all);
      const held = acquisition.channels.filter(({ index }) => acquisition.holds!(index, FIRST_POSITION));
      deepEqual(held.map(({ index }) => index), [1, 2]);
      deepEqual(codesOf(acquisition.warnings), [...doubts, "file_missing"]);
    });
  }
});

Deno.test("warns when the text counts more slices or frames than the names", async () => {
  const counts = (z: number, t: number) => ({
    "Z Dimension": `${z}, 0 - 1 [um]`,
    "T Dimension": `${t}, 0 - 1 [s]`,
  });
  for (const [slices, times] of [[1, 1], [1, 2], [2, 1], [2, 2]] as const) {
    const names = [1, 2].slice(0, slices).flatMap((z) =>
      [1, 2].slice(0, times).map((t) => `s_C001Z00${z}T00${t}.tif`)
    );
    const files = Object.fromEntries(names.map((name) => [name, pages(7)]));
    for (const [z, t] of [[slices, times], [4, 4]] as const) {
      const missing = [z > slices && slices > 1, t > times && times > 1].filter(Boolean);
      const warnings = missing.map(() => "metadata_disagree");
      const dimensions = { ...AREA, ...counts(z, t) };
      await withOpened(
        { ...files, "s.txt": textOf(dimensions) },
        (a) => deepEqual(codesOf(a.warnings), warnings),
      );
      // The frames of a line scan are its rows.
      await withOpened(
        { ...files, "s.txt": textOf(dimensions, { primary: "X * T" }) },
        (a) => equal(a.warnings.length, z > slices && slices > 1 ? 1 : 0),
      );
    }
  }
});

Deno.test("reads frames in each file of a set whose names count slices", async () => {
  const shape: Field = [270, 2, JSON.stringify({ shape: [3, 8, 12], axes: "TYX" })];
  const files = Object.fromEntries(
    [1, 2].flatMap((c) => [1, 2].map((z) => [`s_C00${c}Z00${z}.tif`, pages(100 * c + 10 * z, 3, shape)])),
  );
  await withOpened({ ...files, "s.txt": textOf(AREA) }, async (acquisition) => {
    equal(axesIn(acquisition), "T3 1 Pixels, C2 1 Pixels, Z2 1 Pixels, Y8 0.5 um, X12 0.25 um");
    for (const [t, z] of [[0, 0], [2, 0], [1, 1], [2, 1]] as const) {
      deepEqual(await firstsAt(acquisition, { t: t, z: z }), [1, 2].map((c) => 100 * c + 10 * (z + 1) + t));
    }
  });
});

Deno.test("warns about several files for one plane of a set", () =>
  withOpened(
    {
      "s_C001.tif": pages(1),
      "s_C001T001.tif": pages(3),
      "s_C002.tif": pages(2),
      "s.txt": textOf(AREA),
    },
    async (acquisition) => {
      deepEqual(await firstsAt(acquisition, FIRST_POSITION), [1, 2]);
      deepEqual(codesOf(acquisition.warnings), ["planes_repeated"]);
    },
  ));

Deno.test("finds the text of a set in another spelling", () => {
  const [stem, other] = ["Größe", "GRößE".normalize("NFD")];
  return withOpened(
    { [`${stem}_C001.tif`]: pages(1), [`${stem}_C002.tif`]: pages(2), [`${other}.Txt`]: textOf(AREA) },
    (acquisition) => equal(axesIn(acquisition), "C2 1 Pixels, Y8 0.5 um, X12 0.25 um"),
  );
});
