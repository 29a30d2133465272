/**
 * Failures in words for users. The page shows code and message of the server under "Details".
 *
 * Tested in `tests/page/fault_test.ts`.
 */

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
  server_gone: "The server does not answer. Start acq-server again, then try again.",
  shutting_down: "The server is being stopped. Start it again, then try again.",
  bad_answer: "What answered is not acq-server, or another version of it.",
  path_not_found: "There is no file at this path, or the server may not read it.",
  path_not_allowed: "The server was told not to open files from there.",
  origin_not_allowed: "The server does not let this page open files by their path. Use its file dialog.",
  unsupported_format: "This is no kind of file that the server can read.",
  decode_failed:
    "The file cannot be read: it is damaged, incomplete, or made in a way that is not known here.",
  load_timeout: "Opening took too long and was stopped.",
  invalid_channel_indices: "The channels of this file differ in size, so they do not fit into one picture.",
  scene_out_of_range: "The file has no such scene.",
  channel_out_of_range: "The file has no such channel.",
  position_out_of_range: "The file does not go that far.",
  plane_not_found: "This picture was never recorded: the acquisition was stopped before.",
  acquisition_changed: "The file was changed while it was read.",
  session_not_found: "The server has let go of this file. Open it again.",
  session_memory_exceeded: "The file needs more memory than the server may use.",
  too_many_opens: "The server is busy with other files. Try again in a moment.",
  dialog_unavailable: "The server's computer cannot show a file dialog. Type the path of the file instead.",
  dialog_busy: "A file dialog is open already on the server's computer. Answer it or close it first.",
  request_validation_failed: "This is no full path of a file, such as /data/scan.oir or C:\\data\\scan.oir.",
  internal_error: "The server made a mistake. Its log has the details.",
  not_found: "The server does not have this.",
};

/**
 * @param {unknown} error
 * @returns {{words: string, code: string, message: string}} `message` as the server or the runtime wrote it
 */
export function faultOf(error) {
  const { code = "client_error", message = String(error) } =
    /** @type {{code?: string, message?: string}} */ (error ?? {});
  return { words: WORDS[code] ?? "Something went wrong in this page.", code, message };
}
