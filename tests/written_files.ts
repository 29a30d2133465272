/** Files in a folder of their own, which is removed afterwards, and the acquisitions that they make. */
import { dirname, join } from "node:path";
import type { Acquisition, Axis } from "../readers/reader.ts";
import { openHere } from "./load_here.ts";
import { type At, planesAt } from "./planes.ts";
import { inFolder as inEmptyFolder } from "./temporary_files.ts";

/** Writes a file, whose name may have folders, and returns its path. */
export type Put = (name: string, content: Uint8Array | string) => string;

/** Files by name. */
export type Files = Readonly<Record<string, Uint8Array | string>>;

/** Runs with an empty folder. */
export const inFolder = (run: (put: Put, folder: string) => unknown): Promise<void> =>
  inEmptyFolder(async (folder) => {
    await run((name, content) => {
      const path = join(folder, name);
      Deno.mkdirSync(dirname(path), { recursive: true });
      Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
      return path;
    }, folder);
  });

/** Runs with these files; `path` is that of the first. */
export const withFiles = (files: Files, run: (path: string, folder: string) => unknown): Promise<void> =>
  inFolder((put, folder) => {
    const [first] = Object.entries(files).map(([name, content]) => put(name, content));
    return run(first!, folder);
  });

/** Opens the first of these files. */
export const withOpened = (
  files: Files,
  use: (acquisition: Acquisition, folder: string) => void | Promise<void>,
): Promise<void> =>
  withFiles(files, (path, folder) => openHere(path, (acquisition) => use(acquisition, folder)));

/** `T2 C2 Z3`: all axes but those of the plane. */
export const sizesIn = ({ axes }: { readonly axes: readonly Axis[] }): string =>
  axes.slice(0, -2).map(({ name, size }) => `${name}${size}`).join(" ");

/** First sample of each plane. */
export const firstsOf = ({ planes }: { readonly planes: readonly Float32Array[] }) =>
  planes.map((plane) => plane[0]!);

/** First sample of each channel, or of some, at a position. */
export const firstsAt = async (acquisition: Acquisition, at: At = {}, channels?: readonly number[]) =>
  firstsOf({ planes: await planesAt(acquisition, at, channels ? { channels } : {}) });
