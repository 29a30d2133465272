import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DecodedBytes } from "../io/byte_source.ts";
import { OifSettings, settingNumber } from "./settings.ts";

const read = (bytes: Uint8Array) => OifSettings.read(new DecodedBytes(bytes, '"a.pty"'));
const utf16 = (text: string) => Buffer.from("\ufeff" + text, "utf16le");

const TEXT =
  '[A b]\r\nKey one=1\r\n; a comment\r\n\r\n  Path = "C:\\x=y" \r\nOther=\'é\'\r\nnothing\r\n[B]\r\nKey one=2\r\n[B]\r\nKey one="3"\r\n';

Deno.test("decodes UTF-16, UTF-8 and a code page, and skips bytes before the first section", () => {
  const latin1 = Buffer.from(TEXT, "latin1");
  for (
    const bytes of [
      utf16(TEXT),
      Buffer.from(TEXT),
      latin1,
      Buffer.concat([Buffer.from("\0junk"), utf16(TEXT)]),
    ]
  ) {
    const settings = read(bytes);
    equal(settings.text("A b", "Key one"), "1");
    equal(settings.text("A b", "Path"), "C:\\x=y");
    equal(settings.text("A b", "Other"), "é");
    equal(settings.text("A b", "nothing"), null);
    equal(settings.number("B", "Key one"), 3);
    deepEqual(settings.sections.map(({ name, values }) => [name, values.size]), [["A b", 3], ["B", 1], [
      "B",
      1,
    ]]);
  }
});

Deno.test("parses numbers with a decimal point or comma", () => {
  const cases: [string | null, number | null][] = [
    ["0.177", 0.177],
    ["-959330.0", -959330],
    ["0,207.0", 0.207],
    ["211,761.0", 211.761],
    ["-1,5", -1.5],
    ["1,2,3", null],
    ["9999", 9999],
    ["", null],
    ["NaN", null],
    ["1e999", null],
    ["x", null],
    [null, null],
  ];
  for (const [text, number] of cases) equal(settingNumber(text), number, `${text}`);
});

Deno.test("rejects other texts, and those over the bounds", () => {
  throws(() => read(Buffer.from("no section")), /"a\.pty" is not a settings text/);
  throws(() => read(new Uint8Array(0)), /it has no section/);
  throws(() => read(Buffer.concat([Buffer.alloc(2000), utf16(TEXT)])), /it has no section/);
  throws(() => read(Buffer.alloc((16 << 20) + 1, "[")), /16777217 bytes, more than 16777216/);
  deepEqual(read(Buffer.alloc(16 << 20, "[")).sections, []);
  throws(
    () => read(Buffer.from("[A]\n" + Array.from({ length: (1 << 18) + 1 }, (_, i) => `${i}=`).join("\n"))),
    /more than 262144 sections and keys/,
  );
  throws(() => read(Buffer.from("[A]\n".repeat((1 << 18) + 1))), /more than 262144 sections and keys/);
});
