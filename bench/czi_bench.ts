/**
 * Opening one channel of a CZI file of 2 x 2048 x 2048 uint16 samples, and one plane of a file of 5,000 subblocks, to
 * czifile reading the same planes where a Python has it: `--python=PROGRAM`, by default `python3`.
 */
import { equal } from "node:assert/strict";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { openCziPlane } from "../tests/fixtures/czi_files.ts";
import { ramp16, writeCzi, type WrittenSubblock } from "../tests/fixtures/czi_writer.ts";
import { askPython, besidePeer } from "./python_peer.ts";
import type { BenchRow } from "./report.ts";
import { pixels } from "./tiff_samples.ts";

const [ROUNDS, SIDE, SUBBLOCKS] = [7, 2048, 5000];

/** Low bytes before high bytes, behind the header that says so. */
export function zstd1(samples: Uint8Array): Uint8Array {
  const half = samples.length / 2;
  const split = Uint8Array.from(
    { length: 2 * half },
    (_, i) => samples[i < half ? 2 * i : 2 * (i - half) + 1]!,
  );
  return new Uint8Array([3, 1, 1, ...zstdCompressSync(split)]);
}

/** Two channels of 2048 x 2048, a subblock each. */
export function frames(code: (samples: Uint8Array) => Uint8Array, compression: number): Uint8Array {
  const samples = new Uint8Array(pixels().buffer);
  const subblocks = [0, 1].map((c): WrittenSubblock => ({
    dims: [["X", 0, SIDE], ["Y", 0, SIDE], ["C", c, 1]],
    data: code(samples),
    compression,
  }));
  return writeCzi({ subblocks }).bytes;
}

/** Time points of 64 x 64 pixels, the directory in front as ZEN writes it. */
export function series(): Uint8Array {
  const subblocks = Array.from({ length: SUBBLOCKS }, (_, t): WrittenSubblock => ({
    dims: [["X", 0, 64], ["Y", 0, 64], ["Z", 0, 1], ["C", 0, 1], ["T", t, 1], ["S", 0, 1], ["M", 0, 1]],
    data: ramp16(64 * 64, t),
  }));
  const xml = "<ImageDocument><Metadata><Information/></Metadata></ImageDocument>";
  return writeCzi({ subblocks, xml, front: true }).bytes;
}

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  const row = async (name: string, work: () => unknown, asked: object) => {
    const peer = { name: "czifile", script: "czi_peer.py", asked };
    rows.push({ group: "CZI", name, ...await besidePeer(ROUNDS, work, peer) });
  };
  try {
    const path = (name: string) => join(folder, `${name}.czi`);
    Deno.writeFileSync(path("raw"), frames((samples) => samples, 0));
    Deno.writeFileSync(path("zstd1"), frames(zstd1, 6));
    const recoded = await askPython("czi_peer.py", "recode", path("raw"), path("jpegxr"));
    const seventh = pixels()[7];
    for (const name of ["raw", "zstd1", ...recoded === null ? [] : ["jpegxr"]]) {
      const open = async () => {
        const { plane } = await openCziPlane(path(name), {});
        equal(plane[7], seventh);
      };
      await row(`one channel of 2 x 2048 x 2048, ${name}`, open, { path: path(name), axis: "C", index: 0 });
    }
    Deno.writeFileSync(path("series"), series());
    const one = async () => {
      const { plane, counts } = await openCziPlane(path("series"), { t: SUBBLOCKS / 2 });
      // The directory, and little more than the plane.
      equal(plane[1], SUBBLOCKS / 2 + 1);
      equal(counts.bytes < SUBBLOCKS * 172 + 20_000, true);
    };
    await row(`one plane of ${SUBBLOCKS} subblocks`, one, {
      path: path("series"),
      axis: "T",
      index: SUBBLOCKS / 2,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
