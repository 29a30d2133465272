/** Writes small ZIP files: texts, deflated, without ZIP64. */

/** A file with a text. */
export type NamedText = readonly [name: string, text: string];

/** Signatures of the records. */
const [LOCAL, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50];

/** Version 2.0, which can deflate. */
const VERSION = 20;

/** Names are UTF-8. */
const UTF8 = 1 << 11;

const DEFLATED = 8;

/** Most bytes of a ZIP file without ZIP64. */
const MOST_BYTES = 0xffffffff;

/**
 * Puts files into a ZIP file.
 *
 * @param at the local time that they get
 * @throws {RangeError} they are larger than 4 GiB
 */
export async function zipOf(files: readonly NamedText[], at: Date = new Date()): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let [start, length] = [0, 0];
  for (const [name, text] of files) {
    const bytes = new TextEncoder().encode(text);
    const stored = await deflated(bytes);
    const title = new TextEncoder().encode(name);
    // What both records of a file state.
    const both = [
      ...[VERSION, UTF8, DEFLATED, ...momentOf(at)].map(short),
      ...[crc32(bytes), stored.size, bytes.length].map(long),
      ...[title.length, 0].map(short),
    ];
    const local = [long(LOCAL), ...both, title, stored];
    const entry = [
      ...[long(ENTRY), short(VERSION), ...both],
      // Comment, disk, attributes.
      ...[short(0), short(0), short(0), long(0)],
      ...[long(start), title],
    ];
    parts.push(...local);
    directory.push(...entry);
    start += new Blob(local).size;
    length += new Blob(entry).size;
    if (start + length > MOST_BYTES) throw new RangeError("A ZIP file without ZIP64 ends at 4 GiB");
  }
  const end = [
    long(END),
    ...[0, 0, files.length, files.length].map(short),
    ...[length, start].map(long),
    short(0),
  ];
  return new Blob([...parts, ...directory, ...end], { type: "application/zip" });
}

const deflated = (bytes: Uint8Array<ArrayBuffer>): Promise<Blob> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).blob();

/** Time and date as MS-DOS had them: in steps of 2 s, from 1980 on. */
const momentOf = (at: Date): [time: number, date: number] => [
  at.getHours() << 11 | at.getMinutes() << 5 | at.getSeconds() >> 1,
  Math.max(0, at.getFullYear() - 1980) << 9 | at.getMonth() + 1 << 5 | at.getDate(),
];

const short = (value: number) => Uint8Array.of(value & 255, value >> 8);

const long = (value: number) => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);

/** Remainders of the bytes by the polynomial of ZIP. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? rest >>> 1 ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The checksum CRC-32 of ZIP files. */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = REMAINDERS[(rest ^ byte) & 255]! ^ rest >>> 8;
  return ~rest >>> 0;
}
