/** The binary payload of one channel: whole, as a single range, or its headers alone. */
import { ChannelOutOfRange } from "../readers/errors.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import { SERVED } from "../schemas/http.ts";
import { parseRange } from "./byte_range.ts";
import { RequestValidationFailed } from "./errors.ts";
import { pathParameter, type RequestContext, type Services } from "./context.ts";

/** A response that moves no byte for this long is cut and its lease ends. */
const STALL_MS = 60_000;

/** Plane of a source channel. */
export function readChannel(c: RequestContext, services: Services): Response {
  const index = channelIndex(c);
  return planeResponse(c, services, services.store.channel(pathParameter(c, "session_id"), index));
}

/** Plane of a reference channel. */
export function readReferenceChannel(c: RequestContext, services: Services): Response {
  const index = channelIndex(c);
  return planeResponse(c, services, services.store.referenceChannel(pathParameter(c, "session_id"), index));
}

/** @throws {RequestValidationFailed | ChannelOutOfRange} no integer, or a negative one */
function channelIndex(c: RequestContext): number {
  const text = pathParameter(c, "channel_index");
  if (!/^-?\d+$/.test(text)) {
    throw new RequestValidationFailed([{
      location: ["path", "channel_index"],
      message: `must be an integer, not "${text.slice(0, 64)}"`,
      type: "invalid_type",
    }]);
  }
  if (text.startsWith("-")) {
    throw new ChannelOutOfRange(`A channel index starts at 0; ${text.slice(0, 64)} is negative`);
  }
  return Number(text);
}

function planeResponse(c: RequestContext, { clock, log }: Services, plane: PlaneBuffer): Response {
  const headers: Record<string, string> = {
    "Content-Type": SERVED.mediaType,
    "Cache-Control": "no-store",
    "Accept-Ranges": "bytes",
  };
  // Without validators an If-Range can never match, so it asks for the whole plane (RFC 9110, section 13.1.5).
  const wanted = c.req.header("if-range") === undefined ? c.req.header("range") : undefined;
  const range = c.req.method === "HEAD" ? null : parseRange(wanted, plane.byteLength);
  const { start, end } = range ?? { start: 0, end: plane.byteLength };
  headers["Content-Length"] = String(end - start);
  if (range) headers["Content-Range"] = `bytes ${start}-${end - 1}/${plane.byteLength}`;
  const status = range ? 206 : 200;
  if (c.req.method === "HEAD") return new Response(null, { status, headers });

  const endLease = plane.lease();
  let lastMoved = clock.now();
  const { body, cut } = plane.stream(start, end, () => lastMoved = clock.now());
  let cancelWatch = () => {};
  const watch = (wait: number) => {
    cancelWatch = clock.after(wait, () => {
      const idle = clock.now() - lastMoved;
      if (idle < STALL_MS) return watch(STALL_MS - idle);
      const what = `A response moved no byte for ${STALL_MS / 1000} s and was cut`;
      log.line("warn", what);
      cut(what);
      endLease();
    });
  };
  watch(STALL_MS);
  void c.env.info.completed.catch(() => {}).then(() => {
    cancelWatch();
    endLease();
  });
  return new Response(body, { status, headers });
}
