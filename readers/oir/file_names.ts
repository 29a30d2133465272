/** How the files of a long acquisition are named: `<stem>.oir`, then `<stem>_00001`, with or without the extension. */

/** The extension of a container. */
export const EXTENSION = /\.oir$/i;

const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** Both spellings of the extension, for file systems that distinguish them. */
export const EXTENSIONS = [".oir", ".OIR"] as const;

/** The name of the acquisition that a file continues, without extension; `null` for any other name. */
export const continuedStem = (name: string): string | null => CONTINUATION.exec(name)?.[1] ?? null;
