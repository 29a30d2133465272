/** The connections of the server, and the requests on them that are not answered yet. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestError } from "./errors.ts";
import { type SentHead, sentHead } from "./sent_request.ts";

/** A request with its answer. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The head of the request as sent. */
  readonly head: SentHead;
  /** Settles when the rest of the request cannot be read. */
  readonly broken: Promise<RequestError>;
  readonly #break: (fault: RequestError) => void;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.head = sentHead(incoming);
    ({ promise: this.broken, resolve: this.#break } = Promise.withResolvers<RequestError>());
  }

  /** Answers a fault in the rest of the request; false if the request is complete or its answer has begun. */
  breakOff(fault: RequestError): boolean {
    // A refused head is answered anyway.
    if (this.head.refusal !== null) return true;
    if (this.incoming.complete || this.outgoing.headersSent) return false;
    this.#break(fault);
    return true;
  }
}

/**
 * Open connections. A server that stops closes those without a running response; the runtime closes only those that have had a
 * request, while browsers keep some that they have never used.
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
   * Closes the oldest connection without a running response, preferably one that has had no request; false if every connection
   * is busy.
   *
   * @param newest stays open, since its first request is on its way
   */
  closeOne(newest: Socket): boolean {
    const idle = [...this.#open].filter((socket) => socket !== newest && !this.#running.has(socket));
    const socket = idle.find((one) => !this.#used.has(one)) ?? idle[0];
    if (socket === undefined) return false;
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }

  /** Counts a response until it ends; the connection ends with it when the server is stopping. */
  answers(exchange: Exchange): void {
    const { socket } = exchange.incoming;
    this.#running.set(socket, exchange);
    this.#used.add(socket);
    exchange.outgoing.once("close", () => {
      if (this.#running.get(socket) === exchange) this.#running.delete(socket);
      if (this.#closing) socket.destroySoon();
    });
  }

  /** The last request of the connection without a complete answer. */
  running(socket: Socket): Exchange | undefined {
    return this.#running.get(socket);
  }

  /** Closes each connection at once, or after its response. */
  close(): void {
    this.#closing = true;
    for (const socket of this.#open) if (!this.#running.has(socket)) socket.destroy();
  }
}
