/**
 * Serves the app over `node:http`. The runtime's own server neither tells of a client that leaves after its body
 * was read from the socket apart from its headers, nor can it cut one connection; this one does both.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorResponse } from "./error_table.ts";
import { MalformedRequest } from "./errors.ts";
import { EVERY_ANSWER } from "./guard.ts";
import type { ServeInfo } from "./services.ts";

/** Answers a request. */
export type Fetch = (request: Request, env: { info: ServeInfo }) => Response | Promise<Response>;

/** A server that listens. */
export interface HttpListener {
  readonly port: number;
  /** Stops accepting; settles when the running responses are finished. */
  close(): Promise<void>;
}

/** A request that is not complete after this time is given up, headers included. */
const REQUEST_TIMEOUT_MS = 35_000;

/** How long an answer to a request whose body was not read stays readable before the connection is cut. */
const LINGER_MS = 1000;

/**
 * Starts to listen.
 *
 * @param port 0 for any free one
 * @throws {Error} with `code`: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
export async function listen(hostname: string, port: number, fetch: Fetch): Promise<HttpListener> {
  const connections = new Connections();
  // A request without a Host is the guard's to answer.
  const server = createServer(
    { requireHostHeader: false, requestTimeout: REQUEST_TIMEOUT_MS },
    (incoming, outgoing) => {
      connections.answers(incoming.socket, outgoing);
      void answer(incoming, outgoing, fetch);
    },
  );
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("clientError", (fault: { code?: string }, socket: Socket) => {
    // Within a response that runs, the refusal would pass for a part of it.
    if (!socket.writable || connections.isAnswering(socket)) socket.destroy();
    else void refuse(fault.code, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: hostname, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.close();
      }),
  };
}

/**
 * Open connections, so that the end need not wait for those without a running response: browsers keep some that they
 * have never used, and the runtime closes only such as have had a request.
 */
class Connections {
  readonly #open = new Set<Socket>();
  readonly #answering = new Set<Socket>();
  #closing = false;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  answers(socket: Socket, outgoing: ServerResponse): void {
    this.#answering.add(socket);
    outgoing.once("close", () => {
      this.#answering.delete(socket);
      if (this.#closing) socket.destroySoon();
    });
  }

  isAnswering(socket: Socket): boolean {
    return this.#answering.has(socket);
  }

  /** Ends each connection at once, or when its response is sent. */
  close(): void {
    this.#closing = true;
    for (const socket of this.#open) if (!this.#answering.has(socket)) socket.destroy();
  }
}

/** Answers what the parser could not take for a request. */
async function refuse(code: string | undefined, socket: Socket): Promise<void> {
  socket.on("error", () => {});
  const reason = code === "HPE_HEADER_OVERFLOW"
    ? "its headers are too long"
    : code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? "it did not arrive in time"
    : "its method, its target or a header is malformed";
  const { status, headers, body } = errorResponse(
    new MalformedRequest(`This is no request of HTTP/1.1 that can be answered: ${reason}`),
  );
  const head = [...headers, ...Object.entries(EVERY_ANSWER)].map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head}\r\n${await new Response(body).text()}`);
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, fetch: Fetch): Promise<void> {
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
    await send(await fetch(toRequest(incoming, gone.signal), { info: { completed } }), incoming, outgoing);
  } catch {
    // A body that ended with an error must not pass for a whole one.
    outgoing.destroy();
  }
}

/** The request as the app takes it. What is no path keeps its first character, so that nothing is found there. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const target = incoming.url ?? "/";
  const url = URL.parse(target.startsWith("/") ? `http://localhost${target}` : target);
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i]!, incoming.rawHeaders[i + 1]!);
  }
  const method = incoming.method ?? "GET";
  const bodiless = method === "GET" || method === "HEAD" || hasNoBody(headers);
  const request = new Request(url?.protocol === "http:" ? url : "http://localhost/*", {
    method: UNMADE_METHODS.includes(method) ? "POST" : method,
    headers,
    signal,
    ...(!bodiless && { body: bodyOf(incoming, signal), duplex: "half" }),
  } as RequestInit);
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
