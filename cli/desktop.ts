/** Shows a user without a terminal a page of this server in the default browser, or why a start failed. */
import type { ProgramCall } from "../session/dialog/commands.ts";
import { startProgram } from "../session/dialog/program.ts";

/** Milliseconds after which a program that still runs counts as an open browser. */
const PATIENCE = 10_000;

/** Time for which the terminal of a failed start stays open. */
const READING_MS = 60_000;

/** Uses only cmdlets, which Constrained Language Mode allows. In session 0 (services and SSH) nobody sees a window. */
const WINDOWS_SCRIPT = "$ErrorActionPreference = 'Stop'; " +
  "if ((Get-Process -Id $PID).SessionId -eq 0) { throw 'this session has no desktop' }; " +
  "Start-Process -FilePath $env:ACQ_SERVER_PAGE";

/** An AppleScript whose `item 1 of argv` is a text. */
function makeAppleScript(lines: readonly string[], text: string): ProgramCall {
  const script = ["on run argv", ...lines, "end run"].flatMap((line) => ["-e", line]);
  return { program: "osascript", args: [...script, text], env: {} };
}

/**
 * The program that opens an address in the default browser. The address is an argument or a variable, never part of a script.
 *
 * @param system `Deno.build.os`; all systems except macOS and Windows use the program of Linux
 */
export function chooseBrowserCommand(system: string, address: string): ProgramCall {
  if (system === "darwin") {
    // Reads the variable with `system attribute`, since this process has no permission to read it.
    return makeAppleScript([
      'if (system attribute "SSH_CONNECTION") is not "" then error "this session has no desktop"',
      "open location (item 1 of argv)",
    ], address);
  }
  if (system === "windows") {
    const args = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", WINDOWS_SCRIPT];
    return { program: "powershell.exe", args, env: { ACQ_SERVER_PAGE: address } };
  }
  return { program: "xdg-open", args: [address], env: {} };
}

/**
 * Whether the user probably sits at this machine. On Linux, a `DISPLAY` forwarded by SSH contains a host. On macOS and Windows
 * only the browser program can find out.
 */
export function hasOwnScreen(
  system: string,
  display: string | undefined,
  wayland: string | undefined,
): boolean {
  if (system === "darwin" || system === "windows") return true;
  return Boolean(wayland) || /^(unix)?:/.test(display ?? "");
}

const SILENT = { stdin: "null", stdout: "null", stderr: "null" } as const;

/** Opens a page in the default browser, which outlives this process. @returns why no browser opened, or `null` */
export async function openInBrowser(address: string): Promise<string | null> {
  const call = chooseBrowserCommand(Deno.build.os, address);
  let child: Deno.ChildProcess | null;
  try {
    // Detached, or Ctrl+C in this terminal would end a browser that xdg-open runs in the foreground. A pipe to this process would
    // break when the process ends.
    child = startProgram(call, { ...SILENT, detached: call.program === "xdg-open" });
  } catch (cause) {
    return `"${call.program}" cannot be started (${cause instanceof Error ? cause.message : cause})`;
  }
  if (child === null) return `there is no "${call.program}" in a folder of PATH`;
  child.unref();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<null>((resolve) => timer = setTimeout(resolve, PATIENCE, null));
  const status = await Promise.race([child.status, patience]);
  clearTimeout(timer);
  return status === null || status.success
    ? null
    : `"${call.program}" failed with exit status ${status.code}`;
}

/** Programs that show a message in a window, in the order to try them. None on Windows, where a click opens a terminal. */
export function listMessageWindows(system: string, message: string): ProgramCall[] {
  if (system === "windows") return [];
  if (system === "darwin") {
    const alert = 'display alert "acq-server did not start" message (item 1 of argv) as critical';
    return [makeAppleScript(["activate", alert], message)];
  }
  const zenity = ["--error", "--no-markup", "--title=acq-server", `--text=${message}`];
  return [
    { program: "zenity", args: zenity, env: {} },
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
  for (const call of listMessageWindows(Deno.build.os, message)) {
    try {
      if (startProgram(call, SILENT) !== null) return;
    } catch {
      // The message is on standard error, too.
    }
  }
}
