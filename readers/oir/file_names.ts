/** File names of a long acquisition, which continues in `<stem>_00001` and so on, with or without extension. */

/** The extension of a container. */
export const EXTENSION = /\.oir$/i;

/** The name of the acquisition that a file continues, without extension; `null` for any other name. */
export const findContinuedStem = (name: string): string | null =>
  /^(.+)_\d{5}(\.oir)?$/i.exec(name)?.[1] ?? null;
