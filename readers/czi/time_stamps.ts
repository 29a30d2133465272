/** The time stamps of a document: one for each index along `T`. */
import type { ByteSource } from "../io/byte_source.ts";
import { isLoss } from "../errors.ts";
import { type Attachment, contentOf } from "./attachments.ts";
import { MAX_ROW_TIMES } from "../io/limits.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { MAX_TIMES } from "./bounds.ts";
import type { Span } from "./scene_layout.ts";

/** Some writers store days. Counts of days since 1899 that rise by seconds are told by these. */
const [LEAST_DAYS, MOST_DAY_STEP, DAY] = [20_000, 1e-3, 86_400];

/** What the stamps say of the time points of a scene. */
export interface TimeStamps {
  /** Seconds from a time point to the next, in the mean; or `null`. */
  readonly step: number | null;
  /** Seconds of each time point from the first, or `null` where some lack a stamp. */
  readonly times: readonly number[] | null;
}

/** No stamps. */
export const NO_STAMPS: TimeStamps = { step: null, times: null };

/** Two sizes before the stamps: bytes, and how many there are. */
const HEAD = 8;

/**
 * Reads the stamps of some time points: all, or the first and the last of a great many.
 *
 * @param most of how many time points all are read
 * @throws {DecodeFailed} the attachment does not lie in the file
 */
export function readTimeStamps(
  file: ByteSource,
  attachment: Attachment,
  span: Span,
  most: number,
): TimeStamps {
  const content = contentOf(file, attachment);
  const count = new DataView(content.read(0, HEAD, "time stamps").buffer).getInt32(4, true);
  const stored = Math.min(count, Math.floor((content.size - HEAD) / 8));
  const last = Math.min(span.start + span.size, stored) - 1;
  if (span.start < 0 || last <= span.start) return NO_STAMPS;
  const at = (index: number, length: number) => {
    const view = new DataView(content.read(HEAD + 8 * index, 8 * length, "time stamps").buffer);
    return Array.from({ length }, (_, i) => view.getFloat64(8 * i, true));
  };
  const [first = NaN, second = NaN] = at(span.start, 2);
  const [end = NaN] = at(last, 1);
  const factor = first > LEAST_DAYS && second - first < MOST_DAY_STEP ? DAY : 1;
  const step = factor * (end - first) / (last - span.start);
  if (!Number.isFinite(step) || step <= 0) return NO_STAMPS;
  const whole = last === span.start + span.size - 1 && span.size <= most;
  const times = whole ? at(span.start, span.size).map((stamp) => factor * (stamp - first)) : null;
  return { step, times: times?.every(Number.isFinite) ? times : null };
}

/** The stamps among the attachments, or why they cannot be read. */
export function timeStamps(
  file: ByteSource,
  attachments: readonly Attachment[],
  span: Span,
  lineScan: boolean,
): TimeStamps & { readonly warnings: readonly Warning[] } {
  const attachment = attachments.find(({ type }) => type === "CZTIMS");
  if (!attachment || span.size < 2) return { ...NO_STAMPS, warnings: [] };
  try {
    const most = lineScan ? MAX_ROW_TIMES : MAX_TIMES;
    return { ...readTimeStamps(file, attachment, span, most), warnings: [] };
  } catch (error) {
    if (!isLoss(error)) throw error;
    return {
      ...NO_STAMPS,
      warnings: [lossWarning(error, "metadata_damaged", "The time stamps cannot be read")],
    };
  }
}
