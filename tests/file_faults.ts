/** Has one call of the file system fail, as a network drive or a process with too many open files does. */
import fs from "node:fs";
import { basename } from "node:path";

/** Kinds of calls that the reader of files makes. */
export const CALLS = ["opendir", "readdir", "open", "stat", "read"] as const;

export type Call = (typeof CALLS)[number];

export interface Fault {
  readonly call: Call;
  readonly at: number;
  readonly code: string;
}

export interface Run<T> {
  /** Its result, or what it threw. */
  readonly result: { readonly value: T } | { readonly error: unknown };
  /** For each kind the numbers of the calls that differ in their path or in the lines of code that led to them. */
  readonly distinct: Readonly<Record<Call, readonly number[]>>;
  /** Name of the file or folder whose call failed, `null` where there were fewer calls. */
  readonly failed: string | null;
}

/** Runs something while one call fails; `fault` is `null` to count the calls. */
export async function withFault<T>(fault: Fault | null, run: () => Promise<T>): Promise<Run<T>> {
  const calls: Record<Call, number> = { opendir: 0, readdir: 0, open: 0, stat: 0, read: 0 };
  const distinct: Record<Call, number[]> = { opendir: [], readdir: [], open: [], stat: [], read: [] };
  const seen = new Set<string>();
  const { stackTraceLimit } = Error;
  const opened = new Map<number, string>();
  let failed: string | null = null;
  const count = (call: Call, path: string) => {
    const at = calls[call]++;
    if (fault === null) {
      const key = `${call} ${path} ${new Error().stack}`;
      if (!seen.has(key)) distinct[call].push(at);
      seen.add(key);
    }
    if (fault?.call !== call || fault.at !== at) return;
    failed = basename(path);
    throw Object.assign(new Error(`${fault.code}: made up by a test`), { code: fault.code });
  };
  const { opendirSync, openSync, readSync, fstatSync, realpathSync } = fs;
  const { readDir, statSync, lstatSync, realPathSync } = Deno;
  Error.stackTraceLimit = 30;
  const counted =
    <A extends [path: string, ...rest: never[]], R>(call: Call, original: (...args: A) => R) =>
    (...args: A): R => {
      count(call, args[0]);
      return original(...args);
    };
  const byDescriptor =
    (call: Call, original: (fd: number, ...rest: never[]) => unknown) => (fd: number, ...rest: never[]) => {
      count(call, opened.get(fd) ?? "");
      return original(fd, ...rest);
    };
  Object.assign(fs, {
    openSync: (path: string, flags: number) => {
      count("open", path);
      const fd = openSync(path, flags);
      opened.set(fd, path);
      return fd;
    },
    opendirSync: (path: string) => {
      count("opendir", path);
      const folder = opendirSync(path);
      const readEntry = folder.readSync.bind(folder);
      folder.readSync = () => {
        count("readdir", path);
        return readEntry();
      };
      return folder;
    },
    readSync: byDescriptor("read", readSync as never),
    fstatSync: byDescriptor("stat", fstatSync as never),
    realpathSync: counted("stat", realpathSync as never),
  });
  Object.assign(Deno, {
    readDir: async function* (path: string) {
      count("opendir", path);
      for await (const entry of readDir(path)) {
        count("readdir", path);
        yield entry;
      }
      count("readdir", path);
    },
    statSync: counted("stat", statSync as never),
    lstatSync: counted("stat", lstatSync as never),
    realPathSync: counted("stat", realPathSync as never),
  });
  try {
    return { result: { value: await run() }, distinct, failed: failed as string | null };
  } catch (error) {
    return { result: { error }, distinct, failed };
  } finally {
    Object.assign(fs, { opendirSync, openSync, readSync, fstatSync, realpathSync });
    Object.assign(Deno, { readDir, statSync, lstatSync, realPathSync });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
