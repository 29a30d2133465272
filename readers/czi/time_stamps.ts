/** The time stamps of a document: one for each index along `T`. */
import type { ByteSource } from "../io/byte_source.ts";
import { isLoss } from "../errors.ts";
import { MAX_STAMPS, meanStep, timesFrom } from "../metadata/time_stamps.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { type Attachment, contentOf } from "./attachments.ts";
import type { Span } from "./scene_layout.ts";

/** Some writers store days since 1899 in place of seconds; a later date than 1954 that rises by less than 87 s is days. */
const [LEAST_DAYS, MOST_DAY_STEP, DAY] = [20_000, 1e-3, 86_400];

/** What the stamps say of the time points of a scene. */
export interface TimeStamps {
  /** Seconds from a time point to the next, in the mean; or `null`. */
  readonly step: number | null;
  /** Seconds of each time point from the first, or `null` where some lack a stamp. */
  readonly times: readonly number[] | null;
}

const NO_STAMPS: TimeStamps = { step: null, times: null };

/** Two sizes before the stamps: bytes, and how many there are. */
const HEAD = 8;

function readTimeStamps(file: ByteSource, attachment: Attachment, { start, size }: Span): TimeStamps {
  const content = contentOf(file, attachment);
  const count = new DataView(content.read(0, HEAD, "time stamps").buffer).getInt32(4, true);
  const stored = Math.min(count, Math.floor((content.size - HEAD) / 8)) - start;
  const length = Math.min(size, stored, MAX_STAMPS);
  if (start < 0 || length < 2) return NO_STAMPS;
  const view = new DataView(content.read(HEAD + 8 * start, 8 * length, "time stamps").buffer);
  const stamps = Float64Array.from({ length }, (_, i) => view.getFloat64(8 * i, true));
  const [first, second] = [stamps[0]!, stamps[1]!];
  const factor = first > LEAST_DAYS && second - first < MOST_DAY_STEP ? DAY : 1;
  const seconds = stamps.map((stamp) => factor * (stamp - first));
  return { step: meanStep(seconds), times: length === size ? timesFrom(seconds) : null };
}

/** Reads the stamps among the attachments, with a warning where they cannot be read. */
export function timeStamps(
  file: ByteSource,
  attachments: readonly Attachment[],
  span: Span,
): TimeStamps & { readonly warnings: readonly Warning[] } {
  const attachment = attachments.find(({ type }) => type === "CZTIMS");
  if (!attachment || span.size < 2) return { ...NO_STAMPS, warnings: [] };
  try {
    return { ...readTimeStamps(file, attachment, span), warnings: [] };
  } catch (error) {
    if (!isLoss(error)) throw error;
    return {
      ...NO_STAMPS,
      warnings: [lossWarning(error, "metadata_damaged", "The time stamps")],
    };
  }
}
