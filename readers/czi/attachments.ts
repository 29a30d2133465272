/** The attachments of a document, which include its time stamps. */
import { ByteSection, type ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import type { Moment } from "../metadata/moment.ts";
import { computeStampedStep, MAX_STAMPS, scaleStamps } from "../metadata/time_stamps.ts";
import type { TimeStamps } from "../reader.ts";
import { unlessLost, warnIf, type Warning } from "../warning.ts";
import type { IndexSpan } from "./scene.ts";
import { ID, longAt, requireSegment, SEGMENT_HEAD, textAt } from "./segment.ts";

/** Largest number of attachments in a document; a dozen are usual. */
const MAX_ATTACHMENTS = 10_000;

/** An entry of the attachment directory. */
export interface Attachment {
  /** `TimeStamps`, `Image` and so on. */
  readonly name: string;
  /** `CZTIMS`, `ZISRAW` and so on. */
  readonly type: string;
  readonly position: number;
}

/** Bytes of the directory before its entries, and bytes per entry. */
const [DIRECTORY_HEAD, ENTRY_BYTES] = [256, 128];

/** Bytes of an attachment before its content. */
const CONTENT_HEAD = 256;

/** The attachments that a document lists; if they cannot be read, warns and returns none. */
export const readAttachments = (
  file: ByteSource,
  position: number,
  warnings: Warning[],
): readonly Attachment[] =>
  unlessLost(
    warnings,
    "The attachment directory",
    () => listAttachments(file, position, warnings),
    "file_damaged",
  ) ??
    [];

function listAttachments(file: ByteSource, position: number, warnings: Warning[]): Attachment[] {
  if (position === 0) return [];
  const what = "the attachment directory";
  const { data } = requireSegment(file, position, ID.attachments, what);
  const count = new DataView(file.read(data, 4, what).buffer).getInt32(0, true);
  if (count < 0 || count > MAX_ATTACHMENTS) {
    throw new DecodeFailed(`${what} states ${count} entries, not 0 to ${MAX_ATTACHMENTS}`);
  }
  const view = new DataView(file.read(data + DIRECTORY_HEAD, count * ENTRY_BYTES, what).buffer);
  const entries = Array.from({ length: count }, (_, i) => i * ENTRY_BYTES)
    .filter((at) => textAt(view, at, 2) === "A1");
  const lost = `Entries of ${what} do not begin with "A1" and are left out: ${count - entries.length}`;
  warnings.push(...warnIf(entries.length < count, "file_damaged", lost));
  return entries.map((at) => ({
    position: longAt(view, at + 12),
    type: textAt(view, at + 40, 8),
    name: textAt(view, at + 48, 80, "utf-8"),
  }));
}

/** The content of an attachment. @throws {DecodeFailed} the content lies outside the file */
export function readAttachment(file: ByteSource, { position, name }: Attachment): ByteSection {
  const what = `attachment "${name}" at ${position}`;
  const { data } = requireSegment(file, position, ID.attachment, what);
  const size = longAt(new DataView(file.read(data, 8, what).buffer), 0);
  return new ByteSection(file, position + SEGMENT_HEAD + CONTENT_HEAD, size, what);
}

/** Least number of days since 1899, which is in 1954, and largest step in days, 87 s, where the document has no date. */
const [LEAST_DAYS, MOST_DAY_STEP] = [20_000, 1e-3];

/** Largest distance in days from the date of the document. */
const MOST_DAYS_APART = 366;

/** Seconds of a day, and the number of 1970-01-01 in days since 1899-12-30. */
const [DAY, UNIX_EPOCH_DAY] = [86_400, 25_569];

/**
 * Whether stamps are days since 1899, which some writers store instead of seconds: if the last one is near the date of the document;
 * without a date, if they are after 1954 and less than 87 s apart.
 */
function areDays(stamps: Float64Array, { date }: Moment): boolean {
  const last = stamps.findLast(Number.isFinite) ?? 0;
  if (last < LEAST_DAYS) return false;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  if (year !== undefined) {
    const created = Date.UTC(Number(year), Number(month) - 1, Number(day)) / (1000 * DAY) + UNIX_EPOCH_DAY;
    return Math.abs(last - created) < MOST_DAYS_APART;
  }
  const { median } = computeStampedStep(stamps);
  return median !== null && median < MOST_DAY_STEP;
}

/** Bytes before the stamps, which hold their size and number. */
const STAMPS_HEAD = 8;

function readStampsOfSpan(
  file: ByteSource,
  attachment: Attachment,
  { start, size }: IndexSpan,
  moment: Moment,
): TimeStamps | null {
  const content = readAttachment(file, attachment);
  const count = new DataView(content.read(0, STAMPS_HEAD, "time stamps").buffer).getInt32(4, true);
  const stored = Math.min(count, Math.floor((content.size - STAMPS_HEAD) / 8)) - Math.max(start, 0);
  const length = Math.min(stored, MAX_STAMPS);
  if (count < 1) throw new DecodeFailed(`there are ${count}`);
  if (start < 0 || length < 1) return null;
  const view = new DataView(content.read(STAMPS_HEAD + 8 * start, 8 * length, "time stamps").buffer);
  const stamps = Float64Array.from({ length }, (_, i) => view.getFloat64(8 * i, true));
  return scaleStamps(stamps, areDays(stamps, moment) ? 1 / DAY : 1, length < stored && length < size);
}

/** The time stamps from the first index of `span` along `T` on; `moment` is that of the document. `null` without any, or with a warning if they cannot be read. */
export function findTimeStamps(
  file: ByteSource,
  attachments: readonly Attachment[],
  span: IndexSpan,
  moment: Moment,
  warnings: Warning[],
): TimeStamps | null {
  const attachment = attachments.find(({ type }) => type === "CZTIMS");
  if (!attachment || span.size < 2) return null;
  return unlessLost(warnings, "The time stamps", () => readStampsOfSpan(file, attachment, span, moment));
}
