/** The commands `acq-server validate` and `acq-server schema`. */
import { DOCUMENT_KINDS } from "../schemas/documents.ts";
import { type Given, HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { escapeControls } from "./log.ts";
import { writeLine } from "./output.ts";
import { EXIT } from "./shell.ts";
import { type PathVerdict, validatePath } from "./verdict.ts";

const escapeLineFeeds = (text: string) => escapeControls(text).replaceAll("\n", "\\u000a");

const RULES = "Documents and their rules: docs/collections.md#rules";

/** Prints a line per problem, then a line per path. */
export const VALIDATE: WritingCommand = {
  about: "Check collections and their documents",
  usage: ["acq-server validate [OPTIONS] <PATH>..."],
  lists: {
    Arguments: [["<PATH>...", "Folders or ZIP files of collections, collection.json or other documents"]],
  },
  flags: [{ name: "--json", help: "Write the verdicts as JSON" }, HELP],
  notes: [
    "Each problem is a line: file, JSON pointer unless it is the whole document, what is wrong.",
    RULES,
    "Exit status: 0 all paths are valid, 1 some are not, 2 no path could be read, or wrong usage.",
  ],
  missing: "Missing path: acq-server validate <PATH>...",
  async run({ operands, flags }: Given): Promise<number> {
    const verdicts: PathVerdict[] = [];
    for (const path of operands) {
      const verdict = await validatePath(path);
      if (verdict.unreadable !== null) console.error(escapeLineFeeds(verdict.unreadable));
      verdicts.push(verdict);
    }
    const valid = verdicts.every((verdict) => verdict.valid);
    const print = (line: string) => writeLine(escapeLineFeeds(line));
    if (flags.has("--json")) {
      await writeLine(escapeControls(JSON.stringify({ valid, results: verdicts }, null, 2)));
    } else {
      for (const { path, valid, unreadable, problems, missingPlanes } of verdicts) {
        for (const { file, pointer, message } of problems) {
          await print([file, pointer, message].filter((part) => part !== "").join(": "));
        }
        for (const { member, planes } of missingPlanes) {
          await print(`${path}: the recording of "${member}" lacks the planes ${planes.join(", ")}`);
        }
        const count = problems.length + (unreadable === null ? 0 : 1);
        await print(
          valid ? `VALID ${path}` : `INVALID ${path} (${count} ${count === 1 ? "problem" : "problems"})`,
        );
      }
      if (verdicts.some(({ problems }) => problems.length > 0)) console.error(RULES);
    }
    if (valid) return EXIT.ok;
    return verdicts.every(({ unreadable }) => unreadable !== null) ? EXIT.usage : EXIT.failed;
  },
};

/** Prints the JSON Schema of a kind of document. */
export const SCHEMA: WritingCommand = {
  about: "Print the JSON Schema of a kind of document",
  usage: ["acq-server schema [OPTIONS] <KIND>"],
  lists: { Kinds: DOCUMENT_KINDS.map(({ kind, title }) => [kind, title]) },
  flags: [HELP],
  missing: "Missing kind: acq-server schema <KIND>",
  async run({ operands: [name, ...more] }: Given): Promise<number> {
    const kinds = DOCUMENT_KINDS.map(({ kind }) => kind).join(", ");
    if (more.length > 0) throw new UsageError(`Expected one kind of ${kinds}`);
    const found = DOCUMENT_KINDS.find(({ kind }) => kind === name);
    if (found === undefined) throw new UsageError(`Unknown kind "${name}", not one of ${kinds}`);
    await writeLine(escapeControls(JSON.stringify(found.jsonSchema, null, 2)));
    return EXIT.ok;
  },
};
