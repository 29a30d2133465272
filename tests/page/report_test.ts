import assert from "node:assert/strict";
import { reportHtml, reportSvg } from "../../static/demo/v2/measuring/report.ts";

const measure = (text: string) => 7 * text.length;

const REPORT = {
  title: "cell.oir",
  facts: [],
  pictures: [
    { name: "Line scan", url: "data:a", width: 1240, height: 300 },
    { name: "Reference image", url: "data:b", width: 500, height: 600 },
  ],
  parts: [
    {
      name: "Events",
      about: [],
      settings: [
        ["Method", "peaks above a threshold"],
        ["Channel", "CH2"],
        ["Part of the lines, Band 1", "Band 1, columns 0 to 9"],
        ["Part of the lines, Band 2", "Band 2, columns 20 to 29"],
        ["Values", "dF/F0"],
        ["Lines averaged", 3],
        ["Threshold, Band 1", 0.5],
        ["Threshold, Band 2", 0.75],
        ["Threshold, Band 3", 0.5],
        ["SD of the residual, Band 1", 0.1],
        ["Minimum distance (s)", 0.1],
        ["Distance to an edge (um)", 4],
      ] as [string, string | number][],
      plot: null,
      columns: [{ name: "Channel", values: ["CH2", "CH2"] }, { name: "Time", values: [1, 2] }],
    },
    {
      name: "Flux",
      about: [],
      settings: [["Method, A", "one"], ["Method, B", "other"], ["Lines averaged", 3]] as [
        string,
        string | number,
      ][],
      plot: null,
      columns: [{ name: "Channel", values: ["CH1", "CH2", "CH3"] }],
    },
  ],
  version: "acq-server 1.2.3",
  measuredOn: new Date(2026, 10, 28, 12),
};

Deno.test("the reference image of a report is no larger than its line scan", () => {
  const sizes = [...reportSvg(REPORT, measure).matchAll(/<image .*? width="(\d+)" height="(\d+)"/g)]
    .map(([, ...size]) => size.map(Number));
  // 740 of 1240 pixels fit; 300 * 740 / 1240 = 179, and 500 * 179 / 600 = 149.
  assert.deepEqual(sizes, [[740, 179], [149, 179]]);
  const widths = [...reportHtml(REPORT).matchAll(/<img .*? width="(\d+)"/g)].map(([, width]) =>
    Number(width)
  );
  // 300 * 620 / 1240 = 150, and 500 * 150 / 600 = 125.
  assert.deepEqual(widths, [620, 125]);
});

Deno.test("the methods of a report are sentences with date, channels and citation", () => {
  const [, text] = /<h2>Methods<\/h2>\s*<p>(.*)<\/p>/.exec(reportHtml(REPORT))!;
  assert.equal(
    text,
    "The recording was measured on 28 November 2026 with acq-server 1.2.3. " +
      "Events were measured in Band 1 (columns 0 to 9) and Band 2 (columns 20 to 29), channel CH2. " +
      "The method was: peaks above a threshold. The values were ΔF/F₀. 3 lines were averaged. " +
      "The threshold was 0.5 for Band 1 and Band 3 and 0.75 for Band 2, " +
      "the minimum distance 0.1 s and the distance to an edge 4 µm. " +
      "Flux was measured in channels CH1, CH2 and CH3. The method for A was: one. The method for B was: other. " +
      "Citation: The acq-server authors (2026). acq-server 1.2.3. Computer software.",
  );
  const cited = Deno.readTextFileSync(new URL("../../CITATION.cff", import.meta.url));
  assert.match(cited, /authors:\s+- name: The acq-server authors\n/);
});

Deno.test("a report lists what differs between bands in a table, and paths as they are", () => {
  const part = {
    ...REPORT.parts[0]!,
    about: [["Step (lines)", 1234], ["Step (lines)", 1234], ["Velocity (um/s)", 10], [
      "Velocity (um/s), Band 1",
      10,
    ], [
      "Velocity (um/s), Band 2",
      20,
    ]] as [
      string,
      string | number,
    ][],
    columns: [],
  };
  const report = {
    ...REPORT,
    facts: [["Path", "/data/40 um/a, b.oir"]] as [string, string][],
    parts: [part],
  };
  const html = reportHtml(report);
  assert.ok(html.includes("<dl><dt>Path</dt><dd>/data/40 um/a, b.oir</dd></dl>"));
  assert.ok(html.includes("<dl><dt>Step (lines)</dt><dd>1,234</dd></dl>"));
  assert.ok(html.includes("<tr><th>Quantity</th><th>Band 1</th><th>Band 2</th></tr>"));
  assert.ok(html.includes("<tr><td>Velocity (µm/s)</td><td>10</td><td>20</td></tr>"));
  assert.match(reportSvg(report, measure), />Velocity \(µm\/s\): 10 \(Band 1\) · 20 \(Band 2\)</);
});

Deno.test("a channel called plot keeps its name in a report of several plots", () => {
  const plot =
    `<svg width="10" height="10"><clipPath id="plot"><rect/></clipPath><g clip-path="url(#plot)"/>` +
    `<text>plot</text><text>url(#plot) id=&quot;plot&quot;</text></svg>\n`;
  const parts = REPORT.parts.map((part) => ({ ...part, plot }));
  const svg = reportSvg({ ...REPORT, parts }, measure);
  const ids = [...svg.matchAll(/<clipPath id="(plot\d+)">/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual([...svg.matchAll(/clip-path="url\(#(plot\d+)\)"/g)].map(([, id]) => id), ids);
  assert.equal(
    [...svg.matchAll(/<text>plot<\/text><text>url\(#plot\) id=&quot;plot&quot;<\/text>/g)].length,
    2,
  );
});
