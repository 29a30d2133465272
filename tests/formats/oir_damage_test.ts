/** Damaged and hostile OIR files: each is refused with what is wrong and where, or served with a warning. */
import { deepEqual, match, ok } from "node:assert/strict";
import { join } from "node:path";
import type { ErrorCode } from "../../schemas/served.ts";
import { checkCuts, loadBytes, refusal, testDamage } from "../damage.ts";
import { CHANNEL_A, frame, lineScan, openBytes, ramp } from "../fixtures/oir_files.ts";
import { loadHere } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";
import { concat } from "../fixtures/bytes.ts";
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

Deno.test("rejects a file truncated at or inside any block, or serves its complete part", async (t) => {
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
      ok(served > 20 && refused > 20, `${served} served, ${refused} refused`);
    });
  }
});

Deno.test("finds blocks without an index, and ignores its entries and stale bytes after it", async () => {
  const blocks = oirBlocks(lineScan(23));
  const whole = await openBytes(oirFile(blocks));
  const cases: [Uint8Array, string[]][] = [
    [oirFile(blocks, { indexOffset: 10n ** 9n }), ["file_damaged"]],
    [oirFile(blocks, { indexOffset: 2n ** 64n - 2n }), ["file_damaged"]],
    [oirFile(blocks, { declaredSize: 2n ** 64n - 1n }), ["file_damaged"]],
    [oirFile(blocks, { entries: [] }), []],
    [oirFile(blocks, { entries: [200n, 7n, 2n ** 60n] }), []],
    [oirFile(blocks, { stale: new Uint8Array(237).fill(0xab) }), []],
  ];
  for (const [bytes, codes] of cases) {
    const { planes, referencePlanes, summary } = await openBytes(bytes);
    deepEqual([planes, referencePlanes], [whole.planes, whole.referencePlanes]);
    deepEqual(codesOf(summary.warnings), codes);
  }
});

Deno.test("skips blocks of an unknown kind", async () => {
  const [first, ...rest] = oirBlocks(lineScan(23));
  const { planes, summary } = await openBytes(
    oirFile([{ kind: 77, payload: new Uint8Array(9) }, first!, ...rest]),
  );
  deepEqual([...planes[0]!], [...ramp(138, 0)]);
  deepEqual(codesOf(summary.warnings), []);
});

/** A frame with another word in the first tag of channel A. */
function withTagWord(at: number, word: number): Uint8Array {
  const blocks = oirBlocks(frame());
  const tag = blocks.findIndex(({ kind, payload }) =>
    kind === 3 && new TextDecoder("latin1").decode(payload).includes(CHANNEL_A)
  );
  const payload = blocks[tag]!.payload.slice();
  new DataView(payload.buffer).setUint32(at, word, true);
  return oirFile(blocks.with(tag, { kind: 3, payload }));
}

/** A frame whose first block of pixels states 2 GB; blocks before it take 619 bytes. */
function withBlockLength(): Uint8Array {
  const blocks = oirBlocks(frame());
  const bytes = oirFile(blocks);
  new DataView(bytes.buffer).setUint32(blockOffsets(blocks)[2]!, 2 ** 31, true);
  return bytes;
}

const withSize = (change: Partial<WrittenOir>) => () => writeOir({ ...frame(), ...change });

/** A frame with other frame documents. */
const withFrameDocument = (...documents: string[]) => () =>
  oirFile(
    oirBlocks(frame()).flatMap((block): WrittenBlock[] =>
      block.kind === 1
        ? documents.map((document) => ({ kind: 1, payload: documentRecord(1, document) }))
        : [block]
    ),
  );

/** Pixels before the first tag, and a tag before another one. */
const withBlocks = (...kinds: number[]) => () =>
  oirFile([...kinds.map((kind) => ({ kind, payload: new Uint8Array(20) })), ...oirBlocks(frame())]);

testDamage("scan.oir", {
  "a chunk of 4 GB": [
    () => withTagWord(4, 2 ** 32 - 1),
    /have 40 bytes, but their tag states 4294967295/,
  ],
  "a chunk name of 4 GB": [() => withTagWord(8, 2 ** 32 - 1), /name of 4294967295 bytes in 59/],
  "a chunk far off in its plane": [
    () => withTagWord(0, 2 ** 32 - 1),
    /0 of 40 bytes are stored, and 40 more after a gap/,
  ],
  "a block of 2 GB": [
    withBlockLength,
    /the main image has no readable pixels: block at 715 \+ 2147483656 ends after the data/,
  ],
  "pixels without a tag": [withBlocks(4), ["file_damaged"]],
  "a name that is not text": [withBlocks(3, 4), ["file_damaged"]],
  "2e9 x 2e9 pixels": [withSize({ width: 2e9, height: 2e9 }), /more than 1073741824 samples/],
  "pixels of 2 GB": [
    withSize({ width: 32_000, height: 32_000 }),
    /channel 0 \("CH1"\) is incomplete: 40 of 2048000000 bytes are stored/,
  ],
  "a width of 2^53": [
    withSize({ width: 2 ** 53, height: 1 }),
    /at 104 states an impossible size: width 9007199254740992, height 1/,
  ],
  "no columns": [withSize({ width: 0 }), /at 104 states an impossible size: width 0, height 4/],
  "samples of 1 GB": [withSize({ depth: 1e9 }), /samples of 1000000000 bytes are not supported/],
  "no frame document": [withFrameDocument(), /lacks the frame document/],
  "a damaged frame document": [
    withFrameDocument('<?xml version="1.0"?><frameProperties>'),
    /the frame document at 104 cannot be read/,
  ],
  "a frame document without a size": [
    withFrameDocument(xmlDocument("frameProperties", [], "<a/>")),
    /the frame document at 104 does not state the size of the frame/,
  ],
}, () => writeOir(frame()));

Deno.test("treats damaged and hostile documents as missing, with a warning", async () => {
  const scan = lineScan(23);
  const properties = propertiesDocument(scan);
  const wrapped = (content: string) => xmlDocument("lsmimage:imageProperties", ["lsmimage"], content);
  const doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
  const documents = [
    properties.slice(0, 900),
    properties.replace("\r\n", doctype).replace("CH1", "&b;"),
    wrapped("<a>".repeat(5000) + "</a>".repeat(5000)),
    "",
  ];
  for (const document of documents) {
    const block = documentsBlock(documentRecord(2, document));
    const bytes = oirFile(oirBlocks(scan).map((one) => one.kind === 0 ? block : one));
    const { summary, planes } = await openBytes(bytes);
    ok(codesOf(summary.warnings).includes("metadata_missing"));
    deepEqual([...planes[0]!], [...ramp(138, 0)]);
    deepEqual(summary.axes.map((a) => a.unit), ["Pixels", "Pixels", "Pixels"]);
  }
});

Deno.test("reads documents in any block, and takes disabled axes from the last copy", async () => {
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
    deepEqual([summary.reference?.rows, summary.reference?.columns], [16, 4], `block ${at}`);
    deepEqual([summary.axes[1]!.unit, codesOf(summary.warnings)], ["seconds", []]);
  }

  const off = propertiesDocument({ ...scan, axes: [{ type: "TIMELAPSE", maxSize: 23, enable: false }] });
  const { summary } = await openBytes(oirFile([...plain, documentsBlock(documentRecord(2, off))]));
  deepEqual([summary.axes[1]!.size, summary.axes[1]!.unit], [23, "um"]);
});

Deno.test("rejects archives and mosaics of OIR files, and names what to open instead", async () => {
  const zip = concat(Uint8Array.of(0x50, 0x4b, 3, 4), new Uint8Array(96));
  const text = '<?xml version="1.0" encoding="utf-8"?><matl:properties/>';
  const xml = new TextEncoder().encode(text);
  const utf16 = Uint8Array.from("\xff\xfe" + [...text].map((c) => c + "\0").join(""), (c) => c.charCodeAt(0));
  const cases: [string, Uint8Array, ErrorCode, RegExp][] = [
    ["a.oir", zip, "decode_failed", /^Cannot read "a\.oir": it is a ZIP archive.*open an \.oir inside$/],
    ["a.oir", xml, "decode_failed", /^Cannot read "a\.oir": it is an XML document/],
    ["a.poir", zip, "unsupported_format", /^"a\.poir" cannot be opened: it is a ZIP archive/],
    ["a.MPOIR", zip, "unsupported_format", /open an \.oir inside$/],
    ["matl.omp2info", utf16, "unsupported_format", /open an \.oir of the mosaic/],
    ["a.zip", zip, "unsupported_format", /\("\.zip"\) that is not allowed here/],
    ["a.oir", new Uint8Array(96), "decode_failed", /the content is not Olympus OIR/],
  ];
  for (const [name, bytes, tag, message] of cases) {
    match(await refusal(loadBytes(name, bytes, { allowedExtensions: [".oir"] }), tag), message);
  }
});

Deno.test("rejects a main file without pixels, even with a continuation file", async () => {
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
      match(await refusal(loadHere(join(folder, "scan.oir"))), message);
    });
  }
});
