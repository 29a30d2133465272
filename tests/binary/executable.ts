/** Reads what `deno compile` appended to its runtime: metadata, lists of packages, the embedded files. */
import { Buffer } from "node:buffer";

export interface Executable {
  readonly metadata: {
    readonly argv: readonly string[];
    readonly permissions: Readonly<Record<string, unknown>>;
    /** Names a cache of compiled code in the folder for temporary files; `null` without one. */
    readonly code_cache_key: number | null;
    readonly log_level: string | null;
    readonly entrypoint_key: string;
  };
  readonly files: readonly string[];
  readonly sizes: readonly number[];
  /** Bytes of an embedded file. */
  readonly read: (file: string) => Uint8Array;
}

type Entry = {
  Dir?: { n: string; e: Entry[] };
  /** `o`: where its bytes begin, and how many they are. */
  File?: { n: string; o: [number, number] };
  Symlink?: { n: string };
};

/** Reads an executable. Metadata and the tree of files are JSON, each after its length as a 64-bit number. */
export function readExecutable(path: string): Executable {
  const bytes = Buffer.from(Deno.readFileSync(path).buffer);
  const start = bytes.lastIndexOf('{"argv"');
  if (start < 0) throw new Error(`"${path}" was not made by deno compile`);
  const end = start + Number(bytes.readBigUInt64LE(start - 8));
  const filesStart = bytes.indexOf('[{"', end);
  const filesEnd = filesStart + Number(bytes.readBigUInt64LE(filesStart - 8));
  const roots: Entry[] = JSON.parse(bytes.toString("utf8", filesStart, filesEnd));
  const embedded = [...filesOf(roots, "")];
  return {
    metadata: JSON.parse(bytes.toString("utf8", start, end)),
    files: embedded.map(([path]) => path),
    sizes: embedded.map(([, , size]) => size),
    read(file) {
      const [, from, size] = embedded.find(([path]) => path === file) ?? ["", 0, 0];
      // The bytes of all files follow their length.
      const begin = filesEnd + 8 + from;
      return bytes.subarray(begin, begin + size);
    },
  };
}

/** Paths, begins and sizes. */
function* filesOf(entries: readonly Entry[], folder: string): Generator<[string, number, number]> {
  for (const { Dir, File, Symlink } of entries) {
    if (Dir) yield* filesOf(Dir.e, `${folder}${Dir.n}/`);
    else yield [folder + (File ?? Symlink)!.n, ...File?.o ?? [0, 0] as const];
  }
}
