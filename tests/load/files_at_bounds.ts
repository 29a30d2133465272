/** Files at the bounds of the parsers: each makes a reader build as much as it may, or one more. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { MAX_SUBBLOCKS } from "../../readers/czi/directory.ts";
import { MAX_SCENES } from "../../readers/czi/document.ts";
import { MAX_PLANNED } from "../../readers/czi/plane_plan.ts";
import { MAX_CHANNELS, MAX_XML_BYTES, MAX_XML_DEPTH, MAX_XML_NODES } from "../../readers/io/limits.ts";
import { MAX_FRAMES } from "../../readers/nd2/chunk_map.ts";
import { MAX_SEGMENTS } from "../../readers/tiff/page.ts";
import { MAX_ENTRIES } from "../../readers/tiff/tags.ts";
import { MAX_DIRECTORIES } from "../../readers/tiff/tiff_file.ts";
import { entryBytes, ramp16, segment, writeCzi, type WrittenDimension } from "../fixtures/czi_writer.ts";
import { writeCompound } from "../fixtures/compound_writer.ts";
import { frame } from "../fixtures/oir_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import { directoryEnd, directoryEntry } from "../fixtures/zip_writer.ts";
import { documentsBlock, oirBlocks, oirFile } from "../fixtures/oir_writer.ts";
import {
  attributes,
  chunk as nd2Chunk,
  entry,
  frame as nd2Frame,
  level,
  nd2File,
  number,
  packed,
} from "../fixtures/nd2_writer.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { block, element, header, image, samples, text, XY } from "../fixtures/lif_writer.ts";
import { tiffFile } from "./known_images.ts";

type Write = (path: string) => Promise<void>;

const ascii = (text: string) => new TextEncoder().encode(text);

/** A TIFF directory entry: tag, type, count, value or offset. */
type Entry = readonly [tag: number, type: number, count: number, value: number];

/** A little-endian TIFF: the header, `data` from 8 on, then directories that follow each other. */
function tiff(
  data: readonly Uint8Array[],
  directories: number,
  entries: (n: number) => readonly Entry[],
): Uint8Array {
  const start = 8 + data.reduce((sum, part) => sum + part.length + part.length % 2, 0);
  const each = 2 + 12 * entries(0).length + 4;
  const bytes = new Uint8Array(start + each * directories);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, start, true);
  let at = 8;
  for (const part of data) {
    bytes.set(part, at);
    at += part.length + part.length % 2;
  }
  for (let n = 0; n < directories; n += 1) {
    const fields = entries(n);
    view.setUint16(at, fields.length, true);
    at += 2;
    for (const [tag, type, count, value] of fields) {
      view.setUint16(at, tag, true);
      view.setUint16(at + 2, type, true);
      view.setUint32(at + 4, count, true);
      view.setUint32(at + 8, value, true);
      at += 12;
    }
    view.setUint32(at, n + 1 < directories ? at + 4 : 0, true);
    at += 4;
  }
  return bytes;
}

/** A 1 x 1 page of 8 bits whose sample lies at 8. */
const PIXEL: readonly Entry[] = [
  [256, 3, 1, 1],
  [257, 3, 1, 1],
  [258, 3, 1, 8],
  [259, 3, 1, 1],
  [262, 3, 1, 1],
  [273, 4, 1, 8],
  [278, 3, 1, 1],
  [279, 4, 1, 1],
];

/** A page with a `description`, which lies at 10. */
const described = (description: Uint8Array): Uint8Array =>
  tiff([Uint8Array.of(7, 0), description], 1, () => [
    ...PIXEL.slice(0, 4),
    [270, 2, description.length, 10],
    ...PIXEL.slice(4),
  ]);

const file = (bytes: () => Uint8Array): Write => (path) => Deno.writeFile(path, bytes());

const ome = (inside: string) =>
  ascii(
    `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ` +
      `DimensionOrder="XYCZT" Type="uint8" SizeX="1" SizeY="1" SizeC="1" SizeZ="1" SizeT="1">${inside}</Pixels></Image></OME>\0`,
  );

/** Strips of one row each; their offsets and lengths are arrays in the file. */
function strips(count: number): Uint8Array {
  const offsets = new Uint8Array(new Uint32Array(count).fill(8).buffer);
  const lengths = new Uint8Array(new Uint32Array(count).fill(1).buffer);
  return tiff([Uint8Array.of(7, 0), offsets, lengths], 1, () => [
    [256, 3, 1, 1],
    [257, 4, 1, count],
    ...PIXEL.slice(2, 4),
    [273, 4, count, 10],
    [278, 3, 1, 1],
    [279, 4, count, 10 + 4 * count],
  ]);
}

/** Two blocks of 60 MiB, full of documents of `nodes` nodes. */
function crowdedDocuments(nodes: number): Uint8Array {
  const document = ascii(`<?xml version="1.0"?><a>${"<a/>".repeat(nodes)}</a>`);
  const counted = concat(words(document.length), document);
  const copies = Math.floor((60 << 20) / counted.length);
  const block = documentsBlock(concat(...new Array<Uint8Array>(copies).fill(counted)));
  return oirFile([...oirBlocks(frame()), block, block]);
}

/** A CZI file whose directory lists one subblock `count` times, each with other dimensions. */
function subblocks(count: number, dims: (n: number) => readonly WrittenDimension[]): Uint8Array {
  const one = writeCzi({ subblocks: [{ dims: dims(0), data: ramp16(16, 0) }] });
  const [position = 0] = one.subblocks;
  const entry = entryBytes({ dims: dims(0) }, position);
  const list = new Uint8Array(128 + count * entry.length);
  const view = new DataView(list.buffer);
  view.setInt32(0, count, true);
  for (let n = 0, at = 128; n < count; n += 1, at += entry.length) {
    list.set(entry, at);
    dims(n).forEach(([, start, size, stored = size], i) => {
      view.setInt32(at + 36 + 20 * i, start, true);
      view.setInt32(at + 48 + 20 * i, stored, true);
    });
  }
  const bytes = concat(one.bytes, segment("ZISRAWDIRECTORY", list));
  new DataView(bytes.buffer).setBigInt64(32 + 52, BigInt(one.bytes.length), true);
  return bytes;
}

const plane = (
  ...dims: readonly WrittenDimension[]
): WrittenDimension[] => [["X", 0, 4], ["Y", 0, 4], ...dims];

/** An OIB of so many planes; all streams but the first are empty. */
function streamsOf(count: number): Uint8Array {
  const empty = new Uint8Array();
  const streams: Record<string, Uint8Array> = { Main: ascii('[Axis Parameter Common]\nAxisOrder="XYT"\n') };
  const names = ["[OibSaveInfo]", "MainFileName=Main", "Main=a.oif"];
  for (let n = 1; n <= count; n += 1) {
    streams[`Stream${n}`] = n === 1 ? tiffFile(ramp(32, 16), 16) : empty;
    names.push(`Stream${n}=s_T${String(n).padStart(3, "0")}.tif`);
  }
  return writeCompound({ "OibInfo.txt": ascii(names.join("\n")), ...streams }, 4).bytes;
}

/** An ND2 file with a document of its picture. */
const picturedNd2 = (picture: Uint8Array): Uint8Array =>
  nd2File([["ImageDataSeq|0!", nd2Frame()], ["ImageAttributesLV!", attributes()], [
    "ImageMetadataSeqLV|0!",
    picture,
  ]]);

/** An ND2 file whose map lists `count` frames, all at the place of the first. */
function frames(count: number): Uint8Array {
  const start = nd2File([["ImageDataSeq|0!", nd2Frame()], ["ImageAttributesLV!", attributes()]]);
  const map = start.length;
  const names = Array.from({ length: count }, (_, i) => ascii(`ImageDataSeq|${i}!`));
  const entries = new Uint8Array(names.reduce((sum, name) => sum + name.length + 16, 0));
  const view = new DataView(entries.buffer);
  let at = 0;
  for (const name of names) {
    entries.set(name, at);
    at += name.length + 16;
    view.setUint32(at - 16, 112, true);
  }
  const place = concat(
    ascii("ImageAttributesLV!"),
    words(112 + nd2Chunk("ImageDataSeq|0!", nd2Frame()).length, 0, 0, 0),
  );
  const tail = concat(ascii("ND2 CHUNK MAP SIGNATURE 0000001!"), words(map, 0));
  return concat(start, nd2Chunk("ND2 FILEMAP SIGNATURE NAME 0001!", concat(entries, place, tail)));
}

/** At least `count` entries of binary metadata, a thousand in each level. */
function entries(count: number): Uint8Array {
  const thousand = level("a", new Array<Uint8Array>(999).fill(number("b", 1)));
  return level("a", new Array<Uint8Array>(Math.floor(count / 1000)).fill(thousand));
}

/** A LIF file of these elements and a block of 4 x 3 samples. */
const lif = (elements: string) =>
  concat(text(header(element("file", "", "", elements))), block("M1", samples(12)));

/** Writers by file name; a file beyond a bound begins with `more_`. */
export function filesAtBounds(): Readonly<Record<string, Write>> {
  return {
    "most_directories.tif": file(() => tiff([Uint8Array.of(7)], MAX_DIRECTORIES, () => PIXEL)),
    "more_directories.tif": file(() => tiff([Uint8Array.of(7)], MAX_DIRECTORIES + 1, () => PIXEL)),
    "most_entries.tif": file(() =>
      tiff([Uint8Array.of(7)], 2000, () => [
        ...PIXEL,
        ...Array.from({ length: MAX_ENTRIES - PIXEL.length }, (_, i): Entry => [60_000 + i, 3, 1, 0]),
      ])
    ),
    "most_strips.tif": file(() => strips(MAX_SEGMENTS)),
    "more_strips.tif": file(() => strips(MAX_SEGMENTS + 1)),
    "most_samples.tif": file(() =>
      tiff([Uint8Array.of(7)], 1, () => [...PIXEL.slice(0, 6), [277, 3, 1, 0xffff], ...PIXEL.slice(6)])
    ),
    "most_xml_nodes.ome.tif": file(() => described(ome("<TiffData/>".repeat(MAX_XML_NODES - 20)))),
    "most_xml_attributes.ome.tif": file(() =>
      described(ome('<TiffData IFD="0" FirstC="0" FirstZ="0" FirstT="0" PlaneCount="1"/>'.repeat(160_000)))
    ),
    "most_ome_planes.ome.tif": file(() => {
      const planes = Math.floor(MAX_XML_NODES / 3) - 20;
      const data = Array.from({ length: planes }, (_, z) => `<TiffData IFD="${z}" FirstZ="${z}"/>`).join("");
      return described(
        ascii(new TextDecoder().decode(ome(data)).replace('SizeZ="1"', `SizeZ="${planes}"`)),
      );
    }),
    "most_xml_text.ome.tif": file(() =>
      described(ome(`<a>${"x&amp;".repeat((MAX_XML_BYTES - 1000) / 6)}</a>`))
    ),
    "most_xml_depth.ome.tif": file(() =>
      described(ome("<a>".repeat(MAX_XML_DEPTH - 4) + "</a>".repeat(MAX_XML_DEPTH - 4)))
    ),
    "most_ome_channels.ome.tif": file(() =>
      described(ome('<Channel ID="Channel:0:0" SamplesPerPixel="1" Name="a"/>'.repeat(200_000)))
    ),
    "huge_sizes.ome.tif": file(() =>
      described(ascii(
        new TextDecoder().decode(ome("<TiffData/>")).replace('SizeC="1"', `SizeC="${MAX_CHANNELS}"`)
          .replace('SizeT="1"', 'SizeT="2147483647"').replace('SizeZ="1"', 'SizeZ="2147483647"'),
      ))
    ),
    "huge_imagej.tif": file(() =>
      described(ascii("ImageJ=1.54f\nimages=2000000000\nchannels=10000\nslices=200000\nhyperstack=true\n\0"))
    ),
    "long_description.tif": file(() => described(new Uint8Array(64 << 20).fill(0x20))),
    "most_images.lif": file(() => lif(element("a", image(), "M1").repeat(Math.floor(MAX_XML_NODES / 42)))),
    // Fifteen million elements that the reader omits.
    "most_omitted.lif": file(() => {
      const settings = "<a/>".repeat((MAX_XML_BYTES - 5000) / 4);
      const attached = `<Attachment Name="HardwareSetting">${settings}</Attachment>`;
      return lif(element("a", image(XY, [{}], attached), "M1"));
    }),
    "most_stamps.lif": file(() => {
      const stamps = `<TimeStampList>${"1 ".repeat(15_000_000)}</TimeStampList>`;
      return lif(element("a", image([...XY, [4, 1_000_000, 12]], [{}], stamps), "M1"));
    }),
    "crowded_documents.oir": file(() => crowdedDocuments(MAX_XML_NODES - 2)),
    "most_subblocks_of_a_plane.czi": file(() => subblocks(MAX_PLANNED, (n) => plane(["M", n, 1]))),
    "more_subblocks_of_a_plane.czi": file(() => subblocks(MAX_PLANNED + 1, (n) => plane(["M", n, 1]))),
    "most_lines.czi": file(() => subblocks(MAX_PLANNED, (n) => [["X", 0, 4], ["Y", 0, 1], ["T", n, 1]])),
    "most_places.czi": file(() =>
      subblocks(MAX_SUBBLOCKS, (n) => [["X", n % 3, 4], ["Y", 0, 4], ["T", n, 1]])
    ),
    "most_overviews.czi": file(() =>
      subblocks(MAX_SUBBLOCKS, (n) => [["X", 0, 4, n % 2 === 0 ? 4 : 2], ["Y", 0, 4], ["T", n >> 1, 1]])
    ),
    "more_subblocks.czi": file(() => subblocks(MAX_SUBBLOCKS + 1, (n) => plane(["T", n, 1]))),
    "more_scenes.czi": file(() => subblocks(MAX_SCENES + 1, (n) => plane(["S", n, 1]))),
    "most_channel_spans.czi": file(() => subblocks(1000, () => plane(["C", 0, MAX_CHANNELS]))),
    "most_streams.oib": file(() => streamsOf(262_100)),
    "more_streams.oib": file(() => streamsOf(1 << 18)),
    "most_frames.nd2": file(() => frames(MAX_FRAMES)),
    "most_entries.nd2": file(() => picturedNd2(entries(MAX_XML_NODES - 20))),
    "most_inflated.nd2": file(() =>
      picturedNd2(packed(entry(9, "a", concat(words(60 << 20, 0), new Uint8Array(60 << 20)))))
    ),
    "most_xml_nodes.nd2": file(() =>
      picturedNd2(ascii(`<variant>${"<a/>".repeat(MAX_XML_NODES - 20)}</variant>`))
    ),
    "cut_xml.nd2": file(() => picturedNd2(ascii(`<variant>${"<a/>".repeat(MAX_XML_NODES / 2 - 20)}`))),
    // Folders of names once took memory and stack, one after the other.
    "deep_names.zip": file(() => emptyEntries(1060, (n) => `${"a/".repeat(4000)}${n}`)),
    "deep_name.zip": file(() => emptyEntries(1, () => `${"a/".repeat(6000)}b`)),
    "most_folders.zip": file(() =>
      emptyEntries(250_000, (n) => n === 0 ? "zarr.json" : `${n.toString(36)}/${"a/".repeat(62)}b`)
    ),
    "deep_member.ome.zarr": (path) =>
      zarr(path, { chunk: [1, 8, 8], side: 8, dataset: "a/".repeat(300_000) }),
    // The load time-out, not the heap, bounds the number of chunks: each costs a look at the file system.
    "many_chunks.ome.zarr": (path) => zarr(path, { chunk: [1, 1, 1], side: 128 }),
    "many_channels.ome.zarr": (path) => zarr(path, { chunk: [1, 8, 8], side: 8, channels: MAX_CHANNELS }),
    "more_channels.ome.zarr": (path) => zarr(path, { chunk: [1, 8, 8], side: 8, channels: MAX_CHANNELS + 1 }),
    // The worker still loads a good file at the end.
    "good.tif": file(() => tiffFile(ramp(32, 16), 16)),
  };
}

/** A ZIP file of empty stored entries, with 64-bit numbers in its directory. */
function emptyEntries(count: number, nameOf: (n: number) => string): Uint8Array {
  const entry = (n: number) => directoryEntry({ name: nameOf(n), size: 0, stored: 0 });
  const bytes = Buffer.concat(Array.from({ length: count }, (_, n) => entry(n)));
  // The local header of an entry, by which a ZIP file is recognised.
  const head = Buffer.from("PK\x03\x04".padEnd(30, "\0"), "latin1");
  const wide = Buffer.alloc(76);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(bytes.length), 40);
  wide.writeBigUInt64LE(BigInt(head.length), 48);
  wide.writeUInt32LE(0x07064b50, 56);
  wide.writeBigUInt64LE(BigInt(head.length + bytes.length), 64);
  const end = directoryEnd({ count: 0xffff, size: 0xffffffff, offset: 0xffffffff });
  return new Uint8Array(Buffer.concat([head, bytes, wide, end]));
}

async function zarr(
  path: string,
  { chunk, side, channels = 1, dataset = "0" }: {
    readonly chunk: readonly number[];
    readonly side: number;
    readonly channels?: number;
    readonly dataset?: string;
  },
): Promise<void> {
  await writePlainStore(path, { planes: [ramp(2, 2)], rows: 2, columns: 2 });
  const metadata = JSON.parse(await Deno.readTextFile(join(path, "0", "zarr.json")));
  metadata.shape = [channels, side, side];
  metadata.chunk_grid.configuration.chunk_shape = chunk;
  await Deno.writeTextFile(join(path, "0", "zarr.json"), JSON.stringify(metadata));
  const group = await Deno.readTextFile(join(path, "zarr.json"));
  await Deno.writeTextFile(join(path, "zarr.json"), group.replace('"path":"0"', `"path":"${dataset}"`));
  // Absent chunks hold the fill value.
  await Deno.remove(join(path, "0", "c"), { recursive: true });
}
