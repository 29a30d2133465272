/** Temporary folders that are removed after use. */
import { dirname, join } from "node:path";

/** Runs `work` with an empty folder, whose path has no links. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "acq_test_" }));
  try {
    return await work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Runs `work` with a folder that holds `contents`, by path. */
export function withFiles<T>(
  contents: Readonly<Record<string, Uint8Array>>,
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  return inFolder((folder) => {
    for (const [name, bytes] of Object.entries(contents)) {
      Deno.mkdirSync(dirname(join(folder, name)), { recursive: true });
      Deno.writeFileSync(join(folder, name), bytes);
    }
    return work(folder);
  });
}

/** Copies a file, or a folder with all that it holds. */
export function copy(from: string, to: string): void {
  if (Deno.statSync(from).isFile) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name));
}
