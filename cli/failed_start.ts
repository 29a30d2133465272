/** Keeps why a start failed before the eyes of who clicked the program: nobody sees what a window said that is closed. */
import type { ProgramCall } from "../session/dialog/commands.ts";
import { startProgram } from "../session/dialog/program.ts";

/** A terminal with an error in it stays open for this time. */
const READING_MS = 60_000;

const MACOS_SCRIPT = [
  "on run argv",
  "activate",
  'display alert "acq-server did not start" message (item 1 of argv) as critical',
  "end run",
];

/**
 * Programs that show a message in a window of their own, in the order in which they are tried. Windows needs none: it
 * gives a clicked program a terminal.
 *
 * @param system `Deno.build.os`
 */
export function messageWindows(system: string, message: string): ProgramCall[] {
  if (system === "windows") return [];
  if (system === "darwin") {
    const script = MACOS_SCRIPT.flatMap((line) => ["-e", line]);
    return [{ program: "osascript", args: [...script, message], env: {} }];
  }
  return [
    {
      program: "zenity",
      args: ["--error", "--no-markup", "--title=acq-server", `--text=${message}`],
      env: {},
    },
    // kdialog takes an argument that begins with a dash for an option; no message does.
    { program: "kdialog", args: ["--title", "acq-server", "--error", message], env: {} },
  ];
}

/**
 * Waits in the terminal of the program until Enter is pressed or a minute has passed; without a terminal it shows a
 * window, which outlives the program.
 */
export async function keepFailure(message: string): Promise<void> {
  if (Deno.stdin.isTerminal()) {
    console.error("\nPress Enter to close this window.");
    const minute = new Promise((resolve) => setTimeout(resolve, READING_MS));
    await Promise.race([Deno.stdin.read(new Uint8Array(1)), minute]);
    return;
  }
  for (const call of messageWindows(Deno.build.os, message)) {
    try {
      if (startProgram(call, { stdin: "null", stdout: "null", stderr: "null" }) !== null) return;
    } catch {
      // The message stands on standard error, too.
    }
  }
}
