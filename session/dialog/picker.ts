/** The native file dialog of the machine that runs the server: one at a time, ended with its request. */
import { posix, win32 } from "node:path";
import { ClientGone, DialogBusy, type DialogUnavailable, ShuttingDown } from "../errors.ts";
import {
  dialogAnswer,
  type DialogCommand,
  dialogCommands,
  failed,
  neverStarted,
  type ProgramResult,
  unavailable,
} from "./commands.ts";
import { runProgram } from "./program.ts";

/** One dialog. */
export interface PickRequest {
  /** Names the asking page. */
  readonly title: string;
  /** Lower case, leading dot; shapes the filter only. */
  readonly extensions: readonly string[];
  /** Aborted when the client has gone: the dialog is ended. */
  readonly signal: AbortSignal;
  /** Called just before the dialog opens; what it throws keeps it closed. */
  readonly admit?: () => void;
}

/** What a {@linkcode Picker} takes from its surroundings; tests replace it. */
export interface PickerOptions {
  /** `Deno.build.os` */
  readonly system?: string;
  /** Whether a display can be reached; asked on Linux only, before each dialog. */
  readonly hasDisplay?: () => boolean;
  /** Whether a program may be run; a listed one that was not installed when the server started may not. */
  readonly isInstalled?: (program: DialogCommand["program"]) => boolean;
  /** Runs a program to its end, or ends it on abort; `null` when it is not installed. */
  readonly run?: (command: DialogCommand, signal: AbortSignal) => Promise<ProgramResult | null>;
}

/** Shows native file dialogs, one at a time, and remembers the folder of the last choice. */
export class Picker {
  readonly #system: string;
  readonly #hasDisplay: () => boolean;
  readonly #isInstalled: NonNullable<PickerOptions["isInstalled"]>;
  readonly #run: NonNullable<PickerOptions["run"]>;
  readonly #closing = new AbortController();
  #open: { readonly answer: Promise<string | null>; readonly signal: AbortSignal } | null = null;
  #folder: string | null = null;

  /** Takes what tests replace. */
  constructor(options: PickerOptions = {}) {
    this.#system = options.system ?? Deno.build.os;
    this.#hasDisplay = options.hasDisplay ??
      (() => Boolean(Deno.env.get("DISPLAY") || Deno.env.get("WAYLAND_DISPLAY")));
    this.#isInstalled = options.isInstalled ??
      ((command) => Deno.permissions.querySync({ name: "run", command }).state === "granted");
    this.#run = options.run ?? runProgram;
  }

  /** Whether there is a display and a dialog program; a program may still fail. */
  isAvailable(): boolean {
    if (this.#needsDisplay && !this.#hasDisplay()) return false;
    const question = { title: "", extensions: [], folder: null };
    return dialogCommands(this.#system, question).some(({ program }) => this.#isInstalled(program));
  }

  /**
   * Shows the dialog and waits for the user.
   *
   * @returns the absolute path chosen (for a marker file inside a store that store), or `null` when the user
   *   cancelled. The path may lead nowhere and need not match the filter.
   * @throws {DialogUnavailable} no program, no display, or the program failed
   * @throws {DialogBusy} a dialog is already open
   * @throws {ClientGone} `request.signal` was aborted
   * @throws {ShuttingDown} {@linkcode close} was called
   */
  async pick(request: PickRequest): Promise<string | null> {
    // A page that is loaded again asks while the program of its last request still ends.
    while (this.#open?.signal.aborted) await this.#open.answer.catch(() => {});
    if (this.#closing.signal.aborted) throw new ShuttingDown("The server is stopping");
    if (this.#open !== null) {
      throw new DialogBusy("A dialog is already open on this machine; answer it or close it first");
    }
    if (request.signal.aborted) throw new ClientGone("The client went away before the dialog opened");
    request.admit?.();
    this.#open = { answer: this.#show(request), signal: request.signal };
    try {
      const path = await this.#open.answer;
      if (path !== null) this.#folder = (this.#system === "windows" ? win32 : posix).dirname(path);
      return path;
    } finally {
      this.#open = null;
    }
  }

  /** Ends an open dialog and waits for its program; afterwards no dialog opens. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#open?.answer.catch(() => {});
  }

  get #needsDisplay(): boolean {
    return this.#system !== "darwin" && this.#system !== "windows";
  }

  async #show(request: PickRequest): Promise<string | null> {
    if (this.#needsDisplay && !this.#hasDisplay()) {
      throw unavailable("neither DISPLAY nor WAYLAND_DISPLAY names a display");
    }
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    const commands = dialogCommands(this.#system, {
      title: request.title,
      extensions: request.extensions,
      folder: this.#folder,
    });
    let failure: DialogUnavailable | null = null;
    for (const command of commands) {
      const result = await this.#run(command, signal);
      if (this.#closing.signal.aborted) throw new ShuttingDown("The server is stopping");
      if (request.signal.aborted) throw new ClientGone("The client went away while the dialog was open");
      if (result === null) continue;
      if (!neverStarted(result)) return dialogAnswer(this.#system, command.program, result);
      failure = failed(command.program, result);
    }
    if (failure !== null) throw failure;
    const names = commands.map((command) => `"${command.program}"`);
    throw unavailable(
      `${names.length > 1 ? `neither ${names.join(" nor ")}` : `no ${names}`} was in a folder of PATH ` +
        "(one with an absolute name) when the server started; install it and start the server again",
    );
  }
}
