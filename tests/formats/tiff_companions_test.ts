/** TIFF sets that a document beside them describes: `.companion.ome`, and `Experiment.xml` of ThorImage. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { DecodeFailed } from "../../readers/errors.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { type Field, filledPages, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { firstsAt } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const GRAY = grayLayout(12, 8, 16);

/** A page filled with a value. */
const page = (value: number, description?: string) =>
  filledPages(1, description === undefined ? [] : [[270, 2, description]], value, GRAY);

/** Two images of two channels each, a file for each plane. */
const COMPANION = omeXml([0, 1].map((image) =>
  omeImage(
    { SizeC: 2, PhysicalSizeX: 0.5, PhysicalSizeY: 0.5 },
    [0, 1].map((c) => tiffData({ FirstC: c }, `f${image}c${c}.tif`, `${image}${c}`)),
    { Name: `field ${image}` },
  )
));

const binaryOnly = (uuid: string) =>
  `<OME UUID="urn:uuid:${uuid}"><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:9"/></OME>`;

Deno.test("opens a set by its companion document", () =>
  inFolder(async (put, folder) => {
    const path = put("set.Companion.OME", COMPANION);
    for (const [i, name] of ["f0c0", "f0c1", "f1c0", "f1c1"].entries()) put(`${name}.tif`, page(10 + i));
    const opened = async (scene: number | null) => {
      const { summary, planes } = await loadHere(path, { scene });
      return [summary.scene, summary.scenes.map(({ name }) => name), planes.map((plane) => plane[0])];
    };
    deepEqual(await opened(null), [0, ["field 0", "field 1"], [10, 11]]);
    deepEqual(await opened(1), [1, ["field 0", "field 1"], [12, 13]]);
    const { summary } = await loadHere(path);
    deepEqual([summary.format, summary.path, summary.warnings], ["tif", path, []]);
    deepEqual(summary.axes.map(({ step, unit }) => [step, unit]), [[1, "Pixels"], [0.5, "um"], [0.5, "um"]]);
    const bytes = [...Deno.readDirSync(folder)].map(({ name }) => Deno.statSync(join(folder, name)).size);
    equal(summary.fileSize, bytes.reduce((sum, size) => sum + size));
    await openHere(path, (acquisition) => {
      deepEqual(collectDocuments(acquisition).map(({ name }) => name), ["set.Companion.OME"]);
    });
  }));

Deno.test("keeps channels and scenes of a companion whose first files are absent", () =>
  inFolder(async (put) => {
    const path = put("set.companion.ome", COMPANION);
    put("f0c1.tif", page(11, binaryOnly("01")));
    put("f1c0.tif", page(12, binaryOnly("10")));
    const { summary, planes } = await loadHere(path);
    deepEqual([summary.channels.length, summary.loaded.map(({ index }) => index)], [2, [1]]);
    deepEqual(planes.map((plane) => plane[0]), [11]);
    ok(summary.warnings.some(({ code }) => code === "channel_missing"));
  }));

Deno.test("rejects a companion document that names no file or is not one", () =>
  inFolder(async (put) => {
    const open = (content: string | Uint8Array) => loadHere(put("set.companion.ome", content));
    await rejects(open(COMPANION), /no file that OME-XML names exists/);
    await rejects(open("<OME><BinaryOnly MetadataFile='a'/></OME>"), /OME-XML describes no image/);
    await rejects(open("text"), /"set\.companion\.ome" holds no OME-XML/);
    await rejects(open(""), DecodeFailed);
    await rejects(open(page(1)), /"set\.companion\.ome" holds no OME-XML/);
    // The file of a plane is not a TIFF.
    put("f0c0.tif", "x".repeat(99));
    await rejects(open(COMPANION), /does not start with a TIFF header/);
  }));

Deno.test("opens a set by a companion document without a stem, and by its file", () =>
  inFolder(async (put) => {
    const image = omeImage(
      { SizeC: 2, PhysicalSizeX: 0.5 },
      '<TiffData PlaneCount="2"><UUID FileName="a.ome.tif"/></TiffData>',
    );
    const path = put("companion.ome", omeXml(image));
    const tiff = put(
      "a.ome.tif",
      filledPages(2, [[270, 2, '<OME><BinaryOnly MetadataFile="companion.ome"/></OME>']], 3, GRAY),
    );
    for (const opened of [path, tiff, put("Companion.OME", omeXml(image))]) {
      const { summary, planes } = await loadHere(opened);
      deepEqual([summary.format, summary.axes.at(-1)!.step], ["tif", 0.5]);
      deepEqual(planes.map((plane) => plane[0]), [3, 4]);
    }
    // Other documents of this extension are none of a set.
    await rejects(loadHere(put("other.ome", omeXml(image))), /"other\.ome" is of no known format/);
  }));

/** What differs between the ThorImage data sets of the tests. */
interface ThorImage {
  /** Attributes of the scan. */
  readonly scan?: Readonly<Record<string, string | number>>;
  readonly date?: string;
  readonly streams?: number;
  readonly interval?: number;
  readonly Z?: number;
  readonly pixel?: string;
  readonly increment?: number;
}

/** `Experiment.xml` of ThorImage LS 5.0, cut to the parts that are read. */
function experiment({ scan = {}, date = DATE, streams = 1, interval = 0 }: ThorImage = {}): string {
  const frame = { areaMode: 0, pixelX: 12, pixelY: 8, averageMode: 0, averageNum: 5, timeBasedLineScan: 0 };
  const written = Object.entries({ ...frame, pixelSizeUM: 0.884, frameRate: 13.967, ...scan })
    .map(([name, value]) => `${name}="${value}"`).join(" ");
  return `<?xml version="1.0"?>\n<ThorImageExperiment><Date ${date} /><ZStage stepSizeUM="2" />` +
    `<Timelapse timepoints="3" intervalSec="${interval}" /><LSM ${written} />` +
    `<Streaming enable="${streams}" /></ThorImageExperiment>`;
}

const DATE = `date="10/18/2023 13:39:19" uTime="1697650759"`;

/** OME-XML as ThorImage writes it: without a time increment, the date in universal time. */
const thorOme = (
  { Z = 1, pixel = `PhysicalSizeX="0.884" PhysicalSizeY="0.884"`, increment = 0 }: ThorImage = {},
) =>
  `<OME><Image ID="Image:0" AcquiredDate="2023-10-18T17:39:20.262-00:00"><Pixels DimensionOrder="XYCZT" SizeX="12" ` +
  `SizeY="8" SizeC="1" SizeT="2" SizeZ="${Z}" ${pixel} PhysicalSizeZ="2" TimeIncrement="${increment}" Type="uint16">` +
  `<TiffData/></Pixels></Image></OME>`;

const withThorImage = <T>(set: ThorImage, document: string, use: (path: string) => Promise<T>) =>
  inFolder((put) => {
    put("Experiment.xml", document);
    const fields = (page: number): Field[] => page === 0 ? [[270, 2, thorOme(set)]] : [];
    return use(put("ChanA_001.tif", tiffBytes(GRAY, () => 7n, 2 * (set.Z ?? 1), fields)));
  });

/** Steps, date and codes of warnings of a file beside an `Experiment.xml`. */
const described = (set: ThorImage = {}, document = experiment(set)) =>
  withThorImage(set, document, async (path) => {
    const { summary } = await loadHere(path);
    const steps = summary.axes.map(({ name, step, unit }) =>
      unit === "Pixels" ? `${name}?` : step.toPrecision(5)
    );
    return {
      steps: steps.join(" "),
      moment: `${summary.date} ${summary.time}`,
      codes: codesOf(summary.warnings).join(" "),
    };
  });

// A frame takes 1 / 13.967 s.
const STEPS = "0.071597 0.88400 0.88400";
const UNTIMED = "T? 0.88400 0.88400";

Deno.test("ThorImage: takes frame rate and local date from Experiment.xml", async () => {
  deepEqual(await described(), { steps: STEPS, moment: "20231018 13:39:19", codes: "" });
  await withThorImage({}, experiment(), (path) =>
    openHere(path, (acquisition) => {
      deepEqual(collectDocuments(acquisition).map(({ name, mediaType }) => [name, mediaType]), [
        ["ImageDescription (270)", "application/xml"],
        ["Experiment.xml", "application/xml"],
      ]);
    }));
});

Deno.test("ThorImage: compares OME-XML with Experiment.xml", async (t) => {
  const disagree = "metadata_disagree";
  // The increment of 0 in OME-XML, and the lack of another step.
  const unknown = "step_unknown step_unknown";
  const rows: [string, ThorImage, string, string][] = [
    ["averageNum with averageMode", { scan: { averageMode: 1 } }, "0.35799 0.88400 0.88400", ""],
    ["averageNum of 0", { scan: { averageMode: 1, averageNum: 0 } }, STEPS, ""],
    ["sizes within 1 %", { scan: { pixelSizeUM: 0.89 } }, STEPS, ""],
    ["sizes that differ", { scan: { pixelSizeUM: 0.9 } }, STEPS, `${disagree} ${disagree}`],
    ["sizes that only Experiment.xml has", { pixel: "" }, STEPS, ""],
    ["an increment in OME-XML", { increment: 3 }, "3.0000 0.88400 0.88400", disagree],
    ["volumes: the rate is of frames", { Z: 2 }, "T? 2.0000 0.88400 0.88400", unknown],
    ["single frames at intervals", { streams: 0, interval: 9 }, UNTIMED, unknown],
    ["a document of other images", { scan: { pixelX: 512 } }, UNTIMED, `step_unknown ${disagree}`],
    ["no rate", { scan: { frameRate: 0 } }, UNTIMED, unknown],
    ["a line scan by its mark", { scan: { timeBasedLineScan: 1 } }, "0.071597 Y? 0.88400", "axes_assumed"],
    ["a line by its area", { scan: { areaMode: 3, pixelY: 1 } }, "0.071597 Y? 0.88400", "axes_assumed"],
    ["a rectangle", { scan: { areaMode: 1 } }, STEPS, ""],
  ];
  for (const [name, set, steps, codes] of rows) {
    await t.step(name, async () => {
      const found = await described(set);
      deepEqual([found.steps, found.codes], [steps, codes]);
    });
  }
  const documents = [[experiment().slice(0, -9), "metadata_damaged step_unknown"], [
    "<Experiment/>",
    "step_unknown",
  ]] as const;
  for (const [document, codes] of documents) {
    const found = await described({}, document);
    deepEqual([found.steps, found.codes], [UNTIMED, codes]);
  }
});

Deno.test("ThorImage: resolves month and day by the seconds since 1970", async () => {
  // 2023-10-08 and 2023-08-10, both at 13:39:19, in a zone four hours west.
  const at = async (date: string, iso: string) => {
    const uTime = Date.parse(`${iso}T17:39:19Z`) / 1000;
    return (await described({ date: `date="${date}" uTime="${uTime}"` })).moment;
  };
  equal(await at("10/08/2023 13:39:19", "2023-10-08"), "20231008 13:39:19");
  equal(await at("10/08/2023 13:39:19", "2023-08-10"), "20230810 13:39:19");
  equal(await at("8/10/2023 1:39:19 PM", "2023-08-10"), "20230810 13:39:19");
  // A date that fits neither way, or does not exist, is left out; the attribute of OME-XML is in UTC and not read.
  equal(await at("10/08/2023 13:39:19", "2020-01-01"), " ");
  equal((await described({ date: `date="31/31/2023 13:39:19"` })).moment, " ");
});

/** Names of a set of ThorImage 1: channel, well, site, slice and time point. */
const thorName = (c: number, z: number, t: number, well = 1) =>
  `Chan${"AB"[c]}_${[well, 1, z + 1, t + 1].map((n) => String(n).padStart(4, "0")).join("_")}.tif`;

/** Samples of a plane of a set of ThorImage 1. */
const thorSample = (c: number, z: number, t: number) => 100 * t + 10 * z + c + 1;

/** Writes such a set of 3 time points, 2 slices and 2 channels; the document of the first file alone has all names. */
function thorSet(put: (name: string, content: Uint8Array | string) => string, well = 1, add = 0): void {
  const all = [0, 1, 2].flatMap((t) => [0, 1].flatMap((z) => [0, 1].map((c) => [c, z, t] as const)));
  const named = all.map(([c, z, t]) =>
    `<TiffData FirstT="${t}" FirstZ="${z}" FirstC="${c}"><UUID FileName="${
      thorName(c, z, t, well)
    }">urn:uuid:${c}${z}${t}</UUID></TiffData>`
  );
  const pixels = {
    SizeC: 2,
    SizeZ: 2,
    SizeT: 3,
    PhysicalSizeX: 0.5,
    PhysicalSizeY: 0.5,
    PhysicalSizeZ: 1.5,
    TimeIncrement: 0,
  };
  for (const [c, z, t] of all) {
    const own = `<Plane TheT="${t}" TheZ="${z}" TheC="${c}" DeltaT="${1.25 * t + 0.01 * z}"/>`;
    const text = omeXml(omeImage(pixels, [own, ...c + z + t === 0 ? named : []]));
    put(thorName(c, z, t, well), page(thorSample(c, z, t) + add, text));
  }
}

Deno.test("ThorImage 1: opens a set of partial documents by any of its files", () =>
  inFolder(async (put, folder) => {
    thorSet(put);
    thorSet(put, 2, 1000);
    put(
      "Experiment.xml",
      `<ThorImageExperiment><Date date="05/16/2019"/><LSM pixelX="12" pixelY="8"/></ThorImageExperiment>`,
    );
    for (
      const [name, add] of [[thorName(0, 0, 0), 0], [thorName(1, 1, 2), 0], [
        thorName(0, 1, 1, 2),
        1000,
      ]] as const
    ) {
      const { summary } = await loadHere(join(folder, name));
      deepEqual(codesOf(summary.warnings), [], name);
      deepEqual([summary.date, summary.time, summary.times], ["20190516", "", [0, 1.25, 2.5]]);
      deepEqual(summary.axes.map(({ name, size, step }) => [name, size, step]), [
        ["T", 3, 1.25],
        ["C", 2, 1],
        ["Z", 2, 1.5],
        ["Y", 8, 0.5],
        ["X", 12, 0.5],
      ]);
      await openHere(join(folder, name), async (acquisition) => {
        for (const [t, z] of [[0, 0], [2, 1], [1, 0]] as const) {
          const expected = [0, 1].map((c) => thorSample(c, z, t) + add);
          deepEqual(await firstsAt(acquisition, { t, z }), expected, name);
        }
      });
    }
  }));

Deno.test("ThorImage 1: shows the plane of a file without its set at its own place", () =>
  inFolder(async (put, folder) => {
    thorSet(put);
    for (const { name } of [...Deno.readDirSync(folder)]) {
      if (name !== thorName(1, 1, 2)) Deno.removeSync(join(folder, name));
    }
    const { summary, planes } = await loadHere(join(folder, thorName(1, 1, 2)));
    deepEqual(summary.position, { t: 2, z: 1, l: 0 });
    deepEqual([summary.loaded.map(({ index }) => index), planes.map((plane) => plane[0])], [[1], [212]]);
    // Nothing is said of a number of pages that the file does not state.
    ok(
      summary.warnings.every(({ text }) => !/which has \d|directories/.test(text)),
      JSON.stringify(summary.warnings),
    );
  }));
