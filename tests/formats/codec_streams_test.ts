/** Strips of independent encoders against what independent decoders make of them (fixtures/streams/make_codecs.py). */
import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { jpeg } from "../../readers/codecs/jpeg.ts";
import { lzw } from "../../readers/codecs/lzw.ts";
import { packBits } from "../../readers/codecs/packbits.ts";
import type { Codec, Segment } from "../../readers/codecs/segment.ts";
import { findByteCodec } from "../../readers/ome_zarr/byte_codecs.ts";
import { strip } from "../fixtures/strip.ts";
import strips from "../fixtures/streams/codecs.json" with { type: "json" };

interface Written {
  readonly name: string;
  readonly codec: string;
  readonly width: number;
  readonly rows: number;
  /** Of the decoded strip. */
  readonly bytes: number;
  readonly sha256: string;
  readonly stream: string;
  readonly samples?: number;
  readonly bits?: number;
  readonly colours?: "ycbcr" | "rgb" | null;
}

const CODECS: Readonly<Record<string, Codec>> = { jpeg, lzw, packbits: packBits };

const writtenBy = (codec: string) => (strips as Written[]).filter((written) => written.codec === codec);

const streamOf = ({ stream }: Written) => Uint8Array.from(atob(stream), (letter) => letter.charCodeAt(0));

function segmentOf({ width, rows, bytes, samples = 1, bits = 8, colours = null }: Written): Segment {
  const settings = { bits: new Array<number>(samples).fill(bits), colours };
  return strip(width, rows, { samples, bytes, mostBytes: bytes, settings });
}

const check = ({ name, bytes, sha256 }: Written, decoded: Uint8Array) =>
  equal(createHash("sha256").update(decoded.subarray(0, bytes)).digest("hex"), sha256, name);

for (const [name, codec] of Object.entries(CODECS)) {
  Deno.test(`Decodes ${name} of independent encoders`, async () => {
    for (const written of writtenBy(name)) {
      check(written, await codec.decode(streamOf(written), segmentOf(written)));
    }
  });
}

Deno.test("Decodes LZ4 of independent encoders", () => {
  for (const written of writtenBy("lz4")) {
    check(written, findByteCodec("lz4", {}, 1)!.decode(streamOf(written), written.bytes));
  }
});

Deno.test("Decodes JPEG by the colours that its markers name, else its identifiers, if the container names none", async () => {
  const named = (name: string) => writtenBy("jpeg").find((written) => written.name === `jpeg ${name}`)!;
  const [ycbcr, rgb] = [named("ycbcr of identifiers from 1"), named("rgb of identifiers from 1")];
  const ascii = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
  const segment = (code: number, ...body: number[]) => [0xff, code, 0, body.length + 2, ...body];
  // Adobe Technical Note 5116: version, two words of flags, the transform; JFIF 1.1 without a thumbnail.
  const adobe = (transform: number) => segment(0xee, ...ascii("Adobe"), 0, 100, 0, 0, 0, 0, transform);
  const jfif = segment(0xe0, ...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0);
  const withMarkers = (written: Written, ...markers: number[][]) => {
    const stream = streamOf(written);
    return Uint8Array.from([...stream.subarray(0, 2), ...markers.flat(), ...stream.subarray(2)]);
  };
  /** The stream with the identifiers R, G and B in its frame and its scan (ITU-T T.81, B.2.2 and B.2.3). */
  const lettered = (written: Written) => {
    const stream = streamOf(written);
    const at = (code: number) => stream.findIndex((byte, i) => byte === 0xff && stream[i + 1] === code);
    ascii("RGB").forEach((id, i) => {
      stream[at(0xc0) + 10 + 3 * i] = id;
      stream[at(0xda) + 5 + 2 * i] = id;
    });
    return stream;
  };
  const cases: [Written, Uint8Array][] = [
    [ycbcr, streamOf(ycbcr)],
    [ycbcr, withMarkers(ycbcr, jfif, adobe(0))],
    [ycbcr, withMarkers(ycbcr, adobe(1))],
    [rgb, withMarkers(rgb, adobe(0))],
    [rgb, lettered(rgb)],
  ];
  for (const [written, stream] of cases) {
    const segment = segmentOf(written);
    const settings = { ...segment.settings, colours: "stream" as const };
    check(written, await jpeg.decode(stream, { ...segment, settings }));
  }
});
