/** What a user should know although an acquisition opens: a code for programs, a sentence for people. */

/** Every code, with what it stands for. They are stable; `docs/build-a-client.md` lists them. */
export const WARNING_CODES = {
  file_missing: "a companion, sibling or continuation file is not there",
  file_unreadable: "a file beside the acquisition is there and cannot be read",
  file_damaged: "the file is cut or damaged; what could be found of it is served",
  channel_missing: "a channel has no plane and is not loaded",
  planes_missing: "fewer planes are stored than the file declares",
  lines_missing: "a plane is served with the lines that every requested channel has",
  area_uncovered: "no tile covers a part of a plane, which is 0 there",
  scenes_left_out: "scenes hold no samples or exceed a limit",
  content_left_out: "planes, pages or files are there that belong to no part of what is served",
  opened_elsewhere: "the session opens at another position than index 0",
  reference_unreadable: "the reference image exists and cannot be served",
  metadata_damaged: "metadata cannot be read and are left out",
  metadata_missing: "the file lacks metadata that its kind has",
  metadata_disagree: "two sources in the file contradict each other; the message says which one counts",
  step_unknown: "an axis has no physical step",
  step_uneven: "the steps along an axis differ",
  axes_assumed: "the file does not say which axes its planes belong to",
  axis_reduced: "an axis that is not served is read at its first index",
  axis_replaced: "rows or columns stand for another axis than usual",
  line_scan_gap: "time passes between two kymographs of a line scan",
  regions_stacked: "a plane holds several scanned regions, one below the other",
  reduced_level: "the file is a reduced level of a pyramid",
  samples_doubtful: "the samples are stored in an unusual or undefined way",
  name_left_folder: "a document names a file outside its folder, which was looked up beside it",
  read_differently: "the file is read as something else than its name or header says",
} as const;

/** One code of {@linkcode WARNING_CODES}. */
export type WarningCode = keyof typeof WARNING_CODES;

/** One warning. */
export interface Warning {
  /** Stable identifier. */
  readonly code: WarningCode;
  /** One sentence without a full stop. */
  readonly text: string;
}

/** Makes a warning. */
export const warning = (code: WarningCode, text: string): Warning => ({ code, text });
