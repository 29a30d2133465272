/** What the documents of an OIR file promise and what its blocks hold must agree: damaged names move no samples. */
import assert from "node:assert/strict";
import { DecodeFailed } from "../../readers/errors.ts";
import { CHANNEL_A, CHANNEL_B, CHANNEL_C, frame, lineScan, openBytes, ramp } from "../fixtures/oir_files.ts";
import {
  chunkBlocks,
  concat,
  documentRecord,
  documentsBlock,
  frameDocument,
  oirBlocks,
  oirFile,
  propertiesDocument,
  writeOir,
  type WrittenOir,
} from "../fixtures/oir_writer.ts";
import { codesOf } from "../warning_texts.ts";

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** The file with the nth occurrence of a text replaced by one of the same length. */
function replaced(file: Uint8Array, text: string, by: string, nth = 0): Uint8Array {
  assert.equal(text.length, by.length);
  let at = -1;
  for (let n = 0; n <= nth; n += 1) at = latin1(file).indexOf(text, at + 1);
  assert.ok(at >= 0, text);
  return concat(file.subarray(0, at), bytesOf(by), file.subarray(at + by.length));
}

const refuses = (bytes: Uint8Array, message: RegExp) =>
  assert.rejects(openBytes(bytes), (error: unknown) => {
    assert.ok(error instanceof DecodeFailed, String(error));
    assert.match(error.message, message);
    return true;
  });

const frames = (count: number, channels = 1): WrittenOir["frames"] =>
  Array.from({ length: count }, (_, i) => ({
    axes: `t${String(i + 1).padStart(3, "0")}`,
    planes: Array.from({ length: channels }, (_, c) => ramp(20, 1000 * (i + 1) + 100 * c)),
    positions: { TIMELAPSE: 500 * i },
  }));
const oneChannel = { channels: [{ id: CHANNEL_A, name: "CH1" }] };
const series = writeOir(frame({ ...oneChannel, frames: frames(3) }));
const twoChannels = writeOir(frame());

Deno.test("another frame is not taken for the first one", async () => {
  // 0x30 and 0x34 differ in one bit, as do 0x31 and 0x33.
  for (const axes of ["t401", "t003", "u001"]) {
    await refuses(
      replaced(series, `t001_0_1_${CHANNEL_A}`, `${axes}_0_1_${CHANNEL_A}`),
      /frame t001 has no pixels/,
    );
  }
});

Deno.test("a main file numbers its frames from 1, unless its documents say otherwise", async () => {
  const later = frames(3).slice(1);
  const { summary, planes } = await openBytes(writeOir(frame({ ...oneChannel, frames: later })));
  assert.deepEqual([summary.axes[0]!.size, [...planes[0]!]], [2, [...ramp(20, 2000)]]);
  // Documents without a frame id, as some software writes them.
  const untold = oirBlocks(frame({ ...oneChannel, frames: later })).map((block) =>
    block.kind === 1
      ? {
        kind: 1,
        payload: bytesOf(latin1(block.payload).replace(/ id="t\d+_0_1"/, (id) => " ".repeat(id.length))),
      }
      : block
  );
  await refuses(oirFile(untold), /frame t001 has no pixels under its name: the first that has any is t002/);
});

Deno.test("a later frame whose number does not fit is missing in its place", async () => {
  const changed = replaced(series, `t002_0_1_${CHANNEL_A}`, `t402_0_1_${CHANNEL_A}`);
  const { summary, planes } = await openBytes(changed);
  assert.deepEqual([...planes[0]!], [...ramp(20, 1000)]);
  assert.deepEqual([summary.axes[0]!.size, summary.axes[0]!.step], [3, 0.5]);
  assert.deepEqual(codesOf(summary.warnings), ["content_left_out", "planes_missing", "planes_missing"]);
  // Where the documents of the frames between are lost too, those of the last ones say how many there were.
  const ends = frames(9).filter((_, i) => i < 2 || i > 6);
  const sparse = await openBytes(writeOir(frame({ ...oneChannel, frames: ends })));
  assert.deepEqual([sparse.summary.axes[0]!.size, [...sparse.planes[0]!]], [9, [...ramp(20, 1000)]]);
  const zero = await openBytes(replaced(series, `t003_0_1_${CHANNEL_A}`, `t000_0_1_${CHANNEL_A}`));
  assert.deepEqual([...zero.planes[0]!], [...ramp(20, 1000)], "numbers count from 1");
});

Deno.test("a frame number is counted with the other axes", async () => {
  const grid = [1, 2, 3].flatMap((t) =>
    [1, 2].map((z) => ({ axes: `t00${t}z00${z}`, planes: [ramp(20, 100 * t + 10 * z)] }))
  );
  // Six planes at two depths are three frames at most, and no document names a fifth.
  const changed = replaced(
    writeOir(frame({ ...oneChannel, frames: grid })),
    `t003z002_0_1_${CHANNEL_A}`,
    `t005z002_0_1_${CHANNEL_A}`,
  );
  const { summary } = await openBytes(changed);
  assert.deepEqual(summary.axes.slice(0, 2).map(({ name, size }) => `${name}${size}`), ["T3", "Z2"]);
  assert.deepEqual(codesOf(summary.warnings), ["content_left_out", "planes_missing", "planes_missing"]);
  // Both planes of the third frame: a fourth is one more than are there.
  let both: Uint8Array = writeOir(frame({ ...oneChannel, frames: grid }));
  for (const z of [1, 2]) {
    both = replaced(both, `t003z00${z}_0_1_${CHANNEL_A}`, `t004z00${z}_0_1_${CHANNEL_A}`);
  }
  assert.deepEqual(codesOf((await openBytes(both)).summary.warnings), ["content_left_out"]);
});

Deno.test("two frames of one name are not stacked", async () => {
  // 0x33 and 0x31 differ in one bit.
  const { summary, planes } = await openBytes(
    replaced(series, `t003_0_1_${CHANNEL_A}`, `t001_0_1_${CHANNEL_A}`),
  );
  assert.deepEqual([summary.rows, [...planes[0]!]], [4, [...ramp(20, 1000)]]);
  assert.deepEqual(codesOf(summary.warnings), ["metadata_disagree"]);
});

Deno.test("another channel is not taken for the first one", async () => {
  const strange = `${CHANNEL_A.slice(0, -1)}q`;
  const message = new RegExp(
    `channel "CH1" has no pixels under its id ${CHANNEL_A}, and no document describes the channel ${strange}`,
  );
  await refuses(replaced(twoChannels, `t001_0_1_${CHANNEL_A}`, `t001_0_1_${strange}`), message);
  await refuses(
    replaced(twoChannels, `t001_0_1_${CHANNEL_A}`, `t001p0_1_${CHANNEL_A}`),
    /channel "CH1" has no readable pixels: tag at \d+ has the unknown name/,
  );
  const listed = frame({
    channels: [CHANNEL_A, CHANNEL_B, CHANNEL_C].map((id, i) => ({ id, name: `CH${i + 1}` })),
    frames: [{ axes: "t001", planes: [ramp(20, 0), ramp(20, 100), null] }],
  });
  const { summary } = await openBytes(writeOir(listed));
  assert.deepEqual([summary.channels.map((c) => c.name), codesOf(summary.warnings)], [
    ["CH1", "CH2"],
    ["channel_missing"],
  ]);
});

Deno.test("a channel that the only copy of the properties does not describe is not put in its place", async () => {
  const blocks = oirBlocks(frame());
  const single = oirFile(blocks.slice(0, -1));
  const strange = `${CHANNEL_A.slice(0, -1)}q`;
  await refuses(
    replaced(single, `channel id="${CHANNEL_A}"`, `channel id="${strange}"`),
    new RegExp(`channel "CH1" has no pixels under its id ${strange}, and .* the channel ${CHANNEL_A}, which`),
  );
});

Deno.test("a chunk of a channel that no document describes makes no channel", async () => {
  const scan = writeOir(lineScan(23));
  const strange = `${CHANNEL_A.slice(0, -1)}q`;
  const { summary, planes } = await openBytes(replaced(scan, `1_${CHANNEL_A}_4`, `1_${strange}_4`));
  assert.deepEqual(summary.channels.map((c) => c.name), ["CH1", "CH2"]);
  // Strips of 5 lines: the fifth and last one of CH1 is lost.
  assert.deepEqual([...planes[0]!], [...ramp(20 * 6, 0)]);
  assert.deepEqual(codesOf(summary.warnings), ["channel_missing", "lines_missing"]);
});

Deno.test("a channel that no document describes is served where it has as many rows as the others", async () => {
  const blocks = oirBlocks(frame());
  for (const [samples, names] of [[20, ["CH1", "CH2", "CH3"]], [19, ["CH1", "CH2"]]] as const) {
    const more = chunkBlocks(`t001_0_1_${CHANNEL_C}_0`, 0, new Uint8Array(2 * samples).fill(1));
    const { summary, planes } = await openBytes(oirFile([...blocks, ...more]));
    assert.deepEqual(summary.channels.map((c) => c.name), names);
    assert.deepEqual(planes.map((plane) => plane[0]), [0, 100, 257].slice(0, names.length));
  }
});

Deno.test("256 frame documents from either end tell of a frame before the first one", async () => {
  const oir = frame({ ...oneChannel, frames: frames(2).slice(1) });
  const blocks = oirBlocks(oir);
  const count = 520;
  const documentOf = (axes: string) => ({
    kind: 1,
    payload: documentRecord(1, frameDocument(oir, { axes, planes: [] })),
  });
  const [other, first] = [documentOf("t002"), documentOf("t001")];
  // The number of the document that names frame t001; that of the stored frame is number 1.
  for (const [number, read] of [[256, true], [257, false], [264, false], [265, true]] as const) {
    const documents = Array.from({ length: count - 1 }, (_, i) => i + 2 === number ? first : other);
    const opened = openBytes(oirFile([...blocks, ...documents]));
    if (read) await assert.rejects(opened, /frame t001 has no pixels under its name/, `${number}`);
    else assert.equal((await opened).planes[0]![0], 2000);
  }
});

Deno.test("channels keep their order where one copy of the properties is damaged", async () => {
  const original = await openBytes(twoChannels);
  const changes: [string, string][] = [
    ['order="1"', 'ordes="1"'],
    ['order="2"', 'order="0"'],
    [`channel id="${CHANNEL_A}"`, `channel id="${CHANNEL_A.slice(0, -1)}q"`],
  ];
  for (const [text, by] of changes) {
    for (const copy of [0, 1]) {
      const what = `${by} in copy ${copy}`;
      const { summary, planes } = await openBytes(replaced(twoChannels, text, by, copy));
      assert.deepEqual(summary.channels.map((c) => c.name), ["CH1", "CH2"], what);
      assert.deepEqual(planes, original.planes, what);
    }
  }
});

Deno.test("copies that put the channels in different orders are refused", async () => {
  for (const copy of [0, 1]) {
    // 0x31 and 0x33 differ in one bit; 3 is as good a number as 1.
    await refuses(
      replaced(twoChannels, 'order="1"', 'order="3"', copy),
      /its two copies of the image properties disagree about the order of its channels: "CH\d" \(\d\), "CH\d" \(\d\), and/,
    );
  }
  const single = oirFile(oirBlocks(frame()).slice(0, -1));
  await refuses(
    replaced(single, 'order="2"', 'ordes="2"'),
    /the order of its channels is damaged: "CH2" \(no number\), "CH1" \(1\)/,
  );
});

Deno.test("where a copy of the properties describes no channel, those of the other count without a choice", async () => {
  const silent = oirBlocks(frame({ channels: [], frames: [] })).at(-1)!;
  const blocks = oirBlocks(frame());
  for (const copies of [[blocks.at(-1)!, silent], [silent, blocks.at(-1)!]]) {
    const others = blocks.filter(({ kind }) => kind !== 0);
    const { summary, planes } = await openBytes(oirFile([...others, ...copies]));
    assert.deepEqual(summary.channels.map(({ name }) => name), ["CH1", "CH2"]);
    assert.deepEqual(planes.map((plane) => plane[0]), [0, 100]);
    assert.equal(summary.warnings.length, 1);
    assert.deepEqual(codesOf(summary.warnings), ["metadata_disagree"]);
  }
});

Deno.test("a colour image has three components, with the ids that its documents name", async () => {
  const ids = [CHANNEL_A, CHANNEL_B, CHANNEL_C];
  const rgb: WrittenOir = frame({
    depth: 1,
    colorType: "RGB",
    channels: ids.map((id) => ({ id, name: "" })),
    frames: [{ axes: "t001", planes: [0, 80, 160].map((seed) => Uint8Array.from(ramp(20, seed))) }],
    properties: false,
  });
  await refuses(
    replaced(writeOir(rgb), `t001_0_1_${CHANNEL_A}`, `t0p1_0_1_${CHANNEL_A}`),
    /2 of the 3 components of a colour image have pixels: tag at/,
  );
  const named = writeOir({
    ...rgb,
    colours: { [CHANNEL_A]: "Red", [CHANNEL_B]: "Green", [CHANNEL_C]: "Blue" },
  });
  await refuses(
    replaced(named, `t001_0_1_${CHANNEL_A}`, `t001_0_1_q${CHANNEL_A.slice(1)}`),
    /component "Red" has no pixels under its id/,
  );
});

Deno.test("a listed channel whose components have the pixels is not missing", async () => {
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

Deno.test("a reference channel of an unknown id does not take the place of another one", async () => {
  const scan = writeOir(lineScan(23, { stripBytes: 1000 }));
  const strange = `${CHANNEL_A.slice(0, -1)}q`;
  const { summary, referencePlanes } = await openBytes(
    replaced(scan, `LSM0_${CHANNEL_A}_0`, `LSM0_${strange}_0`),
  );
  assert.deepEqual(summary.reference?.channels.map(({ name }) => name), ["CH2"]);
  assert.deepEqual(referencePlanes.map((plane) => [...plane]), [[...ramp(64, 5000)]]);
  assert.deepEqual(codesOf(summary.warnings), ["reference_unreadable"]);
});

Deno.test("rows of a width or sample size that other statements contradict are refused", async () => {
  const long = { ...oneChannel, frames: frames(2) };
  const cases: [string, Uint8Array, RegExp][] = [
    [
      "frames of 4 columns before frames of 5",
      replaced(writeOir(frame(long)), "<base:width>5<", "<base:width>4<"),
      /5 rows of 4 samples of 2 bytes are stored in place of 4: other frames have 5 samples/,
    ],
    // 23 lines of 6 samples are 138 samples: 34.5 lines of 4 and 19.7 of 7.
    [
      "more lines than intended",
      replaced(writeOir(lineScan(24)), "<base:width>6<", "<base:width>4<"),
      /36 rows of 4 samples of 2 bytes are stored in place of 24/,
    ],
    [
      "rows that do not fill the chunks",
      replaced(writeOir(lineScan(23)), "<base:width>6<", "<base:width>7<"),
      /19 rows of 7 .* in place of 23: the stored bytes make 23 whole rows of another width/,
    ],
  ];
  for (const [what, bytes, message] of cases) {
    await refuses(bytes, message).catch((e) => assert.fail(`${what}: ${e}`));
  }
});

Deno.test("warns where the two copies of the properties differ", async () => {
  const scan = writeOir(lineScan(23));
  const changes = [
    ["<commonparam:x>0.45<", "<commonparam:x>0.65<"],
    ["2025-10-30T", "2024-10-30T"],
    [">CH1<", ">CI1<"],
    [">2.118<", ">2.018<"],
    ["maxSize>23<", "maxSize>27<"],
    ['x1="1"', 'x1="5"'],
  ] as const;
  for (const [text, by] of changes) {
    const { summary } = await openBytes(replaced(scan, text, by));
    assert.equal(codesOf(summary.warnings)[0], "metadata_disagree", by);
  }
});

Deno.test("warns about steps between frames that differ or lack an end", async () => {
  const uneven = replaced(series, ">1000</commonframe:position>", ">5000</commonframe:position>");
  assert.deepEqual(codesOf((await openBytes(uneven)).summary.warnings), [
    "metadata_disagree",
    "metadata_disagree",
  ]);
  assert.deepEqual(codesOf((await openBytes(series)).summary.warnings), []);

  // Two times and two focus planes: the second plane states the step in time once more.
  const stack = [[1, 1], [1, 2], [2, 1], [2, 2]].map(([t, z]) => ({
    axes: `z00${z}t00${t}`,
    planes: [ramp(20, 0)],
    positions: { TIMELAPSE: 400 * t! + 50 * z!, ZSTACK: 1.5 * z! },
  }));
  const whole = writeOir(frame({ ...oneChannel, frames: stack }));
  assert.deepEqual(codesOf((await openBytes(whole)).summary.warnings), []);
  const later = await openBytes(replaced(whole, ">850<", ">950<"));
  assert.deepEqual(codesOf(later.summary.warnings), ["metadata_disagree"]);
  const lost = await openBytes(replaced(whole, "</lsmframe:frameProperties>", "</lsmframe:framePropertiez>"));
  assert.equal(lost.summary.axes[0]!.step, 0.4);
  assert.deepEqual(codesOf(lost.summary.warnings), [
    "metadata_damaged",
    "metadata_missing",
    "metadata_missing",
  ]);
});
