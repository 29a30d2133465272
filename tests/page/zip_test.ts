/** The ZIP files of the page, the shell and the server, as Python reads them. */
import { deepEqual, equal } from "node:assert/strict";
import { crc32 as zlibCrc32 } from "node:zlib";
import { output, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { ZipFiles } from "../../readers/ome_zarr/zip_files.ts";
import {
  computeCrc32,
  streamZipParts,
  type ZipMember,
  ZipRecords,
  zipTexts,
} from "../../static/measure/zip.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";

const LONG = "0.123,Gefäß\r\n".repeat(100_000);
const TEXTS = [["Gefäß-events.csv", LONG], ["Gefäß-events.json", "{}\n"], ["empty.csv", ""]] as const;

/** What a reader of a stream finds: names, stored lengths and contents of the entries up to the directory (APPNOTE 4.3.7). */
function readAsStream(file: Uint8Array<ArrayBuffer>) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const found = [];
  let at = 0;
  while (view.getUint32(at, true) === 0x04034b50) {
    const [flags, method] = [view.getUint16(at + 6, true), view.getUint16(at + 8, true)];
    const [crc, stored, length] = [14, 18, 22].map((field) => view.getUint32(at + field, true));
    const [name, extra] = [view.getUint16(at + 26, true), view.getUint16(at + 28, true)];
    const title = new TextDecoder().decode(file.subarray(at + 30, at + 30 + name));
    const start = at + 30 + name + extra;
    const bytes = file.subarray(start, start + stored!);
    found.push({ title, flags, method, crc, length, bytes });
    at = start + stored!;
  }
  return found;
}

Deno.test("a reader of a stream finds sizes and checksums before the bytes, stored and deflated", async () => {
  const bytes = Uint8Array.from({ length: 5 << 20 }, (_, i) => i * 7919 >>> 3);
  const stored: ZipMember[] = [{ name: "plane", bytes }, { name: "none", bytes: new Uint8Array() }];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of streamZipParts(stored)) parts.push(part);
  for (const part of parts) equal(part.length <= 256 << 10, true, `a part of ${part.length} bytes`);
  const plain = readAsStream(await new Blob(parts).bytes());
  deepEqual(plain.map(({ title, method }) => [title, method]), [["plane", 0], ["none", 0]]);
  deepEqual(plain[0]!.bytes, bytes);
  const texts = readAsStream(await (await zipTexts(TEXTS)).bytes());
  deepEqual(texts.map(({ title, method, length }) => [title, method, length]), [
    [TEXTS[0][0], 8, new TextEncoder().encode(LONG).length],
    [TEXTS[1][0], 8, 3],
    [TEXTS[2][0], 8, 0],
  ]);
  for (const { flags, crc, method, bytes, title } of [...plain, ...texts]) {
    // Names in UTF-8; bit 3 would announce a data descriptor.
    equal(flags, 1 << 11, title);
    const stream = new Blob([bytes]).stream();
    const content = await new Response(
      method === 8 ? stream.pipeThrough(new DecompressionStream("deflate-raw")) : stream,
    ).bytes();
    equal(crc, zlibCrc32(content), title);
  }
});

Deno.test("the checksum equals that of zlib, whole and in parts", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i * 31 >>> 1);
  for (const [from, to] of [[0, 0], [0, 1], [3, 10], [1, 1000], [5, 997]] as const) {
    const part = bytes.subarray(from, to);
    equal(computeCrc32(part), zlibCrc32(part));
    for (const cut of [0, 1, 7, part.length]) {
      equal(computeCrc32(part.subarray(cut), computeCrc32(part.subarray(0, cut))), zlibCrc32(part));
    }
  }
});

/** Prints names, times, texts, modes and the first damaged entry as JSON. */
const READ = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as file:
    texts = [[i.filename, list(i.date_time), file.read(i).decode(), i.external_attr >> 16] for i in file.infolist()]
    print(json.dumps([texts, file.testzip()]))`;

programTest(["python3"], {
  name: "Python reads names, times and texts of a ZIP file, also of an empty one",
  async fn([python]) {
    using temporary = temporaryFolder();
    const path = temporary.at("results.zip");
    const [date, stamp] = [new Date(2031, 11, 30, 23, 59, 58), [2031, 12, 30, 23, 59, 58]];
    for (const files of [TEXTS, []]) {
      await Deno.writeFile(path, await (await zipTexts(files, date)).bytes());
      const found = JSON.parse(await output(python!, ["-c", READ, path]));
      deepEqual(found, [files.map(([name, text]) => [name, stamp, text, 0o100644]), null]);
    }
  },
});

/** Prints the number of entries, and length, start and text of the last. */
const LAST = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as file:
    *_, last = all = file.infolist()
    print(json.dumps([len(all), all[0].file_size, last.header_offset, file.read(last).decode()]))`;

programTest(["python3"], {
  name: "Python, the server and the page read a ZIP file of more than 4 GiB, and one of 70,000 entries",
  // Only a file with holes is quick to write.
  ignore: Deno.build.os === "windows",
  async fn([python]) {
    using temporary = temporaryFolder();
    const text = new TextEncoder().encode("behind it");
    /** Writes an entry of zeros, which the file system does not store, many empty ones, and one with the text. */
    const write = (path: string, zeros: number, count: number) => {
      using file = Deno.openSync(path, { write: true, create: true });
      const records = new ZipRecords(new Date());
      file.writeSync(records.header({ name: "zeros", bytes: { length: zeros } as Uint8Array }, 0));
      file.seekSync(zeros, Deno.SeekMode.Current);
      const bytes = new Uint8Array();
      for (let i = 0; i < count; i += 1) file.writeSync(records.header({ name: `${i}`, bytes }, 0));
      const header = records.header({ name: "text", bytes: text }, computeCrc32(text));
      const start = file.seekSync(0, Deno.SeekMode.Current);
      file.writeSync(header);
      file.writeSync(text);
      file.writeSync(records.end());
      return start;
    };
    for (
      const [zeros, count] of [[5_000_000_000, 0], [0xffffffff, 1], [0xfffffff0, 1], [0, 70_000]] as const
    ) {
      const path = temporary.at(`${zeros}.zip`);
      const start = write(path, zeros, count);
      const found = JSON.parse(await output(python!, ["-c", LAST, path]));
      deepEqual(found, [count + 2, zeros, start, "behind it"]);
      const files = new FileAccess();
      const zip = new ZipFiles(path, files);
      const own = zip.open(`${zip.archive}/text`);
      deepEqual(own.read(0, own.size, "the text"), text);
      files.close();
    }
    const many = new Blob([Deno.readFileSync(temporary.at("0.zip"))]);
    const entries = await listZipEntries(many);
    deepEqual([entries.length, await entries.at(-1)!.read()], [70_002, "behind it"]);
  },
});
