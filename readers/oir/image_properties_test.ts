import assert from "node:assert/strict";
import { parseXml } from "../metadata/xml.ts";
import { mergeProperties, readImageProperties } from "./image_properties.ts";

const properties = (content: string) =>
  readImageProperties(parseXml(`<imageProperties>${content}</imageProperties>`, "it"));

Deno.test("lists each channel once, by its order, with the name of any of its elements", () => {
  const { channels } = properties(
    '<a><channel id="c" order="3"/><channel id="b" order="2"><name>second</name></channel></a>' +
      '<channel id="a"/><channel id=" "/><channel/><channel id="c" order="0"><name>third</name></channel>' +
      '<channel id="d" order="x"><name/></channel>',
  );
  assert.deepEqual([...channels].map(([id, { name, order }]) => [id, name, order]), [
    ["a", null, null],
    ["d", null, "x"],
    ["b", "second", "2"],
    ["c", "third", "3"],
  ]);
});

Deno.test("takes the pixel size from the first length in its unit, with the calibration of the microscope", () => {
  const length = (x: string, rest = "") => `<channel><length>${x}</length>${rest}</channel>`;
  const calibration =
    "<acquisition><microscopeConfiguration><pixelCalibration><x>2</x><y>4</y></pixelCalibration>" +
    "</microscopeConfiguration></acquisition>";
  const resolution = "<acquisition><imagingParam><pixelResolution><x>0.7</x><y>0.8</y></pixelResolution>" +
    "</imagingParam></acquisition>";
  const unit = (name: string) => `<pixelUnit><x>${name}</x><y>${name}</y></pixelUnit>`;
  const cases: [string, number, number, string][] = [
    [length("<x>0.5</x><y>0.25</y>") + length("<x>9</x>"), 0.5, 0.25, "um"],
    [length("<z>1</z>") + length("<x>0.5</x>"), 0.5, 0.5, "um"],
    [length("<x>500</x><y>250</y>", unit("NANO_METER")), 0.5, 0.25, "um"],
    [length("<x>0.5</x><y>0.25</y>", unit("MILLI_METER")), 500, 250, "um"],
    [length("<x>1</x><y>2</y>", unit("METER")), 1e6, 2e6, "um"],
    [calibration + length("<x>0.5</x><y>0.25</y>"), 1, 1, "um"],
    [resolution, 0.7, 0.8, "um"],
    [resolution + length("<x>0</x>"), 0.7, 0.8, "um"],
    ["", 1, 1, "Pixels"],
    [length("<x>much</x>"), 1, 1, "Pixels"],
  ];
  for (const [content, x, y, unit] of cases) {
    assert.deepEqual(properties(content).pixel, { x: { step: x, unit }, y: { step: y, unit } }, content);
  }
});

Deno.test("takes enabled axes, and the settings of scanners in use", () => {
  const axis = (attributes: string, type: string, step: number) =>
    `<axis ${attributes}><axis>${type}</axis><step>${step}</step><maxSize>5</maxSize></axis>`;
  const scanner = (type: string, interval: string) =>
    `<scannerSettings type="${type}"><param><imageSize><width>512</width><height>256</height></imageSize>` +
    `<speed><speedInformation><seriesInterval>${interval}</seriesInterval></speedInformation>` +
    `<speed>${type === "Galvano" ? 2 : 0.125}</speed></speed>` +
    `<roundtrip>${type === "Resonant"}</roundtrip></param></scannerSettings>`;
  const read = properties(
    "<acquisition><imagingParam>" + axis('enable="false"', "ZSTACK", 1) +
      axis('enable="true" paramEnable="false"', "ZSTACK", 2) +
      axis('enable="true" paramEnable="true"', "ZSTACK", 3) +
      axis('enable="true" paramEnable=""', "LINE", 5) +
      axis("", "LAMBDA", 4) +
      "</imagingParam><configuration><scannerType>Resonant</scannerType></configuration>" +
      scanner("Galvano", "2.1") + scanner("Resonant", "0.063") + "</acquisition>" +
      "<imageInfo>" + axis("", "TIMELAPSE", 0) + "</imageInfo>",
  );
  assert.deepEqual([...read.axes], [
    ["ZSTACK", { step: 3, maxSize: 5 }],
    ["LINE", { step: 5, maxSize: 5 }],
    ["LAMBDA", null],
    ["TIMELAPSE", { step: 0, maxSize: 5 }],
  ]);
  assert.deepEqual([read.seriesInterval, read.seriesIntervals], [0.063, [2.1, 0.063]]);
  assert.deepEqual(read.overview, { width: 512, height: 256 });
  assert.deepEqual([read.pixelTime, read.roundtrip], [0.125, true]);
});

Deno.test("prefers the last copy, and fills what it lacks from the first", () => {
  const copy = (axes: readonly [string, string][], channels: string) =>
    properties(
      `<acquisition><imagingParam>${
        axes.map(([type, enable]) => `<axis enable="${enable}"><axis>${type}</axis></axis>`).join("")
      }</imagingParam></acquisition>${channels}`,
    );
  const first = copy(
    [["TIMELAPSE", "true"], ["ZSTACK", "true"]],
    '<channel id="a"><name>old</name></channel><channel id="b"><name>kept</name></channel>',
  );
  const last = copy([["TIMELAPSE", "false"]], '<channel id="b"/><channel id="a"><name>new</name></channel>');
  const merged = mergeProperties(first, last);
  assert.deepEqual([...merged.axes].filter(([, axis]) => axis).map(([type]) => type), ["ZSTACK"]);
  assert.deepEqual([...merged.channels].map(([id, { name }]) => [id, name]), [["b", "kept"], ["a", "new"]]);
});

Deno.test("takes the first region with two ends as the scanned line, unless it has another shape", () => {
  const ends = 'x1="1.5" y1="2" x2="-3" y2="4"';
  const line = [1.5, 2, -3, 4];
  const cases: [string, readonly number[] | null][] = [
    [
      `<r><coordinates x="1"/><coordinates ${ends}/></r><r><coordinates x1="9" y1="9" x2="9" y2="9"/></r>`,
      line,
    ],
    [`<r type="Line"><coordinates ${ends}/></r>`, line],
    [`<r type="FreeLine"><coordinates ${ends}/></r>`, null],
    [`<r type="RECTANGLE"><coordinates ${ends}/></r>`, null],
    [`<r><shape>Rectangle</shape><coordinates ${ends}/></r>`, null],
    [`<r><roiType>PolyLine</roiType><coordinates ${ends}/></r>`, null],
    [`<r><name>Point 1</name><shape>Line</shape><coordinates ${ends}/></r>`, line],
    ['<r><coordinates x1="1" y1="2" x2="3"/></r>', null],
    ['<r><coordinates x1="1" y1="2" x2="3" y2=""/></r>', null],
    ['<r><coordinates x1="1" y1="2" x2="3" y2="Infinity"/></r>', null],
    ["", null],
  ];
  for (const [content, found] of cases) assert.deepEqual(properties(content).line, found, content);
});

Deno.test("reads the settings of the named scanner, or of the only one", () => {
  const cases: [string, string[], number | null][] = [
    ["Resonant", ["Galvano", "Resonant"], 2],
    ["Other", ["Galvano", "Resonant"], null],
    ["", ["Galvano", "Resonant"], null],
    ["", ["Galvano"], 1],
    ["Other", ["Galvano"], 1],
    ["Other", [], null],
  ];
  for (const [inUse, scanners, interval] of cases) {
    const settings = scanners.map((type, i) =>
      `<scannerSettings type="${type}"><seriesInterval>${i + 1}</seriesInterval></scannerSettings>`
    );
    const content = `<acquisition><scannerType>${inUse}</scannerType>${settings.join("")}</acquisition>`;
    assert.equal(properties(content).seriesInterval, interval, content);
  }
});
