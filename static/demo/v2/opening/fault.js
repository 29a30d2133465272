/** Failures in plain words. The page shows code and message of the server under "Details". */

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
  server_unreachable: "The server does not answer. Start acq-server again, then try again.",
  shutting_down: "The server is shutting down. Start it again, then try again.",
  no_acq_server: "The answer does not come from acq-server, or comes from another version of it.",
  wrong_size: "A plane came incomplete. Open the file again.",
  path_not_found: "There is no file at this path, or the server may not read it.",
  path_not_allowed: "The server does not open files from this folder.",
  origin_not_allowed: "The server does not let this page open files by their path. Use its file dialog.",
  unsupported_format: "The server does not read this kind of file.",
  decode_failed: "The file cannot be read: it is damaged, incomplete or of an unsupported variant.",
  load_timeout: "Opening took too long and was stopped.",
  invalid_channel_indices: "The channels of this file differ in size and do not fit into one picture.",
  scene_out_of_range: "The file has no such scene.",
  channel_out_of_range: "The file has no such channel.",
  position_out_of_range: "The file has no such time point, focus plane or wavelength.",
  plane_not_found: "This image was never recorded: the acquisition stopped before it.",
  acquisition_changed: "The file changed while it was read.",
  session_not_found: "The server has closed this file. Open it again.",
  export_not_found: "The link to the archive was used already or has expired. Save again.",
  too_many_exports: "Too many archives wait for their download. Try again in a moment.",
  session_memory_exceeded: "The file needs more memory than the server may use.",
  too_many_opens: "The server is busy with other files. Try again in a moment.",
  payload_too_large: "What was measured is too much for one archive. Save its tables one by one.",
  dialog_unavailable: "The server's computer cannot show a file dialog. Type the path of the file instead.",
  dialog_busy: "A file dialog is already open on the server's computer. Close it first.",
  request_validation_failed: "Type the full path of a file, such as /data/scan.oir or C:\\data\\scan.oir.",
  internal_error: "The server failed. Its log has the details.",
  not_found: "The server has nothing at this address.",
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
