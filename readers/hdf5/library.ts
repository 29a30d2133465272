/**
 * The HDF5 library of h5wasm, reading through {@linkcode ByteSource}s. Each open file is a node of a file system type of its own,
 * so that each read of the library is checked against roots, marks, sizes and the stop flag. No other file exists for it, whatever
 * a link in a file names.
 *
 * The memory of an instance starts at 18 MiB, grows at most as far as its load allows, and ends with the load.
 */
import { DecodeFailed } from "../errors.ts";
import { WasmDecoder } from "../codecs/wasm_decoder.ts";
import type { ByteSource } from "../io/byte_source.ts";

/** Type of an object, as `get_type` gives it. */
export const OBJECT = { group: 0, dataset: 1, link: 3, externalLink: 4 } as const;

/** Class of a datatype (HDF5 File Format Specification, section IV.A.2.d). */
export const CLASS = { integer: 0, float: 1, string: 3, enum: 8, vlen: 9 } as const;

/** Datatype and dataspace of a dataset or attribute. */
export interface Metadata {
  readonly type: number;
  /** Bytes of an element. */
  readonly size: number;
  readonly signed: boolean;
  readonly littleEndian: boolean;
  /** `null` for an empty dataspace, `[]` for a scalar. */
  readonly shape: readonly number[] | null;
  readonly chunks: readonly number[] | null;
  readonly vlen: boolean;
  readonly virtual_sources?: readonly unknown[];
  readonly enum_type?: { readonly type: number; readonly members: Readonly<Record<string, number>> };
}

/** A filter of a dataset's pipeline. */
export interface Filter {
  readonly id: number;
  readonly name: string;
  readonly cd_values: readonly number[];
}

/** Numbers along the axes of a dataset; `null` for all of it. */
export type Extent = bigint[] | null;

/** What is used of the module (`hdf5_util.cc` of h5wasm). Functions without an error code throw anything. */
export interface Library {
  readonly HEAPU8: Uint8Array;
  readonly FS: FileSystem;
  open(path: string, mode: number): bigint;
  close_file(file: bigint): number;
  get_type(file: bigint, path: string): number;
  get_names(file: bigint, path: string, isDeep: boolean): string[];
  get_symbolic_link(file: bigint, path: string): string;
  get_external_link(file: bigint, path: string): { readonly filename: string; readonly obj_path: string };
  get_attribute_names(file: bigint, path: string): string[];
  get_attribute_metadata(file: bigint, path: string, name: string): Metadata;
  get_attribute_data(file: bigint, path: string, name: string, to: bigint): number;
  get_dataset_metadata(file: bigint, path: string): Metadata;
  get_dataset_filters(file: bigint, path: string): Filter[];
  get_dataset_data(
    file: bigint,
    path: string,
    count: Extent,
    offset: Extent,
    stride: Extent,
    to: bigint,
  ): number;
  reclaim_vlen_memory(file: bigint, path: string, attribute: string, at: bigint): number;
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/** A file or folder for the library. */
export interface Node {
  readonly id: number;
  readonly mode: number;
  /** Undefined for a folder. */
  held?: Held;
}

interface Stream {
  readonly node: Required<Node>;
  readonly position: number;
}

/** What is used of Emscripten's file system. */
export interface FileSystem {
  readonly ErrnoError: new (errno: number) => Error;
  createNode(parent: unknown, name: string, mode: number, device: number): Node;
  /** Forgets a node, which is otherwise kept by its name. */
  destroyNode(node: Node): void;
  mkdir(path: string): void;
  mount(type: unknown, options: object, path: string): void;
}

/** Errors of Emscripten (WASI): no such file, input or output failed, invalid argument. */
const [NOT_FOUND, IO_ERROR, INVALID] = [44, 29, 28];

/** Modes of POSIX: a folder, and a file that can only be read. */
const [FOLDER, FILE] = [0o40555, 0o100444];

/** Where files appear for the library. */
const FOLDER_NAME = "/acquisition";

/** A read of the library. */
export interface Read {
  readonly position: number;
  readonly length: number;
}

/** Looks at what the library has read, in the memory of the library. @throws to fail the read */
export type Look = (read: Read, bytes: Uint8Array) => void;

/** A source that the library reads, with what happened meanwhile. */
export interface Held {
  readonly source: ByteSource;
  /** Why a read failed. */
  error: unknown;
  /** Looks at each read; `null` while nobody looks. */
  look: Look | null;
  /** Has the file system forget its node. */
  forget: () => void;
}

const held = new Map<string, Held>();
let files = 0;

/** Lines of the library's error stack since they were taken last, the innermost last. */
const faults: string[] = [];

/** Most lines of an error stack that are kept. */
const MOST_FAULTS = 64;

/** Bytes of an instance from the start, with what opening a file and walking its tree take. */
const OWN_BYTES = 64 << 20;

const HDF5 = new WasmDecoder(async () => {
  // The package exports only a module that makes one instance for ever; its factory lies beside that module.
  const factory = new URL("hdf5_util.js", import.meta.resolve("h5wasm"));
  const { default: make } = await import(factory.href);
  const printErr = (line: string) => {
    if (faults.length < MOST_FAULTS) faults.push(line);
  };
  const made: Library = await make({ noInitialRun: true, print: () => {}, printErr });
  made.FS.mkdir(FOLDER_NAME);
  made.FS.mount(fileSystemType(made.FS), {}, FOLDER_NAME);
  return made;
});

/** Has `deno compile` embed the package, which is otherwise found by its address. */
export const embedded = (): Promise<unknown> => import("h5wasm");

/** The instance of this load, whose memory may grow by this many bytes. */
export const library = (bytes: number): Promise<Library> => HDF5.instance(OWN_BYTES + bytes);

/** Has the next load get a new instance, since one that aborted is unusable. */
export const dropLibrary = (): void => HDF5.drop();

/** Start of a global heap collection, and bytes before its objects and before the data of each (section III.E). */
const [HEAP_SIGNATURE, HEAP_HEADER, OBJECT_HEADER] = [[0x47, 0x43, 0x4f, 0x4c], 16, 16];

/**
 * Checks a collection of variable-length texts. The library walks from object to object by their sizes, and never ends if a
 * size leads back.
 *
 * @throws {DecodeFailed}
 */
function requireEndingHeap(bytes: Uint8Array): void {
  if (bytes.length < HEAP_HEADER || !HEAP_SIGNATURE.every((byte, i) => bytes[i] === byte)) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = view.getBigUint64(8, true);
  let at = BigInt(HEAP_HEADER);
  // The library reads a long collection twice, at first only its start.
  while (at + BigInt(OBJECT_HEADER) <= end && at + BigInt(OBJECT_HEADER) <= bytes.length) {
    const size = view.getBigUint64(Number(at) + 8, true);
    // Free space, with index 0, counts its header.
    const isFree = view.getUint16(Number(at), true) === 0;
    const need = isFree ? size : BigInt(OBJECT_HEADER) + (size + 7n & ~7n);
    if (need === 0n || at + need > end) throw new DecodeFailed("a heap of texts in the HDF5 file is damaged");
    at += need;
  }
}

/** A type of file system whose only folder has the sources in {@linkcode held}. */
function fileSystemType(fs: FileSystem) {
  const fault = (errno: number) => new fs.ErrnoError(errno);
  const attributes = (node: Node) => ({
    dev: 1,
    ino: node.id,
    mode: node.mode,
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size: node.held?.source.size ?? 0,
    atime: new Date(0),
    mtime: new Date(0),
    ctime: new Date(0),
    blksize: 4096,
    blocks: 0,
  });
  const streamOperations = {
    open() {},
    close() {},
    llseek(stream: Stream, offset: number, whence: number) {
      const { size } = stream.node.held.source;
      const position = whence === 1 ? stream.position + offset : whence === 2 ? size + offset : offset;
      if (position < 0) throw fault(INVALID);
      return position;
    },
    read(stream: Stream, target: Int8Array, at: number, length: number, position: number) {
      const { held } = stream.node;
      const count = Math.max(0, Math.min(length, held.source.size - position));
      try {
        const bytes = new Uint8Array(target.buffer, target.byteOffset + at, count);
        held.source.readInto(position, bytes, "HDF5");
        requireEndingHeap(bytes);
        held.look?.({ position, length: count }, bytes);
      } catch (error) {
        held.error ??= error;
        throw fault(IO_ERROR);
      }
      return count;
    },
  };
  const nodeOperations = {
    getattr: attributes,
    lookup(parent: unknown, name: string) {
      const one = held.get(name);
      if (one === undefined) throw fault(NOT_FOUND);
      const node = fs.createNode(parent, name, FILE, 0);
      one.forget = () => fs.destroyNode(node);
      return Object.assign(node, { held: one, node_ops: nodeOperations, stream_ops: streamOperations });
    },
  };
  return {
    mount() {
      const root = fs.createNode(null, "/", FOLDER, 0);
      return Object.assign(root, { node_ops: nodeOperations, stream_ops: streamOperations });
    },
  };
}

/** A source that the library may read, until it is disposed of. */
export class HeldSource {
  readonly path: string;
  readonly #name: string;
  readonly #held: Held;

  constructor(source: ByteSource) {
    files += 1;
    this.#name = String(files);
    this.path = `${FOLDER_NAME}/${this.#name}`;
    this.#held = { source, error: null, look: null, forget: () => {} };
    held.set(this.#name, this.#held);
  }

  /** Why a read failed since the last call, or `null`. */
  takeError(): unknown {
    const { error } = this.#held;
    this.#held.error = null;
    return error;
  }

  /** Runs work whose reads are looked at. */
  watch<Result>(look: Look, work: () => Result): Result {
    this.#held.look = look;
    try {
      return work();
    } finally {
      this.#held.look = null;
    }
  }

  [Symbol.dispose](): void {
    this.#held.forget();
    held.delete(this.#name);
  }
}

/** Lines of the error stack since the last call, without their numbers, the innermost last. */
export function takeFaults(): string[] {
  // Lines are like `  #002: H5Z.c line 1467 in H5Z_pipeline(): required filter 'lz4' is not registered`.
  return faults.splice(0).filter((line) => /^\s*#\d+:/.test(line))
    .map((line) => line.replace(/^\s*#\d+:.*?\(\):\s*/, "").trim());
}
