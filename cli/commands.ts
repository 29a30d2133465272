/** The commands other than serving, each loaded when it runs. main.ts loads this file only for a command. */
import { formatHelp, HELP, readGiven, UsageError, type WritingCommand } from "./arguments.ts";
import type { COMMANDS } from "./command_line.ts";
import { escapeControls } from "./log.ts";
import { OutputFailed, ReaderGone, writeLine } from "./output.ts";
import { describeFailure, EXIT } from "./shell.ts";

const LOADED: Readonly<Record<keyof typeof COMMANDS, () => Promise<WritingCommand>>> = {
  validate: async () => (await import("./validate.ts")).VALIDATE,
  schema: async () => (await import("./validate.ts")).SCHEMA,
  info: async () => (await import("./info.ts")).INFO,
  export: async () => (await import("./export.ts")).EXPORT,
  measure: async () => (await import("./measure.ts")).MEASURE,
  plane: async () => (await import("./plane.ts")).PLANE,
};

/**
 * Runs a command with the arguments after its name. A failure is printed as one line on standard error, its code first; one about the usage
 * has no code.
 *
 * @returns exit status
 */
export async function run(name: keyof typeof COMMANDS, args: readonly string[]): Promise<number> {
  const command = await LOADED[name]();
  try {
    const given = readGiven(`acq-server ${name}`, command.flags, args);
    if (given.flags.has(HELP.name)) {
      await writeLine(formatHelp(command));
      return EXIT.ok;
    }
    if (given.operands.length === 0) {
      throw new UsageError(command.missing ?? `Missing path: ${command.usage[0]}`);
    }
    return await command.run(given);
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.ok;
    const isUsage = error instanceof UsageError;
    if (error instanceof OutputFailed || isUsage) {
      console.error(escapeControls(error.message));
    } else {
      const { error: code, message } = describeFailure(error);
      console.error(escapeControls(`${code}: ${message}`));
    }
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}
