/** Headers of JPEG 2000 and WebP by hand: what does not fit the strip is refused before a decoder sees it. */
import { doesNotMatch, match } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { jpeg2000 } from "./jpeg2000.ts";
import type { Codec, Segment } from "./segment.ts";
import { webp } from "./webp.ts";

async function messageOf(codec: Codec, input: Uint8Array, segment: Segment): Promise<string> {
  try {
    await codec.decode(input, segment);
    return "decoded";
  } catch (error) {
    return (error as Error).message;
  }
}

interface Siz {
  readonly before?: number;
  readonly size?: readonly [number, number];
  readonly offset?: readonly [number, number];
  readonly parts?: readonly (readonly [bits: number, dx?: number, dy?: number])[];
  readonly cut?: number;
}

/** The start of a codestream (ITU-T T.800, annex A.5.1): SOC, SIZ with the bits of each component less 1. */
function codestream(
  { before = 0, size = [8, 4], offset = [0, 0], parts = [[7]], cut = 0 }: Siz = {},
): Uint8Array {
  const bytes = new Uint8Array(before + 42 + 3 * parts.length - cut + 20 * Number(cut === 0));
  const view = new DataView(new ArrayBuffer(42 + 3 * parts.length));
  view.setUint32(0, 0xff4fff51);
  view.setUint32(8, size[0] + offset[0]);
  view.setUint32(12, size[1] + offset[1]);
  view.setUint32(16, offset[0]);
  view.setUint32(20, offset[1]);
  view.setUint16(40, parts.length);
  parts.forEach(([bits, dx = 1, dy = 1], i) => {
    view.setUint8(42 + 3 * i, bits);
    view.setUint8(43 + 3 * i, dx);
    view.setUint8(44 + 3 * i, dy);
  });
  bytes.set(new Uint8Array(view.buffer).subarray(0, bytes.length - before), before);
  return bytes;
}

const JUDGED = /codestream|it is \d|components; 1 and 3|ends early|one sample for|signed|bits, the page/;

const rows = (fullRows: number) => strip(8, 4, { fullRows });
const of = (bits: number, kind: "uint" | "int" | "float" = "uint", samples = 1) =>
  strip(8, 4, { samples, settings: { bits: new Array<number>(samples).fill(bits), kind } });
const three = (...bits: number[]) => ({ parts: bits.map((value) => [value] as const) });

const FITTING: readonly (readonly [Siz, Segment])[] = [
  [{}, rows(4)],
  [{ size: [8, 6] }, rows(6)],
  [{ offset: [3, 5] }, rows(4)],
  [{ before: 85 }, rows(4)],
  [{ before: 65_535 }, rows(4)],
  [{ parts: [[0]] }, of(1)],
  [{ parts: [[8]] }, of(9)],
  [{ parts: [[15]] }, of(16)],
  [{ parts: [[0x87]] }, of(8, "int")],
  [{ parts: [[0x8f]] }, of(16, "int")],
  [three(7, 7, 7), of(8, "uint", 3)],
  [three(0x87, 0x87, 0x87), of(8, "int", 3)],
  [three(15, 11, 8), of(16, "uint", 3)],
];

Deno.test("passes JPEG 2000 that fits its strip to the decoder", async () => {
  for (const [siz, segment] of FITTING) {
    const message = await messageOf(jpeg2000, codestream(siz), segment);
    match(message, /^strip 0 .* JPEG 2000/, JSON.stringify(siz));
    doesNotMatch(message, JUDGED, JSON.stringify(siz));
  }
});

const UNFIT: readonly (readonly [Siz, Segment, RegExp])[] = [
  [{ before: 65_536 }, rows(4), /holds no codestream/],
  [{ cut: 1 }, rows(4), /holds no codestream/],
  [{ size: [7, 4] }, rows(4), /it is 7 x 4 x 1, not 8 x 4 x 1/],
  [{ size: [9, 4] }, rows(4), /it is 9 x 4 x 1/],
  [{ size: [8, 3] }, rows(4), /it is 8 x 3 x 1/],
  [{ size: [8, 5] }, rows(4), /it is 8 x 5 x 1/],
  [three(7, 7), of(8), /it is 8 x 4 x 2/],
  [three(7, 7), of(8, "uint", 2), /JPEG 2000 of 2 components; 1 and 3 are supported/],
  [three(7, 7, 7, 7), of(8, "uint", 4), /JPEG 2000 of 4 components; 1 and 3 are supported/],
  [{ ...three(7, 7, 7), cut: 1 }, of(8, "uint", 3), /it ends early/],
  [{ parts: [[7, 2]] }, of(8), /component 0 has one sample for 2 x 1 pixels/],
  [{ parts: [[7, 1, 2]] }, of(8), /component 0 has one sample for 1 x 2 pixels/],
  [{ parts: [[7], [7, 2], [7]] }, of(8, "uint", 3), /component 1 has one sample/],
  [{ parts: [[0x87]] }, of(8), /component 0 is signed/],
  [{ parts: [[7]] }, of(8, "int"), /component 0 is unsigned/],
  [{ parts: [[15]] }, of(16, "float"), /component 0 is unsigned/],
  [{ parts: [[16]] }, of(16), /component 0 has 17 bits, the page 16/],
  [{ parts: [[8]] }, of(8), /component 0 has 9 bits, the page 8/],
  [{ parts: [[7]] }, of(9), /component 0 has 8 bits, the page 9/],
  [{ parts: [[15]] }, of(17), /component 0 has 16 bits, the page 17/],
  [three(0x87, 0x86, 0x87), of(8, "int", 3), /component 1 has 7 bits, the page 8/],
];

Deno.test("rejects JPEG 2000 that does not fit its strip", async () => {
  for (const [siz, segment, expected] of UNFIT) {
    match(await messageOf(jpeg2000, codestream(siz), segment), expected, JSON.stringify(siz));
  }
});

/** The first chunk of a WebP file (RFC 9649, section 2), in 30 bytes. */
function riff(kind: string, fill: (view: DataView) => void, length = 30): Uint8Array {
  const bytes = new Uint8Array(30);
  bytes.set(new TextEncoder().encode(`RIFF    WEBP${kind}`));
  fill(new DataView(bytes.buffer));
  return bytes.subarray(0, length);
}

const lossy = (width: number, height: number) =>
  riff("VP8 ", (view) => {
    // The upper two bits are a scale.
    view.setUint16(26, width | 0x4000, true);
    view.setUint16(28, height | 0x8000, true);
  });
const lossless = (width: number, height: number) =>
  riff("VP8L", (view) => view.setUint32(21, width - 1 | height - 1 << 14 | 1 << 28, true));
const extended = (width: number, height: number) =>
  riff("VP8X", (view) => {
    view.setUint32(24, width - 1, true);
    view.setUint16(27, height - 1, true);
  });

Deno.test("requires the size of the strip in each kind of WebP", async () => {
  const unfit = /it is \d+ x \d+, not|does not start as WebP|codes 3 or 4/;
  const wide = (fullRows: number, samples = 3, bits = 8) =>
    strip(300, 4, { samples, fullRows, settings: { bits: new Array<number>(samples).fill(bits) } });
  for (const header of [lossy, lossless, extended]) {
    for (const [height, fullRows] of [[4, 4], [5, 5], [4, 6]] as const) {
      doesNotMatch(await messageOf(webp, header(300, height), wide(fullRows)), unfit);
    }
    for (const [width, height] of [[299, 4], [301, 4], [300, 3], [300, 5]] as const) {
      match(
        await messageOf(webp, header(width, height), wide(4)),
        new RegExp(`it is ${width} x ${height}, not 300 x 4`),
      );
    }
  }
  doesNotMatch(await messageOf(webp, lossy(300, 4), wide(4, 4)), unfit);
  // Nothing follows the header; the error of the decoder is passed on.
  match(
    await messageOf(webp, lossy(300, 4), wide(4)),
    /is damaged WebP: its decoder refuses it$/,
  );
  for (const samples of [1, 2, 5]) {
    match(await messageOf(webp, lossy(300, 4), wide(4, samples)), /codes 3 or 4 samples/);
  }
  match(await messageOf(webp, lossy(300, 4), wide(4, 3, 16)), /not 3 of 16/);
});

Deno.test("rejects data without a WebP header", async () => {
  const size = (view: DataView) => view.setUint32(26, 300 | 4 << 16, true);
  const segment = strip(300, 4, { samples: 3 });
  const wrong = [riff("VP8 ", size, 29), riff("VP9 ", size)];
  for (const at of [0, 8]) {
    const bytes = riff("VP8 ", size);
    bytes[at] = 0;
    wrong.push(bytes);
  }
  for (const bytes of wrong) match(await messageOf(webp, bytes, segment), /does not start as WebP/);
});
