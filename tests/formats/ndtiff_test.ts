/** NDTiff data sets: one that the `ndtiff` package wrote and read, and small ones with what that package does not write. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { dirname, join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { PlaneNotFound } from "../../readers/errors.ts";
import { sizesOf } from "../../readers/reader.ts";
import { concat } from "../fixtures/bytes.ts";
import { expectedFile, FIXTURES } from "../fixtures/expected.ts";
import { ndtiffFiles, type NDTiffImage, recordOf } from "../fixtures/ndtiff_writer.ts";
import { grayLayout } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { firstsAt, placeOf, positionsOf, sizesIn } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";

const FIXTURE = join(FIXTURES, "ndtiff/explored");

const GRAY = grayLayout(6, 4, 16);

/** Writes a data set into a folder of its own, which is removed afterwards. */
const withSet = (
  files: ReadonlyMap<string, Uint8Array>,
  use: (folder: string) => void | Promise<void>,
  below = "set",
): Promise<void> =>
  inFolder((put, root) => {
    for (const [name, bytes] of files) put(join(below, name), bytes);
    return use(join(root, below));
  });

const STACK = "set_NDTiffStack.tif";

/** Names of the scenes and codes of the warnings of an open, with the first sample of each loaded plane. */
async function opened(path: string, scene: number | null = null) {
  const { summary, planes } = await loadHere(path, { scene });
  return {
    ...summary,
    names: summary.scenes.map(({ name }) => name),
    codes: summary.warnings.map(({ code }) => code),
    firsts: planes.map((plane) => plane[0]),
    channelNames: summary.channels.map(({ name }) => name),
  };
}

Deno.test("opens a data set by each of its files", async () => {
  const whole = await loadHere(FIXTURE);
  for (const name of ["NDTiff.index", "explored_NDTiffStack.tif"]) {
    deepEqual((await loadHere(join(FIXTURE, name))).planes, whole.planes, name);
  }
  // The last file holds nothing but images of the second position.
  equal((await loadHere(join(FIXTURE, "explored_NDTiffStack_2.tif"))).summary.scene, 1);
});

Deno.test("lists size, documents and existing planes of a data set", async () => {
  for (const { index, planes, sizes } of expectedFile("ndtiff", "explored").scenes) {
    await openHere(FIXTURE, (acquisition) => {
      const names = collectDocuments(acquisition).map(({ name }) => name);
      deepEqual(names, ["NDTiff summary", "MicroManagerMetadata (51123)"]);
      const files = [...Deno.readDirSync(FIXTURE)].map(({ name }) => Deno.statSync(join(FIXTURE, name)));
      equal(acquisition.fileSize, files.reduce((sum, { size }) => sum + size, 0));
      for (const at of positionsOf(sizes)) {
        const { channel, ...position } = placeOf(at);
        equal(acquisition.holds!(channel, position), at in planes, at);
      }
    }, index);
  }
});

Deno.test("opens a position without its first time point at its first stored one", async () => {
  const found = await opened(FIXTURE, 1);
  deepEqual(found.position, { t: 1, z: 0, l: 0 });
  // An image was taken again.
  deepEqual(found.codes, ["planes_repeated", "planes_missing", "opened_elsewhere"]);
});

/** Images with these axes, whose first samples are 100, 101 and so on. */
const imagesOf = (...axes: readonly object[]): NDTiffImage[] =>
  axes.map((one, i) => ({ axes: one, first: 100 + i, note: { PixelSizeUm: 0.5 } }));

Deno.test("reads tiles and unknown axes as scenes, never as focus planes", async (t) => {
  const step = "step_unknown";
  const assumed = "axes_assumed";
  const rows: [string, object[], string, string, string][] = [
    ["tiles", [{ row: 3, column: -4 }, { row: 0, column: 0 }], "row 3, column -4; row 0, column 0", "", ""],
    ["numbered positions", [{ position: 1 }, { position: 0 }], "position 1; position 0", "", ""],
    ["a free axis", [{ l: 5, Z: 1 }, { l: 2, Z: 0 }, { l: 5, Z: 0 }], "l 5; l 2", "Z2", `${assumed} ${step}`],
    ["a free axis of one value", [{ l: 5, Z: 1 }, { l: 5, Z: 0 }], "", "Z2", step],
    ["a free axis that some lack", [{ position: "a" }, { position: "a", k: "x" }], "a; a, k x", "", assumed],
    ["z beside Z", [{ z: 0, Z: 0 }, { z: 1, Z: 5 }], "Z 0; Z 5", "Z2", `${assumed} ${step}`],
    ["texts along time", [{ time: "b" }, { time: "a" }, { time: 7 }], "", "T3", step],
  ];
  for (const [name, axes, scenes, sizes, codes] of rows) {
    await t.step(name, () =>
      withSet(ndtiffFiles(GRAY, imagesOf(...axes)), async (folder) => {
        const found = await opened(folder);
        const others = found.codes.filter((code) => code !== "planes_missing" && code !== "opened_elsewhere");
        deepEqual([found.names.join("; "), sizesIn(found), others.join(" ")], [scenes, sizes, codes]);
      }));
  }
});

Deno.test("sorts numbers in ascending order, then texts in the order of their images", () =>
  withSet(ndtiffFiles(GRAY, imagesOf(...["b", 10, "a", 2].map((time) => ({ time })))), async (folder) => {
    await openHere(folder, async (acquisition) => {
      const found = await Promise.all([0, 1, 2, 3].map((t) => firstsAt(acquisition, { t })));
      // 2, 10, "b", "a"
      deepEqual(found, [[103], [101], [100], [102]]);
    });
  }));

Deno.test("reads every sample type", async (t) => {
  const rows: [number, number, number, string, string[], number[]][] = [
    [0, 8, 1, "uint8", ["CH1"], [200]],
    [1, 16, 1, "uint16", ["CH1"], [200]],
    [2, 8, 3, "uint8", ["Red", "Green", "Blue"], [200, 201, 202]],
    [3, 16, 1, "uint16", ["CH1"], [200]],
    [6, 16, 1, "uint16", ["CH1"], [200]],
  ];
  for (const [type, bits, samples, sampleType, names, firsts] of rows) {
    for (const version of [2, 3]) {
      await t.step(`type ${type}, version ${version}`, () => {
        const layout = { ...grayLayout(6, 4, bits), samples };
        const note = { PixelSizeUm: 0.5 };
        const images = [{ axes: { time: 0 }, first: 200, note }];
        return withSet(ndtiffFiles(layout, images, { type, version }), async (folder) => {
          const found = await opened(folder);
          equal(found.channels[0]!.sampleType, sampleType);
          deepEqual([found.channelNames, found.firsts, found.codes], [names, firsts, []]);
          // Without the index, the tags say the same.
          Deno.removeSync(join(folder, "NDTiff.index"));
          const bare = await opened(join(folder, STACK));
          deepEqual([bare.channelNames, bare.firsts, bare.codes], [names, firsts, ["metadata_missing"]]);
        });
      });
    }
  }
});

Deno.test("joins continued files without an index", () => {
  const images = [0, 1, 2].map((time): NDTiffImage => ({
    axes: { time, position: time === 2 ? "b" : "a" },
    first: 100 + time,
    file: time,
    note: { PixelSizeUm: 0.5, "ElapsedTime-ms": 40 * time },
  }));
  return withSet(ndtiffFiles(GRAY, images), async (folder) => {
    Deno.removeSync(join(folder, "NDTiff.index"));
    // The last file holds the second position.
    const found = await opened(join(folder, "set_NDTiffStack_2.tif"));
    deepEqual([found.names, found.scene, found.firsts], [["a", "b"], 1, [102]]);
    ok(found.codes.includes("metadata_missing"));
    deepEqual((await opened(join(folder, STACK))).firsts, [100]);
  });
});

Deno.test("warns about a file that no record names and reads its tags", () =>
  withSet(ndtiffFiles(GRAY, imagesOf({ z: 0 }, { z: 1 })), async (folder) => {
    Deno.renameSync(join(folder, STACK), join(folder, "mine.tif"));
    const found = await opened(join(folder, "mine.tif"));
    equal(found.codes[0], "metadata_disagree");
    match(found.warnings[0]!.text, /names no image of "mine\.tif" but "set_NDTiffStack\.tif": .* renamed/);
    deepEqual([sizesOf(found.axes), found.firsts], [{ Z: 2, Y: 4, X: 6 }, [100]]);
    await rejects(opened(folder), /"NDTiff\.index" names "set_NDTiffStack\.tif", which does not exist/);
  }));

Deno.test("opens tiled data by the folder above, and warns about a reduced level", () =>
  withSet(ndtiffFiles(GRAY, imagesOf({ row: 0, column: 0 })), async (folder) => {
    const found = await opened(dirname(folder));
    deepEqual([found.path, found.format, found.firsts], [dirname(folder), "tif", [100]]);
    const reduced = join(dirname(folder), "Downsampled_x2");
    Deno.mkdirSync(reduced);
    Deno.copyFileSync(join(folder, STACK), join(reduced, STACK));
    const level = await opened(join(reduced, STACK));
    deepEqual(level.codes, ["metadata_missing", "reduced_level"]);
    deepEqual(level.axes.map(({ unit }) => unit), ["Pixels", "Pixels"]);
  }, "Full resolution"));

Deno.test("reads pages without metadata as scenes", () => {
  const files = ndtiffFiles(GRAY, imagesOf({ z: 0 }, { z: 1 }));
  const bytes = files.get(STACK)!;
  const text = new TextDecoder("latin1").decode(bytes);
  for (let at = text.indexOf('"Axes"'); at >= 0; at = text.indexOf('"Axes"', at + 1)) bytes[at + 1] = 0x61;
  files.delete("NDTiff.index");
  return withSet(files, async (folder) => {
    const found = await opened(join(folder, STACK));
    deepEqual([found.names, sizesOf(found.axes)], [["page 0", "page 1"], { Y: 4, X: 6 }]);
    deepEqual(found.codes, ["metadata_missing", "axes_assumed"]);
  });
});

Deno.test("rejects planes of a truncated or missing image file", async (t) => {
  const images = [0, 1, 2].map((time): NDTiffImage => ({
    axes: { time, channel: "a" },
    first: 100 + time,
    file: time === 2 ? 0 : 1,
    note: { PixelSizeUm: 0.5, "ElapsedTime-ms": 40 * time },
  }));
  /** Refuses the plane of a time point. */
  const refused = (folder: string, t: number, error: RegExp | typeof PlaneNotFound) =>
    openHere(folder, (acquisition) => rejects(firstsAt(acquisition, { t }), error));
  const step = (name: string, use: (folder: string, path: string) => Promise<void>) =>
    t.step(name, () =>
      withSet(
        ndtiffFiles(GRAY, images),
        (folder) => use(folder, join(folder, "set_NDTiffStack_1.tif")),
      ));
  await step("missing: the planes of the others are served", async (folder, path) => {
    Deno.removeSync(path);
    const found = await opened(folder);
    deepEqual([found.position.t, found.firsts], [2, [102]]);
    deepEqual(found.codes, ["file_missing", "planes_missing", "step_unknown", "opened_elsewhere"]);
    await refused(folder, 0, /no stored image .*; missing files: "set_NDTiffStack_1\.tif"/);
  });
  await step("cut before an image: it is not there; inside of one: it is damaged", async (folder, path) => {
    const view = new DataView(Deno.readFileSync(join(folder, "NDTiff.index")).buffer);
    // The second record: length, axes, length, name, offset.
    const first = 4 + view.getUint32(0, true) + 4 + path.length - folder.length - 1 + 32;
    const at = first + 4 + view.getUint32(first, true) + 4 + path.length - folder.length - 1;
    const offset = view.getUint32(at, true);
    for (const [size, error] of [[offset + 9, /ends after the file/], [offset, PlaneNotFound]] as const) {
      Deno.truncateSync(path, size);
      await refused(folder, 1, error);
    }
  });
  await step("another file under its name is refused by name", async (folder, path) => {
    Deno.writeTextFileSync(path, "x".repeat(5000));
    await rejects(opened(join(folder, STACK)), /"set_NDTiffStack_1\.tif": the file does not start/);
  });
});

Deno.test("rejects a truncated, damaged or hostile index", async (t) => {
  const files = ndtiffFiles(GRAY, imagesOf({ time: 0 }, { time: 1 }, { time: 2 }));
  const whole = files.get("NDTiff.index")!;
  const record = whole.length / 3;
  const [offset, noteOffset, noteLength] = [0, 5, 6].map((word) =>
    new DataView(whole.buffer).getUint32(record - 32 + 4 * word, true)
  ) as [number, number, number];
  const numbers = [offset, 6, 4, 1, 0, noteOffset, noteLength, 0];
  const two = whole.subarray(0, 2 * record);
  const open = (index: Uint8Array, use: (folder: string) => Promise<void>) =>
    withSet(new Map([...files, ["NDTiff.index", index]]), use);
  const step = (name: string, index: Uint8Array, use: (folder: string) => Promise<void>) =>
    t.step(name, () => open(index, use));
  const inAxes = /at the record at \d+ of \d+ bytes: its axes at \d+ end after the file/;
  const ended: [string, Uint8Array, RegExp][] = [
    ["cut inside the axes", whole.subarray(0, 2 * record + 9), inAxes],
    ["axes of 4 GB", concat(two, new Uint8Array(4).fill(255)), /its axes have 4294967295 bytes/],
    [
      "axes that are not JSON",
      concat(two, recordOf("{time:2}", STACK, numbers)),
      /its axes (are not a JSON object|is not JSON)/,
    ],
  ];
  for (const [name, index, message] of ended) {
    await step(name, index, async (folder) => {
      const found = await opened(folder);
      deepEqual([sizesIn(found), found.firsts], ["T2", [100]]);
      match(found.warnings.find(({ code }) => code === "metadata_damaged")?.text ?? "", message);
    });
  }
  await step(
    "zeros after the last record are not damage",
    concat(whole, new Uint8Array(9000)),
    async (folder) => {
      deepEqual((await opened(folder)).codes, ["step_unknown"]);
    },
  );
  const holed = whole.slice();
  holed.fill(0, record, record + 4);
  await step("a length of zero inside the index does not end it in silence", holed, async (folder) => {
    const found = await opened(folder);
    deepEqual([sizesIn(found), found.firsts], ["", [100]]);
    match(
      found.warnings.find(({ code }) => code === "metadata_damaged")?.text ?? "",
      /zeros stand in place of its axes/,
    );
  });
  await step("an empty index is replaced by the tags", new Uint8Array(0), async (folder) => {
    const found = await opened(folder);
    deepEqual([sizesIn(found), found.codes], ["T3", ["metadata_disagree", "step_unknown"]]);
  });
  const refused: [string, readonly number[], RegExp][] = [
    ["an unknown type", numbers.with(3, 9), /6 x 4 pixels of type 9/],
    ["too many pixels", numbers.with(1, 2 ** 31).with(2, 2 ** 31), /2147483648 x 2147483648 pixels/],
    ["more pixels than the file", numbers.with(2, 4_000_000), /ends after the file/],
  ];
  for (const [name, words, message] of refused) {
    const index = recordOf({ time: 0 }, STACK, words);
    await step(name, index, (folder) => rejects(opened(folder), message));
  }
  for (const words of [numbers.with(1, 3), numbers.with(3, 0)]) {
    const index = concat(two, recordOf({ time: 2 }, STACK, words));
    await step("a plane of another size or type than the first is refused alone", index, async (folder) => {
      deepEqual((await opened(folder)).firsts, [100]);
      await openHere(
        folder,
        (acquisition) => rejects(firstsAt(acquisition, { t: 2 }), /unlike the first plane/),
      );
    });
  }
  const offsetOfSecond = new DataView(whole.buffer).getUint32(2 * record - 32, true);
  const again = concat(whole, recordOf({ time: 0 }, STACK, numbers.with(0, offsetOfSecond)));
  await step("the last of two records of one image counts", again, async (folder) => {
    const { firsts, codes } = await opened(folder);
    deepEqual([firsts, codes.includes("planes_repeated")], [[101], true]);
  });
  const lost = concat(whole, recordOf({ time: 0 }, STACK, numbers.with(0, 1 << 30)));
  await step("a record of an image that is not stored hides no other one", lost, async (folder) => {
    const { firsts, codes } = await opened(folder);
    deepEqual([firsts, codes.includes("planes_repeated")], [[100], false]);
  });
  // At 0 lies the header.
  const unwritten = concat(whole, recordOf({ time: 3 }, STACK, numbers.with(0, 0)));
  await step("an image at the header is not stored", unwritten, async (folder) => {
    await openHere(
      folder,
      (acquisition) =>
        rejects(firstsAt(acquisition, { t: acquisition.axes[0]!.size - 1 }), { tag: "plane_not_found" }),
    );
  });
  await t.step("looks up names with folders only beside the index", async () => {
    for (const name of [`../${STACK}`, `C:\\data\\${STACK}`, `//host/${STACK}`]) {
      await open(recordOf({ time: 0 }, name, numbers), async (folder) => {
        deepEqual((await opened(folder)).firsts, [100]);
        Deno.renameSync(join(folder, STACK), join(dirname(folder), STACK));
        await rejects(opened(folder), /which does not exist/);
      });
    }
  });
});

Deno.test("warns about steps that differ between two sources", async (t) => {
  const image = (z: number, pixel: number, height: number): NDTiffImage => ({
    axes: { z },
    first: 100,
    note: { PixelSizeUm: pixel, ZPosition_um_Intended: height, "Z-Position": "6.0000" },
  });
  const two = [image(0, 0.5, 3), image(1, 0.5, 5)];
  const rows: [string, NDTiffImage[], object, string, string][] = [
    ["alike", two, { PixelSize_um: 0.504, "z-step_um": 2.01 }, "", "2 0.5 0.5"],
    ["pixels", two, { PixelSize_um: 0.6 }, "metadata_disagree", "2 0.5 0.5"],
    ["slices", two, { "z-step_um": -3 }, "metadata_disagree", "2 0.5 0.5"],
    ["downwards", [image(0, 0.5, 5), image(1, 0.5, 3)], {}, "", "2 0.5 0.5"],
    ["uneven", [image(0, 0.5, 0), image(1, 0.5, 1), image(2, 0.5, 4)], {}, "step_uneven", "2 0.5 0.5"],
    ["a pixel of exactly 1", [image(0, 1, 0), image(1, 1, 1)], {}, "step_unknown", "1 1 1"],
    ["no size", [image(0, 0, 0), image(1, 0, 1)], {}, "step_unknown", "1 1 1"],
  ];
  for (const [name, images, summary, codes, steps] of rows) {
    await t.step(name, () =>
      withSet(ndtiffFiles(GRAY, images, { summary }), async (folder) => {
        const found = await opened(folder);
        deepEqual([found.codes.join(" "), found.axes.map(({ step }) => step).join(" ")], [codes, steps]);
      }));
  }
});
