/**
 * Every single bit of small compressed streams is changed: what an independent decoder refuses is never served.
 * Every shorter form of them is refused.
 */
import { deepEqual, ok, rejects } from "node:assert/strict";
import { findByteCodec } from "../../readers/ome_zarr/byte_codecs.ts";
import { requireCodec } from "../../readers/tiff/compressed_segments.ts";
import { strip } from "../fixtures/strip.ts";
import fixtures from "../fixtures/streams/streams.json" with { type: "json" };

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const PLAIN = bytesOf(fixtures.plain);

type Decode = (stream: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The decoder of a TIFF strip that holds the plain bytes. */
async function stripDecoder(compression: number): Promise<Decode> {
  const { decode } = await requireCodec({ compression, samples: 1 });
  // These codecs look at no tag of the page.
  const segment = strip(fixtures.columns, fixtures.rows, { bytes: PLAIN.length });
  return (stream) => decode(stream, segment);
}

/** The decoder of a chunk, which has to have its exact length. */
function chunkDecoder(name: string): Decode {
  const codec = findByteCodec(name, {}, 2)!;
  return (stream) => {
    const bytes = codec.decode(stream, PLAIN.length);
    ok(bytes.length === PLAIN.length);
    return bytes;
  };
}

const isPlain = (bytes: Uint8Array) => PLAIN.every((byte, i) => bytes[i] === byte);

for (const fixture of fixtures.streams) {
  const { compression, codec } = fixture as { compression?: number; codec?: string };
  Deno.test(`catches each harmful changed bit of ${fixture.name} in ${codec ? "Zarr" : "TIFF"}`, async () => {
    const decode = compression === undefined ? chunkDecoder(codec!) : await stripDecoder(compression);
    const stream = bytesOf(fixture.stream);
    const unchecked = bytesOf(fixture.changed);
    ok(isPlain(await decode(stream)));
    const wrong: number[] = [];
    let refused = 0;
    for (let bit = 0; bit < 8 * stream.length; bit += 1) {
      const [at, mask] = [bit >> 3, 1 << (bit & 7)];
      const changed = stream.slice();
      changed[at]! ^= mask;
      try {
        if (!isPlain(await decode(changed)) && !(unchecked[at]! & mask)) wrong.push(bit);
      } catch {
        refused += 1;
      }
    }
    deepEqual(wrong, []);
    ok(refused > 0);
    for (let length = 0; length < stream.length; length += 1) {
      await rejects(async () => await decode(stream.subarray(0, length)), `${length} bytes are served`);
    }
  });
}
