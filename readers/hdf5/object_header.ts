/** Object headers (section IV.A): the messages that describe a group, a dataset or a datatype. */
import { type Hdf5Blocks, verifyChecksum } from "./blocks.ts";
import { DamagedStructure, Fields } from "./fields.ts";

/** Types of messages. */
export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFill: 0x04,
  fill: 0x05,
  link: 0x06,
  externalFiles: 0x07,
  layout: 0x08,
  groupInfo: 0x0a,
  filters: 0x0b,
  attribute: 0x0c,
  sharedTable: 0x0f,
  continuation: 0x10,
  symbolTable: 0x11,
  attributeInfo: 0x15,
  referenceCount: 0x16,
} as const;

/** A message of a header. */
export interface Message {
  readonly type: number;
  readonly bytes: Uint8Array;
  /** Whether the bytes tell where the message is, instead of being it. */
  readonly isShared: boolean;
}

/** A header with its parts. */
export interface ObjectHeader {
  readonly address: number;
  readonly messages: readonly Message[];
  /** Number of hard links that lead to the object. */
  readonly links: number;
  /** Messages have a multiple of so many bytes. */
  readonly alignment: 1 | 8;
}

/** Most parts of a header, and most bytes of all its parts. Attributes that need more are stored outside. */
const [MAX_PARTS, MAX_HEADER_BYTES] = [4096, 32 << 20];

/** Largest prefix of a header of version 2: letters, version, flags, times, limits and size. */
const PREFIX_BYTES = 34;

/** Reads a header. @throws {DamagedStructure} */
export function readObjectHeader(blocks: Hdf5Blocks, address: number): ObjectHeader {
  const what = "an object header";
  const start = blocks.read(address, 4, what);
  const isSecond = String.fromCharCode(...start.bytes) === "OHDR";
  return isSecond ? readSecond(blocks, address, what) : readFirst(blocks, address, what);
}

/** Reads the parts that continuations lead to. Each begins after the place that `body` skips. */
function readParts(
  blocks: Hdf5Blocks,
  address: number,
  first: Fields,
  body: (fields: Fields, add: (message: Message) => void) => void,
  part: (fields: Fields) => Fields,
): Message[] {
  const messages: Message[] = [];
  const left: Fields[] = [first];
  let [parts, bytes] = [0, 0];
  for (let fields = left.pop(); fields !== undefined; fields = left.pop()) {
    bytes += fields.left;
    if ((parts += 1) > MAX_PARTS || bytes > MAX_HEADER_BYTES) fields.fail("it has too many parts");
    let isEmpty = false;
    body(fields, (message) => {
      const wasEmpty = isEmpty;
      isEmpty = message.type === 0 && message.bytes.length === 0;
      // Neighbours that hold nothing are joined to one.
      if (isEmpty && wasEmpty) fields.fail("messages are zeros");
      messages.push(message);
      if (message.type !== MESSAGE.continuation) return;
      const own = new Fields(message.bytes, first.what, first.sizes);
      const [at, length] = [own.definedAddress(), own.length()];
      const what = "a part of an object header";
      blocks.claim(at, `the object header at ${address}, part ${left.length + parts}`, what);
      left.push(part(blocks.read(at, length, what)));
    });
  }
  return messages;
}

function readFirst(blocks: Hdf5Blocks, address: number, what: string): ObjectHeader {
  const prefix = blocks.read(address, 16, what);
  prefix.version(1);
  prefix.skip(1);
  const [count, links, size] = [prefix.u16(), prefix.u32(), prefix.u32()];
  const first = blocks.read(address + 16, size, what);
  const messages = readParts(blocks, address, first, (fields, add) => {
    while (fields.left >= 8) {
      const [type, length, flags] = [fields.u16(), fields.u16(), fields.u8()];
      fields.skip(3);
      add({ type, bytes: fields.take(length), isShared: (flags & 2) !== 0 });
    }
    if (fields.left > 0) fields.fail(`${fields.left} bytes follow its messages`);
  }, (fields) => fields);
  if (messages.length !== count) {
    throw new DamagedStructure(
      `${what} at ${address} is damaged: it states ${count} messages and has ${messages.length}`,
    );
  }
  return { address, messages, links, alignment: 8 };
}

function readSecond(blocks: Hdf5Blocks, address: number, what: string): ObjectHeader {
  const most = Math.min(PREFIX_BYTES, blocks.superblock.end - address);
  const prefix = blocks.read(address, most, what, false);
  prefix.signature("OHDR");
  prefix.version(2);
  const flags = prefix.u8();
  prefix.skip((flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  const size = prefix.uint(1 << (flags & 3));
  const first = blocks.readChecked(address, prefix.at + size + 4, what);
  first.skip(prefix.at);
  const order = flags & 4 ? 2 : 0;
  const messages = readParts(blocks, address, first, (fields, add) => {
    // Fewer bytes than a message needs are a gap.
    while (fields.left >= 4 + order) {
      const [type, length, flags] = [fields.u8(), fields.u16(), fields.u8()];
      fields.skip(order);
      add({ type, bytes: fields.take(length), isShared: (flags & 2) !== 0 });
    }
  }, (fields) => {
    const own = verifyChecksum(fields);
    own.signature("OCHK");
    return own;
  });
  const counted = messages.find(({ type }) => type === MESSAGE.referenceCount);
  const links = counted === undefined ? 1 : new DataView(counted.bytes.slice().buffer).getUint32(1, true);
  return { address, messages, links, alignment: 1 };
}
