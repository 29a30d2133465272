/** Tests damaged files and sets of files: what is changed, and whether they are refused or served with warnings. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { ReaderError } from "../readers/errors.ts";
import type { TimedAcquisition } from "../readers/metadata/time_stamps.ts";
import type { WarningCode } from "../readers/warning.ts";
import type { ErrorCode } from "../schemas/served.ts";
import { type LoadedHere, loadHere, type LoadOptions, openHere } from "./load_here.ts";
import { inFolder, withFiles } from "./temporary_files.ts";
import { codesOf } from "./warning_codes.ts";

/** A part of the message of a refusal, or the codes of the warnings with which the file is served. */
export type Outcome = RegExp | readonly WarningCode[];

/** Kinds of damage to a file by their names, with what becomes of it. */
export type DamageTable = Readonly<Record<string, readonly [damaged: () => Source, outcome: Outcome]>>;

/** The bytes of a file, or what holds them. */
export type Source = Uint8Array | { readonly bytes: Uint8Array };

const bytesOf = (source: Source) => source instanceof Uint8Array ? source : source.bytes;

export const loadBytes = (name: string, bytes: Uint8Array, options: LoadOptions = {}): Promise<LoadedHere> =>
  withFiles({ [name]: bytes }, (path) => loadHere(path, options));

/** The result of `use` with a file of these bytes, which is open as long as `use` takes. */
export const openBytes = <T>(
  name: string,
  bytes: Uint8Array,
  use: (acquisition: TimedAcquisition) => T | Promise<T>,
): Promise<T> => withFiles({ [name]: bytes }, (path) => openHere(path, use));

/** The message of a refusal. */
export async function refusal(load: Promise<unknown>, tag: ErrorCode = "decode_failed"): Promise<string> {
  const error = await load.then(() => null, (error) => error);
  ok(error instanceof ReaderError, `no refusal: ${error?.stack ?? error}`);
  equal(error.tag, tag, error.message);
  return error.message;
}

/** Checks that a file of these bytes is refused with this message, after its name. */
export async function refused(name: string, bytes: Uint8Array, message: RegExp): Promise<void> {
  const text = await refusal(loadBytes(name, bytes));
  match(text, message);
  ok(text.startsWith(`Cannot read "${name}": `), text);
}

/** Declares a test for each kind of damage. @param whole the undamaged file, whose planes are expected wherever some are served */
export function testDamage(name: string, cases: DamageTable, whole: () => Source): void {
  for (const [what, [damaged, outcome]] of Object.entries(cases)) {
    Deno.test(`${name} with ${what}`, async () => {
      const bytes = bytesOf(damaged());
      if (outcome instanceof RegExp) return await refused(name, bytes, outcome);
      const { summary, planes } = await loadBytes(name, bytes);
      deepEqual(codesOf(summary.warnings), outcome);
      deepEqual(planes, (await loadBytes(name, bytesOf(whole()))).planes);
    });
  }
}

/** The path of a file in the copy of a fixture; `""` is the file that is opened by default. */
export type At = (file: string) => string;

/** What to open in a changed copy, where it is not its main file with all channels. */
export type Opening = LoadOptions & { readonly open?: string };

/** Changes to copies of fixtures by their names, with the outcome and a check of what is served. */
export type ChangeTable = Readonly<
  Record<
    string,
    readonly [
      fixture: string,
      change: (at: At) => Opening | void,
      outcome: Outcome,
      check?: (loaded: LoadedHere, whole: LoadedHere) => void,
    ]
  >
>;

/** Declares a test for each change of a fixture. @param copyTo copies a fixture into an empty folder */
export function testChanges(
  name: string,
  copyTo: (folder: string, fixture: string) => At,
  cases: ChangeTable,
): void {
  for (const [what, [fixture, change, outcome, check]] of Object.entries(cases)) {
    Deno.test(`${name}: ${what}`, () =>
      inFolder(async (_, folder) => {
        const at = copyTo(folder, fixture);
        const whole = await loadHere(at(""));
        const { open = at(""), ...options } = change(at) ?? {};
        if (outcome instanceof RegExp) return match(await refusal(loadHere(open, options)), outcome);
        const loaded = await loadHere(open, options);
        deepEqual(codesOf(loaded.summary.warnings), outcome);
        check?.(loaded, whole);
      }));
  }
}

/**
 * Checks that a truncated file is refused, or served with its own samples: all of a plane, or the first lines of a scan.
 *
 * @param lengths where it is cut, or the distance between cuts
 * @param warned whether whatever is served has a warning
 */
export async function checkCuts(
  name: string,
  bytes: Uint8Array,
  lengths: number | Iterable<number>,
  warned = false,
): Promise<{ readonly served: number; readonly refused: number }> {
  const whole = await loadBytes(name, bytes);
  const every = typeof lengths === "number"
    ? Array.from({ length: Math.ceil(bytes.length / lengths) }, (_, i) => i * lengths)
    : [...lengths];
  const counts = { served: 0, refused: 0 };
  await withFiles({}, async (_, folder) => {
    const path = join(folder, name);
    for (const length of every) {
      Deno.writeFileSync(path, bytes.subarray(0, length));
      const cut = await loadHere(path).catch((error) => error);
      counts[cut instanceof Error ? "refused" : "served"] += 1;
      if (cut instanceof Error) {
        ok(cut instanceof ReaderError, `cut at ${length}: ${cut.stack}`);
        continue;
      }
      const { planes, referencePlanes, summary }: LoadedHere = cut;
      const isLineScan = summary.rows < whole.summary.rows;
      for (const [i, plane] of planes.entries()) {
        deepEqual(
          plane,
          whole.planes[i]!.subarray(0, isLineScan ? plane.length : undefined),
          `cut at ${length}`,
        );
      }
      deepEqual(referencePlanes, referencePlanes.length > 0 ? whole.referencePlanes : [], `cut at ${length}`);
      ok(!(warned || isLineScan) || summary.warnings.length > 0, `cut at ${length}: no warning`);
    }
  });
  return counts;
}
