/** The Rust crates in an executable, by the paths of their sources, which the compiler leaves in messages of panics. */
import { Buffer } from "node:buffer";

/** A crate of crates.io. */
export interface Crate {
  readonly name: string;
  readonly version: string;
}

/** A folder of cargo's registry: `index.crates.io-<hash>/<name>-<version>/`, with backslashes on Windows. */
const SOURCE = /index\.crates\.io-[0-9a-f]{16}[/\\]([A-Za-z0-9_-]+?)-(\d+\.\d+\.\d+[A-Za-z0-9.+-]*)[/\\]/g;

/**
 * Crates that executables name, sorted, each version once. What cannot panic, or lost its messages, is not named: these
 * are not all.
 */
export function cratesIn(executables: Iterable<Uint8Array>): Crate[] {
  const found = new Map<string, Crate>();
  for (const bytes of executables) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    for (const [, name = "", version = ""] of text.matchAll(SOURCE)) {
      found.set(`${name} ${version}`, { name, version });
    }
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, crate]) => crate);
}
