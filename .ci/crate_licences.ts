/** What Rust crates say of their licences: it stands in their manifests, which only their sources on crates.io have. */
import type { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { Crate } from "./crates.ts";

/** Where the sources of crates are downloaded from, without a limit of requests; tests name another place. */
const SOURCES = "https://static.crates.io/crates";

/**
 * A file of a tar archive (POSIX, ustar): before each file a header of 512 bytes with its path and its size in octal
 * digits, behind it zeros up to a multiple of 512.
 */
function fileIn(archive: Buffer, path: string): string | undefined {
  // The zeros at the end have no size, and NaN ends the loop.
  for (let at = 0; at + 512 <= archive.length;) {
    const name = archive.toString("utf8", at, at + 100).replace(/\0.*/s, "");
    const size = parseInt(archive.toString("latin1", at + 124, at + 136), 8);
    if (name === path) return archive.toString("utf8", at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return undefined;
}

/** The licence that a manifest names, as an expression of SPDX; `undefined` when it names none, or a file in its place. */
export function licenceIn(manifest: string): string | undefined {
  const [, about = ""] = /^\[package\]$(.*?)(?=^\[|$(?![\s\S]))/ms.exec(manifest) ?? [];
  // A slash is the older way to write OR (The Cargo Book, "The Manifest Format").
  return /^license = "(.+)"$/m.exec(about)?.[1]?.replaceAll(/ *\/ */g, " OR ");
}

/**
 * The licence of a crate, as an expression of SPDX, or `undefined`.
 *
 * @throws {Error} its source cannot be downloaded, or has no manifest
 */
export async function crateLicence({ name, version }: Crate, sources = SOURCES): Promise<string | undefined> {
  const address = `${sources}/${name}/${name}-${encodeURIComponent(version)}.crate`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(60_000) });
  const crate = await answer.bytes();
  if (!answer.ok) throw new Error(`"${address}" is answered by ${answer.status}`);
  const manifest = fileIn(gunzipSync(crate), `${name}-${version}/Cargo.toml`);
  if (manifest === undefined) throw new Error(`"${address}" has no Cargo.toml`);
  return licenceIn(manifest);
}
