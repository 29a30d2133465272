/** Frames away from the first one, colours, times and documents of OIR files. */
import { loadBytes } from "../damage.ts";
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import type { Acquisition, Position } from "../../readers/reader.ts";
import { FILES } from "../fixtures/oir/write_files.ts";
import { CHANNEL_A, CHANNEL_B, frame, lineScan, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  counted,
  documentsBlock,
  oirBlocks,
  oirFile,
  record,
  writeOir,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { openHere } from "../load_here.ts";
import { planesAt } from "../planes.ts";

const opened = (bytes: Uint8Array, use: (acquisition: Acquisition) => void | Promise<void>) =>
  withFiles({ "scan.oir": bytes }, (path) => openHere(path, use));

const at = (t: number, z = 0) => ({ t, z, l: 0 });

/** Three time points of which the second has no planes of channel B, and a depth of the third none at all. */
const HOLED = [
  { axes: "t001z001", planes: [ramp(20, 0), ramp(20, 100)] },
  { axes: "t001z002", planes: [ramp(20, 200), ramp(20, 300)] },
  { axes: "t002z001", planes: [ramp(20, 400), null] },
  { axes: "t002z002", planes: [ramp(20, 600), ramp(19, 700)] },
  { axes: "t003z001", planes: [ramp(20, 800), ramp(20, 900)] },
];

Deno.test("distinguishes missing from incomplete frames", () =>
  opened(writeOir(frame({ frames: HOLED })), async (acquisition) => {
    const missing = (channel: number, t: number, z: number) =>
      rejects(acquisition.plan([channel], at(t, z)), {
        tag: "plane_not_found",
        message: `channel ${channel} ("CH${channel + 1}") has no plane at T ${t}, L 0, Z ${z}`,
      });
    await missing(1, 1, 0);
    await missing(0, 2, 1);
    await missing(1, 2, 1);
    await rejects(acquisition.plan([1], at(1, 1)), {
      tag: "decode_failed",
      message: 'channel 1 ("CH2") is incomplete: 38 of 40 bytes are stored',
    });
    await rejects(acquisition.plan([0, 1], at(1, 0)), { tag: "plane_not_found" });
    const plan = await acquisition.plan([0], at(1, 0));
    const plane = new Float32Array(20);
    await plan.decode([plane]);
    deepEqual([...plane], [...ramp(20, 400)]);
  }));

Deno.test("reports a missing frame of a damaged file as damage", async () => {
  const blocks = oirBlocks(frame({ frames: HOLED }));
  const tagged = blocks.flatMap(({ kind }, i) => kind === 3 ? [i] : []);
  // The tag of the last chunk is damaged: its pixels have no frame.
  const damaged = blocks.map((block, i) =>
    i === tagged.at(-1) ? { kind: 3, payload: block.payload.map((byte, n) => n === 14 ? 1 : byte) } : block
  );
  await opened(oirFile(damaged), async (acquisition) => {
    await rejects(acquisition.plan([1], at(2, 0)), {
      tag: "decode_failed",
      message: /channel 1 \("CH2"\) is incomplete: 0 of 40 bytes are stored; tag at /,
    });
  });
});

Deno.test("does not report an interrupted recording as damaged", async () => {
  const whole = writeOir(frame({
    frames: [1, 2, 3].map((t) => ({ axes: `t00${t}`, planes: [ramp(20, t), ramp(20, 50 + t)] })),
    axes: [{ type: "TIMELAPSE", maxSize: 3 }],
  }));
  // Cut after the pixels of channel A of the third frame.
  const name = `t003_0_1_${CHANNEL_A}_0`;
  const start = new TextDecoder("latin1").decode(whole).indexOf(name);
  await opened(whole.slice(0, start + name.length + 8 + 40), async (acquisition) => {
    equal(acquisition.axes.find(({ name }) => name === "T")?.size, 3);
    await acquisition.plan([0], at(2));
    await rejects(acquisition.plan([1], at(2)), { tag: "plane_not_found" });
  });
});

Deno.test("reads rows of a plane without the chunks around them", async () => {
  for (const stripBytes of [1000, 40, 10, 14, 7]) {
    await opened(writeOir(frame({ stripBytes })), async (acquisition) => {
      for (let start = 0; start < 4; start += 1) {
        for (let end = start + 1; end <= 4; end += 1) {
          const plan = await acquisition.plan([1, 0], at(0), { start, end });
          deepEqual([plan.rows, plan.columns, plan.filled], [4, 5, { start, end }]);
          const planes = [0, 1].map(() => new Float32Array(5 * (end - start)));
          await plan.decode(planes);
          const expected = [100, 0].map((seed) => [...ramp(5 * (end - start), seed + 5 * start)]);
          deepEqual(
            planes.map((plane) => [...plane]),
            expected,
            `strips of ${stripBytes}, ${start} to ${end}`,
          );
        }
      }
    });
  }
  // The channels have 7 and 4 lines.
  const lines = lineScan(7, { frames: [{ axes: "t001", planes: [ramp(42, 0), ramp(24, 500)] }] });
  await opened(writeOir(lines), async (acquisition) => {
    const rowsOf = async (channels: number[], start: number, end: number) =>
      (await acquisition.plan(channels, at(0), { start, end })).filled;
    deepEqual(await rowsOf([0], 2, 7), { start: 2, end: 7 });
    deepEqual(await rowsOf([0, 1], 2, 7), { start: 2, end: 4 });
    deepEqual(await rowsOf([0, 1], 5, 7), { start: 4, end: 4 });
  });
});

/** A block with lookup tables, each after the id of its channel. */
const tables = (...contents: readonly (readonly [id: string, content: string])[]) =>
  documentsBlock(
    ...contents.map(([id, content]) =>
      record(5, concat(words(1), counted(id), counted(xmlDocument("lut:LUT", ["lut"], content))))
    ),
  );

const data = (entries: string) => `<lut:data>${entries}</lut:data>`;
const named = (name: string) => `<lut:name>${name}</lut:name>`;

Deno.test("takes the colour of a channel from the last entry of its lookup table, or from its name", async () => {
  const colors = async (...blocks: ReturnType<typeof tables>[]) => {
    const found: (string | null)[] = [];
    const [first, ...rest] = oirBlocks(frame());
    await opened(oirFile([first!, ...blocks, ...rest]), ({ channels }) => {
      found.push(...channels.map(({ color }) => color));
    });
    return found;
  };
  // The writer gives channel A a table that ends in 00FF00, in the last block, which counts most.
  deepEqual(await colors(), ["#00ff00", null]);
  const ofB = async (content: string) => (await colors(tables([CHANNEL_B, content])))[1];
  equal(await ofB(data("0000000080000000Ff7F3A00")), "#ff7f3a");
  equal(await ofB(named("Red") + data("0000000080000000Ff7F3A00")), "#ff7f3a");
  // Black, and entries of six digits.
  equal(await ofB(data("FFFFFF0000000000")), null);
  equal(await ofB(data("FF00FF")), null);
  equal(await ofB(named("Magenta")), "#ff00ff");
  equal(await ofB(named("DAPI")), null);
  deepEqual(await colors(tables([CHANNEL_A, named("Red")], [CHANNEL_B, named("Gray")])), [
    "#00ff00",
    "#ffffff",
  ]);
});

const series = (positions: readonly (number | null)[]) =>
  writeOir(frame({
    frames: positions.map((position, i) => ({
      axes: `t${String(i + 1).padStart(3, "0")}`,
      planes: [ramp(20, i), ramp(20, 100 + i)],
      ...position !== null && { positions: { TIMELAPSE: position } },
    })),
  }));

Deno.test("takes times from the positions of the frames, in seconds from the first", async () => {
  const times = async (...positions: (number | null)[]) =>
    (await loadBytes("a.oir", series(positions))).summary.times;
  deepEqual(await times(1000, 1250, 2000), [0, 0.25, 1]);
  equal(await times(1000, null, 2000), null);
  deepEqual(await times(1000, 900, 2000), [0, -0.1, 1]);
  deepEqual(await times(1000, 1000), [0, 0]);
  equal(await times(null, null), null);
  equal(await times(1000), null);
  equal((await times(...Array.from({ length: 4096 }, (_, i) => 10 * i)))!.length, 4096);
  equal(await times(...Array.from({ length: 4097 }, (_, i) => 10 * i)), null);
});

Deno.test("lists the documents of all blocks and of the first frame", async () => {
  const bytes = series([0, 10]);
  // All are ASCII, so that characters of the file are its bytes.
  const text = new TextDecoder().decode(bytes);
  await opened(bytes, (acquisition) => {
    const documents = collectDocuments(acquisition);
    const kinds = documents.map(({ name }) => name.split(" at ")[0]!);
    const known = ["frameProperties", "imageProperties", "fileInfomation", "LUT", "eventList"];
    deepEqual([...new Set(kinds)].sort(), known.sort());
    equal(kinds.filter((kind) => kind === "frameProperties").length, 1);
    for (const { name, mediaType, text: document } of documents) {
      equal(mediaType, "application/xml");
      ok(text.startsWith(document, Number(name.split(" at ")[1])), name);
    }
  });
});

Deno.test("serves every position of an OIR file along three axes", async () => {
  // Frame (t, l, z) of channel c is a ramp from 1000 c + 100 t + 10 l + z on.
  const frames = [1, 2].flatMap((t) => [1, 2, 3].flatMap((l) => [1, 2].map((z) => ({ t, l, z }))));
  const seed = (c: number, { t, l, z }: Position) => 1000 * c + 100 * t + 10 * l + z;
  const file = writeOir(frame({
    frames: frames.map((at) => ({
      axes: `t00${at.t}l00${at.l}z00${at.z}`,
      planes: [ramp(20, seed(0, at)), ramp(20, seed(1, at))],
    })),
  }));
  await withFiles(
    { "lambda.oir": file },
    (path) =>
      openHere(path, async (acquisition) => {
        for (const { t, z, l } of frames) {
          const planes = await planesAt(acquisition, { t: t - 1, z: z - 1, l: l - 1 });
          planes.forEach((plane, c) =>
            equal(`${plane}`, `${ramp(20, seed(c, { t, z, l }))}`, `${t} ${z} ${l}`)
          );
        }
      }),
  );
});

Deno.test("the fixtures equal the output of their script", async () => {
  for (const [name, bytes] of Object.entries(FILES)) {
    deepEqual(await Deno.readFile(join(import.meta.dirname!, "../fixtures/oir", name)), bytes, name);
  }
});
