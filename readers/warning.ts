/** Warnings about an acquisition that opens nevertheless: a code for programs and a sentence for people. */

import { type DecodeFailed, isLoss, reasonOf, Unreadable } from "./errors.ts";

/** Every code with its meaning. Codes are stable; `docs/build-a-client.md` lists them. */
export const WARNING_CODES = {
  file_missing: "a file that belongs to the acquisition does not exist",
  file_unreadable: "a file that belongs to the acquisition exists but cannot be read",
  file_damaged: "the file is truncated or damaged; what can be found in it is served",
  channel_missing: "a channel has no plane and is not loaded",
  planes_missing: "the file declares more planes than it stores",
  planes_repeated: "several stored planes have the same place; one of them is served",
  lines_missing: "a channel lacks lines; all planes end with the shortest requested channel",
  area_uncovered: "no tile covers a part of a plane, which is 0 there",
  scenes_left_out: "scenes hold no samples, cannot be read or exceed a limit",
  content_left_out: "planes, pages or files belong to nothing that is served",
  opened_elsewhere: "the session opens at another position than index 0",
  reference_unreadable: "the reference image, its scan path or a part of them cannot be served",
  metadata_damaged: "metadata cannot be read and are left out",
  metadata_missing: "the file lacks metadata that files of its kind have",
  metadata_disagree: "two sources of the same value contradict each other",
  number_assumed: "numbers have a comma, which is read as a decimal comma",
  step_unknown: "an axis has no physical step",
  step_uneven: "the steps along an axis differ",
  axes_assumed: "the file does not state which axes its planes belong to",
  axis_reduced: "an axis that is not served is read at its first index",
  axis_replaced: "rows, columns or planes run along another axis than usual",
  line_scan_gap: "time passes between two kymographs of a line scan",
  regions_stacked: "a plane holds several scanned regions, one below the other",
  reduced_level: "the file is a reduced level of a pyramid",
  samples_doubtful: "the samples are stored in an unusual or undefined way",
  name_left_folder:
    "a document names a file in another folder; the file of this name beside the document is used",
  collection_applied: "a collection document outside the image's folder changes what is served of the image",
  collection_not_read: "the image belongs to a collection whose documents are not read",
  foreign_document: "documents of the collection are those of acqstore, or analyses have no tables",
  read_differently: "the file is read as another kind than its name or header suggests",
} as const;

/** One code of {@linkcode WARNING_CODES}. */
export type WarningCode = keyof typeof WARNING_CODES;

/** One warning. */
export interface Warning {
  readonly code: WarningCode;
  readonly text: string;
}

/** Makes a warning. */
export const warning = (code: WarningCode, text: string): Warning => ({ code, text });

/** `WHAT cannot be read: REASON`. Its code is `file_unreadable` if the system cannot read the file, else `code`. */
export const lossWarning = (error: DecodeFailed | Unreadable, code: WarningCode, what: string): Warning =>
  warning(
    error instanceof Unreadable ? "file_unreadable" : code,
    `${what} cannot be read: ${reasonOf(error)}`,
  );

/** The warning if a condition holds, else no warning. */
export const warnIf = (condition: boolean, code: WarningCode, text: string): Warning[] =>
  condition ? [warning(code, text)] : [];

/** Adds a warning to a list, unless the list has the same warning or {@linkcode MAX_LISTED} warnings of its code. */
export function addWarning(warnings: Warning[], added: Warning): void {
  const alike = warnings.filter(({ code }) => code === added.code);
  if (alike.length < MAX_LISTED && !alike.some(({ text }) => text === added.text)) warnings.push(added);
}

/**
 * The result of `read`; if it fails, `null` and a {@linkcode lossWarning} about `what`, such as `The time stamps`. For names,
 * steps and documents, whose loss does not prevent an open.
 */
export function unlessLost<T>(
  warnings: Warning[],
  what: string,
  read: () => T,
  code: WarningCode = "metadata_damaged",
): T | null {
  try {
    return read();
  } catch (error) {
    if (!isLoss(error)) throw error;
    addWarning(warnings, lossWarning(error, code, what));
    return null;
  }
}

/** Warns about missing files. @param count of all missing files, if `names` holds only the first of them */
export function missingFiles(names: readonly string[], count = names.length): Warning[] {
  const text = `Files of this acquisition are missing: ${listed(names.map((name) => `"${name}"`), count)}`;
  return warnIf(count > 0, "file_missing", text);
}

/** Largest number of items in a message. */
export const MAX_LISTED = 5;

/** `a, b and 3 more`. @param count of all items, if `items` holds only the first of them */
export function listed(items: readonly string[], count = items.length): string {
  const named = items.slice(0, MAX_LISTED);
  const more = count - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
