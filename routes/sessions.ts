/** Reading and deleting a session. */
import type { z } from "zod";
import type { SessionDeleted, SessionInfo } from "../schemas/http.ts";
import { respondWithBuffer } from "./planes.ts";
import { readPathParameter, type RequestContext, respondWithJson, type Services } from "./context.ts";

const sortAscending = (indices: Iterable<number>) => [...indices].sort((a, b) => a - b);

/** State of a session. */
export function readSession(c: RequestContext, { store }: Services): Response {
  const session = store.get(readPathParameter(c, "session_id"));
  const body: z.infer<typeof SessionInfo> = {
    ok: true,
    sessionId: session.id,
    ttlSecondsRemaining: store.secondsRemaining(session),
    channelIndices: sortAscending(session.channels.keys()),
    referenceChannelIndices: sortAscending(session.referenceChannels.keys()),
    totalBytes: session.totalBytes,
  };
  return respondWithJson(body, 200, { "Cache-Control": "no-store" });
}

/** The metadata documents of the file of a session. */
export async function answerMetadata(c: RequestContext, services: Services): Promise<Response> {
  const session = services.store.get(readPathParameter(c, "session_id"));
  const documents = await services.positions.documents(session, c.req.raw.signal);
  const endLease = documents.lease();
  documents.release();
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return respondWithBuffer(c, services, {
    plane: documents,
    endLease,
    start: 0,
    end: documents.byteLength,
    headers,
  });
}

/** Ends a session. */
export function deleteSession(c: RequestContext, { store }: Services): Response {
  const sessionId = readPathParameter(c, "session_id");
  store.delete(sessionId);
  const body: z.infer<typeof SessionDeleted> = { ok: true, sessionId, deleted: true };
  return respondWithJson(body);
}
