import assert from "node:assert/strict";
import { explainOirRelative } from "./format.ts";

Deno.test("messages for archives and mosaics of OIR files name what to open instead", () => {
  const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  const utf16 = latin1("\xff\xfe" + [...'<?xml version="1.0"'].map((c) => c + "\0").join(""));
  const cases: [Uint8Array, RegExp | null][] = [
    [latin1("PK\x03\x04\x14\0\0\0"), /ZIP archive.*open an \.oir inside/],
    [latin1("PK\x05\x06\0\0"), /ZIP archive/],
    [latin1('<?xml version="1.0"?>'), /XML document.*open an \.oir of the mosaic/],
    [latin1('\xef\xbb\xbf<?xml version="1.0"?>'), /XML document/],
    [utf16, /XML document/],
    [latin1("PK\x07\x08"), null],
    [latin1("P\0K"), null],
    [new Uint8Array(0), null],
  ];
  for (const [head, expected] of cases) {
    const said = explainOirRelative(head);
    if (expected === null) assert.equal(said, null, String(head));
    else assert.match(said ?? "", expected);
  }
});
