/** What the command line of a bench sets, and folders to work in. */
import { join } from "node:path";

const option = (name: string): string | null =>
  Deno.args.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null;

/** Python with the other readers. */
export const PYTHON = option("python") ?? "python3";

/** The checkout whose server is measured. */
export const TREE = option("tree") ?? join(import.meta.dirname!, "..");

/** Rounds of a measurement: the usual number, or less where `--rounds=N` asks for less. */
export const rounds = (usual: number): number => Math.min(usual, Number(option("rounds") ?? usual));

/** Workers that have rested end or close their files after 15 s, and memory of planes goes back to the system. */
export const REST_MS = 17_000;

/** Runs `work` with an empty folder, which is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_bench_" }));
  try {
    // Deep enough that the search for a collection among the ancestors of a store stays inside.
    const folder = join(root, "a/b/c/d/e/f");
    await Deno.mkdir(folder, { recursive: true });
    return await work(folder);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
