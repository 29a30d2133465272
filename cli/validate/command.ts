/** The commands `acq-server validate` and `acq-server schema`. */
import { DOCUMENT_KINDS } from "../../schemas/document_kinds.ts";
import { validatePath } from "./validate.ts";

/** Takes a line of output. */
export type Print = (line: string) => void;

/** The text with control characters escaped, so that it stays one line and cannot control a terminal. */
const oneLine = (text: string) =>
  // deno-lint-ignore no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) =>
    `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Exit statuses of `validate`. */
const [ALL_VALID, ANY_INVALID, NOTHING_READ] = [0, 1, 2] as const;

/**
 * `acq-server validate PATH... [--json]`: a line a problem, then a line a path.
 *
 * @param print takes lines for standard output
 * @param printError takes lines for standard error: paths that could not be read, wrong usage
 * @returns exit status: 0 all valid, 1 any invalid, 2 nothing could be read
 */
export function validateCommand(args: readonly string[], print: Print, printError: Print): Promise<number> {
  const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--json");
  const paths = args.filter((arg) => !arg.startsWith("-"));
  if (unknown !== undefined || paths.length === 0) {
    printError(unknown === undefined ? "No path is given" : `Unknown option "${unknown}"`);
    printError("Usage: acq-server validate PATH... [--json]");
    return Promise.resolve(NOTHING_READ);
  }
  const verdicts = paths.map((path) => {
    const verdict = validatePath(path);
    if (verdict.unreadable !== null) printError(oneLine(verdict.unreadable));
    return verdict;
  });
  const valid = verdicts.every((verdict) => verdict.valid);
  if (args.includes("--json")) print(JSON.stringify({ valid, results: verdicts }, null, 2));
  else {
    for (const { path, valid, unreadable, problems } of verdicts) {
      for (const { file, pointer, message } of problems) print(oneLine(`${file}: ${pointer}: ${message}`));
      const count = problems.length + (unreadable === null ? 0 : 1);
      print(oneLine(valid ? `VALID ${path}` : `INVALID ${path} (${count} problems)`));
    }
  }
  const status = valid
    ? ALL_VALID
    : verdicts.every(({ unreadable }) => unreadable !== null)
    ? NOTHING_READ
    : ANY_INVALID;
  return Promise.resolve(status);
}

/**
 * `acq-server schema KIND`: the JSON Schema of a kind of document.
 *
 * @returns exit status: 0, or 2 for an unknown kind
 */
export function schemaCommand(args: readonly string[], print: Print, printError: Print): number {
  const found = args.length === 1 ? DOCUMENT_KINDS.find(({ kind }) => kind === args[0]) : undefined;
  if (!found) {
    const kinds = DOCUMENT_KINDS.map(({ kind }) => kind).join(", ");
    printError(
      args.length === 1 ? `Unknown kind "${args[0]}"; there are ${kinds}` : `One kind is wanted: ${kinds}`,
    );
    return NOTHING_READ;
  }
  print(JSON.stringify(found.jsonSchema, null, 2));
  return ALL_VALID;
}
