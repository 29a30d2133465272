/** Whether files that are named like parts of another one are parts of it, by their headers and the tests that opening uses. */
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import {
  isLoss,
  PathNotAllowed,
  PathNotFound,
  PlaneNotFound,
  UnsupportedFormat,
} from "../../readers/errors.ts";
import { loadGroupings, SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { StopFlag } from "../../readers/io/stop_flag.ts";

/** A file that is named like a part of the file at `main`. */
export interface NamedPart {
  /** Format of both, as in `source.format`. */
  readonly format: string;
  readonly path: string;
  readonly main: string;
}

/** Largest number of files that are opened for this; names decide about the others. */
export const MAX_LOOKS = 1000;

/**
 * Largest number of files of one set that are opened in vain; names decide about the others. Else a set of thousands of files that
 * cannot be opened would be listed file by file.
 */
const MAX_FAILED = 16;

/**
 * Whether each file is a part of the other one, or, in formats without a test of two files, of an acquisition that one before it
 * opens; `null` for files beyond {@linkcode MAX_LOOKS} looks or
 * {@linkcode MAX_FAILED} failures. A file that cannot be read is not a part: opening it says why.
 *
 * @param roots resolved directories that may be read; `null` for no limit
 */
export async function arePartsOf(
  named: readonly NamedPart[],
  roots: readonly string[] | null,
  stop: StopFlag,
): Promise<(boolean | null)[]> {
  using files = new FileAccess(roots, stop);
  /** Files of the acquisitions that were opened. */
  const known = new Set<string>();
  /** Failures by the name of a set. */
  const failures = new Map<string, number>();
  let looks = 0;
  const open = async (path: string, main: string) => {
    looks += 1;
    known.add(path);
    using own = new FileAccess(roots, stop);
    const parts = await unlessUnopened(() => listAcquisitionParts(path, own), null);
    if (parts === null) failures.set(main, (failures.get(main) ?? 0) + 1);
    for (const part of parts ?? []) known.add(part);
  };
  const groupings = new Map((await loadGroupings()).map((grouping) => [grouping.format, grouping]));
  const answers: (boolean | null)[] = [];
  for (const { format, path, main } of named) {
    stop.check();
    const { isPartOf, looks: needed = 1 } = groupings.get(format) ?? {};
    const isHopeless = (failures.get(main) ?? 0) >= MAX_FAILED;
    if (looks + needed > MAX_LOOKS || isHopeless) answers.push(known.has(path) || null);
    else if (isPartOf) {
      looks += needed;
      answers.push(await unlessUnopened(() => isPartOf(path, main, files), false));
    } else {
      if (!known.has(main)) await open(main, main);
      answers.push(known.has(path));
      if (!known.has(path)) await open(path, main);
    }
  }
  return answers;
}

/** The files of the acquisition that a file opens. @throws as an open does */
const listAcquisitionParts = (path: string, files: FileAccess): Promise<readonly string[]> =>
  files.listingAhead(async () => {
    const chosen = await chooseFormat(path, SUPPORTED_EXTENSIONS, files);
    const { acquisition } = await openChosen(chosen, files, null, true);
    return acquisition.files?.() ?? [];
  });

/** The result of a look; `otherwise` if the file cannot be opened. */
async function unlessUnopened<T>(look: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const isUnopened = isLoss(error) ||
      [PathNotFound, PathNotAllowed, PlaneNotFound, UnsupportedFormat].some((kind) => error instanceof kind);
    if (!isUnopened) throw error;
    return otherwise;
  }
}
