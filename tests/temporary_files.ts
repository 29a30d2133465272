/** Files in a temporary folder, which is removed after use, and the acquisitions they make. */
import { dirname, join } from "node:path";
import type { TimedAcquisition } from "../readers/metadata/time_stamps.ts";
import { openHere } from "./load_here.ts";

/** Writes a file, whose name may have folders, and returns its path. */
export type Put = (name: string, content: Uint8Array | string) => string;

export type Files = Readonly<Record<string, Uint8Array | string>>;

/** An empty folder that is removed at the end of its scope; its path has no links. */
export function temporaryFolder(): Disposable & { readonly path: string; at(name: string): string } {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "acq_test_" }));
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }),
  };
}

/** Runs `work` with an empty folder, whose path has no links. */
export async function inFolder<T>(work: (put: Put, folder: string) => T | Promise<T>): Promise<T> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const put: Put = (name, content) => {
    const path = join(folder, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    return path;
  };
  return await work(put, folder);
}

/** Runs `work` with these files; `path` is that of the first. */
export const withFiles = <T>(
  files: Files,
  work: (path: string, folder: string) => T | Promise<T>,
): Promise<T> =>
  inFolder((put, folder) => {
    const [first = folder] = Object.entries(files).map(([name, content]) => put(name, content));
    return work(first, folder);
  });

/** The result of `use` with the acquisition of the first of these files. */
export const withOpened = <T>(
  files: Files,
  use: (acquisition: TimedAcquisition, folder: string) => T | Promise<T>,
): Promise<T> =>
  withFiles(files, (path, folder) => openHere(path, (acquisition) => use(acquisition, folder)));

export function copy(from: string, to: string): void {
  if (Deno.statSync(from).isFile) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name));
}
