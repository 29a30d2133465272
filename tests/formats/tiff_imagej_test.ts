/** Descriptions with the lines of ImageJ, by ImageJ, Bio-Formats, tifffile and SCIFIO. */
import { deepEqual, equal } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { concat, words } from "../fixtures/bytes.ts";
import { type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type LoadedHere, loadHere, openHere } from "../load_here.ts";
import { firstsOf, planesAt } from "../planes.ts";
import { seenIn } from "../seen.ts";
import { withFiles } from "../temporary_files.ts";

/** Some pages of 5 x 4 pixels, of which each sample is 10 times the number of its page and its own number. */
interface Pages {
  readonly pages: number;
  readonly samples?: number;
  readonly bits?: number;
  readonly planar?: boolean;
}

const TYPE = { ascii: 2, short: 3, long: 4, bytes: 7 };

function file(
  text: string,
  { pages, samples = 1, bits = 8, planar = false }: Pages,
  more: readonly Field[] = [],
): Uint8Array<ArrayBuffer> {
  const layout = { ...grayLayout(5, 4, bits), samples, planar };
  return tiffBytes(layout, (_x, _y, sample, page) => BigInt(10 * page + sample), pages, (page) => [
    [262, TYPE.short, [samples === 3 ? 2 : samples === 4 ? 5 : 1]],
    [270, TYPE.ascii, page === 0 ? text : ""],
    ...page === 0 ? more : [],
  ]);
}

const load = (text: string, pages: Pages): Promise<LoadedHere> =>
  withFiles({ "a.tif": file(text, pages) }, (path) => loadHere(path));

/** As {@linkcode seenIn}, with the samples of all channels at the last position. */
async function seenAtEnd(text: string, pages: Pages): Promise<string> {
  return await withFiles({ "a.tif": file(text, pages) }, async (path) => {
    const loaded = await loadHere(path);
    const last = await openHere(path, (acquisition) => {
      const end = (letter: string) => (acquisition.axes.find(({ name }) => name === letter)?.size ?? 1) - 1;
      return planesAt(acquisition, { t: end("T"), z: end("Z"), l: end("L") });
    });
    return `${seenIn(loaded)}| ${firstsOf({ planes: last }).join(" ")}`;
  });
}

const bioFormats = (images: number, channels: number, slices: number, frames: number) =>
  `ImageJ=\nhyperstack=true\nimages=${images}\nchannels=${channels}\nslices=${slices}\nframes=${frames}`;

const imageJ = (...lines: string[]) => ["ImageJ=1.54f", ...lines, ""].join("\n");

Deno.test("Bio-Formats: counts samples as channels, never other time points or slices", async () => {
  const cases: [text: string, pages: Pages, expected: string][] = [
    [bioFormats(3, 3, 1, 1), { pages: 1, samples: 3 }, "C3; 0 1 2; | 0 1 2"],
    [bioFormats(9, 3, 1, 3), { pages: 3, samples: 3 }, "T3 C3; 0 1 2; | 20 21 22"],
    [bioFormats(9, 3, 3, 1), { pages: 3, samples: 3, planar: true }, "C3 Z3; 0 1 2; | 20 21 22"],
    [bioFormats(18, 3, 2, 3), { pages: 6, samples: 3 }, "T3 C3 Z2; 0 1 2; | 50 51 52"],
    [bioFormats(16, 4, 4, 1), { pages: 4, samples: 4 }, "C4 Z4; 0 1 2 3; | 30 31 32 33"],
    // Two channels, each in colours.
    [bioFormats(12, 6, 1, 2), { pages: 4, samples: 3 }, "T2 C6; 0 1 2 10 11 12; | 20 21 22 30 31 32"],
    // The file ends early, or another series follows.
    [bioFormats(9, 3, 1, 3), { pages: 2, samples: 3 }, "T3 C3; 0 1 2; planes_missing"],
    [bioFormats(3, 3, 1, 1), { pages: 3, samples: 3 }, "C3; 0 1 2; content_left_out| 0 1 2"],
    [bioFormats(6, 2, 3, 1), { pages: 6 }, "C2 Z3; 0 10; | 40 50"],
  ];
  for (const [text, pages, expected] of cases) {
    const seen = expected.includes("missing")
      ? seenIn(await load(text, pages))
      : await seenAtEnd(text, pages);
    equal(seen, expected, text);
  }
  const { summary } = await load(bioFormats(9, 3, 1, 3), { pages: 3, samples: 3 });
  deepEqual(summary.channels.map(({ name }) => name), ["Red", "Green", "Blue"]);
});

Deno.test("ImageJ: reads the planes of a composite that is stored as RGB48", async () => {
  const one: Pages = { pages: 1, samples: 3, bits: 16 };
  const cases: [lines: string[], pages: Pages, expected: string][] = [
    [["images=3", "channels=3", "mode=composite"], one, "C3; 0 1 2; | 0 1 2"],
    [["images=3", "channels=3", "mode=grayscale"], one, "C3; 0 1 2; | 0 1 2"],
    [["channels=3", "mode=color"], one, "C3; 0 1 2; | 0 1 2"],
    [
      ["images=9", "channels=3", "frames=3", "hyperstack=true"],
      { ...one, pages: 3 },
      "T3 C3; 0 1 2; | 20 21 22",
    ],
    // The samples of a pixel are frames or slices.
    [["images=3", "frames=3", "mode=composite"], one, "T3; 0; | 2"],
    [["frames=3", "mode=composite"], one, "T3; 0; | 2"],
    [["images=3", "slices=3", "mode=composite"], one, "Z3; 0; | 2"],
  ];
  for (const [lines, pages, expected] of cases) {
    equal(await seenAtEnd(imageJ(...lines), pages), expected, `${lines}`);
  }
});

Deno.test("ImageJ, tifffile: reads pages of colours as images of their own", async () => {
  const cases: [lines: string[], pages: Pages, expected: string][] = [
    [["images=3", "slices=3"], { pages: 3, samples: 3 }, "C3 Z3; 0 1 2; | 20 21 22"],
    [["images=3", "frames=3"], { pages: 3, samples: 3 }, "T3 C3; 0 1 2; | 20 21 22"],
    [["images=6"], { pages: 2, samples: 3 }, "C3 Z2; 0 1 2; | 10 11 12"],
    [["images=6", "frames=2"], { pages: 2, samples: 3 }, "T2 C3; 0 1 2; | 10 11 12"],
    // Three channels, each in colours.
    [
      ["images=6", "channels=3", "frames=2", "hyperstack=true"],
      { pages: 6, samples: 3 },
      "T2 C9; 0 1 2 10 11 12 20 21 22; | 30 31 32 40 41 42 50 51 52",
    ],
  ];
  for (const [lines, pages, expected] of cases) {
    equal(await seenAtEnd(imageJ(...lines), pages), expected, `${lines}`);
  }
});

/** A description by SCIFIO; `axes` are `NAME length scale unit`, fastest first. */
function scifio(axes: readonly string[], ...lines: string[]): string {
  const columns = axes.map((axis) => axis.split(" "));
  const list = (i: number) => columns.map((column) => column[i]).join(",");
  return [
    "SCIFIO=0.46.0",
    `axes=${list(0)}`,
    `lengths=${list(1)}`,
    `scales=${list(2)}`,
    `units=${list(3)}`,
    "bitsPerPixel=12",
    ...lines,
    "hyperstack=true",
    "mode=composite",
    "unit=\\u00B5m",
    "",
  ].join("\n");
}

const [X, Y] = ["X 5 0.25 \\u00B5m", "Y 4 0.5 \\u00B5m"];

Deno.test("SCIFIO: takes axes, lengths, scales and units from its lists", async () => {
  const counted = (
    c: number,
    z: number,
    t: number,
  ) => [`images=${c * z * t}`, `channels=${c}`, `slices=${z}`, `frames=${t}`];
  const cases: [text: string, pages: Pages, expected: string][] = [
    [
      scifio([X, Y, "Z 2 -1.5 \\u00B5m", "Time 3 2.0 sec"], ...counted(1, 2, 3)),
      { pages: 6 },
      "T3 Z2; 0; | 50",
    ],
    [scifio([X, Y, "Time 3 500.0 ms", "Z 2 1.5 nm"], ...counted(1, 2, 3)), { pages: 6 }, "T3 Z2; 0; | 50"],
    // ImageJ would take the channels as the fastest axis.
    [
      scifio([X, Y, "Z 3 1.0 null", "Channel 2 1.0 null"], ...counted(2, 3, 1)),
      { pages: 6 },
      "C2 Z3; 0 30; | 20 50",
    ],
    [
      scifio([X, Y, "Channel 2 1.0 null", "Time 3 1.0 null"], ...counted(2, 1, 3)),
      { pages: 6 },
      "T3 C2; 0 10; | 40 50",
    ],
    [
      scifio(["Channel 3 1.0 null", X, Y, "Z 2 1.0 null"]),
      { pages: 2, samples: 3 },
      "C3 Z2; 0 1 2; | 10 11 12",
    ],
    [
      scifio([X, Y, "Channel 3 1.0 null", "Z 2 1.0 null"]),
      { pages: 2, samples: 3, planar: true },
      "C3 Z2; 0 1 2; | 10 11 12",
    ],
    [scifio([X, Y, "Spectra 3 10.0 nm", "Time 2 1.0 null"]), { pages: 6 }, "T2 L3; 0; | 50"],
    [scifio([X, Y, "Unknown 6 1.0 null"]), { pages: 6 }, "Z6; 0; axes_assumed| 50"],
    [
      scifio([X, Y, "Lifetime 2 1.0 null", "constructor 3 1.0 null"]),
      { pages: 6 },
      "Z6; 0; axes_assumed| 50",
    ],
  ];
  for (const [text, pages, expected] of cases) equal(await seenAtEnd(text, pages), expected, text);
  const stepsOf = async (text: string) =>
    (await load(text, { pages: 6 })).summary.axes.map(({ name, step, unit }) => `${name} ${step} ${unit}`)
      .join(", ");
  equal(await stepsOf(cases[0]![0]), "T 2 seconds, Z 1.5 um, Y 0.5 um, X 0.25 um");
  equal(await stepsOf(cases[1]![0]), "T 0.5 seconds, Z 0.0015 um, Y 0.5 um, X 0.25 um");
  equal(await stepsOf(cases[2]![0]), "C 1 Pixels, Z 1 Pixels, Y 0.5 um, X 0.25 um");
  equal(await stepsOf(cases[7]![0]), "Z 1 Pixels, Y 0.5 um, X 0.25 um");
});

Deno.test("SCIFIO: serves rows in time as a line scan", async () => {
  const { summary } = await load(scifio([X, "Time 4 2.0 msec"]), { pages: 1 });
  equal(summary.lineScan?.secondsPerLine, 0.002);
  equal(
    summary.axes.map(({ name, step, unit }) => `${name} ${step} ${unit}`).join(),
    "Y 0.002 seconds,X 0.25 um",
  );
});

Deno.test("SCIFIO: warns about lists that are damaged or contradict the pages or the counts", async () => {
  const good = scifio([X, Y, "Z 2 1.0 null", "Time 3 1.0 null"], "images=6", "slices=2", "frames=3");
  const cases: [text: string, expected: string][] = [
    [good, "T3 Z2; 0; "],
    [good.replace("slices=2", "slices=3"), "T3 Z2; 0; metadata_disagree"],
    [good.replace("lengths=5,4,2,3", "lengths=5,4,2,4"), "T4 Z2; 0; metadata_disagree planes_missing"],
    [good.replace("lengths=5,4,2,3", "lengths=9,4,2,3"), "T3 Z2; 0; metadata_disagree"],
    [good.replace("lengths=5,4,2,3", "lengths=5,4,2"), "T3 Z2; 0; metadata_damaged"],
    [good.replace("lengths=5,4,2,3", "lengths=5,4,-2,x"), "T3 Z2; 0; metadata_damaged"],
    [good.replace("axes=X,Y,Z,Time", "axes=Y,Y,Z,Time"), "T3 Z2; 0; metadata_damaged"],
    [good.replace(/axes=.*\n/, ""), "T3 Z2; 0; "],
    [good.replace(/axes=.*\n/, `axes=${"X,".repeat(40)}Y\n`), "T3 Z2; 0; metadata_damaged"],
  ];
  for (const [text, expected] of cases) equal(seenIn(await load(text, { pages: 6 })), expected, text);
});

/** Tags 50838 and 50839 with the labels of slices, little-endian. */
function labelFields(labels: readonly string[]): Field[] {
  const texts = labels.map((label) => new Uint8Array(Buffer.from(label, "utf16le")));
  const header = words(0x494a494a, 0x6c61626c, labels.length);
  return [
    [50838, TYPE.long, [header.length, ...texts.map(({ length }) => length)]],
    [50839, TYPE.bytes, [...concat(header, ...texts)]],
  ];
}

Deno.test("ImageJ: names channels by slice labels with the indices of Bio-Formats", async () => {
  const text = imageJ("images=6", "channels=2", "slices=3", "hyperstack=true");
  const labels = (label: (c: number, z: number) => string) =>
    [1, 2, 3].flatMap((z) => [1, 2].map((c) => label(c, z)));
  const dye = ["", "DAPI", "GFP - wide"];
  const cases: [labels: string[], names: string, codes: string][] = [
    [labels((c, z) => `c:${c}/2 z:${z}/3 - ${dye[c]}`), "DAPI, GFP - wide", ""],
    [labels((c, z) => `c:${c}/2; z:${z}/3; - ${dye[c]}`), "DAPI, GFP - wide", ""],
    [labels((c, z) => `c:${c}/2 z:${z}/3 t:1/1 - ${dye[c]}\nsecond line`), "DAPI, GFP - wide", ""],
    [labels((c) => `c:${c}/2 - ${dye[c]}`), "DAPI, GFP - wide", ""],
    [labels((c) => dye[c]!), "DAPI, GFP - wide", ""],
    // The name of the image, no name at all, or a name that differs between slices.
    [labels((c, z) => `c:${c}/2 z:${z}/3 - cell.czi #1`), "CH1, CH2", ""],
    [labels((c, z) => `c:${c}/2 z:${z}/3`), "CH1, CH2", ""],
    [labels((c, z) => `c:${c}/2 z:${z}/3 - ${dye[c]} ${z}`), "CH1, CH2", ""],
    // A label that names another channel than the place of its plane.
    [labels((c, z) => `c:${3 - c}/2 z:${z}/3 - ${dye[c]}`), "DAPI, GFP - wide", "metadata_disagree"],
    // Indices in a stack from which channels were taken.
    [labels((c, z) => `c:${c + 1}/4 z:${z}/3 - ${dye[c]}`), "DAPI, GFP - wide", ""],
  ];
  for (const [list, names, codes] of cases) {
    const bytes = file(text, { pages: 6 }, labelFields(list));
    const { summary } = await withFiles({ "a.tif": bytes }, (path) => loadHere(path));
    equal(summary.channels.map(({ name }) => name).join(", "), names, list[0]);
    equal(summary.warnings.map(({ code }) => code).join(), codes, list[0]);
  }
});

Deno.test("a NUL in a line of ImageJ is a warning, wherever it changes what the line says", async () => {
  const lines = ["images=5", "frames=5", "hyperstack=true"];
  const whole = imageJ(...lines);
  const codesOf = async (text: string) =>
    (await load(text, { pages: 5 })).summary.warnings.map(({ code }) => code);
  deepEqual(await codesOf(whole), []);
  const from = whole.indexOf("frames=5");
  for (let at = from; at < from + "frames=5".length; at += 1) {
    const text = `${whole.slice(0, at)}\0${whole.slice(at + 1)}`;
    deepEqual((await codesOf(text)).includes("metadata_damaged"), true, JSON.stringify(text));
  }
});
