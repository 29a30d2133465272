/** Archives in other programs: zarr-python, the validator ome-zarr-models, and acqstore, each where Python has it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { run } from "../child_process.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const LINE_SCAN = join(ROOT, "examples", "line_scan.oir");
/** 2.118 ms per line and 0.45 um per column in two channels, as `acq-server info` shows them. */
const [LINES, COLUMNS, SECONDS, MICROMETRES] = [600, 48, 0.002118, 0.45];

/** Exports the line scan, unpacks the archive and returns what a Python program prints about its image, as JSON. */
async function printed(python: string, unzip: string, program: string): Promise<unknown> {
  using temporary = temporaryFolder();
  const archive = join(temporary.path, "scan.zip");
  const exported = await run(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, "export", "--quiet", LINE_SCAN],
    cwd: ROOT,
  });
  assert.equal(exported.code, 0);
  Deno.writeFileSync(archive, exported.stdout);
  assert.equal((await run(unzip, { args: ["-q", archive, "-d", temporary.path], cwd: ROOT })).code, 0);
  const image = join(temporary.path, "images/1.ome.zarr");
  const { code, stdout, stderr } = await run(python, { args: ["-c", program, image], cwd: temporary.path });
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
}

programTest(["python3", "unzip"], {
  name: "ome-zarr-models accepts the image of an archive without a warning, with its contrast",
  modules: ["zarr", "ome_zarr_models"],
  fn: async ([python, unzip]) => {
    const program = `
import json, sys, warnings, zarr
from ome_zarr_models.v05 import Image
warnings.simplefilter("error")
group = zarr.open_group(sys.argv[1], mode="r")
attributes = Image.from_zarr(group).ome_attributes
samples = group["0"][:]
window = attributes.omero["channels"][0]["window"]
print(json.dumps([samples.shape, attributes.multiscales[0].datasets[0].coordinateTransformations[0].scale,
                  float(samples.min()) <= window["start"] < window["end"] <= float(samples.max())]))
`;
    assert.deepEqual(await printed(python!, unzip!, program), [
      [2, LINES, COLUMNS],
      [1, SECONDS, MICROMETRES],
      true,
    ]);
  },
});

programTest(["python3", "unzip"], {
  name: "acqstore opens the image of an archive by its path, with its time per line",
  modules: ["acqstore"],
  fn: async ([python, unzip]) => {
    const program = `
import json, sys
from acqstore.acq_image.io.ome_zarr import read_acq_pixels_ome_zarr
pixels = read_acq_pixels_ome_zarr(sys.argv[1])
print(json.dumps([pixels.header.dims, pixels.get_array(0).shape, pixels.header.physical_units]))
`;
    assert.deepEqual(await printed(python!, unzip!, program), [
      ["C", "Y", "X"],
      [2, LINES, COLUMNS],
      [1, SECONDS, MICROMETRES],
    ]);
  },
});
