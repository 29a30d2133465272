/**
 * JPEG 2000 (compressions 34712, 33004, 33005), a codestream or a JP2 file per strip or tile, through OpenJPEG. The size
 * marker is judged before the decoder allocates (ITU-T T.800, annex A.5.1).
 */
import makeOpenJpeg from "@cornerstonejs/codec-openjpeg/decodewasmjs";
import { type Codec, damaged, type Segment, short } from "./codec.ts";

/** What is used of the decoder's module. */
interface OpenJpeg {
  J2KDecoder: new () => Decoder;
}

interface Decoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  decode(): void;
  delete(): void;
}

let module: Promise<OpenJpeg> | null = null;

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  module ??= (makeOpenJpeg as unknown as (options: object) => Promise<OpenJpeg>)({
    print: silent,
    printErr: silent,
  });
  const { J2KDecoder } = await module;
  judge(input, segment);
  let decoder: Decoder | null = null;
  try {
    decoder = new J2KDecoder();
    decoder.getEncodedBuffer(input.length).set(input);
    decoder.decode();
    const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
    const bytes = decoder.getDecodedBuffer();
    const expected = width * height * componentCount * (bitsPerSample > 8 ? 2 : 1);
    if (bytes.length < expected || expected < segment.bytes) throw short(segment, "JPEG 2000", bytes.length);
    return bytes.slice(0, expected);
  } catch (cause) {
    if ((cause as { tag?: string }).tag) throw cause;
    // A module that was aborted answers nothing more; the next strip or tile gets a new one.
    module = null;
    decoder = null;
    throw damaged(segment, "JPEG 2000", cause);
  } finally {
    decoder?.delete();
  }
}

const silent = () => {};

/** Start of a codestream: the marker SOC and behind it SIZ. */
const START = [0xff, 0x4f, 0xff, 0x51];

/** Bytes in which a JP2 file has reached its codestream. */
const SEARCHED = 1 << 16;

function judge(input: Uint8Array, segment: Segment): void {
  const end = Math.min(input.length, SEARCHED);
  let at = 0;
  while (at < end && !START.every((byte, i) => input[at + i] === byte)) at += 1;
  const fail = (reason: string) => damaged(segment, "JPEG 2000", reason);
  // SIZ: length, capabilities, x and y size and offset, four of tiles, then the number of components.
  if (at >= end || at + 45 > input.length) throw fail("it holds no codestream");
  const view = new DataView(input.buffer, input.byteOffset + at + 4);
  const width = view.getUint32(4) - view.getUint32(12);
  const height = view.getUint32(8) - view.getUint32(16);
  const components = view.getUint16(36);
  if (
    width !== segment.width || height < segment.rows || height > segment.fullRows ||
    components !== segment.samples
  ) {
    throw fail(
      `it is ${width} x ${height} x ${components}, not ${segment.width} x ${segment.rows} x ${segment.samples}`,
    );
  }
  const declared = segment.page.bits[0]!;
  for (let c = 0; c < components; c += 1) {
    if (at + 4 + 38 + 3 * c + 3 > input.length) throw fail("it ends early");
    const bits = (view.getUint8(38 + 3 * c) & 0x7f) + 1;
    const [dx, dy] = [view.getUint8(39 + 3 * c), view.getUint8(40 + 3 * c)];
    if (dx !== 1 || dy !== 1) {
      throw fail(`component ${c} has one sample for ${dx} x ${dy} pixels, which is not read`);
    }
    if (bits > 16 || (bits <= 8) !== (declared <= 8) || declared > 16) {
      throw fail(`component ${c} has ${bits} bits, the page ${declared}`);
    }
  }
}

/** JPEG 2000; an empty code block costs a fraction of a bit. */
export const jpeg2000: Codec = {
  title: "JPEG 2000",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 20,
  decode,
};
