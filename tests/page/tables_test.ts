/** The grammar of saved tables: what `pandas.read_csv`, R's `read.csv` and spreadsheets read without options. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { collectFacts, writeCompanion, writeCsv, writeTable } from "../../static/measure/csv.ts";
import {
  joinTables,
  makeCurveColumns,
  makeRecordingColumns,
  makeTraceColumns,
  prependPlace,
} from "../../static/measure/result_tables.ts";

const COLUMNS = [
  { name: "Time", unit: "s", values: Float64Array.of(0, 0.1 + 0.2, 1e-7) },
  { name: "CH1, band 1", values: [1, NaN, -2] },
  { name: "Note", values: ["a", 'say "so"', "CH#1"] },
];

Deno.test("a table begins with its header, with units, and keeps all digits", () => {
  assert.equal(
    writeCsv(COLUMNS),
    'Time (s),"CH1, band 1",Note\r\n0,1,a\r\n0.30000000000000004,,"say ""so"""\r\n1e-7,-2,"CH#1"\r\n',
  );
});

Deno.test("with decimal commas, semicolons separate the cells", () => {
  assert.equal(
    writeCsv([...COLUMNS, { name: "Text", values: ["a;b", "1.5", "a\tb"] }], "comma"),
    'Time (s);"CH1, band 1";Note;Text\r\n0;1;a;"a;b"\r\n0,30000000000000004;;"say ""so""";1.5\r\n' +
      '1e-7;-2;"CH#1";"a\tb"\r\n',
  );
});

Deno.test("marks only tables with decimal commas as UTF-8, since a mark changes the first name in R", () => {
  const columns = [{ name: "Band", values: ["Gefäß"] }];
  assert.equal(writeCsv(columns), "Band\r\nGefäß\r\n");
  assert.equal(writeCsv(columns, "comma"), "\ufeffBand\r\nGefäß\r\n");
  assert.equal(writeCsv([{ name: "Band", values: ["Cell"] }], "comma"), "Band\r\nCell\r\n");
});

/** Rows of cells as RFC 4180 reads them, with any separator. */
function read(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    const quoted = text[at] === '"';
    let cell = "";
    if (quoted) {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    } else while (text[at] !== separator && text[at] !== "\r") cell += text[at++];
    row.push(cell);
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    assert.equal(text.slice(at, at + 2), "\r\n", "a line ends with CR LF");
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

Deno.test("numbers are never quoted or guarded, and texts with a separator, quote or # always quoted", () => {
  const value = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.constant("a,b;c#d\"e'"),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 1 }), fc.boolean(), (pairs, isComma) => {
      const columns = [0, 1].map((i) => ({ name: `Column ${i}`, values: pairs.map((pair) => pair[i]!) }));
      const text = writeTable(columns, isComma ? "comma" : "point");
      const [head, ...rows] = read(text, isComma ? ";" : ",");
      assert.deepEqual(head, ["Column 0", "Column 1"]);
      assert.equal(rows.length, pairs.length);
      rows.forEach((row, line) =>
        row.forEach((cell, i) => {
          const value = pairs[line]![i]!;
          if (typeof value === "string") return;
          const wanted = Number.isFinite(value) ? value : NaN;
          const number = Number(isComma ? cell.replace(",", ".") : cell);
          assert.ok(cell === "" ? Number.isNaN(wanted) : number === wanted, `${cell}, not ${value}`);
        })
      );
      const single = writeTable([{ name: "x", values: pairs.map(([first]) => first) }]).split("\r\n").slice(
        1,
        -1,
      );
      if (pairs.every(([first]) => typeof first === "string" && !/[\r\n]/.test(first))) {
        single.forEach((cell, i) => {
          if (/[",;#\t]/.test(String(pairs[i]![0]))) assert.match(cell, /^".*"$/s);
        });
      }
    }),
    { numRuns: 200, seed: 1 },
  );
});

Deno.test("settings and summaries go into a JSON file, missing numbers as null", () => {
  const about = { program: "acq-server 1", summary: collectFacts([["Mean", NaN], ["Mean", 2]]) };
  assert.deepEqual(JSON.parse(writeCompanion("a.csv", COLUMNS.slice(0, 2), "comma", about)), {
    table: "a.csv",
    separator: ";",
    decimal: ",",
    columns: [{ name: "Time (s)", unit: "s" }, { name: "CH1, band 1", unit: null }],
    program: "acq-server 1",
    summary: { "Mean": null, "Mean 2": 2 },
  });
});

const PLACE = { recording: "a.oir", scene: "Scene 1", timePoint: 3, focusPlane: 1, wavelength: 1 };

Deno.test("every table begins with its place, band or region, and channel", () => {
  const columns = prependPlace(PLACE, [
    { name: "Mean", values: [5, 6] },
    { name: "Channel", values: ["CH1", "CH2"] },
    { name: "Time point", values: [1, 2] },
    { name: "Region", values: ["Cell", "Cell"] },
  ]);
  assert.equal(
    writeCsv(columns),
    "Recording,Scene,Time point,Focus plane,Wavelength,Region,Channel,Mean\r\n" +
      "a.oir,Scene 1,1,1,1,Cell,CH1,5\r\na.oir,Scene 1,2,1,1,Cell,CH2,6\r\n",
  );
});

Deno.test("traces and curves have a row for each value", () => {
  const values = Float64Array.of(1, 2);
  const f0 = { level: 0.5, course: null };
  const traces = makeTraceColumns(
    [
      { band: "A", channel: "CH1", values, f0 },
      { band: "B", channel: "CH1", values, f0: { level: 1, course: Float64Array.of(1, 3) } },
    ],
    { step: 0.5, unit: "seconds" },
    true,
  );
  assert.equal(
    writeCsv(traces),
    "Band,Channel,Time (s),dF/F0,F0\r\nA,CH1,0,1,0.5\r\nA,CH1,0.5,2,0.5\r\nB,CH1,0,1,1\r\nB,CH1,0.5,2,3\r\n",
  );
  const curves = [{ name: "Position", unit: "um", values: [0, 1] }, { name: "CH1", values }];
  assert.equal(
    writeCsv(makeCurveColumns(curves, "the line", "Value")),
    "Region,Channel,Position (um),Value\r\nthe line,CH1,0,1\r\nthe line,CH1,1,2\r\n",
  );
});

Deno.test("joins the tables of several recordings, whose units may differ", () => {
  const tables = [{ unit: "um/s", values: [1, 2] }, { unit: "px/s", values: [3] }].map((column, i) =>
    prependPlace({ ...PLACE, recording: `${i}.oir` }, [{ name: "Velocity", ...column }])
  );
  assert.equal(
    writeCsv(joinTables(tables)),
    "Recording,Scene,Time point,Focus plane,Wavelength,Velocity (um/s),Velocity (px/s)\r\n" +
      "0.oir,Scene 1,3,1,1,1,\r\n0.oir,Scene 1,3,1,1,2,\r\n1.oir,Scene 1,3,1,1,,3\r\n",
  );
});

Deno.test("the table of recordings has a row for each band, with notes and errors at its end", () => {
  const rows = [
    { File: "damaged.oir", Error: "The file ends, and is cut" },
    { File: "=1+1.oir", Path: "/a", Band: "Soma", "Channel of trace": "CH1", "Mean (um/s)": 12.5, Note: "" },
    {
      File: "b.oir",
      Path: "/b",
      Scene: "Left",
      "Time point": 2,
      Over: "Focus",
      Band: "Soma",
      "Mean (mm/s)": NaN,
    },
  ];
  assert.equal(
    writeCsv(makeRecordingColumns(rows)),
    "Recording,Scene,Time point,Focus plane,Wavelength,Band,Channel,Path,Channel of trace," +
      "Mean (um/s),Over,Mean (mm/s),Note,Error\r\n" +
      'damaged.oir,,,,,,,,,,,,,"The file ends, and is cut"\r\n' +
      "'=1+1.oir,Scene 1,1,1,1,Soma,CH1,/a,CH1,12.5,,,,\r\n" +
      "b.oir,Left,2,,1,Soma,,/b,,,Focus,,,\r\n",
  );
});
