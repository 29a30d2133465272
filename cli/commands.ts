/** The commands other than serving, each loaded when it runs. main.ts loads this file only for a command. */
import { HELP, helpText, readGiven, UsageError, type WritingCommand } from "./arguments.ts";
import { printable } from "./log.ts";
import { EXIT, failureOf, OutputFailed, ReaderGone, writeLine } from "./shell.ts";

/** Runs a command with the arguments after its name. @returns exit status */
export type Command = (args: readonly string[]) => Promise<number>;

/** All commands by name. */
export const COMMANDS = {
  validate: async (args) => await run("validate", (await import("./validate.ts")).VALIDATE, args),
  schema: async (args) => await run("schema", (await import("./validate.ts")).SCHEMA, args),
  info: async (args) => await run("info", (await import("./info.ts")).INFO, args),
  export: async (args) => await run("export", (await import("./export.ts")).EXPORT, args),
  measure: async (args) => await run("measure", (await import("./measure.ts")).MEASURE, args),
  plane: async (args) => await run("plane", (await import("./plane.ts")).PLANE, args),
} as const satisfies Record<string, Command>;

/** Runs a command; a failure is printed as one line on standard error, its code first. */
async function run(name: string, command: WritingCommand, args: readonly string[]): Promise<number> {
  try {
    const given = readGiven(`acq-server ${name}`, command.flags, args);
    if (given.flags.has(HELP.name)) {
      await writeLine(helpText(command));
      return EXIT.ok;
    }
    if (given.operands.length === 0) {
      throw new UsageError(command.missing ?? `Missing path: ${command.usage[0]}`);
    }
    return await command.run(given);
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.ok;
    const isUsage = error instanceof UsageError;
    if (error instanceof OutputFailed || isUsage && command.missing !== undefined) {
      console.error(printable(error.message));
    } else {
      const { error: code, message } = failureOf(error);
      console.error(printable(`${code}: ${message}`));
    }
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}
