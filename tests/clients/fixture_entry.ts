/** What the expected values of a fixture say, as far as the clients of all kinds are compared with it. */
import { join } from "node:path";
import { ROOT } from "../binary/server_process.ts";

/** Folder of all fixtures. */
export const FIXTURES = join(ROOT, "tests", "fixtures");

/** Hashes by position; of LSM `t,z,c`, of ND2 `t,z,l,c`. */
type ByPosition = Readonly<Record<string, string>>;

/** One file of `tests/fixtures/<folder>/expected.json`; each folder has some of these. */
export interface FixtureEntry {
  readonly file: string;
  /** SHA-256 of the channels at index 0 (OIR). */
  readonly planes: readonly string[];
  /** The same (CZI). */
  readonly sha256_f32le: readonly string[];
  readonly reference: { readonly planes: readonly string[] };
  /** Starts of hashes; of ND2 in `planes`. */
  readonly scenes: readonly (ByPosition & { readonly planes: ByPosition })[];
}

/** The entry of a file. */
export function fixtureEntry(folder: string, file: string): FixtureEntry {
  const entries: FixtureEntry[] = JSON.parse(Deno.readTextFileSync(join(FIXTURES, folder, "expected.json")));
  return entries.find((entry) => entry.file === file)!;
}
