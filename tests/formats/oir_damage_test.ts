import assert from "node:assert/strict";
import { join } from "node:path";
import { DecodeFailed, ReaderError } from "../../readers/errors.ts";
import { checkCuts } from "../damage.ts";
import { CHANNEL_A, frame, lineScan, loadPath, openBytes, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  blockOffsets,
  documentRecord,
  documentsBlock,
  oirBlocks,
  oirFile,
  propertiesDocument,
  writeOir,
  type WrittenBlock,
  type WrittenOir,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { codesOf } from "../warning_codes.ts";

const refused = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof DecodeFailed, String(error));
  assert.match(error.message, /^Cannot read "scan\.oir": [^A-Z]/);
  assert.match(error.message, message);
  return true;
};

Deno.test("a file truncated at or inside any block is refused or served as far as it goes", async (t) => {
  const kinds: Record<string, WrittenOir> = {
    "line scan": lineScan(23),
    series: frame({
      frames: ["t001", "t002"].map((axes) => ({ axes, planes: [ramp(20, 0), ramp(20, 100)] })),
    }),
  };
  for (const [name, oir] of Object.entries(kinds)) {
    await t.step(name, async () => {
      const blocks = oirBlocks(oir);
      const bytes = oirFile(blocks);
      const cuts = new Set([0, 1, 15, 16, 48, 95]);
      const offsets = blockOffsets(blocks);
      for (const [i, at] of offsets.entries()) {
        const next = offsets[i + 1] ?? bytes.length;
        for (const cut of [at, at + 1, at + 4, at + 8, at + 9, (at + next) >> 1, next - 1]) cuts.add(cut);
      }
      const { served, refused } = await checkCuts("scan.oir", bytes, cuts, true);
      assert.ok(served > 20 && refused > 20, `${served} served, ${refused} refused`);
    });
  }
});

Deno.test("blocks are found without an index, with a wrong one and with an incomplete one", async (t) => {
  const blocks = oirBlocks(lineScan(23));
  const whole = await openBytes(oirFile(blocks));
  const offsets = blockOffsets(blocks);
  offsets.pop();
  const all = offsets.map(BigInt);
  const cases: [string, Uint8Array][] = [
    ["offset near 2^64", oirFile(blocks, { indexOffset: 2n ** 64n - 2n })],
    ["offset after the file", oirFile(blocks, { indexOffset: 10n ** 9n })],
    ["marker missing", oirFile(blocks, { marker: 7 })],
    ["declared size near 2^64", oirFile(blocks, { declaredSize: 2n ** 64n - 1n })],
    ["no entries", oirFile(blocks, { entries: [] })],
    ["every other entry", oirFile(blocks, { entries: all.filter((_, i) => i % 2 === 0) })],
    [
      "entries that go back",
      oirFile(blocks, { entries: [...all.slice(0, 9), 200n, ...all.slice(9)] }),
    ],
    ["entries inside blocks", oirFile(blocks, { entries: all.map((entry) => entry + 3n) })],
    ["stale bytes at the end", oirFile(blocks, { stale: new Uint8Array(237).fill(0xab) })],
  ];
  for (const [what, bytes] of cases) {
    await t.step(what, async () => {
      const { planes, referencePlanes } = await openBytes(bytes);
      assert.deepEqual([planes, referencePlanes], [whole.planes, whole.referencePlanes]);
    });
  }
});

/** The blocks with one of them changed. */
function changed(
  blocks: readonly WrittenBlock[],
  wanted: (block: WrittenBlock, text: string) => boolean,
  change: (view: DataView) => void,
): WrittenBlock[] {
  let done = false;
  return blocks.map((block) => {
    if (done || !wanted(block, new TextDecoder("latin1").decode(block.payload))) return block;
    done = true;
    const payload = block.payload.slice();
    change(new DataView(payload.buffer));
    return { ...block, payload };
  });
}

Deno.test("lying lengths and names are refused with their place", async (t) => {
  const blocks = oirBlocks(frame());
  const isTag = (b: WrittenBlock, text: string) => b.kind === 3 && text.includes(CHANNEL_A);
  const cases: [string, WrittenBlock[], RegExp][] = [
    [
      "chunk length",
      changed(blocks, isTag, (v) => v.setUint32(4, 2 ** 32 - 1, true)),
      /have 40 bytes, but their tag states 4294967295/,
    ],
    [
      "name length",
      changed(blocks, isTag, (v) => v.setUint32(8, 2 ** 32 - 1, true)),
      /name of 4294967295 bytes in 59/,
    ],
    [
      "place in the plane",
      changed(blocks, isTag, (v) => v.setUint32(0, 2 ** 32 - 1, true)),
      /0 of 40 bytes are stored, and 40 more after a gap/,
    ],
  ];
  for (const [what, lying, message] of cases) {
    await t.step(what, async () => {
      await assert.rejects(openBytes(oirFile(lying), [0]), refused(message));
    });
  }
  await t.step("block length", async () => {
    const bytes = oirFile(blocks);
    const pixels = blockOffsets(blocks)[2]!;
    new DataView(bytes.buffer).setUint32(pixels, 2 ** 31, true);
    const message =
      `the main image has no readable pixels: block at ${pixels} \\+ 2147483656 ends after the data`;
    await assert.rejects(openBytes(bytes), refused(new RegExp(message)));
  });
});

Deno.test("lying dimensions are refused before anything is allocated", async () => {
  const cases: [Partial<WrittenOir>, RegExp][] = [
    [{ width: 2e9, height: 2e9 }, /more than 1073741824 samples/],
    [
      { width: 32_000, height: 32_000 },
      /channel 0 \("CH1"\) is incomplete: 40 of 2048000000 bytes are stored/,
    ],
    [{ width: 2 ** 53, height: 1 }, /at 104 states an impossible size: width 9007199254740992, height 1/],
    [{ width: 0 }, /the frame document at 104 states an impossible size: width 0, height 4/],
    [{ depth: 1e9 }, /samples of 1000000000 bytes are not supported/],
  ];
  for (const [change, message] of cases) {
    await assert.rejects(openBytes(writeOir({ ...frame(), ...change })), refused(message));
  }
});

Deno.test("damaged and hostile documents count as missing, with a warning", async (t) => {
  const scan = lineScan(23);
  const documents = (document: string | Uint8Array) => {
    const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
    return documentsBlock(concat(words(2, 1, 1, 0, 0, 1, 1, 1, 1), words(bytes.length), bytes));
  };
  const replaced = (document: string | Uint8Array) =>
    oirFile(oirBlocks(scan).map((b) => b.kind === 0 ? documents(document) : b));
  const properties = propertiesDocument(scan);
  const wrapped = (content: string) => xmlDocument("lsmimage:imageProperties", ["lsmimage"], content);
  const doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
  const cases: [string, string][] = [
    ["cut", properties.slice(0, 900)],
    ["entities", properties.replace("\r\n", doctype).replace("CH1", "&b;")],
    ["deep nesting", wrapped("<a>".repeat(5000) + "</a>".repeat(5000))],
    ["empty", ""],
  ];
  for (const [what, document] of cases) {
    await t.step(what, async () => {
      const { summary, planes } = await openBytes(replaced(document));
      assert.ok(codesOf(summary.warnings).includes("metadata_missing"));
      assert.deepEqual([...planes[0]!], [...ramp(138, 0)]);
      assert.deepEqual(summary.axes.map((a) => a.unit), ["Pixels", "Pixels", "Pixels"]);
    });
  }
  await t.step("a wrong length before the document", async () => {
    const bytes = new TextEncoder().encode(properties);
    const block = documentsBlock(
      concat(words(2, 1, 1, 0, 0, 1, 1, 1, 1), words(2 ** 31), bytes, Uint8Array.of(0, 0)),
    );
    const { summary } = await openBytes(oirFile(oirBlocks(scan).map((b) => b.kind === 0 ? block : b)));
    assert.deepEqual([summary.axes[1]!.unit, codesOf(summary.warnings)], ["seconds", []]);
  });
  await t.step("bytes of a Windows code page", async () => {
    const latin1 = Uint8Array.from(properties.replace("CH1", "CH\u00b5\u0002"), (c) => c.charCodeAt(0));
    const { summary } = await openBytes(replaced(latin1));
    assert.equal(summary.channels[0]!.name, "CH\u00b5\ufffd");
  });
});

Deno.test("frames of unknown size are refused with the reason", async () => {
  const damaged = (document: string) => ({ kind: 1, payload: documentRecord(1, document) });
  const cases: [string, (block: WrittenBlock) => WrittenBlock[], RegExp][] = [
    ["no frame document", () => [], /lacks the frame document/],
    [
      "a damaged one",
      () => [damaged('<?xml version="1.0"?><frameProperties>')],
      /the frame document at 104 cannot be read/,
    ],
    [
      "one without a size",
      () => [damaged(xmlDocument("frameProperties", [], "<a/>"))],
      /the frame document at 104 does not state the size of the frame/,
    ],
  ];
  for (const [what, replace, message] of cases) {
    const blocks = oirBlocks(frame()).flatMap((b) => b.kind === 1 ? replace(b) : b);
    await assert.rejects(openBytes(oirFile(blocks)), refused(message), what);
  }
});

Deno.test("documents count in any block, and the last copy disables axes", async () => {
  const scan = lineScan(23);
  const definition = xmlDocument(
    "base:imageDefinition",
    ["base"],
    "<base:width>4</base:width><base:height>16</base:height>",
  );
  const plain = oirBlocks({ ...scan, reference: { ...scan.reference!, defined: false } });
  const own = documentsBlock(documentRecord(10, definition));
  for (const at of [0, plain.length - 2, plain.length]) {
    const blocks = [...plain.slice(0, at), own, ...plain.slice(at)];
    const { summary } = await openBytes(oirFile(blocks));
    assert.deepEqual([summary.reference?.rows, summary.reference?.columns], [16, 4], `block ${at}`);
    assert.deepEqual([summary.axes[1]!.unit, codesOf(summary.warnings)], ["seconds", []]);
  }

  const off = propertiesDocument({ ...scan, axes: [{ type: "TIMELAPSE", maxSize: 23, enable: false }] });
  const { summary } = await openBytes(oirFile([...plain, documentsBlock(documentRecord(2, off))]));
  assert.deepEqual([summary.axes[1]!.size, summary.axes[1]!.unit], [23, "um"]);
});

Deno.test("archives and mosaics of OIR files are refused with what to open instead", async () => {
  const zip = concat(Uint8Array.of(0x50, 0x4b, 3, 4), new Uint8Array(96));
  const xml = new TextEncoder().encode('<?xml version="1.0" encoding="utf-8"?><matl:properties/>');
  const cases: [string, Uint8Array, string, RegExp][] = [
    ["a.oir", zip, "DecodeFailed", /^Cannot read "a\.oir": it is a ZIP archive.*open an \.oir inside$/],
    ["a.oir", xml, "DecodeFailed", /^Cannot read "a\.oir": it is an XML document/],
    ["a.poir", zip, "UnsupportedFormat", /^"a\.poir" cannot be opened: it is a ZIP archive/],
    ["a.MPOIR", zip, "UnsupportedFormat", /open an \.oir inside$/],
    ["matl.omp2info", xml, "UnsupportedFormat", /open an \.oir of the mosaic/],
    ["a.zip", zip, "UnsupportedFormat", /\("\.zip"\) that is not allowed here/],
    ["a.oir", new Uint8Array(96), "DecodeFailed", /the content is not Olympus OIR/],
  ];
  for (const [name, bytes, tag, message] of cases) {
    await withFiles({ [name]: bytes }, async (path) => {
      await assert.rejects(loadPath(path), (error: unknown) => {
        assert.ok(error instanceof ReaderError);
        assert.equal(error.tag, tag, error.message);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

Deno.test("a main file without pixels is refused even with a continuation file", async () => {
  const fixture = (name: string) => Deno.readFile(new URL(`../fixtures/oir/${name}`, import.meta.url));
  const [main, continuation] = [await fixture("long.oir"), await fixture("long_00001")];
  // The first block of pixels starts at 648; the header alone has 96 bytes.
  const cuts: [number, RegExp][] = [
    [622, /main image has no readable pixels: .*96 \+ 552/],
    [96, /main image has no pixels/],
  ];
  for (const [length, message] of cuts) {
    const contents = { "scan.oir": main.subarray(0, length), "scan_00001": continuation };
    await withFiles(contents, async (_, folder) => {
      await assert.rejects(loadPath(join(folder, "scan.oir")), refused(message));
    });
  }
});
