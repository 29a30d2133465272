/**
 * Files beside the opened one that cannot be read, in every format that has them. Where a call of the file system fails once, the
 * answer is that without the fault, a refusal, or carries a warning that names the file. Links out of the roots reveal nothing.
 */
import { deepEqual, notDeepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PathNotFound, ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { sizesOf } from "../../readers/reader.ts";
import { OVERVIEW, writeCollection, writeImage } from "../collection_tree.ts";
import { write } from "../fixtures/plain_store.ts";
import { CALLS, type Run, withFault } from "../file_faults.ts";
import { microManagerBytes, type MicroManagerPlane } from "../fixtures/micromanager_writer.ts";
import { scanImageBytes } from "../fixtures/scanimage_files.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { NO_LINKS } from "../no_links.ts";
import { hashAt, hashOf, positionsOf } from "../planes.ts";
import { copy, inFolder } from "../temporary_files.ts";

const CODES = ["EIO", "EMFILE", "ESTALE", "EACCES"];

const FIXTURES = join(import.meta.dirname!, "../fixtures");

/** Writes files into a folder and says which of them is opened. */
type Write = (folder: string) => string;

const GRAY = grayLayout(12, 8, 16);

const OLYMPUS_TEXT = ["[General]", "[Dimensions]", "X Dimension\t12, 0.0 - 3.0 [um], 0.25 [um/pixel]"].join(
  "\r\n",
);

/** Channels as files, with or without slices in each, and the text beside them. */
const olympus = (names: readonly string[], pages = 1): Write => (folder) => {
  names.forEach((name, i) =>
    Deno.writeFileSync(join(folder, name), tiffBytes(GRAY, (_x, _y, _s, page) => BigInt(i + page), pages))
  );
  Deno.writeTextFileSync(join(folder, "scan.txt"), OLYMPUS_TEXT);
  return names[0]!;
};

function microManager(folder: string): string {
  const summary = { Channels: 1, Slices: 1, Frames: 2, Positions: 1, ChNames: ["GFP"] };
  const planes: readonly MicroManagerPlane[] = [[0, 0, 0, 0, 7], [0, 0, 1, 0, 8]];
  ["a_MMStack.ome.tif", "a_MMStack_1.ome.tif"].forEach((name, i) =>
    Deno.writeFileSync(join(folder, name), microManagerBytes(GRAY, summary, [planes[i]!]))
  );
  return "a_MMStack.ome.tif";
}

function collection(folder: string): string {
  writeCollection(folder);
  return "images/0001";
}

const omeXml = (content: string) =>
  `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ` +
  `DimensionOrder="XYZCT" Type="uint16" SizeX="12" SizeY="8" SizeC="1" SizeZ="1" SizeT="2">${content}</Pixels></Image></OME>`;

/** A companion document and the two files that it names. */
function companion(folder: string): string {
  const named = ["a.tif", "b.tif"].map((name, t) => {
    Deno.writeFileSync(join(folder, name), tiffBytes(GRAY, () => BigInt(t), 1));
    return `<TiffData FirstT="${t}" IFD="0" PlaneCount="1"><UUID FileName="${name}">urn:uuid:${t}</UUID></TiffData>`;
  });
  write(join(folder, "set.companion.ome"), omeXml(named.join("")));
  return "set.companion.ome";
}

function thorImage(folder: string): string {
  write(
    join(folder, "Experiment.xml"),
    '<ThorImageExperiment><LSM pixelX="12" pixelY="8" frameRate="10" areaMode="0"/><Streaming enable="1"/></ThorImageExperiment>',
  );
  const description = omeXml("<TiffData/>");
  Deno.writeFileSync(
    join(folder, "ChanA_001.tif"),
    tiffBytes(GRAY, () => 7n, 2, (page) => page === 0 ? [[270, 2, description]] : []),
  );
  return "ChanA_001.tif";
}

function scanImage(folder: string): string {
  const header = [
    "SI.VERSION_MAJOR = 2021",
    "SI.hChannels.channelSave = 1",
    "SI.hScan2D.logFramesPerFile = 2",
  ];
  for (const number of [1, 2]) {
    const stamp = (frame: number) => {
      const counted = 2 * (number - 1) + frame + 1;
      return { number: counted, acquisition: 1, inAcquisition: counted, seconds: counted / 100 };
    };
    const bytes = scanImageBytes({ header, pages: 2, stamp, value: (page) => 10 * number + page });
    Deno.writeFileSync(join(folder, `scan_00001_0000${number}.tif`), bytes);
  }
  return "scan_00001_00002.tif";
}

/** A layout of bioformats2raw with two series and their OME-XML. */
function layout(folder: string): string {
  const group = (attributes: object) => ({ zarr_format: 3, node_type: "group", attributes });
  write(join(folder, "zarr.json"), group({ ome: { version: "0.5", "bioformats2raw.layout": 3 } }));
  write(join(folder, "OME/zarr.json"), group({ ome: { version: "0.5", series: ["0", "1"] } }));
  write(
    join(folder, "OME/METADATA.ome.xml"),
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="Cell"><Pixels/></Image></OME>',
  );
  for (const series of ["0", "1"]) writeImage(join(folder, series), OVERVIEW);
  return "";
}

/** What is opened: a path below the fixtures, or files that are written. */
const CASES: Readonly<Record<string, string | Write>> = {
  "a line scan of Prairie View, by its document":
    "prairie/LineScan-03052014-1015-007/LineScan-03052014-1015-007.xml",
  "a line scan of Prairie View, by an image":
    "prairie/LineScan-03142018-1454-2042/LineScan-03142018-1454-2042_Cycle00002_Ch1_000001.ome.tif",
  "a source image of Prairie View":
    "prairie/LineScan-03052014-1015-007/LineScan-03052014-1015-007-Cycle00001_Ch1Source.tif",
  "a series of Prairie View": "prairie/TSeries-01022020-1030-004/TSeries-01022020-1030-004.xml",
  "an Olympus TIFF with its text": olympus(["scan.tif"]),
  "an Olympus TIFF of pages": olympus(["scan.tif"], 3),
  "channels of an Olympus set": olympus(["scan_C001.tif", "scan_C002.tif"]),
  "slices of an Olympus set": olympus(["scan_C001Z001T001.tif", "scan_C001Z002T001.tif"]),
  "an OIF": "oif/line_scan.oif",
  "an OIF, by a plane": "oif/line_scan.oif.files/s_C002.tif",
  "an OIR with a continuation file": "oir/long.oir",
  "a split CZI": "czi/split (1).czi",
  "an OME-TIFF set": "tiff_scenes/set_b.ome.tif",
  "an OME-TIFF companion": companion,
  "a stack of Micro-Manager": microManager,
  "an NDTiff data set": "ndtiff/explored/explored_NDTiffStack_1.tif",
  "a part of a ScanImage acquisition": scanImage,
  "an image of ThorImage": thorImage,
  "an OME-Zarr image in a collection": collection,
  "a layout of OME-Zarr images": layout,
};

/** All that clients can see, and the warnings apart. */
async function answer(path: string, roots: readonly string[]) {
  const { summary: { warnings, ...summary }, planes, referencePlanes } = await loadHere(path, { roots });
  const served: Record<string, string> = {};
  // The load has the first planes; the last ones represent all others.
  const last = [...positionsOf(sizesOf(summary.axes))].slice(-summary.channels.length);
  if (!last[0]!.startsWith("0,0,0,")) {
    await openHere(
      path,
      async (acquisition) => {
        for (const at of last) {
          served[at] = await hashAt(acquisition, at).catch((error) => {
            if (error instanceof ReaderError) return error.tag;
            throw error;
          });
        }
      },
      null,
      new FileAccess(roots),
    );
  }
  return {
    warnings: warnings.map(({ text }) => text),
    summary,
    served,
    planes: [...planes, ...referencePlanes].map(hashOf),
  };
}

type Answer = Awaited<ReturnType<typeof answer>>;

/** Why an answer under a fault must not be given, or `null`. */
function objection({ result, failed }: Run<Answer>, sound: Answer, code: string): string | null {
  if ("error" in result) {
    const { error } = result;
    if (error instanceof ReaderError && error.tag === "decode_failed") return null;
    return error instanceof PathNotFound && code === "EACCES" ? null : `threw ${error}`;
  }
  const { warnings, served, ...others } = result.value;
  const { warnings: known, served: planes, ...same } = sound;
  // A plane of which the decode fails is refused by itself.
  const lost = Object.keys(planes).filter((at) =>
    served[at] !== planes[at] && served[at] !== "decode_failed"
  );
  if (lost.length === 0 && isDeepStrictEqual(others, same)) return null;
  const added = warnings.filter((text) => !known.includes(text)).join("; ");
  return failed !== null && added.includes(failed) ? null : `differs and warns only "${added}"`;
}

/** What clients see, or the refusal. */
const seen = (path: string, root: string): Promise<Answer | string> =>
  answer(path, [root]).catch((error) => {
    if (error instanceof ReaderError) return `${error.tag}: ${error.message}`;
    throw error;
  });

/** Paths of files and folders below a folder, outer ones first. */
function* entriesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield join(folder, name);
    if (isDirectory) yield* entriesBelow(join(folder, name));
  }
}

/**
 * Counts the neighbours of a file, and replaces each by a link out of the root. None is served, and files that exist outside look
 * like those that do not.
 */
async function checkLinks(path: string, root: string, outside: string): Promise<number> {
  const sound = await seen(path, root);
  let neighbours = 0;
  for (const entry of [...entriesBelow(root)].filter((entry) => !`${path}/`.startsWith(`${entry}/`))) {
    Deno.renameSync(entry, outside);
    if (!isDeepStrictEqual(await seen(path, root), sound)) {
      neighbours += 1;
      const answers = [];
      for (const target of [outside, `${outside}.none`]) {
        Deno.symlinkSync(target, entry);
        answers.push(await seen(path, root));
        Deno.removeSync(entry);
      }
      if (Deno.statSync(outside).isFile) deepEqual(answers[0], answers[1], entry);
      notDeepEqual(answers[0], sound, entry);
    }
    Deno.renameSync(outside, entry);
  }
  return neighbours;
}

for (const [name, from] of Object.entries(CASES)) {
  Deno.test(`${name}: does not take a failing call for a missing file`, () =>
    inFolder(async (_, folder) => {
      const path = typeof from === "string" ? join(FIXTURES, from) : join(folder, from(folder));
      const roots = [typeof from === "string" ? join(FIXTURES, from.split("/")[0]!) : folder];
      const { result, distinct } = await withFault(null, () => answer(path, roots));
      ok("value" in result, String("error" in result && result.error));
      const objections = new Set<string>();
      // A closed folder beside the image most often belongs to another account.
      const codes = CODES.filter((code) => from !== collection || code !== "EACCES");
      for (const call of CALLS) {
        for (const [i, at] of distinct[call].entries()) {
          // Each call with one of them, each kind of call with all.
          const code = codes[i % codes.length]!;
          const run = await withFault({ call, at, code }, () => answer(path, roots));
          const reason = objection(run, result.value, code);
          if (reason !== null) objections.add(`${call} of "${run.failed}" (${code}, call ${at}) ${reason}`);
        }
      }
      deepEqual([...objections], []);
    }));

  Deno.test(
    `${name}: reveals nothing about a file linked from outside the roots`,
    { ignore: NO_LINKS },
    () =>
      inFolder(async (_, folder) => {
        const root = join(folder, "root");
        Deno.mkdirSync(root);
        const [format, ...names] = typeof from === "string" ? from.split("/") : ["", from(root)];
        if (typeof from === "string") copy(join(FIXTURES, format!), root);
        ok(await checkLinks(join(root, ...names), root, join(folder, "outside")) > 0);
      }),
  );
}
