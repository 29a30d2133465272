/** The acquisitions and folders in a folder, found by name. Headers decide where a name may be that of a part of another file. */
import { realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { PathNotFound, quoted, UnsupportedFormat } from "../readers/errors.ts";
import { COLLECTION_NAME } from "../readers/collection/names.ts";
import { loadGroupings, MARKED_FORMATS } from "../readers/formats.ts";
import { MAX_FOLDER_ENTRIES } from "../readers/io/limits.ts";
import { isAppleDouble } from "../readers/io/names.ts";
import { classifyFailure, classifyPathError, isInsideRoots, standsForBytes } from "../readers/io/paths.ts";
import type { NamedPart } from "./worker/named_parts.ts";
import { listed as listedNames, warnIf, type Warning, type WarningCode } from "../readers/warning.ts";
import { findDoubtfulParts, groupByName, type NamedAcquisition } from "./named_acquisitions.ts";
import { checkPath, type OpenRules } from "./source_path.ts";

/** An acquisition, a collection or a folder. */
export interface ListedEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "folder" | "image" | "collection";
  /** Short name of the format; `null` for folders. */
  readonly format: string | null;
  /** Bytes of all files together; `null` for a folder. */
  readonly bytes: number | null;
  readonly modified: string;
}

/** The contents of a folder. */
export interface FolderListing {
  readonly path: string;
  /** By name, in order of code units. */
  readonly entries: readonly ListedEntry[];
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  readonly warningCodes: readonly WarningCode[];
}

/** Whether each of some files is a part of another one, by their headers; `null` for one that was not looked into. */
export type AskParts = (
  named: readonly NamedPart[],
  roots: readonly string[] | null,
) => Promise<readonly (boolean | null)[]>;

/** Largest number of entries in an answer, the same as for scenes. */
const MAX_ENTRIES = 10_000;

/** File system queries at the same time; more are not faster. */
const AT_ONCE = 16;

/** A folder as one request may look at it. */
interface ListedFolder {
  readonly path: string;
  readonly roots: readonly string[] | null;
  readonly allowedExtensions: readonly string[];
  readonly signal: AbortSignal;
  /** Names of what cannot be looked at. */
  readonly unreadable: Set<string>;
}

type ListingCandidate = NamedAcquisition | { readonly name: string; readonly files: null };

/**
 * Lists a folder. Names that begin with a dot are left out, as in file dialogs.
 *
 * @param contains text in the names of what is listed; case does not matter
 * @throws {UnsupportedFormat} the path is that of a file
 * @throws {PathNotAllowed | PathNotFound | Unreadable} or the reason of the signal
 */
export async function listFolder(
  asked: string,
  { roots, allowedExtensions }: OpenRules,
  signal: AbortSignal,
  askParts: AskParts,
  contains = "",
): Promise<FolderListing> {
  const path = await checkPath(asked, roots);
  const resolved = roots?.map((root) => root.resolved) ?? null;
  const folder: ListedFolder = { path, roots: resolved, allowedExtensions, signal, unreadable: new Set() };
  const { files, folders, isCut } = await readFolderNames(folder, asked);
  const groupings = await loadGroupings();
  files.sort();
  const doubtful = findDoubtfulParts(groupings, basename(path), files, allowedExtensions);
  const named = doubtful.map(({ format, name, main }) => {
    return { format, path: join(path, name), main: join(path, main) };
  });
  const areParts = named.length === 0 ? [] : await askParts(named, resolved);
  const alone = new Set(doubtful.filter((_, i) => areParts[i] === false).map(({ name }) => name));
  const acquisitions = groupByName(groupings, basename(path), files, folders, allowedExtensions, alone);
  const taken = new Set(acquisitions.map(({ folder }) => folder));
  const others = folders.filter((name) => !taken.has(name)).map((name) => ({ name, files: null }));
  const wanted = contains.toLowerCase();
  const all = [...acquisitions, ...others].filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => a.name < b.name ? -1 : 1);
  const listed = all.slice(0, MAX_ENTRIES);
  const entries = await doForEach(listed, signal, (one: ListingCandidate) => inspectEntry(folder, one));
  const warnings = warnAboutLeftOut(folder.unreadable, areParts.filter((isPart) => isPart === null).length);
  return {
    path,
    entries: entries.filter((entry) => entry !== null),
    truncated: isCut || all.length > MAX_ENTRIES,
    warnings: warnings.map(({ text }) => text),
    warningCodes: warnings.map(({ code }) => code),
  };
}

/** Warns about names that are not UTF-8, others that cannot be looked at, and a number of files that may be hidden. */
function warnAboutLeftOut(unreadable: ReadonlySet<string>, hidden: number): Warning[] {
  const { bytes = [], others = [] } = Object.groupBy(
    unreadable,
    (name) => standsForBytes(name) ? "bytes" : "others",
  );
  const names = (some: readonly string[]) => listedNames(some.toSorted().map((name) => quoted(name)));
  const unknown = `Names that are not UTF-8 are left out; rename them: ${names(bytes)}`;
  const closed = `What cannot be looked at is left out: ${names(others)}`;
  const parts = `Files that are named like parts of others are left out without a look at them: ${hidden}`;
  return [
    ...warnIf(bytes.length > 0, "file_unreadable", unknown),
    ...warnIf(others.length > 0, "file_unreadable", closed),
    ...warnIf(hidden > 0, "content_left_out", parts),
  ];
}

/** Names of the files and folders in a folder, links included, and whether there are too many. */
async function readFolderNames(folder: ListedFolder, asked: string) {
  const files: string[] = [];
  const folders: string[] = [];
  const links: string[] = [];
  let count = 0;
  try {
    if ((await Deno.stat(folder.path)).isFile) {
      throw new UnsupportedFormat(`${quoted(asked)} is a file, not a folder; POST /api/v2/open opens it`);
    }
    for await (const { name, isFile, isDirectory, isSymlink } of Deno.readDir(folder.path)) {
      if (name.startsWith(".")) continue;
      if ((count += 1) > MAX_FOLDER_ENTRIES) break;
      if (isSymlink) links.push(name);
      else if (isFile) files.push(name);
      else if (isDirectory) folders.push(name);
    }
  } catch (cause) {
    throw cause instanceof UnsupportedFormat ? cause : classifyPathError(asked, cause);
  }
  await doForEach(links, folder.signal, async (name) => {
    const found = await look(folder, name);
    if (found?.isFile) files.push(name);
    else if (found?.isDirectory) folders.push(name);
  });
  return { files, folders, isCut: count > MAX_FOLDER_ENTRIES };
}

/** The entry; `null` if it has disappeared or cannot be inspected. */
async function inspectEntry(folder: ListedFolder, candidate: ListingCandidate): Promise<ListedEntry | null> {
  const { name } = candidate;
  const path = join(folder.path, name);
  if (candidate.files === null) {
    const found = await look(folder, name);
    return found &&
      { name, path, ...await inspectFolder(folder, name), bytes: null, modified: findLatestTime([found]) };
  }
  const { format, files, folder: below } = candidate;
  const names = [...files, ...below === null ? [] : await listFilesIn(folder, below)];
  const found = (await doForEach(names, folder.signal, (part) => look(folder, part)))
    .filter((info) => info !== null);
  if (found.length === 0) return null;
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  return { name, path, kind: "image", format, bytes, modified: findLatestTime(found) };
}

/** The kind of a folder, by the files that mark stores and collections. */
async function inspectFolder(
  folder: ListedFolder,
  name: string,
): Promise<Pick<ListedEntry, "kind" | "format">> {
  const marks = MARKED_FORMATS.flatMap(({ name: format, markers = [], markedFolder, extensions }) => {
    if (!extensions.some((extension) => folder.allowedExtensions.includes(extension))) return [];
    const folders = markedFolder === undefined ? [name] : [name, join(name, markedFolder)];
    return folders.flatMap((inner) =>
      markers.map((marker) => ({ format, marker, place: join(inner, marker) }))
    );
  });
  // Metadata of a Zarr group are in the root of a collection of acqstore, too.
  const isSure = ({ marker }: { readonly marker: string }) => marker.includes("/");
  for (const { format, place } of [...marks.filter(isSure), ...marks.filter((one) => !isSure(one))]) {
    if (!(await look(folder, place))?.isFile) continue;
    return { kind: format === COLLECTION_NAME ? "collection" : "image", format };
  }
  return { kind: "folder", format: null };
}

/** Names of the files directly in a subfolder, prefixed with its name; notes that name if the subfolder cannot be read to its end. */
async function listFilesIn(folder: ListedFolder, name: string): Promise<string[]> {
  const names: string[] = [];
  const path = join(folder.path, name);
  try {
    for await (const file of Deno.readDir(path)) {
      if (file.isFile && !isAppleDouble(file.name)) names.push(join(name, file.name));
      if (names.length >= MAX_FOLDER_ENTRIES) break;
    }
  } catch (cause) {
    if (!(classifyFailure(path, "listed", cause) instanceof PathNotFound)) folder.unreadable.add(name);
  }
  return names;
}

/** The file or folder of a name; `null` if it is missing or outside the roots, or, noting its name, if it cannot be looked at. */
async function look(
  { path: folder, roots, unreadable }: ListedFolder,
  name: string,
): Promise<Deno.FileInfo | null> {
  const path = join(folder, name);
  try {
    const resolved = roots === null ? path : await realpath(path);
    return isInsideRoots(resolved, roots) ? await Deno.stat(resolved) : null;
  } catch (cause) {
    // A link out of the roots looks like one that leads nowhere. Markers below a folder are looked up in vain in most cases.
    const isMissing = classifyFailure(path, "looked at", cause) instanceof PathNotFound;
    const isOwn = !name.includes(sep) && (roots === null || !(await isLink(path)));
    if (isOwn && (!isMissing || standsForBytes(name))) unreadable.add(name);
    return null;
  }
}

const isLink = async (path: string) => await Deno.lstat(path).then(({ isSymlink }) => isSymlink, () => false);

/** Calls `work` for each item, several at a time. @throws the reason of the signal */
async function doForEach<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    signal.throwIfAborted();
    results.push(...await Promise.all(items.slice(at, at + AT_ONCE).map(work)));
  }
  return results;
}

function findLatestTime(found: readonly Deno.FileInfo[]): string {
  const latest = found.reduce((latest, { mtime }) => Math.max(latest, mtime?.getTime() ?? 0), 0);
  return new Date(latest).toISOString();
}
