/** A client that costs little: a connection that stays open and is read into one buffer. */
export class Client implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(1 << 20);

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async connect(port: number): Promise<Client> {
    return new Client(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends a GET and leaves its answer unread. */
  async ask(target: string): Promise<void> {
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await this.#connection.write(new TextEncoder().encode(request));
  }

  /** Sends a GET and reads its whole answer. @throws {Error} the status is not 200 */
  async get(target: string): Promise<void> {
    await this.ask(target);
    let head = "";
    let bytes = 0;
    while (!head.includes("\r\n\r\n")) {
      const n = await this.#read();
      head += String.fromCharCode(...this.#buffer.subarray(0, Math.min(n, 2048)));
      bytes += n;
    }
    if (!head.startsWith("HTTP/1.1 200")) throw new Error(head.slice(0, 500));
    const length = Number(/content-length: (\d+)/i.exec(head)![1]);
    for (let left = length + head.indexOf("\r\n\r\n") + 4 - bytes; left > 0;) left -= await this.#read();
  }

  async #read(): Promise<number> {
    const n = await this.#connection.read(this.#buffer);
    if (n === null) throw new Error("The server closed the connection");
    return n;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

/** GETs all targets over some connections; each takes the next target when it is free. */
export async function getAll(port: number, connections: number, targets: readonly string[]): Promise<void> {
  const left = targets.values();
  await Promise.all(Array.from({ length: connections }, async () => {
    using client = await Client.connect(port);
    for (const target of left) await client.get(target);
  }));
}
