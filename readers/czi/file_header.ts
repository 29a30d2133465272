/** The first segment of a document: where its directories are, and which part of a split document it is. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { ID, longAt, SEGMENT_HEAD, segmentIn } from "./segment.ts";

/** What is defined of the data. */
const HEADER_BYTES = 80;

/** What the header states. */
export interface FileHeader {
  /** Hexadecimal GUID that all parts of a split document share. */
  readonly primary: string;
  /** 0 for the first or only file. */
  readonly part: number;
  /** Offset of the directory of subblocks, 0 where there is none. */
  readonly directory: number;
  /** Offset of the metadata, 0 where there are none. */
  readonly metadata: number;
  /** Offset of the directory of attachments, 0 where there is none. */
  readonly attachments: number;
  /** A writer did not finish. */
  readonly pending: boolean;
  /** Other bytes stand where its id is padded. */
  readonly damaged: boolean;
  /** First byte behind the segment. */
  readonly end: number;
}

/** Reads it. @throws {DecodeFailed} the file is shorter, or starts otherwise */
export function readFileHeader(file: ByteSource): FileHeader {
  const bytes = SEGMENT_HEAD + HEADER_BYTES;
  if (file.size < bytes) {
    throw new DecodeFailed(`the file header is cut: ${file.size} of ${bytes} bytes are stored`);
  }
  const view = new DataView(file.read(0, bytes, "the file header").buffer);
  const { id, data, allocated } = segmentIn(view, 0);
  if (id !== ID.file) throw new DecodeFailed(`the first segment is no ${ID.file}`);
  const at = (offset: number) => longAt(view, SEGMENT_HEAD + offset);
  return {
    primary: new Uint8Array(view.buffer, SEGMENT_HEAD + 16, 16).toHex(),
    part: view.getInt32(SEGMENT_HEAD + 48, true),
    directory: at(52),
    metadata: at(60),
    pending: view.getInt32(SEGMENT_HEAD + 68, true) !== 0,
    damaged: new Uint8Array(view.buffer, ID.file.length, 16 - ID.file.length).some((byte) => byte !== 0),
    attachments: at(72),
    end: data + allocated,
  };
}
