/** The arguments of the program and of its commands: flags by name, everything else is an operand. */
import { parseArgs } from "node:util";
import { quoted } from "../readers/errors.ts";

/** A command line that cannot be followed; the message is one line for the user. */
export class UsageError extends Error {}

/** What help and messages say of a flag. */
export interface NamedFlag {
  /** With its two dashes. */
  readonly name: string;
  /** One letter that stands for it. */
  readonly short?: string;
  /** Placeholder of the value in the help; absent for a switch. */
  readonly value?: string;
  /** What it is for. */
  readonly help: string;
}

/** Shows the help. */
export const HELP: NamedFlag = { name: "--help", short: "h", help: "show this help" };

/** Shows the version. */
export const VERSION: NamedFlag = { name: "--version", short: "V", help: "show the version" };

/** A flag with its value (`""` for a switch), or an operand, such as a path. */
export type Argument =
  | { readonly flag: NamedFlag; readonly value: string }
  | { readonly flag: null; readonly operand: string };

/**
 * Reads arguments in their order. What follows `--` is operands.
 *
 * @param command whose help the messages name
 * @throws {UsageError} an unknown flag (with the nearest right one), a missing value, a value of a switch
 */
export function* readArguments(
  command: string,
  flags: readonly NamedFlag[],
  args: readonly string[],
): Generator<Argument> {
  const options = Object.fromEntries(flags.map(({ name, short, value }) => [name.slice(2), {
    type: value === undefined ? "boolean" as const : "string" as const,
    ...(short !== undefined && { short }),
  }]));
  // Not strict: the messages of this file name the nearest flag and the form of its value.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      yield { flag: null, operand: token.value };
      continue;
    }
    const [written = ""] = args[token.index]?.split("=") ?? [];
    const flag = flags.find(({ name, short }) => name === written || `-${short}` === written);
    if (flag === undefined) throw new UsageError(unknown(command, flags, written));
    const { value, inlineValue } = token;
    if (flag.value === undefined && value !== undefined) throw new UsageError(`${flag.name} takes no value`);
    if (flag.value !== undefined && (!value || (!inlineValue && value.startsWith("--")))) {
      throw new UsageError(`${flag.name} needs a value: ${flag.name} ${flag.value}`);
    }
    yield { flag, value: value ?? "" };
  }
}

/** A line of help for each flag. */
export function rowsOf(flags: readonly NamedFlag[]): string[] {
  const left = ({ name, value }: NamedFlag) => value === undefined ? name : `${name} ${value}`;
  const width = Math.max(...flags.map((flag) => left(flag).length));
  return flags.map((flag) => `  ${left(flag).padEnd(width)}  ${flag.help}`);
}

function unknown(command: string, flags: readonly NamedFlag[], name: string): string {
  const names = flags.map((flag) => flag.name);
  const shown = name.slice(0, 64).toLowerCase();
  const distance = (known: string) => edits(shown, known) / Math.max(shown.length, known.length);
  const nearest = names.reduce((best, known) => distance(known) < distance(best) ? known : best);
  return `There is no flag ${quoted(name)}; the nearest is ${nearest}, and ${command} --help lists all`;
}

/** Edits (insert, remove, replace one character, swap two neighbours) that turn `a` into `b`. */
function edits(a: string, b: string): number {
  const found = new Map<string, number>();
  /** Of the first `i` characters of `a` and the first `j` of `b`. */
  const between = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const least = found.get(key) ?? Math.min(
      between(i - 1, j) + 1,
      between(i, j - 1) + 1,
      between(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      isSwapped ? between(i - 2, j - 2) + 1 : Infinity,
    );
    found.set(key, least);
    return least;
  };
  return between(a.length, b.length);
}
