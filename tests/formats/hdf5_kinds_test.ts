/** Types of numbers, links, user blocks and numbering in HDF5 files, and what sessions of them keep. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { join } from "node:path";
import { Hdf5File } from "../../readers/hdf5/file.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { collectGarbage } from "../../readers/io/runtime_internals.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";
import { OpenAcquisition } from "../../session/worker/open_acquisition.ts";
import { loadBytes, refusal, refused } from "../damage.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { loadHere, requestOf } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const fixture = (name: string) => Deno.readFileSync(join(FIXTURES, "hdf5", name));

const { types }: { readonly types: Record<string, number[]> } = JSON.parse(
  Deno.readTextFileSync(join(FIXTURES, "hdf5", "kinds.json")),
);

Deno.test("numbers whose bits do not all count are those that h5py reads, or refused by name", async () => {
  const { summary } = await loadBytes("a.nwb", fixture("types.nwb"));
  const names = summary.scenes.map(({ name }) => name!);
  deepEqual(names, Object.keys(types).filter((name) => name !== "bfloat16").sort());
  match(
    summary.warnings.find(({ code }) => code === "scenes_left_out")!.text,
    /"bfloat16" \(.* has floats of 16 bits with 8 bits of exponent and 7 of mantissa, which are not read/,
  );
  for (const [scene, name] of names.entries()) {
    const { planes: [plane], summary } = await loadBytes("a.nwb", fixture("types.nwb"), { scene });
    deepEqual([...plane!], types[name], name);
    const time = summary.axes.find((axis) => axis.name === "T")!;
    deepEqual([time.step, time.unit], [0.125, "seconds"], name);
  }
});

Deno.test("an attribute of floats of another kind is a warning", async () => {
  const bytes = fixture("types.nwb");
  // Precision and fields of half floats (section IV.A.2.d): the samples of the series, then its rate.
  const half = [16, 0, 10, 5, 0, 10, 15, 0, 0, 0];
  const places = bytes.keys().filter((at) => half.every((byte, i) => bytes[at + i] === byte)).toArray();
  equal(places.length, 2);
  bytes.set([16, 0, 7, 8, 0, 7, 127, 0, 0, 0], places[1]!);
  const scene = Object.keys(types).filter((name) => name !== "bfloat16").sort().indexOf("half");
  const { summary, planes } = await loadBytes("a.nwb", bytes, { scene });
  deepEqual([...planes[0]!], types.half);
  deepEqual([summary.axes[0]!.step, summary.axes[0]!.unit], [1, "Pixels"]);
  ok(codesOf(summary.warnings).includes("metadata_damaged"));
});

Deno.test("stamps of Imaris belong to time points by their numbers, and missing ones are named", async () => {
  const { summary } = await loadBytes("a.ims", fixture("missing_times.ims"));
  deepEqual(summary.times, [0, 6, 9]);
  deepEqual(summary.axes[0], { name: "T", size: 3, step: 3, unit: "seconds" });
  match(summary.warnings[0]!.text, /Time points that the file numbers are not in it: 1/);
  deepEqual(summary.channels.map(({ name }) => name), ["GFP", "CH2"]);
});

Deno.test("lines of Imaris end before the first time point that is missing", async () => {
  const { summary, planes } = await loadBytes("a.ims", fixture("missing_line.ims"));
  deepEqual(summary.axes[0], { name: "Y", size: 3, step: 4, unit: "seconds" });
  // Samples count from 100 times the time point.
  deepEqual([...planes[0]!], [0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203]);
  const lost = summary.warnings.find(({ code }) => code === "lines_missing")!;
  match(lost.text, /^3 of 5 lines are served: .* time point 3, is missing$/);
});

Deno.test("groups of DataSetInfo that count from 1 name the channels that count from 0", async () => {
  // The file has a user block of 2048 bytes, too.
  const { summary, planes } = await loadBytes("a.ims", fixture("from_one.ims"));
  deepEqual(summary.channels.map(({ name }) => name), ["first", "second"]);
  deepEqual([...planes[1]!], Array.from({ length: 12 }, (_, i) => 10 + i));
});

for (
  const [name, extension] of [["padded.ims", "ims"], ["units.mesc", "mesc"], ["series.nwb", "nwb"]] as const
) {
  Deno.test(`opens ${extension} behind a user block, of which the superblock does not know`, async () => {
    const bytes = fixture(name);
    const whole = await loadBytes(`a.${extension}`, bytes);
    for (const length of [512, 1024, 8192]) {
      const moved = new Uint8Array(length + bytes.length);
      moved.set(bytes, length);
      deepEqual((await loadBytes(`a.${extension}`, moved)).planes, whole.planes, `${length}`);
    }
    const moved = new Uint8Array(700 + bytes.length);
    moved.set(bytes, 700);
    await refusal(loadBytes(`a.${extension}`, moved));
  });
}

Deno.test("a link into another file is refused with its name, and whether it exists", async () => {
  await refused(
    "a.ims",
    fixture("outside.ims"),
    /another file, "elsewhere\.h5", which is not read and does not exist/,
  );
  await withFiles({ "a.ims": fixture("outside.ims"), "elsewhere.h5": new Uint8Array(9) }, async (path) => {
    match(await refusal(loadHere(path)), /another file, "elsewhere\.h5", which is not read and exists/);
    match(await refusal(loadHere(path, { staysInFolder: true })), /which is not read and exists/);
  });
});

Deno.test("a page of another site does not learn from a link whether a file exists elsewhere", async () => {
  const bytes = fixture("outside.ims");
  bytes.set(
    new TextEncoder().encode("../another.h"),
    new TextDecoder("latin1").decode(bytes).indexOf("elsewhere.h5"),
  );
  for (const other of [{}, { "another.h": new Uint8Array(9) }]) {
    await withFiles({ "set/a.ims": bytes, ...other }, async (path) => {
      const exists = "another.h" in other ? "and exists" : "and does not exist";
      match(await refusal(loadHere(path)), new RegExp(`"another\\.h", which is not read ${exists}$`));
      match(await refusal(loadHere(path, { staysInFolder: true })), /"another\.h", which is not read$/);
    });
  }
});

Deno.test("hard links to one series are one image", async () => {
  const { summary } = await loadBytes("a.nwb", fixture("hard_links.nwb"));
  equal(summary.sceneCount, 1);
});

Deno.test("a stop ends the read of chunks that were never written", async () => {
  await withFiles({ "a.nwb": fixture("structures_old.nwb") }, async (path) => {
    const stop = new StopFlag();
    using files = new FileAccess(null, stop);
    const open = await OpenAcquisition.open(
      { request: requestOf(path, { scene: 0 }), marks: new Map() },
      files,
    );
    const plan = await open.acquisition.plan([0], { t: 0, z: 0, l: 0 });
    stop.raise();
    const error = await plan.decode([new Float32Array(plan.rows * plan.columns)]).then(
      () => null,
      (error) => error,
    );
    equal(error?.tag, "shutting_down");
  });
});

Deno.test("a stop ends a read between chunks that were never written, of which nothing is read", async () => {
  await withFiles({ "a.nwb": fixture("structures_old.nwb") }, (path) => {
    const stop = new StopFlag();
    using files = new FileAccess(null, stop);
    using file = new Hdf5File(files.open(path));
    const chunked = file.names("/acquisition").map((name) => `/acquisition/${name}/data`)
      .find((own) => file.kindOf(own) === "dataset" && file.dataset(own).layout.kind === "chunked");
    ok(chunked !== undefined);
    const { shape, ...dataset } = file.dataset(chunked);
    // A longer first axis, whose further chunks nobody wrote.
    const grown = { ...dataset, shape: shape.with(0, 1000 * shape[0]!) };
    const blocks = file.blocksOf(grown, {
      from: shape.map((_, axis) => axis === 0 ? shape[0]! : 0),
      count: shape,
    });
    equal(blocks.next().value?.isFill, true);
    equal(blocks.next().value?.isFill, true);
    stop.raise();
    throws(() => blocks.next(), { tag: "shutting_down" });
    return Promise.resolve();
  });
});

const MIB = 1 << 20;

for (const name of ["padded.ims", "units.mesc", "series.nwb"]) {
  Deno.test(`sixty open acquisitions of ${name} keep less than 40 MiB`, async () => {
    const path = join(FIXTURES, "hdf5", name);
    const access: FileAccess[] = [];
    const open = async () => {
      const files = new FileAccess();
      access.push(files);
      const acquisition = await OpenAcquisition.open({ request: requestOf(path), marks: new Map() }, files);
      const { summary, working } = await acquisition.describe();
      const channels = summary.loaded.map(({ index }) => index);
      const order = {
        channels,
        position: summary.position,
        rows: null,
        reference: false,
        working,
        buffers: [],
      };
      await acquisition.decode(order);
      return acquisition;
    };
    try {
      await open();
      collectGarbage();
      const before = Deno.memoryUsage().rss;
      const held = [];
      for (let i = 0; i < 60; i += 1) held.push(await open());
      collectGarbage();
      const grown = Deno.memoryUsage().rss - before;
      equal(held.length, 60);
      ok(grown < 40 * MIB, `${(grown / MIB).toFixed()} MiB`);
    } finally {
      for (const files of access) files.close();
    }
  });
}
