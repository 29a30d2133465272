/** Sets of files with one missing, damaged and hostile OIF and OIB: refused with what and where, or served exactly. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { UnsupportedFormat } from "../../readers/errors.ts";
import { checkCuts, refusal as refusalOf } from "../damage.ts";
import { writeCompound } from "../fixtures/compound_writer.ts";
import { grayLayout, tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { loadHere, type LoadOptions } from "../load_here.ts";
import { copy, inFolder, withFiles } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/oif");

/** Runs `work` with a copy of a fixture, changed. */
const withCopy = (
  name: string,
  change: (path: (file: string) => string) => void,
  work: (path: string) => Promise<void>,
): Promise<void> =>
  inFolder((_, folder) => {
    for (const part of name.endsWith(".oif") ? [name, `${name}.files`] : [name]) {
      copy(join(FIXTURES, part), join(folder, part));
    }
    change((file) => join(folder, file === "" ? name : join(`${name}.files`, file)));
    return work(join(folder, name));
  });

const refusal = (path: string, options?: LoadOptions) => refusalOf(loadHere(path, options));

/** Replaces text in a UTF-16 file. */
function replaceText(path: string, from: string | RegExp, to: string): void {
  const text = new TextDecoder("utf-16le").decode(Deno.readFileSync(path));
  const changed = text.replace(from, to);
  ok(changed !== text, `${from} is not in ${path}`);
  Deno.writeFileSync(path, Buffer.from(changed, "utf16le"));
}

const LAYOUT = grayLayout(6, 5, 16);

/** A plane whose samples count up from `first`. */
const plane = (first: number, change: Partial<TiffLayout> = {}) =>
  tiffBytes({ ...LAYOUT, ...change }, (x, y) => BigInt(first + x + 10 * y), 1);

Deno.test("an OIF without its folder names it", () =>
  withCopy(
    "interrupted.oif",
    (at) => Deno.removeSync(`${at("")}.files`, { recursive: true }),
    async (path) => {
      match(await refusal(path), /the folder "interrupted.oif.files" is not beside it/);
    },
  ));

Deno.test("an OIF whose folder has no planes is refused", () =>
  withCopy(
    "section.oif",
    (at) => ["s_C001.tif", "s_C002.tif"].forEach((name) => Deno.removeSync(at(name))),
    async (path) => {
      match(await refusal(path), /it has no images/);
    },
  ));

Deno.test("without the first plane of a channel a series opens where all channels have one", () =>
  withCopy("interrupted.oif", (at) => Deno.removeSync(at("s_C001T001.tif")), async (path) => {
    const whole = await loadHere(join(FIXTURES, "interrupted.oif"));
    // The file of channel 2 at the second time was never written.
    const { summary } = await loadHere(path);
    deepEqual([summary.position.t, summary.channels], [2, whole.summary.channels]);
    deepEqual(codesOf(summary.warnings), ["planes_missing", "opened_elsewhere"]);
    const first = await loadHere(path, { channelIndices: [1] });
    deepEqual([first.summary.position.t, first.planes], [0, whole.planes.slice(1)]);
  }));

Deno.test("a channel that is recorded and has no file at all is missing, not absent", () =>
  withCopy("section.oif", (at) => Deno.removeSync(at("s_C002.tif")), async (path) => {
    const { summary } = await loadHere(path);
    deepEqual(summary.channels.map(({ name }) => name), ["CH1", "CH2"]);
    deepEqual(summary.loaded.map(({ index }) => index), [0]);
    deepEqual(codesOf(summary.warnings), ["axis_replaced", "planes_missing", "channel_missing"]);
    // Nor is it another one where the first is missing.
    const folder = `${path}.files`;
    Deno.renameSync(join(folder, "s_C001.tif"), join(folder, "s_C002.tif"));
    const second = await loadHere(path);
    deepEqual(second.summary.channels, summary.channels);
    deepEqual(second.summary.loaded.map(({ index }) => index), [1]);
  }));

Deno.test("missing settings of planes cost the times alone", () =>
  withCopy("interrupted.oif", (at) => Deno.removeSync(at("s_C001T002.pty")), async (path) => {
    const { summary } = await loadHere(path);
    equal(summary.times, null);
    // 400 ms over four steps, as it was planned.
    equal(summary.axes[0]!.step, 0.1);
  }));

Deno.test("damaged settings of a plane and a damaged region are warnings", async () => {
  await withCopy(
    "interrupted.oif",
    (at) => Deno.writeTextFileSync(at("s_C001T001.pty"), "x"),
    async (path) => {
      const { summary } = await loadHere(path);
      deepEqual(codesOf(summary.warnings), [
        "planes_missing",
        "metadata_damaged",
        "metadata_damaged",
        "metadata_damaged",
      ]);
    },
  );
  await withCopy("line_scan.oif", (at) => Deno.writeTextFileSync(at("s_1234-5.roi"), "x"), async (path) => {
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["metadata_damaged"]);
    deepEqual([summary.reference!.lineRoi, summary.reference!.scanPath], [null, null]);
  });
});

Deno.test("a damaged reference image is left out with a warning", () =>
  withCopy("line_scan.oif", (at) => Deno.truncateSync(at("s_C002-R001.tif"), 200), async (path) => {
    const { summary, planes } = await loadHere(path);
    deepEqual([summary.reference, planes.length], [null, 2]);
    deepEqual(codesOf(summary.warnings), ["reference_unreadable"]);
  }));

Deno.test("a missing reference image renumbers no other channel of it", async () => {
  const whole = await loadHere(join(FIXTURES, "line_scan.oif"));
  await withCopy("line_scan.oif", (path) => Deno.removeSync(path("s_C001-R001.tif")), async (path) => {
    const { summary, referencePlanes } = await loadHere(path);
    deepEqual(summary.reference!.channels, whole.summary.reference!.channels.slice(1));
    deepEqual(referencePlanes, whole.referencePlanes.slice(1));
  });
});

Deno.test("of reference images along further axes the first is served, in whatever order they are listed", () =>
  withCopy("line_scan.oif", () => {}, async (path) => {
    const expected = await loadHere(path);
    // Capitals come before small letters in a folder.
    const { rows, columns } = expected.summary.reference!;
    const other = plane(9, { width: columns, height: rows, rowsPerStrip: rows });
    Deno.writeFileSync(join(`${path}.files`, "S_C001Z002-R001.tif"), other);
    deepEqual((await loadHere(path)).referencePlanes, expected.referencePlanes);
  }));

Deno.test("planes of another size or of other samples than the first are refused by name", async () => {
  const cases: [Partial<TiffLayout>, RegExp][] = [
    [{ width: 7 }, /"s_C002.tif": it is 7 x 5 x 1 of 16 bits, the first image 8 x 5 x 1 of 16 bits/],
    [{ width: 8, bits: 8 }, /"s_C002.tif": it is 8 x 5 x 1 of 8 bits/],
    [{ width: 8, samples: 3 }, /"s_C002.tif": it is 8 x 5 x 3 of 16 bits/],
    [{ width: 8, bits: 32 }, /"s_C002.tif": it is 8 x 5 x 1 of 32 bits/],
  ];
  for (const [change, message] of cases) {
    await withCopy(
      "section.oif",
      (at) => Deno.writeFileSync(at("s_C002.tif"), plane(0, change)),
      async (path) => {
        match(await refusal(path), message);
      },
    );
  }
});

Deno.test("a plane with lying dimensions or cut short is refused before anything is allocated", async () => {
  const width = (bytes: Uint8Array, value: number) => {
    const view = new DataView(bytes.buffer);
    const entries = view.getUint32(4, true) + 2;
    // The fields begin with ImageWidth or stand behind another tag.
    for (let at = entries;; at += 12) {
      if (view.getUint16(at, true) !== 256) continue;
      view.setUint16(at + 2, 4, true);
      view.setUint32(at + 8, value, true);
      return bytes;
    }
  };
  const cases: [Uint8Array, RegExp][] = [
    [width(plane(0, { width: 8 }).slice(), 0xffffffff), /"s_C001.tif".*4294967295 x 5 pixels, more than/],
    [width(plane(0, { width: 8 }).slice(), 100_000_000), /strip 0|unlike|StripByteCounts/],
    [plane(0, { width: 8 }).slice(0, 40), /"s_C001.tif"/],
    [new Uint8Array(0), /"s_C001.tif"/],
  ];
  for (const [bytes, message] of cases) {
    await withCopy("section.oif", (at) => Deno.writeFileSync(at("s_C001.tif"), bytes), async (path) => {
      match(await refusal(path, { channelIndices: [0] }), message);
    });
  }
});

Deno.test("sizes that the settings plan and no file has are not believed", () =>
  withCopy("interrupted.oif", (at) => {
    replaceText(at(""), /MaxSize=5/g, "MaxSize=2000000000");
    replaceText(at(""), /MaxSize=2\r/g, "MaxSize=999999\r");
  }, async (path) => {
    const { summary } = await loadHere(path);
    deepEqual(summary.axes.map(({ name, size }) => [name, size]), [["T", 3], ["C", 2], ["Y", 5], ["X", 6]]);
    deepEqual(codesOf(summary.warnings), ["planes_missing", "metadata_disagree"]);
  }));

Deno.test("a position far beyond the others is not searched for", () =>
  withCopy(
    "interrupted.oif",
    (at) => {
      for (const name of ["s_C001T001.tif", "s_C002T001.tif", "s_C002T003.tif"]) Deno.removeSync(at(name));
      Deno.copyFileSync(at("s_C001T003.tif"), at("s_C001T9999999.tif"));
    },
    async (path) => {
      match(await refusal(path), /the first 4000000 positions hold no plane of channel 1 \("CH2"\)/);
      equal((await loadHere(path, { channelIndices: [0] })).summary.position.t, 1);
    },
  ));

Deno.test("a channel far beyond the others is refused before any is named", () =>
  withCopy(
    "interrupted.oif",
    (at) => Deno.copyFileSync(at("s_C001T003.tif"), at("s_C9999999T003.tif")),
    async (path) => match(await refusal(path), /planes up to channel 9999999, more than 10000/),
  ));

Deno.test("an interrupted line scan has the lines that all channels have", () =>
  withCopy(
    "line_scan.oif",
    (at) => Deno.writeFileSync(at("s_C002.tif"), plane(1, { width: 11, height: 23, rowsPerStrip: 7 })),
    async (path) => {
      const { summary, planes } = await loadHere(path);
      equal(summary.rows, 23);
      deepEqual(codesOf(summary.warnings), ["lines_missing"]);
      const whole = await loadHere(join(FIXTURES, "line_scan.oif"));
      deepEqual(planes[0], whole.planes[0]!.slice(0, 23 * 11));
      equal(planes[1]![22 * 11 + 10], 1 + 10 + 220);
    },
  ));

Deno.test("regions are no scanned line where no line was scanned", () =>
  withCopy("line_scan.oif", (at) => replaceText(at(""), '"Line"', '"None"'), async (path) => {
    const { summary } = await loadHere(path);
    deepEqual([summary.reference!.lineRoi, summary.reference!.scanPath], [null, null]);
  }));

Deno.test("without their order the axes are those of frames, with a warning", () =>
  withCopy("section.oif", (at) => replaceText(at(""), "AxisOrder", "AxisOther"), async (path) => {
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["axes_assumed"]);
  }));

Deno.test("places on the stage are scenes, of which a plane opens its own", () =>
  withCopy("section.oif", (at) => {
    replaceText(at(""), '"XZC"', '"XYCP"');
    for (const name of ["s_C001.tif", "s_C002.tif"]) Deno.removeSync(at(name));
    for (const p of [1, 3]) Deno.writeFileSync(at(`s_C001P00${p}.tif`), plane(1000 * p, { width: 8 }));
    Deno.writeFileSync(at(`s_C002P003.tif`), plane(3500, { width: 8 }));
  }, async (path) => {
    const first = await loadHere(path, { channelIndices: [0] });
    deepEqual([first.summary.scene, first.summary.sceneCount, first.planes[0]![0]], [0, 2, 1000]);
    deepEqual(first.summary.scenes.map(({ name }) => name), ["Point 1", "Point 3"]);
    const own = await loadHere(join(`${path}.files`, "s_C002P003.tif"));
    deepEqual([own.summary.scene, own.planes[1]![0]], [1, 3500]);
  }));

Deno.test("any plane or reference image opens the acquisition, whatever the case of its names", () =>
  withCopy("line_scan.oif", () => {}, async (path) => {
    const expected = await loadHere(path);
    const folder = join(path, "../ODD.OIF.files");
    Deno.renameSync(path, join(path, "../odd.Oif"));
    Deno.renameSync(`${path}.files`, folder);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    for (const name of names) Deno.renameSync(join(folder, name), join(folder, name.toUpperCase()));
    for (const image of ["S_C002.TIF", "S_C001-R001.TIF", "S_C001.PTY"]) {
      const { planes, referencePlanes, summary } = await loadHere(join(folder, image));
      deepEqual([planes, referencePlanes], [expected.planes, expected.referencePlanes], image);
      deepEqual([summary.format, summary.axes], ["oif", expected.summary.axes]);
    }
  }));

Deno.test("settings that a link leads to outside the roots leave a plane alone", {
  ignore: Deno.build.os === "windows",
}, () =>
  withCopy("section.oif", () => {}, async (path) => {
    const roots = join(path, "../inside");
    Deno.mkdirSync(roots);
    Deno.renameSync(`${path}.files`, join(roots, "section.oif.files"));
    Deno.symlinkSync(path, join(roots, "section.oif"));
    const options = { roots: [await Deno.realPath(roots)] };
    const { summary } = await loadHere(join(roots, "section.oif.files/s_C002.tif"), options);
    equal(summary.format, "tif");
  }));

Deno.test("images in the folder that are no planes, or whose settings are missing, are opened alone", async () => {
  await withCopy("section.oif", (at) => Deno.writeFileSync(at("projection.tif"), plane(5)), async (path) => {
    const { summary, planes } = await loadHere(join(`${path}.files`, "projection.tif"));
    deepEqual([summary.format, planes[0]![0]], ["tif", 5]);
  });
  await withCopy("section.oif", (at) => Deno.removeSync(at("")), async (path) => {
    const { summary } = await loadHere(join(`${path}.files`, "s_C001.tif"));
    equal(summary.format, "tif");
    await rejects(loadHere(join(`${path}.files`, "s_C001.pty")), UnsupportedFormat);
  });
});

Deno.test({
  name: "a folder that a link leads to outside the roots is missing, and so are files in it",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withCopy("section.oif", () => {}, async (path) => {
      const roots = join(path, "../inside");
      Deno.mkdirSync(roots);
      Deno.renameSync(path, join(roots, "section.oif"));
      Deno.symlinkSync(`${path}.files`, join(roots, "section.oif.files"));
      const options = { roots: [await Deno.realPath(roots)] };
      match(await refusal(join(roots, "section.oif"), options), /is not beside it/);
      Deno.removeSync(join(roots, "section.oif.files"));
      Deno.mkdirSync(join(roots, "section.oif.files"));
      Deno.symlinkSync(join(`${path}.files`, "s_C001.tif"), join(roots, "section.oif.files", "s_C001.tif"));
      match(
        await refusal(join(roots, "section.oif"), options),
        /"s_C001.tif" is missing/,
      );
    }),
});

const info = (lines: string) => Buffer.from(`\ufeff[OibSaveInfo]\r\n${lines}`, "utf16le");

/** An OIB of one plane with this `OibInfo.txt`. */
const oib = (lines: string) =>
  writeCompound({
    "OibInfo.txt": info(lines),
    Stream00001: plane(70),
    Stream00002: Buffer.from("\ufeff[Axis Parameter Common]\r\nAxisOrder=XYC\r\n", "utf16le"),
  }).bytes;

const MAIN = "MainFileName=Stream00002\r\nStream00002=a.oif\r\n";

const withOib = (bytes: Uint8Array, work: (path: string) => Promise<void>, name = "a.oib") =>
  withFiles({ [name]: bytes }, (path) => work(path));

Deno.test("an OIB of one plane is read, under any name", async () => {
  for (const name of ["a.oib", "a.OIB", "a", "a.dat"]) {
    await withOib(oib(MAIN + "Stream00001=Storage00001/s_C001.tif\r\n"), async (path) => {
      const { planes, summary } = await loadHere(path);
      deepEqual([summary.format, planes[0]![0], summary.channels[0]!.name], ["oib", 70, "CH1"]);
    }, name);
  }
});

Deno.test("an OIB whose names do not lead to its streams is refused, or warned of", async () => {
  const cases: [string, RegExp][] = [
    [MAIN, /it has no images/],
    [MAIN + "Compression=Zip\r\n", /compressed streams \("Zip"\) are not supported/],
    ["Stream00001=s_C001.tif\r\n", /does not name the main settings/],
    ["MainFileName=Stream00009\r\n", /the stream "Stream00009" of the main settings is missing/],
    ["MainFileName=Stream00001\r\n", /is not a settings text|has no image/],
    [
      MAIN +
      "Stream00001=a/s_C001.tif\r\nStream00002=a\r\nStream1=\r\nOibInfo.txt=b/s_C001.tif\r\nStream00001 =x\r\n",
      /no images/,
    ],
  ];
  for (const [lines, message] of cases) {
    await withOib(oib(lines), async (path) => match(await refusal(path), message));
  }
  await withOib(oib(MAIN + "Stream00001=s_C001.tif\r\nStream00005=s_C002.tif\r\n"), async (path) => {
    const { summary } = await loadHere(path);
    deepEqual(codesOf(summary.warnings), ["file_missing"]);
  });
});

Deno.test("a compound file of another program is refused by its name, or not known", async () => {
  const { bytes } = writeCompound({ WordDocument: new Uint8Array(5000) });
  await withOib(bytes, async (path) => match(await refusal(path), /compound file without "OibInfo.txt"/));
  await withOib(bytes, (path) => rejects(loadHere(path), UnsupportedFormat), "letter.doc");
  await withOib(new Uint8Array(0), async (path) => match(await refusal(path), /the file is empty/));
});

Deno.test("a truncated OIB is refused or served exactly", async () => {
  const { refused } = await checkCuts("a.oib", Deno.readFileSync(join(FIXTURES, "path_scan_v3.oib")), 128);
  ok(refused > 80, `${refused}`);
});
