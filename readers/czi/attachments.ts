/** What is attached to a document: time stamps, embedded documents, and others that are not read. */
import { ByteSection, type ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, isLoss } from "../errors.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { MAX_ATTACHMENTS } from "./bounds.ts";
import type { FileHeader } from "./file_header.ts";
import { ID, longAt, requireSegment, SEGMENT_HEAD, textAt, walkSegments } from "./segment.ts";

/** One attachment, as the directory has it. */
export interface Attachment {
  /** `TimeStamps`, `Image` and so on. */
  readonly name: string;
  /** `CZTIMS`, `ZISRAW` and so on. */
  readonly type: string;
  /** Offset of its segment. */
  readonly position: number;
}

/** Data before the entries of the directory, and bytes of each entry. */
const [DIRECTORY_HEAD, ENTRY_BYTES] = [256, 128];

/** Data before the content of an attachment: its size, and from 16 on the entry once more. */
const [CONTENT_HEAD, OWN_ENTRY] = [256, 16];

function attachmentIn(view: DataView, at: number): Attachment | null {
  if (textAt(view, at, 2) !== "A1") return null;
  return {
    position: longAt(view, at + 12),
    type: textAt(view, at + 40, 8),
    name: textAt(view, at + 48, 80, "utf-8"),
  };
}

/** The attachments that a document lists, and why its directory was not used. */
export interface AttachmentList {
  /** In the order of the directory. */
  readonly attachments: readonly Attachment[];
  /** How the directory was damaged. */
  readonly warnings: readonly Warning[];
}

/**
 * Reads the directory of attachments. Where there is none, what lies behind the last subblock is looked at.
 *
 * @param last offset of a segment behind which no subblock lies
 * @throws {Stopped}
 */
export function readAttachments(file: ByteSource, header: FileHeader, last: number): AttachmentList {
  if (header.attachments === 0) return { attachments: walked(file, last), warnings: [] };
  try {
    return { attachments: listed(file, header.attachments), warnings: [] };
  } catch (error) {
    if (!isLoss(error)) throw error;
    return {
      attachments: walked(file, last),
      warnings: [lossWarning(error, "file_damaged", "The directory of attachments")],
    };
  }
}

function listed(file: ByteSource, position: number): Attachment[] {
  const what = "the directory of attachments";
  const { data } = requireSegment(file, position, ID.attachments, what);
  const count = new DataView(file.read(data, 4, what).buffer).getInt32(0, true);
  if (count < 0 || count > MAX_ATTACHMENTS) {
    throw new DecodeFailed(`${what} states ${count} entries; at most ${MAX_ATTACHMENTS} are read`);
  }
  const view = new DataView(file.read(data + DIRECTORY_HEAD, count * ENTRY_BYTES, what).buffer);
  return Array.from({ length: count }, (_, i) => attachmentIn(view, i * ENTRY_BYTES))
    .filter((attachment) => attachment !== null);
}

function walked(file: ByteSource, start: number): Attachment[] {
  const found: Attachment[] = [];
  for (const { id, offset, data } of walkSegments(file, start)) {
    if (id !== ID.attachment || data + CONTENT_HEAD > file.size || found.length === MAX_ATTACHMENTS) continue;
    const view = new DataView(file.read(data + OWN_ENTRY, ENTRY_BYTES, "attachment").buffer);
    const attachment = attachmentIn(view, 0);
    if (attachment) found.push({ ...attachment, position: offset });
  }
  return found;
}

/** The content of an attachment. @throws {DecodeFailed} it does not lie in the file */
export function contentOf(file: ByteSource, { position, name }: Attachment): ByteSection {
  const what = `attachment "${name}" at ${position}`;
  const { data } = requireSegment(file, position, ID.attachment, what);
  const size = longAt(new DataView(file.read(data, 8, what).buffer), 0);
  return new ByteSection(file, position + SEGMENT_HEAD + CONTENT_HEAD, size, what);
}
