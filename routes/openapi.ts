/** The OpenAPI 3.1 document, made from the endpoint table and the zod schemas. */
import { z } from "zod";
import { ErrorBody, type ErrorCode, HTTP_SCHEMAS } from "../schemas/http.ts";
import type { Endpoint } from "./endpoint.ts";
import { COMMON_ERRORS, rowOf } from "./error_table.ts";
import { ERROR_MESSAGES, REFUSED_BY_HTTP, VALIDATION_DETAILS } from "./examples.ts";

type Json = Record<string, unknown>;

const PARAMETERS: Readonly<Record<string, Json>> = {
  session_id: { description: "Id of the session", schema: { type: "string" } },
  channel_index: { description: "Channel index, from 0", schema: { type: "integer", minimum: 0 } },
  file: { description: "File name", schema: { type: "string" } },
  folder: { description: "Folder name", schema: { type: "string" } },
};

const RANGE_PARAMETER: Json = {
  name: "Range",
  in: "header",
  required: false,
  description:
    "A single range of bytes to answer; several, or one that cannot be read, answer the whole plane",
  schema: { type: "string", examples: ["bytes=0-4095"] },
};

const POSITION_PARAMETERS: readonly Json[] = [["t", "T (time)"], ["z", "Z (focus)"], ["l", "L (wavelength)"]]
  .map(([name, axis]) => ({
    name,
    in: "query",
    required: false,
    description: `Index along ${axis}, below its size in header.sizes; 0 by default`,
    schema: { type: "integer", minimum: 0, default: 0 },
  }));

/** The document of a version of the server. */
export function openapiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "acq-server",
      version,
      description:
        "Local acquisition server. Every GET also answers HEAD. Errors of every path have one envelope; " +
        "clients branch on its code.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server" }],
    tags: [
      { name: "service", description: "What the server is and can do" },
      { name: "acquisitions", description: "Opening an acquisition into a session" },
      { name: "sessions", description: "Planes and state of a session" },
      { name: "pages", description: "Documents and pages" },
    ],
    paths,
    components: { schemas: componentSchemas() },
  };
}

function operation(endpoint: Endpoint): Json {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(names.length > 0 && {
      parameters: [
        ...names.map((name) => ({ name, in: "path", required: true, ...PARAMETERS[name] })),
        ...(endpoint.positions ? POSITION_PARAMETERS : []),
        ...(endpoint.ranges ? [RANGE_PARAMETER] : []),
      ],
    }),
    ...(endpoint.request && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: reference(endpoint.request),
            examples: Object.fromEntries(
              Object.entries(endpoint.requestExamples ?? {}).map(([name, value]) => [name, { value }]),
            ),
          },
        },
      },
    }),
    responses: responses(endpoint),
  };
}

function responses({ success, ranges, errors }: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  const rows = [...errors.map(rowOf), ...COMMON_ERRORS];
  for (const { code, status } of rows) {
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  const result: Json = {};
  const schema = success.schema
    ? reference(success.schema)
    : success.mediaType?.endsWith("json")
    ? { type: "object" }
    : { type: "string", format: "binary" };
  const successContent = success.mediaType === undefined ? {} : {
    [success.mediaType]: {
      schema,
      ...(success.example !== undefined && { example: success.example }),
    },
  };
  result[success.status] = {
    description: success.description,
    ...(success.mediaType !== undefined && { content: successContent }),
  };
  if (ranges) {
    result["206"] = { description: "The part that a single Range header asked for", content: successContent };
  }
  for (const [status, codes] of [...byStatus].sort((a, b) => a[0] - b[0])) {
    result[status] = status === success.status ? withCancelled(success, schema) : {
      description: codes.join(", "),
      content: {
        "application/json": {
          schema: reference(ErrorBody),
          examples: Object.fromEntries(
            codes.map((code) => [code, { value: errorExample(code, status) }]),
          ),
        },
      },
    };
  }
  return result;
}

/** A cancelled dialog is answered with the status of a success. */
function withCancelled(success: Endpoint["success"], schema: Json): Json {
  return {
    description: success.description,
    content: {
      "application/json": {
        schema: { oneOf: [schema, reference(ErrorBody)] },
        examples: {
          opened: { value: success.example },
          cancelled: { value: errorExample("cancelled", 200) },
        },
      },
    },
  };
}

function errorExample(code: ErrorCode, status: number): Json {
  const byHttp = code === "request_validation_failed" ? REFUSED_BY_HTTP[status] : undefined;
  if (byHttp !== undefined) return { ok: false, error: code, message: byHttp, details: [] };
  const details = code === "request_validation_failed" ? VALIDATION_DETAILS : null;
  return { ok: false, error: code, message: ERROR_MESSAGES[code], details };
}

function reference(schema: z.ZodType): Json {
  const named = HTTP_SCHEMAS.get(schema);
  if (named === undefined) throw new Error("A schema of the endpoint table has no name");
  return { $ref: schemaUri(named.id) };
}

const schemaUri = (id: string) => `#/components/schemas/${id}`;

function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(HTTP_SCHEMAS, { uri: schemaUri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
  );
}
