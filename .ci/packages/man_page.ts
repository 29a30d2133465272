/** The man page, made from what `--help` says. */
import { parseCommandLine } from "../../command_line.ts";
import { SUMMARY, VERSION } from "./release.ts";

/** Text of roff, in which a backslash and a dot or quote at the start of a line have a meaning. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^([.'])/gm, "\\&$1");
}

/** `acq-server.1`; @param time seconds since 1970 */
export function manPage(time: number): string {
  const command = parseCommandLine(["--help"]);
  if (command.kind !== "help") throw new Error("--help gives no help");
  const day = new Date(time * 1000).toISOString().slice(0, 10);
  return [
    `.TH ACQ\\-SERVER 1 ${day} "acq\\-server ${VERSION}"`,
    ".SH NAME",
    `acq\\-server \\- ${escaped(SUMMARY[0]!.toLowerCase() + SUMMARY.slice(1))}`,
    ".SH DESCRIPTION",
    ".nf",
    escaped(command.text.trimEnd()),
    ".fi",
    "",
  ].join("\n");
}
