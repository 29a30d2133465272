/** The connections of a server, and the requests on them that have no complete answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestError } from "./errors.ts";
import { type SentHead, sentHead } from "./sent_request.ts";

/** A request with its answer. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly head: SentHead;
  /** Settles when the rest of the request turns out to be none. */
  readonly broken: Promise<RequestError>;
  readonly #break: (fault: RequestError) => void;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.head = sentHead(incoming);
    ({ promise: this.broken, resolve: this.#break } = Promise.withResolvers<RequestError>());
  }

  /** Has the fault answered; `false` when an answer has begun that says nothing of it, or the request is complete. */
  breakOff(fault: RequestError): boolean {
    // The refusal of a head comes by itself, and ends the connection.
    if (this.head.refusal !== null) return true;
    if (this.incoming.complete || this.outgoing.headersSent) return false;
    this.#break(fault);
    return true;
  }
}

/**
 * Open connections, so that the end need not wait for those without a running response: browsers keep some that they
 * have never used, and the runtime closes only such as have had a request.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #running = new Map<Socket, Exchange>();
  /** Such as have had a request. */
  readonly #used = new WeakSet<Socket>();
  #closing = false;

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  /**
   * Ends the oldest connection that has had no request, or else the oldest without a running response; `false` where
   * each of them has one.
   *
   * @param newest whose first request is on its way
   */
  closeOne(newest: Socket): boolean {
    const idle = [...this.#open].filter((socket) => socket !== newest && !this.#running.has(socket));
    const socket = idle.find((one) => !this.#used.has(one)) ?? idle[0];
    if (socket === undefined) return false;
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }

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
