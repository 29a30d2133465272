import assert from "node:assert/strict";
import fc from "fast-check";
import { layoutFrame } from "../../static/demo/v2/picture/frame.ts";

interface Text {
  readonly text?: string;
  readonly at: [number, number];
  readonly turned?: boolean;
  readonly anchor: "end" | "middle";
}

const measure = (text: string) => 7 * text.length;

/** Left and right end of a label that runs across. */
function ends({ text, at, anchor }: Text): [number, number] {
  const width = measure(text!);
  return anchor === "end" ? [at[0] - width, at[0]] : [at[0] - width / 2, at[0] + width / 2];
}

Deno.test("labels neither overlap nor leave the box, at any size and range", () => {
  const size = fc.integer({ min: 150, max: 1600 });
  const low = fc.double({ min: -1e4, max: 1e4, noNaN: true });
  const length = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(size, size, low, length, low, length, fc.boolean(), (width, height, x, dx, y, dy, locked) => {
      const { plot, marks } = layoutFrame({
        width,
        height,
        x: { low: x, high: x + dx, title: "Y · time (s)" },
        y: { low: y, high: y + dy, title: "X (µm)" },
        aspect: locked ? 1.5 : null,
        measure,
      });
      const texts = (marks as Text[]).filter(({ text }) => text !== undefined && measure(text) < width);
      const across = texts.filter(({ turned }) => !turned);
      for (const text of across) {
        const [left, right] = ends(text);
        assert(left >= -1e-6 && right <= width + 1e-6, `${text.text} spans ${left} to ${right} of ${width}`);
        assert(text.at[1] >= 6 && text.at[1] <= height - 6);
      }
      const below = across.filter(({ at, anchor }) =>
        anchor === "middle" && at[1] < plot.top + plot.height + 18
      );
      const sorted = below.map(ends).sort((a, b) => a[0] - b[0]);
      sorted.slice(1).forEach(([left], i) => assert(left > sorted[i]![1], "labels across touch"));
      const beside = across.filter(({ anchor }) => anchor === "end").map(({ at }) => at[1]).sort((a, b) =>
        a - b
      );
      beside.slice(1).forEach((at, i) => assert(at - beside[i]! >= 14, "labels beside touch"));
      assert(plot.left + plot.width <= width && plot.top + plot.height <= height);
    }),
    { numRuns: 1000, seed: 6 },
  );
});
