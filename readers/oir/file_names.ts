/** Names of the files of a long acquisition, apart from their reader, which `format.ts` loads only when needed. */

/** The extension of a container. */
export const EXTENSION = /\.oir$/i;

/** Both spellings of the extension, for file systems that distinguish them. */
export const EXTENSIONS = [".oir", ".OIR"] as const;

/** `<stem>_00001` and so on, with or without the extension: the files in which a long acquisition goes on. */
const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** The name of the acquisition that a file continues, without extension; `null` for any other name. */
export const continuedStem = (name: string): string | null => CONTINUATION.exec(name)?.[1] ?? null;
