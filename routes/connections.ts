/** The connections of the server, and the unanswered requests on them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestError } from "./errors.ts";
import { type SentHead, sentHead } from "./sent_request.ts";

/** A request and its answer. */
export class Exchange {
  readonly head: SentHead;
  /** Settles when the rest of the request cannot be read. */
  readonly broken: Promise<RequestError>;
  readonly #break: (fault: RequestError) => void;

  constructor(readonly incoming: IncomingMessage, readonly outgoing: ServerResponse) {
    this.head = sentHead(incoming);
    ({ promise: this.broken, resolve: this.#break } = Promise.withResolvers<RequestError>());
  }

  /** Answers a fault in the rest of the request; false if the request is complete or its answer has begun. */
  breakOff(fault: RequestError): boolean {
    // A request with a refused head is answered in any case.
    if (this.head.refusal !== null) return true;
    if (this.incoming.complete || this.outgoing.headersSent) return false;
    this.#break(fault);
    return true;
  }
}

/**
 * Open connections. A server that stops closes those without a running response. The runtime itself closes only connections that
 * have had a request, but browsers keep some connections that they have never used.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #running = new Map<Socket, Exchange>();
  /** Connections that have had a request. */
  readonly #used = new WeakSet<Socket>();
  #closing = false;

  get size(): number {
    return this.#open.size;
  }

  /** Counts a connection until it closes. */
  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /**
   * Closes the oldest connection without a running response, preferably one that has had no request, but not the newest, whose
   * first request is on its way; false if every connection is busy.
   */
  closeOne(newest: Socket): boolean {
    const idle = [...this.#open].filter((socket) => socket !== newest && !this.#running.has(socket));
    const socket = idle.find((one) => !this.#used.has(one)) ?? idle[0];
    if (socket === undefined) return false;
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }

  /** Counts a response until it ends. If the server is stopping, its connection then ends too. */
  answers(exchange: Exchange): void {
    const { socket } = exchange.incoming;
    this.#running.set(socket, exchange);
    this.#used.add(socket);
    exchange.outgoing.once("close", () => {
      if (this.#running.get(socket) === exchange) this.#running.delete(socket);
      if (this.#closing) socket.destroySoon();
    });
  }

  /** The last request of the connection whose answer is not complete. */
  running(socket: Socket): Exchange | undefined {
    return this.#running.get(socket);
  }

  /** Closes each connection at once, or after its response. */
  close(): void {
    this.#closing = true;
    for (const socket of this.#open) if (!this.#running.has(socket)) socket.destroy();
  }
}
