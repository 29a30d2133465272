/** Groups the files of a folder into acquisitions, by name: no file is opened. */
import type { FolderNames } from "../readers/format.ts";
import { findExtension, findFileFormat, type NamedGrouping } from "../readers/formats.ts";
import { StoredNames } from "../readers/io/names.ts";

/** An acquisition that lies in a folder. */
export interface NamedAcquisition {
  /** Name of the file to open. */
  readonly name: string;
  /** Its format by file extension, as in `source.format`. */
  readonly format: string;
  readonly files: readonly string[];
  /** Name of the folder beside them that holds the other files. */
  readonly folder: string | null;
}

/** A file that is named like a part of another one, but may be an acquisition of its own. */
export interface DoubtfulPart {
  readonly format: string;
  readonly name: string;
  /** Name of the other file. */
  readonly main: string;
}

/** Those of `files`, in the order of names, whose headers decide whether they are parts of other files. */
export function findDoubtfulParts(
  groupings: readonly NamedGrouping[],
  folder: string,
  files: readonly string[],
  allowedExtensions: readonly string[],
): DoubtfulPart[] {
  const beside = new Names(folder, files);
  const stored = new Set(files);
  /** The main file of each set; the first one if the key names none. */
  const mains = new Map<string, string>();
  return files.flatMap((name) => {
    if (!allowedExtensions.includes(findExtension(name) ?? "")) return [];
    for (const grouping of groupings) {
      const key = grouping.setOf(name, beside);
      if (!key) continue;
      const main = mains.getOrInsert(key, stored.has(key) ? key : name);
      return grouping.mayBeOwn?.(name) && main !== name ? [{ format: grouping.format, name, main }] : [];
    }
    return [];
  });
}

/**
 * The acquisitions among the files and subfolders of a folder, by their names. Only allowed extensions are named.
 *
 * @param alone files that belong to no other one, whatever their names
 */
export function groupByName(
  groupings: readonly NamedGrouping[],
  folder: string,
  files: readonly string[],
  folders: readonly string[],
  allowedExtensions: readonly string[],
  alone: ReadonlySet<string> = new Set(),
): NamedAcquisition[] {
  const beside = new Names(folder, files);
  const owned = new Map<string, string>();
  for (const name of folders) {
    const owner = findFirstAnswer(groupings, (grouping) => grouping.ownerOf?.(name, beside));
    if (owner !== null) owned.set(owner, name);
  }
  const setOf = (name: string) =>
    alone.has(name) ? null : findFirstAnswer(groupings, (grouping) => grouping.setOf(name, beside));
  const sets = Map.groupBy(files, (name) => setOf(name) ?? name);
  const mayOpen = (name: string) => allowedExtensions.includes(findExtension(name) ?? "");
  return [...sets].flatMap(([set, members]) => {
    const name = members.find((member) => member === set && mayOpen(member)) ?? members.find(mayOpen);
    const format = findFileFormat(name ?? "")?.name;
    const below = owned.get(name ?? "") ?? null;
    const isAlone = members.length === 1 && below === null;
    const needsParts = groupings.some((own) => own.format === format && own.needsParts);
    return name === undefined || format === undefined || isAlone && needsParts
      ? []
      : [{ name, format, files: members, folder: below }];
  });
}

function findFirstAnswer(
  groupings: readonly NamedGrouping[],
  ask: (grouping: NamedGrouping) => string | null | undefined,
): string | null {
  for (const grouping of groupings) {
    const answer = ask(grouping);
    if (answer) return answer;
  }
  return null;
}

/** The names in a folder, indexed on first use. */
class Names implements FolderNames {
  readonly #files: readonly string[];
  readonly #stored: StoredNames;
  readonly #endings = new Map<string, readonly string[]>();

  constructor(readonly folder: string, files: readonly string[]) {
    this.#files = files;
    this.#stored = new StoredNames(files);
  }

  find(name: string): string | null {
    return this.#stored.find(name);
  }

  ending(ending: string): readonly string[] {
    return this.#endings.getOrInsertComputed(
      ending,
      () => this.#files.filter((name) => name.toLowerCase().endsWith(ending)),
    );
  }
}
