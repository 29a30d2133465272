/** Reading and deleting a session. */
import type { z } from "zod";
import type { SessionDeleted, SessionInfo } from "../schemas/http.ts";
import { jsonResponse } from "./json_response.ts";
import type { Handler } from "./services.ts";

const ascending = (indices: Iterable<number>) => [...indices].sort((a, b) => a - b);

/** State of a session. */
export const readSession: Handler = (c, { store }) => {
  const session = store.get(c.req.param("session_id")!);
  const body: z.infer<typeof SessionInfo> = {
    ok: true,
    sessionId: session.id,
    ttlSecondsRemaining: store.secondsRemaining(session),
    channelIndices: ascending(session.channels.keys()),
    referenceChannelIndices: ascending(session.referenceChannels.keys()),
    totalBytes: session.totalBytes,
  };
  return jsonResponse(body, 200, { "Cache-Control": "no-store" });
};

/** Ends a session. */
export const deleteSession: Handler = (c, { store }) => {
  const sessionId = c.req.param("session_id")!;
  store.delete(sessionId);
  const body: z.infer<typeof SessionDeleted> = { ok: true, sessionId, deleted: true };
  return jsonResponse(body);
};
