/** Lists and numbers that the code knows are those of the documentation. A failure says what to write where. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import manifest from "../deno.json" with { type: "json" };
import { ROOT } from "./binary/server_process.ts";
import { HELP } from "../cli/arguments.ts";
import { type COMMANDS, parseCommandLine } from "../cli/command_line.ts";
import { EXPORT } from "../cli/export.ts";
import { INFO } from "../cli/info.ts";
import { MEASURE } from "../cli/measure.ts";
import { PLANE } from "../cli/plane.ts";
import { SCHEMA, VALIDATE } from "../cli/validate.ts";
import { KEYWORDS, packageReadme } from "../.ci/packages/release.ts";
import { FORMATS, SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { WARNING_CODES } from "../readers/warning.ts";
import { PAGE_GROUPS } from "../routes/manual_page.ts";
import { OpenResponse } from "../schemas/http.ts";
import { ERRORS } from "../schemas/served.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import { FUZZED_FORMATS } from "./fuzz/seeds.ts";

const text = (path: string) => Deno.readTextFileSync(join(ROOT, path));

/** A section of second level of a page. */
function section(page: string, title: string): string {
  const [, found] = text(page).split(`\n## ${title}\n`);
  assert(found !== undefined, `${page} has no section "${title}"`);
  return found.split("\n## ")[0]!;
}

/** Cells of the rows below the head of the first table, without the spaces around them. */
function rows(markdown: string): string[][] {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /^\| -/.test(line));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith("|"));
  return lines.slice(start + 1, end < 0 ? undefined : end)
    .map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
}

/** Asserts that a documented list has the items that code has, in any order. */
function assertListed(found: readonly string[], wanted: readonly string[], place: string): void {
  const absent = wanted.filter((item) => !found.includes(item));
  const surplus = found.filter((item) => !wanted.includes(item));
  const twice = found.filter((item, i) => found.indexOf(item) !== i);
  const words = [
    ...absent.map((item) => `${place} lacks ${item}`),
    ...surplus.map((item) => `${place} has ${item}, which the code does not know`),
    ...twice.map((item) => `${place} has ${item} twice`),
  ];
  assert(words.length === 0, words.join("\n"));
}

const GUIDE = "docs/build-a-client.md";

Deno.test("the guide for clients has every error code with its status", () => {
  const found = rows(section(GUIDE, "Errors")).flatMap(([codes = ""]) =>
    codes.replaceAll("`", "").split(", ")
  );
  const wanted = Object.entries(ERRORS).map(([code, [status]]) => `${status} ${code}`);
  assertListed(found, wanted, `${GUIDE}, table "Errors",`);
});

Deno.test("the guide for clients has every warning code with its meaning", () => {
  const found = rows(section(GUIDE, "Warnings")).map(([code, meaning]) => `${code}: ${meaning}`);
  const wanted = Object.entries(WARNING_CODES).map(([code, meaning]) => `\`${code}\`: ${meaning}`);
  assertListed(found, wanted, `${GUIDE}, table "Warnings",`);
});

Deno.test("README.md has every extension", () => {
  const cells = rows(section("README.md", "What it reads")).map(([, extensions = ""]) => extensions);
  const found = cells.flatMap((cell) =>
    [...cell.matchAll(/`(\.[^`]+)`/g)].flatMap(([, list]) => list!.split(" "))
  );
  assertListed(found, SUPPORTED_EXTENSIONS, 'README.md, table "What it reads",');
});

/** Folders of `readers/` with a format, and the page of the manual and the fuzzed format of each, where they have other names. */
const FORMAT_FOLDERS = [...Deno.readDirSync(join(ROOT, "readers"))].map(({ name }) => name)
  .filter((name) => existsSync(join(ROOT, "readers", name, "format.ts")));
const PAGE_OF: Readonly<Record<string, string>> = { collection: "ome-zarr" };
const FUZZED_AS: Readonly<Record<string, string>> = {
  collection: "zarr",
  imaris: "hdf5",
  mesc: "hdf5",
  nwb: "hdf5",
};

Deno.test("each format has a page in the manual and seeds to fuzz", () => {
  // `hdf5` declares what several formats share.
  const folders = FORMAT_FOLDERS.filter((name) => name !== "hdf5");
  const pages: readonly string[] = PAGE_GROUPS["Formats"]!;
  const wanted = folders.map((name) => `docs/formats/${PAGE_OF[name] ?? name}.md`);
  assertListed(pages.filter((page) => page !== "docs/formats/time.md"), wanted, "routes/manual_page.ts");
  const fuzzed = new Set<string>(FUZZED_FORMATS);
  assert.deepEqual(folders.filter((name) => !fuzzed.has(FUZZED_AS[name] ?? name)), [], "tests/fuzz/seeds.ts");
});

Deno.test("the client for Python has the version of deno.json", () => {
  const [, version] = /^__version__ = "([^"]+)"/m.exec(text("examples/python/acq_client.py"))!;
  assert.equal(version, manifest.version);
});

Deno.test("texts and keywords of the packages of npm and PyPI name all formats", () => {
  // Archives and collections are OME-Zarr, which has a title of its own.
  const titles = FORMATS.map(({ title }) => title).filter((title) =>
    !/^Collection | in a ZIP file$/.test(title)
  );
  assert(titles.length > 10);
  const pages = {
    ".ci/client_package.md": text(".ci/client_package.md"),
    ".ci/client_wheel.md": text(".ci/client_wheel.md"),
    ".ci/packages/release.ts, packageReadme": packageReadme("acq-server", undefined),
  };
  for (const [place, page] of Object.entries(pages)) {
    const words = page.replaceAll(/\s+/g, " ");
    assert.deepEqual(titles.filter((title) => !words.includes(title)), [], place);
  }
  for (const place of [".ci/packages/npm.ts", ".ci/packages/wheel.ts", ".ci/client_package.ts"]) {
    assert.match(text(place), /keywords: .*KEYWORDS|Keywords: .*KEYWORDS/, place);
  }
  assert.deepEqual(FORMATS.filter(({ name }) => !KEYWORDS.includes(name)), []);
});

/** Flags with their values and meanings, as help lists them. */
function flagsOf(help: string): string[] {
  const options = help.split("\nOptions:\n")[1]!.split("\n\n")[0]!;
  return [...options.matchAll(/^ +(?:-\w, )?(--\S+(?: <\S+>)?) {2,}(.*)$/gm)]
    .filter(([, flag]) => flag !== "--help" && flag !== "--version")
    .map(([, flag, meaning]) => `\`${flag}\`: ${meaning}`);
}

Deno.test("docs/install.md has every flag of the server with its meaning", () => {
  const command = parseCommandLine(["--help"]);
  assert(command.kind === "help");
  const found = rows(section("docs/install.md", "Options")).map(([flag, meaning]) => `${flag}: ${meaning}`);
  assertListed(found, flagsOf(command.text), 'docs/install.md, table "Options",');
});

/** The page that explains each command. */
const COMMAND_PAGES: Readonly<Record<keyof typeof COMMANDS, string>> = {
  info: "docs/use-from/shell.md",
  plane: "docs/use-from/shell.md",
  export: "docs/archive.md",
  measure: "docs/measure.md",
  validate: "docs/collections.md",
  schema: "docs/collections.md",
};

Deno.test("the page of each command has its flags", () => {
  const commands = [INFO, PLANE, EXPORT, MEASURE, VALIDATE, SCHEMA];
  const words = commands.flatMap(({ usage: [line = ""], flags }) => {
    const name = line.split(" ")[1] as keyof typeof COMMANDS;
    const page = text(COMMAND_PAGES[name]);
    const absent = flags.filter((flag) => flag !== HELP && !new RegExp(`${flag.name}\\b`).test(page));
    return absent.map((flag) =>
      `${COMMAND_PAGES[name]} lacks ${flag.name} of acq-server ${name}: ${flag.help}`
    );
  });
  assert(words.length === 0, words.join("\n"));
});

Deno.test("the manual has the sections, the settings and the documents of each measurement", () => {
  const headings = [...text("docs/measure.md").matchAll(/^##+ (.*)$/gm)].map(([, heading]) => heading!);
  const anchors = headings.map((heading) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-")
  );
  const shell = section("docs/measure.md", "From the shell");
  const settings = rows(shell).map(([name]) => name);
  const documents = rows(section("docs/measurements.md", "Analyses")).map(([type]) => type);
  const words = MEASUREMENTS.flatMap(({ key, section, help = [], parameters }) => {
    const linked = [section, ...help.map(([anchor]) => anchor), ...parameters.map(({ help }) => help)];
    const absent = linked.filter((anchor) => anchor !== undefined && !anchors.includes(anchor));
    const name = `\`${key}\``;
    return [
      ...absent.map((anchor) => `docs/measure.md lacks the section #${anchor} of ${key}`),
      ...settings.includes(name) ? [] : [`docs/measure.md, "From the shell", lacks the setting ${key}`],
      ...documents.includes(name) ? [] : [`docs/measurements.md, "Analyses", lacks ${key}`],
      ...new RegExp(`\`--write\` names[^.]*${name}`).test(shell)
        ? []
        : [`docs/measure.md lacks --write ${key}`],
    ];
  });
  assert(words.length === 0, words.join("\n"));
});

/** The schema without `nullable` and the like, or of the items of a list. */
function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return bare(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodArray ? bare(schema.element as z.ZodType) : schema;
}

/** Asserts that each field of an example is one of a schema. */
function assertFields(example: unknown, schema: z.ZodType, place: string): void {
  const values = Array.isArray(example) ? example : [example];
  const object = bare(schema);
  if (!(object instanceof z.ZodObject)) return;
  for (const value of values) {
    for (const [name, inner] of Object.entries((value ?? {}) as Record<string, unknown>)) {
      const field = object.shape[name] as z.ZodType | undefined;
      assert(field !== undefined, `${place} has "${name}", which an open does not answer`);
      assertFields(inner, field, `${place} "${name}"`);
    }
  }
}

Deno.test("the example of an open in the guide for clients has every field, and no other", () => {
  const [, json] = /```json\n(.*?)```/s.exec(section(GUIDE, "The answer to an open"))!;
  const example = JSON.parse(json!);
  const place = `${GUIDE}, example in "The answer to an open",`;
  assertListed(Object.keys(example), Object.keys(OpenResponse.shape), place);
  assertFields(example, OpenResponse, place);
});

const bytes = (count: number) => count % 2 ** 20 === 0 ? `${count / 2 ** 20} MiB` : `${count / 2 ** 10} KiB`;
const number = (count: number) => count.toLocaleString("en");
const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const word = (count: number) => SMALL[count] ?? number(count);

/** Constants of the code, with the places that state them: the page and what stands around the number. */
const LIMITS: readonly [
  file: string,
  constant: string,
  written: (value: number) => string,
  places: readonly [page: string, around: RegExp][],
][] = [
  ["session/plane_cache.ts", "MOST_BYTES", bytes, [
    [GUIDE, /It caches planes in an eighth of the session memory, (.+?) at most/],
    ["docs/security.md", /The cache takes an eighth of the session memory, (.+?) at most/],
  ]],
  ["session/plane_cache.ts", "MOST_PART", (part) => part === 8 ? "eighth" : `1/${part}`, [
    [GUIDE, /It caches planes in an (\w+) of the session memory/],
    ["docs/security.md", /The cache takes an (\w+) of the session memory/],
  ]],
  ["session/decode_pool.ts", "MAX_WORKERS", word, [["docs/security.md", /never more than (.+?);/]]],
  ["session/decode_pool.ts", "MAX_WAITING_OPENS", number, [[
    "docs/security.md",
    /; (\S+) wait; the rest get 503/,
  ]]],
  ["session/decode_pool.ts", "MAX_WAITING_PLANES", number, [[
    "docs/security.md",
    /at most (\S+) planes wait/,
  ]]],
  ["session/decode_pool.ts", "MAX_WAITING_OF_SESSION", number, [
    [GUIDE, /at most (\S+) planes of a session may wait/],
    ["docs/security.md", /planes wait, (\S+) of each session/],
  ]],
  ["session/archive/links.ts", "MAX_LINKS", word, [[
    "docs/security.md",
    /At most (\S+) download links wait/,
  ]]],
  ["session/archive/links.ts", "LINK_SECONDS", (value) => `${word(value / 60)} minutes`, [
    ["docs/security.md", /works once and expires in (\w+ minutes)/],
  ]],
  ["session/archive/archive_stream.ts", "MAX_PLANE_BYTES", bytes, [[
    "docs/security.md",
    /Exports hold at most (.+?) of planes/,
  ]]],
  ["session/folder_listing.ts", "MAX_ENTRIES", number, [[GUIDE, /The answer has at most (\S+) entries/]]],
  ["session/dialog/dialog_limits.ts", "TOO_MANY", word, [[
    "docs/security.md",
    /After (\S+) cancelled ones within/,
  ]]],
  ["session/dialog/dialog_limits.ts", "PAUSE", (value) => `${value} s`, [
    ["docs/security.md", /every foreign site waits (\d+ s)/],
  ]],
  ["routes/planes.ts", "STALL_MS", seconds, [[
    "docs/security.md",
    /a response that moves no byte for (\d+ s)/,
  ]]],
  ["routes/request_body.ts", "MAX_BODY_BYTES", bytes, [["docs/security.md", /a body of (.+?) \(32 MiB for/]]],
  ["routes/request_body.ts", "BODY_SECONDS", (value) => `${value} s`, [
    ["docs/security.md", /; (\d+ s) to arrive/],
  ]],
  ["static/demo/v2/saving/documents.ts", "VERSION", number, [[
    "docs/measurements.md",
    /`version` \((\d+);/,
  ]]],
  ["cli/log.ts", "MOST_WAITING", number, [["docs/security.md", /the server keeps (\S+) unread lines/]]],
];

/** The value of a constant, from its source: a number, or a product or shift of numbers. */
function valueOf(file: string, constant: string): number {
  const [, left, operator, right] =
    new RegExp(`const ${constant} = ([\\d_]+)(?: (\\*|<<) ([\\d_]+))?;`).exec(text(file)) ??
      assert.fail(`${file} has no constant ${constant}; correct the table LIMITS of this test`);
  const [a, b] = [left!, right ?? "1"].map((digits) => Number(digits.replaceAll("_", ""))) as [
    number,
    number,
  ];
  return operator === "<<" ? a * 2 ** b : a * b;
}

Deno.test("limits in the documentation are those of the code", () => {
  const wrong = LIMITS.flatMap(([file, constant, written, places]) => {
    const expected = written(valueOf(file, constant));
    return places.flatMap(([page, around]) => {
      const [, found] = around.exec(text(page).replaceAll(/\s*\n\s*/g, " ")) ?? [];
      if (found === expected) return [];
      return [
        `${page} says ${found ?? "nothing"} where ${constant} of ${file} is ${expected}: ${around.source}`,
      ];
    });
  });
  assert(wrong.length === 0, wrong.join("\n"));
});
