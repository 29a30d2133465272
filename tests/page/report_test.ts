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
      settings: [["Method", "peaks above a threshold"], ["Channel", "CH2"], ["Lines averaged", 3], [
        "F0 of rest",
        "running",
      ]] as [string, string | number][],
      plot: null,
      columns: [{ name: "Channel", values: ["CH2", "CH2"] }, { name: "Time", values: [1, 2] }],
    },
    {
      name: "Flux",
      about: [],
      settings: [["Method, A", "one"], ["Method, B", "other"]] as [string, string | number][],
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
      "Events were measured in channel CH2. The method was: peaks above a threshold. " +
      "The settings were: lines averaged 3; F0 of rest running. " +
      "Flux was measured in channels CH1, CH2 and CH3. The method for A was: one. The method for B was: other. " +
      "Citation: The acq-server authors (2026). acq-server 1.2.3. Computer software.",
  );
  const cited = Deno.readTextFileSync(new URL("../../CITATION.cff", import.meta.url));
  assert.match(cited, /authors:\s+- name: The acq-server authors\n/);
});
