/** Nikon ND2. */
import type { ByteSource } from "../io/byte_source.ts";
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { hasBoxMap } from "./legacy_boxes.ts";

const isChunked = (head: Uint8Array) => startsWith(head, 0xda, 0xce, 0xbe, 0x0a);

/** True for the signature box of JPEG 2000 (ITU-T T.800, annex I.5.1), with which the oldest files begin. */
const isJpeg2000 = (head: Uint8Array) => startsWith(head, 0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20);

/** ND2, which consists of chunks or, before 2010, of JPEG 2000 boxes. */
export const ND2: FileFormat = {
  ...FORMAT_NAMES.nd2,
  container: "file",
  recognises: (head) => isChunked(head) || isJpeg2000(head),
  // Any JPEG 2000 picture starts in the same way.
  confirms: (file: ByteSource) => isChunked(file.read(0, 4, "the first bytes")) || hasBoxMap(file),
  load: () => import("./mod.ts"),
};
