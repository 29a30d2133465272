import assert from "node:assert/strict";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { SEPARATORS, writeCsv } from "../../static/measure/csv.ts";
import { EVENTS } from "../../static/measure/events/mod.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { drawSvgPlot } from "../../static/demo/v2/measuring/svg_plot.ts";

/**
 * The cells of a table as a spreadsheet with any separator finds them. Quotes count at the start of a cell alone; what follows
 * the closing one belongs to the cell.
 */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  for (let rest = text; rest !== "";) {
    const [cell, quoted] = /^"((?:[^"]|"")*)"/.exec(rest) ?? ["", ""];
    const end = rest.slice(cell.length).search(
      separator === "\t" ? /[\t\r\n]/ : new RegExp(`[${separator}\r\n]`),
    );
    const length = end < 0 ? rest.length : cell.length + end;
    cells.push(quoted!.replaceAll('""', '"') + rest.slice(cell.length, length));
    rest = rest.slice(length + 1);
  }
  return cells;
}

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

Deno.test("text cannot become a spreadsheet formula with any separator", () => {
  const piece = fc.constantFrom("=1+1", "-", "+", "@", ";", "\t", ",", '"', "\r", "\n", "a", "7");
  const texts = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(texts, texts, (name, value) => {
      for (const decimal of ["point", "comma"] as const) {
        const table = writeCsv([{ name, values: [value] }], decimal);
        for (const separator of [",", ";", "\t"]) {
          const formulas = cellsOf(table, separator).filter((cell) =>
            /^[=+\-@\t]/.test(cell) && !NUMBER.test(cell.split(SEPARATORS[decimal])[0]!)
          );
          assert.deepEqual(formulas, [], JSON.stringify(table));
        }
      }
    }),
    { numRuns: 2000, seed: 1 },
  );
  // Numbers stay numbers.
  const numbers = [{ name: "Low", values: [-5, -1.5] }, { name: "High", values: ["-5.25e-3", "+1"] }];
  assert.equal(writeCsv(numbers), "Low,High\r\n-5,-5.25e-3\r\n-1.5,+1\r\n");
  assert.equal(writeCsv(numbers, "comma"), "Low;High\r\n-5;-5.25e-3\r\n-1,5;+1\r\n");
});

/** A text with the apostrophes that keep it from becoming a formula, character by character. */
const guarded = (text: string) =>
  text.split("").map((character, i) => {
    const isFirst = i === 0 || ';\t\r\n"'.includes(text[i - 1]!);
    return isFirst && "=+-@\t\r".includes(character) ? `'${character}` : character;
  }).join("");

Deno.test("every text survives a round trip through a table", () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 });
  const roundTrip = fc.property(texts, (texts) => {
    const columns = [...texts, "end"].map((text) => ({ name: "x", values: [text] }));
    const row = writeCsv(columns).slice(`${columns.map(() => "x")}\r\n`.length, -2);
    const kept = texts.map((text) => NUMBER.test(text) ? text : guarded(text));
    assert.deepEqual(cellsOf(row, ","), [...kept, "end"]);
  });
  fc.assert(roundTrip, { examples: [[["\t\t"]], [["\r=\t-1"]]] });
});

const measure = (text: string) => 7 * text.length;
const frame = { width: 600, height: 300, x: { low: 0, high: 10, title: "Time (s)" } };

/** Elements by name, with their attributes and text; fails on XML that is not well formed. */
function elementsOf(svg: string) {
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const parser = new SaxesParser();
  parser.on(
    "opentag",
    ({ name, attributes }) =>
      found.push({ name, attributes: attributes as Record<string, string>, text: "" }),
  );
  parser.on("text", (text) => found.at(-1)!.text += text);
  parser.write(svg).close();
  return found;
}

Deno.test("draws a broken trace with its gaps in the plot and in its legend", () => {
  const trace = { color: "#c00", x: [0, 10], y: [0, 1] };
  // Names that take more than a third of the width do not fit at the ends of lines.
  const name = "A channel with a long name, and another";
  const svg = drawSvgPlot({
    ...frame,
    y: { low: 0, high: 1, title: "" },
    traces: [{ ...trace, name, dash: "" }, { ...trace, name: "CH2", dash: "6 3" }],
  }, measure);
  const dashes = elementsOf(svg).filter(({ attributes }) => attributes.stroke === "#c00")
    .map(({ name, attributes }) => `${name} ${attributes["stroke-dasharray"] ?? "whole"}`);
  assert.deepEqual(dashes, ["polyline whole", "polyline 6 3", "polyline whole", "polyline 6 3"]);
});

Deno.test("names lines at their right ends, without a legend", () => {
  const svg = drawSvgPlot({
    ...frame,
    y: { low: 0, high: 1, title: "" },
    traces: [
      { name: "upper", color: "#c00", x: [0, 5, 10], y: [0, 0.8, NaN] },
      { name: "lower", color: "#00c", x: [0, 5, 10], y: [1, 1, 0.2] },
    ],
  }, measure);
  const elements = elementsOf(svg);
  const lines = elements.filter(({ attributes }) => ["#c00", "#00c"].includes(attributes.stroke!));
  assert.equal(lines.length, 2, "lines of a legend");
  const [clip] = elements.filter(({ name, attributes }) => name === "rect" && attributes.x !== undefined);
  const [left, top, width, height] = ["x", "y", "width", "height"].map((name) =>
    Number(clip!.attributes[name])
  ) as [number, number, number, number];
  for (const [label, color, value] of [["upper", "#c00", 0.8], ["lower", "#00c", 0.2]] as const) {
    const { attributes } = elements.find(({ text }) => text.trim() === label)!;
    assert.equal(attributes.fill, color);
    assert(Number(attributes.x) > left + width && Number(attributes.x) + measure(label) <= frame.width);
    assert(Math.abs(Number(attributes.y) - (top + (1 - value) * height)) < 0.02, label);
  }
});

Deno.test("draws the standard error as a band that gaps part", () => {
  const svg = drawSvgPlot({
    ...frame,
    y: { low: 0, high: 10, title: "" },
    traces: [{
      name: "",
      color: "#c00",
      x: [0, 1, 2, 6, 9],
      y: [5, 5, 6, 5, 5],
      spread: [1, 1, 2, 1, NaN],
    }],
  }, measure);
  const bands = elementsOf(svg).filter(({ name }) => name === "polygon");
  const [whole, bar] = bands.map(({ attributes }) =>
    attributes.points!.split(" ").map((point) => point.split(",").map(Number))
  );
  assert.deepEqual([bands.length, whole!.length, bar!.length], [2, 6, 4]);
  const heights = whole!.map(([, y]) => y!);
  // 4 to 6, 4 to 6 and 4 to 8: upper edge to the right, lower edge back.
  const unit = (heights[5]! - heights[0]!) / 2;
  const values = heights.map((y) => 6 - (y - heights[0]!) / unit);
  values.forEach((value, i) => assert(Math.abs(value - [6, 6, 8, 4, 4, 4][i]!) < 0.01, `${values}`));
  assert(bands.every(({ attributes }) => Number(attributes["fill-opacity"]) < 1));
});

Deno.test("a plot has its traces at their places, titles and a legend", () => {
  const svg = drawSvgPlot({
    ...frame,
    y: { low: -1, high: 1, title: "ΔF/F₀" },
    traces: [
      { name: "Band 1", color: "#c00", x: [0, 5, 10], y: [0, 1, -1] },
      { name: "Dots", color: "#00c", x: [5], y: [0], isDots: true },
    ],
  }, measure);
  const elements = elementsOf(svg);
  const [clip] = elements.filter(({ name, attributes }) => name === "rect" && attributes.x !== undefined);
  const [left, top, width, height] = ["x", "y", "width", "height"].map((name) =>
    Number(clip!.attributes[name])
  );
  const [line] = elements.filter(({ attributes }) => attributes.stroke === "#c00" && attributes.points);
  const places = line!.attributes.points!.split(" ").map((point) => point.split(",").map(Number));
  const expected = [[left!, top! + height! / 2], [left! + width! / 2, top!], [
    left! + width!,
    top! + height!,
  ]];
  places.forEach(([x, y], i) => {
    assert(Math.abs(x! - expected[i]![0]!) < 0.02 && Math.abs(y! - expected[i]![1]!) < 0.02, `${x}, ${y}`);
  });
  const dot = elements.find(({ name }) => name === "circle")!;
  assert(Math.abs(Number(dot.attributes.cx) - (left! + width! / 2)) < 0.02);
  const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text.trim());
  for (const text of ["Time (s)", "ΔF/F₀", "Band 1", "Dots"]) assert(texts.includes(text), text);
});

Deno.test("breaks the line at a gap, and keeps a spike among many points", () => {
  const x = Float64Array.from({ length: 100_000 }, (_, i) => i / 10_000);
  const y = x.map((_, i) => i === 54_321 ? 5 : i === 20_000 ? NaN : 0);
  const svg = drawSvgPlot({
    ...frame,
    y: { low: 0, high: 5, title: "" },
    traces: [{ name: "", color: "red", x, y }],
  }, measure);
  assert(svg.length < 100_000, `${svg.length} characters`);
  const lines = elementsOf(svg).filter(({ attributes }) => attributes.stroke === "red");
  assert.equal(lines.length, 1);
  const heights = lines[0]!.attributes.points!.split(" ").map((point) => Number(point.split(",")[1]));
  assert.equal(heights.filter((height) => height === Math.min(...heights)).length, 1);
  const short = drawSvgPlot({
    ...frame,
    y: { low: 0, high: 5, title: "" },
    traces: [{ name: "", color: "red", x: [1, 2, 3, 4, 5], y: [1, 2, NaN, 4, 5] }],
  }, measure);
  assert.equal(elementsOf(short).filter(({ attributes }) => attributes.stroke === "red").length, 2);
});

Deno.test("escapes names in texts", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (name) => {
    const trace = { name: `a${name}`, color: `"><script>`, x: [0, 1], y: [0, 1] };
    const elements = elementsOf(
      drawSvgPlot({ ...frame, y: { low: 0, high: 1, title: name }, traces: [trace] }, measure),
    );
    assert(elements.every((element) => element.name !== "script"));
  }));
});

Deno.test("methods name what ran", () => {
  const flux = MEASUREMENTS.find(({ key }) => key === "flux")!;
  assert.equal(
    flux.method({}),
    "cells counted along the flow by the velocities of the autocorrelation method",
  );
  const events = ["by noise", "automatically", "by hand"].map((chosen) => EVENTS.method({ chosen } as never));
  assert.deepEqual(events, [
    "peaks above a threshold of 5 SD of the residual above the baseline, with fitted transients",
    "peaks above a threshold halfway from median to maximum, with fitted transients",
    "peaks above a threshold, with fitted transients",
  ]);
});
