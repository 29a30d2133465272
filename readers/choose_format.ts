/** From a validated path to the format that opens it: by content first, then by extension. */
import { basename, dirname, join, sep } from "node:path";
import type { ByteSource } from "./io/byte_source.ts";
import { DecodeFailed, NoImage, Unreadable, UnsupportedFormat } from "./errors.ts";
import { type FileFormat, type Format, HEAD_BYTES } from "./format.ts";
import {
  DIRECTORY_FORMATS,
  FILE_FORMATS,
  findExtension,
  FORMATS,
  MARKED_FORMATS,
  mayHoldPaths,
  STORE_MARKERS,
} from "./formats.ts";
import { classifyPathError, type PathKind, withoutFolder } from "./io/paths.ts";
import type { FileAccess } from "./io/file_access.ts";
import type { Scenes } from "./reader.ts";
import { requireScene } from "./metadata/selection.ts";
import type { TimedAcquisition } from "./metadata/time_stamps.ts";
import { foldAcquisition, foldSizes } from "./rows_in_time.ts";

/** The format, and the path to pass to its reader; for a file in a store, the directory of the store. */
export interface ChosenFormat {
  readonly format: Format;
  readonly path: string;
}

/**
 * Chooses the reader.
 *
 * @throws {UnsupportedFormat} content and extension are both unknown, or the format is not allowed
 * @throws {DecodeFailed} the extension is accepted, but the content is not recognised
 */
export async function chooseFormat(
  path: string,
  allowedExtensions: readonly string[],
  files: FileAccess,
): Promise<ChosenFormat> {
  const archive = files.archiveOf(path);
  if (archive !== null && mayHoldPaths(archive)) {
    const { format } = await chooseFormat(archive, allowedExtensions, files);
    return { format, path: STORE_MARKERS.includes(basename(path)) ? dirname(path) : path };
  }
  const rules = nameRules(path, allowedExtensions);
  const kind = files.kind(path);
  const store = await storeAt(path, kind, files);
  if (store !== null) {
    if (rules.allow(store.format)) return store;
    throw rules.notAllowed(store.format.extensions[0]!);
  }
  if (kind === "directory") throw await noStore(path, rules, files);
  return { format: await formatOfFile(path, rules, files), path };
}

/** Loaded readers. Importing one again takes as long as opening a file. */
const READERS = new Map<Format, Awaited<ReturnType<Format["load"]>>>();

/** A scene, with the facts about all scenes. */
export interface OpenedScene {
  readonly acquisition: TimedAcquisition;
  readonly scene: number;
  readonly scenes: Scenes;
}

/**
 * Opens a scene with the reader of the chosen format; if `scene` is `null`, the scene that the opened file belongs to.
 *
 * @param staysInFolder true if no collection document above the path may be read
 * @throws {SceneOutOfRange} there is no such scene
 * @throws {ReaderError} as the reader does; without images, {@linkcode UnsupportedFormat} unless the name has a known extension
 */
export async function openChosen(
  { format, path }: ChosenFormat,
  files: FileAccess,
  scene: number | null,
  staysInFolder = false,
): Promise<OpenedScene> {
  const reader = READERS.get(format) ?? await format.load();
  READERS.set(format, reader);
  try {
    const scenes = await reader.scenes({ path, files, staysInFolder });
    const index = scene ?? scenes.own;
    requireScene(basename(path), scenes.count, index);
    const acquisition = await foldAcquisition(await scenes.open(index), files.stop);
    const entries = (most: number) =>
      scenes.entries(most).map(({ name, isBuilt, sizes }) => ({
        name: name === null || isBuilt ? name : withoutFolder(name),
        sizes: foldSizes(sizes),
      }));
    return { acquisition, scene: index, scenes: { ...scenes, entries } };
  } catch (error) {
    if (error instanceof NoImage && findExtension(path) === null) {
      throw new UnsupportedFormat(error.message, { cause: error });
    }
    throw error;
  }
}

/** What the name of a path says about its format, and which extensions the operator allows. */
function nameRules(path: string, allowedExtensions: readonly string[]) {
  // The root of a file system has no last part.
  const name = basename(path) || path;
  const extension = findExtension(path);
  const promised = extension !== null && allowedExtensions.includes(extension) ? extension : null;
  const allowed = allowedExtensions.join(" ");
  return {
    name,
    extension,
    allowed,
    /** True if the path's extension is allowed, or one of the format found by content. */
    allow: ({ extensions }: Format) =>
      promised !== null || extensions.some((own) => allowedExtensions.includes(own)),
    /** The format that the path's extension stands for. */
    expected: <F extends Format>(formats: readonly F[]): F | undefined =>
      formats.find(({ extensions }) => promised !== null && extensions.includes(promised)),
    notAllowed(own: string) {
      const text = `"${name}" is of a format ("${own}") that is not allowed here`;
      return new UnsupportedFormat(`${text}; this server opens ${allowed}`);
    },
  };
}

type NameRules = ReturnType<typeof nameRules>;

/** The store at `path`, which is its directory or a marker file in it; or `null`. */
async function storeAt(path: string, kind: PathKind | null, files: FileAccess): Promise<ChosenFormat | null> {
  for (const format of MARKED_FORMATS) {
    const { markers = [], markedFolder, opensMarker } = format;
    if (kind === "file" && markers.some((marker) => join(path).endsWith(sep + join(marker)))) {
      return { format, path: opensMarker ? path : dirname(path) };
    }
    const folders = markedFolder === undefined ? [path] : [path, join(path, markedFolder)];
    const marked = kind === "directory" &&
      folders.some((folder) => markers.some((name) => files.kind(join(folder, name)) === "file"));
    if (marked) return { format, path };
  }
  for (const format of kind === "directory" ? DIRECTORY_FORMATS : []) {
    if (await askOrExplain(path, () => format.marksFolder?.(path, files))) return { format, path };
  }
  return null;
}

async function noStore(
  path: string,
  rules: NameRules,
  files: FileAccess,
): Promise<DecodeFailed | UnsupportedFormat> {
  await askOrExplain(path, () => files.requireReadable(path));
  const expected = rules.expected(DIRECTORY_FORMATS);
  if (expected) return new DecodeFailed(`the directory holds none of ${expected.markers.join(", ")}`);
  const contents = MARKED_FORMATS.map(({ content }) => content).join(", no ");
  return new UnsupportedFormat(`"${rules.name}" is a directory but no image store: it holds no ${contents}`);
}

/** The result of `look`. @throws {PathNotFound} the server may not read the requested path */
async function askOrExplain<T>(path: string, look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    throw error instanceof Unreadable ? classifyPathError(path, error.cause) : error;
  }
}

async function formatOfFile(path: string, rules: NameRules, files: FileAccess): Promise<Format> {
  const file = await askOrExplain(path, () => files.open(path));
  const head = file.read(0, Math.min(HEAD_BYTES, file.size), "the start");
  let recognised: Format | undefined;
  for (const format of FILE_FORMATS) recognised ??= await format.claims?.(path, files) ? format : undefined;
  recognised ??= await recognise(file, head, rules.extension);
  if (recognised && rules.allow(recognised)) {
    files.handOn(file);
    return recognised;
  }
  file.close();
  const expected = rules.expected(FORMATS);
  const own = await expected?.explains?.(head, rules.name) ?? null;
  if (expected && (file.size === 0 || expected.sharesExtensions !== true)) {
    const other = `the content is not ${expected.title}, which "${rules.extension}" stands for`;
    throw new DecodeFailed(file.size === 0 ? "the file is empty" : own ?? other);
  }
  const known = rules.extension ?? recognised?.extensions[0];
  if (known !== undefined && !expected) throw rules.notAllowed(known);
  const explanation = own ?? await explanationOf(rules.name, head);
  const unknown = `is of no known format; this server opens ${rules.allowed} (README.md#what-it-reads)`;
  throw new UnsupportedFormat(
    `"${rules.name}" ${explanation === null ? unknown : `cannot be opened: ${explanation}`}`,
  );
}

/** The format of a file by its content. If several formats share the container, its contents or the extension decide. */
async function recognise(
  file: ByteSource,
  head: Uint8Array,
  extension: string | null,
): Promise<Format | undefined> {
  const fitting: FileFormat[] = [];
  for (const format of FILE_FORMATS) {
    if (format.recognises(head) && (await format.isDialect?.(file) ?? true)) fitting.push(format);
  }
  for (const format of fitting.length === 0 ? FILE_FORMATS : []) {
    if (await format.beginsLater?.(file)) fitting.push(format);
  }
  const known = fitting.find((format) => format.isDialect) ??
    fitting.find((format) => extension !== null && format.extensions.includes(extension));
  if (known) return known;
  for (const format of fitting) {
    if (await format.confirms?.(file) ?? true) return format;
  }
  return undefined;
}

/** What an unsupported file is and what to open instead, by the extensions and names of related files; or `null`. */
async function explanationOf(name: string, head: Uint8Array): Promise<string | null> {
  const lower = name.toLowerCase();
  for (const { relatives = [], isRelative, explains } of FORMATS) {
    if (relatives.some((extension) => lower.endsWith(extension)) || await isRelative?.(name)) {
      return await explains?.(head, name) ?? null;
    }
  }
  return null;
}
