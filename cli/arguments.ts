/** Arguments of the program and its commands, and their help. */
import { parseArgs } from "node:util";
import { quoted } from "../readers/errors.ts";

/** An invalid command line; the message is one line for the user. */
export class UsageError extends Error {}

/** A flag, as shown in help and messages. */
export interface NamedFlag {
  /** With two dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; absent for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** Prints the help. */
export const HELP: NamedFlag = { name: "--help", short: "h", help: "Print help" };

/** Prints the version. */
export const VERSION: NamedFlag = { name: "--version", short: "V", help: "Print the version" };

/**
 * The arguments of a command in order: a flag with its value (`""` for a switch), or `null` with an operand such as a path.
 * Everything after `--` is an operand. @throws {UsageError}
 */
export function* readArguments(
  command: string,
  flags: readonly NamedFlag[],
  args: readonly string[],
): Generator<readonly [flag: NamedFlag | null, value: string]> {
  const options = Object.fromEntries(flags.map(({ name, short, value }) => [name.slice(2), {
    type: value === undefined ? "boolean" as const : "string" as const,
    ...(short !== undefined && { short }),
  }]));
  // Strict parsing would throw messages of its own.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      yield [null, token.value];
      continue;
    }
    const [written = ""] = args[token.index]?.split("=") ?? [];
    const flag = flags.find(({ name, short }) => name === written || `-${short}` === written);
    if (flag === undefined) throw new UsageError(reportUnknown(command, flags, written));
    const { value, inlineValue } = token;
    if (flag.value === undefined && value !== undefined) throw new UsageError(`${flag.name} takes no value`);
    if (flag.value !== undefined && (!value || (!inlineValue && value.startsWith("--")))) {
      throw new UsageError(`${flag.name} needs a value: ${flag.name} <${flag.value}>`);
    }
    yield [flag, value ?? ""];
  }
}

/** Arguments given to a command: its operands, and the last value of each flag (`""` for a switch). */
export interface Given {
  readonly operands: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Reads all arguments of a command. @throws {UsageError} as {@linkcode readArguments} */
export function readGiven(command: string, flags: readonly NamedFlag[], args: readonly string[]): Given {
  const given = { operands: [] as string[], flags: new Map<string, string>() };
  for (const [flag, value] of readArguments(command, flags, args)) {
    if (flag === null) given.operands.push(value);
    else given.flags.set(flag.name, value);
  }
  return given;
}

/** The name given by a flag. @throws {UsageError} it is not one of `names` */
export function requireOneOf<Name extends string>(flag: string, text: string, names: readonly Name[]): Name {
  const found = names.find((known) => known === text);
  if (found !== undefined) return found;
  throw new UsageError(`${flag} takes ${names.join(", ")}, not ${quoted(text.slice(0, 64))}`);
}

/** Contents of a command's help. */
export interface Help {
  readonly about: string;
  /** Ways to call it, one per line. */
  readonly usage: readonly string[];
  /** Lists before the options, by heading: item and meaning. */
  readonly lists?: Readonly<Record<string, readonly (readonly [what: string, meaning: string])[]>>;
  readonly flags: readonly NamedFlag[];
  readonly notes?: readonly string[];
}

/** A command that writes to standard output. */
export interface WritingCommand extends Help {
  /** Message of a missing operand. */
  readonly missing?: string;
  /** Runs with at least one operand. @returns exit status @throws {UsageError | ReaderError | SessionError | ReaderGone} */
  run(given: Given): Promise<number> | number;
}

/** The help of a command. */
export function formatHelp({ about, usage, lists = {}, flags, notes = [] }: Help): string {
  const options = flags.map(({ name, short, value, help }) => {
    const written = `${short === undefined ? "   " : `-${short},`} ${name}`;
    return [value === undefined ? written : `${written} <${value}>`, help] as const;
  });
  return [
    about,
    usage.map((line, i) => `${i === 0 ? "Usage:" : "      "} ${line}`).join("\n"),
    ...Object.entries({ ...lists, Options: options }).map(([heading, rows]) => {
      const width = Math.max(...rows.map(([what]) => what.length));
      return [`${heading}:`, ...rows.map(([what, meaning]) => `  ${what.padEnd(width)}  ${meaning}`)].join(
        "\n",
      );
    }),
    ...notes.length > 0 ? [notes.join("\n")] : [],
  ].join("\n\n");
}

function reportUnknown(command: string, flags: readonly NamedFlag[], name: string): string {
  const names = flags.map((flag) => flag.name);
  const shown = name.slice(0, 64).toLowerCase();
  const distance = (known: string) => countEdits(shown, known) / Math.max(shown.length, known.length);
  const nearest = names.reduce((best, known) => distance(known) < distance(best) ? known : best);
  return `Unknown flag ${quoted(name)}; did you mean ${nearest}? "${command} --help" lists all flags`;
}

/** Number of characters to insert, remove or replace to turn `a` into `b` (Levenshtein). */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
