import { startsWith } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";

const isNd2Chunk = (head: Uint8Array) => startsWith(head, 0xda, 0xce, 0xbe, 0x0a);

/** ND2, which consists of chunks or, before 2010, of JPEG 2000 boxes. */
export const ND2: FileFormat = {
  name: "nd2",
  title: "Nikon ND2",
  extensions: [".nd2"],
  container: "file",
  // The signature box of JPEG 2000 (ITU-T T.800, annex I.5.1) begins the oldest files, and any other picture of this kind.
  recognises: (head) => isNd2Chunk(head) || startsWith(head, 0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20),
  confirms: async (file) =>
    isNd2Chunk(file.read(0, 4, "the first bytes")) ||
    (await import("./legacy.ts")).findBoxMap(file) !== null,
  load: () => import("./mod.ts"),
};
