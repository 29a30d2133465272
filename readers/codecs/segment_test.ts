import { deepEqual, equal, match } from "node:assert/strict";
import { deflateSync, zstdCompressSync } from "node:zlib";
import { strip } from "../../tests/fixtures/strip.ts";
import { DecodeFailed } from "../errors.ts";
import { damagedSegment } from "./segment.ts";
import { deflate, zstd } from "./zlib.ts";

Deno.test("names the strip once in a failure", () => {
  const made = damagedSegment(strip(1, 1), "JPEG", new Error("it ends"));
  equal(made.message, "strip 0 is damaged JPEG: it ends");
  equal(damagedSegment(strip(1, 1), "JPEG", "no").message, "strip 0 is damaged JPEG: no");
  equal(damagedSegment(strip(1, 1), "LERC", made), made);
  equal(made instanceof DecodeFailed, true);
});

Deno.test("accepts up to three bytes more than a strip in deflate and zstd, and no fewer", () => {
  for (const [codec, compress] of [[deflate, deflateSync], [zstd, zstdCompressSync]] as const) {
    const read = (bytes: number) => codec.decode(compress(new Uint8Array(bytes)), strip(10, 1)) as Uint8Array;
    deepEqual([read(10).length, read(13).length], [10, 13]);
    const message = (bytes: number) => {
      try {
        return String(read(bytes).length);
      } catch (error) {
        return (error as Error).message;
      }
    };
    match(message(9), /strip 0 gives 9 bytes of \w+, 10 are needed$/);
    match(message(14), /holds more than the 10 bytes that are declared/);
  }
});
