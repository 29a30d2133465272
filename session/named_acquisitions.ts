/** Groups the files of a folder into acquisitions, by name alone: no file is opened. */
import { FILE_SETS, type FileSet } from "../readers/file_sets.ts";
import { extensionOf, fileFormatOf, type FolderNames } from "../readers/format.ts";

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

/** The acquisitions among the files and subfolders of a folder, by their names. Only allowed extensions are named. */
export function namedAcquisitions(
  folder: string,
  files: readonly string[],
  folders: readonly string[],
  allowedExtensions: readonly string[],
): NamedAcquisition[] {
  const beside = new Names(folder, files);
  const owned = new Map<string, string>();
  for (const name of folders) {
    const owner = firstOf((set) => set.ownerOf?.(name, beside));
    if (owner !== null) owned.set(owner, name);
  }
  const sets = Map.groupBy(files, (name) => firstOf((set) => set.setOf(name, beside)) ?? name);
  const mayOpen = (name: string) => allowedExtensions.includes(extensionOf(name) ?? "");
  return [...sets].flatMap(([set, members]) => {
    const name = members.find((member) => member === set && mayOpen(member)) ?? members.find(mayOpen);
    const format = fileFormatOf(name ?? "")?.name;
    const below = owned.get(name ?? "") ?? null;
    const isAlone = members.length === 1 && below === null;
    const needsParts = FILE_SETS.some((own) => own.format === format && own.needsParts);
    return name === undefined || format === undefined || isAlone && needsParts
      ? []
      : [{ name, format, files: members, folder: below }];
  });
}

function firstOf(ask: (set: FileSet) => string | null | undefined): string | null {
  for (const set of FILE_SETS) {
    const answer = ask(set);
    if (answer) return answer;
  }
  return null;
}

/** The names in a folder, indexed on first use. */
class Names implements FolderNames {
  readonly #stored: ReadonlySet<string>;
  readonly #byLower: ReadonlyMap<string, string>;
  readonly #endings = new Map<string, readonly string[]>();

  constructor(readonly folder: string, files: readonly string[]) {
    this.#stored = new Set(files);
    this.#byLower = new Map(files.map((name) => [name.toLowerCase(), name]));
  }

  find(name: string): string | null {
    return this.#stored.has(name) ? name : this.#byLower.get(name.toLowerCase()) ?? null;
  }

  ending(ending: string): readonly string[] {
    return this.#endings.getOrInsertComputed(
      ending,
      () => [...this.#stored].filter((name) => name.toLowerCase().endsWith(ending)),
    );
  }
}
