/** `POST /api/v2/export`, and the download of the archive at the link that it returns. */
import type { z } from "zod";
import type { ExportResponse, ExportState } from "../schemas/http.ts";
import { REQUEST_BODY } from "../readers/metadata/json.ts";
import type { ParsedOrder } from "../session/archive/content/archive_orders.ts";
import { OrderRefused } from "../session/archive/exporter.ts";
import { type ArchiveLink, LINK_SECONDS } from "../session/archive/links.ts";
import { OrderMemory } from "../session/archive/order_memory.ts";
import { readPathParameter, type RequestContext, respondWithJson, type Services } from "./context.ts";
import { ClientGone } from "../session/errors.ts";
import { RequestValidationFailed } from "./errors.ts";
import { requireMayName, requireRunning } from "./open.ts";
import {
  boundBody,
  checkContentType,
  MAX_BODY_BYTES,
  readBytes,
  reportInvalid,
  reportNotJson,
} from "./request_body.ts";
import { STALL_MS } from "./planes.ts";

/** Validates an order and answers with a link to its archive. */
export async function exportMembers(c: RequestContext, services: Services): Promise<Response> {
  requireRunning(services);
  const { exporter, store, version } = services;
  const { headers, signal } = c.req.raw;
  const session = store.find(headers.get("x-acq-session") ?? "");
  const most = session === null ? MAX_BODY_BYTES : REQUEST_BODY.bytes;
  const memory = new OrderMemory();
  try {
    const share = session?.memoryShare ?? exporter.makeShare();
    memory.reserve(boundBody(c.req.raw, most), share);
    const { order, bytes } = await readOrder(c, services, most);
    const [first] = order.members.flatMap(({ sessionId }) => store.find(sessionId ?? "") ?? []);
    memory.move(bytes, session === null && first ? first.memoryShare : share);
    for (const [index, { path }] of order.members.entries()) {
      if (path !== undefined) requireMayName(path, c, services, ["members", String(index), "path"]);
    }
    const options = { chosenByUser: false, version, memory };
    const { id, archive: { warnings } } = exporter.links.link(
      await exporter.prepare(order, options, signal).catch(rethrowRefusal),
      memory,
    );
    const body: z.infer<typeof ExportResponse> = {
      ok: true,
      apiVersion: "v2",
      downloadUrl: `/api/v2/exports/${id}`,
      expiresInSeconds: LINK_SECONDS,
      warnings: [...warnings],
    };
    return respondWithJson(body, 200, { "Cache-Control": "no-store" });
  } catch (error) {
    memory[Symbol.dispose]();
    throw error;
  }
}

/** Reads an order, which a worker parses and validates; also gives the number of its bytes. */
async function readOrder(
  c: RequestContext,
  { clock, exporter }: Services,
  most: number,
): Promise<{ readonly order: ParsedOrder; readonly bytes: number }> {
  const { raw } = c.req;
  checkContentType(raw);
  const bytes = await readBytes(raw, clock, most);
  const { length } = bytes;
  // The buffer goes to the worker; a small one may be part of another.
  const own = bytes.buffer.byteLength === length ? bytes : new Uint8Array(bytes);
  const parsed = await exporter.parse(own, raw.signal).catch(reportNotJson);
  if ("issues" in parsed) throw reportInvalid(parsed.issues);
  return { order: parsed, bytes: length };
}

function rethrowRefusal(error: unknown): never {
  if (!(error instanceof OrderRefused)) throw error;
  throw new RequestValidationFailed(
    error.faults.map(({ path, message }) => ({
      location: ["body", ...path],
      message,
      type: "invalid_document",
    })),
  );
}

/** Streams an archive once. */
export async function downloadArchive(c: RequestContext, services: Services): Promise<Response> {
  const { exporter, log } = services;
  const id = readPathParameter(c, "export_id");
  const isHead = c.req.method === "HEAD";
  const link = await exporter.links.take(id, isHead, c.req.raw.signal);
  if (isHead) return new Response(null, { headers: makeDownloadHeaders(link) });
  const gone = new AbortController();
  const leave = () => gone.abort(new Error("The client went away"));
  void c.env.info.completed.then(leave, leave);
  const over = (fault: unknown) => {
    link.memory[Symbol.dispose]();
    exporter.links.ended(id, fault);
    if (fault === null || fault instanceof ClientGone) return;
    log.line("warn", `An archive was cut: ${fault instanceof Error ? fault.message : fault}`);
  };
  const archive = await exporter.streams.start(link.archive, gone.signal, over, undefined, STALL_MS);
  return new Response(archive, { headers: makeDownloadHeaders(link) });
}

/** Tells how far an archive is: a page never sees the bytes of a download that the browser saves. */
export function readExportState(c: RequestContext, { exporter }: Services): Response {
  const body: z.infer<typeof ExportState> = {
    ok: true,
    apiVersion: "v2",
    ...exporter.links.stateOf(readPathParameter(c, "export_id")),
  };
  return respondWithJson(body, 200, { "Cache-Control": "no-store" });
}

const makeDownloadHeaders = ({ fileName }: ArchiveLink): Record<string, string> => ({
  "Content-Type": "application/zip",
  "Content-Disposition": `attachment; filename="${
    fileName.replace(/[^\x20-\x7e]|["%\\]/g, "_")
  }"; filename*=UTF-8''${
    encodeURIComponent(fileName).replace(/['()*]/g, (sign) =>
      `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  }`,
  "Cache-Control": "no-store",
  "Accept-Ranges": "none",
});
