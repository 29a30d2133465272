/** The OpenAPI 3.1 document, generated from the endpoint table and the zod schemas. */
import { z } from "zod";
import * as http from "../schemas/http.ts";
import { type ErrorCode, ERRORS } from "../schemas/served.ts";
import type { Endpoint, SchemaName } from "./context.ts";
import { VALIDATION_DETAILS } from "./examples.ts";

type Json = Record<string, unknown>;

const PARAMETERS: Readonly<Record<string, Json>> = {
  session_id: { description: "Id of the session", schema: { type: "string" } },
  export_id: { description: "Id of the link", schema: { type: "string" } },
  channel_index: { description: "Channel index, from 0", schema: { type: "integer", minimum: 0 } },
  file: { description: "File name", schema: { type: "string" } },
};

const RANGE_PARAMETER: Json = {
  name: "Range",
  in: "header",
  required: false,
  description: "A single byte range; several ranges, or a malformed one, answer the whole plane",
  schema: { type: "string", examples: ["bytes=0-4095"] },
};

const INDEX: Json = { type: "integer", minimum: 0, default: 0 };

/** @param runs whether an index may be a range */
const describePositions = (runs: boolean): readonly Json[] =>
  [["t", "T (time)"], ["z", "Z (focus)"], ["l", "L (wavelength)"]].map(([name, axis]) => ({
    name,
    in: "query",
    required: false,
    description: `Index along ${axis}, below its size in header.sizes; the opened position by default${
      runs ? ". One of `t`, `z` and `l` may be a range such as `0-99`, its end included" : ""
    }`,
    schema: runs
      ? { anyOf: [INDEX, { type: "string", pattern: "^[0-9]+-[0-9]+$", examples: ["0-99"] }] }
      : INDEX,
  }));

/** Links from the answer of an open; their parameters are expressions over its body. */
const SESSION_LINKS: Json = Object.fromEntries([
  ["readSession", "State of the session", {}],
  ["deleteSession", "Ends the session", {}],
  ["openAgain", "Opens another scene", {}],
  ["readMetadata", "Metadata documents of the file", {}],
  ["readChannel", "Plane of the first channel", { channel_index: "$response.body#/channels/0/index" }],
  [
    "readReferenceChannel",
    "Plane of the first channel of the reference image, where there is one",
    { channel_index: "$response.body#/reference/channels/0/index" },
  ],
].map(([operationId, description, parameters]) => [operationId, {
  operationId,
  description,
  parameters: { session_id: "$response.body#/sessionId", ...parameters as Json },
}]));

/** The OpenAPI document. */
export function buildOpenapiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = describeOperation(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "acq-server",
      version,
      description:
        "Local acquisition server. Every GET also answers HEAD. Errors of every path have one envelope; " +
        "clients branch on its code. Within v2, which `api_version` and the paths name, fields and codes are only " +
        "added; what is to end is marked as deprecated here, and goes with v3 only. [Build a client](/docs/build-a-client.md) explains the fields, with examples.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server" }],
    // There is no log-in; access depends on Host and Origin.
    security: [],
    tags: [
      { name: "service", description: "What the server is and can do" },
      { name: "acquisitions", description: "Opening an acquisition into a session" },
      { name: "sessions", description: "Planes and state of a session" },
      { name: "pages", description: "Documents and pages" },
    ],
    paths,
    components: { schemas: buildComponentSchemas(endpoints) },
  };
}

function describeOperation(endpoint: Endpoint): Json {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(names.length > 0 && {
      parameters: [
        ...names.map((name) => ({ name, in: "path", required: true, ...PARAMETERS[name] })),
        ...(endpoint.positions ? describePositions(endpoint.runs === true) : []),
        ...(endpoint.ranges ? [RANGE_PARAMETER] : []),
      ],
    }),
    ...(endpoint.request && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: referToSchema(endpoint.request),
            examples: Object.fromEntries(
              Object.entries(endpoint.requestExamples ?? {}).map(([name, value]) => [name, { value }]),
            ),
          },
        },
      },
    }),
    responses: describeResponses(endpoint),
  };
}

function describeResponses({ success, ranges, errors }: Endpoint): Json {
  const failures = new Set<ErrorCode>([
    ...errors,
    "origin_not_allowed",
    "host_not_allowed",
    "internal_error",
  ]);
  const byStatus = Map.groupBy(failures, (code) => ERRORS[code][0]);
  const result: Json = {};
  const schema = success.schema
    ? referToSchema(success.schema)
    : success.mediaType?.endsWith("json")
    ? { type: "object" }
    : { type: "string", format: "binary" };
  const successContent = success.mediaType === undefined ? {} : {
    [success.mediaType]: {
      schema,
      ...(success.example !== undefined && { example: success.example }),
    },
  };
  const links = success.schema === "OpenResponse" ? { links: SESSION_LINKS } : {};
  result[success.status] = {
    description: success.description,
    ...(success.mediaType !== undefined && { content: successContent }),
    ...links,
  };
  if (ranges) {
    result["206"] = { description: "The part that a single Range header asked for", content: successContent };
  }
  for (const [status, codes] of [...byStatus].sort((a, b) => a[0] - b[0])) {
    result[status] = status === success.status ? { ...withCancelled(success, schema), ...links } : {
      description: codes.join(", "),
      content: {
        "application/json": {
          schema: referToSchema("ErrorBody"),
          examples: Object.fromEntries(
            codes.map((code) => [code, { value: makeErrorExample(code) }]),
          ),
        },
      },
    };
  }
  return result;
}

/** Adds the answer to a cancelled dialog, which has the status of a success. */
function withCancelled(success: Endpoint["success"], schema: Json): Json {
  return {
    description: success.description,
    content: {
      "application/json": {
        schema: { oneOf: [schema, referToSchema("ErrorBody")] },
        examples: {
          opened: { value: success.example },
          cancelled: { value: makeErrorExample("cancelled") },
        },
      },
    },
  };
}

function makeErrorExample(code: ErrorCode): Json {
  const details = code === "request_validation_failed" ? VALIDATION_DETAILS : null;
  return { ok: false, error: code, message: ERRORS[code][1], details };
}

function referToSchema(name: SchemaName): Json {
  const named = http.HTTP_SCHEMAS.get(http[name]);
  if (named === undefined) throw new Error(`The schema ${name} has no name in the document`);
  return { $ref: makeSchemaUri(named.id) };
}

const makeSchemaUri = (id: string) => `#/components/schemas/${id}`;

function buildComponentSchemas(endpoints: readonly Endpoint[]): Json {
  const { schemas } = z.toJSONSchema(http.HTTP_SCHEMAS, { uri: makeSchemaUri });
  const requests = new Set<string | undefined>(endpoints.map(({ request }) => request));
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => {
      const rewritten = rewriteForGenerators(schema);
      return [id, requests.has(id) ? rewritten : openObjects(rewritten)] as const;
    }),
  );
}

/** Lets the objects of an answer have further fields, which later versions of the server may add. */
function openObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openObjects);
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(value).filter(([key, part]) =>
    key !== "additionalProperties" || part !== false
  );
  return Object.fromEntries(parts.map(([key, part]) => [key, openObjects(part)]));
}

/**
 * Rewrites a schema in keywords that every client generator supports: a tuple of equal items by its length, a nullable value by a
 * list of types, an enumeration of whole numbers as integers, other numbers as doubles.
 */
function rewriteForGenerators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteForGenerators);
  if (typeof value !== "object" || value === null) return value;
  const parts: Json = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, rewriteForGenerators(part)]),
  );
  return rewriteNullable(rewriteBoolean(rewriteNumber(rewriteTuple(parts))));
}

/** openapi-python-client does not support `prefixItems` with `items: false`. */
function rewriteTuple(schema: Json): Json {
  const { prefixItems, items: _items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  const [first, ...others] = prefixItems.map((item) => JSON.stringify(item));
  if (first === undefined || others.some((other) => other !== first)) {
    throw new Error("Not every client generator supports a tuple of unequal items");
  }
  const { length } = prefixItems;
  return { ...rest, items: prefixItems[0], minItems: length, maxItems: length };
}

/** openapi-generator and oapi-codegen make a union type of `anyOf` with null. */
function rewriteNullable(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== "null") return schema;
  const { type, ...one }: Json = anyOf[0];
  return typeof type === "string" ? { ...one, ...rest, type: [type, "null"] } : schema;
}

/**
 * openapi-generator writes Java that does not compile for an enumeration of type number; oapi-codegen uses 32 bits for numbers
 * without a format.
 */
function rewriteNumber(schema: Json): Json {
  if (schema.type !== "number") return schema;
  const isWhole = Array.isArray(schema.enum) && schema.enum.every(Number.isInteger);
  return isWhole ? { ...schema, type: "integer" } : { ...schema, format: "double" };
}

/** openapi-generator takes the single value of a boolean for a string. */
function rewriteBoolean({ const: only, ...rest }: Json): Json {
  return rest.type === "boolean" || only === undefined ? rest : { ...rest, const: only };
}
