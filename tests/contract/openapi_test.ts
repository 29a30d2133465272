import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as schemas from "../../schemas/http.ts";
import { ENDPOINTS, ROUTES } from "../../routes/endpoints.ts";
import { Harness } from "./harness.ts";

type Json = Record<string, unknown>;

async function served(): Promise<Json> {
  await using server = new Harness();
  return await (await server.request("/openapi.json")).json();
}

const ERROR_CODES = schemas.ErrorBody.shape.error.options;

Deno.test("the served document is valid OpenAPI 3.1", async () => {
  const document = await served();
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.match(document.openapi as string, /^3\.1/);
});

Deno.test("the document names exactly the existing routes", async () => {
  const document = await served();
  const named = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.keys(item as Json).map((method) => `${method.toUpperCase()} ${path}`)
  );
  assert.deepEqual(named.sort(), ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  await using server = new Harness();
  for (const { method, path } of ROUTES) {
    const response = await server.request(path.replace(/\{\w+(?:\.{3})?\}/g, "0"), { method });
    const { error } = response.headers.get("content-type") === "application/json"
      ? await response.json()
      : {};
    assert.ok(error !== "method_not_allowed", `${method} ${path}`);
    if (!/\{(?:file|path\.{3})\}/.test(path)) assert.ok(error !== "not_found", `${method} ${path}`);
    if (!response.bodyUsed) await response.body?.cancel();
  }
});

Deno.test("each name in a path is a parameter, and each success has its media type and example", async () => {
  const { paths } = await served() as { paths: Record<string, Record<string, Json>> };
  for (const { path, method, success, ranges } of ENDPOINTS) {
    const { parameters, responses } = paths[path]![method.toLowerCase()] as {
      parameters?: { name: string; in: string; required: boolean; schema: Json }[];
      responses: Record<string, { content?: Record<string, Json> }>;
    };
    // OpenAPI 3.1, Path Templating and Parameter Object: one for each template expression, and it is required.
    const names = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
    const named = (parameters ?? []).filter((parameter) => parameter.in === "path");
    assert.deepEqual(named.map(({ name, required }) => [name, required]), names.map((name) => [name, true]));
    assert.ok(named.every(({ schema }) => schema.type !== undefined), path);
    assert.equal((parameters ?? []).some((parameter) => parameter.in === "header"), ranges === true);
    const types = Object.keys(responses[success.status]!.content ?? {});
    assert.deepEqual(types, success.mediaType === undefined ? [] : [success.mediaType], path);
    const [content] = Object.values(responses[success.status]!.content ?? {});
    // Where a dialog may be cancelled there are two.
    if (content && !content.examples) assert.deepEqual(content.example, success.example, path);
    if (ranges) assert.deepEqual(responses["206"]!.content, responses["200"]!.content);
  }
});

/** Every part of a document that is an object. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

Deno.test("the document avoids features that client generators do not support", async () => {
  const document = await served();
  const { schemas } = document.components as { schemas: Record<string, Json> };
  for (const schema of objectsIn(schemas)) {
    // Boolean schemas and lists by item are beyond openapi-python-client.
    assert.ok(!("prefixItems" in schema) && typeof schema.items !== "boolean", JSON.stringify(schema));
    // Octal escapes are beyond Rust's and Python's jsonschema.
    if (typeof schema.pattern === "string") assert.ok(!/\\0/.test(schema.pattern), schema.pattern);
  }
  const { shape, axes } = schemas.Plane!.properties as Record<string, Json>;
  assert.deepEqual([shape!.minItems, shape!.maxItems, axes!.minItems, axes!.maxItems], [2, 2, 2, 2]);
  const { description: _, ...lineRoi } = (schemas.Reference!.properties as Record<string, Json>).lineRoi!;
  assert.deepEqual(lineRoi, {
    type: ["array", "null"],
    items: { type: "number", format: "double" },
    minItems: 4,
    maxItems: 4,
  });
  // A union with null is a class of its own to openapi-generator, except one of a named schema.
  for (const { anyOf } of objectsIn(schemas)) {
    assert.ok(
      anyOf === undefined || (anyOf as Json[]).some(({ type }) => type === undefined),
      JSON.stringify(anyOf),
    );
  }
  // Alternatives of one type are an enumeration, else a generated reader refuses all but the first.
  const { arrayDimension } = schemas.Axis!.properties as Record<string, Json>;
  assert.deepEqual([arrayDimension!.type, arrayDimension!.enum], ["integer", [0, 1]]);
  assert.deepEqual(document.security, []);
});

Deno.test("operations have descriptions, and names that collide with no schema", async () => {
  const document = await served();
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const operations = Object.values(document.paths as Record<string, Record<string, Json>>).flatMap(
    Object.values,
  );
  for (const { operationId, description, summary } of operations as Record<string, string>[]) {
    assert.ok(description && description !== summary, operationId);
    // oapi-codegen names what it writes for an operation so.
    for (const part of ["Response", "Params", "JSONBody", "JSONRequestBody"]) {
      const name = operationId![0]!.toUpperCase() + operationId!.slice(1) + part;
      assert.ok(!(name in schemas), name);
    }
  }
});

Deno.test("the schema of a path admits what the server accepts", async () => {
  const document = await served();
  const { OpenRequest } = (document.components as { schemas: Record<string, Json> }).schemas;
  const { path } = (OpenRequest as { properties: Record<string, Json> }).properties;
  const pattern = new RegExp(path!.pattern as string, "u");
  await using server = new Harness();
  const isWindows = Deno.build.os === "windows";
  for (
    const text of [
      "/x",
      "/x y\n",
      "/\u{1f600}",
      "x",
      "./x",
      "~/x",
      " ",
      "  /x",
      "C:x",
      "/a\0b",
      "C:\\x",
      "C:/x",
    ]
  ) {
    const { status } = await server.request("/api/v2/open", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ path: text }),
    });
    assert.equal(pattern.test(text), status !== 422, JSON.stringify(text));
    assert.equal(pattern.test("C:/x"), isWindows);
  }
});

Deno.test("the answer of an open links to the session and its planes", async () => {
  const { paths } = await served() as { paths: Record<string, Record<string, Json>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item)) as {
    operationId: string;
    parameters?: { name: string; required: boolean }[];
    responses: Record<string, { links?: Record<string, { operationId: string; parameters: Json }> }>;
  }[];
  const linked = operations.filter(({ responses }) => responses["200"]?.links);
  assert.deepEqual(linked.map(({ operationId }) => operationId), ["openByPath", "pickAndOpen", "openAgain"]);
  for (const { responses } of linked) {
    const links = Object.values(responses["200"]!.links!);
    for (const { operationId, parameters } of links) {
      const target = operations.find((operation) => operation.operationId === operationId)!;
      const required = (target.parameters ?? []).filter((parameter) => parameter.required);
      assert.deepEqual(Object.keys(parameters), required.map(({ name }) => name), operationId);
    }
    assert.deepEqual(links.map(({ operationId }) => operationId).sort(), [
      "deleteSession",
      "openAgain",
      "readChannel",
      "readMetadata",
      "readReferenceChannel",
      "readSession",
    ]);
  }
});

Deno.test("answers may get fields, and requests with unknown ones are refused", async () => {
  const document = await served();
  assert.match((document.info as { description: string }).description, /Within v2, .* are only added/);
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const requests = new Set<string | undefined>(ENDPOINTS.map(({ request }) => request));
  for (const [name, schema] of Object.entries(schemas)) {
    const isClosed = JSON.stringify(schema).includes('"additionalProperties":false');
    assert.equal(isClosed, requests.has(name), name);
  }
});

Deno.test("describes every field", async () => {
  const document = await served();
  const missing: string[] = [];
  const look = (schema: Json, at: string) => {
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      if (!property.description && !property.$ref) missing.push(`${at}.${name}`);
      look(property, `${at}.${name}`);
    }
    for (const key of ["items", "additionalProperties"]) {
      if (typeof schema[key] === "object") look(schema[key] as Json, at);
    }
    for (const part of (schema.anyOf ?? schema.oneOf ?? []) as Json[]) look(part, at);
  };
  const { schemas } = document.components as { schemas: Record<string, Json> };
  for (const [name, schema] of Object.entries(schemas)) {
    if (!schema.description) missing.push(name);
    look(schema, name);
  }
  assert.deepEqual(missing, []);
  assert.ok(Object.keys(schemas).length > 10);
});

Deno.test("every code is in the document with an example, and every example parses", async () => {
  const document = await served();
  const codes = new Set<string>();
  let requests = 0;
  for (const item of Object.values(document.paths as Record<string, Record<string, Json>>)) {
    for (const operation of Object.values(item)) {
      const body = operation.requestBody as { content: Record<string, { examples: Json }> } | undefined;
      requests += Object.keys(body?.content["application/json"]?.examples ?? {}).length;
      for (
        const response of Object.values(
          operation.responses as Record<string, { content?: Record<string, Json> }>,
        )
      ) {
        const examples = response.content?.["application/json"]?.examples as
          | Record<string, { value: Json }>
          | undefined;
        for (const { value } of Object.values(examples ?? {})) {
          if (value.ok) schemas.OpenResponse.parse(value);
          else codes.add(schemas.ErrorBody.parse(value).error);
        }
      }
    }
  }
  assert.ok(requests >= 4);
  // These belong to no endpoint: they are the answers to an unknown path or method.
  assert.deepEqual(
    ERROR_CODES.filter((code) => !codes.has(code)),
    ["not_found", "method_not_allowed"].filter((c) => !codes.has(c)),
  );
  for (const { success, request, requestExamples } of ENDPOINTS) {
    if (success.schema) schemas[success.schema].parse(success.example);
    for (const value of Object.values(requestExamples ?? {})) schemas[request!].parse(value);
  }
  assert.deepEqual(schemas.HTTP_SCHEMAS.get(schemas.OpenResponse), { id: "OpenResponse" });
});

Deno.test("index, capabilities and health parse with their schemas", async () => {
  await using server = new Harness({ allowedExtensions: [".tif"] });
  for (const { path, method, success } of ENDPOINTS) {
    if (method !== "GET" || !success.schema || path.includes("{")) continue;
    schemas[success.schema].parse(await (await server.request(path)).json());
  }
  const { links } = await (await server.request("/api/v2")).json();
  for (
    const [name, { href, method }] of Object.entries(
      links as Record<string, { href: string; method: string }>,
    )
  ) {
    const response = await server.request(href, { method });
    assert.ok(response.status !== 404 && response.status !== 405, name);
    await response.body?.cancel();
  }
  const capabilities = await (await server.request("/api/v2/capabilities")).json();
  assert.deepEqual(capabilities.allowedImportExtensions, [".tif"]);
  assert.deepEqual(
    [...capabilities.supportedImportExtensions].sort(),
    capabilities.supportedImportExtensions,
  );
  assert.equal(capabilities.sessionTtlSeconds, 600);
});
