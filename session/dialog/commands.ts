/**
 * Command lines of the native dialogs and the meaning of their answers. Titles, folders and extensions are arguments or
 * variables, never parts of a script: zenity and kdialog take globs; osascript and powershell.exe take a constant script
 * (`macos.js`, `windows.ps1`) and the question as JSON.
 */
import { posix, win32 } from "node:path";
import { PathNotFound } from "../../readers/errors.ts";
import {
  listMarkerNames,
  STORE_EXTENSIONS,
  STORE_MARKERS,
  SUPPORTED_EXTENSIONS,
} from "../../readers/formats.ts";
import { PATH_NOT_UTF8 } from "../../readers/io/paths.ts";
import { DialogUnavailable } from "../errors.ts";
import MACOS_SCRIPT from "./macos.js" with { type: "text" };
import WINDOWS_SCRIPT from "./windows.ps1" with { type: "text" };

/** What a dialog asks for. */
export interface DialogQuestion {
  readonly title: string;
  /** Extensions in lower case with a dot; unsupported ones are left out of the filter. */
  readonly extensions: readonly string[];
  readonly folder: string | null;
}

/** One program to start, without a shell. */
export interface ProgramCall {
  /** Listed in the permissions. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variables added to the environment of the server. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that shows a dialog. */
export interface DialogCommand extends ProgramCall {
  readonly program: "zenity" | "kdialog" | "osascript" | "powershell.exe";
}

/** How a program ended. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

const FILTER_NAME = "Acquisitions";
const ALL_NAME = "All files";

/**
 * The programs that can show the dialog, in the order to try them.
 *
 * @param system `Deno.build.os`; all systems except macOS and Windows use the programs of Linux
 */
export function listDialogCommands(system: string, question: DialogQuestion): DialogCommand[] {
  const { folder } = question;
  const title = removeControls(question.title) || "Open an acquisition";
  const known = question.extensions.filter((extension) => SUPPORTED_EXTENSIONS.includes(extension));
  const stores = known.some((extension) => STORE_EXTENSIONS.includes(extension));
  const folders = stores && known.every((extension) => STORE_EXTENSIONS.includes(extension));
  // In a file dialog the user selects a store by a file in it; on macOS also by the store itself.
  const endings = known.filter((extension) => !STORE_EXTENSIONS.includes(extension));
  const names = listMarkerNames(known);
  const globs = [...endings.map((ending) => `*${ending}`), ...names];
  if (system === "darwin") {
    const storeNames = { names, stores: stores ? STORE_EXTENSIONS : [] };
    const filter = { endings, ...storeNames, filterName: FILTER_NAME, allName: ALL_NAME };
    const asked = encodeAsciiJson({ title, folder, folders, ...(!folders && filter) });
    return [{ program: "osascript", args: ["-l", "JavaScript", "-e", MACOS_SCRIPT, asked], env: {} }];
  }
  if (system === "windows") {
    const own = globs.length === 0 ? "" : `${FILTER_NAME}|${globs.join(";")}|`;
    const asked = { title, folder, folders, ...(!folders && { filter: `${own}${ALL_NAME}|*.*` }) };
    return [{
      program: "powershell.exe",
      args: ["-NoLogo", "-NoProfile", "-NonInteractive", "-STA", "-Command", WINDOWS_SCRIPT],
      env: { ACQ_SERVER_DIALOG: encodeAsciiJson(asked) },
    }];
  }
  const asked = { title, folder, folders, globs };
  return [askZenity(asked), askKdialog(asked)];
}

/** A question to a program of Linux. Neither zenity nor kdialog can put its window on top of all others. */
interface LinuxQuestion {
  readonly title: string;
  readonly folder: string | null;
  readonly folders: boolean;
  readonly globs: readonly string[];
}

function askZenity({ title, folder, folders, globs }: LinuxQuestion): DialogCommand {
  const args = ["--file-selection", `--title=${title}`];
  // With the slash, zenity starts in the folder; without, it looks for a file of that name.
  if (folder !== null) args.push(`--filename=${folder.replace(/\/*$/, "/")}`);
  if (folders) args.push("--directory");
  else {
    if (globs.length > 0) args.push(`--file-filter=${FILTER_NAME} | ${globs.map(matchAnyCase).join(" ")}`);
    args.push(`--file-filter=${ALL_NAME} | *`);
  }
  // By default GLib uses the character set of the locale, which is ASCII for LANG=C.
  return { program: "zenity", args, env: { CHARSET: "UTF-8" } };
}

function askKdialog({ title, folder, folders, globs }: LinuxQuestion): DialogCommand {
  const args = ["--title", title, folders ? "--getexistingdirectory" : "--getopenfilename", folder ?? "."];
  if (!folders) {
    const filters = globs.length > 0 ? [`${FILTER_NAME} (${globs.join(" ")})`] : [];
    args.push([...filters, `${ALL_NAME} (*)`].join("|"));
  }
  return { program: "kdialog", args, env: {} };
}

/** `.tif` as `.[tT][iI][fF]`, since globs of GTK are case-sensitive. */
function matchAnyCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Removes characters that control a terminal or the direction of text. */
const removeControls = (text: string) => text.replace(/[\p{C}\s]+/gu, " ").trim();

/** JSON in ASCII, which survives every locale. */
function encodeAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * The absolute path that the user chose, or `null` if the dialog was cancelled. A marker file stands for its directory store.
 *
 * @throws {DialogUnavailable} the program failed or gave an unknown answer
 * @throws {PathNotFound} the path is not UTF-8
 */
export function readDialogAnswer(
  system: string,
  program: DialogCommand["program"],
  result: ProgramResult,
): string | null {
  const json = program === "osascript" || program === "powershell.exe";
  const path = json ? readJsonAnswer(program, result) : readPlainAnswer(program, result);
  if (path === null) return null;
  const { isAbsolute, basename, dirname } = system === "windows" ? win32 : posix;
  if (!isAbsolute(path)) {
    throw explainUnavailable(`"${program}" answered "${cutExcerpt(path)}", not an absolute path`);
  }
  if (path.includes("\0")) {
    throw explainUnavailable(`"${program}" answered a path with a zero in it: "${cutExcerpt(path)}"`);
  }
  return STORE_MARKERS.includes(basename(path)) ? dirname(path) : path;
}

/** zenity and kdialog exit with 0 and print the path with a line feed, or exit with 1 for cancel. */
function readPlainAnswer(program: string, result: ProgramResult): string | null {
  const stderr = decodeLeniently(result.stderr);
  // zenity also exits with 1 if it cannot open the display.
  if (/(cannot|failed to) open display|unable to init server|could not connect to display/i.test(stderr)) {
    throw explainUnavailable(`"${program}" cannot open the display`);
  }
  if (result.code === 1) return null;
  if (result.code !== 0) throw failedDialog(program, result);
  return decodeStrictly(result.stdout).replace(/\n$/, "");
}

function readJsonAnswer(program: string, result: ProgramResult): string | null {
  if (result.code !== 0) throw failedDialog(program, result);
  const text = decodeStrictly(result.stdout);
  try {
    const { path }: { path: unknown } = JSON.parse(text);
    if (path === null || typeof path === "string") return path;
  } catch {
    // The error below covers this case, too.
  }
  throw explainUnavailable(`"${program}" answered "${cutExcerpt(text)}"`);
}

function decodeStrictly(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new PathNotFound(`Cannot open the chosen file: ${PATH_NOT_UTF8}`, { cause });
  }
}

const decodeLeniently = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The error of a program that ended without an answer. */
export function failedDialog(program: string, result: ProgramResult): DialogUnavailable {
  const words = cutExcerpt(decodeLeniently(result.stderr));
  return explainUnavailable(`"${program}" failed with exit status ${result.code}${words && `: ${words}`}`);
}

const cutExcerpt = (text: string) => removeControls(text).slice(0, 300);

/** The error for a reason, which also names the way to open a file without a dialog. */
export function explainUnavailable(reason: string, cause?: unknown): DialogUnavailable {
  return new DialogUnavailable(
    `No dialog can be shown: ${reason}; POST /api/v2/open opens a path without one (docs/install.md#the-file-dialog)`,
    { cause },
  );
}
