/** The native file dialog of this machine. Only one is open at a time; it closes when its client leaves or asks again. */
import { posix, win32 } from "node:path";
import { ClientGone, DialogBusy, type DialogUnavailable, ShuttingDown } from "../errors.ts";
import {
  type DialogCommand,
  explainUnavailable,
  failedDialog,
  listDialogCommands,
  type ProgramResult,
  readDialogAnswer,
} from "./commands.ts";
import { runProgram } from "./program.ts";

/** A request for a dialog. */
export interface PickRequest {
  readonly title: string;
  readonly extensions: readonly string[];
  /** Origin of the page that asks; `null` for a script. */
  readonly asker: string | null;
  readonly signal: AbortSignal;
  /** Called before the dialog opens, and may throw. */
  readonly admit?: () => void;
}

/** The environment of a {@linkcode Picker}, which tests replace. */
export interface PickerOptions {
  /** `Deno.build.os` */
  readonly system?: string;
  readonly hasDisplay?: () => boolean;
  /** Whether a program may be run; it must have been installed when the server started. */
  readonly isInstalled?: (program: DialogCommand["program"]) => boolean;
  /** Runs a program until it ends or is aborted; `null` if it is not installed. */
  readonly run?: (command: DialogCommand, signal: AbortSignal) => Promise<ProgramResult | null>;
}

/** The dialog that is open. */
interface OpenDialog {
  readonly asker: string | null;
  readonly answer: Promise<string | null>;
  readonly signal: AbortSignal;
  /** Closes the dialog in favour of another one of the same asker. */
  readonly replaced: AbortController;
}

/** Shows native file dialogs, one at a time, and remembers the folder of the last choice. */
export class Picker {
  readonly #options: Required<PickerOptions>;
  readonly #closing = new AbortController();
  #open: OpenDialog | null = null;
  #folder: string | null = null;

  constructor(options: PickerOptions = {}) {
    this.#options = {
      system: Deno.build.os,
      hasDisplay: () => Boolean(Deno.env.get("DISPLAY") || Deno.env.get("WAYLAND_DISPLAY")),
      isInstalled: (command) => Deno.permissions.querySync({ name: "run", command }).state === "granted",
      run: runProgram,
      ...options,
    };
  }

  /** Whether there is a display and a dialog program; a program may still fail. */
  isAvailable(): boolean {
    if (this.#lacksDisplay) return false;
    const question = { title: "", extensions: [], folder: null };
    return listDialogCommands(this.#options.system, question).some(({ program }) =>
      this.#options.isInstalled(program)
    );
  }

  /**
   * Shows the dialog and waits for the user. Replaces a dialog of the same asker, so that a script that was stopped does not block
   * the next one.
   *
   * @returns the chosen path, which need not exist or match the filter, or `null` if the user cancelled or the asker asked again
   * @throws {DialogUnavailable} no program, no display, or the program failed
   * @throws {DialogBusy | ClientGone | ShuttingDown}
   */
  async pick(request: PickRequest): Promise<string | null> {
    const { asker, signal, admit } = request;
    while (true) {
      if (this.#closing.signal.aborted) throw new ShuttingDown();
      if (signal.aborted) throw new ClientGone("The client went away before the dialog opened");
      const open = this.#open;
      // A reloaded page may ask again before the program of its last request has ended.
      if (open !== null && open.asker !== asker && !open.signal.aborted) {
        throw new DialogBusy("A dialog is already open on this machine; answer it or close it first");
      }
      admit?.();
      if (open === null) break;
      open.replaced.abort();
      await open.answer.catch(() => {});
    }
    const replaced = new AbortController();
    const answer = this.#show(request, replaced.signal);
    this.#open = { asker, answer, signal, replaced };
    try {
      const path = await answer;
      if (path !== null) this.#folder = (this.#options.system === "windows" ? win32 : posix).dirname(path);
      return path;
    } finally {
      this.#open = null;
    }
  }

  /** Ends the dialog, waits for its program, and refuses further dialogs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#open?.answer.catch(() => {});
  }

  get #lacksDisplay(): boolean {
    const { system, hasDisplay } = this.#options;
    return system !== "darwin" && system !== "windows" && !hasDisplay();
  }

  async #show(request: PickRequest, replaced: AbortSignal): Promise<string | null> {
    if (this.#lacksDisplay) {
      throw explainUnavailable("neither DISPLAY nor WAYLAND_DISPLAY names a display");
    }
    const signal = AbortSignal.any([request.signal, this.#closing.signal, replaced]);
    const commands = listDialogCommands(this.#options.system, {
      title: request.title,
      extensions: request.extensions,
      folder: this.#folder,
    });
    let failure: DialogUnavailable | null = null;
    for (const command of commands) {
      const result = await this.#options.run(command, signal);
      if (this.#closing.signal.aborted) throw new ShuttingDown();
      if (request.signal.aborted) throw new ClientGone("The client went away while the dialog was open");
      if (replaced.aborted) return null;
      if (result === null) continue;
      // A shell or a loader ends so if a program cannot run, for example without its libraries.
      const neverStarted = result.code === 126 || result.code === 127;
      if (!neverStarted) return readDialogAnswer(this.#options.system, command.program, result);
      failure = failedDialog(command.program, result);
    }
    if (failure !== null) throw failure;
    const names = commands.map((command) => `"${command.program}"`);
    throw explainUnavailable(
      `${
        names.length > 1 ? `neither ${names.join(" nor ")}` : `no ${names}`
      } was in PATH when the server started; ` +
        "install it and restart the server",
    );
  }
}
