/** How the parts of a split document are named: `name.czi`, then `name (1).czi` or `name(1).czi`. */

/** Name of the first file of the document that a file is named like a part of; `null` for any other name. */
export function firstName(name: string): string | null {
  const found = /^(.*?) ?\(\d+\)(\.[^.]*)$/.exec(name);
  return found && `${found[1]}${found[2]}`;
}
