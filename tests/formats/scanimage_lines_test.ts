/** Recordings of ScanImage along arbitrary lines: their files are explained, none is served as an image of frames. */
import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { DecodeFailed, UnsupportedFormat } from "../../readers/errors.ts";
import { tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";

const LAYOUT: TiffLayout = {
  littleEndian: true,
  bigTiff: false,
  width: 4,
  height: 3,
  samples: 1,
  bits: 16,
  kind: "int",
  planar: false,
  rowsPerStrip: 3,
  tile: null,
  predictor: 1,
  codec: "none",
  fillOrder: 1,
};

/** A TIFF whose Software tag (305) has the header of ScanImage 2016 and later. */
const recording = (...lines: string[]) =>
  tiffBytes(LAYOUT, (x, y) => BigInt(x + 4 * y), 1, [
    [305, 2, ["SI.VERSION_MAJOR = '2018b'", "SI.hChannels.channelSave = 1", ...lines].join("\n")],
  ]);

async function withFolder(files: Record<string, Uint8Array>, use: (folder: string) => Promise<void>) {
  const folder = Deno.makeTempDirSync();
  try {
    for (const [name, bytes] of Object.entries(files)) Deno.writeFileSync(join(folder, name), bytes);
    await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const failure = (path: string) => loadHere(path).then(() => null, (error: Error) => error);

for (
  const line of [
    "SI.hRoiManager.scanType = 'line'",
    "SI.hScan2D.lineScan = true",
    "SI.hScan_LinScan.isLineScan = 1",
  ]
) {
  Deno.test(`a file of ScanImage is refused that says ${line}`, () =>
    withFolder({ "a.tif": recording(line) }, async (folder) => {
      const error = await failure(join(folder, "a.tif"));
      equal(error instanceof DecodeFailed, true);
      match(
        error!.message,
        /along arbitrary lines \(hScan|along arbitrary lines \(hRoiManager.scanType is 'line'\)/,
      );
    }));
}

Deno.test("a file of ScanImage beside the samples of a line scan is refused, one of frames is opened", () => {
  const frames = recording("SI.hRoiManager.scanType = 'frame'", "SI.hScan2D.lineScan = false");
  return withFolder({ "a_00001.tif": frames, "b.tif": frames }, async (folder) => {
    for (const name of ["a_00001.tif", "b.tif"]) {
      const { summary } = await loadHere(join(folder, name));
      deepEqual([summary.rows, summary.columns], [3, 4]);
    }
    for (const end of [".pmt.dat", ".meta.txt"]) Deno.writeTextFileSync(join(folder, `a_00001${end}`), "x");
    match(
      (await failure(join(folder, "a_00001.tif")))!.message,
      /"a_00001.pmt.dat" and "a_00001.meta.txt" are beside it/,
    );
    equal((await loadHere(join(folder, "b.tif"))).summary.rows, 3);
  });
});

Deno.test("the other files of such a recording are of no known format, with the reason", () => {
  const empty = new Uint8Array(16);
  return withFolder(
    { "a.pmt.dat": empty, "A.META.TXT": empty, "a.scnnr.dat": empty, "a.dat": empty },
    async (folder) => {
      for (const name of ["a.pmt.dat", "A.META.TXT", "a.scnnr.dat"]) {
        const error = await failure(join(folder, name));
        equal(error instanceof UnsupportedFormat, true, name);
        match(error!.message, /cannot be opened: it is named like a part of a recording of ScanImage/);
      }
      match((await failure(join(folder, "a.dat")))!.message, /is of no known format/);
    },
  );
});
