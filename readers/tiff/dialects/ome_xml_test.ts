import { deepEqual, equal, throws } from "node:assert/strict";
import { isOmeXml } from "../text.ts";
import { parseOme, readImage } from "./ome_xml.ts";

const image = (pixels: string, inside = "") =>
  readImage(parseOme(`<OME><Image>${inside}<Pixels ${pixels}</Pixels></Image></OME>`, "OME-XML").images[0]!);

Deno.test("names and dates of old and new schemas", () => {
  deepEqual(
    image(`SizeC="1">`, `<CreationDate>2006-05-04T18:13:51</CreationDate><LogicalChannel Name="a"/>`).names,
    ["a"],
  );
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
  throws(() => image(`SizeZ="100000" SizeC="100000">`), /declares 1 x 100000 x 100000 planes/);
  throws(() => image(`SizeT="100000" SizeC="100000">`), /declares 100000 x 100000 x 1 planes/);
  equal(isOmeXml("<?xml version='1.0'?><!-- <a> --><ome:OME xmlns:ome='x'>"), true);
  equal(isOmeXml("<MetaData><prop/></MetaData>"), false);
});
