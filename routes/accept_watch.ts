/**
 * Sees that a server goes on to accept. When the runtime cannot accept a connection, mostly because no file descriptor
 * is free, it stops accepting, tells nobody, and does not begin again by itself; only listening anew helps.
 */
import type { AddressInfo, Server, Socket } from "node:net";
import { freeDescriptors } from "../session/descriptors.ts";

/** How often the server is looked at: with the waits below it accepts again within a second. */
const WATCH_MS = 250;

/** Waits for a connection that the server makes to itself. Several short ones: this thread may have been busy. */
const WAITS = { count: 6, milliseconds: 100 } as const;

/** Watches one server that listens on loopback. */
export class AcceptWatch {
  readonly #server: Server;
  readonly #address: AddressInfo;
  readonly #backlog: number;
  readonly #warn: (message: string) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Ports whose connections arrived during a look. */
  readonly #arrived = new Set<number>();
  #look: Promise<void> | null = null;
  /** Port of the connection that the server last made to itself. */
  #ownPort = 0;
  #doubts = 0;
  #settled = 0;
  #isClosing = false;
  #hasWarned = false;
  #hasArrivals = false;

  /**
   * Begins to watch.
   *
   * @param server listens already
   * @param address where it listens
   * @param backlog connections that may wait to be accepted
   */
  constructor(server: Server, address: AddressInfo, backlog: number, warn: (message: string) => void) {
    this.#server = server;
    this.#address = address;
    this.#backlog = backlog;
    this.#warn = warn;
    // Such as a failure to listen anew, which is tried again.
    server.on("error", () => this.doubt());
    this.#timer = setInterval(() => {
      if (freeDescriptors(1) === 0) this.doubt();
      // A runtime that tells of no connection cannot be looked at in this way.
      if (this.#doubts > this.#settled && this.#hasArrivals) {
        this.#look ??= this.#lookOnce().catch(() => {}).finally(() => this.#look = null);
      }
    }, WATCH_MS);
  }

  /** Called when descriptors may have been taken and given back: a request was answered. */
  doubt(): void {
    this.#doubts += 1;
  }

  /** Called with every connection. */
  arrived(socket: Socket): void {
    const port = socket.remotePort ?? 0;
    this.#hasArrivals = true;
    if (this.#look !== null) this.#arrived.add(port);
    socket.once("close", () => {
      if (port !== this.#ownPort) this.doubt();
    });
  }

  /** Ends the watch. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    await this.#look;
  }

  /** Connects to the server, and lets it listen anew when that connection does not arrive. */
  async #lookOnce(): Promise<void> {
    this.#arrived.clear();
    const doubts = this.#doubts;
    const enough = new AbortController();
    let made: Deno.TcpConn | undefined;
    let failure: unknown;
    // Where many wait already, the system lets this one wait for minutes.
    const connecting = Deno.connect({
      hostname: this.#address.address,
      port: this.#address.port,
      signal: enough.signal,
    }).then((connection) => {
      made = connection;
      this.#ownPort = connection.localAddr.port;
    }, (error) => failure = error);
    const hasArrived = () => made !== undefined && this.#arrived.has(this.#ownPort);
    for (let i = 0; i < WAITS.count && !hasArrived() && !failure && !this.#isClosing; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, WAITS.milliseconds));
    }
    const isAccepting = hasArrived();
    const hasDescriptor = !failure || failure instanceof Deno.errors.ConnectionRefused;
    enough.abort();
    await connecting;
    made?.close();
    if (isAccepting) this.#settled = doubts;
    if (isAccepting || this.#isClosing) return;
    this.#warnOnce();
    // Without a descriptor there is nothing to listen with either.
    if (!hasDescriptor) return;
    this.#server.close();
    this.#server.listen({ host: this.#address.address, port: this.#address.port, backlog: this.#backlog });
  }

  #warnOnce(): void {
    if (!this.#hasWarned) {
      this.#warn(
        "New connections did not arrive, mostly because no file descriptor is free (see ulimit -n); listening anew",
      );
    }
    this.#hasWarned = true;
  }
}
