/** The connections of a server, and the requests on them that have no complete answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestError } from "./errors.ts";
import { type SentHead, sentHead } from "./sent_request.ts";

/** A request with its answer. */
export class Exchange {
  /** The request. */
  readonly incoming: IncomingMessage;
  /** Its answer. */
  readonly outgoing: ServerResponse;
  /** The head of the request as it was sent. */
  readonly head: SentHead;
  /** Settles when the rest of the request cannot be read. */
  readonly broken: Promise<RequestError>;
  readonly #break: (fault: RequestError) => void;

  /** Judges the head of the request. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.head = sentHead(incoming);
    ({ promise: this.broken, resolve: this.#break } = Promise.withResolvers<RequestError>());
  }

  /** Has the fault answered; `false` when the request is complete, or an answer that says nothing of it has begun. */
  breakOff(fault: RequestError): boolean {
    // A head that is refused is answered anyway, and its connection ends.
    if (this.head.refusal !== null) return true;
    if (this.incoming.complete || this.outgoing.headersSent) return false;
    this.#break(fault);
    return true;
  }
}

/**
 * Open connections, so that a server that stops can close those without a running response: browsers keep some that
 * they have never used, and the runtime closes only those that have had a request.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #running = new Map<Socket, Exchange>();
  /** Those that have had a request. */
  readonly #used = new WeakSet<Socket>();
  #closing = false;

  /** Open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Counts a connection until it closes. */
  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /**
   * Ends the oldest connection that has had no request, or else the oldest without a running response; `false` where
   * each of them has one.
   *
   * @param newest is not closed, since its first request is on its way
   */
  closeOne(newest: Socket): boolean {
    const idle = [...this.#open].filter((socket) => socket !== newest && !this.#running.has(socket));
    const socket = idle.find((one) => !this.#used.has(one)) ?? idle[0];
    if (socket === undefined) return false;
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }

  /** Counts a response until it ends; then it ends the connection too when the server is stopping. */
  answers(exchange: Exchange): void {
    const { socket } = exchange.incoming;
    this.#running.set(socket, exchange);
    this.#used.add(socket);
    exchange.outgoing.once("close", () => {
      if (this.#running.get(socket) === exchange) this.#running.delete(socket);
      if (this.#closing) socket.destroySoon();
    });
  }

  /** The last request of the connection that has no complete answer. */
  running(socket: Socket): Exchange | undefined {
    return this.#running.get(socket);
  }

  /** Ends each connection at once, or when its response is sent. */
  close(): void {
    this.#closing = true;
    for (const socket of this.#open) if (!this.#running.has(socket)) socket.destroy();
  }
}
