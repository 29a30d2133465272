/** Colours, time stamps and events of LSM files, and what any bytes make of all parts. */
import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { packed, PART_AT, tiffWith } from "../../tests/fixtures/lsm_parts.ts";
import { ReaderError } from "../errors.ts";
import { readChannelColors } from "./channel_colors.ts";
import { readEvents } from "./event_list.ts";
import { readDrawings } from "./overlays.ts";
import { readScanInformation } from "./scan_information.ts";
import { readTimeStamps } from "./time_stamps.ts";

const at = <T>(read: (tiff: ReturnType<typeof tiffWith>, offset: number) => T, bytes: Uint8Array): T =>
  read(tiffWith(bytes), PART_AT);

Deno.test("colours and names, counted or not", () => {
  // The block of a real file: 53 bytes, one red channel called ChS1.
  const real = packed(["i", 53, 1, 1, 40, 44, 0], "\0".repeat(16), "\xff\0\0\0", ["u", 5], "ChS1\0");
  deepEqual(at(readChannelColors, real), { size: 53, colors: ["#ff0000"], names: ["ChS1"] });
  const old = packed(["i", 36, 2, 2, 20, 28], "\0\xff\x80\0", "\0\0\0\0", "Ch1\0Ch2\0");
  deepEqual(at(readChannelColors, old), { size: 36, colors: ["#00ff80", "#ffffff"], names: ["Ch1", "Ch2"] });
  // A block that ends with its colours, and as many names as there may be, of four bytes each.
  const bare = packed(["i", 24, 1, 0, 20, 24], "\x01\x02\x03\0");
  deepEqual(at(readChannelColors, bare), { size: 24, colors: ["#010203"], names: [] });
  const most = at(readChannelColors, packed(["i", 40_020, 0, 10_000, 20, 20], "abc\0".repeat(10_000)));
  deepEqual([most.names.length, most.names.at(-1)], [10_000, "abc"]);
  const few = packed(["i", 28, 0, 3, 20, 20], ["u", 4], "Ch1\0");
  deepEqual(at(readChannelColors, few), { size: 28, colors: [], names: ["Ch1"] });
});

Deno.test("time stamps are bounded", () => {
  const stamps = at(readTimeStamps, packed(["i", 32, 3], ["d", 5, 5.5, 7]));
  deepEqual([...stamps], [5, 5.5, 7]);
  throws(() => at(readTimeStamps, packed(["i", 8 + 8 * 1_048_577, 1_048_577])), /are 1048577 in/);
});

Deno.test("events have a time and a text", () => {
  const events = packed(["u", 60, 2, 20], ["d", 1.5], ["u", 3], "abc\0", ["u", 16], ["d", 2], ["u", 4]);
  deepEqual(at(readEvents, events), [{ seconds: 1.5, type: 3, text: "abc" }, {
    seconds: 2,
    type: 4,
    text: "",
  }]);
  throws(() => at(readEvents, packed(["u", 60, 65_536])), /are 65536, more than 65535/);
  throws(() => at(readEvents, packed(["u", 60, 1, 15], ["d", 1], ["u", 3])), /event 0 at 16 has 15 bytes/);
  throws(
    () => at(readEvents, packed(["u", 60, 1, 1 << 17], ["d", 1], ["u", 3])),
    /event 0 at 16 has 131072 bytes/,
  );
});

Deno.test("any bytes are a part or are refused", () => {
  const readers = [
    readChannelColors,
    readTimeStamps,
    readEvents,
    readScanInformation,
    (tiff: ReturnType<typeof tiffWith>, offset: number) => readDrawings(tiff, offset, "Roi"),
  ];
  const word = fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    fc.constantFrom(0x1000_0000, 2 ** 32 - 1),
  );
  fc.assert(
    fc.property(fc.constantFrom(...readers), fc.array(word, { maxLength: 80 }), (read, words) => {
      try {
        read(tiffWith(packed(["u", ...words])), PART_AT);
      } catch (error) {
        ok(error instanceof ReaderError, String(error));
      }
    }),
    { numRuns: 1000, seed: 34412 },
  );
});
