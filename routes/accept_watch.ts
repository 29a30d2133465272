/**
 * Sees that a server goes on to accept. When a connection cannot be accepted, for want of a file descriptor mostly,
 * the runtime stops to accept, tells nobody, and never begins again by itself; only listening anew helps.
 */
import type { AddressInfo, Server, Socket } from "node:net";

/** How often the server is looked at: with the waits below it accepts again within a second. */
const WATCH_MS = 500;

/** Waits for a connection that the server makes to itself. Several short ones: this thread may have been busy. */
const WAITS = { count: 4, milliseconds: 100 } as const;

/** Watches one server that listens on loopback. */
export class AcceptWatch {
  readonly #server: Server;
  readonly #address: string;
  readonly #port: number;
  readonly #backlog: number;
  readonly #warn: (message: string) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Ports whose connections arrived during a look. */
  readonly #arrived = new Set<number>();
  #look: Promise<void> | null = null;
  #isDoubtful = false;
  #isClosing = false;
  #hasWarned = false;

  /**
   * @param server listens already
   * @param backlog connections that may wait to be accepted
   */
  constructor(server: Server, backlog: number, warn: (message: string) => void) {
    this.#server = server;
    this.#backlog = backlog;
    this.#warn = warn;
    ({ address: this.#address, port: this.#port } = server.address() as AddressInfo);
    // Such as a failure to listen anew, which is tried again.
    server.on("error", () => this.doubt());
    this.#timer = setInterval(() => {
      if (this.#isDoubtful) this.#look ??= this.#lookOnce().finally(() => this.#look = null);
    }, WATCH_MS);
  }

  /** Called when descriptors may have been taken: a connection came or went, a request was answered. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Called with every connection. */
  arrived({ remotePort }: Socket): void {
    if (this.#look !== null && remotePort !== undefined) this.#arrived.add(remotePort);
    this.doubt();
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
    try {
      using connection = await Deno.connect({ hostname: this.#address, port: this.#port });
      const { port } = connection.localAddr as Deno.NetAddr;
      for (let i = 0; i < WAITS.count && !this.#arrived.has(port) && !this.#isClosing; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, WAITS.milliseconds));
      }
      this.#isDoubtful = false;
      if (this.#arrived.has(port)) return;
    } catch (error) {
      // Without a descriptor there is nothing to listen with either.
      if (!(error instanceof Deno.errors.ConnectionRefused)) return this.#warnOnce();
    }
    if (this.#isClosing) return;
    this.#warnOnce();
    this.#server.close();
    this.#server.listen({ host: this.#address, port: this.#port, backlog: this.#backlog });
    this.doubt();
  }

  #warnOnce(): void {
    if (!this.#hasWarned) {
      this.#warn("There were no file descriptors for new connections (see ulimit -n), which had to wait");
    }
    this.#hasWarned = true;
  }
}
