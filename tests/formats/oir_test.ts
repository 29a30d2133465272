import assert from "node:assert/strict";
import { join } from "node:path";
import { FILES } from "../fixtures/oir/write_files.ts";
import { CHANNEL_A, openBytes, ramp } from "../fixtures/oir_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  blockOffsets,
  chunkBlocks,
  documentRecord,
  documentsBlock,
  frameDocument,
  oirFile,
  propertiesDocument,
  record,
  type WrittenBlock,
  type WrittenOir,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { codesOf } from "../warning_codes.ts";

const SEPARATOR: WrittenBlock = { kind: 5, payload: new Uint8Array(0) };
const CREATED = "2025-10-30T14:54:36.123-04:00";
const frameBlock = (oir: WrittenOir, axes: string): WrittenBlock => ({
  kind: 1,
  payload: documentRecord(1, frameDocument(oir, { axes, planes: [] })),
});

// Sizes, offsets and values are a worked example of the format description, which an independent reader read back.

Deno.test("a line scan with its reference has the offsets of the worked example and reads back", async () => {
  const oir: WrittenOir = {
    width: 3,
    height: 4,
    depth: 2,
    channels: [{ id: CHANNEL_A, name: "CH1" }],
    frames: [],
    pixel: { x: 0.25, y: 0.25 },
    created: CREATED,
    axes: [{ type: "TIMELAPSE", maxSize: 6 }],
    scanners: { Galvano: 1.25 },
    overview: { width: 4, height: 4 },
    line: [3, 0, 1, 2],
  };
  const counted = (text: string) => concat(words(text.length), new TextEncoder().encode(text));
  const definition = "<base:width>4</base:width><base:height>4</base:height><base:depth>2</base:depth>" +
    "<base:bitCounts>12</base:bitCounts>";
  const blocks = [
    ...chunkBlocks(`REF_LSM0_${CHANNEL_A}_0`, 0, new Uint8Array(ramp(16, 1000).buffer)),
    frameBlock(oir, "t001"),
    ...chunkBlocks(`t001_0_1_${CHANNEL_A}_0`, 0, new Uint8Array(ramp(12, 0).buffer)),
    ...chunkBlocks(`t001_0_1_${CHANNEL_A}_1`, 24, new Uint8Array(ramp(6, 12).buffer)),
    documentsBlock(
      documentRecord(2, propertiesDocument(oir)),
      record(
        10,
        concat(
          words(1),
          counted(CHANNEL_A),
          words(1),
          counted(xmlDocument("lsmimage:lsmChannel", ["lsmimage"], "", ` id="${CHANNEL_A}"`)),
          counted(xmlDocument("base:imageDefinition", ["base"], definition)),
        ),
      ),
    ),
    SEPARATOR,
  ];
  assert.deepEqual(blockOffsets(blocks), [96, 163, 203, 755, 822, 854, 921, 941, 3504, 3512]);
  const bytes = oirFile(blocks);
  assert.equal(bytes.length, 3588);

  const { summary, planes, referencePlanes } = await openBytes(bytes);
  assert.deepEqual(summary.axes, [
    { name: "Y", size: 6, step: 0.00125, unit: "seconds" },
    { name: "X", size: 3, step: 0.25, unit: "um" },
  ]);
  assert.deepEqual([...planes[0]!], [...ramp(18, 0)]);
  assert.deepEqual(summary.reference?.axes, [
    { name: "Y", size: 4, step: 0.25, unit: "um" },
    { name: "X", size: 4, step: 0.25, unit: "um" },
  ]);
  assert.deepEqual(summary.reference?.lineRoi, [3, 0, 1, 2]);
  assert.deepEqual(summary.reference?.scanPath, { x: [3, 1], y: [0, 2] });
  assert.deepEqual([...referencePlanes[0]!], [...ramp(16, 1000)]);
  assert.deepEqual(codesOf(summary.warnings), []);
});

Deno.test("the fixtures equal the output of their script", async () => {
  for (const [name, bytes] of Object.entries(FILES)) {
    assert.deepEqual(await Deno.readFile(join(import.meta.dirname!, "../fixtures/oir", name)), bytes, name);
  }
});
