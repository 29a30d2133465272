import { basename } from "node:path";
import { asciiOf, startsWith } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";

/** Number of bytes in which the first section of Olympus settings is searched. */
const SEARCHED_BYTES = 4096;

/** Olympus FluoView: a settings file with a folder of planes. */
export const OIF: FileFormat = {
  name: "oif",
  title: "Olympus OIF",
  extensions: [".oif"],
  container: "file",
  recognises: (head) => /^\s*\[[a-z][a-z0-9 ]/i.test(asciiOf(head)),
  // The settings of acquisitions and of planes begin with this section, and no other text does.
  confirms: (file) =>
    asciiOf(file.read(0, Math.min(SEARCHED_BYTES, file.size), "the start")).trimStart()
      .startsWith("[Acquisition Parameters Common]"),
  claims: async (path, files) =>
    /^s_.*\.tif$/i.test(basename(path)) && (await import("./streams.ts")).isPartOfOif(path, files),
  grouping: async () => (await import("./streams.ts")).GROUPING,
  load: () => import("./mod.ts"),
};

/** The same files in one compound file. */
export const OIB: FileFormat = {
  name: "oib",
  title: "Olympus OIB",
  extensions: [".oib"],
  container: "file",
  recognises: (head) => startsWith(head, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
  confirms: async (file) => (await import("./streams.ts")).isOib(file),
  load: () => import("./mod.ts"),
};
