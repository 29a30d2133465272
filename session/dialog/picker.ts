/** The native file dialog of this machine. Only one is open at a time, and it closes when its request ends. */
import { posix, win32 } from "node:path";
import { ClientGone, DialogBusy, type DialogUnavailable, ShuttingDown } from "../errors.ts";
import {
  dialogAnswer,
  type DialogCommand,
  dialogCommands,
  failed,
  type ProgramResult,
  unavailable,
} from "./commands.ts";
import { runProgram } from "./program.ts";

/** A request for a dialog. */
export interface PickRequest {
  readonly title: string;
  readonly extensions: readonly string[];
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

/** Shows native file dialogs, one at a time, and remembers the folder of the last choice. */
export class Picker {
  readonly #options: Required<PickerOptions>;
  readonly #closing = new AbortController();
  #open: { readonly answer: Promise<string | null>; readonly signal: AbortSignal } | null = null;
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
    return dialogCommands(this.#options.system, question).some(({ program }) =>
      this.#options.isInstalled(program)
    );
  }

  /**
   * Shows the dialog and waits for the user.
   *
   * @returns the chosen path, which need not exist or match the filter, or `null` if the user cancelled
   * @throws {DialogUnavailable} no program, no display, or the program failed
   * @throws {DialogBusy | ClientGone | ShuttingDown}
   */
  async pick(request: PickRequest): Promise<string | null> {
    // A reloaded page may ask again before the program of its last request has ended.
    while (this.#open?.signal.aborted) await this.#open.answer.catch(() => {});
    if (this.#closing.signal.aborted) throw new ShuttingDown();
    if (this.#open !== null) {
      throw new DialogBusy("A dialog is already open on this machine; answer it or close it first");
    }
    if (request.signal.aborted) throw new ClientGone("The client went away before the dialog opened");
    request.admit?.();
    this.#open = { answer: this.#show(request), signal: request.signal };
    try {
      const path = await this.#open.answer;
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

  async #show(request: PickRequest): Promise<string | null> {
    if (this.#lacksDisplay) {
      throw unavailable("neither DISPLAY nor WAYLAND_DISPLAY names a display");
    }
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    const commands = dialogCommands(this.#options.system, {
      title: request.title,
      extensions: request.extensions,
      folder: this.#folder,
    });
    let failure: DialogUnavailable | null = null;
    for (const command of commands) {
      const result = await this.#options.run(command, signal);
      if (this.#closing.signal.aborted) throw new ShuttingDown();
      if (request.signal.aborted) throw new ClientGone("The client went away while the dialog was open");
      if (result === null) continue;
      // A shell or a loader ends so if a program cannot run, for example without its libraries.
      const neverStarted = result.code === 126 || result.code === 127;
      if (!neverStarted) return dialogAnswer(this.#options.system, command.program, result);
      failure = failed(command.program, result);
    }
    if (failure !== null) throw failure;
    const names = commands.map((command) => `"${command.program}"`);
    throw unavailable(
      `${
        names.length > 1 ? `neither ${names.join(" nor ")}` : `no ${names}`
      } was in PATH when the server started; ` +
        "install it and restart the server",
    );
  }
}
