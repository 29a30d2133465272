import { deepEqual, equal, throws } from "node:assert/strict";
import { isOmeXml } from "../../marks.ts";
import { PlaneLookup } from "./file_set.ts";
import { parseOme, readImage } from "./xml.ts";

const image = (pixels: string, inside = "") =>
  readImage(parseOme(`<OME><Image>${inside}<Pixels ${pixels}</Pixels></Image></OME>`, "OME-XML").images[0]!);

Deno.test("TiffData covers all planes without directory and count, and one plane with a directory", () => {
  const first = (pixels: string) => image(pixels).tiffData[0];
  const place = { name: null, uuid: null };
  const all = { first: 0, count: 24, counted: false, directory: 0, place };
  deepEqual(first(`DimensionOrder="XYCZT" SizeZ="3" SizeT="4" SizeC="2"><TiffData/>`), all);
  const one = { first: 5, count: 1, counted: false, directory: 5, place };
  deepEqual(first(`SizeZ="3" SizeT="1" SizeC="2"><TiffData IFD="5" FirstZ="2" FirstC="1"/>`), one);
  const two = {
    first: 0,
    count: 2,
    counted: true,
    directory: 0,
    place: { name: "a.tif", uuid: "urn:uuid:1" },
  };
  const uuid = `<UUID FileName="a.tif">urn:uuid:1</UUID>`;
  deepEqual(first(`SizeZ="3"><TiffData PlaneCount="2">${uuid}</TiffData>`), two);
});

Deno.test("units default to micrometres and seconds; names and dates of old and new schemas", () => {
  const { calibrations } = image(
    `PhysicalSizeX="0.2" PhysicalSizeY="200" PhysicalSizeYUnit="nm" TimeIncrement="2">`,
  );
  deepEqual(calibrations, {
    X: { step: 0.2, unit: "um" },
    Y: { step: 0.2, unit: "um" },
    T: { step: 2, unit: "seconds" },
  });
  const old = `<CreationDate>2006-05-04T18:13:51</CreationDate><LogicalChannel Name="a"/>`;
  deepEqual(image(`SizeC="1">`, old).names, ["a"]);
  deepEqual(image(`SizeC="1">`, `<AcquiredDate>2010-03-02T10:01:15</AcquiredDate>`).moment.date, "20100302");
});

Deno.test("refuses invalid sizes, and recognises OME-XML", () => {
  throws(() => image(`SizeZ="-1">`), /declares SizeZ="-1"/);
  // 2^31 planes are the most, along whichever axes.
  for (const [C, Z, T] of [[2 ** 31, 1, 1], [1, 2 ** 30, 2], [2, 2, 2 ** 29]] as const) {
    deepEqual(image(`SizeC="${C}" SizeZ="${Z}" SizeT="${T}" DimensionOrder="XYCZT">`).sizes, { T, C, Z });
  }
  throws(() => image(`SizeZ="2147483649">`), /more than 2147483648/);
  throws(() => image(`SizeZ="100000" SizeT="100000">`), /more than 2147483648/);
  throws(() => image(`SizeZ="100000" SizeC="100000">`), /declares 10000000000 planes/);
  throws(() => image(`SizeT="100000" SizeC="100000">`), /declares 10000000000 planes/);
  equal(isOmeXml("<?xml version='1.0'?><!-- <a> --><ome:OME xmlns:ome='x'>"), true);
  equal(isOmeXml("<MetaData><prop/></MetaData>"), false);
});

Deno.test("assigns a plane to the last TiffData that begins before it and covers it", () => {
  const place = { name: null, uuid: null };
  const data = ([[4, 3, true], [0, 6, true], [2, 1, true], [8, 12, false], [10, 12, false]] as const).map(
    ([first, count, counted]) => ({ first, count, counted, directory: 0, place }),
  );
  const lookup = new PlaneLookup(data, 12);
  const found = Array.from({ length: 13 }, (_, plane) => lookup.find(plane)[0]?.first ?? -1);
  deepEqual(found, [0, 0, 2, 0, 4, 4, 4, -1, 8, 8, 10, 10, -1]);
  deepEqual(new PlaneLookup([], 10).find(0), []);
});
