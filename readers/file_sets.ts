/**
 * Which files of a folder form one acquisition, by their names alone: no file is opened. Only the list of a folder needs it. Where
 * names do not suffice, `session/worker/named_parts.ts` looks at headers.
 */
import { firstName } from "./czi/file_set.ts";
import { type FolderNames, FORMAT_NAMES } from "./format.ts";
import { namedPart } from "./metadata/pvscan_files.ts";
import { isPlaneName, settingsName } from "./oif/streams.ts";
import { continuedStem, EXTENSION } from "./oir/file_names.ts";
import { setOf } from "./tiff/marks.ts";

/** The names of the files of an acquisition in one format. */
export interface FileSet {
  readonly format: string;
  /**
   * A key that all files of one acquisition share: the name of the acquisition's main file, if there is one, else any text. `null`
   * for a name of no acquisition.
   */
  setOf(name: string, beside: FolderNames): string | null;
  /** The file that a folder of this name belongs to; `null` for any other folder. */
  ownerOf?(folder: string, beside: FolderNames): string | null;
  /** True if a single file is never an acquisition by itself. */
  readonly needsParts?: boolean;
  /** True for a name that an acquisition of its own may have, too: the header decides whether the file is a part of another one. */
  mayBeOwn?(name: string): boolean;
}

/** The formats with several files, those whose planes are files of another format before that one. */
export const FILE_SETS: readonly FileSet[] = [
  {
    format: FORMAT_NAMES.prairie.name,
    setOf: scanNamed,
    needsParts: true,
    mayBeOwn: (name) => namedPart(name)?.kind === "image",
  },
  {
    format: FORMAT_NAMES.oif.name,
    setOf: (name, { folder }) => isPlaneName(name) ? settingsName(folder) : null,
    ownerOf: (folder, beside) => mainFile(settingsName(folder), beside),
  },
  {
    format: FORMAT_NAMES.czi.name,
    setOf: (name, beside) => mainFile(firstName(name), beside),
    mayBeOwn: () => true,
  },
  {
    format: FORMAT_NAMES.oir.name,
    setOf(name, beside) {
      const stem = continuedStem(name);
      return mainFile(stem && `${stem}.oir`, beside);
    },
    // Without the extension, it can only be a continuation.
    mayBeOwn: (name) => EXTENSION.test(name),
  },
  { format: FORMAT_NAMES.tiff.name, setOf, mayBeOwn: () => true },
];

const mainFile = (name: string | null, beside: FolderNames) => name === null ? null : beside.find(name);

/** The document of the Prairie View scan to which a file belongs, found like `documentOf` does, but only by names. */
function scanNamed(name: string, beside: FolderNames): string | null {
  const part = namedPart(name);
  if (part === null || part.below) return null;
  const documents = beside.ending(".xml");
  const document = beside.find(`${part.scan}.xml`) ?? beside.find(`${beside.folder}.xml`) ??
    (documents.length === 1 ? documents[0]! : null);
  return document ?? (part.kind === "image" ? part.scan : null);
}
