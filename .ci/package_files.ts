/** Which files of the npm packages go into the executable; whole packages are several times as large as what is used. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * What the program loads of each package, besides `package.json` and licence texts: paths inside the package; `null` leaves
 * the package out. A test fails while a package of the program is missing here.
 */
export const NEEDED: Readonly<Record<string, RegExp | null>> = {
  "@cornerstonejs/codec-libjpeg-turbo-8bit": /^dist\/libjpegturbowasm_decode\.(js|wasm)$/,
  "@cornerstonejs/codec-openjpeg": /^dist\/openjpegwasm_decode\.(js|wasm)$/,
  "@jsquash/webp": /^codec\/dec\/webp_dec\.(js|wasm)$/,
  // Counts installations; swagger-ui-dist names it and nothing loads it.
  "@scarf/scarf": null,
  "@zarrita/storage": /^dist\/src\/[^/]+\.js$/,
  "fflate": /^esm\/index\.mjs$/,
  "hono": /^dist\/(?!(cjs|types|middleware|jsx|adapter|client|preset)\/).*\.js$/,
  "jpegxr": /^wasm\/jpegxr\.js$/,
  "lerc": /^(LercDecode\.es\.js|lerc-wasm\.wasm)$/,
  "marked": /^lib\/marked\.esm\.js$/,
  // zarrita asks for it to undo compression, which readers/ome_zarr/byte_codecs.ts does itself.
  "numcodecs": null,
  "reference-spec-reader": /^src\/[^/]+\.js$/,
  "saxes": /^saxes\.js$/,
  "swagger-ui-dist": /^swagger-ui(-bundle\.js|\.css)$/,
  "unzipit": /^dist\/unzipit\.module\.js$/,
  // The encoder and the animated decoder ask for it, never the decoder.
  "wasm-feature-detect": null,
  "xmlchars": /^(xmlchars|xml\/[^/]+\/ed\d|xmlns\/[^/]+\/ed\d)\.js$/,
  "zarrita": /^dist\/src\/.*\.js$/,
  "zod": /^(index\.js|v4\/(classic|core|locales)\/[^/]+\.js)$/,
};

/** Whether the executable has anything of a package. */
export function isEmbedded(name: string): boolean {
  return NEEDED[name] !== null;
}

/** Entries of `npm` in deno.lock, by name and version, such as `zod@4.6.7`. */
export type LockedPackages = Readonly<
  Record<string, { readonly integrity: string; readonly dependencies?: readonly string[] }>
>;

/** The packages of deno.lock that the executable has: those of {@linkcode NEEDED}, without what only tests use. */
export function lockedPackages(): LockedPackages {
  const { npm }: { npm: LockedPackages } = JSON.parse(
    readFileSync(new URL("../deno.lock", import.meta.url), "utf8"),
  );
  return Object.fromEntries(Object.entries(npm).filter(([key]) => key.match(/^(.+?)@/)![1]! in NEEDED));
}

/** Bytes. Smaller files stay: each left out lengthens a command line, of which Windows takes 32 kB. */
const SMALL = 1024;

const ALWAYS = /^(package\.json|(licen[cs]e|notice|copying)[^/]*)$/i;

/**
 * Files and folders of the cached packages that the executable can do without, as absolute paths.
 * A folder of which nothing is needed is named once; files below {@link SMALL} beside needed ones are not named.
 * @param cache `npmCache` of `deno info --json`
 * @param locked names with versions, as in deno.lock: `zod@4.6.7`
 */
export function unneededFiles(cache: string, locked: readonly string[]): string[] {
  const found: string[] = [];
  for (const registry of readdirSync(cache)) {
    for (const key of locked) {
      const [, name, version] = key.match(/^(.+?)@([^_]+)/)!;
      const folder = join(cache, registry, name!, version!);
      const needed = NEEDED[name!];
      if (needed === undefined || !existsSync(folder)) continue;
      if (needed === null) found.push(folder);
      else unneededBelow(folder, "", needed, found);
    }
  }
  return found;
}

/** Appends what is not needed below a folder, a whole folder as one; tells whether nothing there is needed. */
function unneededBelow(root: string, folder: string, needed: RegExp, found: string[]): boolean {
  const before = found.length;
  let none = true;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder + entry.name;
    if (entry.isDirectory()) none = unneededBelow(root, path + "/", needed, found) && none;
    else if (needed.test(path) || ALWAYS.test(path)) none = false;
    else if (statSync(join(root, path)).size >= SMALL) found.push(join(root, path));
  }
  if (none && folder !== "") found.splice(before, found.length, join(root, folder));
  return none;
}
