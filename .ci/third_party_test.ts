import assert from "node:assert/strict";
import { isEmbedded, NEEDED } from "./package_files.ts";
import { thirdParty } from "./third_party.ts";

Deno.test("every embedded library has a whole licence text", () => {
  const parts = thirdParty([{ name: "ash", version: "0.38.0+1.3.281" }]).split(/^=== (?=.+ ===$)/m).slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.split("\n");
      return { name: head.replace(/ ===$/, ""), text: lines.join("\n").trim() };
    });
  const texts = (start: string) => parts.filter(({ name }) => name.startsWith(start)).map(({ text }) => text);
  const embedded = Object.keys(NEEDED).filter(isEmbedded);
  const listed = parts.flatMap(({ name }) => /^(\S+) \d+\.\d+\.\d+$/.exec(name)?.[1] ?? []);
  assert.deepEqual(listed, embedded.sort());
  for (const name of embedded) {
    const found = [
      ...texts(`${name} `),
      ...parts.filter((part) => part.name.endsWith(`in ${name}`)).map((p) => p.text),
    ];
    // The shortest licence of all, ISC, has 700 characters.
    assert(found.some((text) => text.length > 700), name);
  }
  // Each text is of its library: a line that no other licence has.
  const lines: [string, RegExp][] = [
    ["Deno", /the Deno authors/],
    ["V8", /Copyright 2014, the V8 project authors/],
    ["ICU", /UNICODE LICENSE|Unicode, Inc\./],
    ["libwebp", /Copyright \(C\) 2010, Google Inc/],
    ["OpenJPEG", /Centre National d'Etudes Spatiales/],
    [
      "libjpeg-turbo, Copyright 2009-2024 D. R. Commander",
      /covered by three compatible BSD-style open source/,
    ],
    ["the bindings of libjpeg-turbo and OpenJPEG", /^MIT License\n\nCopyright \(c\) 2020 Chris Hafey/],
    ["Little CMS, Copyright 1998-2022 Marti Maria Saguer", /^Permission is hereby granted/],
    ["Zstandard", /For Zstandard software/],
    ["zlib", /Jean-loup Gailly and Mark Adler/],
    ["LERC, Copyright 2015 - 2022 Esri", /Version 2\.0, January 2004/],
    ["Rust crates", /^ash 0\.38\.0\+1\.3\.281: https:\/\/crates\.io\/crates\/ash\//m],
    ["jpegxr", /Copyright \(c\) 2009, Microsoft/],
  ];
  for (const [name, line] of lines) assert.match(texts(name).join("\n"), line, name);
});
