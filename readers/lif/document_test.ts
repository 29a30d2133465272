import { deepEqual, equal } from "node:assert/strict";
import { parseXml } from "../metadata/xml.ts";
import { describe } from "./document.ts";

const scanOf = (attributes: string) =>
  describe(
    parseXml(
      `<Image><Attachment Name="HardwareSetting"><ATLConfocalSettingDefinition ${attributes}/></Attachment></Image>`,
      "it",
    ),
  ).scan;

Deno.test("the settings of a confocal scan: times in seconds, the direction by its name", () => {
  // Of a file of LAS X, with a line scan in place of its mode.
  deepEqual(
    scanOf(
      'ScanMode="xt" LineTime="0.0025" LineAverage="2" Line_Accumulation="3" PixelDwellTime="0.000004875" ' +
        'ScanDirectionX="1" ScanDirectionXName="Unidirectional"',
    ),
    { lineTime: 0.0025, averaging: 6, pixelTime: 0.000004875, direction: "Unidirectional" },
  );
  deepEqual(scanOf(""), { lineTime: null, averaging: 1, pixelTime: null, direction: null });
  equal(describe(parseXml("<Image/>", "it")).scan, null);
});
