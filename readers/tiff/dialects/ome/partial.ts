/**
 * Sets of OME-TIFF files with partial documents, as ThorImage 1 writes them: the document of the first file names the files of all
 * planes, each other file has a document that describes its own plane only.
 */
import { basename, dirname, join } from "node:path";
import { unlessDamaged } from "../../../errors.ts";
import { alike } from "../../../io/names.ts";
import { takeLastName } from "../../../io/paths.ts";
import { MAX_XML_BYTES } from "../../../io/limits.ts";
import { readOmeStamps } from "../../../metadata/ome_xml.ts";
import { MAX_TIME_RECORDS, scaleStamps } from "../../../metadata/time_stamps.ts";
import { findChild } from "../../../metadata/xml.ts";
import type { TimeStamps } from "../../../reader.ts";
import type { OpenedTiff } from "../../stack.ts";
import { type Described, type OmeXmlScene, parseOme, readCompanionText, readDeclarations } from "./xml.ts";

/** The document of the first file of the set, if it names the opened file; else `null`. */
export function findFirstOfSet({ path, files }: OpenedTiff): Described | null {
  const own = basename(path);
  for (const name of listFirstNames(own, files.list(dirname(path)))) {
    const first = join(dirname(path), name);
    const found = unlessDamaged(() => {
      const { text } = readCompanionText(first, files, MAX_XML_BYTES);
      return readDeclarations(parseOme(text, `OME-XML in "${name}"`).images, first, 0);
    }, null);
    const names = found?.images.flatMap(({ places }) => places.map(({ name }) => name)) ?? [];
    if (names.some((one) => one !== null && alike(takeLastName(one), own))) return found;
  }
  return null;
}

/** Letter of a channel at the start of a file name of ThorImage. */
const CHANNEL_LETTER = /^(Chan)[A-Z](?=_)/i;

/**
 * Names that the first file of a set may have: those that differ from the own one in their last number only, in the last two, and so
 * on, with the lowest numbers. The first channel of ThorImage is A.
 */
function listFirstNames(own: string, names: readonly string[]): string[] {
  const shapeOf = (name: string) => name.replace(CHANNEL_LETTER, "$1*").replace(/\d+/g, "#").toLowerCase();
  const numbersIn = (name: string) => (name.match(/\d+/g) ?? []).map(Number);
  const letterOf = (name: string) => CHANNEL_LETTER.exec(name)?.[0].toUpperCase() ?? "";
  const parts = names.filter((name) => shapeOf(name) === shapeOf(own))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const numbers = numbersIn(own);
  const found = new Set<string>();
  for (let kept = numbers.length - 1; kept >= 0; kept -= 1) {
    const start = `${numbers.slice(0, kept)}`;
    const alike = parts.filter((name) => `${numbersIn(name).slice(0, kept)}` === start);
    for (const name of [alike.find((name) => letterOf(name) === letterOf(own)), alike[0]]) {
      if (name !== undefined && name !== own) found.add(name);
    }
  }
  return [...found];
}

/**
 * The time stamps of an image whose document has those of its own file only.
 *
 * @param textOf the document in the file of a plane by its time point, at the first channel and slice
 */
export function readStampsOfSet(
  { sizes }: OmeXmlScene,
  textOf: (t: number) => string | null,
): TimeStamps | null {
  const count = Math.min(sizes.T, MAX_TIME_RECORDS);
  const seconds = Array.from({ length: count }, (_, t) =>
    unlessDamaged(() => {
      const text = textOf(t);
      const image = text === null ? undefined : parseOme(text, "OME-XML").images[0];
      const pixels = image && findChild(image, "Pixels");
      return pixels ? readOmeStamps(pixels).get(t) ?? NaN : NaN;
    }, NaN));
  const known = seconds.filter(Number.isFinite);
  return known.length < 2 ? null : scaleStamps(seconds, 1, count < sizes.T);
}
