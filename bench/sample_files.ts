/** Writes files that are large enough to be timed, one function for each format. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { deflateSync, zstdCompressSync } from "node:zlib";
import { writeCompound } from "../tests/fixtures/compound_writer.ts";
import { writeCzi, type WrittenSubblock } from "../tests/fixtures/czi_writer.ts";
import { block, type DimensionOf, element, header, image, text } from "../tests/fixtures/lif_writer.ts";
import { concat, words } from "../tests/fixtures/bytes.ts";
import { attributes, chunk, level, number } from "../tests/fixtures/nd2_writer.ts";
import { lineScan } from "../tests/fixtures/oir_files.ts";
import { writeOir } from "../tests/fixtures/oir_writer.ts";
import { compress } from "../tests/fixtures/tiff_writer.ts";
import { type Field, type Page, picture, writePages, writeParts } from "./tiff_pages.ts";

/** Codecs of written TIFF and LSM files, by their numbers. */
const COMPRESSION = { none: 1, LZW: 5, deflate: 8 } as const;

/** A shape in pixels. */
export interface Shape {
  readonly columns: number;
  readonly rows: number;
  /** By default 1, as the others. */
  readonly channels?: number;
  /** Time points or focus planes. */
  readonly planes?: number;
  readonly stripRows?: number;
}

/** A page of planar channels of uint16 in strips of 64 rows by default. */
export function pageOf(
  { columns, rows, channels = 1, stripRows = 64 }: Shape,
  codec: keyof typeof COMPRESSION = "none",
  fields: readonly Field[] = [],
): Page {
  const stripBytes = stripRows * columns * 2;
  const coded = Array.from({ length: channels }, (_, c) => {
    const bytes = picture(columns, rows, c);
    const strip = (i: number) => compress(bytes.subarray(i * stripBytes, (i + 1) * stripBytes), codec);
    return Array.from({ length: Math.ceil(rows / stripRows) }, (_, i) => strip(i));
  });
  const own: Field[] = [[259, 3, [COMPRESSION[codec]]], [278, 4, [stripRows]]];
  return { columns, rows, channels: coded, fields: [...own, ...fields] };
}

/** An LSM file: planes in one strip per channel, a thumbnail after each, CZ_LSMINFO in the first page. */
export function writeLsm(path: string, shape: Shape, codec: "none" | "LZW" = "none"): void {
  const { columns, rows, channels = 1, planes = 1 } = shape;
  const record = new DataView(new ArrayBuffer(464));
  const words = [0x0400494c, 464, columns, rows, 1, channels, planes];
  words.forEach((word, i) => record.setUint32(4 * i, word, true));
  record.setUint16(88, 3, true);
  // Zeiss states the lengths before compression.
  const lengths = new Array(channels).fill(2 * columns * rows);
  const fields: Field[] = [[254, 4, [0]], [262, 3, [channels > 1 ? 2 : 1]], [279, 4, lengths]];
  const page = { ...pageOf({ ...shape, stripRows: rows }, codec, fields), isLsm: true };
  const info: Field = [34412, 1, [...new Uint8Array(record.buffer)]];
  const first = { ...page, fields: [...page.fields!, info] };
  const strip = [new Uint8Array(64)];
  const thumbnail: Page = {
    ...{ columns: 8, rows: 8, bits: 8, channels: [strip, strip, strip] },
    fields: [[254, 4, [1]], [262, 3, [2]]],
  };
  writePages(path, Array.from({ length: planes }, (_, i) => [i === 0 ? first : page, thumbnail]).flat());
}

/** An ND2 file of interleaved channels of uint16, each frame at a multiple of 4096 as by Nikon's programs. */
export function writeNd2(path: string, shape: Shape, codec: "none" | "zlib" = "none"): void {
  const { columns, rows, channels = 1, planes = 1 } = shape;
  const [page, ascii] = [4096, (value: string) => new TextEncoder().encode(value)];
  const parts: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  const put = (part: Uint8Array) => {
    parts.push(concat(part, new Uint8Array((page - part.length % page) % page)));
    at += parts.at(-1)!.length;
  };
  const putChunk = (name: string, data: Uint8Array) => {
    entries.push(concat(ascii(name), words(BigInt(at), 0n)));
    put(chunk(name.padEnd(page - 24, "\0"), data));
  };
  put(chunk("ND2 FILE SIGNATURE CHUNK NAME01!", ascii("Ver3.0".padEnd(64, "\0"))));
  const raw = picture(columns * channels, rows);
  const pixels = concat(new Uint8Array(8), codec === "zlib" ? deflateSync(raw) : raw);
  for (let i = 0; i < planes; i += 1) putChunk(`ImageDataSeq|${i}!`, pixels);
  const stated = {
    ...{ uiWidth: columns, uiWidthBytes: 2 * columns * channels, uiHeight: rows, uiComp: channels },
    ...{ uiSequenceCount: planes, eCompression: codec === "zlib" ? 0 : 2 },
  };
  const probe = level("pFluorescentProbe", [number("a", 0)]);
  const dye = [number("uiCompCount", 1), number("uiColor", 0xff), probe];
  const dyes = level("sPlaneNew", Array.from({ length: channels }, (_, i) => level(`a${i}`, dye)));
  const dyed = level("sPicturePlanes", [number("uiCount", channels), dyes]);
  const metadata = [number("bCalibrated", 0), number("dCalibration", 1), dyed];
  const loop = [number("eType", 4), level("uLoopPars", [number("uiCount", planes)])];
  putChunk("ImageAttributesLV!", attributes(stated));
  putChunk("ImageMetadataSeqLV|0!", level("SLxPictureMetadata", metadata));
  putChunk("ImageMetadataLV!", level("SLxExperiment", loop));
  const tail = concat(ascii("ND2 CHUNK MAP SIGNATURE 0000001!"), words(BigInt(at)));
  writeParts(path, [...parts, chunk("ND2 FILEMAP SIGNATURE NAME 0001!", concat(...entries, tail))]);
}

/** Images of a LIF file, of uint16. */
export function writeLif(
  path: string,
  { columns, rows, channels = 1, planes = 1 }: Shape,
  { images = 1, interleaved = false } = {},
): void {
  const column = interleaved ? 2 * channels : 2;
  const channel = interleaved ? 2 : rows * columns * column;
  const dimensions: DimensionOf[] = [[1, columns, column], [rows > 10_000 ? 4 : 2, rows, columns * column]];
  if (planes > 1) dimensions.push([3, planes, 2 * rows * columns * channels]);
  const described = image(
    dimensions,
    Array.from({ length: channels }, (_, i) => (
      { Resolution: 16, BytesInc: i * channel, ChannelTag: interleaved ? i + 1 : 0 }
    )),
  );
  const names = Array.from({ length: images }, (_, i) => `M${i}`);
  const elements = names.map((name) => element(`image ${name}`, described, name)).join("");
  const samples = picture(columns * channels, rows * planes);
  const document = text(header(element("file", "", "", elements)));
  writeParts(path, [document, ...names.map((name) => block(name, samples))]);
}

/** A CZI file, its directory in front as by ZEN: raw, or zstd with the low bytes of all samples before the high ones. */
export function writeCziFile(path: string, shape: Shape, codec: "none" | "zstd" = "none"): void {
  const { columns, rows, channels = 1, planes = 1 } = shape;
  const samples = picture(columns, rows);
  const half = samples.length / 2;
  const split = samples.map((_, i) => samples[i < half ? 2 * i : 2 * (i - half) + 1]!);
  const coded = codec === "none" ? samples : concat(Uint8Array.of(3, 1, 1), zstdCompressSync(split));
  const subblocks = Array.from({ length: channels * planes }, (_, i): WrittenSubblock => ({
    dims: [["X", 0, columns], ["Y", 0, rows], ["C", i % channels, 1], ["T", Math.floor(i / channels), 1]],
    ...{ data: coded, compression: codec === "none" ? 0 : 6 },
  }));
  const xml = "<ImageDocument><Metadata><Information/></Metadata></ImageDocument>";
  Deno.writeFileSync(path, writeCzi({ subblocks, xml, front: true }).bytes);
}

/** An OIB file of time points. */
export function writeOib(path: string, { columns, rows, planes = 1 }: Shape): void {
  const document = (lines: string[]) => Buffer.from("\ufeff" + lines.join("\r\n") + "\r\n", "utf16le");
  writePages(path, [pageOf({ columns, rows })]);
  const plane = Deno.readFileSync(path);
  const names = Array.from({ length: planes }, (_, t) => `Stream0000${t + 1}`);
  const axes = { X: columns, Y: rows, C: 1, Z: 0, T: planes, A: 0, L: 0, P: 0 };
  const sections = Object.entries(axes).flatMap(([code, size], n) => [
    ...[`[Axis ${n} Parameters Common]`, `AxisCode="${code}"`, `MaxSize=${size}`],
  ]);
  const streams = names.map((name, t) => `${name}=Storage00001/s_C001T00${t + 1}.tif`);
  const info = ["[OibSaveInfo]", "MainFileName=Stream00009", "Stream00009=a.oif", "Name=a", "Version=2"];
  const { bytes } = writeCompound({
    "OibInfo.txt": document([...info, "Compression=None", ...streams]),
    Stream00009: document(["[Axis Parameter Common]", 'AxisOrder="XYCT"', ...sections]),
    ...Object.fromEntries(names.map((name) => [name, plane])),
  }, 4);
  Deno.writeFileSync(path, bytes);
}

/** A line scan of two channels in an OIR file. */
export function writeOirScan(path: string, { columns, rows }: Shape): void {
  const planes = [0, 7].map((seed) => new Uint16Array(picture(columns, rows, seed).buffer));
  const { reference: _reference, ...scan } = lineScan(rows, {
    width: columns,
    frames: [{ axes: "t001", planes }],
    stripBytes: 11_264,
  });
  Deno.writeFileSync(path, writeOir(scan));
}

/** A line scan of Prairie View, in strips of 8 rows. Returns the path of its image. */
export function writePrairieScan(folder: string, { columns, rows }: Shape): string {
  const name = "a_Cycle00001_Ch1_000001.ome.tif";
  const file = `<File channel="1" channelName="Ch1" filename="${name}"/>`;
  const frame = `<Frame relativeTime="0" absoluteTime="0" index="1">${file}<PVStateShard/></Frame>`;
  const state = '<PVStateShard><PVStateValue key="scanLinePeriod" value="0.001"/></PVStateShard>';
  const sequence = `<Sequence type="Linescan" cycle="1" time="01:02:03">${frame}</Sequence>`;
  const scan = `<PVScan version="5.6" date="1/2/2020 1:02:03 AM">${state}${sequence}</PVScan>`;
  Deno.writeTextFileSync(join(folder, "a.xml"), scan);
  writePages(join(folder, name), [pageOf({ columns, rows, stripRows: 8 })]);
  return join(folder, name);
}
