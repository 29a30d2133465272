/** Declared planes that a TIFF does not hold are missing; incomplete or damaged ones cannot be decoded. */
import { equal, rejects } from "node:assert/strict";
import type { Acquisition } from "../../readers/reader.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { directoryAt, entryAt, filledPages } from "../fixtures/tiff_writer.ts";
import { type At, firstsAt } from "../planes.ts";
import { withOpened } from "../temporary_files.ts";

/** Pages filled with their number; `text` is ImageDescription of each. */
const pages = (count: number, text: string) => filledPages(count, [[270, 2, text]]);

/** First sample of a channel. */
const firstAt = async (acquisition: Acquisition, at: At) => (await firstsAt(acquisition, at, [0]))[0];

const missing = (found: Promise<unknown>, message: RegExp) =>
  rejects(found, { tag: "plane_not_found", message });
const damaged = (found: Promise<unknown>, message: RegExp) =>
  rejects(found, { tag: "decode_failed", message });

const IMAGEJ = "ImageJ=1.53t\nimages=4\nframes=4\n";

/** Makes the strip of a page begin elsewhere. */
const moveStrip = (bytes: Uint8Array<ArrayBuffer>, page: number, offset: number) =>
  new DataView(bytes.buffer).setUint32(entryAt(bytes, 273, page) + 8, offset, true);

Deno.test("reports planes after the end of the chain as missing", async () => {
  const whole = pages(4, IMAGEJ);
  // Before the last directory, after its count, before its last byte.
  const at = directoryAt(whole, 3);
  const cut = [at, at + 1, at + 2, whole.length - 1].map((end) => whole.slice(0, end));
  for (const bytes of [pages(3, IMAGEJ), ...cut]) {
    await withOpened({ "a.tif": bytes }, async (acquisition) => {
      equal(await firstAt(acquisition, { t: 2 }), 2);
      for (let again = 0; again < 2; again += 1) {
        await missing(firstAt(acquisition, { t: 3 }), /plane 3 is missing: the file holds 3 planes, 4 are/);
      }
    });
  }
});

Deno.test("rejects samples past the end of the file", async () => {
  const bytes = pages(4, IMAGEJ);
  moveStrip(bytes, 2, bytes.length);
  await withOpened(
    { "a.tif": bytes },
    (acquisition) => damaged(firstAt(acquisition, { t: 2 }), /strip 0 at \d+ \+ 40 ends after/),
  );
});

Deno.test("accepts an incomplete last plane of several with one directory", async () => {
  const first = pages(1, IMAGEJ);
  // A plane has 5 x 4 x 2 bytes; the samples begin at 8, so the directory moves after them.
  const run = (planes: number) => {
    const bytes = new Uint8Array(first.length + 40 * (planes - 1));
    bytes.set(first);
    moveStrip(bytes, 0, first.length - 40);
    return { "a.tif": bytes };
  };
  await withOpened(run(2), async (acquisition) => {
    await firstAt(acquisition, { t: 1 });
    await missing(firstAt(acquisition, { t: 2 }), /plane 2 is missing: the file holds 2 planes, 3 are/);
  });
  await withOpened(run(2.5), async (acquisition) => {
    await damaged(firstAt(acquisition, { t: 2 }), /ends after the file/);
    await missing(firstAt(acquisition, { t: 3 }), /plane 3 is missing: the file holds 3 planes, 4 are/);
  });
});

Deno.test("reports planes of missing files as missing", async () => {
  const xml = (...data: string[]) => omeXml(omeImage({ SizeX: 5, SizeY: 4, SizeT: 3 }, data), 0);
  const apart = xml(...["a.ome.tif", "b.ome.tif"].map((name, t) => tiffData({ FirstT: t }, name, t)));
  await withOpened({ "a.ome.tif": pages(1, apart) }, async (acquisition) => {
    equal(await firstAt(acquisition, {}), 0);
    await missing(firstAt(acquisition, { t: 1 }), /T=1 C=0 Z=0 is in "b\.ome\.tif", which is missing/);
    await missing(firstAt(acquisition, { t: 2 }), /OME-XML names no directory for the plane T=2/);
  });
  const beyond = xml('<TiffData IFD="0" PlaneCount="2"/><TiffData FirstT="2" IFD="9"/>');
  await withOpened({ "a.ome.tif": pages(2, beyond) }, async (acquisition) => {
    equal(await firstAt(acquisition, { t: 1 }), 1);
    await missing(firstAt(acquisition, { t: 2 }), /the plane T=2 C=0 Z=0 is missing: the chain/);
  });
});
