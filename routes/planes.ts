/** The binary payload of one channel: whole, as a single range, or only its headers. */
import { basename } from "node:path";
import { quoted } from "../readers/errors.ts";
import { type AxisLetter, FIRST_POSITION, type RowRange } from "../readers/reader.ts";
import { lengthOfAxis, requirePosition } from "../readers/metadata/selection.ts";
import { SERVED } from "../schemas/served.ts";
import type { PlaneBuffer, PlaneStream } from "../session/plane_buffer.ts";
import type { LeasedPlane } from "../session/plane_job.ts";
import type { PlaneRun } from "../session/plane_runs.ts";
import { RangeNotSatisfiable } from "./errors.ts";
import { readAskedPlane } from "./position_query.ts";
import { readPathParameter, type RequestContext, type Services } from "./context.ts";

/** A response that sends no byte for this long is cut off. */
export const STALL_MS = 60_000;

/** Plane of a source channel at any position, or consecutive planes along one axis. */
export async function readChannel(c: RequestContext, services: Services): Promise<Response> {
  const { store, positions } = services;
  const id = readPathParameter(c, "session_id");
  const sizeAlong = (axis: AxisLetter) => {
    const session = store.find(id);
    return session && lengthOfAxis(session.summary.axes, axis);
  };
  const { channel, position: asked, run } = readAskedPlane(c, sizeAlong, true);
  const first = store.channel(id, channel);
  const session = store.get(id);
  const { position: opened, columns, rows } = session.summary;
  const position = { ...opened, ...asked };
  if (run !== null) {
    const range = { channel, first: position, ...run };
    return respondWithRun(c, services, await positions.beginRun(session, range, c.req.raw.signal));
  }
  if (position.t === opened.t && position.z === opened.z && position.l === opened.l) {
    return serveOpenedPlane(c, services, first);
  }
  const rowBytes = 4 * columns;
  const read = (range: ByteRange | null) =>
    positions.plane(
      { session, channel, position },
      range && findRowsOfRange(range, rowBytes, rows),
      c.req.raw.signal,
    );
  let range: ByteRange | null;
  try {
    range = readRange(c, first.byteLength);
  } catch (error) {
    // A fault of the plane takes precedence over a fault of the range.
    (await read(null)).endLease();
    throw error;
  }
  return respondWithPlane(c, services, await read(range), range, first.byteLength, rowBytes);
}

/** Plane of a reference channel, which has one position. */
export function readReferenceChannel(c: RequestContext, services: Services): Response {
  const { store } = services;
  const id = readPathParameter(c, "session_id");
  const { channel, position } = readAskedPlane(c, () => 1);
  const plane = store.referenceChannel(id, channel);
  requirePosition(basename(store.get(id).summary.path), [], { ...FIRST_POSITION, ...position });
  return serveOpenedPlane(c, services, plane);
}

/** A range of bytes of a payload, from `start` up to `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Rows that hold the bytes of a range; `null` if these are all rows. */
function findRowsOfRange({ start, end }: ByteRange, rowBytes: number, rows: number): RowRange | null {
  const wanted = { start: Math.floor(start / rowBytes), end: Math.ceil(end / rowBytes) };
  return wanted.start === 0 && wanted.end === rows ? null : wanted;
}

/**
 * The range that a GET requests (RFC 9110, section 14); `null` for the whole payload: no header, several ranges, or a malformed one.
 *
 * @throws {RangeNotSatisfiable} a single range outside the payload of `size` bytes
 */
function readRange(c: RequestContext, size: number): ByteRange | null {
  const header = c.req.header("range") ?? "";
  const [match, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header) ?? [];
  // Section 13.1.5: without validators an If-Range never matches.
  const isIgnored = c.req.method === "HEAD" || c.req.header("if-range") !== undefined;
  if (isIgnored || match === undefined || first + last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size);
  if (start < size) return { start, end };
  throw new RangeNotSatisfiable(
    `The range ${quoted(header)} lies outside the payload of ${size} bytes`,
    size,
  );
}

function serveOpenedPlane(c: RequestContext, services: Services, plane: PlaneBuffer): Response {
  const range = readRange(c, plane.byteLength);
  return respondWithPlane(
    c,
    services,
    { plane, firstRow: 0, endLease: plane.lease() },
    range,
    plane.byteLength,
    0,
  );
}

function respondWithPlane(
  c: RequestContext,
  services: Services,
  { plane, firstRow, endLease }: LeasedPlane,
  range: ByteRange | null,
  byteLength: number,
  rowBytes: number,
): Response {
  const { start, end } = range ?? { start: 0, end: byteLength };
  const offset = firstRow * rowBytes;
  return respondWithBuffer(c, services, {
    plane,
    endLease,
    start: start - offset,
    end: end - offset,
    headers: {
      "Content-Type": SERVED.mediaType,
      "Cache-Control": "no-store",
      "Accept-Ranges": "bytes",
      ...range && { "Content-Range": `bytes ${start}-${end - 1}/${byteLength}` },
    },
  });
}

/** All planes of a run; a `Range` header is ignored. */
const respondWithRun = (c: RequestContext, services: Services, run: PlaneRun): Response =>
  respondWithStream(c, services, {
    stream: (moved) => run.stream(moved),
    length: run.byteLength,
    end: (isSent) => run.end(isSent),
    headers: { "Content-Type": SERVED.mediaType, "Cache-Control": "no-store" },
  });

/** Bytes of a buffer to send, from `start` up to `end`. */
export interface SentBytes extends ByteRange, Pick<LeasedPlane, "plane" | "endLease"> {
  /** Headers besides the length. `Content-Range` makes the status 206. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response of views of a buffer, which holds a lease until it is over. */
export const respondWithBuffer = (
  c: RequestContext,
  services: Services,
  { plane, endLease, start, end, headers }: SentBytes,
): Response =>
  respondWithStream(c, services, {
    stream: (moved) => plane.stream(start, end, moved),
    length: end - start,
    end: endLease,
    headers,
  });

/** A body of known length. */
interface SentStream {
  stream(moved: () => void): PlaneStream;
  readonly length: number;
  /** Called when the answer is over, perhaps twice. @param isSent false if the client left or was cut off */
  end(isSent: boolean): void;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response that is cut off when the client stops reading. */
function respondWithStream(
  c: RequestContext,
  { clock, log }: Services,
  { stream, length, end, headers: given }: SentStream,
): Response {
  const headers = { ...given, "Content-Length": String(length) };
  if (c.req.method === "HEAD") {
    end(false);
    return new Response(null, { headers });
  }
  let lastMoved = clock.now();
  const { body, cut, isWaiting = () => false } = stream(() => lastMoved = clock.now());
  let cancelWatch = () => {};
  const watch = (wait: number) => {
    cancelWatch = clock.after(wait, () => {
      const idle = isWaiting() ? 0 : clock.now() - lastMoved;
      if (idle < STALL_MS) return watch(STALL_MS - idle);
      const what = `A response moved no byte for ${STALL_MS / 1000} s and was cut`;
      log.line("warn", what);
      cut(what);
      end(false);
    });
  };
  watch(STALL_MS);
  void c.env.info.completed.then(() => true, () => false).then((isSent) => {
    cancelWatch();
    end(isSent);
  });
  return new Response(body, { status: "Content-Range" in headers ? 206 : 200, headers });
}
