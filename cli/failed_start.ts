/** Shows why a start failed to a user who clicked the program, since its terminal closes at once. */
import type { ProgramCall } from "../session/dialog/commands.ts";
import { startProgram } from "../session/dialog/program.ts";

/** Time for which the terminal stays open. */
const READING_MS = 60_000;

const MACOS_SCRIPT = [
  "on run argv",
  "activate",
  'display alert "acq-server did not start" message (item 1 of argv) as critical',
  "end run",
];

/**
 * Programs that show a message in a window, in the order to try them. None on Windows, which gives a clicked program a terminal.
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
    // No message begins with a dash, which kdialog would take for an option.
    { program: "kdialog", args: ["--title", "acq-server", "--error", message], env: {} },
  ];
}

/** Waits in the terminal for Enter, at most for a minute; without a terminal, shows a window. */
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
      // The message is on standard error, too.
    }
  }
}
