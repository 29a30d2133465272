/** Acquisitions of several TIFF files: their places, and missing or foreign files. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { filledPages, grayLayout, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { MAX_RECENT } from "../../readers/tiff/plane_files.ts";
import { loadHere, openHere } from "../load_here.ts";
import { NO_LINKS } from "../no_links.ts";
import { firstsAt, firstsOf } from "../planes.ts";
import { seen, seenIn } from "../seen.ts";
import { inFolder, temporaryFolder } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** A file whose pages are filled with `value`, `value + 1` and so on. */
const pageFile = (value: number, description?: string, layout: TiffLayout = GRAY, pages = 1) =>
  filledPages(pages, description === undefined ? [] : [[270, 2, description]], value, layout);

/** OME-XML of one channel per named file, whose UUID is `urn:uuid:` and its number. */
const ome = (names: readonly string[], own: number) =>
  omeXml(omeImage({ SizeC: names.length }, names.map((name, c) => tiffData({ FirstC: c }, name, c))), own);

Deno.test("OME-XML names files in folders relative to its own", () =>
  inFolder(async (put, folder) => {
    const names = ["master.ome.tif", "p/a.ome.tif", "q\\a.ome.tif"];
    const path = put("master.ome.tif", pageFile(10, ome(names, 0)));
    put("p/a.ome.tif", pageFile(11));
    put("q/a.ome.tif", pageFile(12));
    // A file of the same name beside the opened one is not used.
    put("a.ome.tif", pageFile(99));
    equal(await seen(path), "C3; 10 11 12; ");
    // A folder outside the roots counts as missing.
    Deno.mkdirSync(join(folder, "root"));
    const inside = put("root/b.ome.tif", pageFile(10, ome(["b.ome.tif", "../p/a.ome.tif"], 0)));
    const limited = { channelIndices: [0], roots: [join(folder, "root")] };
    equal(await seen(inside, limited), "C2; 10; file_missing");
  }));

Deno.test("OME-XML: neither opens files outside its folder nor reveals whether they exist", () =>
  inFolder(async (put, folder) => {
    Deno.mkdirSync(join(folder, "set"));
    put("secret/x.tif", pageFile(66));
    const outside = join(folder, "secret/x.tif");
    for (const name of ["../secret/x.tif", "..\\secret\\x.tif", outside, "p/../../secret/x.tif"]) {
      for (const other of [name, name.replace("secret", "nothing")]) {
        const path = put("set/a.ome.tif", pageFile(10, ome(["a.ome.tif", other], 0)));
        equal(await seen(path, { channelIndices: [0] }), "C2; 10; file_missing");
        // Beside the document the last part of the name counts.
        put("set/x.tif", pageFile(11));
        equal(await seen(path), "C2; 10 11; name_left_folder");
        Deno.removeSync(join(folder, "set/x.tif"));
      }
    }
  }));

Deno.test("warns about a file found by its name alone, and rejects one of another set", () =>
  inFolder(async (put) => {
    const path = put("master.ome.tif", pageFile(10, ome(["master.ome.tif", "p/a.ome.tif"], 0)));
    put("a.ome.tif", pageFile(11, ome(["master.ome.tif", "p/a.ome.tif"], 1)));
    equal(await seen(path), "C2; 10 11; name_left_folder");
    put("a.ome.tif", pageFile(99, ome(["a.ome.tif"], 7)));
    await rejects(seen(path), /"a\.ome\.tif" is of another set: its UUID is "urn:uuid:7", not "urn:uuid:1"/);
    equal(await seen(path, { channelIndices: [0] }), "C2; 10; name_left_folder");
  }));

Deno.test("names a damaged file of an OME-TIFF set", () =>
  inFolder(async (put) => {
    const path = put("a.ome.tif", pageFile(10, ome(["b.ome.tif", "a.ome.tif"], 1)));
    put("b.ome.tif", new Uint8Array(3));
    await rejects(seen(path), /"b\.ome\.tif": the TIFF header at 0 \+ 8 ends after the file/);
    equal(await seen(path, { channelIndices: [1] }), "C2; 10; ");
  }));

Deno.test("finds the metadata of an OME set in a separate folder, or beside the file by name", () =>
  inFolder(async (put, folder) => {
    const only = `<OME UUID="urn:uuid:0"><BinaryOnly MetadataFile="meta\\set.companion.ome"/></OME>`;
    const path = put("a.ome.tif", pageFile(7, only));
    const document = (channel: string) =>
      ome(["../a.ome.tif"], 9).replace("<TiffData", `<Channel ID="Channel:0:0" Name="${channel}"/><TiffData`);
    const name = async () => (await loadHere(path)).summary.channels[0]!.name;
    put("meta/set.companion.ome", document("folder"));
    equal(await name(), "folder");
    put("set.companion.ome", document("beside"));
    equal(await name(), "folder");
    Deno.removeSync(join(folder, "meta/set.companion.ome"));
    equal(await name(), "beside");
  }));

/** Text of FluoView for line scans of 12 x 8 pixels. */
const textOf = (channels: number) =>
  [
    `"[General]"\t""`,
    `"Scan Mode"\t"XT"`,
    `"[Dimensions]"\t""`,
    `"X Dimension"\t"12, 0.0 - 3.0 [um], 0.25 [um/pixel]"`,
    `"Channel Dimension"\t"${channels} [Ch]"`,
    `"T Dimension"\t"1, 0.000 - 16.000 [ms], Interval FreeRun"`,
    `"[Image]"\t""`,
    `"Primary Dimensions"\t"X * T"`,
    `"Image Size"\t"12 * 8 [pixel]"`,
    ...Array.from({ length: channels }, (_, i) => `"[Channel ${i + 1}]"\t""`),
  ].join("\r\n");

Deno.test("leaves out a sibling of an Olympus scan that does not fit, and names it", () =>
  inFolder(async (put, folder) => {
    using outside = temporaryFolder();
    put("s.txt", textOf(2));
    const path = put("s_C001T001.tif", pageFile(10));
    const other = join(folder, "s_C002T001.tif");
    Deno.writeFileSync(outside.at("x.tif"), pageFile(11));
    const cases: readonly (() => void)[] = [
      () => Deno.writeFileSync(other, new Uint8Array(4)),
      () => Deno.writeFileSync(other, pageFile(11).subarray(0, 60)),
      () => Deno.writeFileSync(other, pageFile(11, undefined, { ...GRAY, height: 9, rowsPerStrip: 9 })),
      ...(NO_LINKS ? [] : [join(folder, "nowhere"), outside.at("x.tif")]).map((target) => () =>
        Deno.symlinkSync(target, other)
      ),
      () => Deno.mkdirSync(other),
    ];
    for (const make of cases) {
      make();
      equal(await seen(path, { roots: [folder] }), "C2; 10; file_unreadable channel_missing");
      Deno.removeSync(other, { recursive: true });
    }
  }));

Deno.test("names missing files of an Olympus set, and does not load a channel without planes", () =>
  inFolder(async (put, folder) => {
    for (const channel of [1, 2]) {
      for (const time of [1, 2, 3]) put(`s_C00${channel}T00${time}.tif`, pageFile(channel * 10 + time));
    }
    const path = join(folder, "s_C001T002.tif");
    equal(await seen(path), "T3 C2; 11 21; ");
    Deno.removeSync(join(folder, "s_C002T003.tif"));
    equal(await seen(path), "T3 C2; 11 21; file_missing");
    Deno.removeSync(join(folder, "s_C002T001.tif"));
    const one = await loadHere(path);
    deepEqual([seenIn(one), one.summary.position.t], ["T3 C2; 12 22; file_missing opened_elsewhere", 1]);
    equal(await seen(path, { channelIndices: [0] }), "T3 C2; 11; file_missing");
    Deno.removeSync(join(folder, "s_C002T002.tif"));
    put("s_C003T003.tif", pageFile(33));
    const last = await loadHere(join(folder, "s_C003T003.tif"));
    equal(seenIn(last), "T3 C3; 13 33; file_missing channel_missing opened_elsewhere");
    deepEqual(last.summary.channels.map(({ name }) => name), ["CH1", "CH2", "CH3"]);
    deepEqual(last.summary.loaded.map(({ index }) => index), [0, 2]);
    await rejects(seen(path, { channelIndices: [1] }), /channel 1 \("CH2"\) has no plane/);
  }));

Deno.test("ignores files of other names beside an Olympus set", () =>
  inFolder(async (put) => {
    put("s.txt", textOf(2));
    const path = put("s_C001T001.tif", pageFile(10));
    put("s_C002T001.tif", pageFile(20));
    for (const name of ["s_overview.tif", "s_x_C003T001.tif", "sC003T001.tif", "t_C003T001.tif"]) {
      put(name, pageFile(90));
    }
    put("s_C003T001.png", pageFile(90));
    const loaded = await loadHere(path);
    equal(seenIn(loaded), "C2; 10 20; ");
    // The two files of pixels and the text.
    equal(loaded.summary.fileSize, 2 * pageFile(10).length + textOf(2).length);
  }));

Deno.test("warns when a set in folders was copied into one folder", () =>
  inFolder(async (put) => {
    const names = ["sub/a.ome.tif", "sub2/a.ome.tif"];
    put("set.companion.ome", omeXml(names.map((name) => omeImage({}, tiffData({}, name)))));
    const only = omeXml(`<BinaryOnly MetadataFile="set.companion.ome"/>`);
    equal(await seen(put("a.ome.tif", pageFile(2, only))), "; 2; name_left_folder");
  }));

Deno.test("reads every file of a set with more files than stay open", () =>
  inFolder(async (put) => {
    const count = MAX_RECENT + 6;
    const planes = Array.from({ length: count }, (_, t) => tiffData({ FirstT: t }, `${t}.ome.tif`, t));
    const xml = omeXml(omeImage({ SizeT: count }, planes), 0);
    const path = put("0.ome.tif", pageFile(100, xml));
    for (let t = 1; t < count; t += 1) put(`${t}.ome.tif`, pageFile(100 + t));
    await openHere(path, async (acquisition) => {
      deepEqual(acquisition.warnings, []);
      const order = Array.from({ length: count }, (_, t) => t);
      for (const t of [...order, ...order, 0, count - 1, 0]) {
        deepEqual(await firstsAt(acquisition, { t }), [100 + t]);
      }
    });
  }));

Deno.test("FirstC counts samples if one is too large for a channel index", () =>
  inFolder(async (put) => {
    const text = (step: number) =>
      omeXml(omeImage({ SizeC: 12 }, [0, 1, 2, 3].map((c) => tiffData({ IFD: c, FirstC: c * step }))));
    for (const step of [1, 3]) {
      const path = put("rgb.ome.tif", pageFile(5, text(step), { ...GRAY, samples: 3 }, 4));
      deepEqual(firstsOf(await loadHere(path)), [5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8]);
    }
  }));

Deno.test("OME-XML: serves no plane from a place outside the sizes", () =>
  inFolder(async (put) => {
    const cases: [attributes: Record<string, number | string>[], expected: string][] = [
      // With one channel, channel 1 of time 0 has the number of channel 0 at time 1.
      [[{ IFD: 1, FirstT: 1 }, { IFD: 2, FirstC: 1 }], "T2; 10 11; content_left_out"],
      [[{ IFD: 1, FirstT: 1 }, { IFD: 2, FirstT: 2 }], "T2; 10 11; content_left_out"],
      [[{ IFD: 1, FirstT: 1, PlaneCount: 2 }], "T2; 10 11; content_left_out"],
      // No plane has a negative index.
      [[{ IFD: 1, FirstT: 1 }, { IFD: 2, FirstT: -1 }], "T2; 10 11; content_left_out"],
      [[{ IFD: 2, FirstT: 7 }], "T2; 10; content_left_out planes_missing content_left_out"],
    ];
    for (const [rest, expected] of cases) {
      const data = [{ IFD: 0 }, ...rest].map((attributes) => tiffData(attributes));
      const path = put("a.ome.tif", pageFile(10, omeXml(omeImage({ SizeT: 2 }, data)), GRAY, 3));
      const loaded = await loadHere(path);
      const at = await openHere(path, async (acquisition) => {
        const firsts = [];
        for (const t of [0, 1]) firsts.push(...await firstsAt(acquisition, { t }).catch(() => []));
        return firsts;
      });
      equal(seenIn(loaded).replace("; 10;", `; ${at.join(" ")};`), expected);
    }
    // Planes without pages of their own, such as those of a series that was shortened.
    const cut = omeImage({ SizeT: 2 }, ["<TiffData/>", `<Plane TheT="2" TheC="0" TheZ="0"/>`]);
    equal(await seen(put("a.ome.tif", pageFile(10, omeXml(cut), GRAY, 2))), "T2; 10; metadata_disagree");
  }));

Deno.test("OME-XML: of several places of a plane, serves one that exists, and warns", () =>
  inFolder(async (put) => {
    const check = async (data: readonly string[], expected: string) =>
      equal(
        await seen(put("a.ome.tif", pageFile(10, omeXml(omeImage({}, data), 0), GRAY, 2))),
        expected,
        data.join(""),
      );
    const [first, second, beyond] = [0, 1, 5].map((IFD) => tiffData({ IFD }));
    await check([first!, second!], "; 11; planes_repeated");
    await check([second!, first!], "; 10; planes_repeated");
    // Neither a page nor a file that is missing hides one that exists, in either order.
    await check([second!, beyond!], "; 11; planes_missing planes_repeated content_left_out");
    await check([beyond!, second!], "; 11; planes_missing planes_repeated content_left_out");
    const gone = tiffData({ IFD: 0 }, "gone.ome.tif", 7);
    await check([second!, gone], "; 11; planes_repeated content_left_out file_missing");
    await check([gone, second!], "; 11; planes_repeated content_left_out file_missing");
    put("damaged.ome.tif", new Uint8Array(9));
    const damaged = tiffData({ IFD: 0 }, "damaged.ome.tif", 7);
    await check([second!, damaged], "; 11; planes_repeated content_left_out");
    // Without a count, both name one plane.
    await check(
      ['<TiffData IFD="1"/>', '<TiffData IFD="5"/>'],
      "; 11; planes_missing planes_repeated content_left_out",
    );
    // One place that is named twice.
    await check([second!, second!, first!, first!].slice(0, 2), "; 11; content_left_out");
  }));

Deno.test("OME-XML: warns about pages that it does not name, unless they are not planes", () =>
  inFolder(async (put) => {
    const small = { ...GRAY, width: 6, height: 4 };
    const check = async (data: readonly string[], expected: string, layout = GRAY) => {
      const xml = omeXml(omeImage({ SizeT: 2, SizeX: layout.width, SizeY: layout.height }, data));
      equal(await seen(put("a.ome.tif", pageFile(10, xml, layout, 4))), expected, data.join(""));
    };
    const at = (...pages: number[]) => pages.map((IFD, t) => tiffData({ FirstT: t, IFD }));
    await check(at(0, 1), "T2; 10; content_left_out");
    await check(at(0, 3), "T2; 10; content_left_out");
    await check(at(2, 3), "T2; 12; content_left_out");
    await check([tiffData({ PlaneCount: 2 })], "T2; 10; content_left_out", small);
    const all = [omeImage({ SizeT: 2 }, at(0, 1)), omeImage({ SizeT: 2 }, at(3, 2))];
    equal(await seen(put("a.ome.tif", pageFile(10, omeXml(all), GRAY, 4))), "T2; 10; ");
  }));
