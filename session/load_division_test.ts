import { deepEqual, equal } from "node:assert/strict";
import { type DividedPlanes, divideLoad, mostShares } from "./load_division.ts";

/** A channel of 4096 x 4096 in strips of 64 rows, and as much of others. */
const plan = (of: Partial<DividedPlanes> = {}): DividedPlanes => ({
  ...{ channels: [0], rows: 4096, bytes: 64 << 20, division: { channels: 1, rows: 64 } },
  ...of,
});

const rows = (start: number, end: number) => ({ start, end });

Deno.test("one channel is divided between its strips, for 2, 4 and 8 workers alike", () => {
  equal(mostShares(plan()), 64);
  for (const count of [2, 4, 8]) {
    const expected = Array.from({ length: count }, (_, i) => [
      { channels: [0], rows: rows(i * 4096 / count, (i + 1) * 4096 / count) },
    ]);
    deepEqual(divideLoad(plan(), count), expected);
  }
});

Deno.test("the shares of an odd number of strips differ by at most one", () => {
  // 11 strips of 400 rows, the last of 96: shares of 3, 4 and 4 strips.
  const uneven = plan({ division: { channels: 1, rows: 400 } });
  deepEqual(divideLoad(uneven, 3).flat().map(({ rows }) => rows), [
    rows(0, 1200),
    rows(1200, 2800),
    rows(2800, 4096),
  ]);
  for (const channels of [[0], [5, 2, 9]]) {
    for (let count = 2; count <= 11; count += 1) {
      const shares = divideLoad({ ...uneven, channels }, count);
      const counts = shares.map((parts) =>
        parts.reduce((sum, { rows: { start, end } }) => sum + Math.ceil((end - start) / 400), 0)
      );
      equal(counts.reduce((sum, strips) => sum + strips), 11 * channels.length);
      equal(Math.max(...counts) - Math.min(...counts) <= 1, true, `${counts}`);
      // Each plane from its first row to its last, channel after channel.
      for (const channel of channels) {
        const own = shares.flat().filter((part) => part.channels.includes(channel)).map(({ rows }) => rows);
        equal(own[0]!.start, 0);
        equal(own.at(-1)!.end, 4096);
        own.slice(1).forEach(({ start }, i) => equal(start, own[i]!.end));
      }
    }
  }
});

Deno.test("channels stay whole when there is one per worker", () => {
  const two = plan({ channels: [3, 1] });
  const whole = rows(0, 4096);
  deepEqual(divideLoad(two, 2), [[{ channels: [3], rows: whole }], [{ channels: [1], rows: whole }]]);
  // Three for two workers: 96 strips each.
  deepEqual(divideLoad(plan({ channels: [3, 1, 2] }), 2), [
    [{ channels: [3], rows: whole }, { channels: [1], rows: rows(0, 2048) }],
    [{ channels: [1], rows: rows(2048, 4096) }, { channels: [2], rows: whole }],
  ]);
});

Deno.test("channels and rows that are compressed together stay together", () => {
  // Red, green and blue of two pages, of which the second gives its blue first.
  const colours = plan({ channels: [0, 1, 2, 5, 4, 3], division: { channels: 3, rows: 4096 } });
  equal(mostShares(colours), 2);
  deepEqual(divideLoad(colours, 2).flat().map(({ channels }) => channels), [[0, 1, 2], [5, 4, 3]]);
  equal(mostShares(plan({ division: { channels: 1, rows: 5000 } })), 1);
  equal(mostShares(plan({ channels: [0, 1], division: { channels: Infinity, rows: 4096 } })), 1);
});

Deno.test("small loads, and those without a codec, are not divided", () => {
  equal(mostShares(plan({ bytes: (16 << 20) - 1 })), 1);
  equal(mostShares(plan({ bytes: 16 << 20 })), 64);
  equal(mostShares(plan({ division: null })), 1);
  const whole = [[{ channels: [0], rows: rows(0, 4096) }]];
  deepEqual(divideLoad(plan({ division: null }), 1), whole);
  deepEqual(divideLoad(plan(), 1), whole);
});
