/** The binary payload of one channel: whole, as a single range, or only its headers. */
import { basename } from "node:path";
import { ChannelOutOfRange } from "../readers/errors.ts";
import { FIRST_POSITION, type Position, type RowRange } from "../readers/reader.ts";
import { requirePosition } from "../readers/metadata/selection.ts";
import { SERVED } from "../schemas/served.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { SessionStore } from "../session/store.ts";
import { type ByteRange, parseRange } from "./byte_range.ts";
import { RequestValidationFailed } from "./errors.ts";
import { type AskedPosition, askedPosition, requireSigns } from "./position_query.ts";
import { pathParameter, type RequestContext, type Services } from "./context.ts";

/** A response that sends no byte for this long is cut off. */
export const STALL_MS = 60_000;

/** Plane of a source channel, at any position. */
export async function readChannel(c: RequestContext, services: Services): Promise<Response> {
  const { store, positions } = services;
  const { index, asked } = judgeForm(c, store);
  const { session, plane: first } = store.channel(pathParameter(c, "session_id"), index);
  const opened = session.summary.position;
  const position = { ...opened, ...asked.position };
  if (isSame(position, opened)) return openedPlane(c, services, first);
  const place = { session, channel: index, position };
  const client = c.req.raw.signal;
  const { byteLength } = first;
  if (c.req.method === "HEAD") {
    await positions.judge(place, client);
    return headResponse(byteLength);
  }
  let range: ByteRange | null;
  try {
    range = wantedRange(c, byteLength);
  } catch (error) {
    // A fault of the plane takes precedence over a fault of the range.
    await positions.judge(place, client);
    throw error;
  }
  const rowBytes = 4 * session.summary.columns;
  const leased = await positions.plane(place, range && rowsOf(range, rowBytes, session.summary.rows), client);
  return planeResponse(c, services, { ...leased, range, byteLength, offset: leased.firstRow * rowBytes });
}

/** Plane of a reference channel, which has one position. */
export function readReferenceChannel(c: RequestContext, services: Services): Response {
  const { store } = services;
  const { index, asked } = judgeForm(c, null);
  const { session, plane } = store.referenceChannel(pathParameter(c, "session_id"), index);
  requirePosition(basename(session.summary.path), [], { ...FIRST_POSITION, ...asked.position });
  return openedPlane(c, services, plane);
}

/**
 * Validates the form of index and query, then checks for negative values.
 *
 * @param store for the sizes of the axes in messages; `null` for a reference image
 */
function judgeForm(
  c: RequestContext,
  store: SessionStore | null,
): { readonly index: number; readonly asked: AskedPosition } {
  const text = pathParameter(c, "channel_index");
  requireInteger(text);
  const asked = askedPosition(new URL(c.req.url).searchParams);
  const index = channelIndex(text);
  requireSigns(asked, (axis) => {
    if (store === null) return 1;
    const session = store.find(pathParameter(c, "session_id"));
    return session && (session.summary.axes.find(({ name }) => name === axis)?.size ?? 1);
  });
  return { index, asked };
}

const isSame = (a: Position, b: Position) => a.t === b.t && a.z === b.z && a.l === b.l;

/** Rows that hold the bytes of a range; `null` if these are all rows. */
function rowsOf({ start, end }: ByteRange, rowBytes: number, rows: number): RowRange | null {
  const wanted = { start: Math.floor(start / rowBytes), end: Math.ceil(end / rowBytes) };
  return wanted.start === 0 && wanted.end === rows ? null : wanted;
}

/** A plane to send. */
export interface Sending {
  /** Memory that holds the bytes. */
  readonly plane: PlaneBuffer;
  /** Ends the lease of the plane. */
  endLease(): void;
  /** Bytes of the whole plane. */
  readonly byteLength: number;
  /** Offset of `plane` in the whole plane, in bytes. */
  readonly offset: number;
  /** Wanted bytes; `null` for all. */
  readonly range: ByteRange | null;
}

/** The plane of a session at the opened position. @throws {RangeNotSatisfiable} */
function openedPlane(c: RequestContext, services: Services, plane: PlaneBuffer): Response {
  const { byteLength } = plane;
  if (c.req.method === "HEAD") return headResponse(byteLength);
  const range = wantedRange(c, byteLength);
  return planeResponse(c, services, { plane, endLease: plane.lease(), byteLength, offset: 0, range });
}

/** The requested range; `null` for the whole plane. @throws {RangeNotSatisfiable} */
function wantedRange(c: RequestContext, byteLength: number): ByteRange | null {
  // RFC 9110, section 13.1.5: without validators an If-Range never matches.
  return c.req.header("if-range") === undefined ? parseRange(c.req.header("range"), byteLength) : null;
}

/** @throws {RequestValidationFailed} */
function requireInteger(text: string): void {
  if (/^-?\d+$/.test(text)) return;
  throw new RequestValidationFailed([{
    location: ["path", "channel_index"],
    message: `must be an integer, not "${text.slice(0, 64)}"`,
    type: "invalid_type",
  }]);
}

/** @throws {ChannelOutOfRange} */
function channelIndex(text: string): number {
  if (text.startsWith("-")) {
    throw new ChannelOutOfRange(`A channel index starts at 0; ${text.slice(0, 64)} is negative`);
  }
  return Number(text);
}

const HEADERS = {
  "Content-Type": SERVED.mediaType,
  "Cache-Control": "no-store",
  "Accept-Ranges": "bytes",
};

const headResponse = (byteLength: number): Response =>
  new Response(null, { headers: { ...HEADERS, "Content-Length": String(byteLength) } });

function planeResponse(c: RequestContext, services: Services, sending: Sending): Response {
  const { byteLength, offset, range } = sending;
  const { start, end } = range ?? { start: 0, end: byteLength };
  const headers: Record<string, string> = range
    ? { ...HEADERS, "Content-Range": `bytes ${start}-${end - 1}/${byteLength}` }
    : HEADERS;
  return bufferResponse(c, services, { ...sending, start: start - offset, end: end - offset, headers });
}

/** Bytes of a buffer to send. */
export interface SentBytes extends Pick<Sending, "plane" | "endLease"> {
  /** First byte. */
  readonly start: number;
  /** One past the last byte. */
  readonly end: number;
  /** Headers besides the length. `Content-Range` makes the status 206. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response of views of a buffer, which holds a lease until it is over. It is cut off when the client stops reading. */
export function bufferResponse(
  c: RequestContext,
  { clock, log }: Services,
  { plane, endLease, start, end, headers: given }: SentBytes,
): Response {
  const headers = { ...given, "Content-Length": String(end - start) };
  if (c.req.method === "HEAD") {
    endLease();
    return new Response(null, { headers });
  }
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
  return new Response(body, { status: "Content-Range" in headers ? 206 : 200, headers });
}
