/**
 * Parses texts that took quadratic time, with sizes for which that would be hours. Prints the name of each when it is done; the test
 * beside it runs this file and waits for them.
 */
import { OifSettings } from "../../readers/oif/settings.ts";
import { parseMainSettings } from "../../readers/oif/main_settings.ts";
import { takeLastPart } from "../../readers/oif/streams.ts";
import { listImageElements, parseHeader } from "../../readers/lif/document.ts";
import { parseMonthFirst } from "../../readers/metadata/moment.ts";
import { makeSourceName, parseScanFileName } from "../../readers/metadata/pvscan_files.ts";
import { readNode } from "../../readers/ome_zarr/hierarchy.ts";
import { readStatedFields } from "../../readers/tiff/dialects/olympus/fields.ts";
import { findUuid } from "../../readers/tiff/dialects/ome/file_set.ts";
import { storeOf } from "../fixtures/plain_store.ts";

const MILLION = 1_000_000;

const olympus = (section: string, key: string) => (value: string) => () =>
  readStatedFields(`[${section}]\r\n"${key}"\t"${value}"\r\n[Image]\r\n"Image Size"\t"12 * 8"\r\n`);

const size = olympus("Image", "Image Size");
const converted = olympus("Image", "Image Size(Unit Converted)");
const dimension = olympus("Dimensions", "X Dimension");
const duration = olympus("Dimensions", "T Dimension");
const speed = olympus("Acquisition", "Sampling Speed");

const lif = (detectors: number) => {
  const bands = Array.from({ length: detectors }, (_, i) => `<MultiBand Channel="${i}"/>`);
  const active = Array.from({ length: detectors }, (_, i) => `<Detector IsActive="1" Channel="${i}x"/>`);
  const setting = `<Spectro>${bands.join("")}</Spectro><DetectorList>${active.join("")}</DetectorList>`;
  const hardware = '<Attachment Name="HardwareSetting"><ATLConfocalSettingDefinition>' + setting +
    "</ATLConfocalSettingDefinition></Attachment>";
  return `<LMSDataContainerHeader><Element><Data><Image><ImageDescription/>${hardware}</Image></Data></Element></LMSDataContainerHeader>`;
};

/** What is parsed, by name. */
export const TEXTS: Readonly<Record<string, () => unknown>> = {
  "digits in the image size of an Olympus text": size("0".repeat(4 * MILLION)),
  "brackets in the image size of an Olympus text": converted("1[".repeat(2 * MILLION)),
  "numbers in a dimension of an Olympus text": dimension("1[".repeat(2 * MILLION)),
  "numbers in the duration of an Olympus text": duration("1-1 [".repeat(MILLION)),
  "numbers in the sampling speed of an Olympus text": speed("1[".repeat(2 * MILLION)),
  "digits in the date of an Olympus text": olympus("General", "Date")("0".repeat(4 * MILLION)),
  "digits in a date": () => parseMonthFirst("0".repeat(4 * MILLION)),
  "marks in a file name of an OIB": () => takeLastPart("GST".repeat(5 * MILLION)),
  "equal signs in a file name of an OIB": () => takeLastPart("=".repeat(15 * MILLION)),
  "brackets in settings of an OIF": () => parseMainSettings(new OifSettings("[".repeat(16 * MILLION), "it")),
  "cycles in the name of a Prairie image": () => parseScanFileName("a" + "_Cycle1".repeat(MILLION)),
  "cycles in the name of a Prairie source": () => makeSourceName("a" + "_Cycle1".repeat(MILLION)),
  "roots without an end in OME-XML": () => findUuid("<OME ".repeat(4 * MILLION)),
  "strings without an end in JSON": () => {
    try {
      readNode(storeOf(new Map([[".zattrs", '{"a": NaN, ' + '"a\\'.repeat(MILLION)]])), "");
    } catch (error) {
      if (!(error as Error).message.includes("is not JSON")) throw error;
    }
  },
  "a string of 16 million characters in JSON": () =>
    readNode(storeOf(new Map([[".zattrs", `{"a": NaN, "b": "${"b".repeat(16 * MILLION)}"}`]])), ""),
  "detectors and bands of a LIF": () => listImageElements(parseHeader(lif(190_000)).root),
};

if (import.meta.main) {
  for (const [name, parse] of Object.entries(TEXTS)) {
    parse();
    console.log(name);
  }
}
