/** Opens a page of this server in the default browser, by a program of the system. */
import type { ProgramCall } from "../session/dialog/commands.ts";
import { startProgram } from "../session/dialog/program.ts";

/** Milliseconds after which a program that still runs counts as an open browser. */
const PATIENCE = 10_000;

/** Reads the variable with `system attribute`, since this process has no permission to read it. */
const MACOS_SCRIPT = [
  "on run argv",
  'if (system attribute "SSH_CONNECTION") is not "" then error "this session has no desktop"',
  "open location (item 1 of argv)",
  "end run",
];

/** Uses only cmdlets, which Constrained Language Mode allows. In session 0 (services and SSH) nobody sees a window. */
const WINDOWS_SCRIPT = "$ErrorActionPreference = 'Stop'; " +
  "if ((Get-Process -Id $PID).SessionId -eq 0) { throw 'this session has no desktop' }; " +
  "Start-Process -FilePath $env:ACQ_SERVER_PAGE";

/**
 * The program that opens an address in the default browser. The address is an argument or a variable, never part of a script.
 *
 * @param system `Deno.build.os`; all systems except macOS and Windows use the program of Linux
 */
export function browserCommand(system: string, address: string): ProgramCall {
  if (system === "darwin") {
    const script = MACOS_SCRIPT.flatMap((line) => ["-e", line]);
    return { program: "osascript", args: [...script, address], env: {} };
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
 *
 * @param system `Deno.build.os`
 * @param display `DISPLAY`
 * @param wayland `WAYLAND_DISPLAY`
 */
export function hasOwnScreen(
  system: string,
  display: string | undefined,
  wayland: string | undefined,
): boolean {
  if (system === "darwin" || system === "windows") return true;
  return Boolean(wayland) || /^(unix)?:/.test(display ?? "");
}

/**
 * Opens a page in the default browser, which outlives this process.
 *
 * @param address of a page of this server
 * @param system `Deno.build.os`
 * @returns `null`, or why no browser opened, as part of a sentence
 */
export async function openInBrowser(address: string, system: string = Deno.build.os): Promise<string | null> {
  const call = browserCommand(system, address);
  let child: Deno.ChildProcess | null;
  try {
    // Detached, or Ctrl+C in this terminal would end a browser that xdg-open runs in the foreground. A pipe to this process would
    // break when the process ends.
    const detached = call.program === "xdg-open";
    child = startProgram(call, { stdin: "null", stdout: "null", stderr: "null", detached });
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
