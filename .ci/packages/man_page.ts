/** The man page, made from the text of `--help`. */
import { parseCommandLine } from "../../cli/command_line.ts";
import { SUMMARY, VERSION } from "./release.ts";

/** Lines of roff, which readers of man pages want below 80 bytes. A backslash, and a dot or quote that begins a line, have a meaning. */
function roff(text: string): string {
  const lines = text.replace(/(.{1,60})(?: +|$)/g, "$1\n").trimEnd();
  return lines.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^([.'])/gm, "\\&$1");
}

/** Paragraphs with what is explained in bold, of lines with columns that two blanks or more divide. */
function explained(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [what = "", use = ""] = line.trim().split(/ {2,}/);
    return [".TP", `.B ${roff(what)}`, roff(use)];
  });
}

/** `acq-server.1`; @param time seconds since 1970 */
export function manPage(time: number): string {
  const command = parseCommandLine(["--help"]);
  if (command.kind !== "help") throw new Error("--help gives no help");
  const [about = "", usage = "", ...sections] = command.text.split("\n\n");
  const rows = (heading: string) =>
    sections.find((section) => section.startsWith(`${heading}:`))?.split("\n").slice(1) ?? [];
  const day = new Date(time * 1000).toISOString().slice(0, 10);
  return [
    `.TH ACQ\\-SERVER 1 ${day} "acq\\-server ${VERSION}"`,
    ".SH NAME",
    roff(`acq-server - ${SUMMARY[0]!.toLowerCase() + SUMMARY.slice(1)}`),
    ".SH SYNOPSIS",
    roff(usage.replace("Usage:", "").split("\n").map((line) => line.trim()).join(" | ")),
    ".SH DESCRIPTION",
    roff(`${about}.`),
    ".SH COMMANDS",
    ...explained([...rows("Arguments"), ...rows("Commands")]),
    ".SH OPTIONS",
    ...explained(rows("Options")),
    "",
  ].join("\n");
}
