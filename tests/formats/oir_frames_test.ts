import assert from "node:assert/strict";
import { join } from "node:path";
import { CHANNEL_A, CHANNEL_B, CHANNEL_C, frame, loadPath, openBytes, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import {
  chunkBlocks,
  continuationBlocks,
  documentRecord,
  documentsBlock,
  oirBlocks,
  oirFile,
  propertiesDocument,
  writeOir,
  type WrittenFrame,
  type WrittenOir,
} from "../fixtures/oir_writer.ts";
import { NO_LINKS } from "../no_links.ts";
import { codesOf } from "../warning_codes.ts";

const values = (planes: readonly Float32Array[]) => planes.map((plane) => [...plane]);
const size = (axes: readonly { name: string; size: number }[]) =>
  Object.fromEntries(axes.map((a) => [a.name, a.size]));

Deno.test("lists channels with pixels in their declared order and with their names", async () => {
  const channels = [
    { id: CHANNEL_B, name: "second", order: 2 },
    { id: CHANNEL_C, name: "not recorded", order: 3 },
    { id: CHANNEL_A, name: "é <1>", order: 1 },
  ];
  const { planes, summary } = await openBytes(
    writeOir(frame({ channels, frames: [{ axes: "t001", planes: [ramp(20, 100), null, ramp(20, 0)] }] })),
  );
  assert.deepEqual(summary.channels.map((c) => c.name), ["é <1>", "second"]);
  assert.deepEqual(values(planes), [[...ramp(20, 0)], [...ramp(20, 100)]]);
});

/** Every frame of `t` time points, `l` wavelengths and `z` planes, each with its own samples. */
function series(
  sizes: { t: number; l: number; z: number },
  axesOf: (t: number, l: number, z: number) => string,
) {
  const frames: WrittenFrame[] = [];
  for (let t = 1; t <= sizes.t; t += 1) {
    for (let l = 1; l <= sizes.l; l += 1) {
      for (let z = 1; z <= sizes.z; z += 1) {
        const seed = 1000 * t + 100 * l + 10 * z;
        // Every focus plane has its own time: 2.25 s between neighbours, 30 s between time points.
        const positions = {
          TIMELAPSE: (t - 1) * 30_000 + (z - 1) * 2250,
          ZSTACK: 6115 - 1.5 * z,
          LAMBDA: 490 + 10 * l,
        };
        frames.push({ axes: axesOf(t, l, z), planes: [ramp(20, seed), ramp(20, seed + 40_000)], positions });
      }
    }
  }
  return frames;
}
const pad = (letter: string, n: number) => `${letter}${String(n).padStart(3, "0")}`;

Deno.test("reads the axis letters of chunk names in any order", async () => {
  const orders: ((t: number, l: number, z: number) => string)[] = [
    (t, l, z) => pad("t", t) + pad("l", l) + pad("z", z),
    (t, l, z) => pad("l", l) + pad("z", z) + pad("t", t),
  ];
  for (const order of orders) {
    const { planes, summary } = await openBytes(
      writeOir(frame({ frames: series({ t: 3, l: 2, z: 4 }, order) })),
    );
    assert.deepEqual(summary.axes.map((a) => [a.name, a.size, a.step, a.unit]), [
      ["T", 3, 30, "seconds"],
      ["L", 2, 0.01, "um"],
      ["C", 2, 1, "Pixels"],
      ["Z", 4, 1.5, "um"],
      ["Y", 4, 0.25, "um"],
      ["X", 5, 0.5, "um"],
    ]);
    assert.deepEqual(values(planes), [[...ramp(20, 1110)], [...ramp(20, 41_110)]]);
    assert.deepEqual(codesOf(summary.warnings), []);
  }
});

Deno.test("takes steps from the configured axes without frame positions", async () => {
  const frames = series({ t: 2, l: 1, z: 2 }, (t, _l, z) => pad("t", t) + pad("z", z)).map((f) => ({
    ...f,
    positions: {},
  }));
  const axes = [
    { type: "ZSTACK", step: 9, maxSize: 7, enable: false },
    { type: "ZSTACK", step: -0.7, maxSize: 2 },
    { type: "TIMELAPSE", step: 0, maxSize: 2 },
  ];
  const { summary } = await openBytes(
    writeOir(frame({ frames, axes, scanners: { Resonant: 66.5, Galvano: 1000 } })),
  );
  assert.deepEqual(summary.axes.map((a) => [a.name, a.step, a.unit]).slice(0, 3), [
    ["T", 0.0665, "seconds"],
    ["C", 1, "Pixels"],
    ["Z", 0.7, "um"],
  ]);
});

Deno.test("reads one plane of a large stack without the others", async () => {
  const plane = ramp(200 * 160, 0);
  const frames = Array.from({ length: 60 }, (_, i) => ({
    axes: pad("z", i + 1),
    planes: [plane, plane],
    positions: { ZSTACK: i },
  }));
  const bytes = writeOir(frame({ width: 160, height: 200, frames, stripBytes: 32_000 }));
  const { counts } = await openBytes(bytes, [1]);
  // The plane itself, its scratch window per tag and pixel pair (256 bytes), the index and a few documents.
  const pairs = 60 * 2 * 2;
  assert.ok(bytes.length > 7_600_000);
  assert.ok(
    counts.bytes < plane.byteLength + pairs * 300 + 60 * 600 + 20_000,
    `${counts.bytes} bytes were read`,
  );
});

Deno.test("numbers planes of continuation files after the main file, with and without extension", async () => {
  const frames = series({ t: 4, l: 1, z: 1 }, (t) => pad("t", t));
  const oir = frame({ frames: frames.slice(0, 2), axes: [{ type: "TIMELAPSE", step: 0, maxSize: 4 }] });
  const main = writeOir(oir);
  const [third, fourth] = [2, 3].map((n) => oirFile(continuationBlocks(oir, [frames[n]!])));
  const open = (contents: Record<string, Uint8Array>, name: string) =>
    withFiles(contents, async (_, folder) => (await loadPath(join(folder, name))).summary);

  for (const end of ["", ".oir"]) {
    const files = { "a.oir": main, [`a_00001${end}`]: third!, [`a_00002${end}`]: fourth! };
    const summary = await open(files, "a.oir");
    assert.deepEqual(size(summary.axes), { T: 4, C: 2, Y: 4, X: 5 });
    assert.equal(summary.fileSize, main.length + third!.length + fourth!.length);
    assert.deepEqual(codesOf(summary.warnings), []);
    const byPart = await open(files, `a_00002${end}`);
    assert.deepEqual(size(byPart.axes), { T: 4, C: 2, Y: 4, X: 5 }, "any file opens the whole acquisition");
  }
  const alone = await open({ "a.oir": main, "b_00001": third!, "xa_00001": third! }, "a.oir");
  assert.deepEqual([size(alone.axes).T, codesOf(alone.warnings)], [2, ["planes_missing"]]);
  const gap = await open({ "a.oir": main, "a_00002": fourth! }, "a.oir");
  assert.deepEqual(codesOf(gap.warnings), ["file_missing", "planes_missing"]);
  await assert.rejects(open({ "a_00001": third! }, "a_00001"), {
    message: 'Cannot read "a_00001": the file is a continuation of "a.oir", which is missing beside it',
  });
  const other = { "a.oir": main, "a_00001.oir": writeOir({ ...oir, width: 4, height: 5 }) };
  assert.deepEqual(codesOf((await open(other, "a.oir")).warnings), ["content_left_out", "planes_missing"]);
  assert.deepEqual(size((await open(other, "a_00001.oir")).axes), { T: 2, C: 2, Y: 5, X: 4 });
  const named = await open({ "cell_00001.oir": main, "cell_00001_00001": third! }, "cell_00001.oir");
  assert.equal(size(named.axes).T, 2, "a file that only looks like a continuation stands alone");
});

Deno.test("leaves out a file with another date", async () => {
  const frames = series({ t: 3, l: 1, z: 1 }, (t) => pad("t", t));
  const oir = frame({ frames: frames.slice(0, 2) });
  const later = { ...oir, frames: frames.slice(2) };
  const cases: [string, WrittenOir, RegExp | null][] = [
    ["the same acquisition, with its documents", later, null],
    ["date", { ...later, created: "2024-01-01T00:00:00" }, /was made at 2024-01-01T00:00:00, not 2023-05-06/],
  ];
  for (const [what, other, warning] of cases) {
    for (const name of ["a_00001.oir", "a_00001"]) {
      await withFiles({ "a.oir": writeOir(oir), [name]: writeOir(other) }, async (path) => {
        const { summary } = await loadPath(path);
        assert.equal(size(summary.axes).T, warning ? 2 : 3, what);
        if (warning) assert.deepEqual(codesOf(summary.warnings), ["content_left_out"]);
        else assert.deepEqual(codesOf(summary.warnings), []);
      });
    }
  }
});

Deno.test("opens a numbered file of another acquisition alone", async () => {
  const oir = frame();
  const other = (created: string, seed: number) =>
    writeOir({ ...oir, created, frames: [{ axes: "t001", planes: [ramp(20, seed), ramp(20, 0)] }] });
  const contents = {
    "a.oir": writeOir(oir),
    "a_00001.oir": other("2024-01-01T00:00:00", 300),
    "a_00002.oir": other("2024-01-02T00:00:00", 500),
    "a_00009.oir": other("2024-01-09T00:00:00", 700),
  };
  await withFiles(contents, async (_, folder) => {
    for (const [name, first] of [["a", 0], ["a_00001", 300], ["a_00002", 500], ["a_00009", 700]] as const) {
      assert.equal((await loadPath(join(folder, `${name}.oir`), [0])).planes[0]![0], first, name);
    }
  });
});

Deno.test("finds continuation files with any case of the extension, and warns about unreachable ones", async () => {
  const frames = series({ t: 2, l: 1, z: 1 }, (t) => pad("t", t));
  const oir = frame({ frames: frames.slice(0, 1) });
  const [main, more] = [writeOir(oir), oirFile(continuationBlocks(oir, frames.slice(1)))];
  await withFiles({ "X.OIR": main, "X_00001.OIR": more }, async (_, folder) => {
    for (const name of ["X.OIR", "X_00001.OIR"]) {
      assert.equal(size((await loadPath(join(folder, name))).summary.axes).T, 2, name);
    }
    await Deno.remove(join(folder, "X_00001.OIR"));
    if (NO_LINKS) return;
    await Deno.symlink(join(folder, "nowhere"), join(folder, "X_00001"));
    const { summary } = await loadPath(join(folder, "X.OIR"));
    assert.deepEqual(codesOf(summary.warnings), ["file_unreadable"]);
  });
});

Deno.test("lists components of a colour image by their IDs, named by their documents", async () => {
  const planes = [1, 2, 3].map((n) => new Uint8Array(20).fill(n));
  const rgb: WrittenOir = frame({
    depth: 1,
    colorType: "RGB",
    channels: [CHANNEL_C, CHANNEL_A, CHANNEL_B].map((id) => ({ id, name: "" })),
    frames: [{ axes: "t001", planes }],
    properties: false,
  });
  const named = await openBytes(
    writeOir({ ...rgb, colours: { [CHANNEL_A]: "Blue", [CHANNEL_B]: "R", [CHANNEL_C]: "green" } }),
  );
  assert.deepEqual(named.summary.channels.map((c) => c.name), ["Blue", "Red", "Green"]);
  assert.deepEqual(named.planes.map((p) => p[0]), [2, 3, 1]);
  assert.deepEqual(size(named.summary.axes), { C: 3, Y: 4, X: 5 });
  assert.deepEqual([named.summary.date, named.summary.axes[1]!.unit], ["", "Pixels"]);

  const unnamed = await openBytes(writeOir(rgb));
  assert.deepEqual(unnamed.planes.map((p) => p[0]), [2, 3, 1]);
  assert.deepEqual(unnamed.summary.channels.map((c) => c.name), ["Red", "Green", "Blue"]);
  assert.deepEqual(codesOf(unnamed.summary.warnings), ["metadata_missing", "metadata_missing"]);
});

Deno.test("counts incomplete planes", async () => {
  const frames = series({ t: 3, l: 1, z: 2 }, (t, _l, z) => pad("z", z) + pad("t", t));
  // In order of time and depth: t001z001 t001z002 t002z001 t002z002 t003z001 t003z002.
  const holed = frames.map((f, i) =>
    i === 3
      ? { ...f, planes: [f.planes[0]!, ramp(19, 0)] }
      : i === 4
      ? { ...f, planes: [null, ramp(20, 0)] }
      : f
  ).filter((_, i) => i !== 5);
  const { summary } = await openBytes(writeOir(frame({ frames: holed })));
  assert.deepEqual(codesOf(summary.warnings), ["planes_missing"]);
  assert.match(summary.warnings[0]!.text, /^4 of 12 planes are incomplete or missing/);
});

Deno.test("numbers frames from 1, and later only in a continuation file on its own", async () => {
  const frames = series({ t: 3, l: 1, z: 1 }, (t) => pad("t", t));
  const later = writeOir(frame({ frames: frames.slice(1) }));
  await assert.rejects(openBytes(later), /channel 0 \("CH1"\) has no plane|is incomplete: 0 of 40 bytes/);
  await withFiles({ "scan_00001.oir": later }, async (path) => {
    assert.equal((await loadPath(path)).summary.axes[0]!.size, 2);
  });
  const far = oirFile([...oirBlocks(frame()), ...chunkBlocks("t99999999_0_1_x_0", 0, new Uint8Array(40))]);
  await assert.rejects(openBytes(far), /frame t99999999 exceeds 1000000 frames/);
});

Deno.test("does not report a channel as missing if its components have the pixels", async () => {
  const ids = [CHANNEL_A, CHANNEL_B, CHANNEL_C];
  const oir = frame({
    channels: ids.map((id) => ({ id, name: "" })),
    frames: [{ axes: "t001", planes: [ramp(20, 0), ramp(20, 100), ramp(20, 200)] }],
  });
  const channels = /<commonphase:channel .*<\/commonphase:channel>/;
  const components = ids.map((id) => `<commonphase:elementChannel id="${id}"/>`).join("");
  const listed = propertiesDocument(oir).replace(
    channels,
    `<commonphase:channel id="colour" order="1">${components}</commonphase:channel>`,
  );
  const blocks = oirBlocks(oir).map((block) =>
    block.kind === 0 ? documentsBlock(documentRecord(2, listed)) : block
  );
  const { summary, planes } = await openBytes(oirFile(blocks));
  assert.deepEqual(planes.map((plane) => plane[0]), [0, 100, 200]);
  assert.deepEqual(codesOf(summary.warnings), []);
});

Deno.test("serves planes taller than their frame up to the shortest channel", async () => {
  for (const letter of ["t", "z"]) {
    const frames = [1, 2].map((n) => ({
      axes: pad(letter, n),
      planes: [ramp(35, n * 100), ramp(30, n * 1000)],
    }));
    const { planes, summary } = await openBytes(writeOir(frame({ frames })));
    assert.deepEqual(values(planes), [[...ramp(30, 100)], [...ramp(30, 1000)]], letter);
    assert.deepEqual(codesOf(summary.warnings), ["metadata_disagree", "metadata_disagree"]);
  }
});

Deno.test("rejects an incomplete first plane with its stored and needed bytes", async () => {
  const short = frame({ frames: [{ axes: "t001", planes: [ramp(20, 0), ramp(13, 0)] }] });
  await assert.rejects(openBytes(writeOir(short)), {
    tag: "decode_failed",
    message: 'Cannot read "scan.oir": channel 1 ("CH2") is incomplete: 26 of 40 bytes are stored',
  });
  assert.deepEqual(values((await openBytes(writeOir(short), [0])).planes), [[...ramp(20, 0)]]);

  const blocks = oirBlocks(frame({ stripBytes: 10 }));
  const lost = blocks.findIndex((b) => b.kind === 3) + 4;
  blocks.splice(lost, 2);
  await assert.rejects(openBytes(oirFile(blocks)), {
    message:
      'Cannot read "scan.oir": channel 0 ("CH1") is incomplete: 10 of 40 bytes are stored, and 20 more after a gap',
  });
});

Deno.test("rejects an overview map without pixels with its size", async () => {
  const map = frame({ width: 40_000, height: 30_000, frames: [{ axes: "t001", planes: [null, null] }] });
  await assert.rejects(openBytes(writeOir(map)), {
    message:
      'Cannot read "scan.oir": the file describes 40000 x 30000 pixels without storing them, as overview maps do',
  });
});

Deno.test("leaves out chunks of unknown names with a warning", async () => {
  const blocks = [...oirBlocks(frame()), ...chunkBlocks("q001_0_1_x_0", 0, new Uint8Array(40))];
  const { summary } = await openBytes(oirFile(blocks));
  assert.deepEqual(codesOf(summary.warnings), ["file_damaged"]);
  assert.equal(summary.channels.length, 2);
});
