/** Micro-Manager acquisitions of separate image files: planes by names, `metadata.txt`, positions in sibling folders. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { inFolder, type Put } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";
import { openHere } from "../load_here.ts";
import { firstsAt } from "../planes.ts";
import { arePartsOf } from "../../session/worker/named_parts.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";

const GRAY = grayLayout(4, 3, 16);

/** A plane whose first sample is `first`. */
function plane(first: number): Uint8Array<ArrayBuffer> {
  const strip = new Uint16Array(12);
  strip[0] = first;
  return tiffOf(GRAY, [[new Uint8Array(strip.buffer)]]);
}

const SUMMARY = {
  Channels: 2,
  Slices: 2,
  Frames: 2,
  ChNames: ["GFP/a", "DAPI"],
  PixelSize_um: 0.325,
  "z-step_um": 1.5,
  Interval_ms: 500,
};

/** The number of a plane: time, channel, slice. */
const numberOf = (t: number, c: number, z: number) => 100 * t + 10 * c + z + 1;

const INDICES = [0, 1].flatMap((t) => [0, 1].flatMap((c) => [0, 1].map((z) => [t, c, z] as const)));

const padded = (value: number, digits: number) => String(value).padStart(digits, "0");

/** Names of Micro-Manager 1; the slash of a channel is not allowed in a file name. */
const name1 = (t: number, c: number, z: number) =>
  `img_${padded(t, 9)}_${["GFP-a", "DAPI"][c]}_${padded(z, 3)}.tif`;

const name2 = (t: number, c: number, z: number) =>
  `img_channel${padded(c, 3)}_position000_time${padded(t, 9)}_z${padded(z, 3)}.tif`;

type NameOf = typeof name1;

const recordOf = (t: number, c: number, z: number, name: string) => ({
  FrameIndex: t,
  ChannelIndex: c,
  SliceIndex: z,
  Channel: SUMMARY.ChNames[c],
  "ElapsedTime-ms": 500 * t + c,
  FileName: name,
  Time: "2016-02-01 10:11:12 +0100",
});

const metadata = (nameOf: NameOf, summary: object = SUMMARY, change: object = {}) => ({
  Summary: summary,
  ...Object.fromEntries(
    INDICES.map(([t, c, z]) => [`FrameKey-${t}-${c}-${z}`, recordOf(t, c, z, nameOf(t, c, z))]),
  ),
  ...change,
});

/** Writes a position; returns the path of a name. */
function write(put: Put, folder: string, nameOf: NameOf, text: string, add = 0) {
  for (const [t, c, z] of INDICES) put(join(folder, nameOf(t, c, z)), plane(numberOf(t, c, z) + add));
  put(join(folder, "metadata.txt"), text);
}

async function planesOf(path: string, scene: number | null = null): Promise<number[]> {
  return await openHere(path, async (acquisition) => {
    const found: number[] = [];
    for (const [t, c, z] of INDICES) {
      const plan = await acquisition.plan([c], { t, z, l: 0 });
      const target = new Float32Array(12);
      await plan.decode([target]);
      found.push(target[0]!);
    }
    return found;
  }, scene);
}

const EXPECTED = INDICES.map(([t, c, z]) => numberOf(t, c, z));

for (const [version, nameOf] of Object.entries({ 1: name1, 2: name2 })) {
  Deno.test(`opens separate image files of Micro-Manager ${version} by any of them`, async () => {
    await inFolder(async (put, folder) => {
      write(put, "Pos0", nameOf, JSON.stringify(metadata(nameOf)));
      for (const [t, c, z] of [INDICES[0]!, INDICES[5]!]) {
        const path = join(folder, "Pos0", nameOf(t, c, z));
        const { summary } = await loadHere(path);
        deepEqual(summary.warnings, []);
        deepEqual(summary.axes.map(({ name, size, step, unit }) => [name, size, step, unit]), [
          ["T", 2, 0.5, "seconds"],
          ["C", 2, 1, "Pixels"],
          ["Z", 2, 1.5, "um"],
          ["Y", 3, 0.325, "um"],
          ["X", 4, 0.325, "um"],
        ]);
        deepEqual(summary.channels.map(({ name }) => name), ["GFP/a", "DAPI"]);
        deepEqual([summary.date, summary.time], ["20160201", "10:11:12"]);
        deepEqual(await planesOf(path), EXPECTED);
      }
    });
  });
}

Deno.test("opens separate image files of an acquisition without channels, whose channel is CH1", async () => {
  for (const blank of ["", " "]) {
    for (const names of [["Default"], [""], undefined]) {
      await inFolder(async (put, folder) => {
        const nameOf = (t: number, z: number) => `img_${padded(t, 9)}_${blank}_${padded(z, 3)}.tif`;
        const places = [0, 1, 2].flatMap((t) => [0, 1].map((z) => [t, z] as const));
        const records = places.map(([t, z]) =>
          [`FrameKey-${t}-0-${z}`, { ...recordOf(t, 0, z, nameOf(t, z)), Channel: blank }] as const
        );
        const Summary = { ...SUMMARY, Channels: 1, Frames: 3, ChNames: names };
        for (const [t, z] of places) put(`Pos0/${nameOf(t, z)}`, plane(numberOf(t, 0, z)));
        put("Pos0/metadata.txt", JSON.stringify({ Summary, ...Object.fromEntries(records) }));
        const { summary } = await loadHere(join(folder, "Pos0", nameOf(2, 1)));
        deepEqual(summary.axes.map(({ name, size, step }) => [name, size, step]), [
          ["T", 3, 0.5],
          ["Z", 2, 1.5],
          ["Y", 3, 0.325],
          ["X", 4, 0.325],
        ]);
        deepEqual([summary.channels.map(({ name }) => name), summary.warnings], [["CH1"], []]);
        await openHere(join(folder, "Pos0", nameOf(0, 0)), async (acquisition) => {
          for (const [t, z] of places) deepEqual(await firstsAt(acquisition, { t, z }), [numberOf(t, 0, z)]);
        });
        deepEqual(await listedApart(join(folder, "Pos0")), []);
      });
    }
  }
});

Deno.test("joins the two records that Micro-Manager 2 writes for a plane", async () => {
  await inFolder(async (put, folder) => {
    const entries = INDICES.flatMap(([t, c, z]) => {
      const { FileName: _, "ElapsedTime-ms": elapsed, ...coords } = recordOf(t, c, z, "");
      const key = `Default/${name2(t, c, z)}`;
      return [[`Coords-${key}`, coords], [`Metadata-${key}`, { "ElapsedTime-ms": 3 * elapsed }]] as const;
    });
    write(put, "Default", name2, JSON.stringify({ Summary: SUMMARY, ...Object.fromEntries(entries) }));
    const { summary } = await loadHere(join(folder, "Default", name2(0, 0, 0)));
    // The stamps give 1.5 s, the summary 0.5 s.
    equal(summary.axes[0]!.step, 1.5);
    deepEqual(codesOf(summary.warnings), ["metadata_disagree"]);
  });
});

Deno.test("opens the positions of an acquisition in folders with its UUID or prefix as scenes", async () => {
  for (const key of ["UUID", "Prefix"]) {
    await inFolder(async (put, folder) => {
      const text = (value: string) => JSON.stringify(metadata(name1, { ...SUMMARY, [key]: value }));
      write(put, "Pos10", name1, text("a"), 2000);
      write(put, "Pos2", name1, text("a"), 1000);
      write(put, "Other", name1, text("b"), 3000);
      put("notes.txt", "x");
      const path = join(folder, "Pos10", name1(1, 1, 1));
      const { summary } = await loadHere(path);
      deepEqual(summary.scenes.map(({ name }) => name), ["Pos2", "Pos10"]);
      equal(summary.scene, 1);
      deepEqual(await planesOf(path), EXPECTED.map((value) => value + 2000));
      deepEqual(await planesOf(path, 0), EXPECTED.map((value) => value + 1000));
      const alone = await loadHere(path, { roots: [join(folder, "Pos10")] });
      equal(alone.summary.scenes.length, 1);
    });
  }
});

Deno.test("reads the records before the place where metadata.txt ends", async () => {
  await inFolder(async (put, folder) => {
    const text = JSON.stringify(metadata(name1));
    write(put, "Pos0", name1, text.slice(0, text.lastIndexOf("FrameIndex")));
    const path = join(folder, "Pos0", name1(0, 0, 0));
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["metadata_damaged"]);
    match(summary.warnings[0]!.text, /"metadata.txt" .*it ends within "FrameKey-1-1-1"/);
    deepEqual(summary.channels.map(({ name }) => name), ["GFP/a", "DAPI"]);
    deepEqual(await planesOf(path), EXPECTED);
  });
});

Deno.test("goes by the names of files where metadata.txt disagrees, and says so", async () => {
  await inFolder(async (put, folder) => {
    const change = { "FrameKey-0-0-1": recordOf(1, 0, 1, name1(0, 0, 1)) };
    write(put, "Pos0", name1, JSON.stringify(metadata(name1, SUMMARY, change)));
    const path = join(folder, "Pos0", name1(0, 0, 0));
    const { summary } = await loadHere(path);
    match(
      summary.warnings[0]!.text,
      /other indices than the names of 1 files, which count: "img_000000000_GFP-a_001/,
    );
    deepEqual(codesOf(summary.warnings), ["metadata_disagree"]);
    deepEqual(await planesOf(path), EXPECTED);
  });
});

Deno.test("names the missing files of separate images, and serves the others", async () => {
  await inFolder(async (put, folder) => {
    write(put, "Pos0", name1, JSON.stringify(metadata(name1)));
    Deno.removeSync(join(folder, "Pos0", name1(1, 0, 0)));
    const path = join(folder, "Pos0", name1(0, 0, 0));
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["file_missing", "planes_missing"]);
    await rejects(() => planesOf(path), /T=1 C=0 Z=0 has no file in "Pos0"/);
  });
});

Deno.test("opens a single image where metadata.txt is not a document of Micro-Manager", async () => {
  await inFolder(async (put, folder) => {
    write(put, "Pos0", name1, "notes of a day");
    const { summary } = await loadHere(join(folder, "Pos0", name1(0, 0, 0)));
    // The names alone still say where planes belong.
    deepEqual(summary.axes.map(({ size }) => size), [2, 2, 2, 3, 4]);
    deepEqual(codesOf(summary.warnings), ["metadata_damaged"]);
  });
});

/** Beginnings of `metadata.txt` and what the warning says; each once stopped the worker, failed without a reason, or took minutes. */
const DAMAGED: Record<string, readonly [text: string, warned: RegExp | null]> = {
  "blanks that end in a word": [`{"Summary": {}${" ".repeat(1 << 20)}x`, /damaged at/],
  "blanks alone": [" ".repeat(1 << 20), /is damaged|it is empty/],
  "no byte": ["", /it is empty/],
  "zeros alone": ["\0".repeat(5000), /nothing but zeros/],
  "a zero in place of a blank": ['{"Summary":\0{}}', /damaged at|ends within/],
  "a zero after its end": ['{"Summary": {}}\0', /damaged at 15/],
  "nine megabytes of entries, and a cut": [
    `{"Summary": {}${`,"a": {"b": "${"c".repeat(900)}"}`.repeat(10_000)},"d`,
    /it ends at \d+/,
  ],
  "quotes in a string that does not end": [
    `{"Summary": {"a": "${'\\"'.repeat(1 << 20)}`,
    /ends within "Summary"/,
  ],
  "a string of megabytes": [`{"Summary": {"a": "${"a".repeat(8 << 20)}"}}`, /more than 1048576 bytes/],
  "a key with an unknown escape": ['{"Summary": {}, "a\\qb": {}}', /not JSON/],
  "a key with a line feed": ['{"Summary": {}, "a\nb": {}}', /not JSON/],
  "a key of a megabyte": [`{"Summary": {}, "${"a".repeat(1 << 20)}": {}}`, /damaged at/],
  "a deep object": [`{"Summary": ${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}`, /nested more than 256/],
  "more entries than a folder has files": [`{"a":1${',"a":1'.repeat(300_000)}}`, /more than 200001 entries/],
};

for (const [name, [text, warned]] of Object.entries(DAMAGED)) {
  Deno.test(`opens separate images beside metadata.txt with ${name}`, async () => {
    await inFolder(async (put, folder) => {
      write(put, "Pos0", name1, text);
      const { summary } = await loadHere(join(folder, "Pos0", name1(0, 0, 0)));
      deepEqual(codesOf(summary.warnings), warned === null ? [] : ["metadata_damaged"]);
      if (warned !== null) match(summary.warnings[0]!.text, warned);
    });
  });
}

Deno.test("keeps a summary of 900 KB, as a plate of 2,000 positions has", async () => {
  await inFolder(async (put, folder) => {
    const summary = { InitialPositionList: ["x".repeat(900_000)], ...SUMMARY };
    write(put, "Pos0", name1, JSON.stringify(metadata(name1, summary)));
    const { summary: { warnings, axes } } = await loadHere(join(folder, "Pos0", name1(0, 0, 0)));
    deepEqual(warnings, []);
    equal(axes.at(-1)!.step, 0.325);
  });
});

Deno.test("reads records behind many megabytes of others, whatever blanks stand between them", async () => {
  await inFolder(async (put, folder) => {
    const { Summary, ...records } = metadata(name1);
    // 12 MiB: no window holds the file.
    const others = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`Other-${i}`, { a: "x".repeat(300_000 + i) }]),
    );
    const whole = { Summary, ...others, ...records };
    for (
      const [name, text] of Object.entries({
        none: JSON.stringify(whole),
        lines: JSON.stringify(whole, null, 2),
        returns: JSON.stringify(whole, null, 1).replaceAll("\n", "\r\n"),
      })
    ) {
      write(put, name, name1, text);
      const { summary: { warnings, times } } = await loadHere(join(folder, name, name1(0, 0, 0)));
      deepEqual(warnings, [], name);
      // As the records say, which come last.
      deepEqual(times, [0, 0.5], name);
    }
  });
});

Deno.test("serves the positions of one folder as scenes", async () => {
  await inFolder(async (put, folder) => {
    const at = (position: number): NameOf => (t, c, z) =>
      name2(t, c, z).replace("position000", `position${padded(position, 3)}`);
    const text = JSON.stringify(metadata(at(0)));
    write(put, "Default", at(0), text);
    write(put, "Default", at(2), text, 1000);
    const path = join(folder, "Default", at(2)(1, 0, 0));
    const { summary } = await loadHere(path);
    deepEqual(summary.scenes.map(({ name }) => name), ["Position 0", "Position 2"]);
    equal(summary.scene, 1);
    deepEqual(await planesOf(path), EXPECTED.map((value) => value + 1000));
    deepEqual(await planesOf(path, 0), EXPECTED);
    deepEqual(await listedApart(join(folder, "Default")), []);
  });
});

/** Whether each separate image in a folder but the first is a part of it; the names of those that are not. */
async function listedApart(folder: string, isApart: boolean | null = false): Promise<string[]> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /tiff?$/.test(name))
    .sort();
  const [main, ...others] = names.map((name) => join(folder, name));
  const answers = await arePartsOf(
    others.map((path) => ({ format: "tif", path, main: main! })),
    null,
    new StopFlag(),
  );
  return others.filter((_, i) => answers[i] === isApart);
}

Deno.test("lists a set that cannot be opened after 16 of its files fail, the others by their names", async () => {
  await inFolder(async (put, folder) => {
    for (let i = 0; i < 40; i += 1) put(`img_${padded(i, 9)}_DAPI_000.tif`, plane(i));
    // More planes than an acquisition may have.
    put("img_999999999_DAPI_999.tif", plane(0));
    put("metadata.txt", "{}");
    // The main file is the first failure.
    equal((await listedApart(folder)).length, 15);
    equal((await listedApart(folder, null)).length, 25);
  });
});

Deno.test("warns about two files of one plane, and serves the first by name", async () => {
  await inFolder(async (put, folder) => {
    write(put, "Pos0", name1, JSON.stringify(metadata(name1)));
    put(join("Pos0", `${name1(0, 1, 0)}f`), plane(77));
    const path = join(folder, "Pos0", name1(0, 0, 0));
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["planes_repeated"]);
    match(summary.warnings[0]!.text, /"img_000000000_DAPI_000.tiff" \(as "img_000000000_DAPI_000.tif"\)/);
    deepEqual(await planesOf(path), EXPECTED);
    deepEqual(await listedApart(join(folder, "Pos0")), []);
  });
});

Deno.test("refuses files of more channels than an image may have", async () => {
  await inFolder(async (put, folder) => {
    for (let i = 0; i < 1001; i += 1) put(`Pos0/img_000000000_c${i}_000.tif`, plane(i));
    put("Pos0/metadata.txt", "{}");
    await rejects(
      () => loadHere(join(folder, "Pos0", "img_000000000_c0_000.tif")),
      /1001 channels, more than 1000/,
    );
  });
});

Deno.test("finds the positions beside a folder among thousands of others", async () => {
  await inFolder(async (put, folder) => {
    const text = JSON.stringify(metadata(name1, { ...SUMMARY, UUID: "a" }));
    for (let i = 0; i < 2500; i += 1) put(`note${padded(i, 4)}`, "");
    write(put, "scan1", name1, text);
    write(put, "scan2", name1, text);
    const { summary } = await loadHere(join(folder, "scan2", name1(0, 0, 0)));
    deepEqual(summary.scenes.map(({ name }) => name), ["scan1", "scan2"]);
    deepEqual(codesOf(summary.warnings), ["scenes_left_out"]);
  });
});

Deno.test("warns where summary and records of separate images give other pixel sizes, and about further pages", async () => {
  await inFolder(async (put, folder) => {
    const first = { ...recordOf(0, 0, 0, name1(0, 0, 0)), PixelSizeUm: 0.65 };
    write(put, "Pos0", name1, JSON.stringify(metadata(name1, SUMMARY, { "FrameKey-0-0-0": first })));
    const strip = new Uint8Array(24);
    put(join("Pos0", name1(0, 0, 0)), tiffOf(GRAY, [[strip], [strip]]));
    const { summary } = await loadHere(join(folder, "Pos0", name1(1, 0, 0)));
    equal(summary.axes.at(-1)!.step, 0.325);
    deepEqual(codesOf(summary.warnings), ["metadata_disagree", "content_left_out"]);
    match(
      summary.warnings[0]!.text,
      /^A pixel has 0.325 um in the summary, 0.65 um in the metadata of the first plane/,
    );
  });
});

Deno.test("counts the channels that the summary of separate images declares", async () => {
  await inFolder(async (put, folder) => {
    write(put, "Pos0", name1, JSON.stringify(metadata(name1, { ...SUMMARY, Channels: 3 })));
    const { summary } = await loadHere(join(folder, "Pos0", name1(0, 0, 0)));
    deepEqual(summary.axes.map(({ size }) => size), [2, 3, 2, 3, 4]);
    deepEqual(codesOf(summary.warnings).sort(), ["channel_missing", "planes_missing"]);
  });
});
