/** Olympus FluoView: OIF, a settings file with a folder of planes, and OIB, the same files in one compound file. */
import type { ByteSource } from "../io/byte_source.ts";
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { SIGNATURE } from "./compound_file.ts";
import { isOib, isPartOfOif, isPlaneName, settingsName } from "./streams.ts";

const load = () => import("./mod.ts");

/** Number of bytes in which the first section of a settings text is searched. */
const SEARCHED_BYTES = 4096;

/** The first section of the settings of acquisitions and planes; no other text begins with it. */
const FIRST_SECTION = "[Acquisition Parameters Common]";

/** The ASCII characters of a text with one or two bytes per character. */
const asciiOf = (bytes: Uint8Array) =>
  String.fromCharCode(...bytes.filter((byte) => byte > 0 && byte < 0x80));

/** True if a text begins with a section, after any byte order mark. */
const beginsWithSection = (head: Uint8Array) => /^\s*\[[a-z][a-z0-9 ]/i.test(asciiOf(head));

function holdsSettings(file: ByteSource): boolean {
  const bytes = file.read(0, Math.min(SEARCHED_BYTES, file.size), "the start");
  return asciiOf(bytes).trimStart().startsWith(FIRST_SECTION);
}

/** Both containers, which have the same reader. */
export const OIF: readonly FileFormat[] = [
  {
    ...FORMAT_NAMES.oif,
    container: "file",
    recognises: beginsWithSection,
    confirms: holdsSettings,
    claims: isPartOfOif,
    setOf: (name, { folder }) => isPlaneName(name) ? settingsName(folder) : null,
    ownerOf(folder, beside) {
      const settings = settingsName(folder);
      return settings === null ? null : beside.find(settings);
    },
    load,
  },
  {
    ...FORMAT_NAMES.oib,
    container: "file",
    recognises: (head) => startsWith(head, ...SIGNATURE),
    confirms: isOib,
    load,
  },
];
