import { deepEqual } from "node:assert/strict";
import * as fc from "fast-check";
import { DecodedBytes } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { readStrided } from "./strided.ts";

const source = (bytes: Uint8Array, sampleType: "uint8" | "uint16") => ({
  ...{ file: new DecodedBytes(bytes, "the file"), sampleType, stop: new StopFlag(), what: "samples" },
});

Deno.test("reads samples at any strides", () => {
  const distance = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(
      fc.record({
        wide: fc.boolean(),
        across: fc.boolean(),
        rows: fc.integer({ min: 1, max: 9 }),
        columns: fc.integer({ min: 1, max: 9 }),
        gap: distance,
        rowGap: distance,
        channels: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 4 }),
        offset: distance,
        at: fc.integer({ min: 0, max: 5 }),
      }),
      ({ wide, across, rows, columns, gap, rowGap, channels, offset, at }) => {
        const width = wide ? 2 : 1;
        const near = width * (1 + gap);
        const far = near * (across ? rows : columns) + width * rowGap;
        const [rowStep, columnStep] = across ? [near, far] : [far, near];
        const offsets = channels.map((channel) => width * channel);
        const bytes = new Uint8Array(offset + far * 10 + near * 10 + 200).map((_, i) => i * 7 % 251);
        const planes = offsets.map(() => new Float32Array(at + rows * columns));
        const samples = {
          ...source(bytes, wide ? "uint16" : "uint8"),
          offsets: offsets.map((one) => offset + one),
          rows: { count: rows, step: rowStep },
          columns: { count: columns, step: columnStep },
        };
        readStrided(samples, planes, at);
        const view = new DataView(bytes.buffer);
        const sample = (place: number) => wide ? view.getUint16(place, true) : view.getUint8(place);
        planes.forEach((plane, c) => {
          const wanted = new Float32Array(at + rows * columns);
          for (let i = 0; i < rows * columns; i += 1) {
            const [row, column] = [Math.floor(i / columns), i % columns];
            wanted[at + i] = sample(offset + offsets[c]! + row * rowStep + column * columnStep);
          }
          deepEqual(plane, wanted);
        });
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("reads lines longer than one read in parts", () => {
  const columns = MAX_READ_STEP + 5;
  const bytes = new Uint8Array(2 * columns).map((_, i) => i % 251);
  const plane = new Float32Array(2 * columns);
  const [rows, row] = [{ count: 2, step: columns }, { count: columns, step: 1 }];
  readStrided({ ...source(bytes, "uint8"), offsets: [0], rows, columns: row }, [plane], 0);
  deepEqual(plane.every((value, i) => value === i % 251), true);
});
