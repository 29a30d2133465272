/** What a load gives, on one line, for tests that compare many. */
import { type LoadedAcquisition, loadHere, type LoadOptions } from "./load_here.ts";
import { firstsOf, sizesIn } from "./planes.ts";
import { codesOf } from "./warning_codes.ts";

/** `C2 Z3; 1 2; planes_missing`: axes except those of the plane, first sample of each loaded plane, codes of warnings. */
export const seenIn = (loaded: LoadedAcquisition): string =>
  [sizesIn(loaded.summary), firstsOf(loaded).join(" "), codesOf(loaded.summary.warnings).join(" ")].join(
    "; ",
  );

/** Loads, and shortens what it gives. */
export const seen = async (path: string, options: LoadOptions = {}): Promise<string> =>
  seenIn(await loadHere(path, options));
