/** Pages and files: reference client, client module, manual, API documentation and schemas. Nothing comes from another host. */
import { extname } from "node:path";
import { NotFound } from "./errors.ts";
import { ScriptFault, stripScript } from "./page_script.ts";
import { readPathParameter, type RequestContext, respondWithJson } from "./context.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".py": "text/x-python; charset=utf-8",
  ".ts": "text/javascript; charset=utf-8",
  ".d.ts": "application/typescript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".f32": "application/octet-stream",
  ".woff2": "font/woff2",
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Policy with inline styles, since Swagger UI sets style attributes. */
const DOCS_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

/** Sends the browser to another path of this server. */
export function redirect(path: string): Response {
  return new Response(null, { status: 302, headers: { Location: path, "Content-Length": "0" } });
}

/**
 * Folder of the pages' scripts and styles, random at each start. So a page of this server never loads a script that another
 * program left in the browser's cache under an address of this server.
 */
const FILES = `/static/${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;

/** The reference client. */
export const serveDemoPage = (): Promise<Response> => serveIndex("demo/v2", POLICY);

/** The documentation page, or a page that says why it cannot be shown. */
export async function serveDocsPage(): Promise<Response> {
  const files = await loadSwaggerFiles();
  return files instanceof Error ? explainSwaggerMissing(files) : await serveIndex("docs", DOCS_POLICY);
}

/** The `index.html` of a folder, whose files lie below {@linkcode FILES}. */
async function serveIndex(folder: string, policy: string): Promise<Response> {
  const html = await Deno.readTextFile(new URL(`${folder}/index.html`, STATIC));
  const placed = html.replace(/(href|src)="(?=[\w-][\w/-]*\.\w+")/g, `$1="${FILES}/${folder}/`);
  return respondWithFile(new TextEncoder().encode(placed), "index.html", policy);
}

/** Titles of pages of the manual, by path. */
const TITLES = new Map<string, string>();

/** A page of the manual, or a picture or source that it links to, at its path in the repository. */
export async function readManual(c: RequestContext): Promise<Response> {
  const { isManualFile, isManualPage, renderManualPage, findTitle } = await import("./manual_page.ts");
  const path = c.req.path.slice(1);
  if (!isManualPage(path) && !isManualFile(path)) throw reportNothingAt(c);
  const bytes = await readFileBytes(c, new URL(`../${path}`, import.meta.url));
  // Sources are shown, never run.
  const isPicture = /\.(png|webp)$/.test(path);
  if (isManualFile(path)) return respondWithFile(bytes, isPicture ? path : "source.txt", POLICY);
  const markdown = new TextDecoder().decode(bytes);
  const titleOf = (page: string) =>
    TITLES.getOrInsertComputed(
      page,
      () => findTitle(Deno.readTextFileSync(new URL(`../${page}`, import.meta.url))),
    );
  const html = renderManualPage({
    markdown,
    path,
    files: `${FILES}/manual`,
    sizeOf: readPictureDimensions,
    titleOf,
  });
  return respondWithFile(new TextEncoder().encode(html), "manual.html", POLICY);
}

/**
 * Width and height of a picture of the repository, from its header (PNG: section 11.2.1 of its specification; moving WebP: RFC
 * 9649, section 2.7); `null` without it.
 */
function readPictureDimensions(path: string): readonly [width: number, height: number] | null {
  try {
    using file = Deno.openSync(new URL(`../${path}`, import.meta.url));
    const header = new Uint8Array(30);
    if (file.readSync(header) !== header.length) return null;
    const view = new DataView(header.buffer);
    // Both less one, in 24 bits each.
    if (path.endsWith(".webp")) {
      return [(view.getUint32(23, true) >>> 8) + 1, (view.getUint32(26, true) >>> 8) + 1];
    }
    return [view.getUint32(16), view.getUint32(20)];
  } catch {
    return null;
  }
}

/** A file of a page, from `static/` or from Swagger UI; or a source to which the manual links. */
export async function servePageFile(c: RequestContext): Promise<Response> {
  if (!c.req.path.startsWith(`${FILES}/`)) return await readManual(c);
  const path = c.req.path.slice(FILES.length + 1);
  const swagger = /^docs\/(swagger-ui[\w.-]*)$/.exec(path)?.[1];
  if (swagger === undefined) return await serveStaticFile(c, path, POLICY);
  const files = await loadSwaggerFiles();
  if (files instanceof Error) return explainSwaggerMissing(files);
  const text = files[swagger];
  if (text === undefined) throw reportNothingAt(c);
  return respondWithFile(new TextEncoder().encode(text), swagger, DOCS_POLICY);
}

/** Types of the client module. */
const TYPES = "acq-client.d.ts";

/** A client for programs: the module, its types (which the module's header points Deno to), or the file for Python. */
export async function serveClientFile(c: RequestContext): Promise<Response> {
  const name = readPathParameter(c, "file");
  // The executable has types that the build made. From source, the module itself has them.
  if (name === TYPES && !Deno.build.standalone) {
    return respondWithFile(new TextEncoder().encode('export * from "./acq-client.ts";\n'), TYPES, POLICY);
  }
  if (name === "acq-client.ts" && !Deno.build.standalone) {
    return respondWithFile(await readFileBytes(c, new URL(`client/v2/${name}`, STATIC)), TYPES, POLICY);
  }
  if (name === "acq_client.py") {
    const file = new URL(`../examples/python/${name}`, import.meta.url);
    return respondWithFile(await Deno.readFile(file), name, POLICY);
  }
  if (name !== "acq-client.js") return await serveStaticFile(c, `client/v2/${name}`, POLICY);
  const response = await serveStaticFile(c, "client/v2/acq-client.ts", POLICY);
  response.headers.set("X-TypeScript-Types", `./${TYPES}`);
  return response;
}

let loading: Promise<Readonly<Record<string, string>> | Error> | undefined;

/** Files of Swagger UI by name, or why they are missing. Keeps the first error, since a second import fails differently. */
function loadSwaggerFiles(): Promise<Readonly<Record<string, string>> | Error> {
  // A name in a variable, so that a checkout does not fetch the large package before the server starts. `compile` in deno.json
  // embeds the file.
  const file: string = "./swagger_files.ts";
  return loading ??= import(file).catch((cause: unknown) =>
    cause instanceof Error ? cause : new Error(String(cause))
  );
}

function explainSwaggerMissing({ message }: Error): Response {
  // The first line of the error says what failed; the line that begins with "0:" says why.
  const [, wanted = "", cause = ""] = /^(.*)(?:\n +0(: .*))?/.exec(message) ?? [];
  const reason = (wanted + cause).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const text = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>acq-server: HTTP API</title>
  <h1>The documentation page cannot be shown</h1>
  <p>It needs the npm package of Swagger UI, which could not be fetched: ${reason}</p>
  <p>The contract itself is at <a href="/openapi.json">/openapi.json</a>. Once there is a network, restart the server with
  <code>deno task start</code>.</p>
</html>
`;
  return respondWithFile(new TextEncoder().encode(text), "missing.html", DOCS_POLICY, 503);
}

/** The kinds of collection documents, with the paths of their schemas. */
export async function serveSchemaIndex(): Promise<Response> {
  const { DOCUMENT_KINDS } = await import("../schemas/documents.ts");
  const schemas = Object.fromEntries(DOCUMENT_KINDS.map(({ kind }) => [kind, `/schemas/${kind}.json`]));
  return respondWithJson({ ok: true, schemas });
}

/** JSON Schema of one kind of document. */
export async function serveDocumentSchema(c: RequestContext): Promise<Response> {
  const { DOCUMENT_KINDS } = await import("../schemas/documents.ts");
  const found = DOCUMENT_KINDS.find(({ kind }) => `${kind}.json` === c.req.param("file"));
  if (!found) throw reportNothingAt(c);
  return respondWithJson(found.jsonSchema, 200, { "Content-Type": "application/schema+json" });
}

/** A {@linkcode NotFound} that names the path. */
export function reportNothingAt(c: RequestContext): NotFound {
  return new NotFound(`Nothing found at ${c.req.path.slice(0, 200)}; GET /api/v2 links to all resources`);
}

const STATIC = new URL(Deno.build.standalone ? "../dist/static/" : "../static/", import.meta.url);

async function serveStaticFile(c: RequestContext, path: string, policy: string): Promise<Response> {
  // Allows plain names only, so that no path can leave the folder.
  const isPlain = path.split("/").every((name) => /^[\w-][\w.-]*$/.test(name));
  if (!isPlain || findMediaType(path) === undefined) throw reportNothingAt(c);
  const file = new URL(path, STATIC);
  // The build of the executable has stripped its scripts.
  if (!path.endsWith(".ts") || Deno.build.standalone) {
    return respondWithFile(await readFileBytes(c, file), path, policy);
  }
  try {
    return respondWithFile(await unlessNotFound(c, stripScript(file, path)), path, policy);
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    return respondWithFile(new TextEncoder().encode(`${error.message}\n`), "fault.txt", policy, 500);
  }
}

const readFileBytes = (c: RequestContext, file: URL) => unlessNotFound(c, Deno.readFile(file));

/** What was read of a file. @throws {NotFound} there is no file */
async function unlessNotFound<T>(c: RequestContext, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw reportNothingAt(c);
    throw error;
  }
}

/** Media type of a file by its name; undefined for files that are not served. */
const findMediaType = (name: string) => MEDIA_TYPES[name.endsWith(".d.ts") ? ".d.ts" : extname(name)];

function respondWithFile(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  policy: string,
  status: 200 | 500 | 503 = 200,
): Response {
  return new Response(bytes, {
    status,
    headers: {
      "Content-Type": findMediaType(name) ?? "application/octet-stream",
      "Content-Length": String(bytes.length),
      "Cache-Control": "no-store",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    },
  });
}
