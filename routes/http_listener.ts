/**
 * Serves the app over `node:http`. `Deno.serve` cannot cut one connection, and does not always tell that a client
 * has left: not when the body of its request came in a packet of its own.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Connections, Exchange } from "./connections.ts";
import { errorResponse } from "./error_table.ts";
import { type RequestError, TooManyConnections } from "./errors.ts";
import { EVERY_ANSWER } from "./guard.ts";
import { headersTooLarge, malformed, MAX_HEADER_BYTES } from "./sent_request.ts";
import type { ServeInfo } from "./context.ts";

/** Answers a request. */
export type Fetch = (request: Request, env: { info: ServeInfo }) => Response | Promise<Response>;

/** A server that listens. */
export interface HttpListener {
  /** The port that it has, also where any was asked for. */
  readonly port: number;
  /** Stops accepting; settles when the running responses are finished. */
  close(): Promise<void>;
}

/** How a listener differs from the usual one. */
export interface ListenOptions {
  /** Takes what the operator should know. */
  readonly warn?: (message: string) => void;
  /** A request that is not complete after this time is given up, headers included. */
  readonly requestTimeoutMs?: number;
}

/** {@linkcode ListenOptions.requestTimeoutMs} of a server. */
const REQUEST_TIMEOUT_MS = 35_000;

/** How often late requests are looked for. */
const LATE_CHECK_MS = 1000;

/** How long an answer to a request whose body was not read stays readable before the connection is cut. */
const LINGER_MS = 1000;

/**
 * Connections at a time; a browser has six to a server. Far below the descriptors that a system allows (1024 or more): after it ran
 * out of them, the runtime would not accept again.
 */
const MAX_CONNECTIONS = 256;

/** Connections that may wait to be accepted. */
const BACKLOG = 64;

/** The runtime counts the target with the headers, and refuses a longer one as it does too long headers. */
const MAX_TARGET_BYTES = 16 * 1024;

/**
 * Starts to listen.
 *
 * @param port 0 for any free one
 * @throws {Error} with `code`: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
export async function listen(
  hostname: string,
  port: number,
  fetch: Fetch,
  { warn = () => {}, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ListenOptions = {},
): Promise<HttpListener> {
  const connections = new Connections();
  const server = newServer(requestTimeoutMs);
  onRequests(server, connections, (exchange) => void answer(exchange, fetch));
  onBrokenRequests(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(
      { host: hostname, port, backlog: BACKLOG },
      () => resolve(void server.off("error", reject)),
    );
  });
  const address = server.address() as AddressInfo;
  let hasWarned = false;
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    if (connections.size <= MAX_CONNECTIONS) return;
    if (!connections.closeOne(socket)) void refuse(new TooManyConnections(MAX_CONNECTIONS), socket);
    if (!hasWarned) {
      warn(
        `${MAX_CONNECTIONS} connections are open, the most that this server keeps; it closes idle ones for others`,
      );
    }
    hasWarned = true;
  });
  return {
    port: address.port,
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
    // A request without a Host is the guard's to answer.
    requireHostHeader: false,
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(LATE_CHECK_MS, requestTimeout),
    maxHeaderSize: MAX_HEADER_BYTES + MAX_TARGET_BYTES,
  });
  // By default the server drops the headers after the thousandth and says nothing; an Origin may be among them.
  server.maxHeadersCount = 0;
  return server;
}

/** Has every request answered, also those that the runtime would answer itself. */
function onRequests(server: Server, connections: Connections, take: (exchange: Exchange) => void): void {
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const exchange = new Exchange(incoming, outgoing);
    connections.answers(exchange);
    take(exchange);
  };
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    if (connections.running(socket)) return void socket.destroy();
    // The server has let go of the connection, which ends with the answer.
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(socket);
    outgoing.once("finish", () => socket.destroySoon());
    onRequest(incoming, outgoing);
  });
}

/** Answers what the parser cannot take for a request. */
function onBrokenRequests(server: Server, connections: Connections): void {
  const broken = new WeakSet<Socket>();
  server.on("clientError", ({ code }: { code?: string }, socket: Socket) => {
    // Every further piece of a broken request is told of, and the runtime adds a listener each time.
    if (broken.has(socket)) return;
    broken.add(socket.setMaxListeners(0));
    const running = connections.running(socket);
    if (running?.breakOff(faultOf(code, "its body"))) return;
    const answerFault = () => void refuse(faultOf(code, "its method, its target or a header"), socket);
    // Within a response that runs, the refusal would pass for a part of it.
    if (running) running.outgoing.once("close", answerFault);
    else answerFault();
  });
}

/** The error for a code of the parser. */
function faultOf(code: string | undefined, part: string): RequestError {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge("has a longer head");
  return malformed(
    code === "ERR_HTTP_REQUEST_TIMEOUT" ? "it did not arrive in time" : `${part} is malformed`,
  );
}

/** Answers on a connection that has no response to write to, and ends it. */
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
  // The other side may vanish at any time; `close` follows.
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  try {
    const request = toRequest(incoming, head.headers, gone.signal);
    const answered = fetch(request, { info: { completed, refusal: head.refusal } });
    // A handler that reads the body learns of the fault by the signal; no other handler has to be waited for.
    const refused = broken.then((fault) => {
      gone.abort(fault);
      return withCommonHeaders(errorResponse(fault));
    });
    await send(await Promise.race([refused, answered]), incoming, outgoing);
  } catch {
    // A body that ended with an error must not pass for a whole one.
    outgoing.destroy();
  }
}

/** The request as the app takes it. A target that is no path, such as `*`, becomes the path `/*`, which is answered 404. */
function toRequest(incoming: IncomingMessage, headers: Headers, signal: AbortSignal): Request {
  const target = incoming.url ?? "/";
  const url = URL.parse(target.startsWith("/") ? `http://localhost${target}` : target);
  const method = incoming.method ?? "GET";
  const bodiless = method === "GET" || method === "HEAD" || hasNoBody(headers);
  const init: RequestInit & { readonly duplex?: "half" } = {
    method: UNMADE_METHODS.includes(method) ? "POST" : method,
    headers,
    signal,
    ...(!bodiless && { body: bodyOf(incoming, signal), duplex: "half" }),
  };
  const request = new Request(url?.protocol === "http:" ? url : "http://localhost/*", init);
  if (UNMADE_METHODS.includes(method)) Object.defineProperty(request, "method", { value: method });
  return request;
}

/** Methods that the Fetch standard (section 2.2.1) lets nobody construct a request with; they are answered like any other. */
const UNMADE_METHODS: readonly string[] = ["TRACE", "TRACK", "CONNECT"];

const hasNoBody = (headers: Headers) =>
  !headers.has("transfer-encoding") && Number(headers.get("content-length") ?? 0) === 0;

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
      // A message that is paused does not always tell that its connection was closed; the answer to it does.
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
  // What is left of the body is taken and dropped for a moment, or the client might lose the answer.
  incoming.resume();
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  for (const ended of [incoming, socket]) ended.once("close", () => clearTimeout(timer));
}

/** Hands on chunk after chunk, each when the connection has taken the one before. @throws the error of the body */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const left = new Promise<"left">((resolve) => outgoing.once("close", () => resolve("left")));
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    if (outgoing.write(value)) continue;
    const drained = new Promise<void>((resolve) => outgoing.once("drain", resolve));
    // `closed` is rejected when the body is cut while the client does not read.
    if (await Promise.race([drained, left, reader.closed]) === "left") {
      return void reader.cancel().catch(() => {});
    }
  }
  outgoing.end();
}
