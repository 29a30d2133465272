/**
 * Files whose stored names differ in Unicode normalization or case from those in the document that names them, in every format with
 * such documents: macOS decomposes names, and some programs change the case of an extension.
 */
import { deepEqual, equal } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { writeCollection } from "../collection_tree.ts";
import { concat } from "../fixtures/bytes.ts";
import { ndtiffFiles, recordOf } from "../fixtures/ndtiff_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { FIXTURES } from "../fixtures/sets.ts";
import { filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { entriesBelow, zipOf } from "../fixtures/zip_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { hashOf } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";
import { seen as seenShort } from "../seen.ts";

const GRAY = grayLayout(12, 8, 16);

/** Files by name; the first one is opened, and each of `also`. */
interface NamedSet {
  readonly files: ReadonlyMap<string, Uint8Array | string>;
  readonly also: readonly string[];
}

const page = (value: number, description?: string) =>
  filledPages(1, description === undefined ? [] : [[270, 2, description]], value, GRAY);

function omeSet(): NamedSet {
  const names = ["Größe_C0.ome.tif", "Größe_C1.ome.tif"];
  const xml = (own: number) =>
    omeXml(omeImage({ SizeC: 2 }, names.map((name, c) => tiffData({ FirstC: c }, name, c))), own);
  return { files: new Map(names.map((name, c) => [name, page(7 + c, xml(c))])), also: [names[1]!] };
}

/** Files of a set without UUIDs, in a folder below the document. */
function omeFolder(): NamedSet {
  const data = ["Bänder/a.tif", "Bänder/b.tif"].map((name, c) => tiffData({ FirstC: c }, name));
  return {
    files: new Map<string, Uint8Array | string>([
      ["set.companion.ome", omeXml(omeImage({ SizeC: 2 }, data))],
      ["Bänder/a.tif", page(7)],
      ["Bänder/b.tif", page(8)],
    ]),
    also: [],
  };
}

function companion(): NamedSet {
  const data = ["Größe.tif", "größe 2.tif"].map((name, c) => tiffData({ FirstC: c }, name, c));
  const binary =
    `<OME UUID="urn:uuid:1"><BinaryOnly MetadataFile="Übersicht.companion.ome" UUID="urn:uuid:9"/></OME>`;
  return {
    files: new Map<string, Uint8Array | string>([
      ["Übersicht.companion.ome", omeXml(omeImage({ SizeC: 2 }, data), 9)],
      ["Größe.tif", page(7)],
      ["größe 2.tif", page(8, binary)],
    ]),
    also: ["größe 2.tif"],
  };
}

/** A fixture of Prairie View under another name. */
function prairie(scan: string): NamedSet {
  const folder = join(FIXTURES, "prairie", scan);
  const renamed = (text: string) => text.replaceAll(scan, "LineScan-Größe-007");
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name).sort();
  const document = `${scan}.xml`;
  const images = names.filter((name) => name !== document);
  return {
    files: new Map<string, Uint8Array | string>([
      [renamed(document), renamed(Deno.readTextFileSync(join(folder, document)))],
      ...images.map((name) => [renamed(name), Deno.readFileSync(join(folder, name))] as const),
    ]),
    also: images.filter((name) => name.includes("_Cycle")).map(renamed),
  };
}

/** A fixture of FluoView whose settings name images with other letters than their own. */
function oif(): NamedSet {
  const below = join(FIXTURES, "oif/line_scan.oif.files");
  const files = new Map<string, Uint8Array | string>([
    ["Größe.oif", Deno.readFileSync(join(FIXTURES, "oif/line_scan.oif"))],
  ]);
  const renamed = (name: string) => name.replace(/^s_(C00\d\.tif)/, "ü_$1");
  for (const { name } of Deno.readDirSync(below)) {
    const text = name.endsWith(".pty")
      ? Deno.readTextFileSync(join(below, name)).length > 0 && new TextDecoder("utf-16le")
        .decode(Deno.readFileSync(join(below, name)))
      : null;
    const image = renamed(name.replace(".pty", ".tif"));
    const bytes = text
      ? Buffer.from(`${text}\r\n[File Info]\r\nDataName="${image}"\r\n`, "utf16le")
      : Deno.readFileSync(join(below, name));
    files.set(`Größe.oif.files/${renamed(name)}`, bytes);
  }
  return { files, also: ["Größe.oif.files/s_C001-R001.tif"] };
}

function ndtiff(): NamedSet {
  const images = [0, 1].map((time) => ({ axes: { time }, first: 7 + time, file: time }));
  const made = ndtiffFiles(grayLayout(6, 4, 16), images);
  const renamed = (name: string) => name.replace("set_", "Größe_");
  const files = new Map([...made].map(([name, bytes]) => [renamed(name), bytes as Uint8Array]));
  const index = Buffer.from(made.get("NDTiff.index")!);
  const records: Uint8Array[] = [];
  for (let at = 0; at < index.length;) {
    const json = index.readUInt32LE(at);
    const name = index.readUInt32LE(at + 4 + json);
    const end = at + 40 + json + name;
    const axes = index.toString("utf8", at + 4, at + 4 + json);
    const file = index.toString("utf8", at + 8 + json, at + 8 + json + name);
    const numbers = Array.from({ length: 8 }, (_, i) => index.readUInt32LE(end - 32 + 4 * i));
    records.push(recordOf(axes, renamed(file), numbers));
    at = end;
  }
  files.delete("NDTiff.index");
  return {
    files: new Map<string, Uint8Array | string>([["NDTiff.index", concat(...records)], ...files]),
    also: [...files.keys()],
  };
}

const SETS: Readonly<Record<string, () => NamedSet>> = {
  "an OME-TIFF set": omeSet,
  "an OME-TIFF set in a folder": omeFolder,
  "a companion of OME-TIFF": companion,
  "a line scan of Prairie View": () => prairie("LineScan-03142018-1454-2042"),
  "a line scan of Prairie View 4": () => prairie("LineScan-03052014-1015-007"),
  "a series of Prairie View": () => prairie("TSeries-01022020-1030-003"),
  "an OIF": oif,
  "an NDTiff data set": ndtiff,
};

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}

/** The document of a folder is found by its own name, whose case counts. */
const KEPT = /^NDTiff\.index$/;

const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  "decomposed names": (name) => name.normalize("NFD"),
  "an extension in capitals": (name) => name.replace(/\.\w+$/, (end) => end.toUpperCase()),
  "decomposed names in capitals": (name) => name.normalize("NFD").toUpperCase().replaceAll("SS", "ß"),
};

/** What clients see, without the path. */
async function seen(path: string) {
  const { summary: { path: _, indexBytes: _bytes, ...summary }, planes, referencePlanes } = await loadHere(
    path,
  );
  return { summary, planes: [...planes, ...referencePlanes].map(hashOf) };
}

for (const [what, make] of Object.entries(SETS)) {
  for (const [spelling, spelled] of Object.entries(SPELLINGS)) {
    Deno.test(`${what}: finds files with ${spelling}`, () =>
      inFolder(async (put, folder) => {
        const { files, also } = make();
        const [opened = ""] = files.keys();
        const stored = (name: string) => KEPT.test(name) ? name : spelled(name);
        for (const [name, content] of files) {
          put(join("as written", name), content);
          put(join("spelled", stored(name)), content);
        }
        for (const name of [opened, ...also]) {
          deepEqual(
            await seen(join(folder, "spelled", stored(name))),
            await seen(join(folder, "as written", name)),
            basename(name),
          );
        }
      }));
  }
}

Deno.test("takes no file for two names of an OME-TIFF set", () =>
  inFolder(async (put) => {
    const data = ["a.tif", "A.tif"].map((name, c) => tiffData({ FirstC: c }, name));
    const path = put("set.companion.ome", omeXml(omeImage({ SizeC: 2 }, data)));
    put("A.tif", page(7));
    equal(await seenShort(path, { channelIndices: [1] }), "C2; 7; file_missing");
    put("a.TIF", page(8));
    equal(await seenShort(path), "C2; 8 7; ");
    put("a.tif", page(9));
    equal(await seenShort(path), "C2; 9 7; ");
  }));

Deno.test("a collection: finds images, documents and tables in another spelling", () =>
  inFolder(async (_, folder) => {
    const [from, to] = ["images/0001", "Bilder/Größe 1"];
    const renamed = (path: string) => path.replace(from, to).replace("meta/0001/", "meta/Größe 1/");
    /** Writes the collection with these names in its document, and its files under their spelling. */
    const write = (top: string, spelled: (name: string) => string) => {
      const whole = join(folder, "whole");
      writeCollection(whole);
      for (const path of filesBelow(whole)) {
        const name = path.slice(whole.length + 1);
        const stored = name === "meta/collection.json" ? name : spelled(renamed(name));
        const bytes = name.endsWith("collection.json")
          ? new TextEncoder().encode(
            Deno.readTextFileSync(path).replaceAll(from, to).replaceAll("meta/0001/", "meta/Größe 1/"),
          )
          : Deno.readFileSync(path);
        Deno.mkdirSync(dirname(join(top, stored)), { recursive: true });
        Deno.writeFileSync(join(top, stored), bytes);
      }
    };
    const view = async (path: string) => {
      const { summary: { path: _path, indexBytes: _bytes, ...summary }, planes, referencePlanes } =
        await loadHere(path);
      const names = await openHere(
        path,
        (acquisition) => collectDocuments(acquisition).map(({ name }) => name),
      );
      return {
        summary,
        names: names.map((name) => name.normalize("NFC")),
        planes: [...planes, ...referencePlanes].map(hashOf),
      };
    };
    const sound = join(folder, "sound");
    write(sound, (name) => name);
    const expected = await view(sound);
    equal(expected.summary.reference !== null, true);
    const capitals = (name: string) =>
      name.replace(
        /(?<=^|\/)(?!meta\/|zarr\.json|c\/)[^/]+/g,
        (part) => part.toUpperCase().replaceAll("SS", "ß"),
      );
    for (const [i, spelled] of [(name: string) => name.normalize("NFD"), capitals].entries()) {
      const top = join(folder, `spelled ${i}`);
      write(top, spelled);
      deepEqual(await view(top), expected);
      const archive = `${top}.zip`;
      Deno.writeFileSync(archive, zipOf([...entriesBelow(top)]));
      deepEqual((await view(archive)).planes, expected.planes);
      // The image by its own path, too.
      const own = await view(join(top, spelled(to)));
      deepEqual([own.summary.collection, own.summary.reference], [
        expected.summary.collection,
        expected.summary.reference,
      ]);
    }
  }));
