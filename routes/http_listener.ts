/** Serves the app over `node:http`; CONTRIBUTING.md explains why `Deno.serve` is not used. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Connections, Exchange } from "./connections.ts";
import type { ServeInfo } from "./context.ts";
import { errorResponse, type RequestError, TooManyConnections } from "./errors.ts";
import { EVERY_ANSWER } from "./guard.ts";
import { headersTooLarge, malformed, MAX_HEADER_BYTES, type SentHead } from "./sent_request.ts";

/** Answers a request. */
export type Fetch = (request: Request, env: { info: ServeInfo }) => Response | Promise<Response>;

/** A server that listens. */
export interface HttpListener {
  /** The actual port, also if port 0 was requested. */
  readonly port: number;
  /** Stops accepting; settles when the running responses are finished. */
  close(): Promise<void>;
}

/** Options of {@linkcode listen}. */
export interface ListenOptions {
  readonly warn?: (message: string) => void;
  /** A request that is not complete after this time is refused. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;

const LATE_CHECK_MS = 1000;

/** Time for which a connection stays open after an answer to a request whose body was not read. */
const LINGER_MS = 1000;

/** Browsers open six connections; systems allow 1024 descriptors or more. Without a free one the runtime stops accepting. */
const MAX_CONNECTIONS = 256;

/** Connections that may wait to be accepted. */
const BACKLOG = 64;

/** Longest target in bytes. The runtime counts the target of a request as part of its headers. */
const MAX_TARGET_BYTES = 16 * 1024;

/** Starts to listen; port 0 takes any free port. @throws {Error} with `code`: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` */
export async function listen(
  hostname: string,
  port: number,
  fetch: Fetch,
  { warn = () => {}, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ListenOptions = {},
): Promise<HttpListener> {
  const connections = new Connections();
  const server = newServer(requestTimeoutMs);
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const exchange = new Exchange(incoming, outgoing);
    connections.answers(exchange);
    void answer(exchange, fetch);
  };
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest);
  onBrokenRequests(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: hostname, port, backlog: BACKLOG }, resolve);
  });
  server.removeAllListeners("error");
  let hasWarned = false;
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    if (connections.size <= MAX_CONNECTIONS) return;
    if (!connections.closeOne(socket)) void refuse(new TooManyConnections(MAX_CONNECTIONS), socket);
    if (!hasWarned) warn(`All ${MAX_CONNECTIONS} connections are open; new ones close idle ones`);
    hasWarned = true;
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        connections.close();
      });
    },
  };
}

function newServer(requestTimeout: number): Server {
  const server = createServer({
    // The guard refuses a request without a Host.
    requireHostHeader: false,
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(LATE_CHECK_MS, requestTimeout),
    maxHeaderSize: MAX_HEADER_BYTES + MAX_TARGET_BYTES,
  });
  // By default the server silently drops all headers after the thousandth, and an Origin may be among them.
  server.maxHeadersCount = 0;
  return server;
}

function onBrokenRequests(server: Server, connections: Connections): void {
  const broken = new WeakSet<Socket>();
  server.on("clientError", ({ code }: { code?: string }, socket: Socket) => {
    // The event repeats for each further piece of a broken request, and the runtime adds a listener each time.
    if (broken.has(socket)) return;
    broken.add(socket.setMaxListeners(0));
    const running = connections.running(socket);
    if (running?.breakOff(faultOf(code, "its body"))) return;
    const answerFault = () => void refuse(faultOf(code, "its method, its target or a header"), socket);
    // Written during a running response, the refusal would become part of it.
    if (running) running.outgoing.once("close", answerFault);
    else answerFault();
  });
}

function faultOf(code: string | undefined, part: string): RequestError {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge("has a longer head");
  return malformed(
    code === "ERR_HTTP_REQUEST_TIMEOUT" ? "it did not arrive in time" : `${part} is malformed`,
  );
}

/** Answers on a connection that has no response object, then closes it. */
async function refuse(fault: RequestError, socket: Socket): Promise<void> {
  if (!socket.writable) return void socket.destroy();
  socket.on("error", () => {});
  const { status, headers, body } = withCommonHeaders(errorResponse(fault));
  const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${await new Response(body).text()}`);
}

function withCommonHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(EVERY_ANSWER)) response.headers.set(name, value);
  return response;
}

async function answer({ incoming, outgoing, head, broken }: Exchange, fetch: Fetch): Promise<void> {
  const gone = new AbortController();
  const completed = new Promise<void>((resolve) => {
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort(new DOMException("The client went away", "AbortError"));
      resolve();
    });
  });
  // A `close` event follows.
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  try {
    const answered = fetch(toRequest(incoming, head, gone.signal), {
      info: { completed, refusal: head.refusal },
    });
    // The signal ends a handler that reads the body; the answer need not wait for any other handler.
    const refused = broken.then((fault) => {
      gone.abort(fault);
      return withCommonHeaders(errorResponse(fault));
    });
    await send(await Promise.race([refused, answered]), incoming, outgoing);
  } catch {
    // A truncated body must not pass for a complete one.
    outgoing.destroy();
  }
}

/** The request for the app. A target that is not a path, such as `*`, becomes the path `/*`, which gets a 404. */
function toRequest(incoming: IncomingMessage, { headers, refusal }: SentHead, signal: AbortSignal): Request {
  const target = incoming.url ?? "/";
  const url = URL.parse(target.startsWith("/") ? `http://localhost${target}` : target);
  // The guard answers a refused request regardless of its method.
  const method = refusal === null ? incoming.method ?? "GET" : "GET";
  const hasBody = method !== "GET" && method !== "HEAD" &&
    (headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0);
  const init: RequestInit & { readonly duplex?: "half" } = {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming, signal), duplex: "half" }),
  };
  return new Request(url?.protocol === "http:" ? url : "http://localhost/*", init);
}

function bodyOf(incoming: IncomingMessage, gone: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      const complete = () => controller.close();
      incoming.pause();
      incoming.on("data", (chunk: Uint8Array) => {
        controller.enqueue(new Uint8Array(chunk));
        incoming.pause();
      });
      incoming.once("end", complete);
      // A paused message does not always report that its connection has closed, but its answer does.
      gone.addEventListener("abort", () => {
        incoming.removeAllListeners("data").off("end", complete);
        controller.error(gone.reason);
      }, { once: true });
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.removeAllListeners("data");
    },
  }, { highWaterMark: 0 });
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null || incoming.method === "HEAD") outgoing.end();
  else await sendBody(response.body, outgoing);
  if (incoming.complete) return;
  // Discards the rest of the body for a moment; otherwise the client might lose the answer.
  incoming.resume();
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  for (const ended of [incoming, socket]) ended.once("close", () => clearTimeout(timer));
}

/** Writes each chunk once the connection has taken the previous one. Writes copy nothing. @throws the error of the body */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const left = new Promise<void>((resolve) => outgoing.once("close", resolve));
  // The client may have left already.
  while (!outgoing.destroyed) {
    const { done, value } = await reader.read();
    if (done) return void outgoing.end();
    if (outgoing.write(value)) continue;
    const drained = new Promise<void>((resolve) => outgoing.once("drain", resolve));
    // `closed` rejects if the body is cut off while the client does not read.
    await Promise.race([drained, left, reader.closed]);
  }
  void reader.cancel().catch(() => {});
}
