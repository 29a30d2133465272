import fc from "fast-check";
import { equal } from "node:assert/strict";
import { StopFlag } from "../io/stop_flag.ts";
import { coveredPixels } from "./plane_plan.ts";
import { jpegColours } from "./subblock.ts";

const AREA = fc.integer({ min: 0, max: 20 });
const SIDE = fc.integer({ min: 1, max: 12 });

Deno.test("counts pixels under several tiles once", () => {
  const tiles = fc.array(fc.record({ x: AREA, y: AREA, width: SIDE, height: SIDE }), { maxLength: 12 });
  const lines = fc.array(fc.record({ x: fc.constant(3), y: AREA, width: fc.constant(7), height: AREA }));
  fc.assert(
    fc.property(fc.oneof(tiles, lines), (tiles) => {
      const pixels = new Set(
        tiles.flatMap(({ x, y, width, height }) =>
          Array.from({ length: width * height }, (_, i) => 100 * (y + Math.floor(i / width)) + x + i % width)
        ),
      );
      equal(coveredPixels(tiles, new StopFlag()), pixels.size);
    }),
    { numRuns: 1000, seed: 3 },
  );
});

const ascii = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));

/** A marker segment (ITU-T T.81, B.1.1.4): its length counts the two bytes of the length. */
const marker = (code: number, ...bytes: number[]) => [0xff, code, 0, bytes.length + 2, ...bytes];

/** Version 100, two words of flags, the transform. */
const adobe = (transform: number) => marker(0xee, ...ascii("Adobe"), 0, 100, 0, 0, 0, 0, transform);
const JFIF = marker(0xe0, ...ascii("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0);

/** A baseline frame of 8 bits, 2 x 2: three components, each an id, its sampling and its table. */
const frame = (ids: readonly number[]) =>
  marker(0xc0, 8, 0, 2, 0, 2, 3, ...ids.flatMap((id) => [id, 0x11, 0]));

const coloursOf = (...segments: number[][]) => jpegColours(Uint8Array.from([0xff, 0xd8, ...segments.flat()]));

Deno.test("a JPEG stream has the colour space that libjpeg finds", () => {
  // As the default_decompress_parms of libjpeg decides: JFIF, then Adobe's transform, then the ids.
  const [numbers, letters] = [[1, 2, 3], ascii("RGB")];
  equal(coloursOf(JFIF, adobe(0), frame(letters)), "ycbcr");
  equal(coloursOf(adobe(0), frame(numbers)), "rgb");
  equal(coloursOf(adobe(1), frame(letters)), "ycbcr");
  equal(coloursOf(frame(letters)), "rgb");
  equal(coloursOf(frame(numbers)), "ycbcr");
  equal(coloursOf(marker(0xfe, 1, 2, 3), frame(letters)), "rgb");
  equal(coloursOf(), "ycbcr");
});
