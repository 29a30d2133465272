/** The commands `acq-server validate` and `acq-server schema`. */
import { DOCUMENT_KINDS } from "../schemas/documents.ts";
import { type Given, HELP, helpText, type NamedFlag, readGiven, UsageError } from "./arguments.ts";
import { printable } from "./log.ts";
import { validatePath } from "./verdict.ts";

/** Prints a line of output. */
export type Print = (line: string) => void;

const oneLine = (text: string) => printable(text).replaceAll("\n", "\\u000a");

/** Exit statuses. */
const [ALL_VALID, ANY_INVALID, NOTHING_READ] = [0, 1, 2] as const;

const RULES = "Documents and their rules: docs/collections.md#rules";

const FLAGS: readonly NamedFlag[] = [{ name: "--json", help: "Write the verdicts as JSON" }, HELP];

const VALIDATE_HELP = helpText({
  about: "Check collections and their documents",
  usage: ["acq-server validate [OPTIONS] <PATH>..."],
  lists: {
    Arguments: [["<PATH>...", "Folders or ZIP files of collections, collection.json or other documents"]],
  },
  flags: FLAGS,
  notes: [
    "Each problem is a line: file, JSON pointer, what is wrong.",
    RULES,
    "Exit status: 0 all paths are valid, 1 some are not, 2 no path could be read, or wrong usage.",
  ],
});

const SCHEMA_HELP = helpText({
  about: "Print the JSON Schema of a kind of document",
  usage: ["acq-server schema [OPTIONS] <KIND>"],
  lists: { Kinds: DOCUMENT_KINDS.map(({ kind, title }) => [kind, title]) },
  flags: [HELP],
});

/** The arguments of a command; `null` if they ask for help. @throws {UsageError} no operand */
function parse(command: string, operand: string, flags: readonly NamedFlag[], args: readonly string[]) {
  const given = readGiven(`acq-server ${command}`, flags, args);
  if (given.flags.has(HELP.name)) return null;
  if (given.operands.length > 0) return given;
  throw new UsageError(
    `Missing ${operand.replace(/\W/g, "").toLowerCase()}: acq-server ${command} ${operand}`,
  );
}

/** Runs a command; reports a wrong command line on standard error. */
function orUsage(printError: Print, run: () => number): number {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printError(error.message);
    return NOTHING_READ;
  }
}

/**
 * `acq-server validate`: prints a line per problem, then a line per path.
 *
 * @param print takes lines for standard output
 * @param printError takes lines for standard error: unreadable paths and wrong command lines
 * @returns exit status: 0 all valid, 1 some invalid, 2 nothing read
 */
export function validateCommand(args: readonly string[], print: Print, printError: Print): number {
  return orUsage(printError, () => {
    const asked = parse("validate", "<PATH>...", FLAGS, args);
    if (asked !== null) return validate(asked, print, printError);
    print(VALIDATE_HELP);
    return ALL_VALID;
  });
}

function validate({ operands, flags }: Given, print: Print, printError: Print): number {
  const verdicts = operands.map((path) => {
    const verdict = validatePath(path);
    if (verdict.unreadable !== null) printError(oneLine(verdict.unreadable));
    return verdict;
  });
  const valid = verdicts.every((verdict) => verdict.valid);
  if (flags.has("--json")) print(JSON.stringify({ valid, results: verdicts }, null, 2));
  else {
    for (const { path, valid, unreadable, problems, missingPlanes } of verdicts) {
      for (const { file, pointer, message } of problems) print(oneLine(`${file}: ${pointer}: ${message}`));
      for (const { member, planes } of missingPlanes) {
        print(oneLine(`${path}: the recording of "${member}" lacks the planes ${planes.join(", ")}`));
      }
      const count = problems.length + (unreadable === null ? 0 : 1);
      print(
        oneLine(
          valid ? `VALID ${path}` : `INVALID ${path} (${count} ${count === 1 ? "problem" : "problems"})`,
        ),
      );
    }
    if (verdicts.some(({ problems }) => problems.length > 0)) printError(RULES);
  }
  if (valid) return ALL_VALID;
  return verdicts.every(({ unreadable }) => unreadable !== null) ? NOTHING_READ : ANY_INVALID;
}

/** `acq-server schema`: prints the JSON Schema of a kind of document. @returns exit status: 0, or 2 for an unknown kind */
export function schemaCommand(args: readonly string[], print: Print, printError: Print): number {
  return orUsage(printError, () => {
    const asked = parse("schema", "<KIND>", [HELP], args);
    const [name, ...more] = asked?.operands ?? [];
    const found = DOCUMENT_KINDS.find(({ kind }) => kind === name);
    if (asked !== null && (found === undefined || more.length > 0)) {
      const kinds = DOCUMENT_KINDS.map(({ kind }) => kind).join(", ");
      throw new UsageError(
        more.length > 0 ? `Expected one kind of ${kinds}` : `Unknown kind "${name}", not one of ${kinds}`,
      );
    }
    print(found === undefined ? SCHEMA_HELP : JSON.stringify(found.jsonSchema, null, 2));
    return ALL_VALID;
  });
}
