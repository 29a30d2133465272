/** Reading and deleting a session. */
import type { z } from "zod";
import type { SessionDeleted, SessionInfo } from "../schemas/http.ts";
import { bufferResponse } from "./planes.ts";
import { jsonResponse, pathParameter, type RequestContext, type Services } from "./context.ts";

const ascending = (indices: Iterable<number>) => [...indices].sort((a, b) => a - b);

/** State of a session. */
export function readSession(c: RequestContext, { store }: Services): Response {
  const session = store.get(pathParameter(c, "session_id"));
  const body: z.infer<typeof SessionInfo> = {
    ok: true,
    sessionId: session.id,
    ttlSecondsRemaining: store.secondsRemaining(session),
    channelIndices: ascending(session.channels.keys()),
    referenceChannelIndices: ascending(session.referenceChannels.keys()),
    totalBytes: session.totalBytes,
  };
  return jsonResponse(body, 200, { "Cache-Control": "no-store" });
}

/** The metadata documents of the file of a session. */
export async function readMetadata(c: RequestContext, services: Services): Promise<Response> {
  const session = services.store.get(pathParameter(c, "session_id"));
  const documents = await services.positions.documents(session, c.req.raw.signal);
  const endLease = documents.lease();
  documents.release();
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return bufferResponse(c, services, {
    plane: documents,
    endLease,
    start: 0,
    end: documents.byteLength,
    headers,
  });
}

/** Ends a session. */
export function deleteSession(c: RequestContext, { store }: Services): Response {
  const sessionId = pathParameter(c, "session_id");
  store.delete(sessionId);
  const body: z.infer<typeof SessionDeleted> = { ok: true, sessionId, deleted: true };
  return jsonResponse(body);
}
