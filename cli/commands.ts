/** The commands beside serving, each loaded when it runs. main.ts loads this file for them alone. */
import { UsageError } from "./arguments.ts";
import { printable } from "./log.ts";
import { EXIT, failureOf, OutputFailed, ReaderGone } from "./shell.ts";

/** Runs with the arguments after its name. @returns exit status */
export type Command = (args: readonly string[]) => Promise<number>;

const print = (line: string) => console.log(printable(line));
const printError = (line: string) => console.error(printable(line));

/** All commands by name. */
export const COMMANDS = {
  validate: async (args) => (await import("./validate.ts")).validateCommand(args, print, printError),
  schema: async (args) => (await import("./validate.ts")).schemaCommand(args, print, printError),
  info: written(async (args) => (await import("./info.ts")).infoCommand(args)),
  export: written(async (args) => (await import("./export.ts")).exportCommand(args)),
  measure: written(async (args) => (await import("./measure.ts")).measureCommand(args)),
  plane: written(async (args) => (await import("./plane.ts")).planeCommand(args)),
} as const satisfies Record<string, Command>;

/** A command that writes to standard output; its failure is one line on standard error, the code first. */
function written(command: Command): Command {
  return async (args) => {
    try {
      return await command(args);
    } catch (error) {
      if (error instanceof ReaderGone) return EXIT.ok;
      printError(error instanceof OutputFailed ? error.message : failureLine(error));
      return error instanceof UsageError ? EXIT.usage : EXIT.failed;
    }
  };
}

function failureLine(error: unknown): string {
  const { error: code, message } = failureOf(error);
  return `${code}: ${message}`;
}
