import { deepEqual, equal } from "node:assert/strict";
import { countPieces, divide, type DividedPlanes } from "./decoding.ts";

/** A channel of 4096 x 4096 in strips of 64 rows. */
const planes = (of: Partial<DividedPlanes> = {}): DividedPlanes => ({
  ...{ channels: [0], summary: { rows: 4096, columns: 4096 }, division: { channels: 1, rows: 64 } },
  ...of,
});

const rows = (start: number, end: number) => ({ start, end });

Deno.test("divides one channel between its strips", () => {
  equal(countPieces(planes()), 64);
  for (const count of [2, 4, 8]) {
    const expected = Array.from({ length: count }, (_, i) => (
      { channels: [0], rows: rows(i * 4096 / count, (i + 1) * 4096 / count) }
    ));
    deepEqual(divide(planes(), count), expected);
  }
});

Deno.test("divides an odd number of strips into pieces that differ by at most one", () => {
  // 11 strips of 400 rows, the last of 96: pieces of 3, 4 and 4 strips.
  const uneven = planes({ division: { channels: 1, rows: 400 } });
  deepEqual(divide(uneven, 3).map(({ rows }) => rows), [rows(0, 1200), rows(1200, 2800), rows(2800, 4096)]);
  // More workers than strips: one strip each.
  const few = planes({ channels: [5, 2, 9], division: { channels: 1, rows: 2000 } });
  deepEqual(
    divide(few, 4).map(({ channels, rows }) => [channels[0], rows!.start, rows!.end]),
    [5, 2, 9].flatMap((channel) => [[channel, 0, 2000], [channel, 2000, 4000], [channel, 4000, 4096]]),
  );
});

Deno.test("keeps channels whole if each worker gets equally many", () => {
  const whole = rows(0, 4096);
  deepEqual(divide(planes({ channels: [3, 1] }), 2), [
    { channels: [3], rows: whole },
    { channels: [1], rows: whole },
  ]);
  const halves = [rows(0, 2048), rows(2048, 4096)];
  deepEqual(
    divide(planes({ channels: [3, 1, 2] }), 2),
    [3, 1, 2].flatMap((channel) => halves.map((rows) => ({ channels: [channel], rows }))),
  );
});

Deno.test("keeps channels and rows together that are compressed together", () => {
  // Red, green and blue of two pages; the second page in reverse.
  const colours = planes({ channels: [0, 1, 2, 5, 4, 3], division: { channels: 3, rows: 4096 } });
  equal(countPieces(colours), 2);
  deepEqual(divide(colours, 2).map(({ channels }) => channels), [[0, 1, 2], [5, 4, 3]]);
  equal(countPieces(planes({ division: { channels: 1, rows: 5000 } })), 1);
  equal(countPieces(planes({ channels: [0, 1], division: { channels: Infinity, rows: 4096 } })), 1);
});

Deno.test("does not divide loads under 16 MiB or without a codec", () => {
  // 4 bytes each.
  equal(countPieces(planes({ summary: { rows: 4096, columns: 1023 } })), 1);
  equal(countPieces(planes({ summary: { rows: 4096, columns: 1024 } })), 64);
  equal(countPieces(planes({ division: null })), 1);
  const whole = [{ channels: [0], rows: null }];
  deepEqual(divide(planes({ division: null }), 1), whole);
  deepEqual(divide(planes(), 1), whole);
});
