/** The XML of a LIF or LOF file, and where its blocks of samples are. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_BLOCKS, MAX_ID_CHARACTERS } from "./bounds.ts";
import { OBJECT_FILE } from "./first_text.ts";

/** Of a file with many blocks each has a name. */
const UTF16 = new TextDecoder("utf-16le");

const MAGIC = 0x70;
const FIELD = 0x2a;

/** Magic, bytes that follow, field mark, characters. */
const TEXT_HEAD = 13;

/** Bytes of the head of a block before its name, with a size of 8 or of 4 bytes, and most of them with it. */
const BLOCK_HEAD = { wide: 22, narrow: 18, usual: 64 } as const;

/** Where a LOF file has its samples: a text, two versions with their marks, a mark and a size. */
const OBJECT_VERSIONS = TEXT_HEAD + 2 * OBJECT_FILE.length;
const OBJECT_DATA = OBJECT_VERSIONS + 19;

/** Samples of one image. */
export interface Block {
  /** First byte. */
  readonly offset: number;
  /** Bytes that it declares. */
  readonly size: number;
  /** Bytes of it that are in the file. */
  readonly stored: number;
}

/** A text in the file. */
export interface StoredText {
  /** First byte. */
  readonly offset: number;
  /** UTF-16 characters. */
  readonly characters: number;
  /** The byte behind it. */
  readonly end: number;
}

/** Finds the text at `offset`. @throws {DecodeFailed} there is none, or it is longer than the file or the bound */
export function textAt(file: ByteSource, offset: number, what: string): StoredText {
  const head = new DataView(file.read(offset, TEXT_HEAD, what).buffer);
  if (head.getUint32(0, true) !== MAGIC || head.getUint8(8) !== FIELD) {
    throw new DecodeFailed(`${what} at ${offset} does not begin as a text of Leica does`);
  }
  const characters = head.getUint32(9, true);
  if (characters > MAX_XML_BYTES) {
    throw new DecodeFailed(`${what} has ${characters} characters, more than ${MAX_XML_BYTES}`);
  }
  file.require(offset + TEXT_HEAD, 2 * characters, what);
  return {
    offset: offset + TEXT_HEAD,
    characters,
    end: offset + TEXT_HEAD + 2 * characters,
  };
}

/** The text as it is, without what ends it. */
export function storedText(file: ByteSource, { offset, characters }: StoredText, what: string): string {
  const text = UTF16.decode(file.read(offset, 2 * characters, what));
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

/** The blocks of a file by their names. */
export interface BlockList {
  /** Samples by the name of the block; those without samples too. */
  readonly blocks: ReadonlyMap<string, Block>;
  /** What is wrong with the list. */
  readonly warnings: readonly Warning[];
}

/**
 * Walks over the blocks from `start` to the end of the file. One that the file ends in is the last; where a block does not
 * begin as one, those before it count.
 *
 * @param narrow whether sizes are expected to have 4 bytes, as in version 1
 * @throws {DecodeFailed} there are more than {@linkcode MAX_BLOCKS}
 */
export function listBlocks(
  file: ByteSource,
  start: number,
  { narrow, stop }: { readonly narrow: boolean; readonly stop: StopFlag },
): BlockList {
  const blocks = new Map<string, Block>();
  const repeated = new Set<string>();
  let at = start;
  while (at < file.size) {
    stop.check();
    const head = blockHead(file, at, narrow);
    if (head === null) {
      return {
        blocks,
        warnings: [
          ...repeatedNames(repeated),
          warning(
            "file_damaged",
            `The list of blocks ends at ${at} of ${file.size} bytes, where no block begins`,
          ),
        ],
      };
    }
    const { name, offset, size } = head;
    if (blocks.has(name)) repeated.add(name);
    blocks.set(name, { offset, size, stored: Math.max(0, Math.min(size, file.size - offset)) });
    if (blocks.size > MAX_BLOCKS) throw new DecodeFailed(`it has more than ${MAX_BLOCKS} blocks`);
    at = offset + size;
  }
  const cut = at > file.size
    ? [
      warning(
        "file_damaged",
        `The file is truncated: its last block ends at ${at}, the file at ${file.size}`,
      ),
    ]
    : [];
  return { blocks, warnings: [...repeatedNames(repeated), ...cut] };
}

const repeatedNames = (names: ReadonlySet<string>): Warning[] =>
  [...names].slice(0, 1).map((name) =>
    warning("content_left_out", `Several blocks are named ${quoted(name)}; the last one counts`)
  );

/** Name, first byte and size of the block at `at`, or `null` where none begins. */
function blockHead(
  file: ByteSource,
  at: number,
  narrow: boolean,
): { readonly name: string; readonly offset: number; readonly size: number } | null {
  const bytes = file.read(at, Math.min(BLOCK_HEAD.usual, file.size - at), "the head of a block");
  const view = new DataView(bytes.buffer);
  if (bytes.length < BLOCK_HEAD.narrow || view.getUint32(0, true) !== MAGIC || bytes[8] !== FIELD) {
    return null;
  }
  const forms = narrow ? [narrowForm(view), wideForm(view)] : [wideForm(view), narrowForm(view)];
  const form = forms.find((one) => one !== null);
  if (!form || form.characters > MAX_ID_CHARACTERS || !Number.isSafeInteger(at + form.size)) return null;
  const end = form.head + 2 * form.characters;
  if (at + end > file.size) return null;
  const name = UTF16.decode(
    end <= bytes.length
      ? bytes.subarray(form.head, end)
      : file.read(at + form.head, end - form.head, "the name of a block"),
  );
  return { name: name.replace(/\0+$/, ""), offset: at + end, size: form.size };
}

interface BlockForm {
  readonly head: number;
  readonly size: number;
  readonly characters: number;
}

/** A size of 8 bytes, of version 2. */
function wideForm(view: DataView): BlockForm | null {
  const { wide } = BLOCK_HEAD;
  if (view.byteLength < wide || view.getUint8(17) !== FIELD) return null;
  const size = view.getUint32(9, true) + 2 ** 32 * view.getUint32(13, true);
  return { head: wide, size, characters: view.getUint32(18, true) };
}

/** A size of 4 bytes, of version 1. */
function narrowForm(view: DataView): BlockForm | null {
  const { narrow } = BLOCK_HEAD;
  if (view.getUint8(13) !== FIELD) return null;
  return { head: narrow, size: view.getUint32(9, true), characters: view.getUint32(14, true) };
}

/** The one block of a LOF file, behind which its XML stands. */
export function objectBlock(file: ByteSource): Block {
  const what = "the head of the object";
  const view = new DataView(
    file.read(OBJECT_VERSIONS, OBJECT_DATA - OBJECT_VERSIONS, what).buffer,
  );
  if (view.getUint8(0) !== FIELD || view.getUint8(5) !== FIELD || view.getUint8(10) !== FIELD) {
    throw new DecodeFailed(`${what} at ${OBJECT_VERSIONS} does not begin as one does`);
  }
  const size = view.getUint32(11, true) + 2 ** 32 * view.getUint32(15, true);
  file.require(OBJECT_DATA, size, "the samples of the object");
  return { offset: OBJECT_DATA, size, stored: size };
}
