/** Zeiss CZI. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";

/**
 * Name of the first file of the split document that a file is named like a part of: `name.czi` for `name (1).czi` and
 * `name(1).czi`; `null` for any other name.
 */
export function firstName(name: string): string | null {
  const found = /^(.*?) ?\(\d+\)(\.[^.]*)$/.exec(name);
  return found && `${found[1]}${found[2]}`;
}

/** CZI, which its documentation calls ZISRAW. */
export const CZI: FileFormat = {
  ...FORMAT_NAMES.czi,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("ZISRAWFILE")),
  setOf(name, beside) {
    const first = firstName(name);
    return first === null ? null : beside.find(first);
  },
  load: () => import("./mod.ts"),
};
