import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { DOCUMENT_KINDS, type DocumentKindName, findDocumentKind } from "./documents.ts";
import { ALONE, checkDocument, findDeclaredKind } from "./document_rules.ts";
import { DocumentProblems, type Problem } from "./problems.ts";

type Json = unknown;
// deno-lint-ignore no-explicit-any -- documents are changed at will here
type Doc = any;

const SPACE = "primary-image-full-resolution-pixels";

/** A valid document of each kind with every field that its table has. */
const WHOLE: Record<DocumentKindName, () => Doc> = {
  collection: () => ({
    format: "store-ome-zarr-collection",
    version: 1,
    id: "c",
    name: "Collection",
    created: "2026-01-31T08:30:00Z",
    producer: { name: "p", version: "1" },
    members: [
      {
        id: "m",
        name: "Member",
        ome_zarr: "images/0001",
        resources: { acqimage: "meta/0001/acqimage.json", analyses: "meta/0001/analyses.json" },
        reference_image: { ome_zarr: "images/0001_ref", metadata: "meta/0001/reference-image.json" },
        summary: { anything: [1] },
      },
    ],
    resources: { tables: [{ id: "t", media_type: "text/csv", path: "tables/all.csv" }] },
    metadata: { free: true },
  }),
  acqimage: () => ({
    format: "store-acqimage",
    version: 1,
    image_id: "m",
    accepted: true,
    rois: [
      { id: "a", type: "point", name: "p", coordinate_space: SPACE, position: [0, 3], metadata: {} },
      { id: "b", type: "line", coordinate_space: SPACE, start: [1, 1], stop: [1, 1] },
      { id: "c", type: "rectangle", coordinate_space: SPACE, start: [0, 0], stop: [1, 1] },
    ],
    experiment_metadata: {},
    image_metadata: { note: null },
    axis_display: { y: { type: "time", unit: "s", scale: 0.002 } },
  }),
  analyses: () => ({
    format: "store-analyses",
    version: 1,
    image_id: "m",
    analyses: [
      {
        id: "a",
        type: "velocity",
        roi_id: "b",
        channel: 0,
        parameters: {},
        summary: {},
        resources: [{ id: "r", media_type: "text/csv", path: "a.csv" }],
      },
    ],
  }),
  "reference-image": () => ({
    format: "store-reference-image",
    version: 1,
    image_id: "m",
    scan_path: { coordinate_space: "reference-image-full-resolution-pixels", points: [[0, 0], [5, 7]] },
    metadata: {},
  }),
};

interface Case {
  readonly kind: DocumentKindName;
  readonly name: string;
  readonly change: (doc: Doc) => Doc | void;
  /** Expected pointer of the one problem; `null` for a valid document. */
  readonly pointer: string | null;
}

const CASES: Case[] = [];
const add = (kind: DocumentKindName, name: string, pointer: string | null, change: Case["change"]) =>
  CASES.push({ kind, name, pointer, change });

/** Required and optional fields of every object: paths to an object, then its fields. */
const FIELDS: [DocumentKindName, string, string[], string[]][] = [
  ["collection", "", ["format", "version", "id", "name", "members"], [
    "created",
    "producer",
    "resources",
    "metadata",
  ]],
  ["collection", "/producer", ["name"], ["version"]],
  ["collection", "/members/0", ["id", "name", "ome_zarr", "resources"], ["reference_image", "summary"]],
  ["collection", "/members/0/resources", ["acqimage"], ["analyses"]],
  ["collection", "/members/0/reference_image", ["ome_zarr", "metadata"], []],
  ["collection", "/resources", [], ["tables"]],
  ["collection", "/resources/tables/0", ["id", "media_type", "path"], []],
  ["acqimage", "", ["format", "version", "image_id", "accepted", "rois"], [
    "experiment_metadata",
    "image_metadata",
    "axis_display",
  ]],
  ["acqimage", "/rois/0", ["id", "type", "coordinate_space", "position"], ["name", "metadata"]],
  ["acqimage", "/rois/1", ["start", "stop"], []],
  ["acqimage", "/rois/2", ["start", "stop"], []],
  ["acqimage", "/axis_display/y", ["type", "unit", "scale"], []],
  ["analyses", "", ["format", "version", "image_id", "analyses"], []],
  ["analyses", "/analyses/0", ["id", "type", "resources"], ["roi_id", "channel", "parameters", "summary"]],
  ["analyses", "/analyses/0/resources/0", ["id", "media_type", "path"], []],
  ["reference-image", "", ["format", "version", "image_id"], ["scan_path", "metadata"]],
  ["reference-image", "/scan_path", ["coordinate_space", "points"], []],
];

const at = (doc: Doc, pointer: string): Doc =>
  pointer.split("/").slice(1).reduce((value, key) => value[key], doc);

for (const kind of Object.keys(WHOLE) as DocumentKindName[]) add(kind, "whole", null, () => {});
for (const [kind, object, required, optional] of FIELDS) {
  for (const field of required) {
    add(
      kind,
      `${object}/${field} missing`,
      `${object}/${field}`,
      (doc) => void delete at(doc, object)[field],
    );
  }
  for (const field of optional) {
    add(kind, `${object}/${field} left out`, null, (doc) => void delete at(doc, object)[field]);
  }
  add(kind, `${object} with an unknown field`, `${object}/extra`, (doc) => void (at(doc, object).extra = 1));
}

/** Values that a field may have, and values that it must not have. */
const VALUES: [DocumentKindName, pointer: string, valid: Json[], invalid: Json[]][] = [
  ["collection", "/format", [], ["store-acqimage"]],
  ["collection", "/version", [], [2, "1", 1.5]],
  ["collection", "/id", [], ["", 7]],
  ["collection", "/name", [], [""]],
  ["collection", "/members", [[]], [{}]],
  ["collection", "/metadata", [], [[], null]],
  ["collection", "/producer/name", [], [""]],
  ["collection", "/producer/version", [], [""]],
  // A leap second: RFC 3339, section 5.8.
  ["collection", "/created", [
    "2024-02-29T08:30:00Z",
    "2026-01-31T08:30:00.123456+02:00",
    "2026-01-31t08:30:00z",
    "2026-12-31T23:59:60Z",
    "1990-12-31T23:59:60Z",
  ], [
    "2026-01-31",
    "2026-01-31T08:30:00",
    "2026-02-30T08:30:00Z",
    "2025-02-29T08:30:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T08:60:00Z",
    "2026-01-31T08:30:00+0200",
    "2026-12-31T23:59:60+01:00",
    "2026-12-31T12:00:60Z",
    "2026-12-31T23:59:61Z",
    "2026-01-31T08:30:00-24:00",
  ]],
  ["collection", "/members/0/ome_zarr", [
    "a//b",
    "a/",
    "...",
    ".hidden/..a/b..",
    "a/b:c",
    "1:a",
    "a%2e%2e/ü 😀",
  ], [
    "",
    "/images/1",
    "C:/images",
    "x:images",
    "file:///a",
    "a\\b",
    "a?b",
    "a#b",
    ".",
    "..",
    "./a",
    "a/../b",
    "a/..",
    "a\n/../b",
    "a/./b",
  ]],
  ["collection", "/members/0/summary", [], ["text"]],
  ["collection", "/resources/tables", [[]], []],
  ["collection", "/resources/tables/0/media_type", [], ["text/tsv"]],
  ["acqimage", "/accepted", [], [1, null]],
  ["acqimage", "/rois", [[]], []],
  ["acqimage", "/rois/0/type", [], ["polygon"]],
  ["acqimage", "/rois/0/name", [], [""]],
  ["acqimage", "/rois/0/coordinate_space", [], ["pixels"]],
  ["acqimage", "/rois/0/position", [[0, 1e15], [1, 1]], [[1], [1, 2, 3], { x: 1, y: 2 }]],
  ["acqimage", "/rois/2/stop", [], [[0, 1], [1, 0]]],
  ["acqimage", "/axis_display", [], [{}]],
  ["acqimage", "/axis_display/y/scale", [], [0, -1, "1"]],
  ["acqimage", "/axis_display/y/type", [], [""]],
  ["analyses", "/analyses", [[]], []],
  ["analyses", "/analyses/0/type", [], [""]],
  ["analyses", "/analyses/0/channel", [], [-1, 0.5]],
  ["analyses", "/analyses/0/roi_id", [], [""]],
  ["analyses", "/analyses/0/parameters", [], [[]]],
  ["analyses", "/analyses/0/resources", [], [[]]],
  ["analyses", "/analyses/0/resources/0/path", [], ["../a.csv"]],
  ["reference-image", "/scan_path/points", [[[0, 0], [0, 0]]], [[[0, 0]]]],
  ["reference-image", "/scan_path/coordinate_space", [], [SPACE]],
];

/** Values whose problem is not that of their field. */
const ELSEWHERE: [DocumentKindName, pointer: string, Json, problem: string][] = [
  ["acqimage", "/rois/0/position", [-1, 0], "/rois/0/position/0"],
  ["acqimage", "/rois/0/position", [0.5, 0], "/rois/0/position/0"],
  ["acqimage", "/rois/0/position", [0, "1"], "/rois/0/position/1"],
  ["acqimage", "/rois/0/id", "b", "/rois/1/id"],
  ["acqimage", "/axis_display", { "": { type: "a", unit: "b", scale: 1 } }, "/axis_display/"],
  ["acqimage", "/axis_display", { "a/b~c": { type: "a", unit: "", scale: 1 } }, "/axis_display/a~1b~0c/unit"],
  ["reference-image", "/scan_path/points", [[0, 0], [0, -1]], "/scan_path/points/1/1"],
];
const single = VALUES.flatMap(([kind, pointer, valid, invalid]) => [
  ...valid.map((value) => [kind, pointer, value, null] as const),
  ...invalid.map((value) => [kind, pointer, value, pointer] as const),
]);
for (const [kind, pointer, value, problem] of [...single, ...ELSEWHERE]) {
  const [object, field] = [
    pointer.slice(0, pointer.lastIndexOf("/")),
    pointer.slice(pointer.lastIndexOf("/") + 1),
  ];
  add(kind, `${pointer} = ${JSON.stringify(value)}`, problem, (doc) => void (at(doc, object)[field] = value));
}
/** Objects with the own field `__proto__`, as JSON.parse makes it. */
const PROTO: [DocumentKindName, pointer: string, value: string, problem: string | null][] = [
  ["acqimage", "/rois/1", "null", "/rois/1/__proto__"],
  ["acqimage", "/rois/0/metadata", '"text"', null],
];
for (const [kind, pointer, value, problem] of PROTO) {
  add(kind, `${pointer} with __proto__ = ${value}`, problem, (doc) => {
    Object.defineProperty(at(doc, pointer), "__proto__", { value: JSON.parse(value), enumerable: true });
  });
}
for (const kind of Object.keys(WHOLE) as DocumentKindName[]) {
  for (const value of [null, [], "text", 1, true]) {
    add(kind, `a bare ${JSON.stringify(value)}`, "", () => value);
  }
}

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
addFormats.default(ajv);
const compiled = new Map(DOCUMENT_KINDS.map(({ kind, jsonSchema }) => [kind, ajv.compile(jsonSchema)]));

function problemsOf(kind: DocumentKindName, doc: Json): Problem[] {
  const problems: Problem[] = [];
  checkDocument(kind, doc, ALONE, new DocumentProblems("doc.json", problems));
  return problems;
}

/** Rules between values of one document are beyond both schemas. */
const BEYOND_SCHEMA = new Set(["/rois/1/id", "/rois/2/stop"]);

Deno.test("the table has at least 100 documents", () => assert.ok(CASES.length >= 100, `${CASES.length}`));

for (const { kind, name, change, pointer } of CASES) {
  Deno.test(`${kind} document: ${name}`, () => {
    const whole = WHOLE[kind]();
    const changed = change(whole);
    const doc = changed === undefined ? whole : changed;
    const problems = problemsOf(kind, doc);
    assert.deepEqual(problems.map((problem) => problem.pointer), pointer === null ? [] : [pointer]);
    const valid = findDocumentKind(kind).schema.safeParse(doc).success;
    assert.equal(compiled.get(kind)!(doc), valid, JSON.stringify(compiled.get(kind)!.errors));
    if (!name.endsWith("missing") && pointer !== null && !BEYOND_SCHEMA.has(pointer)) {
      assert.equal(valid, false);
    }
  });
}

/** Every place of a document, as paths of keys. */
function places(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

const VALUE = fc.oneof(
  fc.constantFrom<Json>(null, true, "", "a", "../a", "/", 0, -1, 1, 2.5, 1e300, [], {}, [0, 0], [[0, 0], [
    1,
    1,
  ]]),
  fc.string({ maxLength: 8, unit: "binary" }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.jsonValue({ maxDepth: 2 }),
);

Deno.test("zod and JSON Schema agree on a changed document", () => {
  const change = fc.record({
    kind: fc.constantFrom(...DOCUMENT_KINDS.map(({ kind }) => kind)),
    place: fc.nat(),
    how: fc.constantFrom("replace", "remove", "add", "repeat"),
    value: VALUE,
    key: fc.oneof(
      fc.constantFrom("extra", "id", "type", "constructor", "0"),
      fc.string({ maxLength: 4 }),
    ),
  });
  let valid = 0;
  const run = fc.property(change, ({ kind, place, how, value, key }) => {
    const holder = { doc: WHOLE[kind]() };
    const all = places(holder.doc, ["doc"]);
    const path = all[place % all.length]!;
    const owner = path.slice(0, -1).reduce<Doc>((inner, step) => inner[step], holder);
    const last = path.at(-1)!;
    if (how === "replace") owner[last] = value;
    else if (how === "remove" && path.length > 1) {
      if (Array.isArray(owner)) owner.splice(Number(last), 1);
      else delete owner[last];
    } else if (how === "add" && typeof owner[last] === "object" && owner[last] !== null) {
      if (Array.isArray(owner[last])) owner[last].push(value);
      else owner[last][key] = value;
    } else if (how === "repeat" && Array.isArray(owner)) owner.push(structuredClone(owner[Number(last)]));
    const judged = findDocumentKind(kind).schema.safeParse(holder.doc).success;
    valid += Number(judged);
    assert.equal(compiled.get(kind)!(holder.doc), judged, JSON.stringify(holder.doc));
  });
  fc.assert(run, { numRuns: 1000, seed: 20260131 });
  assert.ok(valid > 50 && valid < 950, `${valid} of 1000 were valid`);
});

Deno.test("the documents of the documentation are valid", () => {
  const page = Deno.readTextFileSync(new URL("../docs/collections.md", import.meta.url));
  const documents = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!));
  assert.deepEqual(documents.map((doc) => findDeclaredKind(doc)?.kind), [
    "collection",
    "acqimage",
    "reference-image",
  ]);
  for (const doc of documents) assert.deepEqual(problemsOf(findDeclaredKind(doc)!.kind, doc), []);
});
