import assert from "node:assert/strict";
import { CHANNEL_A, CHANNEL_B, CHANNEL_C, frame, lineScan, openBytes, ramp } from "../fixtures/oir_files.ts";
import {
  documentRecord,
  documentsBlock,
  oirBlocks,
  oirFile,
  writeOir,
  type WrittenOir,
  type WrittenReference,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { codesOf } from "../warning_codes.ts";

const values = (planes: readonly Float32Array[]) => planes.map((plane) => [...plane]);

Deno.test("reads chunks in file order if their offsets restart", async () => {
  const blocks = oirBlocks(lineScan(20)).map((block) => {
    if (block.kind !== 3) return block;
    const payload = block.payload.slice();
    const view = new DataView(payload.buffer);
    if (!new TextDecoder().decode(payload).includes("REF_")) {
      view.setUint32(0, view.getUint32(0, true) % 120, true);
    }
    return { ...block, payload };
  });
  const { planes } = await openBytes(oirFile(blocks));
  assert.deepEqual(values(planes), [[...ramp(120, 0)], [...ramp(120, 10_000)]]);
});

Deno.test("serves the lines of an interrupted line scan that every requested channel has", async () => {
  const interrupted = lineScan(23, {
    frames: [{ axes: "t001", planes: [ramp(15 * 6 + 4, 0), ramp(11 * 6, 10_000)] }],
  });
  const both = await openBytes(writeOir(interrupted));
  assert.deepEqual([both.summary.rows, both.summary.axes[1]!.size], [11, 15]);
  assert.deepEqual(values(both.planes), [[...ramp(66, 0)], [...ramp(66, 10_000)]]);
  assert.deepEqual(codesOf(both.summary.warnings), ["lines_missing"]);
  const one = await openBytes(writeOir(interrupted), [0]);
  assert.equal(one.summary.rows, 15);
  assert.deepEqual(values(one.planes), [[...ramp(90, 0)]]);
});

Deno.test("distinguishes an early interrupted line scan from a frame", async () => {
  const { line: _line, reference: _reference, overview: _overview, ...bare } = lineScan(23);
  const lines = (n: number) => ({ frames: [{ axes: "t001", planes: [ramp(n * 6, 0), ramp(n * 6, 500)] }] });
  const intended = (maxSize: number) => ({ axes: [{ type: "TIMELAPSE", maxSize }] });
  const narrow = { overview: { width: 9, height: 8 } };
  const region = { line: [0, 0, 7, 7], regionType: "Polyline" } as const;
  const twice = { frames: ["t001", "t002"].map((axes) => ({ ...lines(3).frames[0]!, axes })) };
  const incomplete = /channel 0 \("CH1"\) is incomplete: 36 of 96 bytes are stored/;
  const cases: [string, WrittenOir, [number, string] | RegExp][] = [
    ["a fitting line", lineScan(23, lines(3)), [3, "seconds"]],
    ["more rows than the frame", { ...bare, ...lines(9) }, [9, "seconds"]],
    ["more lines intended than a frame has", { ...bare, ...lines(3) }, [3, "seconds"]],
    ["rows of another width than the overview", { ...bare, ...lines(3), ...intended(7), ...narrow }, [
      3,
      "seconds",
    ]],
    ["the same, filling a frame", { ...bare, ...lines(8), ...intended(23), ...narrow }, [8, "seconds"]],
    ["a reference", { ...lineScan(23, lines(3)), line: [0, 0, 7, 7], ...intended(7) }, [3, "seconds"]],
    ["a region", { ...bare, ...lines(3), ...intended(7), ...region }, [3, "seconds"]],
    ["nothing of these", { ...bare, ...lines(3), ...intended(7) }, incomplete],
    ["no time axis", { ...lineScan(23, lines(3)), axes: [] }, incomplete],
    ["one line intended", { ...lineScan(23, lines(3)), ...intended(1), line: [0, 0, 7, 7] }, incomplete],
    ["two time points", { ...lineScan(23), ...twice }, incomplete],
    [
      "a frame of which a channel is incomplete",
      {
        ...lineScan(8),
        line: [0, 0, 7, 7],
        overview: { width: 6, height: 8 },
        frames: [{ axes: "t001", planes: [ramp(48, 0), ramp(18, 0)] }],
        ...intended(23),
      },
      /channel 1 \("CH2"\) is incomplete: 36 of 96 bytes are stored/,
    ],
    ["a whole frame", { ...bare, ...lines(8), ...intended(23) }, [8, "um"]],
  ];
  for (const [what, oir, expected] of cases) {
    if (expected instanceof RegExp) {
      await assert.rejects(openBytes(writeOir(oir)), expected, what);
      continue;
    }
    const { summary, planes } = await openBytes(writeOir(oir));
    assert.deepEqual([summary.rows, summary.axes[1]!.unit], expected, what);
    assert.deepEqual([...planes[0]!], [...ramp(summary.rows * 6, 0)], what);
    if (expected[1] === "seconds") {
      assert.ok(codesOf(summary.warnings).includes("lines_missing"), what);
    }
  }
});

Deno.test("leaves out lines after a lost chunk", async () => {
  const blocks = oirBlocks(lineScan(23));
  const names = blocks.map((b) => new TextDecoder().decode(b.payload));
  const lost = names.findIndex((name) => name.endsWith(`t001_0_1_${CHANNEL_A}_2`));
  blocks.splice(lost, 2);
  const { summary, planes } = await openBytes(oirFile(blocks), [0]);
  assert.deepEqual([summary.rows, ...values(planes)], [10, [...ramp(60, 0)]]);
  assert.deepEqual(codesOf(summary.warnings), ["lines_missing", "lines_missing"]);
});

Deno.test("takes the line period from the scanner in use, else from the shortest interval", async () => {
  const cases: [Record<string, number>, [number, string]][] = [
    [{ Galvano: 2.118, Resonant: 0.063 }, [0.002118, "seconds"]],
    [{ Resonant: 0.063, Galvano: 2.118 }, [0.000063, "seconds"]],
    [{ Resonant: 33.3, Galvano: 2.118 }, [0.002118, "seconds"]],
    [{ Resonant: 33.3 }, [0.45, "um"]],
    [{}, [0.45, "um"]],
  ];
  for (const [scanners, expected] of cases) {
    const { summary } = await openBytes(writeOir(lineScan(23, { scanners })));
    const rows = summary.axes.find((a) => a.name === "Y")!;
    assert.deepEqual([rows.step, rows.unit], expected, JSON.stringify(scanners));
    assert.deepEqual(codesOf(summary.warnings), expected[1] === "um" ? ["step_unknown"] : []);
  }
});

Deno.test("takes the line period from the document of a channel", async () => {
  for (const [root, expected] of [["lsmChannel", [0.0005, "seconds"]], ["lsmOther", [0.45, "um"]]] as const) {
    const document = xmlDocument(`lsmimage:${root}`, ["lsmimage"], "<seriesInterval>0.5</seriesInterval>");
    const blocks = oirBlocks(lineScan(23, { scanners: {} }));
    blocks.splice(-1, 0, documentsBlock(documentRecord(10, document)));
    const { summary } = await openBytes(oirFile(blocks));
    const rows = summary.axes.find((a) => a.name === "Y")!;
    assert.deepEqual([rows.step, rows.unit], expected);
  }
});

Deno.test("drops an incomplete last line", async () => {
  const { summary, planes } = await openBytes(
    writeOir(lineScan(1, { frames: [{ axes: "t001", planes: [ramp(9, 0), ramp(9, 100)] }] })),
  );
  assert.deepEqual([summary.rows, ...values(planes)], [1, [...ramp(6, 0)], [...ramp(6, 100)]]);
});

Deno.test("accepts a line for rows whose length differs by at most two pixels", async () => {
  // Rows of 6 pixels: a line of 5 pixels fits best.
  for (const [length, fits] of [[2, false], [3, true], [5, true], [7, true], [8, false]] as const) {
    const line = [1, 2, 1 + length, 2] as const;
    const { summary } = await openBytes(writeOir(lineScan(23, { line })));
    assert.deepEqual(summary.reference?.lineRoi, line);
    assert.deepEqual(codesOf(summary.warnings), fits ? [] : ["metadata_disagree"], `${length}`);
  }
});

const reference = (
  width: number,
  height: number,
  change: Partial<WrittenReference> = {},
): WrittenReference => ({
  width,
  height,
  planes: { [CHANNEL_A]: ramp(width * height, 7) },
  ...change,
});

Deno.test("takes the size of the reference image from the first fitting source", async () => {
  const cases: [string, WrittenReference, Partial<WrittenOir>, [number, number] | null][] = [
    ["image definition", reference(10, 3), { overview: { width: 6, height: 5 } }, [3, 10]],
    ["scanner", reference(10, 3, { defined: false }), { overview: { width: 6, height: 5 } }, [5, 6]],
    ["square", reference(9, 4, { defined: false }), { overview: { width: 8, height: 8 } }, [6, 6]],
    ["main height", reference(3, 8, { defined: false }), {}, [8, 3]],
    ["main width", reference(6, 3, { defined: false }), {}, [3, 6]],
    ["nothing", reference(7, 1, { defined: false }), {}, null],
  ];
  for (const [what, written, change, expected] of cases) {
    const bytes = writeOir(lineScan(23, { ...change, reference: written }));
    const { summary, referencePlanes } = await openBytes(bytes);
    const found = summary.reference;
    assert.deepEqual(found && [found.rows, found.columns], expected, what);
    if (found) {
      assert.deepEqual(values(referencePlanes), [[...ramp(written.width * written.height, 7)]], what);
    } else assert.deepEqual(codesOf(summary.warnings), ["reference_unreadable"]);
  }
});

Deno.test("accepts a reference with other channels than the image", async () => {
  const planes = { [CHANNEL_C]: ramp(36, 300), [CHANNEL_B]: ramp(36, 200), [CHANNEL_A]: ramp(36, 100) };
  const { line: _line, ...overview } = lineScan(1);
  const written = frame({ reference: { width: 9, height: 4, planes }, scanners: overview.scanners! });
  const { summary, referencePlanes } = await openBytes(writeOir(written));
  assert.deepEqual(summary.reference?.channels.map((c) => [c.name, c.rows, c.columns]), [
    ["CH1", 4, 9],
    ["CH2", 4, 9],
    ["CH3", 4, 9],
  ]);
  assert.deepEqual(referencePlanes.map((p) => p[0]), [100, 200, 300]);
  assert.deepEqual([summary.reference?.lineRoi, summary.reference?.scanPath], [null, null]);
});

Deno.test("leaves out an incomplete reference, and serves the image", async () => {
  const cut = reference(8, 8, { planes: { [CHANNEL_A]: ramp(60, 0) } });
  const whole = await openBytes(writeOir(lineScan(23, { reference: cut })));
  assert.equal(whole.summary.reference, null);
  assert.deepEqual(codesOf(whole.summary.warnings), ["reference_unreadable"]);
  const one = reference(8, 8, { planes: { [CHANNEL_A]: ramp(60, 0), [CHANNEL_B]: ramp(64, 5) } });
  const part = await openBytes(writeOir(lineScan(23, { reference: one })));
  assert.deepEqual(part.summary.reference?.channels.map((c) => c.name), ["CH2"]);
  assert.deepEqual(values(part.referencePlanes), [[...ramp(64, 5)]]);
});

Deno.test("takes sample type and names of a reference image from the camera if they fit", async () => {
  const colours = { [CHANNEL_B]: "Red", [CHANNEL_C]: "Infrared" };
  const narrow = { [CHANNEL_C]: Uint8Array.from(ramp(24, 5)), [CHANNEL_B]: Uint8Array.from(ramp(24, 9)) };
  const wide = { [CHANNEL_C]: ramp(24, 5), [CHANNEL_B]: ramp(24, 9) };
  const cases: [string, Partial<WrittenReference>, string, string[]][] = [
    ["a camera picture", { source: "CAMERA0", planes: narrow }, "uint8", ["Red", "Infrared"]],
    ["an overview beside a camera", { planes: narrow }, "uint8", ["CH2", "Infrared"]],
    ["an overview of 16 bit", { planes: wide }, "uint16", ["CH2", "Infrared"]],
  ];
  for (const [what, change, sampleType, names] of cases) {
    const reference = { width: 6, height: 4, planes: narrow, ...change };
    const { summary, referencePlanes } = await openBytes(writeOir(frame({ reference, colours })));
    assert.deepEqual([summary.reference?.rows, summary.reference?.columns], [4, 6], what);
    assert.deepEqual(
      summary.reference?.channels.map((c) => [c.name, c.sampleType]),
      names.map((name) => [name, sampleType]),
      what,
    );
    assert.deepEqual(values(referencePlanes), [[...ramp(24, 9)], [...ramp(24, 5)]], what);
  }
});
