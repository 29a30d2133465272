/** File names of a long acquisition, separate from the reader, which `format.ts` loads only when needed. */

/** The extension of a container. */
export const EXTENSION = /\.oir$/i;

/** Both spellings of the extension, for file systems that distinguish them. */
export const EXTENSIONS = [".oir", ".OIR"] as const;

/** Matches `<stem>_00001` and so on, with or without extension: the files in which a long acquisition continues. */
const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** The name of the acquisition that a file continues, without extension; `null` for any other name. */
export const continuedStem = (name: string): string | null => CONTINUATION.exec(name)?.[1] ?? null;
